package mcpproxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Limits of a message, in bytes.
const (
	// maxMemory is what a message takes of memory. A longer one is in a file without a name, which is mapped.
	maxMemory = 1 << 20
	// maxMessage is the size up to which a message is read. A longer one passes on unread.
	maxMessage = 1 << 30
	// readBytes is the size of a read.
	readBytes = 64 << 10
)

// Frame is one message as it was received: its bytes, without the line feed that ends it.
type Frame struct {
	Bytes []byte
	// Rest has the bytes that follow, of a message that cannot be kept; nil: none do. It is read before the next message.
	Rest    io.Reader
	release func()
}

// Release frees the memory of a frame. Its bytes are not used any more.
func (f Frame) Release() {
	if f.release != nil {
		f.release()
	}
}

// builder collects the bytes of a message. The zero value with limits is ready to use.
type builder struct {
	memory   []byte
	file     *os.File // without a name; nil while memory suffices
	size     int64
	memories int   // bytes that stay in memory
	limit    int64 // of the message
}

// errTooLong is a message of more bytes than its limit.
var errTooLong = errors.New("the message is too long")

// Write adds bytes. After an error those of this call are not added.
func (b *builder) Write(p []byte) (int, error) {
	if b.size+int64(len(p)) > b.limit {
		return 0, errTooLong
	}
	if b.file == nil && len(b.memory)+len(p) > b.memories {
		if err := b.spill(); err != nil {
			return 0, err
		}
	}
	if b.file == nil {
		b.memory = append(b.memory, p...)
	} else if _, err := b.file.WriteAt(p, b.size); err != nil {
		return 0, err
	}
	b.size += int64(len(p))
	return len(p), nil
}

// spill moves the message from memory to a file without a name, which vanishes with this process.
func (b *builder) spill() error {
	file, err := os.CreateTemp("", "toolresult-mcp-")
	if err != nil {
		return err
	}
	if err := os.Remove(file.Name()); err != nil {
		return errors.Join(err, file.Close())
	}
	if _, err := file.WriteAt(b.memory, 0); err != nil {
		return errors.Join(err, file.Close())
	}
	b.file, b.memory = file, nil
	return nil
}

// frame returns the message, and begins another one.
func (b *builder) frame() (Frame, error) {
	file, size := b.file, b.size
	f := Frame{Bytes: b.memory}
	b.memory, b.file, b.size = nil, nil, 0
	if file == nil {
		return f, nil
	}
	// The mapping is private: changes to the message do not go to the file, whose disk may be full.
	mapped, err := unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err := errors.Join(err, file.Close()); err != nil {
		return Frame{}, err
	}
	f.Bytes, f.release = mapped, func() { _ = unix.Munmap(mapped) } // nothing of it is kept
	return f, nil
}

// discard forgets the message, and begins another one.
func (b *builder) discard() error {
	f, err := b.frame()
	f.Release()
	return err
}

// lines reads messages that line feeds end.
type lines struct {
	r     *bufio.Reader
	b     builder
	ended bool // by the end of the input
}

// newLines returns a reader of messages.
func newLines(r io.Reader) *lines {
	return &lines{r: bufio.NewReaderSize(r, readBytes), b: builder{memories: maxMemory, limit: maxMessage}}
}

// next returns the next message. At the end it returns io.EOF; bytes without a line feed behind them are a message too.
func (l *lines) next() (Frame, error) {
	for !l.ended {
		part, err := l.r.ReadSlice('\n')
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		if _, failed := l.b.Write(part); failed != nil {
			return l.passOn(bytes.Clone(part), whole)
		}
		switch {
		case whole:
			return l.b.frame()
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			l.ended = true
			if l.b.size > 0 {
				return l.b.frame()
			}
		default:
			return Frame{}, err
		}
	}
	return Frame{}, io.EOF
}

// passOn returns a message that cannot be kept: what was kept of it, and what follows.
func (l *lines) passOn(part []byte, whole bool) (Frame, error) {
	f, err := l.b.frame()
	f.Rest = bytes.NewReader(part)
	if !whole {
		f.Rest = io.MultiReader(f.Rest, &line{l: l})
	}
	return f, err
}

// line reads to the end of a line.
type line struct {
	l    *lines
	part []byte
	done bool
}

// Read implements io.Reader.
func (r *line) Read(p []byte) (int, error) {
	for len(r.part) == 0 {
		if r.done {
			return 0, io.EOF
		}
		part, err := r.l.r.ReadSlice('\n')
		switch {
		case err == nil:
			part, r.done = part[:len(part)-1], true
		case errors.Is(err, io.EOF):
			r.done, r.l.ended = true, true
		case !errors.Is(err, bufio.ErrBufferFull):
			return 0, err
		}
		r.part = part
	}
	n := copy(p, r.part)
	r.part = r.part[n:]
	return n, nil
}
