package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// sent is the sidecar's side of a stream: all that it received.
type sent struct {
	grpc.ClientStream
	header *pb.StreamHeader
	finish *pb.StreamFinish
	all    []byte
	alone  map[string][]byte
}

func (s *sent) Send(m *pb.ProjectStreamRequest) error {
	switch m := m.GetMessage().(type) {
	case *pb.ProjectStreamRequest_Header:
		s.header = m.Header
	case *pb.ProjectStreamRequest_Chunk:
		s.all = append(s.all, m.Chunk.GetData()...)
		s.alone[m.Chunk.GetStream()] = append(s.alone[m.Chunk.GetStream()], m.Chunk.GetData()...)
	case *pb.ProjectStreamRequest_Finish:
		s.finish = m.Finish
	}
	return nil
}

func (s *sent) Recv() (*pb.ProjectStreamResponse, error) { return nil, nil }

// sendAll sends all that captures keep.
func sendAll(t rapid.TB, c *captures) *sent {
	t.Helper()
	to := &sent{alone: map[string][]byte{}}
	if err := c.send(to, &pb.ProjectRequest{Call: &pb.CallReference{SessionId: "s"}}); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestCapturesKeepOrder writes to both streams by turns: they are sent by turns, from memory and from files.
func TestCapturesKeepOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newCaptures()
		defer c.close()
		var all []byte
		alone := map[string][]byte{}
		for i, n := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 7, 30_000, 400_000}), 0, 12).Draw(t, "sizes") {
			to := &c.stdout
			if rapid.Bool().Draw(t, "stderr") {
				to = &c.stderr
			}
			p := bytes.Repeat([]byte{byte('a' + i)}, n)
			if wrote, err := to.Write(p); wrote != n || err != nil {
				t.Fatalf("%d of %d, %v", wrote, n, err)
			}
			all, alone[to.name] = append(all, p...), append(alone[to.name], p...)
		}
		got := sendAll(t, c)
		if !bytes.Equal(got.all, all) || !got.header.GetKeepOrder() || got.header.GetCall().GetSessionId() != "s" {
			t.Fatalf("%d bytes in order of %d, header %v", len(got.all), len(all), got.header)
		}
		for _, s := range []*capture{&c.stdout, &c.stderr} {
			if !bytes.Equal(got.alone[s.name], alone[s.name]) || got.finish.GetStreamBytes()[s.name] != uint64(len(alone[s.name])) {
				t.Fatalf("%s has %d bytes, %d said, of %d", s.name, len(got.alone[s.name]), got.finish.GetStreamBytes()[s.name], len(alone[s.name]))
			}
			if large := len(alone[s.name]) > maxInline; large != (s.file != nil) {
				t.Fatalf("%s of %d bytes is in a file: %v", s.name, len(alone[s.name]), s.file != nil)
			}
		}
		if n := len(c.order.turns); n > 12 {
			t.Fatalf("%d turns of at most 12 writes", n)
		}
	})
}

// TestTooManyTurnsAbandonOrder takes more turns than are kept: the streams are sent whole, one after the other, and the header
// does not claim an order.
func TestTooManyTurnsAbandonOrder(t *testing.T) {
	t.Parallel()
	c := newCaptures()
	defer c.close()
	for range maxTurns/2 + 1 {
		_, _ = c.stdout.Write([]byte("o"))
		_, _ = c.stderr.Write([]byte("e"))
	}
	got := sendAll(t, c)
	const n = maxTurns/2 + 1
	if want := strings.Repeat("o", n) + strings.Repeat("e", n); string(got.all) != want || got.header.GetKeepOrder() || !c.order.abandoned {
		t.Errorf("%d bytes, %v, given up: %v", len(got.all), got.header, c.order.abandoned)
	}
}

// TestOutputThatCannotBeKeptIsPassedOn has no directory for files: what both streams wrote comes in the order of the writes,
// after the reason, and what follows comes at once.
func TestOutputThatCannotBeKeptIsPassedOn(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	for _, failing := range []int{0, 1} {
		c := newCaptures()
		var terminal bytes.Buffer
		c.stdout.passTo, c.stderr.passTo = &terminal, &terminal
		streams := []*capture{&c.stdout, &c.stderr}
		want := ""
		write := func(to *capture, text string) {
			if n, err := to.Write([]byte(text)); n != len(text) || err != nil {
				t.Fatal(n, err)
			}
			want += text
		}
		write(&c.stdout, "first\n")
		write(&c.stderr, "second\n")
		write(&c.stdout, "third\n")
		if terminal.Len() > 0 || c.passing {
			t.Fatalf("passed on before it had to be: %q", terminal.String())
		}
		write(streams[failing], strings.Repeat("x", maxInline))
		reason, rest, _ := strings.Cut(terminal.String(), "\n")
		if rest != want || !c.passing || !strings.Contains(reason, "no receipt") || !strings.Contains(reason, "/nonexistent") || !strings.Contains(reason, "TMPDIR") {
			t.Fatalf("%d bytes of %d after %q", len(rest), len(want), reason)
		}
		write(streams[1-failing], "later\n")
		if !strings.HasSuffix(terminal.String(), want) {
			t.Error("what follows is not passed on")
		}
		c.close()
	}
}

// failing is a stream whose n-th message cannot be sent.
type failing struct {
	sent
	n int
}

var errSend = errors.New("sent enough")

func (f *failing) Send(*pb.ProjectStreamRequest) error {
	if f.n--; f.n == 0 {
		return errSend
	}
	return nil
}

func TestEverySendErrorIsReturned(t *testing.T) {
	t.Parallel()
	c := newCaptures()
	defer c.close()
	_, _ = c.stdout.Write(make([]byte, 2*chunkBytes))
	for n := 1; n <= 4; n++ { // header, two chunks, finish
		if err := c.send(&failing{n: n}, &pb.ProjectRequest{}); !errors.Is(err, errSend) {
			t.Errorf("message %d: %v", n, err)
		}
	}
	if err := c.send(&failing{n: 5}, &pb.ProjectRequest{}); err != nil {
		t.Error(err)
	}
}
