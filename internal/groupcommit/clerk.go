// Package groupcommit is one goroutine that does what many callers order, one order after the other. All orders that
// wait are done as one batch, so that callers share what a batch costs, such as a sync; and an order that finds
// nobody before it waits for nobody.
package groupcommit

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrClosed means that the clerk takes no orders any more.
var ErrClosed = errors.New("closed")

// Rules say how a clerk works.
type Rules[O any] struct {
	// Do does the orders of a batch. Required.
	Do func(batch []O)
	// Most is how many orders a batch has at most. Required.
	Most int
	// Last reports whether an order must be the last one of its batch; nil: none must.
	Last func(O) bool
}

// Clerk takes orders. All methods may be called at once.
type Clerk[O any] struct {
	rules   Rules[O]
	orders  chan O
	waiting atomic.Int64
	closed  chan struct{} // no order is taken any more
	ended   chan struct{}
	once    sync.Once
}

// Start starts the goroutine. Close it.
func Start[O any](r Rules[O]) *Clerk[O] {
	c := &Clerk[O]{rules: r, orders: make(chan O), closed: make(chan struct{}), ended: make(chan struct{})}
	go c.work()
	return c
}

// Give waits until the clerk takes an order, and not until it is done. After an error the clerk has not taken it: that
// of ctx, or ErrClosed.
func (c *Clerk[O]) Give(ctx context.Context, o O) error {
	c.waiting.Add(1)
	defer c.waiting.Add(-1)
	select {
	case c.orders <- o:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return ErrClosed
	}
}

// Waiting is how many orders wait to be taken.
func (c *Clerk[O]) Waiting() int { return int(c.waiting.Load()) }

// Close takes no further orders, and returns when those that were taken are done.
func (c *Clerk[O]) Close() {
	c.once.Do(func() { close(c.closed) })
	<-c.ended
}

func (c *Clerk[O]) work() {
	defer close(c.ended)
	busy := false // the last batch was of several
	for {
		select {
		case o := <-c.orders:
			batch := c.with(o, busy)
			busy = len(batch) > 1
			c.rules.Do(batch)
		case <-c.closed:
			return
		}
	}
}

// with collects the orders that wait. While there are several callers it lets those run that are about to come, or the
// first of them would have a batch of its own, and all others would wait for it.
func (c *Clerk[O]) with(first O, busy bool) []O {
	batch := c.collect([]O{first})
	for before := 0; busy && len(batch) > before; {
		before = len(batch)
		runtime.Gosched()
		batch = c.collect(batch)
	}
	return batch
}

func (c *Clerk[O]) collect(batch []O) []O {
	for len(batch) < c.rules.Most && !c.isLast(batch[len(batch)-1]) {
		select {
		case o := <-c.orders:
			batch = append(batch, o)
		default:
			return batch
		}
	}
	return batch
}

func (c *Clerk[O]) isLast(o O) bool { return c.rules.Last != nil && c.rules.Last(o) }
