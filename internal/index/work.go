package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// work writes entries and asks, until Close.
func (x *Index) work() {
	defer close(x.ended)
	for retry := minRetry; x.waitForWork(); {
		if err := x.turn(); err == nil {
			retry = minRetry
			continue
		}
		x.pause(retry)
		retry = min(2*retry, maxRetry)
	}
	for until, waits := time.Now().Add(closePause), true; waits; { // what is left is read from the journal at the next start
		err := x.turn()
		x.mu.Lock()
		if waits = (len(x.queue) > 0 || x.behind) && err == nil && time.Now().Before(until); !waits {
			reject(x.requests, ErrClosed)
		}
		x.mu.Unlock()
	}
}

// waitForWork waits until there is something to do; false: the index is closed.
func (x *Index) waitForWork() bool {
	var due <-chan time.Time
	for {
		x.mu.Lock()
		closed, some, now := x.closed, len(x.queue) > 0, len(x.requests) > 0 || x.behind || len(x.queue) >= batchEntries
		x.mu.Unlock()
		switch {
		case closed:
			return false
		case now:
			return true
		case some && due == nil:
			due = time.After(maxPause)
		}
		select {
		case <-x.wake:
		case <-due:
			return true
		}
	}
}

// pause waits for a while, or until the index is closed.
func (x *Index) pause(d time.Duration) {
	for until := time.After(d); ; {
		select {
		case <-x.wake:
			x.mu.Lock()
			closed := x.closed
			x.mu.Unlock()
			if closed {
				return
			}
		case <-until:
			return
		}
	}
}

// turn writes the entries that wait, in one transaction with the questions that they suffice for.
func (x *Index) turn() error {
	if due := x.inMemory && !x.returnAt.IsZero() && time.Now().After(x.returnAt); due && x.comeBack() || x.db == nil {
		x.again(nil)
	}
	if x.db == nil {
		return x.failed(errNone, nil)
	}
	x.mu.Lock()
	entries, behind, requests := x.queue, x.behind, x.requests
	x.requests = nil
	x.mu.Unlock()
	entries = entries[:min(len(entries), maxTransaction)]
	missed := behind && len(entries) == 0
	if missed {
		var err error
		if entries, err = x.missed(); err != nil {
			return x.failed(err, requests)
		}
	}
	left, err := x.store(entries, requests)
	if err != nil {
		return x.failed(err, left)
	}
	x.failures = 0
	x.mu.Lock()
	defer x.mu.Unlock()
	x.requests = append(left, x.requests...)
	if !missed {
		for _, e := range entries {
			x.queued -= len(e.Data)
		}
		x.queue = append([]*journal.Entry(nil), x.queue[len(entries):]...)
	} else {
		x.behind = x.applied.Load() < x.fed
		x.progress(x.applied.Load(), x.fed, x.behind)
	}
	return nil
}

// progress logs how many entries of the journal were read, from time to time, and the end of what took that long.
func (x *Index) progress(done, total uint64, more bool) {
	text := "the index is being made of the journal"
	switch now := time.Now(); {
	case more && x.said.IsZero():
		x.said = now
		return
	case more && now.Sub(x.said) < x.o.Progress:
		return
	case more:
		x.said, x.saying = now, true
	case !x.saying: // it took no time to speak of
		x.said = time.Time{}
		return
	default:
		text = "the index has all entries"
		x.said, x.saying = time.Time{}, false
	}
	x.o.Logger.Info(text, slog.String("index", x.o.Path), slog.Uint64("done", done), slog.Uint64("of", total))
}

// missed reads the next entries from the journal: as many as one transaction takes.
func (x *Index) missed() (list []*journal.Entry, err error) {
	size := 0
	err = x.o.Journal.Each(context.Background(), x.o.Stream, x.applied.Load()+1, func(e *journal.Entry) error {
		list = append(list, e)
		if size += len(e.Data); size > maxQueued || len(list) == maxTransaction {
			return errEnough
		}
		return nil
	}, func(d journal.Damage) error {
		x.o.Logger.Error("entries of the journal are damaged, and not in the index", slog.String("stream", d.Stream.String()),
			slog.Uint64("first", d.First), slog.Uint64("last", d.Last), slog.String("why", d.Reason))
		if x.o.Damaged != nil {
			x.o.Damaged(d)
		}
		list = append(list, &journal.Entry{Stream: d.Stream, Number: d.Last}) // it is passed over
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, err
}

// errEnough ends reading.
var errEnough = errors.New("enough")

// store writes entries, and asks what they suffice for. It returns the questions that wait for later entries or, with an error, those
// that were not asked.
func (x *Index) store(entries []*journal.Entry, requests []*request) (left []*request, err error) {
	last := x.applied.Load()
	writes := slices.ContainsFunc(requests, func(r *request) bool { return r.writes })
	if len(entries) == 0 && !writes {
		return stored(ask(x.db, requests, last), last), nil
	}
	if len(entries) > 0 {
		last = entries[len(entries)-1].Number
	}
	apply := x.apply
	for {
		err = x.db.Transaction(func() error {
			if x.o.Begin != nil {
				x.o.Begin()
			}
			if err := apply(entries); err != nil {
				return err
			}
			if x.o.End != nil {
				if err := x.o.End(x.db); err != nil {
					return err
				}
			}
			if len(entries) > 0 {
				if err := x.note(entries[len(entries)-1]); err != nil {
					return err
				}
			}
			requests = ask(x.db, requests, last)
			return nil
		})
		if !errors.Is(err, errEntry) {
			break
		}
		apply = x.applySingly
	}
	if err != nil {
		return requests, err
	}
	if x.o.Stored != nil {
		x.o.Stored(x.db, last)
	}
	x.applied.Store(last) // from here on who reads does not wait
	return stored(requests, last), nil
}

// ask asks the questions for which the entries up to last suffice, and returns the others.
func ask(db *sqlitedb.DB, requests []*request, last uint64) (left []*request) {
	for _, r := range requests {
		if r.number > last || r.ask == nil {
			left = append(left, r)
		} else if r.taken.CompareAndSwap(false, true) {
			r.err = r.ask(db)
			close(r.done)
		}
	}
	return left
}

// stored answers who waited until the entries up to last are stored, and returns the other requests.
func stored(requests []*request, last uint64) (left []*request) {
	for _, r := range requests {
		if r.number > last || r.ask != nil {
			left = append(left, r)
		} else if r.taken.CompareAndSwap(false, true) {
			close(r.done)
		}
	}
	return left
}

// errEntry means that an entry cannot be written, and not that the database fails.
var errEntry = errors.New("an entry of the journal does not fit into the index")

// apply writes entries.
func (x *Index) apply(entries []*journal.Entry) error {
	for _, e := range entries {
		if e.Data == nil {
			continue
		}
		if err := x.o.Apply(x.db, e); isOfEntry(err) {
			return errors.Join(errEntry, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// applySingly writes entries, without those that do not fit.
func (x *Index) applySingly(entries []*journal.Entry) error {
	for _, e := range entries {
		if e.Data == nil {
			continue
		}
		err := x.db.Attempt(func() error { return x.o.Apply(x.db, e) })
		if isOfEntry(err) {
			x.o.Logger.Error("an entry of the journal does not fit into the index", slog.String("stream", e.Stream.String()),
				slog.Uint64("number", e.Number), slog.Any("error", err))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// isOfEntry reports whether an error is about the entry that was written, and not about the database.
func isOfEntry(err error) bool {
	for _, of := range []error{nil, sqlitedb.ErrFull, sqlitedb.ErrReadOnly, sqlitedb.ErrUnreadable, sqlitedb.ErrFailed, sqlitedb.ErrTransient} {
		if err == of || of != nil && errors.Is(err, of) {
			return false
		}
	}
	return true
}

// errNone means that not even a database in memory could be made.
var errNone = fmt.Errorf("there is no index: %w", sqlitedb.ErrFailed)

// failed answers questions with an error of the database. One that is damaged is made again, and one whose file cannot be written is made
// in memory; then the questions wait for it.
func (x *Index) failed(err error, requests []*request) error {
	broken := errors.Is(err, sqlitedb.ErrUnreadable) || errors.Is(err, sqlitedb.ErrFailed)
	name := slog.String("index", x.o.Path)
	var left error
	switch {
	case broken && !errors.Is(err, sqlitedb.ErrVanished):
		x.o.Logger.Error("the index is damaged, and is made again from the journal", name, slog.Any("error", err))
		if left = x.remake(); left != nil && x.o.Path != "" {
			left = x.retreat(left)
		}
	case x.o.Path == "" || x.inMemory || !broken && !isForNow(err):
		x.o.Logger.Warn("the index could not be written; it is tried again", name, slog.Any("error", err))
		reject(requests, err)
		return err
	case errors.Is(err, sqlitedb.ErrTransient) && x.failures < maxFailures:
		x.failures++
		x.mu.Lock()
		x.requests = append(requests, x.requests...)
		x.mu.Unlock()
		return err
	default:
		left = x.retreat(err)
	}
	if left != nil {
		x.o.Logger.Error("the index could not be made again", name, slog.Any("error", left))
		reject(requests, left)
		return left
	}
	x.again(requests)
	return nil
}

// again lets everything be read from the journal, now that the database is another one. The requests wait for it.
func (x *Index) again(requests []*request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.requests = append(requests, x.requests...)
	x.queue, x.queued, x.behind = nil, 0, true
}

// reject answers questions with an error.
func reject(requests []*request, err error) {
	for _, r := range requests {
		if r.taken.CompareAndSwap(false, true) {
			r.err = err
			close(r.done)
		}
	}
}
