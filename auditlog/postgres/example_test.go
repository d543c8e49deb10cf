package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/postgres"
)

// A log in a database server. Without one, Open fails when Patience is over.
func ExampleOpen() {
	log, err := postgres.Open(context.Background(), postgres.Options{
		DSN:      "host=/nonexistent user=audit dbname=audit",
		Head:     "", // a file, so that the log goes on after a restart
		Patience: 100 * time.Millisecond,
		Logger:   slog.Default(),
	})
	if errors.Is(err, auditlog.ErrUnavailable) {
		fmt.Println("no server:", err != nil)
		return
	}
	defer log.Close()
	// Output: no server: true
}
