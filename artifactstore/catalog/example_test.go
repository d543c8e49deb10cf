package catalog_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/internal/journal"
)

// An artifact is kept while its session has a lease, and deleted some time after.
func Example() {
	ctx := context.Background()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	logger := slog.New(slog.DiscardHandler)
	changes, err := journal.Open(journal.Options{Logger: logger})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer changes.Close()
	c, err := catalog.Open(memory.New(), catalog.Options{
		Journal:      changes,
		SessionLease: time.Hour,
		KeepFor:      time.Minute,
		Now:          func() time.Time { return now },
		Logger:       logger,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	sink := c.SinkFor(catalog.Owner{Session: "s", Call: "call_1"})
	ref, err := sink.Put(ctx, artifactstore.BytesBlob([]byte("output")))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, passed := range []time.Duration{30 * time.Minute, time.Hour} {
		now = now.Add(passed)
		collected, err := c.Collect(ctx, false)
		fmt.Println(collected.Count, "deleted,", collected.KeptCount, "kept,", err)
	}
	_, err = c.Open(ctx, ref.Name)
	fmt.Println(err)
	// Output:
	// 0 deleted, 1 kept, <nil>
	// 1 deleted, 0 kept, <nil>
	// artifact 96e754fa: deleted at 2026-01-02T04:34:05Z: no lease named it, and its time was over
}
