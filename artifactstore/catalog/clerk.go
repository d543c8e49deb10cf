package catalog

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	queue "github.com/toolresult/toolresult/internal/groupcommit"
)

// maxBatch is how many orders one transaction takes at most: they share its sync.
const maxBatch = 256

// clerk does all that is done to the books, on one goroutine. Orders that wait are done in one transaction.
type clerk struct {
	books *books
	queue *queue.Clerk[*order]
	close func() error
	told  func(orders int, waited, took time.Duration) // of what was written; nil: nobody
}

// order is something to be done to the books.
type order struct {
	do func(*books) error
	// then is done once what do wrote is durable, and before any other order.
	then func() error
	done chan error
	at   time.Time // it was given, if somebody is told
}

func newClerk(path string, volatile bool, t *total, told func(orders int, waited, took time.Duration)) (*clerk, error) {
	b, err := openBooks(path, volatile, t)
	if err != nil {
		return nil, err
	}
	c := &clerk{books: b, told: told}
	c.queue = queue.Start(queue.Rules[*order]{Do: c.batch, Most: maxBatch, Last: func(o *order) bool { return o.then != nil }})
	c.close = sync.OnceValue(func() error {
		c.queue.Close()
		return b.Close()
	})
	return c, nil
}

// do has an order done. ctx bounds the time until the clerk takes it; from then on its end is waited for, so that what
// the order writes into variables of the caller is there when do returns.
func (c *clerk) do(ctx context.Context, do func(*books) error) error {
	return c.doThen(ctx, do, nil)
}

func (c *clerk) doThen(ctx context.Context, do func(*books) error, then func() error) error {
	o := &order{do: do, then: then, done: make(chan error, 1)}
	if c.told != nil {
		o.at = time.Now()
	}
	err := c.queue.Give(ctx, o)
	if errors.Is(err, queue.ErrClosed) {
		return artifactstore.ErrClosed
	}
	if err != nil {
		return err
	}
	return failure(<-o.done)
}

// batch does orders in one transaction. One that fails leaves no trace, and the others stand.
func (c *clerk) batch(orders []*order) {
	results := make([]error, len(orders))
	var begin time.Time
	if c.told != nil {
		begin = time.Now()
	}
	err := c.books.transaction(func() error {
		for i, o := range orders {
			results[i] = c.books.attempt(o.do)
		}
		return nil
	})
	if wrote, took := c.books.LastCommit(); c.told != nil && err == nil && wrote {
		c.told(len(orders), begin.Sub(orders[0].at), took)
	}
	for i, o := range orders {
		result := results[i]
		if result == nil {
			result = err
		}
		if result == nil && o.then != nil {
			result = c.books.Guard(o.then)
		}
		o.done <- result
	}
}
