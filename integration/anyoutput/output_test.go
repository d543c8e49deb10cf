package anyoutput_test

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// request draws one case: an output of any family, or an error, under any policy.
func (s *source) request() *pb.ProjectRequest {
	out := &pb.CompleteToolOutput{ToolName: []string{"Bash", "mcp__files__read", "Grep", "x", "WebFetch-2"}[s.IntN(5)]}
	if s.one(5) {
		out.SummaryText = s.words()
	}
	m := out.ProtoReflect()
	families := m.Descriptor().Oneofs().ByName("result").Fields()
	switch pick := s.IntN(families.Len() + 4); {
	case pick < families.Len() && families.Get(pick).Name() != "custom":
		f := families.Get(pick)
		s.fill(m.Mutable(f).Message(), 0)
	case s.one(2):
		out.Error = &pb.CompleteToolError{}
		s.fill(out.GetError().ProtoReflect(), 0)
	default:
		out.Result = &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: s.payload(), MediaType: s.words()}}
	}
	mend(out)
	return &pb.ProjectRequest{Output: out, Policy: s.policy()}
}

// policy draws a policy. A budget that is stated may be too small for what must be said; the
// default one never is.
func (s *source) policy() *pb.ProjectionPolicy {
	if s.one(3) {
		return nil
	}
	p := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{
		MaxTokens: []uint32{0, 0, 64, 300, 1000, 20_000}[s.IntN(6)], MaxLines: []uint32{0, 0, 0, 12, 200}[s.IntN(5)],
		MaxBytes: []uint32{0, 0, 0, 900, 40_000}[s.IntN(5)], MaxLineBytes: []uint32{0, 0, 80, 5000}[s.IntN(4)],
	}, TokenVocabulary: pb.TokenVocabulary(s.IntN(3))}}
	if s.one(3) {
		p.HeadPercent = new(uint32(s.IntN(101)))
	}
	if s.one(4) {
		p.ArtifactPolicy = pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS
	}
	p.Segments = s.one(4)
	return p
}

// maxDepth bounds how deep messages are filled.
const maxDepth = 5

// fill sets fields of a complete message at random.
func (s *source) fill(m protoreflect.Message, depth int) {
	if p, ok := m.Interface().(*pb.Payload); ok {
		proto.Merge(p, s.payload())
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		required, _ := proto.GetExtension(f.Options(), pb.E_Required).(bool)
		if !required && (depth >= maxDepth || s.one(3)) {
			continue
		}
		if f.ContainingOneof() != nil && !f.HasOptionalKeyword() && m.WhichOneof(f.ContainingOneof()) != nil {
			continue
		}
		switch {
		case f.IsList() && f.Message() != nil:
			for range s.length() {
				s.fill(m.Mutable(f).List().AppendMutable().Message(), depth+1)
			}
		case f.IsList():
			for range s.length() {
				m.Mutable(f).List().Append(s.scalar(f, true))
			}
		case f.Message() != nil:
			s.fill(m.Mutable(f).Message(), depth+1)
		default:
			m.Set(f, s.scalar(f, required))
		}
	}
}

// length draws how long a list is: short, and once in a while very long.
func (s *source) length() int {
	if s.one(60) {
		return s.IntN(400)
	}
	return s.IntN(4)
}

func (s *source) scalar(f protoreflect.FieldDescriptor, required bool) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(s.one(2))
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		n := values.Get(s.IntN(values.Len())).Number()
		if required && n == 0 {
			n = values.Get(1).Number()
		}
		return protoreflect.ValueOfEnum(n)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32([]int32{0, 1, 2, 127, 137, -1, math.MaxInt32, math.MinInt32}[s.IntN(8)])
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32([]uint32{0, 1, 7, 404, math.MaxUint32}[s.IntN(5)])
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64([]uint64{0, 1, 42, 5000, math.MaxInt64, math.MaxUint64}[s.IntN(6)])
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(s.text())
	case protoreflect.StringKind:
		if text := s.words(); text != "" || !required {
			return protoreflect.ValueOfString(text)
		}
		return protoreflect.ValueOfString("x")
	}
	panic(fmt.Sprintf("a field of kind %s", f.Kind()))
}

// payload draws a payload, inline.
func (s *source) payload() *pb.Payload {
	p := &pb.Payload{Source: &pb.Payload_Inline{Inline: s.text()}}
	if s.one(20) {
		p.SourceLoss = &pb.SourceLoss{LostBytes: s.Uint64N(10_000), AtByte: s.Uint64N(uint64(len(p.GetInline())) + 1)}
	}
	return p
}
