package catalog

// The SQL of the index. Three tables: artifacts has a row for each name, also for deleted ones; uses has the owners of
// each artifact; sessions has leases and sizes. The totals are kept in a table of one row, so that opening a catalog of a
// million artifacts reads one row.

import (
	"errors"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// Owner is the session and call of an artifact.
type Owner struct {
	Session string // empty if there is none
	Call    string // empty if it is not known
	Partial bool   // the artifact is the beginning of a payload that was cut off
	Raw     bool   // the payload is as the tool wrote it, before redaction; only a Permit with Raw reads it
}

// Entry is an artifact in the catalog.
type Entry struct {
	Name     string
	Path     string
	Size     int64  // of the content, in bytes
	Digest   string // as in artifactstore.Ref; empty if the artifact was found in the store and not put
	Session  string
	Call     string
	Partial  bool          // see Owner
	Live     bool          // it is a log that is not finished
	StoredAt time.Time     // when it was last put
	Expired  *ExpiredError // nil while it can be read
	sequence int64         // its place in List
}

// toMillis returns a time in milliseconds since 1970, as the database has it.
func toMillis(t time.Time) int64 { return t.UnixMilli() }

// fromMillis is the inverse of toMillis, in UTC.
func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// insert adds an artifact that is in the store, or updates it. An artifact that was deleted and is put again counts
// again for the sessions that had it.
func (d *db) insert(name, digest string, size, at int64) error {
	d.latest(at)
	e, known, err := d.entry(name)
	if err != nil {
		return err
	}
	if !known {
		d.add(size, 1)
		return d.Run("INSERT INTO artifacts (name, digest, bytes, stored_at) VALUES (?, ?, ?, ?)", name, digest, size, at)
	}
	grown, more := size-e.Size, int64(0)
	if e.Expired != nil {
		grown, more = size, 1
		// A deleted name may be reused by other content; drop the old owners.
		if e.Digest != digest && !isLive(name) {
			if err := d.Run("DELETE FROM uses WHERE name = ?", name); err != nil {
				return err
			}
		}
	}
	d.add(grown, more)
	if grown != 0 {
		if err := d.charge(name, grown); err != nil {
			return err
		}
	}
	return d.Run("UPDATE artifacts SET digest = ?, bytes = ?, stored_at = ?, deleted_at = NULL, deleted_why = NULL, erased = 0 WHERE name = ?",
		digest, size, at, name)
}

// charge adds to the size of every session that put an artifact.
func (d *db) charge(name string, bytes int64) error {
	return d.Run("UPDATE sessions SET bytes = bytes + ? WHERE session IN (SELECT session FROM uses WHERE name = ?)", bytes, name)
}

// addUse adds an owner to an artifact. Put again by the same call, the artifact is partial or raw only if it always
// was.
func (d *db) addUse(p *putChange, at int64) error {
	used, err := d.Row("SELECT 1 FROM uses WHERE session = ? AND name = ? LIMIT 1", []any{p.Session, p.Name}, new(int))
	if err != nil {
		return err
	}
	if p.Session != "" && !used {
		if err := d.Run("UPDATE sessions SET bytes = bytes + ? WHERE session = ?", p.Bytes, p.Session); err != nil {
			return err
		}
	}
	return d.Run(`INSERT INTO uses (sequence, session, call, name, partial, stored_at, raw) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (session, call, name) DO UPDATE SET partial = min(partial, excluded.partial), stored_at = excluded.stored_at,
			raw = min(raw, excluded.raw)`,
		d.next(), p.Session, p.Call, p.Name, p.Partial, at, p.Raw)
}

// addFound enters an artifact for nobody.
func (d *db) addFound(name string, stored int64, raw bool) error {
	return d.Run("INSERT INTO uses (sequence, session, call, name, partial, stored_at, raw) VALUES (?, '', '', ?, 0, ?, ?) ON CONFLICT (session, call, name) DO NOTHING",
		d.next(), name, stored, raw)
}

// lease extends the lease of a session to a time; it never shortens it.
func (d *db) lease(session string, until int64) error {
	return d.Run(`INSERT INTO sessions (session, leased_until, bytes) VALUES (?, ?, 0)
		ON CONFLICT (session) DO UPDATE SET leased_until = max(leased_until, excluded.leased_until)`, session, until)
}

// setLease sets the end of the lease of a session; 0 ends it now.
func (d *db) setLease(session string, until int64) error {
	return d.Run(`INSERT INTO sessions (session, leased_until, bytes) VALUES (?, ?, 0)
		ON CONFLICT (session) DO UPDATE SET leased_until = excluded.leased_until`, session, until)
}

// session returns the end of the lease of a session, zero if it has none, and the size of its artifacts.
func (d *db) session(session string) (until time.Time, bytes int64, err error) {
	var ms int64
	found, err := d.Row("SELECT leased_until, bytes FROM sessions WHERE session = ?", []any{session}, &ms, &bytes)
	if !found || ms == 0 {
		return time.Time{}, bytes, err
	}
	return fromMillis(ms), bytes, nil
}

// entry returns an artifact, without owners.
func (d *db) entry(name string) (e Entry, known bool, err error) {
	e.Name = name
	var stored int64
	var deleted *int64
	var why *string
	known, err = d.Row("SELECT digest, bytes, stored_at, deleted_at, deleted_why FROM artifacts WHERE name = ?", []any{name},
		&e.Digest, &e.Size, &stored, &deleted, &why)
	e.StoredAt, e.Expired = fromMillis(stored), tombstone(deleted, why)
	return e, known, err
}

// tombstone returns the error of a deletion, nil if there was none.
func tombstone(deleted *int64, why *string) *ExpiredError {
	if deleted == nil {
		return nil
	}
	e := &ExpiredError{At: fromMillis(*deleted)}
	if why != nil {
		e.Why = *why
	}
	return e
}

// list returns the artifacts of a session, or of one of its calls if call is not empty, with sequences below one, the
// highest first. It omits those that are only raw.
func (d *db) list(session, call string, below int64, limit int) (list []Entry, err error) {
	err = d.Each(`SELECT u.sequence, u.call, u.name, u.partial, u.stored_at, a.bytes, a.digest, a.deleted_at, a.deleted_why
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
			e.StoredAt, e.Expired = fromMillis(stored), tombstone(deleted, why)
			list = append(list, e)
			return nil
		})
	return list, err
}

// unleased is the condition that artifact a is not deleted and no session with a lease has it. The time is ?1.
const unleased = `a.deleted_at IS NULL AND NOT EXISTS (
	SELECT 1 FROM uses u JOIN sessions s ON s.session = u.session WHERE u.name = a.name AND s.leased_until > ?1)`

// expendable returns artifacts without a lease that were not put since a time, the oldest first. It begins after an
// entry.
func (d *db) expendable(now, before time.Time, after Entry, limit int) (list []Entry, err error) {
	err = d.Each("SELECT a.name, a.bytes, a.digest, a.stored_at FROM artifacts a WHERE a.stored_at < ?2 AND "+unleased+
		" AND (a.stored_at, a.name) > (?3, ?4) ORDER BY a.stored_at, a.name LIMIT ?5",
		[]any{toMillis(now), toMillis(before), toMillis(after.StoredAt), after.Name, limit}, func(scan func(...any) error) error {
			var e Entry
			var stored int64
			if err := scan(&e.Name, &e.Size, &e.Digest, &stored); err != nil {
				return err
			}
			e.StoredAt = fromMillis(stored)
			list = append(list, e)
			return nil
		})
	return list, err
}

// stillExpendable returns those of the entries that were neither put nor leased since they were listed.
func (d *db) stillExpendable(now time.Time, list []Entry) (still []Entry, err error) {
	for _, e := range list {
		is, err := d.Row("SELECT 1 FROM artifacts a WHERE a.name = ?2 AND a.stored_at = ?3 AND "+unleased, []any{toMillis(now), e.Name, toMillis(e.StoredAt)}, new(int))
		if err != nil {
			return nil, err
		}
		if is {
			still = append(still, e)
		}
	}
	return still, nil
}

// missing returns those of the artifacts that are not in the catalog, or there only as a tombstone.
func (d *db) missing(found []artifactstore.StoredArtifact) (list []artifactstore.StoredArtifact, err error) {
	for _, h := range found {
		e, known, err := d.entry(h.Name)
		if err != nil {
			return nil, err
		}
		if !known || e.Expired != nil {
			list = append(list, h)
		}
	}
	return list, nil
}

// setState writes all that is known of a name.
func (d *db) setState(s *storedName) error {
	before, known, err := d.entry(s.Name)
	if err != nil {
		return err
	}
	if s.More {
		return d.addUses(s, before, known)
	}
	if known && before.Expired == nil {
		d.add(-before.Size, -1)
		if err := d.charge(s.Name, -before.Size); err != nil {
			return err
		}
	}
	var deleted, why any
	if s.Deleted > 0 {
		deleted, why = s.Deleted, s.Why
	}
	err = errors.Join(
		d.Run("DELETE FROM uses WHERE name = ?", s.Name),
		d.Run("INSERT OR REPLACE INTO artifacts (name, digest, bytes, stored_at, deleted_at, deleted_why, erased) VALUES (?, ?, ?, ?, ?, ?, ?)",
			s.Name, s.Digest, s.Bytes, s.Stored, deleted, why, s.Erased),
		d.insertUses(s))
	if err != nil || s.Deleted > 0 {
		return err
	}
	d.add(s.Bytes, 1)
	return d.charge(s.Name, s.Bytes)
}

// insertUses writes the owners of a name.
func (d *db) insertUses(s *storedName) error {
	for _, u := range s.Uses {
		if err := d.Run("INSERT OR REPLACE INTO uses (sequence, session, call, name, partial, stored_at, raw) VALUES (?, ?, ?, ?, ?, ?, ?)",
			u.Sequence, u.Session, u.Call, s.Name, u.Partial, u.Stored, u.Raw); err != nil {
			return err
		}
	}
	return nil
}

// addUses writes further owners of a name.
func (d *db) addUses(s *storedName, e Entry, known bool) error {
	if !known || e.Expired != nil {
		return d.insertUses(s)
	}
	return errors.Join(d.charge(s.Name, -e.Size), d.insertUses(s), d.charge(s.Name, e.Size))
}

// entomb writes the tombstone of an artifact, unless it has one.
func (d *db) entomb(name string, at int64, why string) error {
	e, known, err := d.entry(name)
	if err != nil || !known || e.Expired != nil {
		return err
	}
	d.add(-e.Size, -1)
	if err := d.charge(name, -e.Size); err != nil {
		return err
	}
	return d.Run("UPDATE artifacts SET deleted_at = ?, deleted_why = ? WHERE name = ?", at, why, name)
}

// names returns the artifacts that are not deleted, in the order of their names, beginning after one.
func (d *db) names(after string, limit int) ([]string, error) {
	return d.column("SELECT name FROM artifacts WHERE deleted_at IS NULL AND name > ? ORDER BY name LIMIT ?", after, limit)
}

// toErase returns the artifacts with a tombstone whose files may still be there, in the same order.
func (d *db) toErase(after string, limit int) ([]string, error) {
	return d.column("SELECT name FROM artifacts WHERE deleted_at IS NOT NULL AND erased = 0 AND name > ? ORDER BY name LIMIT ?", after, limit)
}

// resize writes the size of a log, unless it is deleted or not there.
func (d *db) resize(name string, size int64) error {
	e, known, err := d.entry(name)
	if !known || err != nil || e.Expired != nil || e.Size == size {
		return err
	}
	d.add(size-e.Size, 0)
	if err := d.charge(name, size-e.Size); err != nil {
		return err
	}
	return d.Run("UPDATE artifacts SET bytes = ? WHERE name = ?", size, name)
}

// removeName removes all that is known of a name.
func (d *db) removeName(name string) error {
	e, known, err := d.entry(name)
	if !known || err != nil {
		return err
	}
	if e.Expired == nil {
		d.add(-e.Size, -1)
		if err := d.charge(name, -e.Size); err != nil {
			return err
		}
	}
	return errors.Join(d.Run("DELETE FROM uses WHERE name = ?", name), d.Run("DELETE FROM artifacts WHERE name = ?", name))
}

// shift moves what was written since a time, and the leases that are not over, ahead. now is before the shift.
func (d *db) shift(since, now, by int64) error {
	d.latest(now + by)
	return errors.Join(
		d.Run("UPDATE artifacts SET stored_at = stored_at + ? WHERE stored_at > ?", by, since),
		d.Run("UPDATE artifacts SET deleted_at = deleted_at + ? WHERE deleted_at > ?", by, since),
		d.Run("UPDATE uses SET stored_at = stored_at + ? WHERE stored_at > ?", by, since),
		d.Run("UPDATE sessions SET leased_until = leased_until + ? WHERE leased_until > ?", by, now))
}

// column returns the one text column of a query.
func (d *db) column(query string, args ...any) (list []string, err error) {
	err = d.Each(query, args, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		list = append(list, text)
		return err
	})
	return list, err
}
