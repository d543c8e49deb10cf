package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// maxInline is how much of a stream is held in memory, and sent in one message,
// in bytes. A longer one goes to a file, and from there to the sidecar in chunks.
const maxInline = 1 << 20

// chunkBytes is the size of a chunk, in bytes.
const chunkBytes = 256 << 10

// capture holds a stream of a command.
type capture struct {
	name   string // of its stream
	memory []byte
	file   *os.File // that has no name; nil while memory is enough
	size   int64    // of what is held
	lost   uint64   // bytes that could not be held
}

// Write takes the next bytes. It is called from one goroutine. It never fails: what
// the disk does not take is counted, and said to be lost.
func (c *capture) Write(p []byte) (int, error) {
	if c.lost == 0 && !c.hold(p) {
		c.lost += uint64(len(p))
	} else if c.lost > 0 {
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
func (c *capture) payload() *pb.Payload {
	p := &pb.Payload{Source: &pb.Payload_Inline{Inline: c.memory}}
	if c.file != nil {
		p.Source = &pb.Payload_Stream{Stream: c.name}
	}
	if c.lost > 0 {
		p.SourceLoss = &pb.SourceLoss{LostBytes: c.lost, AtByte: uint64(c.size)}
	}
	return p
}

// project projects the output of a command: in one message, or as a stream when
// one of its captures is in a file.
func project(ctx context.Context, c *connection, req *pb.ProjectRequest, captures ...*capture) (*pb.ProjectResponse, error) {
	inFiles := false
	for _, s := range captures {
		inFiles = inFiles || s.file != nil
	}
	if !inFiles {
		return c.Project(ctx, req)
	}
	call, err := c.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	header := &pb.StreamHeader{Family: "command", Policy: req.GetPolicy()}
	err = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: header}})
	for _, s := range captures {
		if err == nil && s.file != nil {
			err = s.send(call)
		}
	}
	if err == nil {
		finish := &pb.StreamFinish{Output: req.GetOutput()}
		err = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: finish}})
	}
	if err != nil && !errors.Is(err, io.EOF) { // EOF: the answer says why
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

// send sends a capture in chunks.
func (c *capture) send(call pb.ToolResultService_ProjectStreamClient) error {
	r, buf := c.reader(), make([]byte, chunkBytes)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			chunk := &pb.StreamChunk{Stream: c.name, Data: buf[:n]}
			if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: chunk}}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
