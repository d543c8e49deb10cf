package mcpproxy

import (
	"bytes"
	"context"
	"sync"
)

// kind is what is done with the answer to a request.
type kind int

const (
	plain      kind = iota // nothing
	toolCall               // a large text becomes a receipt
	toolList               // our tool is added
	initialize             // the server says what it can
	ours                   // the proxy answers
)

// call is a request of the client that has no answer yet.
type call struct {
	kind      kind
	id        []byte // as the client wrote it
	tool      string // that is called
	cancelled bool   // by the client: there may be no answer
	cancel    context.CancelFunc
}

// calls are the requests that have no answer yet, by their ids. Safe for concurrent use.
type calls struct {
	mu      sync.Mutex
	list    map[string]*call
	changed chan struct{} // closed when a call leaves
}

func newCalls() *calls { return &calls{list: map[string]*call{}, changed: make(chan struct{})} }

// add adds a request. Of an id that is there already, which no client should use, the answers stay as they are.
func (c *calls) add(k call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := idKey(k.id)
	k.id = bytes.Clone(k.id)
	if c.list[key] != nil {
		k.kind = plain
	}
	c.list[key] = &k
}

// take removes the request that an answer is for; the zero call for none.
func (c *calls) take(id []byte) call {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := idKey(id)
	k := c.list[key]
	if k == nil {
		return call{}
	}
	delete(c.list, key)
	c.signal()
	return *k
}

// signal wakes who waits. Called under the lock.
func (c *calls) signal() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// cancel notes that the client does not wait for a request. It reports whether it was ours to answer.
func (c *calls) cancel(id []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.list[idKey(id)]
	if k == nil {
		return false
	}
	k.cancelled = true
	if k.cancel != nil {
		k.cancel()
	}
	c.signal()
	return k.kind == ours
}

// drain waits until every request has its answer or is cancelled.
func (c *calls) drain(ctx context.Context) {
	for {
		c.mu.Lock()
		waiting, changed := false, c.changed
		for _, k := range c.list {
			waiting = waiting || !k.cancelled
		}
		c.mu.Unlock()
		if !waiting {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// takeAll removes all requests and returns the ids of those that wait for an answer of the server.
func (c *calls) takeAll() (ids [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.list {
		if !k.cancelled && k.kind != ours {
			ids = append(ids, k.id)
		}
	}
	clear(c.list)
	c.signal()
	return ids
}
