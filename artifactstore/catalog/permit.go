package catalog

import (
	"context"
	"fmt"

	"github.com/toolresult/toolresult/artifactstore"
)

// Permit says what a reader may read.
type Permit struct {
	// Session is the session whose artifacts may be read; empty: those of all, and of none.
	Session string
	// Raw permits also what was put as raw and never otherwise.
	Raw bool
}

// PagesFor is Pages for a reader who may not read everything. What the permit leaves out fails with
// [artifactstore.ErrUnknown], whether it is there, was deleted, or never was.
func (l *Catalog) PagesFor(ctx context.Context, name string, p Permit) (*artifactstore.Pages, error) {
	if err := l.permits(ctx, name, p); err != nil {
		return nil, err
	}
	return l.Pages(ctx, name)
}

func (l *Catalog) permits(ctx context.Context, name string, p Permit) error {
	if p.Session == "" && (p.Raw || !l.raw.Load()) {
		return nil // nobody has to be asked
	}
	permitted := false
	err := l.clerk.do(ctx, func(b *books) (err error) {
		if p.Session != "" {
			permitted, err = b.isOf(p.Session, name, p.Raw)
		} else {
			permitted, err = b.isOpen(name)
		}
		return err
	})
	if err == nil && !permitted {
		err = fmt.Errorf("artifact %s: %w", name, artifactstore.ErrUnknown)
	}
	return err
}

// isOf reports whether a session put an artifact: with raw in any way, else other than as raw.
func (b *books) isOf(session, name string, raw bool) (bool, error) {
	return b.Row("SELECT 1 FROM uses WHERE name = ? AND session = ? AND raw <= ? LIMIT 1", []any{name, session, raw}, new(int))
}

// isOpen reports whether an artifact was put other than as raw, or by nobody that the books know.
func (b *books) isOpen(name string) (bool, error) {
	return b.Row(`SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM uses WHERE name = ?1)
		OR EXISTS (SELECT 1 FROM uses WHERE name = ?1 AND raw = 0)`, []any{name}, new(int))
}

// hasRaw reports whether anything was ever put as raw.
func (b *books) hasRaw() (bool, error) {
	return b.Row("SELECT 1 FROM uses WHERE raw = 1 LIMIT 1", nil, new(int))
}
