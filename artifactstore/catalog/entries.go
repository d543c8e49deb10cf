package catalog

import (
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// Owner is whom an artifact is put for.
type Owner struct {
	Session string // empty: none
	Call    string // empty: not said
	Partial bool   // the artifact is the beginning of something that was cut off
	Raw     bool   // it is a payload as the tool wrote it, before it was redacted: only a Permit that says so reads it
}

// Entry is an artifact in the books.
type Entry struct {
	Name     string
	Path     string
	Size     int64  // in bytes
	Digest   string // empty when it was found and not put
	Session  string
	Call     string
	Partial  bool
	Live     bool // it is a log that is not finished
	StoredAt time.Time
	Expired  *ExpiredError // nil while it can be read
	sequence int64
}

func stamp(t time.Time) int64 { return t.UnixMilli() }

func at(stamp int64) time.Time { return time.UnixMilli(stamp).UTC() }

// totals returns what is in the books, and the latest time in them.
func (b *books) totals() (bytes, count int64, latest time.Time, err error) {
	var ms int64
	_, err = b.Row("SELECT bytes, artifacts, latest FROM totals", nil, &bytes, &count, &ms)
	return bytes, count, at(ms), err
}

// enter enters an artifact that is in the store. One that comes back counts again for the sessions that had it.
func (b *books) enter(name, digest string, size int64, now time.Time) error {
	e, known, err := b.entry(name)
	if err != nil {
		return err
	}
	if !known {
		b.change.add(size, 1, stamp(now))
		return b.Run("INSERT INTO artifacts (name, digest, bytes, stored_at) VALUES (?, ?, ?, ?)", name, digest, size, stamp(now))
	}
	grown, more := size-e.Size, int64(0)
	if e.Expired != nil {
		grown, more = size, 1
		// The name of what was deleted may go to other content, which is nothing of those who put the one before.
		if e.Digest != digest && !isLive(name) {
			if err := b.Run("DELETE FROM uses WHERE name = ?", name); err != nil {
				return err
			}
		}
	}
	b.change.add(grown, more, stamp(now))
	if grown != 0 {
		if err := b.charge(name, grown); err != nil {
			return err
		}
	}
	return b.Run("UPDATE artifacts SET digest = ?, bytes = ?, stored_at = ?, deleted_at = NULL, deleted_why = NULL, erased = 0, packed = packed * (deleted_at IS NULL) WHERE name = ?",
		digest, size, stamp(now), name)
}

// charge adds to what the sessions have that put an artifact.
func (b *books) charge(name string, bytes int64) error {
	return b.Run("UPDATE sessions SET bytes = bytes + ? WHERE session IN (SELECT session FROM uses WHERE name = ?)", bytes, name)
}

// use enters who put an artifact.
func (b *books) use(o Owner, ref artifactstore.Ref, now time.Time) error {
	used, err := b.Row("SELECT 1 FROM uses WHERE session = ? AND name = ? LIMIT 1", []any{o.Session, ref.Name}, new(int))
	if err != nil {
		return err
	}
	if o.Session != "" && !used {
		if err := b.Run("UPDATE sessions SET bytes = bytes + ? WHERE session = ?", ref.Size, o.Session); err != nil {
			return err
		}
	}
	return b.Run(`INSERT INTO uses (session, call, name, partial, stored_at, raw) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (session, call, name) DO UPDATE SET partial = min(partial, excluded.partial), stored_at = excluded.stored_at,
			raw = min(raw, excluded.raw)`,
		o.Session, o.Call, ref.Name, o.Partial, stamp(now), o.Raw)
}

// isUsed reports whether an artifact was put for its owner since a time, and is there.
func (b *books) isUsed(o Owner, ref artifactstore.Ref, since time.Time) (bool, error) {
	return b.Row(`SELECT 1 FROM uses u JOIN artifacts a ON a.name = u.name
		WHERE u.session = ? AND u.call = ? AND u.name = ? AND u.partial <= ? AND u.raw <= ? AND u.stored_at >= ? AND
			a.stored_at >= ? AND a.deleted_at IS NULL AND a.bytes = ? AND a.digest = ?`,
		[]any{o.Session, o.Call, ref.Name, o.Partial, o.Raw, stamp(since), stamp(since), ref.Size, ref.Digest}, new(int))
}

// lease makes the lease of a session last at least until a time.
func (b *books) lease(session string, until time.Time) error {
	return b.Run(`INSERT INTO sessions (session, leased_until, bytes) VALUES (?, ?, 0)
		ON CONFLICT (session) DO UPDATE SET leased_until = max(leased_until, excluded.leased_until)`, session, stamp(until))
}

// setLease sets the lease of a session; a zero time ends it.
func (b *books) setLease(session string, until time.Time) error {
	ms := int64(0)
	if !until.IsZero() {
		ms = stamp(until)
	}
	return b.Run(`INSERT INTO sessions (session, leased_until, bytes) VALUES (?, ?, 0)
		ON CONFLICT (session) DO UPDATE SET leased_until = excluded.leased_until`, session, ms)
}

// session returns until when a session has a lease, and how much it has.
func (b *books) session(session string) (until time.Time, bytes int64, err error) {
	var ms int64
	found, err := b.Row("SELECT leased_until, bytes FROM sessions WHERE session = ?", []any{session}, &ms, &bytes)
	if !found || ms == 0 {
		return time.Time{}, bytes, err
	}
	return at(ms), bytes, nil
}

// entry returns what the books say of an artifact, whoever put it.
func (b *books) entry(name string) (e Entry, known bool, err error) {
	e.Name = name
	var stored int64
	var deleted *int64
	var why *string
	known, err = b.Row("SELECT digest, bytes, stored_at, deleted_at, deleted_why FROM artifacts WHERE name = ?", []any{name},
		&e.Digest, &e.Size, &stored, &deleted, &why)
	e.StoredAt, e.Expired = at(stored), tombstone(deleted, why)
	return e, known, err
}

func tombstone(deleted *int64, why *string) *ExpiredError {
	if deleted == nil {
		return nil
	}
	e := &ExpiredError{At: at(*deleted)}
	if why != nil {
		e.Why = *why
	}
	return e
}

// list returns the artifacts of a session, or of one of its calls, from a sequence down; none that is only raw.
func (b *books) list(session, call string, below int64, limit int) (list []Entry, err error) {
	err = b.Each(`SELECT u.sequence, u.call, u.name, u.partial, u.stored_at, a.bytes, a.digest, a.deleted_at, a.deleted_why
		FROM uses u JOIN artifacts a ON a.name = u.name
		WHERE u.session = ?1 AND (?2 = '' OR u.call = ?2) AND u.raw = 0 AND u.sequence < ?3 ORDER BY u.sequence DESC LIMIT ?4`,
		[]any{session, call, below, limit}, func(scan func(...any) error) error {
			e := Entry{Session: session}
			var stored int64
			var deleted *int64
			var why *string
			if err := scan(&e.sequence, &e.Call, &e.Name, &e.Partial, &stored, &e.Size, &e.Digest, &deleted, &why); err != nil {
				return err
			}
			e.StoredAt, e.Expired = at(stored), tombstone(deleted, why)
			list = append(list, e)
			return nil
		})
	return list, err
}

// unleased is the condition that no session with a lease names the artifact a. The time is ?1.
const unleased = `a.deleted_at IS NULL AND NOT EXISTS (
	SELECT 1 FROM uses u JOIN sessions s ON s.session = u.session WHERE u.name = a.name AND s.leased_until > ?1)`

// spare returns artifacts that no lease names and that were not put since a time, the oldest first, after one.
func (b *books) spare(now, before time.Time, after Entry, limit int) (list []Entry, err error) {
	err = b.Each("SELECT a.name, a.bytes, a.digest, a.stored_at FROM artifacts a WHERE a.stored_at < ?2 AND "+unleased+
		" AND (a.stored_at, a.name) > (?3, ?4) ORDER BY a.stored_at, a.name LIMIT ?5",
		[]any{stamp(now), stamp(before), stamp(after.StoredAt), after.Name, limit}, func(scan func(...any) error) error {
			var e Entry
			var stored int64
			if err := scan(&e.Name, &e.Size, &e.Digest, &stored); err != nil {
				return err
			}
			e.StoredAt = at(stored)
			list = append(list, e)
			return nil
		})
	return list, err
}

// strike enters the tombstone of an artifact, if it still may be deleted.
func (b *books) strike(e Entry, now time.Time, why string) (struck bool, err error) {
	n, err := b.Exec("UPDATE artifacts AS a SET deleted_at = ?1, deleted_why = ?2 WHERE a.name = ?3 AND a.stored_at = ?4 AND "+unleased,
		stamp(now), why, e.Name, stamp(e.StoredAt))
	if n == 0 || err != nil {
		return false, err
	}
	b.change.add(-e.Size, -1, stamp(now))
	return true, b.charge(e.Name, -e.Size)
}

// names returns the artifacts that are not deleted, in the order of their names, after one.
func (b *books) names(after string, limit int) ([]string, error) {
	return b.column("SELECT name FROM artifacts WHERE deleted_at IS NULL AND name > ? ORDER BY name LIMIT ?", after, limit)
}

// toErase returns those that have a tombstone and may still be there, likewise.
func (b *books) toErase(after string, limit int) ([]string, error) {
	return b.column("SELECT name FROM artifacts WHERE deleted_at IS NOT NULL AND erased = 0 AND name > ? ORDER BY name LIMIT ?", after, limit)
}

// erased notes that an artifact with a tombstone is not there any more.
func (b *books) erased(name string) error {
	return b.Run("UPDATE artifacts SET erased = 1 WHERE name = ? AND deleted_at IS NOT NULL", name)
}

// column reads the texts of a query.
func (b *books) column(query string, args ...any) (list []string, err error) {
	err = b.Each(query, args, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		list = append(list, text)
		return err
	})
	return list, err
}
