package library

import (
	"context"
	"sync"

	"github.com/toolresult/toolresult/artifactstore"
)

// maxBatch is how many orders one transaction takes at most: they share its sync.
const maxBatch = 256

// clerk does all that is done to the books, on one goroutine. Orders that wait are done in one transaction.
type clerk struct {
	books  *books
	orders chan *order
	closed chan struct{} // no order is taken any more
	ended  chan struct{}
	once   sync.Once
	err    error // of closing
}

// order is something to be done to the books.
type order struct {
	do func(*books) error
	// then is done once what do wrote is durable, and before any other order.
	then func() error
	done chan error
}

func newClerk(path string, volatile bool, t *total) (*clerk, error) {
	b, err := openBooks(path, volatile, t)
	if err != nil {
		return nil, err
	}
	c := &clerk{books: b, orders: make(chan *order), closed: make(chan struct{}), ended: make(chan struct{})}
	go c.work()
	return c, nil
}

// do has an order done. ctx bounds the time until the clerk takes it; from then on its end is waited for, so that what
// the order writes into variables of the caller is there when do returns.
func (c *clerk) do(ctx context.Context, do func(*books) error) error {
	return c.doThen(ctx, do, nil)
}

func (c *clerk) doThen(ctx context.Context, do func(*books) error, then func() error) error {
	o := &order{do, then, make(chan error, 1)}
	select {
	case c.orders <- o:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return artifactstore.ErrClosed
	}
	return <-o.done
}

func (c *clerk) close() error {
	c.once.Do(func() {
		close(c.closed)
		<-c.ended
		c.err = c.books.close()
	})
	return c.err
}

func (c *clerk) work() {
	defer close(c.ended)
	for {
		select {
		case o := <-c.orders:
			c.batch(c.waiting(o))
		case <-c.closed:
			return
		}
	}
}

// waiting collects the orders that wait, up to the first that has something to be done after it.
func (c *clerk) waiting(first *order) []*order {
	batch := []*order{first}
	for len(batch) < maxBatch && batch[len(batch)-1].then == nil {
		select {
		case o := <-c.orders:
			batch = append(batch, o)
		default:
			return batch
		}
	}
	return batch
}

// batch does orders in one transaction. One that fails leaves no trace, and the others stand.
func (c *clerk) batch(orders []*order) {
	results := make([]error, len(orders))
	err := c.books.transaction(func() error {
		for i, o := range orders {
			results[i] = c.books.attempt(o.do)
		}
		return nil
	})
	for i, o := range orders {
		result := results[i]
		if result == nil {
			result = err
		}
		if result == nil && o.then != nil {
			result = c.books.guarded(func(*books) error { return o.then() })
		}
		o.done <- result
	}
}
