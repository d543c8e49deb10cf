package admission_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
)

// The weight of a message counts what it was made of.
func TestWeighCountsWhatIsInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines, texts := rapid.IntRange(0, 100).Draw(t, "lines"), rapid.IntRange(0, 100).Draw(t, "texts")
		tokens := rapid.Uint32Range(1, 200_000).Draw(t, "tokens")
		req := &pb.ProjectRequest{
			Output: &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{
				Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(strings.Repeat("x\n", lines))}},
			}}},
			Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: tokens}}},
		}
		const inside = 6 // output, text, payload; policy, render policy, budget
		encoded, err := proto.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		w := admission.Weigh(encoded, req.ProtoReflect().Descriptor())
		if w.Bytes != int64(len(encoded)) || w.Elements != inside || w.Payloads != 1 || w.Newlines < int64(lines) || w.Tokens != min(int64(tokens), 128<<10) {
			t.Errorf("%d lines, %d tokens: %+v", lines, tokens, w)
		}
		for cut := range encoded { // nothing is read behind the end
			admission.Weigh(encoded[:cut], req.ProtoReflect().Descriptor())
		}
		header := &pb.StreamHeader{Streams: make([]string, texts)}
		if encoded, err = proto.Marshal(header); err != nil {
			t.Fatal(err)
		}
		if w := admission.Weigh(encoded, header.ProtoReflect().Descriptor()); w.Elements != int64(texts/8) {
			t.Errorf("%d texts: %+v", texts, w)
		}
	})
}

// Lines count from a budget on that keeps more of them than a message has bytes for.
func TestLinesOfLargeBudgets(t *testing.T) {
	for _, c := range []struct{ tokens, newlines, want int64 }{
		{0, 1 << 20, 0}, {2_000, 1 << 20, 0}, {4_096, 1 << 20, 0}, {4_097, 1 << 20, 8_194}, {200_000, 1 << 20, 128 << 10}, {200_000, 7, 7},
	} {
		if got := (admission.Weight{Tokens: c.tokens, Newlines: c.newlines, Payloads: 1}).Lines(); got != c.want {
			t.Errorf("%+v: %d lines", c, got)
		}
	}
}

// The preview of a stream grows until others have the rest. One alone may have more.
func TestGrowingMemory(t *testing.T) {
	m := admission.NewMemory(limit)
	a, b := m.Previews(), m.Previews()
	const free = 1 << 20
	if a.Grow(free) != nil || m.Reserved() != 0 {
		t.Errorf("%d bytes are reserved for a usual budget", m.Reserved())
	}
	if a.Grow(free+1<<20) != nil || b.Grow(free+limit/8) != nil || b.Grow(1) != nil || m.Reserved() != 1<<20+limit/8 {
		t.Errorf("%d bytes are reserved", m.Reserved())
	}
	if b.Grow(free+limit/2) == nil {
		t.Error("more than all of it was given")
	}
	a.Release()
	if err := b.Grow(limit); err != nil {
		t.Errorf("alone: %v", err)
	}
	b.Release()
	b.Release()
	if m.Reserved() != 0 {
		t.Errorf("%d bytes stay reserved", m.Reserved())
	}
	h := m.History()
	if h.Grow(limit) != nil || m.Reserved() != limit || m.History().Grow(1) == nil || a.Grow(free+1) != nil {
		t.Errorf("%d bytes are reserved with a history", m.Reserved())
	}
	a.Release()
	h.Release()
	if m.Reserved() != 0 {
		t.Errorf("%d bytes stay reserved for a history", m.Reserved())
	}
}
