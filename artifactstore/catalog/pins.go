package catalog

import "sync"

// pins are the names that calls have put and not appended yet. A collection leaves them alone.
type pins struct {
	mu    sync.Mutex
	names map[string]int // of how many calls
}

// pin pins a name.
func (p *pins) pin(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names[name]++
}

// free ends one pin of each name.
func (p *pins) free(names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range names {
		if p.names[name]--; p.names[name] == 0 {
			delete(p.names, name)
		}
	}
}

// has reports whether a call pins a name.
func (p *pins) has(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.names[name] > 0
}

// usage is what counts against the quota of the store: the artifacts in the index, and bytes that are not in it yet, which are those of
// payloads that arrive and of artifacts whose change the index does not have. Content that is stored already counts like any other until
// then.
type usage struct {
	mu       sync.Mutex
	known    bool  // what is in the index
	bytes    int64 // in the index
	count    int64
	number   uint64 // of the last change that is in the index
	pending  int64  // bytes
	appended []appended
}

// appended are the bytes of a change.
type appended struct {
	number uint64
	bytes  int64
}

// add adds pending bytes, and returns all that are used.
func (u *usage) add(n int64) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending += n
	return u.bytes + u.pending
}

// until leaves bytes pending until the index has a change, which it may have already.
func (u *usage) until(number uint64, bytes int64) {
	if bytes == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if number <= u.number {
		u.pending -= bytes
		return
	}
	u.appended = append(u.appended, appended{number, bytes})
}

// stored sets what is in the index, with the changes up to one.
func (u *usage) stored(bytes, count int64, number uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.known, u.bytes, u.count, u.number = true, bytes, count, number
	rest := u.appended[:0]
	for _, a := range u.appended {
		if a.number > number {
			rest = append(rest, a)
		} else {
			u.pending -= a.bytes
		}
	}
	u.appended = rest
}

// status returns what is in the index; known is false before that is known.
func (u *usage) status() (s Status, known bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return Status{u.count, u.bytes}, u.known
}
