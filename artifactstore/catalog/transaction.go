package catalog

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/journal"
)

// Transaction is what one call puts. It is claimed, and small artifacts are durable, when the transaction is committed: with one append to
// the journal, together with what else the call appends. Until then its artifacts cannot be read. Safe for concurrent use.
type Transaction struct {
	catalog *Catalog

	mu       sync.Mutex
	puts     []claimed
	names    []string // that are pinned
	reserved int64    // bytes
	ended    bool
}

// claimed is an artifact of a transaction.
type claimed struct {
	owner Owner
	ref   artifactstore.Ref
	small artifactstore.Reservation // nil: it is in the store, durably
	bytes []byte                    // of a small one that is not
}

// smallBytes is the largest artifact that is in the journal until its file is durable, in bytes.
const smallBytes = 256 << 10

// Begin begins a transaction. Discard it in the end.
func (c *Catalog) Begin() *Transaction { return &Transaction{catalog: c} }

// SinkFor returns a sink for an owner. What is put is durable when the transaction is committed.
//
// Errors of Put, beside those of [artifactstore.Sink]: ErrQuota, ErrSessionQuota, ErrRace, ErrCatalogUnreadable.
func (t *Transaction) SinkFor(o Owner) artifactstore.Sink { return transactionSink{t, o} }

// transactionSink is a Sink of a transaction.
type transactionSink struct {
	*Transaction
	owner Owner
}

// Put puts a blob.
func (s transactionSink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	return s.put(ctx, s.owner, b)
}

// put puts a blob for an owner.
func (t *Transaction) put(ctx context.Context, o Owner, b artifactstore.Blob) (artifactstore.Ref, error) {
	c := t.catalog
	if o.Raw {
		c.rawSince.Store(true)
	}
	if err := c.admit(ctx, o.Session, b.Size()); err != nil {
		return artifactstore.Ref{}, fmt.Errorf("artifact of %d bytes: %w", b.Size(), err)
	}
	t.mu.Lock()
	t.reserved += b.Size()
	t.mu.Unlock()
	one, err := c.bring(ctx, o, b)
	if err != nil {
		c.noteFailure(err)
		return artifactstore.Ref{}, err
	}
	one.owner = o
	t.mu.Lock()
	defer t.mu.Unlock()
	t.puts, t.names = append(t.puts, one), append(t.names, one.ref.Name)
	return one.ref, nil
}

// bring brings a blob into the store and pins its name. A small one is reserved, if the store can do that, but for one that is raw: what
// was redacted is never in the journal.
func (c *Catalog) bring(ctx context.Context, o Owner, b artifactstore.Blob) (claimed, error) {
	if store, can := c.store.(artifactstore.Reserver); can && b.Size() <= smallBytes && !o.Raw {
		content, err := artifactstore.Content(b)
		if err != nil {
			return claimed{}, err
		}
		r, err := store.Reserve(ctx, content)
		if err != nil {
			return claimed{}, err
		}
		c.pins.pin(r.Ref().Name)
		return claimed{ref: r.Ref(), small: r, bytes: content}, nil
	}
	for range maxRaces {
		ref, err := c.store.Put(ctx, b)
		if err != nil {
			return claimed{}, err
		}
		c.pins.pin(ref.Name) // from here on no collection deletes it
		has, err := c.store.Has(ctx, ref.Name)
		if has && err == nil {
			return claimed{ref: ref}, nil
		}
		if c.pins.free([]string{ref.Name}); err != nil {
			return claimed{}, err
		}
	}
	return claimed{}, ErrRace
}

// Commit makes what was put durable and claims it. with appends it to the journal, together with what the caller adds; nil: the
// transaction is all there is. When it fails nothing is claimed.
func (t *Transaction) Commit(ctx context.Context, with func(context.Context, journal.Append) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.catalog
	if with == nil {
		if len(t.puts) == 0 {
			return nil
		}
		with = func(ctx context.Context, a journal.Append) error { return failure(c.journal.Append(ctx, a)) }
	}
	c.order.RLock()
	defer c.order.RUnlock()
	if c.closed {
		return artifactstore.ErrClosed
	}
	a, claim := t.entries()
	if err := with(ctx, a); err != nil {
		c.noteFailure(err)
		return err
	}
	if claim != nil {
		c.usage.until(claim.Number, t.reserved)
		t.reserved = 0
	}
	return t.keep()
}

// entries returns what a transaction appends, and the entry of its change; nil: it has none.
func (t *Transaction) entries() (a journal.Append, claim *journal.Entry) {
	if len(t.puts) == 0 {
		return a, nil
	}
	ch := t.catalog.newChange()
	for i := range t.puts {
		p := &t.puts[i]
		if p.small != nil && !p.small.Stored() {
			a.Entries = append(a.Entries, journal.NewEntry(journal.Temporary, temporary(p.ref.Name, p.bytes)))
		}
		ch.Put = append(ch.Put, t.catalog.putOf(p.owner, p.ref, fromMillis(ch.At)))
	}
	claim = ch.entry()
	a.Entries = append(a.Entries, claim)
	return a, claim
}

// keep gives small artifacts their names, now that the journal has them. If that fails, the next start does it.
func (t *Transaction) keep() error {
	var errs []error
	for i := range t.puts {
		if r := t.puts[i].small; r != nil {
			errs = append(errs, r.Keep())
		}
	}
	err := errors.Join(errs...)
	if err != nil {
		t.catalog.unkept.Store(true)
		err = fmt.Errorf("%w: %w", ErrCatalogUnreadable, err)
		t.catalog.noteFailure(err)
	}
	return err
}

// Discard ends the transaction. What was not committed is not claimed. Only the first call has an effect.
func (t *Transaction) Discard() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.ended = true
	for i := range t.puts {
		if r := t.puts[i].small; r != nil {
			r.Release()
		}
	}
	t.catalog.pins.free(t.names)
	t.catalog.usage.add(-t.reserved)
}
