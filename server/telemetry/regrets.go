package telemetry

import (
	"hash/maphash"
	"sync"
)

// Bounds of what is remembered of truncated receipts: at most 4,096 of them with 8 names each, some 2 MiB.
const (
	maxReceipts = 4096
	maxNames    = 8
)

// regrets remembers which artifacts the last truncated receipts named, so that a read of one of them is known to be of
// what a receipt left out. Names are kept as hashes.
type regrets struct {
	size     int // receipts that are remembered
	mu       sync.Mutex
	seed     maphash.Seed
	receipts []truncated
	next     int            // place of the next receipt, once all places are taken
	latest   map[uint64]int // place of the latest receipt that names an artifact
}

type truncated struct {
	family string
	names  []uint64
	read   bool
}

func newRegrets(size int) *regrets {
	return &regrets{size: size, seed: maphash.MakeSeed(), latest: map[uint64]int{}}
}

// add remembers a truncated receipt, in the place of the oldest one if there are too many.
func (r *regrets) add(family string, names []string) {
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

func (r *regrets) forget(at int) {
	for _, name := range r.receipts[at].names {
		if r.latest[name] == at {
			delete(r.latest, name)
		}
	}
}

// read says whether a truncated receipt names an artifact, and of which family it is when nothing that it names was
// read before.
func (r *regrets) read(name string) (named bool, first string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, named := r.latest[maphash.String(r.seed, name)]
	if !named || r.receipts[at].read {
		return named, ""
	}
	r.receipts[at].read = true
	return true, r.receipts[at].family
}
