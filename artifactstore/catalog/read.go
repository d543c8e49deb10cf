package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/toolresult/toolresult/artifactstore"
)

// Open opens an artifact as the store does. An artifact that the store has not got fails with *[ExpiredError] or
// ErrMissing if the books know what became of it.
func (l *Catalog) Open(ctx context.Context, name string) (*artifactstore.Reader, error) {
	r, err := l.store.Open(ctx, name)
	return r, l.explain(ctx, name, err)
}

// Pages is likewise.
func (l *Catalog) Pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	p, err := l.store.Pages(ctx, name)
	return p, l.explain(ctx, name, err)
}

// explain says what became of an artifact that the store does not know.
func (l *Catalog) explain(ctx context.Context, name string, err error) error {
	if !errors.Is(err, artifactstore.ErrUnknown) {
		return err
	}
	var e Entry
	var known bool
	if failed := l.clerk.do(ctx, func(b *books) (err error) {
		e, known, err = b.entry(name)
		return err
	}); failed != nil {
		return failed
	}
	switch {
	case !known:
		return err
	case e.Expired != nil:
		return fmt.Errorf("artifact %s: %w", name, e.Expired)
	default:
		return fmt.Errorf("artifact %s: %w", name, ErrMissing)
	}
}

// Resolve returns the name of the artifact at a path, as the store does.
func (l *Catalog) Resolve(path string) (string, error) { return l.store.Resolve(path) }

// List returns up to limit artifacts of a session, or of one of its calls if call is not empty, the newest first.
// It begins after a place that an earlier List returned, or at the beginning if that is 0, and returns the place
// where to go on, or 0 when there is no more.
func (l *Catalog) List(ctx context.Context, session, call string, after int64, limit int) (list []Entry, next int64, err error) {
	below := int64(math.MaxInt64)
	if after > 0 {
		below = after
	}
	err = l.clerk.do(ctx, func(b *books) (err error) {
		list, err = b.list(session, call, below, limit+1)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if len(list) > limit {
		list = list[:limit]
		next = list[limit-1].sequence
	}
	for i := range list {
		list[i].Path = l.store.PathFor(list[i].Name)
		if list[i].Live = isLive(list[i].Name) && list[i].Expired == nil; list[i].Live {
			list[i].Size = l.sizeOf(ctx, list[i])
		}
	}
	return list, next, nil
}
