package audittest

// Records for tests: those that a server makes, and any other that the types allow.

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Projection returns the record of a projection as the server makes it, of about size bytes, with a value in every part
// that a row has. The same arguments give the same record.
func Projection(session, call, requestID string, size int) *pb.AuditRecord {
	uid, pid := uint32(1000), int32(4711)
	exit := int32(1)
	// The text compresses somewhat, as output of tools does, and depends on the call, so that records differ.
	text := make([]byte, size/2)
	for i := range text {
		text[i] = "0123456789abcdef \n"[(i*i/3+i*len(call))%18]
	}
	shown := string(text)
	return &pb.AuditRecord{
		Kind: pb.AuditKind_AUDIT_KIND_PROJECTION, Method: "/toolresult.v1.ToolResultService/Project", CorrelationId: "c-" + call,
		Caller: &pb.AuditCaller{Uid: &uid, Pid: &pid}, Call: &pb.CallReference{SessionId: session, CallId: call},
		RequestId: requestID, RequestDigest: "blake3:" + fmt.Sprintf("%064x", len(text)), ToolName: "Bash", Family: "command",
		Status:     pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Payloads:   []*pb.AuditPayload{{Field: "output.command.stdout", Bytes: uint64(len(text)), Artifact: "/store/abc/" + call}},
		Redactions: []*pb.Redaction{{Kind: "github-token", Count: 2}}, Elapsed: durationpb.New(1234 * time.Microsecond), BudgetTokens: 1000,
		Details: &pb.AuditDetails{ToolInput: `{"command":"make"}`},
		Output: &pb.CompleteToolOutput{ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{ExitStatus: &exit, CommandLine: "make"}}},
		Canonical: &pb.CanonicalToolResult{ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "make failed",
			Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{ExitStatus: &exit, StdoutPreview: &shown,
				Artifacts: []*pb.ArtifactReference{{Path: "/store/abc/" + call}}}}},
		Receipt: &pb.Receipt{Text: "Process exited with code 1\n" + shown, Tokens: uint32(size / 8), TokenCounter: "estimate-1", RendererVersion: 1},
	}
}

// Rejection returns the record of a call that was rejected, which is the smallest that a server appends.
func Rejection(reason string) *pb.AuditRecord {
	return &pb.AuditRecord{Kind: pb.AuditKind_AUDIT_KIND_REJECTION, Method: "/toolresult.v1.ToolResultService/Project",
		Rejection: &pb.AuditRejection{Code: "INVALID_ARGUMENT", Reason: reason}}
}

// Records generates records of any content: every field, texts with any character, bytes of any value, no request id. A
// field that is added to the contract is among them without a change here.
func Records() *rapid.Generator[*pb.AuditRecord] {
	return rapid.Custom(func(t *rapid.T) *pb.AuditRecord {
		r := &pb.AuditRecord{}
		fill(t, r.ProtoReflect(), 4)
		r.RequestId = "" // which must be unique
		return r
	})
}

// fill sets the fields of a message to generated values: all of them at the top, so that records use every column, and
// about a quarter below, up to a depth of messages within messages.
func fill(t *rapid.T, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if rapid.IntRange(0, 3).Draw(t, string(f.Name())) > 0 && depth < 4 {
			continue
		}
		// Of a oneof one field is set, or the last one drawn would take the place of all others.
		if f.Message() != nil && depth == 0 || f.ContainingOneof() != nil && m.WhichOneof(f.ContainingOneof()) != nil {
			continue
		}
		switch {
		case f.IsMap():
			fillMap(t, m.Mutable(f).Map(), f, depth)
		case f.IsList():
			list := m.Mutable(f).List()
			for range rapid.IntRange(0, 2).Draw(t, "length") {
				if f.Message() != nil {
					fill(t, list.AppendMutable().Message(), depth-1)
				} else {
					list.Append(value(t, f))
				}
			}
		case f.Message() != nil:
			fill(t, m.Mutable(f).Message(), depth-1)
		default:
			m.Set(f, value(t, f))
		}
	}
}

// fillMap adds entries to a map. Keys may be the same, in which case the last one counts.
func fillMap(t *rapid.T, m protoreflect.Map, f protoreflect.FieldDescriptor, depth int) {
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		key := value(t, f.MapKey()).MapKey()
		if f.MapValue().Message() != nil {
			fill(t, m.Mutable(key).Message(), depth-1)
		} else {
			m.Set(key, value(t, f.MapValue()))
		}
	}
}

// value generates a value of a field that is not a message.
func value(t *rapid.T, f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, "bool"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.Int32Range(0, 9).Draw(t, "enum")))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(t, "int32"))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(t, "int64"))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, "uint32"))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(t, "uint64"))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(rapid.Float32().Draw(t, "float"))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(rapid.Float64().Draw(t, "double"))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(Text().Draw(t, "text"))
	default:
		return protoreflect.ValueOfBytes(rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "bytes"))
	}
}

// Text generates short texts of any characters, every other one of those that databases may alter.
func Text() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringN(0, 12, 40), rapid.SampledFrom(slices.Clone(hardTexts)))
}

// hardTexts are texts that databases, queries or terminals treat in a way of their own.
var hardTexts = []string{
	"", "\x00", "a\x00b", // PostgreSQL has no NUL in a text
	"'; DROP TABLE records; --", "%s?1$1", "x'00'", // SQL that is not quoted, placeholders, a blob of SQLite
	"\n\r\u2028\"\\", "\U0001F600\u202E", // separators of lines, characters beyond 16 bits, and the order of writing
}
