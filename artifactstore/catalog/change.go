package catalog

// Changes: what the catalog appends to the journal, as JSON. The index is made of them, in their order.

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/journal"
)

// change is an entry of the catalog. All times are in milliseconds since 1970. internal/journal/format.md has the members.
type change struct {
	// At is the time of the catalog, by which things end.
	At int64 `json:"at"`
	// Ahead is since when the clock is not believed; 0: it is.
	Ahead int64 `json:"ahead_since,omitempty"`

	Put      []putChange  `json:"put,omitempty"`      // artifacts that were put
	Found    []foundOne   `json:"found,omitempty"`    // artifacts that were found in the store and nobody put
	Leases   []lease      `json:"lease,omitempty"`    // of sessions
	Deleted  []deletion   `json:"deleted,omitempty"`  // tombstones
	Erased   []string     `json:"erased,omitempty"`   // deleted artifacts whose files are gone
	Revived  []foundOne   `json:"revived,omitempty"`  // deleted logs that are there after all
	Resized  []foundOne   `json:"resized,omitempty"`  // logs
	Finished []string     `json:"finished,omitempty"` // logs that have become artifacts
	Shift    *shift       `json:"shift,omitempty"`    // the clock is believed again
	States   []storedName `json:"state,omitempty"`    // all that is known of a name, in the place of what was said before
	Sessions []lease      `json:"sessions,omitempty"` // leases, in the place of what was said before
	// Of is what States, or Sessions, has all of.
	Of      *span    `json:"of,omitempty"`
	Carried *carried `json:"carried,omitempty"`

	known *forgotten // by who appends it: the index has all of it but this; nil: it may not
}

// span is a part of the names, or of the sessions, in their order. What is not listed is forgotten.
type span struct {
	Sessions bool   `json:"sessions,omitempty"` // it is of sessions
	After    string `json:"after"`
	To       string `json:"to,omitempty"` // and this one; empty: up to the end
}

// forgotten is what a span does not list and the index has.
type forgotten struct{ names, sessions []string }

// carried says that the changes up to one are not needed any more: those behind them say all of it.
type carried struct {
	Until uint64 `json:"until"`
	Bytes int64  `json:"bytes"` // of the changes behind them
}

// putChange is an artifact that an owner put.
type putChange struct {
	Name    string `json:"name"`
	Digest  string `json:"digest,omitempty"`
	Bytes   int64  `json:"bytes"`
	Session string `json:"session,omitempty"`
	Call    string `json:"call,omitempty"`
	Partial bool   `json:"partial,omitempty"`
	Raw     bool   `json:"raw,omitempty"`
	// Until is the end of the session's lease, which is not shortened.
	Until int64 `json:"leased_until,omitempty"`
}

// foundOne is an artifact of nobody, or the size of one.
type foundOne struct {
	Name   string `json:"name"`
	Digest string `json:"digest,omitempty"`
	Bytes  int64  `json:"bytes"`
	Stored int64  `json:"stored_at,omitempty"`
	Used   bool   `json:"used,omitempty"` // nobody put it
	Raw    bool   `json:"raw,omitempty"`
}

// lease is the end of a session's lease.
type lease struct {
	Session string `json:"session"`
	Until   int64  `json:"leased_until"` // 0: it has none
	// Set says that it may become shorter.
	Set bool `json:"set,omitempty"`
}

// deletion is the tombstone of an artifact.
type deletion struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// shift moves what was written since a time ahead, and the leases that are not over.
type shift struct {
	Since int64 `json:"since"`
	By    int64 `json:"by"`
}

// storedName is all that is known of a name.
type storedName struct {
	Name    string      `json:"name"`
	Digest  string      `json:"digest,omitempty"`
	Bytes   int64       `json:"bytes"`
	Stored  int64       `json:"stored_at"`
	Deleted int64       `json:"deleted_at,omitempty"`
	Why     string      `json:"why,omitempty"`
	Erased  bool        `json:"erased,omitempty"`
	Uses    []storedUse `json:"uses,omitempty"`
	// More says that the uses are further ones of a name that was said before, and the rest is nothing.
	More bool `json:"more,omitempty"`
}

// storedUse is an owner of a name.
type storedUse struct {
	Sequence int64  `json:"sequence"`
	Session  string `json:"session,omitempty"`
	Call     string `json:"call,omitempty"`
	Partial  bool   `json:"partial,omitempty"`
	Stored   int64  `json:"stored_at"`
	Raw      bool   `json:"raw,omitempty"`
}

// entry returns the entry of a change.
func (c *change) entry() *journal.Entry {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // it has only texts, numbers and lists of those
	}
	e := journal.NewEntry(journal.Catalog, b)
	e.Note = c
	return e
}

// readChange reads the change of an entry.
func readChange(e *journal.Entry) (*change, error) {
	if c, ok := e.Note.(*change); ok {
		return c, nil
	}
	c := &change{}
	if err := json.Unmarshal(e.Data, c); err != nil {
		return nil, fmt.Errorf("change %d of the catalog: %w", e.Number, err)
	}
	return c, nil
}

// newChange returns a change without content, of now.
func (c *Catalog) newChange() *change {
	ch := &change{At: toMillis(c.clock.now())}
	if c.clock.isAhead() {
		ch.Ahead = toMillis(c.clock.since)
	}
	return ch
}

// putOf returns the change of an artifact that an owner put.
func (c *Catalog) putOf(o Owner, ref artifactstore.Ref, now time.Time) putChange {
	p := putChange{Name: ref.Name, Digest: ref.Digest, Bytes: ref.Size, Session: o.Session, Call: o.Call, Partial: o.Partial, Raw: o.Raw}
	if o.Session != "" {
		p.Until = toMillis(now.Add(c.options.SessionLease))
	}
	return p
}

// apply writes a change into the index.
func apply(d *db, e *journal.Entry) error {
	ch, err := readChange(e)
	if err != nil {
		return err
	}
	d.latest(ch.At)
	d.sum.changes += int64(len(e.Data))
	d.sequence = int64(e.Number) << sequenceBits
	return ch.apply(d)
}

// sequenceBits gives each entry 1<<sequenceBits places in List, so that places are the same whenever the index is made again.
const sequenceBits = 20

// apply writes a change, in a fixed order of its members.
func (c *change) apply(d *db) error {
	for _, step := range []func(*db) error{
		c.applySpan, c.applyStates, c.applyFound, c.applyPut, c.applyLeases, c.applyDeleted, c.applyLogs, c.applyMarks,
	} {
		if err := step(d); err != nil {
			return err
		}
	}
	if c.Carried != nil {
		d.sum.carried, d.sum.changes = c.Carried, c.Carried.Bytes
	}
	if c.Shift == nil {
		return nil
	}
	return d.shift(c.Shift.Since, c.At, c.Shift.By)
}

func (c *change) applyPut(d *db) error {
	for i := range c.Put {
		p := &c.Put[i]
		if p.Session != "" {
			if err := d.lease(p.Session, p.Until); err != nil {
				return err
			}
		}
		if err := d.insert(p.Name, p.Digest, p.Bytes, c.At); err != nil {
			return err
		}
		if err := d.addUse(p, c.At); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) applyFound(d *db) error {
	for i := range c.Found {
		f := &c.Found[i]
		if err := d.insert(f.Name, f.Digest, f.Bytes, f.Stored); err != nil {
			return err
		}
		if !f.Used {
			continue
		}
		if err := d.addFound(f.Name, f.Stored, f.Raw); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) applyLeases(d *db) error {
	for _, l := range c.Leases {
		set := d.lease
		if l.Set {
			set = d.setLease
		}
		if err := set(l.Session, l.Until); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) applyDeleted(d *db) error {
	for _, x := range c.Deleted {
		if err := d.entomb(x.Name, c.At, x.Why); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) applyLogs(d *db) error {
	for _, r := range c.Revived {
		if err := d.insert(r.Name, r.Digest, r.Bytes, c.At); err != nil {
			return err
		}
	}
	for _, r := range c.Resized {
		if err := d.resize(r.Name, r.Bytes); err != nil {
			return err
		}
	}
	for _, name := range c.Finished {
		if err := d.removeName(name); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) applyMarks(d *db) error {
	for _, name := range c.Erased {
		if err := d.Run("UPDATE artifacts SET erased = 1 WHERE name = ? AND deleted_at IS NOT NULL", name); err != nil {
			return err
		}
	}
	return nil
}

// applySpan forgets what a span does not list.
func (c *change) applySpan(d *db) error {
	if c.Of == nil {
		return nil
	}
	gone := c.known
	if gone == nil {
		var err error
		if gone, err = d.unlisted(c); err != nil {
			return err
		}
	}
	for _, name := range gone.names {
		if err := d.removeName(name); err != nil {
			return err
		}
	}
	for _, session := range gone.sessions {
		if err := d.Run("DELETE FROM sessions WHERE session = ?", session); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) applyStates(d *db) error {
	if c.known != nil {
		return nil
	}
	for _, l := range c.Sessions {
		if err := d.setLease(l.Session, l.Until); err != nil {
			return err
		}
	}
	for i := range c.States {
		if err := d.setState(&c.States[i]); err != nil {
			return err
		}
	}
	return nil
}
