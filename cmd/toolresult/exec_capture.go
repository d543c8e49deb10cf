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

// The output of a command is kept until it ends, because only then its exit code is known, which decides what of the output
// matters. Memory is bounded: a long stream goes to a file in TMPDIR, which has no name any more when it is written to. The
// order of the writes is kept beside the bytes, so that both streams can be read one by one and as the terminal had them.
// When no file takes more, all that was kept is passed on, and so is what follows, as it comes.

// maxInline is the largest size of a stream that is kept in memory and sent in one message, in bytes. A longer one is
// written to a file, and sent in chunks from there. Two streams of this size fit into a message of 4 MiB.
const maxInline = 1 << 20

// chunkBytes is the size of a chunk, in bytes: small chunks cost a message each, and larger ones gain nothing more
// (docs/reference/performance.md).
const chunkBytes = 256 << 10

// captures keep the output of a command: both streams, and the order of their writes. Safe for concurrent writes.
type captures struct {
	mu             sync.Mutex
	stdout, stderr capture
	order          streamOrder // of the bytes of both
	passing        bool        // nothing is kept any more: what comes is passed on
}

// newCaptures returns captures to write to. Close them.
func newCaptures() *captures {
	c := &captures{}
	c.stdout = capture{name: "stdout", all: c, passTo: io.Discard}
	c.stderr = capture{name: "stderr", all: c, passTo: io.Discard}
	return c
}

// close releases the files.
func (c *captures) close() {
	c.stdout.close()
	c.stderr.close()
}

// spilled reports whether a stream is in a file, because it is too long for one message.
func (c *captures) spilled() bool { return c.stdout.file != nil || c.stderr.file != nil }

// pass writes all that is kept to where the streams are passed on, in the order of their writes if that is known. It is the
// way out when there is no receipt. Errors are ignored: what is passed on to is
// where they would be printed.
func (c *captures) pass() {
	_ = c.inTurns(func(from *capture, r io.Reader, n int64) error {
		_, _ = io.CopyN(from.passTo, r, n)
		return nil
	})
}

// inTurns calls f with the next bytes of a stream, turn by turn; without an order, with one stream after the other.
func (c *captures) inTurns(f func(from *capture, r io.Reader, n int64) error) error {
	turns := c.order.turns
	if c.order.abandoned {
		turns = []turn{{&c.stdout, c.stdout.size}, {&c.stderr, c.stderr.size}}
	}
	readers := map[*capture]io.Reader{&c.stdout: c.stdout.reader(), &c.stderr: c.stderr.reader()}
	for _, t := range turns {
		if err := f(t.stream, readers[t.stream], t.bytes); err != nil {
			return err
		}
	}
	return nil
}

// capture keeps one stream of a command.
type capture struct {
	name   string    // of the stream
	all    *captures // of which this is one
	passTo io.Writer // where the stream goes when it is not kept
	memory []byte
	file   *os.File // without a name; nil while memory suffices
	size   int64    // bytes that are kept
}

// Write keeps the next bytes, or passes them on with all that was kept before when the disk does not take them. It fails only
// if nobody reads what is passed on: then the command learns it, as it would without us.
func (c *capture) Write(p []byte) (int, error) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if !c.all.passing {
		err := c.hold(p)
		if err == nil {
			c.all.order.add(c, int64(len(p)))
			return len(p), nil
		}
		c.all.passing = true
		fmt.Fprintf(c.all.stderr.passTo, noReceipt, fmt.Sprintf("it cannot be kept: %v; TMPDIR names the directory", err))
		c.all.pass()
	}
	return c.passTo.Write(p)
}

// hold keeps bytes, or says why it cannot.
func (c *capture) hold(p []byte) error {
	if c.file == nil && len(c.memory)+len(p) <= maxInline {
		c.memory = append(c.memory, p...)
		c.size += int64(len(p))
		return nil
	}
	if c.file == nil {
		if err := c.spill(); err != nil {
			return err
		}
	}
	if _, err := c.file.WriteAt(p, c.size); err != nil {
		return err
	}
	c.size += int64(len(p))
	return nil
}

// spill moves the stream from memory to a file without a name, which vanishes with this process.
func (c *capture) spill() error {
	file, err := os.CreateTemp("", "toolresult-")
	if err != nil {
		return err
	}
	if err := os.Remove(file.Name()); err != nil {
		return errors.Join(err, file.Close())
	}
	if _, err := file.WriteAt(c.memory, 0); err != nil {
		return errors.Join(err, file.Close())
	}
	c.file, c.memory = file, nil
	return nil
}

// close releases the file.
func (c *capture) close() {
	if c.file != nil {
		_ = c.file.Close() // it is read already
	}
}

// reader returns a reader of the stream.
func (c *capture) reader() io.Reader {
	if c.file == nil {
		return bytes.NewReader(c.memory)
	}
	return io.NewSectionReader(c.file, 0, c.size)
}

// payload returns the stream as a field of a message: its bytes or, if it is streamed, its name.
func (c *capture) payload(streamed bool) *pb.Payload {
	if streamed {
		return &pb.Payload{Source: &pb.Payload_Stream{Stream: c.name}}
	}
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: c.memory}}
}

// project projects the output of a command: in one message, or with ProjectStream if a stream is in a file. Both give the
// same receipt for the same bytes.
func (c *captures) project(ctx context.Context, to *connection, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	if !c.spilled() {
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
	// The call has ended when its status is read; until then the answer may be followed by an error.
	if _, err := call.Recv(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("after the answer: %w", err)
	}
	return answer.GetResult(), nil
}

// send sends both streams, in the order in which they were written. Sizes go with the finish, by which the sidecar finds out
// whether bytes were lost on the way.
func (c *captures) send(call pb.ToolResultService_ProjectStreamClient, req *pb.ProjectRequest) error {
	header := &pb.StreamHeader{
		Family: "command", Policy: req.GetPolicy(), Call: req.GetCall(), Streams: []string{c.stdout.name, c.stderr.name},
		KeepOrder: !c.order.abandoned,
	}
	if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: header}}); err != nil {
		return err
	}
	// Chunks in the order of the writes make the sidecar keep that order. Without it, one stream follows the other.
	buf := make([]byte, chunkBytes)
	err := c.inTurns(func(from *capture, r io.Reader, n int64) error {
		for left := n; left > 0; {
			part := buf[:min(left, chunkBytes)]
			if _, err := io.ReadFull(r, part); err != nil {
				return fmt.Errorf("read what the command wrote: %w", err)
			}
			left -= int64(len(part))
			chunk := &pb.StreamChunk{Stream: from.name, Data: part}
			if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: chunk}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	finish := &pb.StreamFinish{Output: req.GetOutput(), StreamBytes: map[string]uint64{
		c.stdout.name: uint64(c.stdout.size), c.stderr.name: uint64(c.stderr.size),
	}}
	return call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: finish}})
}

// maxTurns is the largest number of turns whose order is kept. They take 16 MiB.
const maxTurns = 1 << 20

// streamOrder is the order in which the streams of a command were read: which one, and how many bytes of it. Two processes,
// or threads that write to both streams, may be read in another order than they wrote in, as on a terminal.
type streamOrder struct {
	turns     []turn // nil when the order is abandoned
	abandoned bool   // the streams took turns too often
}

// turn is a number of bytes of one stream that were read before any of the other.
type turn struct {
	stream *capture
	bytes  int64
}

// add notes the next n bytes, which lengthen the last turn or begin another. After maxTurns turns the order is abandoned.
func (o *streamOrder) add(from *capture, n int64) {
	if last := len(o.turns) - 1; last >= 0 && o.turns[last].stream == from {
		o.turns[last].bytes += n
		return
	}
	if o.abandoned = o.abandoned || len(o.turns) == maxTurns; o.abandoned {
		o.turns = nil
		return
	}
	o.turns = append(o.turns, turn{from, n})
}
