package main

import "sync"

// maxTurns bounds how often two streams may take turns before their order is given
// up. It takes 16 MiB to know the order of so many.
const maxTurns = 1 << 20

// order is the order in which the streams of a command were read: whose turn it was,
// and for how long. Two processes, or one that writes to both at once, may be read in
// another order than they wrote in, as on a terminal.
type order struct {
	mu      sync.Mutex
	turns   []turn
	givenUp bool
}

// turn is what one stream wrote before the other did.
type turn struct {
	from  *capture
	bytes int64
}

// add notes the next bytes. It is called from the goroutines of both streams.
func (o *order) add(from *capture, n int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if last := len(o.turns) - 1; last >= 0 && o.turns[last].from == from {
		o.turns[last].bytes += n
		return
	}
	if o.givenUp = o.givenUp || len(o.turns) == maxTurns; o.givenUp {
		o.turns = nil
		return
	}
	o.turns = append(o.turns, turn{from, n})
}
