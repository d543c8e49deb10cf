package pipeline_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/renderers"
)

// Anything that a tool may have written gets a receipt under the default policy, of which the
// parser reads what the renderer meant, and within the budget of its family.
func TestAnythingGetsAReceipt(t *testing.T) {
	h := newHarness(t)
	rapid.Check(t, func(t *rapid.T) {
		out := anything().Draw(t, "output")
		resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out})
		if invalid, rejected := errors.AsType[*envelope.InvalidError](err); rejected {
			for _, v := range invalid.Violations {
				if !mistake(out, v) {
					t.Fatalf("rejected for %+v", v)
				}
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		h.wantReceipt(t, out, resp)
	})
}

// wantReceipt checks a receipt against the canonical result and the default budget.
func (h harness) wantReceipt(t *rapid.T, out *pb.CompleteToolOutput, resp *pb.ProjectResponse) {
	family := envelope.Family(out)
	if resp.GetCanonical().GetError() != nil {
		family = "error"
	}
	limit := 2000 // of errors
	renderer, _ := renderers.Error().(renderers.Describe)
	for _, f := range h.Families {
		if f.Name == family {
			limit = f.Tokens
			renderer, _ = f.Renderer.(renderers.Describe)
		}
	}
	if n := int(resp.GetReceipt().GetTokens()); n > limit {
		t.Fatalf("a receipt of %s has %d tokens of %d", family, n, limit)
	}
	if err := envelope.ValidateCanonical("", resp.GetCanonical(), h.Types); err != nil {
		t.Fatal(err)
	}
	parsed, err := renderers.ParseReceipt(resp.GetReceipt().GetText())
	if err != nil {
		t.Fatalf("%v\n%s", err, resp.GetReceipt().GetText())
	}
	meant := servertest.Said(renderer.Document(resp.GetCanonical()))
	if err := servertest.SameDocument(&meant, &parsed); err != nil {
		t.Fatalf("%v\n%s", err, resp.GetReceipt().GetText())
	}
}

// mistake reports whether a rejection is for something that docs/reference/errors.md calls a mistake of the
// caller, and that is there.
func mistake(out *pb.CompleteToolOutput, v envelope.Violation) bool {
	last := v.Field[strings.LastIndexByte(v.Field, '.')+1:]
	switch v.Reason {
	case pb.ErrorReason_ERROR_REASON_FIELD_MISSING:
		return true // the generator leaves out what is required, too
	case pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY:
		return out.GetCommand() != nil || out.GetCommandBatch() != nil
	case pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS:
		return last == "signal" || last == "at_byte"
	}
	return false
}

// anything generates outputs by the types of their fields alone, of every family and of none.
func anything() *rapid.Generator[*pb.CompleteToolOutput] {
	return rapid.Custom(func(t *rapid.T) *pb.CompleteToolOutput {
		out := &pb.CompleteToolOutput{ToolName: "SomeTool", SummaryText: wild().Draw(t, "summary")}
		cases := out.ProtoReflect().Descriptor().Oneofs().ByName("result").Fields()
		i := rapid.IntRange(0, cases.Len()).Draw(t, "family")
		if i == cases.Len() || cases.Get(i).Name() == envelope.CustomCase {
			out.Error = &pb.CompleteToolError{}
			fillWild(t, out.GetError().ProtoReflect(), 0)
			return out
		}
		fillWild(t, out.ProtoReflect().Mutable(cases.Get(i)).Message(), 0)
		return out
	})
}

// fillWild sets the required fields of a message nearly always, and others often.
func fillWild(t *rapid.T, m protoreflect.Message, depth int) {
	if p, ok := m.Interface().(*pb.Payload); ok {
		proto.Merge(p, wildPayload(t))
		return
	}
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		required, _ := proto.GetExtension(f.Options(), pb.E_Required).(bool)
		draw := rapid.IntRange(0, 63).Draw(t, "set "+string(f.Name()))
		if required && draw == 63 || !required && (draw > 47 || depth > 3) || f.ContainingOneof() != nil && m.WhichOneof(f.ContainingOneof()) != nil {
			continue
		}
		if !f.IsList() {
			m.Set(f, wildValue(t, f, m.NewField(f), depth))
			continue
		}
		list := m.Mutable(f).List()
		one := wildValue(t, f, list.NewElement(), depth)
		for range rapid.SampledFrom([]int{0, 1, 1, 2, 17, 65, 300}).Draw(t, "n "+string(f.Name())) {
			list.Append(one)
		}
		if list.Len() > 0 {
			list.Append(wildValue(t, f, list.NewElement(), depth))
		}
	}
}

func wildValue(t *rapid.T, f protoreflect.FieldDescriptor, empty protoreflect.Value, depth int) protoreflect.Value {
	name := string(f.Name())
	number := func() uint64 {
		return rapid.SampledFrom([]uint64{0, 1, 2, 7, 200, 999, math.MaxInt32, math.MaxUint32, 1 << 53, math.MaxInt64, math.MaxUint64}).Draw(t, name)
	}
	switch f.Kind() {
	case protoreflect.MessageKind:
		fillWild(t, empty.Message(), depth+1)
		return empty
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.SampledFrom([]int32{0, 0, 1, 2, 3, 4, 9, 1000, -1, math.MinInt32}).Draw(t, name)))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(wild().Draw(t, name))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(wild().Draw(t, name)))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, name))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(number()))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(number()))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(number()))
	}
	return protoreflect.ValueOfUint64(number())
}

// wild generates texts: short and very long ones, those that cost many tokens, and those that
// look like ours.
func wild() *rapid.Generator[string] {
	long := func(piece string, n int) string {
		return strings.Repeat(piece, 1+n/len(piece))[:n/len(piece)*len(piece)]
	}
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "ok", "task_1", "src/main.go", "https://example.com/a", "TimeoutError", "\xe2\x80\xae\x00\t\n", "stdout:\nx\tTask: y", `{"a":1,"a":`}),
		rapid.SampledFrom([]string{
			long("word ", 70_000), long("\U000f1234\u0378", 6000), long("a\n", 3000), long("\x01", 2000), long("Process exited with code 0\n", 4000),
			long("/very/long/path", 5000), long("x", 130), long("\u0e31\u0e34", 600), long("7Qz-", 1030),
		}),
	)
}

// wildPayload generates payloads of any bytes.
func wildPayload(t *rapid.T) *pb.Payload {
	content := rapid.OneOf(
		rapid.Map(wild(), func(s string) []byte { return []byte(s) }),
		rapid.SliceOfN(rapid.Byte(), 0, 300),
		rapid.SampledFrom([][]byte{
			nil, []byte(`{"content":[{"type":"text","text":"a\nb"}],"isError":true}`), []byte(`{"content":[{"type":"` + strings.Repeat("\U000f1234", 99) + `"}]}`),
			[]byte(`[` + strings.Repeat(`{"key":"value",`, 70)), []byte(`[` + strings.Repeat(`{"k":[1,2,"three"]},`, 900) + `null]`), []byte("\x89PNG\r\n\x1a\n\x00\x00"),
			[]byte("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"), []byte("<html><title>" + strings.Repeat("T\u0378 ", 400) + "</title><p>x"),
		}),
	).Draw(t, "content")
	p := &pb.Payload{Source: &pb.Payload_Inline{Inline: content}}
	if rapid.IntRange(0, 7).Draw(t, "loss") == 0 {
		p.SourceLoss = &pb.SourceLoss{
			LostBytes: rapid.SampledFrom([]uint64{0, 1, math.MaxUint64}).Draw(t, "lost"), AtByte: uint64(rapid.IntRange(0, len(content)).Draw(t, "at")),
		}
	}
	return p
}
