package journal

// blockReader reads the blocks of a sealed file, some at a time. While one reads on from block to block, the next ones are read, decompressed
// and hashed on a goroutine beside. For one caller.
type blockReader struct {
	file   *sealedFile
	index  *sealedIndex
	opened file
	log    string
	window window
	now    group
	ahead  chan group // gives the blocks behind now; nil: they are not read yet
}

// group is some blocks that were read.
type group struct {
	first  int // place of the first one in the file
	blocks []readBlock
}

// readBlock is a block that was read, or the reason why it was not.
type readBlock struct {
	entries []Entry
	err     error
}

const (
	// groupBlocks and groupBytes bound a group: no block is begun beyond them.
	groupBlocks = 32
	groupBytes  = 512 << 10
)

// end returns the place of the block behind the group.
func (g *group) end() int { return g.first + len(g.blocks) }

// has reports whether a block is in the group.
func (g *group) has(i int) bool { return i >= g.first && i < g.end() }

// openBlocks opens a sealed file.
func (j *Journal) openBlocks(f *sealedFile) (*blockReader, error) {
	x, err := j.index(f)
	if err != nil {
		return nil, err
	}
	opened, err := j.disk.Open(f.name())
	if err != nil {
		return nil, err
	}
	return &blockReader{file: f, index: x, opened: opened, log: j.name, window: window{file: opened, limit: f.size}}, nil
}

// read returns the entries of the block at a place, which are not changed later.
func (r *blockReader) read(i int) ([]Entry, error) {
	if !r.now.has(i) {
		onward := len(r.now.blocks) > 0 && i == r.now.end()
		if r.ahead != nil {
			r.now, r.ahead = <-r.ahead, nil
		}
		if !r.now.has(i) {
			r.now = r.group(i)
		}
		if next := r.now.end(); onward && next < len(r.index.blocks) && r.index.blocks[next].length <= groupBytes {
			ahead := make(chan group, 1)
			r.ahead = ahead
			go func() { ahead <- r.group(next) }()
		}
	}
	b := &r.now.blocks[i-r.now.first]
	return b.entries, b.err
}

// group reads blocks from a place on.
func (r *blockReader) group(first int) group {
	g := group{first: first}
	size := 0
	for i := first; i < len(r.index.blocks) && len(g.blocks) < groupBlocks && size < groupBytes; i++ {
		b := &r.index.blocks[i]
		entries, err := r.index.readBlock(r.opened, r.window.bytes(b.offset, b.span()), b, r.file.stream, r.log)
		for n := range entries {
			size += len(entries[n].Data)
		}
		g.blocks = append(g.blocks, readBlock{entries, err})
	}
	return g
}

// close closes the file.
func (r *blockReader) close() {
	if r.ahead != nil {
		<-r.ahead
	}
	r.opened.Close() // read-only
}
