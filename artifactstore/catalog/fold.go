package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// foldSuffix ends the name of the database of a fold, beside the index.
const foldSuffix = ".cleaning"

// fold is what the changes in the journal come to: tables like those of the index, made anew. One goroutine uses it.
type fold struct {
	path    string // empty: in memory
	db      *sqlitedb.DB
	journal *journal.Journal
	sum     sum
	applied uint64 // number of the last change
	until   uint64
	bytes   int64 // of the changes behind until
}

// newFold begins a fold. What an earlier one left is removed.
func (c *Catalog) newFold(until uint64) (*fold, error) {
	f := &fold{journal: c.journal, path: c.foldPath(), until: until, applied: c.journal.Anchor(journal.Catalog).Number}
	if err := removeFold(f.path); err != nil {
		return nil, err
	}
	var err error
	f.db, err = sqlitedb.Open(sqlitedb.Options{Path: f.path, Volatile: true, Schema: schema, Version: schemaVersion})
	return f, err
}

// foldPath returns the path of the database of a fold; empty: it is in memory.
func (c *Catalog) foldPath() string {
	if c.options.Index == "" {
		return ""
	}
	return c.options.Index + foldSuffix
}

// removeFold removes the files of a fold, if they are there.
func removeFold(path string) error {
	if path == "" {
		return nil
	}
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// close removes the fold.
func (f *fold) close() error { return errors.Join(f.db.Close(), removeFold(f.path)) }

// foldBatch is the number of changes of one transaction.
const foldBatch = 4096

// errBatch ends a transaction.
var errBatch = errors.New("the transaction has enough")

// follow applies the changes that were appended since, and reports whether there were any. A change that cannot be read is an error: what is
// not known cannot be carried on.
func (f *fold) follow(ctx context.Context) (moved bool, err error) {
	for f.applied < f.journal.Tip(journal.Catalog).Number {
		moved = true
		n := 0
		err := f.db.Transaction(func() error {
			err := f.journal.Each(ctx, journal.Catalog, f.applied+1, func(e *journal.Entry) error {
				if n++; n > foldBatch {
					return errBatch
				}
				f.note(e)
				return apply(&db{DB: f.db, sum: &f.sum}, e)
			}, func(d journal.Damage) error {
				return fmt.Errorf("changes %d to %d: %s: %w", d.First, d.Last, d.Reason, ErrCatalogUnreadable)
			})
			if errors.Is(err, errBatch) {
				return nil
			}
			return err
		})
		if err != nil {
			return moved, err
		}
	}
	return moved, nil
}

// note counts a change.
func (f *fold) note(e *journal.Entry) {
	if f.applied = e.Number; e.Number > f.until {
		f.bytes += int64(len(e.Data))
	}
}

// take applies changes that say what the fold has: only what they forget.
func (f *fold) take(list []*change, entries []*journal.Entry) error {
	return f.db.Transaction(func() error {
		for i, ch := range list {
			f.note(entries[i])
			if err := ch.applySpan(&db{DB: f.db, sum: &f.sum}); err != nil {
				return err
			}
		}
		return nil
	})
}

// read reads the tables.
func (f *fold) read() *db { return &db{DB: f.db} }

// sessions returns the change that has the next sessions, and the last of them; empty: there are no more. Those without artifacts, whose
// leases are over, are forgotten.
func (f *fold) sessions(after string, now int64) (list []*change, to string, err error) {
	ch := &change{Of: &span{Sessions: true, After: after}, known: &forgotten{}}
	n := 0
	err = f.db.Each("SELECT s.session, s.leased_until, EXISTS (SELECT 1 FROM uses u WHERE u.session = s.session) FROM sessions s WHERE s.session > ? ORDER BY s.session LIMIT ?",
		[]any{after, spanSessions}, func(scan func(...any) error) error {
			var l lease
			var used bool
			if err := scan(&l.Session, &l.Until, &used); err != nil {
				return err
			}
			if n++; used || l.Until > now {
				ch.Sessions = append(ch.Sessions, l)
			} else {
				ch.known.sessions = append(ch.known.sessions, l.Session)
			}
			to = l.Session
			return nil
		})
	if n < spanSessions {
		to = ""
	}
	ch.Of.To = to
	return []*change{ch}, to, err
}

// names returns the changes that have the next names with their owners, and the last of them; empty: there are no more. What was deleted
// before a time, and is gone, is forgotten.
func (f *fold) names(after string, forget int64) (list []*change, to string, err error) {
	d := f.read()
	names, err := d.states(after, spanNames)
	if err != nil {
		return nil, "", err
	}
	ch := &change{Of: &span{After: after}, known: &forgotten{}}
	list = []*change{ch}
	uses, read := 0, 0
	for i := range names {
		n := &names[i]
		to, read = n.Name, read+1
		if n.Erased && n.Deleted > 0 && n.Deleted < forget {
			ch.known.names = append(ch.known.names, n.Name)
			continue
		}
		all, err := d.usesOf(n.Name)
		if err != nil {
			return nil, "", err
		}
		n.Uses = all[:min(len(all), spanUses)]
		ch.States = append(ch.States, *n)
		for rest := all[len(n.Uses):]; len(rest) > 0; {
			some := rest[:min(len(rest), spanUses)]
			list = append(list, &change{States: []storedName{{Name: n.Name, Uses: some, More: true}}, known: &forgotten{}})
			rest = rest[len(some):]
		}
		if uses += len(all); uses >= spanUses {
			break
		}
	}
	if read == len(names) && len(names) < spanNames {
		to = ""
	}
	ch.Of.To = to
	return list, to, nil
}

// states returns what is known of names, in their order, without owners.
func (d *db) states(after string, limit int) (list []storedName, err error) {
	err = d.Each("SELECT name, digest, bytes, stored_at, coalesce(deleted_at, 0), coalesce(deleted_why, ''), erased FROM artifacts WHERE name > ? ORDER BY name LIMIT ?",
		[]any{after, limit}, func(scan func(...any) error) error {
			var n storedName
			err := scan(&n.Name, &n.Digest, &n.Bytes, &n.Stored, &n.Deleted, &n.Why, &n.Erased)
			list = append(list, n)
			return err
		})
	return list, err
}

// usesOf returns the owners of a name.
func (d *db) usesOf(name string) (list []storedUse, err error) {
	err = d.Each("SELECT sequence, session, call, partial, stored_at, raw FROM uses WHERE name = ? ORDER BY sequence",
		[]any{name}, func(scan func(...any) error) error {
			var u storedUse
			err := scan(&u.Sequence, &u.Session, &u.Call, &u.Partial, &u.Stored, &u.Raw)
			list = append(list, u)
			return err
		})
	return list, err
}

// unlisted returns what the index has of a span and a change does not list.
func (d *db) unlisted(c *change) (*forgotten, error) {
	listed := map[string]bool{}
	for i := range c.States {
		listed[c.States[i].Name] = true
	}
	for _, l := range c.Sessions {
		listed[l.Session] = true
	}
	query := "SELECT name FROM artifacts WHERE name > ?1 AND (?2 = '' OR name <= ?2)"
	if c.Of.Sessions {
		query = "SELECT session FROM sessions WHERE session > ?1 AND (?2 = '' OR session <= ?2)"
	}
	all, err := d.column(query, c.Of.After, c.Of.To)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, name := range all {
		if !listed[name] {
			gone = append(gone, name)
		}
	}
	if c.Of.Sessions {
		return &forgotten{sessions: gone}, nil
	}
	return &forgotten{names: gone}, nil
}
