package catalog

import "sync"

// busyNames are the names that calls have put and not appended yet. A collection leaves them alone.
type busyNames struct {
	mu    sync.Mutex
	names map[string]int // of how many calls
}

// add adds a name.
func (b *busyNames) add(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names[name]++
}

// remove undoes one add of each name.
func (b *busyNames) remove(names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range names {
		if b.names[name]--; b.names[name] == 0 {
			delete(b.names, name)
		}
	}
}

// has reports whether a call has put a name and not appended it yet.
func (b *busyNames) has(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.names[name] > 0
}

// usage is what counts against the quota of the store: the artifacts in the index, and bytes that are not in it yet, which are those of
// payloads that arrive and of artifacts whose change the index does not have. Content that is stored already counts like any other until
// then.
type usage struct {
	mu       sync.Mutex
	known    bool  // what is in the index
	bytes    int64 // in the index
	count    int64
	pending  int64 // bytes
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

// until leaves bytes pending until the index has a change.
func (u *usage) until(number uint64, bytes int64) {
	if bytes == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.appended = append(u.appended, appended{number, bytes})
}

// stored sets what is in the index, with the changes up to one.
func (u *usage) stored(bytes, count int64, number uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.known, u.bytes, u.count = true, bytes, count
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
