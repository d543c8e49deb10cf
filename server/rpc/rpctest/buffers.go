// Package rpctest has what tests of RPCs share.
package rpctest

import (
	"fmt"
)

// LentBuffers is a pool that knows what it has not got back, and spoils what it has.
type LentBuffers struct{ lent int }

// Get lends a buffer.
func (p *LentBuffers) Get(n int) *[]byte {
	p.lent++
	b := make([]byte, n)
	return &b
}

// Put takes a buffer back.
func (p *LentBuffers) Put(b *[]byte) {
	p.lent--
	for i := range *b {
		(*b)[i] = 0xaa
	}
}

// Check reports buffers that did not come back.
func (p *LentBuffers) Check() error {
	if p.lent != 0 {
		return fmt.Errorf("%d buffers were not given back", p.lent)
	}
	return nil
}
