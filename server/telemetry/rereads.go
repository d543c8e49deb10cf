package telemetry

import (
	"hash/maphash"
	"sync"
)

// Bounds of the memory for truncated receipts: at most 4,096 of them with 8 names each, some 2 MiB.
const (
	maxReceipts = 4096
	maxNames    = 8
)

// rereadTracker remembers the artifacts that the last truncated receipts named. A read of one of them means that a receipt did
// not have all that its reader needed: the share of such receipts says how good the choice of lines is. Names are kept as
// hashes, which are smaller and say nothing. Safe for concurrent use.
type rereadTracker struct {
	size     int // receipts that are remembered
	mu       sync.Mutex
	seed     maphash.Seed
	receipts []truncated
	next     int            // place of the next receipt, once all places are taken
	latest   map[uint64]int // place of the latest receipt that names an artifact
}

// truncated is a truncated receipt.
type truncated struct {
	family string
	names  []uint64 // hashes of the names of its artifacts
	read   bool     // one of them was read
}

// newRereadTracker returns a tracker that remembers size receipts.
func newRereadTracker(size int) *rereadTracker {
	return &rereadTracker{size: size, seed: maphash.MakeSeed(), latest: map[uint64]int{}}
}

// add remembers a truncated receipt, in the place of the oldest one if there are too many.
func (r *rereadTracker) add(family string, names []string) {
	if len(names) == 0 {
		return
	}
	one := truncated{family: family}
	for _, name := range names[:min(len(names), maxNames)] {
		one.names = append(one.names, maphash.String(r.seed, name))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.next
	if len(r.receipts) < r.size {
		at = len(r.receipts)
		r.receipts = append(r.receipts, one)
	} else {
		r.forget(at)
		r.receipts[at], r.next = one, (at+1)%r.size
	}
	for _, name := range one.names {
		r.latest[name] = at
	}
}

// forget removes the names of a receipt, unless a later one has them too. The caller holds mu.
func (r *rereadTracker) forget(at int) {
	for _, name := range r.receipts[at].names {
		if r.latest[name] == at {
			delete(r.latest, name)
		}
	}
}

// read reports whether a truncated receipt names an artifact, and the family of the receipt when none of its artifacts was read
// before: each receipt counts once.
func (r *rereadTracker) read(name string) (named bool, first string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, named := r.latest[maphash.String(r.seed, name)]
	if !named || r.receipts[at].read {
		return named, ""
	}
	r.receipts[at].read = true
	return true, r.receipts[at].family
}
