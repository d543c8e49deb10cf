package rpc

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
)

// weighed returns an answer of size bytes of data with its memory.
func weighed(t *testing.T, m *admission.Memory, size int) (*weighedAnswer, *pb.ReadArtifactResponse) {
	t.Helper()
	release, err := m.Answer(t.Context(), 3<<20)
	if err != nil {
		t.Fatal(err)
	}
	answer := &pb.ReadArtifactResponse{Data: bytes.Repeat([]byte("x"), size)}
	h := &weighedAnswer{release: release}
	if got, err := h.hold(answer, nil); got != any(h) || err != nil {
		t.Fatalf("%v, %v", got, err)
	}
	return h, answer
}

// An answer is encoded as without its memory, and has it until the transport has sent it: a small one no longer than it is encoded.
func TestAnswerHoldsItsMemoryUntilItIsSent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		m := admission.NewMemory(64 << 20)
		h, answer := weighed(t, m, rapid.IntRange(0, 200_000).Draw(r, "size"))
		want, _ := proto.Marshal(answer)
		data, err := NewCodec().Marshal(h)
		if err != nil || !bytes.Equal(data.Materialize(), want) {
			t.Fatalf("encoded as %d bytes, want %d: %v", data.Len(), len(want), err)
		}
		if kept, large := m.Reserved() > 0, len(want) > admission.LittleAnswer; kept != large {
			t.Fatalf("%d bytes are reserved for %d", m.Reserved(), len(want))
		}
		data.Free()
		if m.Reserved() != 0 {
			t.Fatalf("%d bytes stay reserved", m.Reserved())
		}
	})
}

// A client that takes nothing keeps others waiting for a bounded time.
func TestAnswerThatIsNotTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := admission.NewMemory(64 << 20)
		h, _ := weighed(t, m, 1<<20)
		data, err := NewCodec().Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(sendTime - time.Second)
		before := m.Reserved()
		time.Sleep(2 * time.Second)
		if before == 0 || m.Reserved() != 0 {
			t.Errorf("%d bytes before its time, %d after it", before, m.Reserved())
		}
		data.Free()
		if m.Reserved() != 0 {
			t.Errorf("%d bytes are reserved", m.Reserved())
		}
	})
}

// A call that fails gives the memory of its answer back, and one without any is answered as ever.
func TestAnswerThatIsNone(t *testing.T) {
	t.Parallel()
	m, failed := admission.NewMemory(64<<20), errors.New("failed")
	release, err := m.Answer(t.Context(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := (&weighedAnswer{release: release}).hold(nil, failed); answer != nil || err != failed || m.Reserved() != 0 {
		t.Errorf("%v, %v, %d bytes", answer, err, m.Reserved())
	}
	little := &pb.ReadArtifactResponse{}
	if answer, err := new(weighedAnswer).hold(little, nil); answer != any(little) || err != nil {
		t.Errorf("%v, %v", answer, err)
	}
}

// A request for a large page reserves its memory before the page is read, and any other nothing more than itself.
func TestLargePageIsReserved(t *testing.T) {
	t.Parallel()
	for asked, want := range map[uint32]int64{0: 0, 1000: 0, admission.LittleAnswer: 0, 1 << 20: 2 << 20, 3 << 20: 6 << 20, 1<<32 - 1: 8 << 20} {
		text, err := proto.Marshal(&pb.ReadArtifactRequest{Budget: &pb.ReadBudget{MaxBytes: asked}})
		if err != nil {
			t.Fatal(err)
		}
		m := admission.NewMemory(64 << 20)
		r := &messages{frames: &wire{Reader: bytes.NewReader(frame(0, text))}, codec: NewCodec(), ctx: t.Context(), memory: m, limit: 4 << 20, one: true, unary: true}
		if err := r.receive(&pb.ReadArtifactRequest{}); err != nil {
			t.Fatal(err)
		}
		r.done()
		if m.Reserved() != want {
			t.Errorf("%d bytes are reserved for a page of %d", m.Reserved(), asked)
		}
	}
}
