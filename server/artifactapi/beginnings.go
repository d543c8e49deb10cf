package artifactapi

import "sync"

// beginnings has what calls of AppendLog ended with of a registered value: the log shows it masked, so that the next call could
// not see that the value goes on. It is in memory alone, as the values are. Safe for concurrent use.
type beginnings struct {
	mu   sync.Mutex
	list []beginning // the oldest first
}

// beginning is the beginning of a value at the end of a log.
type beginning struct {
	path  string
	end   int64 // of the log
	bytes []byte
}

// maxBeginnings bounds the beginnings that wait for a next call. Each has at most the 24 KiB that a value reaches.
const maxBeginnings = 256

// keep remembers what a log ends with. The oldest beginning is forgotten for one too many.
func (b *beginnings) keep(path string, end int64, bytes []byte) {
	if len(bytes) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.list = append(b.list, beginning{path, end, bytes}); len(b.list) > maxBeginnings {
		b.list = append(b.list[:0:0], b.list[1:]...)
	}
}

// take returns what a log ends with, and forgets it; nil without one.
func (b *beginnings) take(path string, end int64) (begun []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := b.list[:0:0]
	for _, e := range b.list {
		switch {
		case e.path != path:
			rest = append(rest, e)
		case e.end == end:
			begun = e.bytes
		}
	}
	b.list = rest
	return begun
}
