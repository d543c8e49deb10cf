package journal

import "sync"

// recentBlocks is the number of blocks that are kept, which lists read one after the other.
const recentBlocks = 4

// recent keeps the blocks that were read last.
type recent struct {
	mu   sync.Mutex
	list [recentBlocks]recentBlock
	next int
}

// recentBlock is a block that was read.
type recentBlock struct {
	file    *sealedFile
	entries []Entry
}

// find returns the entries of the block that begins with a number; nil: it is not kept.
func (r *recent) find(f *sealedFile, first uint64) []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.list {
		if b := &r.list[i]; b.file == f && b.entries[0].Number == first {
			return b.entries
		}
	}
	return nil
}

// add keeps a block in the place of the one that was added first.
func (r *recent) add(f *sealedFile, entries []Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list[r.next] = recentBlock{f, entries}
	r.next = (r.next + 1) % recentBlocks
}
