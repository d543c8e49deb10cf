package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// streamChunk is the size of a chunk of a stream, in bytes.
const streamChunk = 256 << 10

// Names of the sides of Bulk. Those with a sync are compared with each other, and those without.
const (
	rawCopy       = "raw socket into a file"
	rawSynced     = "raw socket into a file, synced"
	stream        = "`ProjectStream`, `--volatile`"
	streamDurable = "`ProjectStream`, defaults"
	cat           = "`cat src > dst`"
	catSynced     = "`cat src > dst`, synced"
	byPath        = "by path, `--volatile`"
	byPathDurable = "by path, defaults"
)

// A large output has fewer rounds on a machine on which they take longer than this, and no less than leastRounds.
const (
	bulkTime    = 90 * time.Second
	leastRounds = 3
)

// bulk is what measures one large output.
type bulk struct {
	*bench
	text    []byte // that the output repeats
	size    int64
	source  string // path of a file with the output
	number  int    // of outputs so far, which makes each another one
	durable *server
	quick   *server // with --volatile
	raw     *server
	synced  *server
}

// measureBulk sends an output of a size as a stream and by path, with the default redaction, and copies as many bytes through
// a socket and with cat.
func (b *bench) measureBulk(kind string, text []byte, size int64, rounds int) (result Bulk, err error) {
	defer func() { err = errors.Join(err, b.stopAll()) }()
	m, err := b.newBulk(text, size)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, os.Remove(m.source)) }()
	sides := []struct {
		name   string
		server *server // nil: a program
		run    func() (time.Duration, error)
	}{
		{rawCopy, m.raw, func() (time.Duration, error) { return m.copy(m.raw) }},
		{stream, m.quick, func() (time.Duration, error) { return m.stream(m.quick) }},
		{rawSynced, m.synced, func() (time.Duration, error) { return m.copy(m.synced) }},
		{streamDurable, m.durable, func() (time.Duration, error) { return m.stream(m.durable) }},
		{cat, nil, func() (time.Duration, error) { return m.cat(false) }},
		{byPath, m.quick, func() (time.Duration, error) { return m.byPath(m.quick) }},
		{catSynced, nil, func() (time.Duration, error) { return m.cat(true) }},
		{byPathDurable, m.durable, func() (time.Duration, error) { return m.byPath(m.durable) }},
	}
	result.Kind, result.Bytes = kind, size
	result.Sides = make([]Timed, len(sides))
	begin := time.Now()
	for round := range rounds + 1 {
		if round > leastRounds && time.Since(begin) > bulkTime {
			break // of a busy machine
		}
		for _, i := range rand.Perm(len(sides)) { // one frees the memory that the next one takes
			took, cpu, err := m.turn(sides[i].server, sides[i].run)
			if err != nil {
				return result, fmt.Errorf("%s: %w", sides[i].name, err)
			}
			side := &result.Sides[i]
			side.Name = sides[i].name
			if round == 0 {
				continue
			}
			side.Seconds = append(side.Seconds, took.Seconds())
			if sides[i].server != nil {
				side.CPU = append(side.CPU, cpu.Seconds())
			}
		}
	}
	for _, s := range result.Sides {
		b.say("%s, %d MiB, %s: %s s", kind, size>>20, s.Name, s.Seconds)
	}
	return result, nil
}

// newBulk starts the servers and writes the file.
func (b *bench) newBulk(text []byte, size int64) (m *bulk, err error) {
	m = &bulk{bench: b, text: text, size: size, source: filepath.Join(b.dir, "source")}
	if m.quick, err = b.startSidecar(stream, false, "--volatile", "--roots="+b.dir); err != nil {
		return nil, err
	}
	if m.durable, err = b.startSidecar(streamDurable, false, "--roots="+b.dir); err != nil {
		return nil, err
	}
	if m.raw, err = b.startFloor(rawCopy, floorOptions{copies: "copies"}); err != nil {
		return nil, err
	}
	if m.synced, err = b.startFloor(rawSynced, floorOptions{copies: "copies", sync: true}); err != nil {
		return nil, err
	}
	f, err := os.Create(m.source)
	if err != nil {
		return nil, err
	}
	err = m.chunks(func(chunk []byte) error { _, err := f.Write(chunk); return err })
	return m, errors.Join(err, f.Close())
}

// turn runs one side, and waits until it has settled. Its time is what the run says; its processor time is all.
func (m *bulk) turn(s *server, run func() (time.Duration, error)) (took, cpu time.Duration, err error) {
	if s == nil {
		took, err = run()
		return took, 0, err
	}
	before, err := s.cpu()
	if err != nil {
		return 0, 0, err
	}
	if took, err = run(); err != nil {
		return 0, 0, err
	}
	if err := m.settle(s); err != nil {
		return 0, 0, err
	}
	after, err := s.cpu()
	return took, after - before, err
}

// chunks visits the output: the text, as often as it is needed.
func (m *bulk) chunks(visit func([]byte) error) error {
	for at, sent := 0, int64(0); sent < m.size; at = (at + streamChunk) % (len(m.text) - streamChunk) {
		chunk := m.text[at : at+int(min(streamChunk, m.size-sent))]
		if err := visit(chunk); err != nil {
			return err
		}
		sent += int64(len(chunk))
	}
	return nil
}

// copy sends the output through a socket.
func (m *bulk) copy(s *server) (time.Duration, error) {
	begin := time.Now()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: filepath.Join(s.dir, "s"), Net: "unix"})
	if err != nil {
		return 0, err
	}
	defer conn.Close() // the other side answered
	if err := m.chunks(func(chunk []byte) error { _, err := conn.Write(chunk); return err }); err != nil {
		return 0, err
	}
	if err := conn.CloseWrite(); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	_, _ = io.Copy(io.Discard, conn) // until the copy is removed
	return took, nil
}

// stream sends the output as a stream, and removes what was stored.
func (m *bulk) stream(s *server) (time.Duration, error) {
	m.number++
	begin := time.Now()
	call, err := s.client.ProjectStream(context.Background())
	if err != nil {
		return 0, err
	}
	send := func(r *pb.ProjectStreamRequest) error { return call.Send(r) }
	err = send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command", CommandLine: commandLine}}})
	if err != nil {
		return 0, err
	}
	chunk := func(data []byte) error {
		return send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: data}}})
	}
	if err := m.chunks(chunk); err != nil {
		return 0, err
	}
	if err := chunk(fmt.Appendf(nil, "the end of output %d\n", m.number)); err != nil {
		return 0, err
	}
	output := command(&pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}})
	if err := send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: output}}}); err != nil {
		return 0, err
	}
	answer, err := call.Recv()
	if err != nil {
		return 0, err
	}
	took := time.Since(begin)
	if _, err := call.Recv(); err != io.EOF {
		return 0, fmt.Errorf("the end of the stream: %w", err)
	}
	return took, m.removeStored(answer.GetResult(), m.size)
}

// byPath gives the sidecar the path of the output, and removes what was stored. Each time the file has another content.
func (m *bulk) byPath(s *server) (time.Duration, error) {
	m.number++
	f, err := os.OpenFile(m.source, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "output %012d\n", m.number), 0)
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	r := request(nil, 0, false)
	r.Output = command(&pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: m.source}}})
	begin := time.Now()
	answer, err := s.client.Project(context.Background(), r)
	if err != nil {
		return 0, err
	}
	return time.Since(begin), m.removeStored(answer, m.size)
}

// removeStored removes the artifact of an answer, and fails if it is not as large as the output.
func (m *bulk) removeStored(answer *pb.ProjectResponse, size int64) error {
	artifacts := answer.GetCanonical().GetCommand().GetArtifacts()
	if len(artifacts) != 1 {
		return fmt.Errorf("%d artifacts, want 1", len(artifacts))
	}
	path := artifacts[0].GetPath()
	i, err := os.Stat(path)
	if err != nil {
		return err
	}
	if i.Size() < size*9/10 { // a marker may be shorter than what looked like a secret
		return fmt.Errorf("the artifact has %d bytes of %d", i.Size(), size)
	}
	return os.Remove(path)
}

// cat copies the file, and removes the copy.
func (m *bulk) cat(synced bool) (time.Duration, error) {
	line := `cat "$1" > "$2"`
	if synced {
		line += ` && sync "$2"`
	}
	dst := filepath.Join(m.dir, "dst")
	begin := time.Now()
	if out, err := exec.Command("sh", "-c", line, "sh", m.source, dst).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("cat: %w\n%s", err, out)
	}
	return time.Since(begin), os.Remove(dst)
}
