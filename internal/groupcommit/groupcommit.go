// Package groupcommit runs submitted operations on one goroutine and commits all that are queued as one batch.
//
// Callers share what a batch costs, such as a sync of the disk. An idle worker runs an operation at once, as a batch
// of its own, so a single caller does not wait for others. Databases do the same with their log, under the same name: see
// DeWitt et al., "Implementation Techniques for Main Memory Database Systems", SIGMOD 1984, section 5.2.
package groupcommit

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrClosed means that the worker was closed before it took the operation.
var ErrClosed = errors.New("closed")

// Options configure a Worker for operations of type T.
type Options[T any] struct {
	// Commit runs the operations of a batch, in their order. The worker calls it for one batch after the other.
	// Required.
	Commit func(batch []T)
	// MaxBatch is the largest number of operations in a batch. Required.
	MaxBatch int
}

// Worker commits submitted operations in batches. Safe for concurrent use.
type Worker[T any] struct {
	options Options[T]
	// submitted is not buffered: an operation that was sent is certain to run, and the callers that wait are the
	// queue.
	submitted chan T
	waiting   atomic.Int64
	closed    chan struct{} // closed by Close
	ended     chan struct{} // closed when the goroutine has ended
	once      sync.Once
}

// Start starts the goroutine of a Worker, which runs until Close.
func Start[T any](o Options[T]) *Worker[T] {
	w := &Worker[T]{options: o, submitted: make(chan T), closed: make(chan struct{}), ended: make(chan struct{})}
	go w.run()
	return w
}

// Submit waits until the worker takes an operation. It does not wait until the operation is committed.
//
// After an error the operation is not run. Errors: that of ctx; ErrClosed.
func (w *Worker[T]) Submit(ctx context.Context, operation T) error {
	w.waiting.Add(1)
	defer w.waiting.Add(-1)
	select {
	case w.submitted <- operation:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closed:
		return ErrClosed
	}
}

// Waiting returns the number of callers that wait in Submit.
func (w *Worker[T]) Waiting() int { return int(w.waiting.Load()) }

// Close stops the worker and returns once everything that it took is committed. Calls after the first wait too.
func (w *Worker[T]) Close() {
	w.once.Do(func() { close(w.closed) })
	<-w.ended
}

// run commits batches until Close. What was submitted before is committed, because Submit hands over in one step.
func (w *Worker[T]) run() {
	defer close(w.ended)
	busy := false // whether the last batch had several operations
	for {
		select {
		case first := <-w.submitted:
			batch := w.batch(first, busy)
			busy = len(batch) > 1
			w.options.Commit(batch)
		case <-w.closed:
			return
		}
	}
}

// batch collects a batch that begins with an operation. While several callers are active it yields the processor to
// those that were answered just now and are about to submit again. Otherwise the fastest of them would get a batch of
// its own, and all others would wait for it.
func (w *Worker[T]) batch(first T, busy bool) []T {
	batch := w.collect([]T{first})
	for before := 0; busy && len(batch) > before; {
		before = len(batch)
		runtime.Gosched()
		batch = w.collect(batch)
	}
	return batch
}

// collect adds the operations that wait now, up to the largest batch.
func (w *Worker[T]) collect(batch []T) []T {
	for len(batch) < w.options.MaxBatch {
		select {
		case operation := <-w.submitted:
			batch = append(batch, operation)
		default:
			return batch
		}
	}
	return batch
}
