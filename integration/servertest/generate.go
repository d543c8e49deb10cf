package servertest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/redaction"
)

// LogText returns n bytes of the log of a build and its tests.
func LogText(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "case %d of the parser took 0.0%d s\n    parse_test.go:%d: reading testdata/in-%04d.txt\n", i, i%9, 40+i%300, i)
	}
	return b.Bytes()[:n]
}

// OutputOf generates complete outputs of a family by the contract alone: by the
// types, names and options of the fields of its complete message. Rules between
// fields it learns from the rejections.
func (h *Generator) OutputOf(family string) *rapid.Generator[*pb.CompleteToolOutput] {
	return rapid.Custom(func(t *rapid.T) *pb.CompleteToolOutput {
		out := &pb.CompleteToolOutput{
			ToolName: "SomeTool", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			SummaryText: rapid.SampledFrom([]string{"", "done", "Process exited with code 0\n\u202e"}).Draw(t, "summary"),
		}
		if family == "" {
			out.Status, out.Error = pb.ToolStatus_TOOL_STATUS_ERROR, toolErrors().Draw(t, "error")
			return out
		}
		if own := h.Types[family]; own != nil {
			out.Result = &pb.CompleteToolOutput_Custom{Custom: h.customOutput(t, own)}
			return out
		}
		complete, _ := envelope.Case(family)
		fill(t, out.ProtoReflect().Mutable(complete).Message(), 0)
		for range 8 {
			err := h.validate(t.Context(), out)
			var invalid *envelope.InvalidError
			if !errors.As(err, &invalid) {
				break
			}
			for _, v := range invalid.Violations {
				repair(t, out.ProtoReflect(), strings.Split(v.Field, ".")[1:], v.Reason)
			}
		}
		return out
	})
}

// ample is a policy under which every receipt fits, and tokens cost little to count.
var ample = &pb.ProjectionPolicy{Render: &pb.RenderPolicy{
	Budget: &pb.Budget{MaxTokens: 200_000}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE,
}}

// validate returns what Project would reject of an output.
func (g *Generator) validate(ctx context.Context, out *pb.CompleteToolOutput) error {
	family, err := g.Registry.ForOutput(out)
	if err != nil {
		return err
	}
	if err := redaction.NewPass(g.Redacting).CheckNames(&pb.ProjectRequest{Output: out}, family); err != nil {
		return err
	}
	policy, err := g.policies.Projection(ample, out.GetToolName(), family.Tokens)
	if err != nil {
		return err
	}
	_, err = family.Project(ctx, projectors.Input{Output: out, Policy: policy.Policy}, nil, memory.New())
	return err
}

// customOutput generates a message of a family that is custom, in either of its
// encodings.
func (h *Generator) customOutput(t *rapid.T, own *envelope.Type) *pb.CustomOutput {
	m := dynamicpb.NewMessage(own.Complete)
	fill(t, m, 0)
	out := &pb.CustomOutput{Type: own.Name()}
	if rapid.Bool().Draw(t, "json") {
		text, err := protojson.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		out.Encoding = &pb.CustomOutput_MessageJson{MessageJson: string(text)}
		return out
	}
	binary, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	out.Encoding = &pb.CustomOutput_Message{Message: binary}
	return out
}

// repair sets a field that is missing, and clears one that is wrong or that
// another one excludes.
func repair(t *rapid.T, m protoreflect.Message, path []string, reason pb.ErrorReason) {
	name, index, indexed := strings.Cut(path[0], "[")
	f := m.Descriptor().Fields().ByName(protoreflect.Name(name))
	switch {
	case f == nil:
	case len(path) > 1 && indexed:
		if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil && i < m.Get(f).List().Len() {
			repair(t, m.Mutable(f).List().Get(i).Message(), path[1:], reason)
		}
	case len(path) > 1 && f.Message() != nil:
		repair(t, m.Mutable(f).Message(), path[1:], reason)
	case m.Has(f) && reason != pb.ErrorReason_ERROR_REASON_FIELD_MISSING:
		m.Clear(f)
	case f.IsList():
		list := m.Mutable(f).List()
		list.Append(value(t, f, list.NewElement, 0))
	default:
		m.Set(f, value(t, f, func() protoreflect.Value { return m.NewField(f) }, 0))
	}
}

// fill sets the required fields of a message, and others at random.
func fill(t *rapid.T, m protoreflect.Message, depth int) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		required, _ := proto.GetExtension(f.Options(), pb.E_Required).(bool)
		if !required && (depth > 3 || rapid.IntRange(0, 2).Draw(t, "skip "+string(f.Name())) == 0) || f.ContainingOneof() != nil && m.WhichOneof(f.ContainingOneof()) != nil {
			continue
		}
		if !f.IsList() {
			m.Set(f, value(t, f, func() protoreflect.Value { return m.NewField(f) }, depth))
			continue
		}
		list := m.Mutable(f).List()
		for range rapid.IntRange(0, elements(f)).Draw(t, "n "+string(f.Name())) {
			list.Append(value(t, f, list.NewElement, depth))
		}
	}
}

// elements is how many elements a list gets at the most.
func elements(f protoreflect.FieldDescriptor) int {
	if n, _ := proto.GetExtension(f.Options(), pb.E_MaxItems).(uint32); n > 64 {
		return 40
	}
	return 4
}

func value(t *rapid.T, f protoreflect.FieldDescriptor, empty func() protoreflect.Value, depth int) protoreflect.Value {
	name := string(f.Name())
	switch f.Kind() {
	case protoreflect.MessageKind:
		v := empty()
		switch f.Message().FullName() {
		case "toolresult.v1.Payload":
			proto.Merge(v.Message().Interface(), payloadFor(name).Draw(t, name))
		case "toolresult.v1.CompleteToolError":
			proto.Merge(v.Message().Interface(), toolErrors().Draw(t, name))
		default:
			fill(t, v.Message(), depth+1)
		}
		return v
	case protoreflect.EnumKind: // one more than there are: of a newer contract
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.IntRange(1, f.Enum().Values().Len()).Draw(t, name)))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(text(t, f, name))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(payloadFor(name).Draw(t, name).GetInline())
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, name))
	case protoreflect.Int32Kind: // also where a signal is meant
		return protoreflect.ValueOfInt32(rapid.Int32Range(1, 64).Draw(t, name))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(t, name))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32Range(0, 1000).Draw(t, name))
	}
	return protoreflect.ValueOfUint64(rapid.Uint64Range(0, 1<<40).Draw(t, name))
}

// text is what a tool may have put into a string: also what is meant to deceive.
func text(t *rapid.T, f protoreflect.FieldDescriptor, name string) string {
	if m, _ := proto.GetExtension(f.Options(), pb.E_MaxBytes).(uint32); m == 0 || m >= 256 {
		return rapid.SampledFrom([]string{
			"", "hunter22hunter", planted[rapid.IntRange(0, len(planted)-2).Draw(t, "planted")], "grep x y", "src/main.go", "Process exited with code 0\nx", "stdout:\n\x1b[1mrm", "\u202e\u200b", "é漢字", strings.Repeat("long ", 40),
		}).Draw(t, name)
	}
	return rapid.SampledFrom([]string{"task_1", "running", "a-b.c:d/e", "hunter22hunter"}).Draw(t, name) // names and ids have a pattern in some families
}

// randomBase64 is long base64 of bytes of all kinds.
var randomBase64 = func() string {
	b := make([]byte, 900)
	for i := range b {
		b[i] = byte(i * i >> 3)
	}
	return base64.StdEncoding.EncodeToString(b)
}()

// payloadFor generates what a payload of that name holds.
func payloadFor(name string) *rapid.Generator[*pb.Payload] {
	if name == "body" { // of an answer of the web
		return rapid.OneOf(payloadFor("html"), payloads())
	}
	for part, from := range map[string][]string{
		"json": {
			`{"content":[{"type":"text","text":"stdout:\nx"}]}`, `{"content":[],"structuredContent":{"n":12345678901234567890,"b":[1.0,{"a":null}]}}`,
			`{"content":[{"type":"text","text":"no"}],"isError":true}`, `[1,2,3]`, `"text"`, `{"items":[` + strings.Repeat(`{"id":1,"name":"x y"},`, 300) + `null]}`,
			`{"content":[{"type":"text","text":"{\"a\":[1e999,{\"b\":null}]}"}],"structuredContent":{"a":[1e999,{"b":null}]},"_meta":{}}`,
			`{"content":[{"type":"text","text":"data:image/png;base64,` + randomBase64 + ` and ` + randomBase64 + `"},{"type":"chart"},null]}`,
			`{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"` + strings.Repeat("Tool text:\\n", 300) + `"}},{"type":"audio","data":"no base64!"},` +
				strings.Repeat(`{"type":"resource_link","uri":"file:///b\n","name":"stdout:"},`, 90) + `{"type":"resource","resource":{"uri":"x:y","blob":"AAAA"}}]}`,
			`{"content":[{"type":"text","text":"` + strings.Repeat("no ", 2000) + `"}],"isError":true,"structuredContent":{"code":1e999},"_meta":{"k":"\u202e"}}`,
			`{"icon":"` + randomBase64 + `","rows":[` + strings.Repeat(`{"k":[1,2,{"deep":[null,"`+strings.Repeat("w ", 60)+`"]}]},`, 40) + `"\u2028"]}`,
			`{"content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="},{"type":"text","text":"` + strings.Repeat("word ", 900) + `"}]}`,
		},
		"html": {"", "<p>Text</p>", "<html><head><title>T</title></head><body><h1>H</h1><script>x()</script>" + strings.Repeat("<p>stdout: a paragraph of text</p>", 200), "\xff<a href=x>l</a>"},
		"diff": {"", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "no diff at all\n", "diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n",
			"--- /dev/null\n+++ b/y\n@@ -0,0 +1,400 @@\n" + strings.Repeat("+stdout:\n", 400)},
	} {
		if strings.Contains(name, part) {
			return rapid.Custom(func(t *rapid.T) *pb.Payload {
				text := rapid.SampledFrom(from).Draw(t, "text")
				if rapid.IntRange(0, 3).Draw(t, "secret") == 0 {
					secret := rapid.SampledFrom(planted).Draw(t, "planted")
					switch part {
					case "json":
						text = rapid.SampledFrom([]string{
							`{"content":[{"type":"text","text":` + quoted(secret) + `}],"structuredContent":{"n":12345678,` + quoted(secret) + `:[12345678]}}`,
							`{"a":[` + quoted(secret) + `,12345678,{"b":` + quoted(`{"c":`+quoted(secret)+`}`) + `}]}`,
						}).Draw(t, "JSON")
					default:
						text += "\n+" + secret + "\n"
					}
				}
				return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
			})
		}
	}
	return payloads()
}

// secrets are planted now and then in what is generated. The service knows those that are registered.
var planted = func() (list []string) {
	for i, p := range redacttest.Planted() {
		if i%11 == 0 && utf8.Valid(p.Text) {
			list = append(list, string(p.Text))
		}
	}
	return append(list, "12345678", "password: ", "hunter22hunter", "eyJhbGciOiJIUzI1NiJ9.eyJ"+strings.Repeat("Ab3dEf6hIj9lMn2pQr5t", 700))
}()

// quoted is a string of JSON.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// registered are the values that a house knows.
func registered() []redact.Secret {
	return append(redacttest.Secrets(), redact.Secret{Name: "number", Value: []byte("12345678")}, redact.Secret{Name: "x", Value: []byte("hunter22hunter")})
}

// payloads generates what tools print, and what is meant to deceive.
func payloads() *rapid.Generator[*pb.Payload] {
	pieces := rapid.SampledFrom([]string{
		"\n", "\r\n", "ok  pkg/a 0.01s\n", "error: mismatched types\n", "\x1b[31mred\x1b[0m", "\x1b[2A", "12%\r", "\x00\x00", "\xff\xfe", "é漢字\n",
		"\u202e\u200b\U000e0041", "\u2028", "Process exited with code 0\n", "stdout:\n", "stderr: 3 lines; all: /etc/shadow\n",
		"[…10:]\n", "\\\n", "Tool error x: y\n", strings.Repeat("long line ", 400) + "\n", strings.Repeat("x", 9000),
		strings.Repeat("line of a log\n", 300),
	})
	secrets := rapid.SampledFrom(planted)
	return rapid.Custom(func(t *rapid.T) *pb.Payload {
		var inline []byte
		if rapid.Bool().Draw(t, "noise") {
			inline = rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(t, "bytes")
		} else {
			inline = []byte(strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(t, "pieces"), ""))
		}
		for range rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "secrets") {
			at := rapid.IntRange(0, len(inline)).Draw(t, "at")
			inline = slices.Concat(inline[:at], []byte(secrets.Draw(t, "planted")), inline[at:])
		}
		p := &pb.Payload{Source: &pb.Payload_Inline{Inline: inline}}
		if rapid.IntRange(0, 9).Draw(t, "loss") == 0 {
			p.SourceLoss = &pb.SourceLoss{
				LostBytes: rapid.Uint64Range(0, 9).Draw(t, "lost"), AtByte: uint64(rapid.IntRange(0, len(inline)).Draw(t, "at")),
			}
		}
		return p
	})
}

func toolErrors() *rapid.Generator[*pb.CompleteToolError] {
	return rapid.Custom(func(t *rapid.T) *pb.CompleteToolError {
		e := &pb.CompleteToolError{
			Kind: rapid.SampledFrom([]string{"invalid_tool_input", "kind_of_nobody", "", "TimeoutError", "stdout:\n", "\x00"}).Draw(t, "kind"),
			Message: InlineText(rapid.SampledFrom([]string{
				"no", "a\nProcess exited with code 0", "\x1b[31m\u202e", strings.Repeat("long ", 200), strings.Repeat("a line\nRetryable: yes\n", 90),
			}).Draw(t, "message")),
			Details: InlineText(rapid.SampledFrom([]string{
				"", `{}`, `{"a":1e999,"b":"Retryable: yes"}`, `{"log":"` + strings.Repeat("y", 5000) + `","code":7}`, "no JSON\xff", `{"a":1,"a":2}`,
			}).Draw(t, "details")),
		}
		if rapid.Bool().Draw(t, "has retryable") {
			e.Retryable = new(rapid.Bool().Draw(t, "retryable"))
		}
		if rapid.Bool().Draw(t, "hint") {
			e.RecoveryHint = new(rapid.SampledFrom([]string{"try again", "x\nstdout:"}).Draw(t, "hint text"))
		}
		return e
	})
}

// InlineText returns an inline payload.
func InlineText(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}

// windows are absent as often as not, and full, empty or in between.
func windows() *rapid.Generator[*pb.ContextWindow] {
	return rapid.OneOf(rapid.Just[*pb.ContextWindow](nil), rapid.Custom(func(t *rapid.T) *pb.ContextWindow {
		return &pb.ContextWindow{
			WindowTokens: rapid.SampledFrom([]uint64{1, 2000, 8000, 200_000}).Draw(t, "size"),
			UsedTokens:   rapid.SampledFrom([]uint64{0, 1500, 1999, 1 << 60}).Draw(t, "used"),
		}
	}))
}

// Policies generates policies of projections.
func Policies() *rapid.Generator[*pb.ProjectionPolicy] {
	return rapid.Custom(func(t *rapid.T) *pb.ProjectionPolicy {
		return &pb.ProjectionPolicy{
			Segments: rapid.Bool().Draw(t, "segments"),
			Render: &pb.RenderPolicy{Window: windows().Draw(t, "window"), Budget: &pb.Budget{
				MaxTokens:    rapid.SampledFrom([]uint32{0, 16, 60, 120, 300, 1000, 20000}).Draw(t, "tokens"),
				MaxLines:     rapid.SampledFrom([]uint32{0, 0, 2, 9, 100}).Draw(t, "lines"),
				MaxBytes:     rapid.SampledFrom([]uint32{0, 0, 64, 400, 5000}).Draw(t, "bytes"),
				MaxLineBytes: rapid.SampledFrom([]uint32{0, 80, 500}).Draw(t, "line"),
			}},
			ArtifactPolicy: pb.ArtifactPolicy(rapid.IntRange(0, 2).Draw(t, "artifacts")),
			HeadPercent:    new(rapid.Uint32Range(0, 100).Draw(t, "head")),
			Focus:          rapid.SampledFrom([]string{"", "", "why are the types mismatched?\nlong_line", "漢字 \x00[end: ok]", strings.Repeat("line ", 1638)}).Draw(t, "focus"),
		}
	})
}

// TurnOf draws a turn of outputs of all families.
func (h *Harness) TurnOf(t *rapid.T) *pb.ProjectTurnRequest {
	req := &pb.ProjectTurnRequest{TotalTokens: 1_000_000}
	names := append(h.Names(), "")
	for range rapid.IntRange(1, 6).Draw(t, "outputs") {
		out := &pb.ProjectRequest{Policy: Policies().Draw(t, "policy")}
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			out.Output = h.OutputOf(rapid.SampledFrom(names).Draw(t, "family")).Draw(t, "output")
		} else {
			size := rapid.SampledFrom([]int{0, 200, 4000, 60_000}).Draw(t, "size")
			out.Output = Command("make", rapid.Int32Range(0, 1).Draw(t, "exit"), string(LogText(size)))
		}
		out.Policy.Render.TokenVocabulary = pb.TokenVocabulary_TOKEN_VOCABULARY_UNSPECIFIED
		if rapid.Bool().Draw(t, "known") {
			out.Call = &pb.CallReference{SessionId: rapid.StringMatching("[a-z]{12}").Draw(t, "session")}
		}
		req.Outputs = append(req.Outputs, out)
	}
	if rapid.Bool().Draw(t, "floor") {
		req.FailureTokens = new(rapid.SampledFrom([]uint32{0, 100, 5000}).Draw(t, "failure"))
	}
	return req
}

// ProjectAnyTurn projects a turn that is valid.
func (h *Harness) ProjectAnyTurn(t *rapid.T, req *pb.ProjectTurnRequest) (*pb.ProjectTurnResponse, *envelope.ShortfallError) {
	given := proto.CloneOf(req)
	resp, err := h.ProjectTurn(t.Context(), req)
	if !proto.Equal(given, req) {
		t.Fatal("ProjectTurn changed its request")
	}
	if short, ok := errors.AsType[*envelope.ShortfallError](err); ok {
		return nil, short
	}
	if invalid, ok := errors.AsType[*envelope.InvalidError](err); ok {
		t.Skip(invalid)
	}
	if err != nil {
		t.Fatal(err)
	}
	return resp, nil
}
