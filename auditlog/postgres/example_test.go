package postgres_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/toolresult/toolresult/auditlog/postgres"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/internal/journal"
)

// A log in a database server that is away: records wait in the journal.
func ExampleOpen() {
	logger := slog.New(slog.DiscardHandler)
	outbox, err := journal.Open(journal.Options{Dir: "", Logger: logger}) // in memory; a sidecar has a directory
	if err != nil {
		return
	}
	defer outbox.Close()
	log, err := postgres.Open(context.Background(), postgres.Options{
		DSN: "host=/nonexistent user=audit dbname=audit", Journal: outbox, Logger: logger,
	})
	if err != nil {
		return
	}
	defer log.Close()
	head, err := log.Append(context.Background(), audittest.Rejection("FIELD_MISSING"))
	fmt.Println(head.Sequence, err, log.Status().Unsent)
	// Output: 1 <nil> 1
}
