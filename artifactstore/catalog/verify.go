package catalog

import (
	"context"
	"errors"
	"io"

	"github.com/toolresult/toolresult/artifactstore"
)

// Verified counts artifacts that were read from their first to their last byte, and their bytes. Corrupt ones include
// those that are missing.
type Verified struct{ Intact, Corrupt, Bytes int64 }

// Verify reads artifacts and compares them with their digests: those at paths, or all if paths is empty. It calls
// report for each artifact that cannot be read as it was put, with its path and the error. It stops with the first
// error of report.
func (c *Catalog) Verify(ctx context.Context, paths []string, report func(path string, err error) error) (v Verified, err error) {
	if len(paths) > 0 {
		for _, path := range paths {
			name, err := c.Resolve(path)
			if err == nil {
				err = c.verify(ctx, name, &v)
			}
			if err := v.count(ctx, path, err, report); err != nil {
				return v, err
			}
		}
		return v, nil
	}
	if _, err := c.insertFound(ctx); err != nil {
		return v, err
	}
	for after := ""; ; {
		var names []string
		err := c.ask(ctx, func(d *db) (err error) {
			names, err = d.names(after, batchSize)
			return err
		})
		if err != nil || len(names) == 0 {
			return v, err
		}
		after = names[len(names)-1]
		for _, name := range names {
			err := c.verify(ctx, name, &v)
			if _, expired := errors.AsType[*ExpiredError](err); expired {
				continue // since it was listed
			}
			if err := v.count(ctx, c.store.PathFor(name), err, report); err != nil {
				return v, err
			}
		}
	}
}

// verify opens an artifact, which reads and verifies all of it. A log that is not finished has no digest yet: it is
// intact if it can be opened.
func (c *Catalog) verify(ctx context.Context, name string, v *Verified) error {
	if isLive(name) {
		p, err := c.Pages(ctx, name)
		if err != nil {
			return err
		}
		return p.Close()
	}
	r, err := c.Open(ctx, name)
	if err != nil {
		return err
	}
	v.Bytes += r.Size()
	return r.Close()
}

// count counts an artifact by the error of reading it. A failure that is not about the artifact is returned.
func (v *Verified) count(ctx context.Context, path string, err error, report func(string, error) error) error {
	_, expired := errors.AsType[*ExpiredError](err)
	switch {
	case err == nil:
		v.Intact++
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case expired, errors.Is(err, ErrMissing), errors.Is(err, artifactstore.ErrUnknown), errors.Is(err, artifactstore.ErrDamaged),
		errors.Is(err, artifactstore.ErrOutsideStore):
		v.Corrupt++
		return report(path, err)
	}
	return err
}

var _ io.Closer = (*Catalog)(nil)
