package pipeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/renderers"
)

// customOf returns an output of a custom family.
func customOf(family string, message *pb.CustomOutput) *pb.CompleteToolOutput {
	message.Type = family
	return &pb.CompleteToolOutput{ToolName: "Deploy", SummaryText: "deployed", Result: &pb.CompleteToolOutput_Custom{Custom: message}}
}

// newerOutput returns an output of a later contract, whose case 140 this build does not know, as it is received.
func newerOutput(t *testing.T, text string) *pb.CompleteToolOutput {
	t.Helper()
	file := protodesc.ToFileDescriptorProto(pb.File_toolresult_v1_text_proto)
	file.Dependency, file.Name, file.Package = nil, new("later.proto"), new("later")
	str, msg := descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	file.MessageType = []*descriptorpb.DescriptorProto{
		{Name: new("Orbit"), Field: []*descriptorpb.FieldDescriptorProto{{Name: new("path"), Number: new(int32(1)), Type: str}}},
		{Name: new("Output"), Field: []*descriptorpb.FieldDescriptorProto{
			{Name: new("tool_name"), Number: new(int32(1)), Type: str},
			{Name: new("orbit"), Number: new(int32(140)), Type: msg, TypeName: new(".later.Orbit")},
		}},
	}
	d, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	later := dynamicpb.NewMessage(d.Messages().ByName("Output"))
	fields := later.Descriptor().Fields()
	later.Set(fields.ByName("tool_name"), fields.ByName("tool_name").Default())
	orbit := later.Mutable(fields.ByName("orbit")).Message()
	orbit.Set(orbit.Descriptor().Fields().ByName("path"), protoreflect.ValueOfString(text))
	wire, err := proto.Marshal(later)
	if err != nil {
		t.Fatal(err)
	}
	out := &pb.CompleteToolOutput{}
	if err := proto.Unmarshal(wire, out); err != nil {
		t.Fatal(err)
	}
	out.ToolName = "Orbit"
	return out
}

// An output of a family that the server does not know has a receipt as text, which says why, and nothing of it is lost.
func TestUnknownOutputsAreText(t *testing.T) {
	a := newArchive(t)
	long := `{"environment":"prod","log":"` + strings.Repeat("line of a log\\n", 4000) + `the end"}`
	binary := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "prod")
	for name, c := range map[string]struct {
		out     *pb.CompleteToolOutput
		why     string
		content []byte
	}{
		"custom, JSON":   {customOf("other.v1.Deploy", &pb.CustomOutput{Encoding: &pb.CustomOutput_MessageJson{MessageJson: `{"environment":"prod"}`}}), "its family other.v1.Deploy is not known here", []byte(`{"environment":"prod"}`)},
		"custom, long":   {customOf("other.v1.Deploy", &pb.CustomOutput{Encoding: &pb.CustomOutput_MessageJson{MessageJson: long}}), "its family other.v1.Deploy is not known here", []byte(long)},
		"custom, binary": {customOf("other.v1.Deploy", &pb.CustomOutput{Encoding: &pb.CustomOutput_Message{Message: binary}}), "its family other.v1.Deploy is not known here", binary},
		"a key twice": {customOf("acme.v1.DeployResult", &pb.CustomOutput{Encoding: &pb.CustomOutput_MessageJson{MessageJson: `{"environment":"a","environment":"b"}`}}),
			"the JSON of its family acme.v1.DeployResult has a key twice", []byte(`{"environment":"a","environment":"b"}`)},
		"half of a pair": {customOf("acme.v1.DeployResult", &pb.CustomOutput{Encoding: &pb.CustomOutput_MessageJson{MessageJson: `{"environment":"\ud800"}`}}),
			"the JSON of its family acme.v1.DeployResult has half of a surrogate pair", []byte(`{"environment":"\ud800"}`)},
		"a newer case": {newerOutput(t, "src/runtime/turn.rs"), "its family is not known here (field 140)", newerOutput(t, "src/runtime/turn.rs").ProtoReflect().GetUnknown()},
	} {
		given := proto.CloneOf(c.out)
		resp, err := a.Project(t.Context(), &pb.ProjectRequest{Output: c.out})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !proto.Equal(given, c.out) {
			t.Errorf("%s: the request was changed", name)
		}
		text := resp.GetCanonical().GetText()
		if text.GetShownAsText() != c.why || !strings.HasPrefix(resp.GetReceipt().GetText(), "Tool answered\nShown as text: "+c.why+"\nTool output:") {
			t.Errorf("%s: %s", name, resp.GetReceipt().GetText())
		}
		kept := []byte(text.GetContentPreview())
		if text.ContentArtifact != nil {
			kept = a.Content(t, text.GetArtifacts()[text.GetContentArtifact()].GetPath())
		}
		if source := text.GetContentSource(); source != nil && source.OriginalArtifact != nil {
			kept = a.Content(t, text.GetArtifacts()[source.GetOriginalArtifact()].GetPath())
		}
		var compact bytes.Buffer
		if json.Compact(&compact, kept) == nil {
			kept = compact.Bytes() // JSON is stored in its readable form
		}
		if !bytes.Equal(kept, c.content) {
			t.Errorf("%s: %q is kept, want %q", name, kept, c.content)
		}
		servertest.CheckHolds(t, a.Verify(t, a.Last(t, 1)[0]))
		again, err := a.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}})
		if err != nil || again.GetReceipt().GetText() != resp.GetReceipt().GetText() {
			t.Errorf("%s: rendered as %q, %v", name, again.GetReceipt().GetText(), err)
		}
	}
}

// The streams of an unknown family are one text behind its message, without their secrets, also in a snapshot and in a turn.
func TestStreamsOfUnknownOutputsAreText(t *testing.T) {
	h := newArchive(t)
	out := customOf("other.v1.Deploy", &pb.CustomOutput{Encoding: &pb.CustomOutput_MessageJson{MessageJson: `{"log":{"stream":"log"}}`}})
	const awsSecret = "kX9vQ2mZt7Lw4RbN8sYc1HdJ6fGp0AeUo3TiKqWz"
	log := strings.Repeat("deploying\n", 20_000) + "export AWS_SECRET_ACCESS_KEY=" + awsSecret + "\ndone"
	header := func(family string) *pb.ProjectStreamRequest {
		return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: family, Streams: []string{"errors"}}}}
	}
	want := `{"log":{"stream":"log"}}` + "\nstream errors, 0 bytes:\n\nstream log, " + fmt.Sprint(len(log)) + " bytes:\n" + log
	for name, c := range map[string]struct {
		family string
		out    *pb.CompleteToolOutput
	}{
		"custom": {"other.v1.Deploy", out},
		"case":   {"orbit", newerOutput(t, "x")},
	} {
		answers, err := h.Stream(t.Context(), []*pb.ProjectStreamRequest{
			header(c.family), servertest.Chunk("log", []byte(log[:1000])), servertest.Snapshot(c.out), servertest.Chunk("log", []byte(log[1000:])), servertest.Finish(c.out),
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if early := answers[0].GetSnapshot().GetReceipt().GetText(); !strings.Contains(early, "stream log, 1000 bytes:\ndeploying") {
			t.Errorf("%s: the snapshot is %s", name, early)
		}
		resp := answers[1].GetResult()
		text := resp.GetCanonical().GetText()
		kept := string(h.Content(t, text.GetArtifacts()[text.GetContentArtifact()].GetPath()))
		_, behind, _ := strings.Cut(want, "\nstream errors")
		behind = strings.Replace(behind, awsSecret, "[redacted:aws-secret-access-key]", 1)
		if !strings.HasSuffix(kept, behind) || text.GetShownAsText() == "" || !strings.HasSuffix(resp.GetReceipt().GetText(), "\ndone") {
			t.Errorf("%s: %d bytes are kept\n%s", name, len(kept), resp.GetReceipt().GetText())
		}
		if len(resp.GetRedactions()) == 0 || strings.Contains(kept, awsSecret) {
			t.Errorf("%s: the secret is kept", name)
		}
		servertest.CheckHolds(t, h.Verify(t, h.Last(t, 1)[0]))
	}
	turn, err := h.ProjectTurn(t.Context(), &pb.ProjectTurnRequest{TotalTokens: 1000, Outputs: []*pb.ProjectRequest{{Output: out}, {Output: servertest.Small("x", "y")}}})
	if err != nil || turn.GetResults()[0].GetCanonical().GetText().GetShownAsText() == "" || turn.GetResults()[0].GetFamily() != "text" {
		t.Errorf("%v, %v", turn, err)
	}
	if _, err := h.Stream(t.Context(), []*pb.ProjectStreamRequest{header("no family!")}); err == nil || !strings.Contains(servertest.ToStatus(err).Error(), "header.family: is no name of a family") {
		t.Errorf("a family without a name: %v", err)
	}
}

// A canonical result of a family that the server does not know is rendered as text, from its message, its JSON and its record.
func TestUnknownResultsAreRenderedAsText(t *testing.T) {
	a := newArchive(t)
	custom := &pb.CanonicalToolResult{
		ToolName: "Deploy", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_Custom{Custom: &pb.CustomResult{Type: "other.v1.Deploy", PayloadJson: `{"id":1,"state":"up"}`}},
	}
	newer := &pb.CanonicalToolResult{ToolName: "Orbit", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s"}
	newer.ProtoReflect().SetUnknown(newerOutput(t, "src/runtime/turn.rs").ProtoReflect().GetUnknown())
	asJSON := func(family, result string) *pb.RenderRequest {
		text := `{"tool_name":"Deploy","status":"success","summary_text":"s","result":` + result + `,"error":null}`
		return &pb.RenderRequest{Result: &pb.RenderRequest_CanonicalJson{CanonicalJson: text}, Family: family}
	}
	const payload = "\nTool output:\n{\n  \"id\": 1,\n  \"state\": \"up\"\n}"
	for name, c := range map[string]struct {
		req  *pb.RenderRequest
		want string
	}{
		"custom":         {&pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: custom}}, "its family other.v1.Deploy is not known here" + payload},
		"custom in JSON": {asJSON("other.v1.Deploy", `{"id":1,"state":"up"}`), "its family other.v1.Deploy is not known here" + payload},
		"case in JSON":   {asJSON("orbit", `{"id":1,"state":"up"}`), "its family orbit is not known here" + payload},
		"JSON alone":     {asJSON("", `{"id":1,"state":"up"}`), "its family is not known here" + payload},
		"case":           {&pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: newer}}, "its family is not known here (field 140)\nTool output: "},
	} {
		resp, err := a.Render(t.Context(), c.req)
		if err != nil || !strings.HasPrefix(resp.GetReceipt().GetText(), "Tool answered\nShown as text: "+c.want) {
			t.Errorf("%s: %v\n%s", name, err, resp.GetReceipt().GetText())
		}
		servertest.CheckHolds(t, a.Verify(t, a.Last(t, 1)[0]))
	}
}

// JSON that has a key twice is shown as text with the reason, wherever a tool may write it, and the receipt has both values.
func TestKeysTwiceAreText(t *testing.T) {
	h := newHarness(t)
	twice := &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(`{"content":[{"type":"text","text":"x"}],"a":"first","a":"second"}`)}}
	output := func(family string) *pb.CompleteToolOutput {
		out := &pb.CompleteToolOutput{ToolName: "T"}
		switch family {
		case "mcp":
			out.Result = &pb.CompleteToolOutput_ExternalMcp{ExternalMcp: &pb.ExternalMcpOutput{Result: twice}}
		case "json":
			out.Result = &pb.CompleteToolOutput_ExternalJson{ExternalJson: &pb.ExternalJsonOutput{Result: twice}}
		default:
			out.Error = &pb.CompleteToolError{Kind: "refused", Message: servertest.InlineText("no"), Details: twice}
		}
		return out
	}
	for family, want := range map[string]string{
		"mcp": "Shown as text: the JSON has a key twice", "json": "Shown as text: the JSON has a key twice",
		"error": "Shown as text: error details, because the JSON has a key twice\nError details: ",
	} {
		resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: output(family)})
		if err != nil {
			t.Fatalf("%s: %v", family, err)
		}
		for _, s := range []string{want, "first", "second"} {
			if !strings.Contains(resp.GetReceipt().GetText(), s) {
				t.Errorf("%s: %q is not in\n%s", family, s, resp.GetReceipt().GetText())
			}
		}
		if d, err := renderers.ParseReceipt(resp.GetReceipt().GetText()); err != nil || !slices.ContainsFunc(d.Facts, func(f renderers.Fact) bool { return f.Label == "Shown as text" }) {
			t.Errorf("%s: %+v, %v", family, d, err)
		}
		resp2, err := h.Compact(t.Context(), &pb.CompactRequest{Entries: servertest.Entries(resp.GetCanonical()), Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES}})
		if err != nil || resp2.GetPlan().GetUnknownResults() > 0 {
			t.Errorf("%s: %v, %v", family, resp2, err)
		}
	}
	plain := &pb.CompleteToolOutput{ToolName: "T", Error: &pb.CompleteToolError{Message: servertest.InlineText("no"), Details: servertest.InlineText("a plain text")}}
	resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: plain})
	if err != nil || strings.Contains(resp.GetReceipt().GetText(), "Shown as text") {
		t.Errorf("details that never were JSON: %v, %v", resp, err)
	}
}
