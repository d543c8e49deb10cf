package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// maxInline is how much of a stream is held in memory, and sent in one message,
// in bytes. A longer one goes to a file, and from there to the sidecar in chunks.
const maxInline = 1 << 20

// chunkBytes is the size of a chunk, in bytes.
const chunkBytes = 256 << 10

// captures hold the streams of a command.
type captures struct {
	stdout, stderr capture
	order          order
}

func newCaptures() *captures {
	c := &captures{}
	c.stdout = capture{name: "stdout", order: &c.order}
	c.stderr = capture{name: "stderr", order: &c.order}
	return c
}

func (c *captures) close() {
	c.stdout.close()
	c.stderr.close()
}

// large reports whether a stream is longer than one message may be.
func (c *captures) large() bool { return c.stdout.file != nil || c.stderr.file != nil }

// capture holds a stream of a command.
type capture struct {
	name   string // of its stream
	order  *order // of its bytes among those of the other one
	memory []byte
	file   *os.File // that has no name; nil while memory is enough
	size   int64    // of what is held
	lost   uint64   // bytes that could not be held
}

// Write takes the next bytes. It is called from one goroutine. It never fails: what
// the disk does not take is counted, and said to be lost.
func (c *capture) Write(p []byte) (int, error) {
	if c.lost == 0 && c.hold(p) {
		c.order.add(c, int64(len(p)))
	} else {
		c.lost += uint64(len(p))
	}
	return len(p), nil
}

func (c *capture) hold(p []byte) bool {
	if c.file == nil && len(c.memory)+len(p) <= maxInline {
		c.memory = append(c.memory, p...)
		c.size += int64(len(p))
		return true
	}
	if c.file == nil && !c.spill() {
		return false
	}
	if _, err := c.file.WriteAt(p, c.size); err != nil {
		return false
	}
	c.size += int64(len(p))
	return true
}

// spill moves what is held to a file without a name, which ends with this process.
func (c *capture) spill() bool {
	file, err := os.CreateTemp("", "toolresult-")
	if err != nil {
		return false
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close()
		return false
	}
	if _, err := file.WriteAt(c.memory, 0); err != nil {
		_ = file.Close()
		return false
	}
	c.file, c.memory = file, nil
	return true
}

func (c *capture) close() {
	if c.file != nil {
		_ = c.file.Close() // nobody needs it any more
	}
}

// reader reads what is held.
func (c *capture) reader() io.Reader {
	if c.file == nil {
		return bytes.NewReader(c.memory)
	}
	return io.NewSectionReader(c.file, 0, c.size)
}

func (c *capture) copyTo(w io.Writer) error {
	_, err := io.Copy(w, c.reader())
	return err
}

// payload is the stream in a message: its bytes, or its name.
func (c *capture) payload(streamed bool) *pb.Payload {
	p := &pb.Payload{Source: &pb.Payload_Inline{Inline: c.memory}}
	if streamed {
		p.Source = &pb.Payload_Stream{Stream: c.name}
	}
	if c.lost > 0 {
		p.SourceLoss = &pb.SourceLoss{LostBytes: c.lost, AtByte: uint64(c.size)}
	}
	return p
}

// project projects the output of a command: in one message, or as streams when
// one of its captures is in a file.
func (c *captures) project(ctx context.Context, to *connection, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	if !c.large() {
		return to.Project(ctx, req)
	}
	call, err := to.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.send(call, req); err != nil && !errors.Is(err, io.EOF) { // EOF: the answer says why
		return nil, err
	}
	answer, err := call.Recv()
	if err != nil {
		return nil, err
	}
	if _, err := call.Recv(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("after the answer: %w", err)
	}
	return answer.GetResult(), nil
}

// send sends what is held, in the order in which it was written.
func (c *captures) send(call pb.ToolResultService_ProjectStreamClient, req *pb.ProjectRequest) error {
	header := &pb.StreamHeader{
		Family: "command", Policy: req.GetPolicy(), Call: req.GetCall(), Streams: []string{c.stdout.name, c.stderr.name},
		KeepOrder: !c.order.givenUp,
	}
	if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: header}}); err != nil {
		return err
	}
	turns := c.order.turns
	if c.order.givenUp {
		turns = []turn{{&c.stdout, c.stdout.size}, {&c.stderr, c.stderr.size}}
	}
	readers := map[*capture]io.Reader{&c.stdout: c.stdout.reader(), &c.stderr: c.stderr.reader()}
	buf := make([]byte, chunkBytes)
	for _, t := range turns {
		for left := t.bytes; left > 0; {
			part := buf[:min(left, chunkBytes)]
			if _, err := io.ReadFull(readers[t.from], part); err != nil {
				return fmt.Errorf("read what the command wrote: %w", err)
			}
			left -= int64(len(part))
			chunk := &pb.StreamChunk{Stream: t.from.name, Data: part}
			if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: chunk}}); err != nil {
				return err
			}
		}
	}
	finish := &pb.StreamFinish{Output: req.GetOutput(), StreamBytes: map[string]uint64{
		c.stdout.name: uint64(c.stdout.size), c.stderr.name: uint64(c.stderr.size),
	}}
	return call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: finish}})
}

// maxTurns bounds how often two streams may take turns before their order is given
// up. It takes 16 MiB to know the order of so many.
const maxTurns = 1 << 20

// order is the order in which the streams of a command were read: whose turn it was,
// and for how long. Two processes, or one that writes to both at once, may be read in
// another order than they wrote in, as on a terminal.
type order struct {
	mu      sync.Mutex
	turns   []turn
	givenUp bool
}

// turn is what one stream wrote before the other did.
type turn struct {
	from  *capture
	bytes int64
}

// add notes the next bytes. It is called from the goroutines of both streams.
func (o *order) add(from *capture, n int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if last := len(o.turns) - 1; last >= 0 && o.turns[last].from == from {
		o.turns[last].bytes += n
		return
	}
	if o.givenUp = o.givenUp || len(o.turns) == maxTurns; o.givenUp {
		o.turns = nil
		return
	}
	o.turns = append(o.turns, turn{from, n})
}
