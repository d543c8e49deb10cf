package journal

import "sync"

const (
	// recentBlocks is the number of blocks that are kept, which lists read one after the other.
	recentBlocks = 32
	// recentFiles is the number of sealed files of which the table and the dictionary are kept.
	recentFiles = 8
)

// recent keeps the blocks, and the tables and dictionaries, that were read last.
type recent struct {
	mu       sync.Mutex
	list     [recentBlocks]recentBlock
	next     int
	files    [recentFiles]recentFile
	nextFile int
}

// recentBlock is a block that was read.
type recentBlock struct {
	file    *sealedFile
	entries []Entry
}

// recentFile is a file whose table was read.
type recentFile struct {
	file  *sealedFile
	index *sealedIndex
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

// index returns the table of a file, and keeps it in the place of the one that was added first.
func (j *Journal) index(f *sealedFile) (*sealedIndex, error) {
	r := &j.recent
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.files {
		if r.files[i].file == f {
			return r.files[i].index, nil
		}
	}
	x, err := f.readIndex(j.disk)
	if err != nil {
		return nil, err
	}
	r.files[r.nextFile] = recentFile{f, x}
	r.nextFile = (r.nextFile + 1) % recentFiles
	return x, nil
}
