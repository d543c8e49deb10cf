package catalog

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/groupcommit"
)

// maxBatch is the largest number of operations in one transaction, which share its sync.
const maxBatch = 256

// writer runs every operation on the database, on one goroutine. Operations that wait share a transaction.
type writer struct {
	db       *db
	queue    *groupcommit.Worker[*txn]
	close    func() error
	onCommit func(operations int, waited, took time.Duration) // may be nil
	failed   func(error)                                      // is called with each error of the database
}

// txn is one operation on the database.
type txn struct {
	do func(*db) error
	// then runs after the writes of do are durable, and before any other operation. It may be nil.
	then      func() error
	done      chan error
	submitted time.Time // zero if onCommit is nil
}

func startWriter(path string, volatile bool, t *total, onCommit func(operations int, waited, took time.Duration), failed func(error)) (*writer, error) {
	d, err := openDB(path, volatile, t)
	if err != nil {
		return nil, err
	}
	w := &writer{db: d, onCommit: onCommit, failed: failed}
	w.queue = groupcommit.Start(groupcommit.Options[*txn]{
		Commit: w.commit, MaxBatch: maxBatch, ClosesBatch: func(t *txn) bool { return t.then != nil },
	})
	w.close = sync.OnceValue(func() error {
		w.queue.Close()
		return d.Close()
	})
	return w, nil
}

// do runs an operation. ctx bounds the time until the writer takes it. From then on do waits for its end, so that
// variables of the caller which the operation assigns have their values when do returns.
func (w *writer) do(ctx context.Context, do func(*db) error) error {
	return w.doThen(ctx, do, nil)
}

// doThen is do with a function that runs after the commit.
func (w *writer) doThen(ctx context.Context, do func(*db) error, then func() error) error {
	t := &txn{do: do, then: then, done: make(chan error, 1)}
	if w.onCommit != nil {
		t.submitted = time.Now()
	}
	err := w.queue.Submit(ctx, t)
	if errors.Is(err, groupcommit.ErrClosed) {
		return artifactstore.ErrClosed
	}
	if err != nil {
		return err
	}
	err = failure(<-t.done)
	w.failed(err)
	return err
}

// commit runs a batch in one transaction. An operation that fails is undone; the others are committed.
func (w *writer) commit(batch []*txn) {
	results := make([]error, len(batch))
	var begin time.Time
	if w.onCommit != nil {
		begin = time.Now()
	}
	err := w.db.transaction(func() error {
		for i, t := range batch {
			results[i] = w.db.attempt(t.do)
		}
		return nil
	})
	if wrote, took := w.db.LastCommit(); w.onCommit != nil && err == nil && wrote {
		w.onCommit(len(batch), begin.Sub(batch[0].submitted), took)
	}
	for i, t := range batch {
		result := results[i]
		if result == nil {
			result = err
		}
		if result == nil && t.then != nil {
			result = w.db.Guard(t.then)
		}
		t.done <- result
	}
}
