package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// compressor is a store that can keep artifacts in less space. The bytes that readers get are the same.
type compressor interface {
	// Compress reports false for an artifact that it leaves as it is, because it would save too little.
	Compress(ctx context.Context, name string) (saved int64, done bool, err error)
}

// Compressed says what was compressed.
type Compressed struct{ Count, Saved int64 }

// Compress compresses the artifacts that were not put for as long as Options.CompressAfter says. Each is tried once. It
// does nothing when that is 0, or when the store cannot compress.
func (l *Catalog) Compress(ctx context.Context) (c Compressed, err error) {
	store, ok := l.store.(compressor)
	if !ok || l.rules.CompressAfter == 0 {
		return c, nil
	}
	before := l.now().Add(-l.rules.CompressAfter)
	for {
		var names []string
		err := l.clerk.do(ctx, func(b *books) (err error) {
			names, err = b.loose(before, spareBatch)
			return err
		})
		if err != nil || len(names) == 0 {
			return c, err
		}
		for _, name := range names {
			saved, done, err := store.Compress(ctx, name)
			if err != nil && !errors.Is(err, artifactstore.ErrUnknown) && !errors.Is(err, artifactstore.ErrDamaged) {
				return c, fmt.Errorf("compress %s: %w", name, err)
			}
			if done {
				c.Count++
				c.Saved += saved
			}
			if err := l.clerk.do(ctx, func(b *books) error { return b.pack(name) }); err != nil {
				return c, err
			}
		}
	}
}

// loose returns artifacts that were not tried to be compressed and not put since a time, the oldest first.
func (b *books) loose(before time.Time, limit int) ([]string, error) {
	return b.column("SELECT name FROM artifacts WHERE deleted_at IS NULL AND packed = 0 AND stored_at < ? AND name NOT GLOB ? ORDER BY stored_at LIMIT ?",
		stamp(before), livePrefix+"*", limit)
}

// pack notes that an artifact was tried to be compressed.
func (b *books) pack(name string) error {
	return b.Run("UPDATE artifacts SET packed = 1 WHERE name = ?", name)
}
