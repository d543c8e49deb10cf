package dir

// Taking a file: the payload is a file on this machine that need not go through a connection. The system copies it, which
// costs no copy through this process, or none at all where the file system shares blocks (reflink). What is hashed,
// indexed and shown is the copy and not the original, which may change meanwhile.

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/toolresult/toolresult/artifactstore"
)

// copyStep is the number of bytes that the system copies at a time. It limits how long a cancelled copy goes on, and how
// far it is ahead of its reader.
const copyStep = 4 << 20

// copyBuffer is the number of bytes of a copy that are read at a time.
const copyBuffer = 64 << 10

// hashAhead is the number of buffers between the reader of a copy and its hash.
const hashAhead = 16

// TakeFile implements [artifactstore.FileTaker]. The system copies the file, or shares its blocks if the file system can
// do that. The copy is read right behind, indexed and passed to observe, and another goroutine hashes it. If the system cannot
// copy from file to file, the bytes are read and written. The stage is locked meanwhile.
func (s *stage) TakeFile(file *os.File, size int64, observe func(p []byte, newlines int)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	take := s.takeFile
	if size <= chunkSize {
		take = s.takeSmallFile
	}
	if err := take(file, size, observe); err != nil {
		s.fail(err) // as in WriteParts
		return s.failed
	}
	return nil
}

// takeSmallFile takes a file that is too small for goroutines of its own.
func (s *stage) takeSmallFile(file *os.File, size int64, observe func(p []byte, newlines int)) error {
	c := s.store.getScratch()
	defer s.store.scratch.Put(c)
	for at := int64(0); at < size; {
		n, err := s.copyBlock(file, c.buf, at, size)
		if err != nil {
			return err
		}
		observe(c.buf[:n], s.take(c.buf[:n]))
		at += int64(n)
	}
	return nil
}

// copyBlock reads the next bytes of a file and appends them to that of the stage.
func (s *stage) copyBlock(file *os.File, buf []byte, at, size int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := artifactstore.ReadChunk(file, buf, at, size)
	if err != nil {
		return 0, err
	}
	return n, s.temp.write(buf[:n])
}

// takeFile takes a file with three goroutines: one copies, one hashes, and this one reads the copy, indexes it and calls
// observe.
func (s *stage) takeFile(file *os.File, size int64, observe func(p []byte, newlines int)) error {
	hash := startHasher(s.hash)
	defer hash.wait()
	c := startCopy(s, file, size)
	defer c.end()
	for at := int64(0); at < size; {
		buf := hash.buffer()
		n, err := c.read(buf, at)
		if err != nil {
			return err
		}
		observe(buf[:n], s.index.Add(buf[:n]))
		hash.submit(buf[:n])
		s.size += int64(n)
		at += int64(n)
	}
	return nil
}

// asyncHasher hashes buffers on a goroutine of its own.
type asyncHasher struct {
	full, free chan []byte
	done       chan struct{}
}

// startHasher starts the goroutine of an asyncHasher, which alone uses the hash until wait returns.
func startHasher(hash io.Writer) asyncHasher {
	b := asyncHasher{make(chan []byte, hashAhead), make(chan []byte, hashAhead), make(chan struct{})}
	for range hashAhead {
		b.free <- make([]byte, copyBuffer)
	}
	go func() {
		defer close(b.done)
		for p := range b.full {
			_, _ = hash.Write(p) // a hash never fails
			b.free <- p[:copyBuffer]
		}
	}()
	return b
}

// buffer waits for an empty buffer.
func (b asyncHasher) buffer() []byte { return <-b.free }

// submit passes a filled buffer on to be hashed.
func (b asyncHasher) submit(p []byte) { b.full <- p }

// wait ends the goroutine once everything is hashed.
func (b asyncHasher) wait() {
	close(b.full)
	<-b.done
}

// fileCopy copies a file to the end of that of a stage, on a goroutine of its own.
type fileCopy struct {
	stage    *stage
	file     *os.File
	size     int64      // of the file
	base     int64      // of the stage's file before
	progress chan int64 // sizes of the copy so far; closed at its end
	stop     chan struct{}
	failed   error // why it has ended, once progress is closed
	copied   int64 // seen by the reader
	ended    bool  // seen by the reader
}

// startCopy starts to copy a file to the end of that of a stage, whose size must not change until end returns.
func startCopy(s *stage, file *os.File, size int64) *fileCopy {
	c := &fileCopy{stage: s, file: file, size: size, base: s.size, progress: make(chan int64, 1), stop: make(chan struct{})}
	go c.run()
	return c
}

// end stops the copy and waits for its goroutine.
func (c *fileCopy) end() {
	close(c.stop)
	for range c.progress {
	}
}

// run copies step by step and reports each, until all is copied, a step fails, or the reader stops it.
func (c *fileCopy) run() {
	defer close(c.progress)
	for at := int64(0); at < c.size; {
		n, err := c.step(at)
		if err != nil {
			c.failed = err
			return
		}
		at += n
		select {
		case c.progress <- at:
		case <-c.stop:
			return
		}
	}
}

// errCannotCopy means that the system cannot copy between these files.
var errCannotCopy = errors.New("the system cannot copy between these files")

// step copies the next bytes, or all at once if the file system shares blocks. It returns their number.
func (c *fileCopy) step(at int64) (n int64, err error) {
	if err := c.stage.ctx.Err(); err != nil {
		return 0, err
	}
	err = c.stage.store.fault.do(stepWriteTemp, func() (err error) {
		// Sharing blocks replaces a whole file, so it works only at the beginning of a stage.
		if at == 0 && c.base == 0 && c.stage.temp.clone(c.file) == nil {
			n, err = c.cloned()
			return err
		}
		n, err = copyRange(c.stage.temp.file, c.file, at, min(copyStep, c.size-at))
		return err
	})
	return n, err
}

// cloned truncates a clone to size bytes: the file may have grown since its size was taken.
func (c *fileCopy) cloned() (int64, error) {
	clone := c.stage.temp.file
	info, err := clone.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() < c.size {
		return 0, fmt.Errorf("file of %d bytes: only %d: %w", c.size, info.Size(), artifactstore.ErrSizeMismatch)
	}
	if err := clone.Truncate(c.size); err != nil {
		return 0, err
	}
	return clone.Seek(c.size, io.SeekStart)
}

// read reads the next bytes of the copy once they exist. If the system does not copy, it copies them itself.
func (c *fileCopy) read(buf []byte, at int64) (int, error) {
	if at == c.copied && !c.ended {
		reached, more := <-c.progress
		c.copied, c.ended = max(reached, c.copied), !more
	}
	if at < c.copied {
		return c.stage.temp.file.ReadAt(buf[:min(int64(len(buf)), c.copied-at)], c.base+at)
	}
	if !errors.Is(c.failed, errCannotCopy) {
		return 0, c.failed
	}
	return c.stage.copyBlock(c.file, buf, at, c.size)
}
