package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// bring makes a harness with the families of one file, whose messages are given in
// protobuf's text format. "KEEP" there is a retention.
func bring(t *testing.T, messages string) harness {
	t.Helper()
	messages = strings.ReplaceAll(messages, "KEEP", "[toolresult.v1.retention]: RETENTION_KEEP")
	file := &descriptorpb.FileDescriptorProto{}
	text := `name: "own.proto" package: "own.v1" syntax: "proto3"
		dependency: ["toolresult/v1/options.proto", "toolresult/v1/policy.proto", "toolresult/v1/payload.proto"] ` + messages
	if err := prototext.Unmarshal([]byte(text), file); err != nil {
		t.Fatal(err)
	}
	content, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "own.binpb")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := servertest.GeneratorOf(path)
	if err != nil {
		t.Fatal(err)
	}
	return harness{servertest.NewOf(t, g)}
}

// custom projects a result of own.v1.Result, and checks that Render and Compact
// take what Project made.
func (h harness) custom(t *testing.T, json string) string {
	t.Helper()
	resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
		ToolName: "SomeTool", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Custom{Custom: &pb.CustomOutput{
			Type: "own.v1.Result", Encoding: &pb.CustomOutput_MessageJson{MessageJson: json},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}})
	if err != nil || again.GetReceipt().GetText() != resp.GetReceipt().GetText() {
		t.Errorf("rendered as %q, %v", again.GetReceipt().GetText(), err)
	}
	if _, err := h.Compact(t.Context(), &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: resp.GetCanonical()}}},
		Policy:  &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES},
	}); err != nil {
		t.Error(err)
	}
	return resp.GetReceipt().GetText()
}

// A complete message of its own has lists that are copied, and maps that are not.
func TestCustomListsAreCopied(t *testing.T) {
	h := bring(t, `
		message_type { name: "Point"
			field { name: "x" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL options { KEEP } }
			options { [toolresult.v1.line]: "at {x}" } }
		message_type { name: "Output"
			field { name: "words" number: 1 type: TYPE_STRING label: LABEL_REPEATED }
			field { name: "points" number: 2 type: TYPE_MESSAGE type_name: ".own.v1.Point" label: LABEL_REPEATED }
			field { name: "labels" number: 3 type: TYPE_MESSAGE type_name: ".own.v1.Output.LabelsEntry" label: LABEL_REPEATED }
			nested_type { name: "LabelsEntry" options { map_entry: true }
				field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
				field { name: "value" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL } } }
		message_type { name: "Result"
			field { name: "words" number: 1 type: TYPE_STRING label: LABEL_REPEATED options { KEEP } }
			field { name: "points" number: 2 type: TYPE_MESSAGE type_name: ".own.v1.Point" label: LABEL_REPEATED
				options { KEEP [toolresult.v1.role]: ROLE_LIST [toolresult.v1.label]: "Points seen" } }
			options { [toolresult.v1.outcome]: "Points of {words}" [toolresult.v1.complete]: "own.v1.Output" } }`)
	got := h.custom(t, `{"words": ["a", "b"], "points": [{"x": 1}, {"x": 2}], "labels": {"k": "v"}}`)
	if want := "Points of a, b\nPoints seen:\nat 1\nat 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What Project writes as JSON, Render and Compact read: all integers, and enums
// whose values do not begin with the name of the enum.
func TestCustomValuesAreReadBack(t *testing.T) {
	h := bring(t, `
		enum_type { name: "HTTPState" value { name: "HTTP_STATE_NONE" number: 0 } value { name: "HTTP_STATE_OK" number: 1 } }
		message_type { name: "Result"
			field { name: "state" number: 1 type: TYPE_ENUM type_name: ".own.v1.HTTPState" label: LABEL_OPTIONAL options { KEEP } }
			field { name: "a" number: 2 type: TYPE_SINT32 label: LABEL_OPTIONAL options { KEEP } }
			field { name: "b" number: 3 type: TYPE_SINT64 label: LABEL_OPTIONAL options { KEEP } }
			field { name: "c" number: 4 type: TYPE_FIXED32 label: LABEL_OPTIONAL options { KEEP } }
			field { name: "d" number: 5 type: TYPE_FIXED64 label: LABEL_OPTIONAL options { KEEP } }
			field { name: "e" number: 6 type: TYPE_SFIXED32 label: LABEL_OPTIONAL options { KEEP } }
			field { name: "f" number: 7 type: TYPE_SFIXED64 label: LABEL_OPTIONAL options { KEEP } }
			options { [toolresult.v1.outcome]: "State is {state} of {a}, {b}, {c}, {d}, {e}, {f}" } }`)
	got := h.custom(t, `{"state": "HTTP_STATE_OK", "a": -1, "b": -9223372036854775808, "c": 4294967295, "d": "18446744073709551615", "e": -2, "f": -3}`)
	if want := "State is http state ok of -1, -9223372036854775808, 4294967295, 18446744073709551615, -2, -3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
