package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// compressor is implemented by a store that can compress artifacts. Readers get the same bytes.
type compressor interface {
	// Compress returns the bytes of disk that it saved. It reports false for an artifact that would become too little
	// smaller and stays as it is.
	Compress(ctx context.Context, name string) (saved int64, done bool, err error)
}

// Compressed is the number of artifacts that were compressed and the bytes of disk that this saved.
type Compressed struct{ Count, Saved int64 }

// Compress compresses the artifacts that were not put for Options.CompressAfter. Each is tried once. It does nothing if
// that is 0 or if the store cannot compress. Artifacts that are gone or corrupt are skipped.
func (c *Catalog) Compress(ctx context.Context) (r Compressed, err error) {
	store, ok := c.store.(compressor)
	if !ok || c.options.CompressAfter == 0 {
		return r, nil
	}
	before := c.clock.now().Add(-c.options.CompressAfter)
	for {
		var names []string
		err := c.ask(ctx, func(d *db) (err error) {
			names, err = d.uncompressed(before, batchSize)
			return err
		})
		if err != nil || len(names) == 0 {
			return r, err
		}
		if err := c.Check(); err != nil { // the store may be another sidecar's now
			return r, err
		}
		tried := c.newChange()
		for _, name := range names {
			saved, done, err := store.Compress(ctx, name)
			if err != nil && !errors.Is(err, artifactstore.ErrUnknown) && !errors.Is(err, artifactstore.ErrDamaged) {
				return r, fmt.Errorf("compress %s: %w", name, err)
			}
			if done {
				r.Count++
				r.Saved += saved
			}
			tried.Packed = append(tried.Packed, name)
		}
		if err := c.record(ctx, tried); err != nil {
			return r, err
		}
	}
}

// uncompressed returns artifacts that Compress has not tried and that were not put since a time, the oldest first.
func (d *db) uncompressed(before time.Time, limit int) ([]string, error) {
	return d.column("SELECT name FROM artifacts WHERE deleted_at IS NULL AND packed = 0 AND stored_at < ? AND name NOT GLOB ? ORDER BY stored_at LIMIT ?",
		toMillis(before), livePrefix+"*", limit)
}
