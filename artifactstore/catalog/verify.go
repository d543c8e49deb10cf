package catalog

import (
	"context"
	"errors"
	"io"

	"github.com/toolresult/toolresult/artifactstore"
)

// Verified counts artifacts that were read from their first to their last byte.
type Verified struct{ Sound, Unsound, Bytes int64 }

// Verify reads artifacts and compares them with their digests: those at paths, or all if there are none. It calls
// unsound for each that cannot be read as it was put, with its path and the error, and stops with an error of
// unsound.
func (l *Catalog) Verify(ctx context.Context, paths []string, unsound func(path string, err error) error) (v Verified, err error) {
	if len(paths) > 0 {
		for _, path := range paths {
			name, err := l.Resolve(path)
			if err == nil {
				err = l.verify(ctx, name, &v)
			}
			if err := v.judge(ctx, path, err, unsound); err != nil {
				return v, err
			}
		}
		return v, nil
	}
	if _, err := l.enterFound(ctx); err != nil {
		return v, err
	}
	for after := ""; ; {
		var names []string
		err := l.clerk.do(ctx, func(b *books) (err error) {
			names, err = b.names(after, spareBatch)
			return err
		})
		if err != nil || len(names) == 0 {
			return v, err
		}
		after = names[len(names)-1]
		for _, name := range names {
			err := l.verify(ctx, name, &v)
			if _, expired := errors.AsType[*ExpiredError](err); expired {
				continue // since it was listed
			}
			if err := v.judge(ctx, l.store.PathFor(name), err, unsound); err != nil {
				return v, err
			}
		}
	}
}

// verify opens an artifact, which reads and verifies all of it. A log that is not finished has no digest yet: it is
// sound when it can be read.
func (l *Catalog) verify(ctx context.Context, name string, v *Verified) error {
	if isLive(name) {
		p, err := l.Pages(ctx, name)
		if err != nil {
			return err
		}
		return p.Close()
	}
	r, err := l.Open(ctx, name)
	if err != nil {
		return err
	}
	v.Bytes += r.Size()
	return r.Close()
}

// judge counts an artifact. A failure that says nothing of the artifact ends the verification.
func (v *Verified) judge(ctx context.Context, path string, err error, unsound func(string, error) error) error {
	_, expired := errors.AsType[*ExpiredError](err)
	switch {
	case err == nil:
		v.Sound++
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case expired, errors.Is(err, ErrMissing), errors.Is(err, artifactstore.ErrUnknown), errors.Is(err, artifactstore.ErrDamaged),
		errors.Is(err, artifactstore.ErrOutsideStore):
		v.Unsound++
		return unsound(path, err)
	}
	return err
}

var _ io.Closer = (*Catalog)(nil)
