package envelope_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Names and kinds have closed alphabets, to the last character of each.
func TestNamesHaveAClosedAlphabet(t *testing.T) {
	check := func(f func(envelope.Checker)) bool {
		c := envelope.NewChecker("")
		f(c)
		return c.Err() == nil
	}
	for name, want := range map[string]bool{
		"": true, "a": true, "Z": true, "0": true, "_x": true, "azAZ09_-.:/": true, strings.Repeat("a", 128): true,
		"-a": false, ".a": false, ":a": false, "/a": false, "a b": false, "a{": false, "a@": false, "a[": false, "a`": false, "é": false, strings.Repeat("a", 129): false,
	} {
		if got := check(func(c envelope.Checker) { c.Name("f", name, false) }); got != want {
			t.Errorf("name %.20q: %v", name, got)
		}
	}
	if check(func(c envelope.Checker) { c.Name("f", "", true) }) || check(func(c envelope.Checker) { c.CallID("f", "", true) }) {
		t.Error("an empty name is taken where one is required")
	}
	for kind, want := range map[string]bool{
		"a": true, "az_09": true, "z": true, strings.Repeat("k", envelope.MaxKind): true,
		"": false, "_a": false, "0a": false, "A": false, "a-b": false, "a{": false, "a`": false, strings.Repeat("k", envelope.MaxKind+1): false,
	} {
		r := &pb.CanonicalToolResult{ToolName: "x", SummaryText: "s", Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: &pb.ToolError{Kind: kind}}
		if got := envelope.ValidateCanonical("", r, nil) == nil; got != want {
			t.Errorf("kind %.20q: %v", kind, got)
		}
		if envelope.NormalizeErrorKind(kind) == kind != want {
			t.Errorf("kind %.20q becomes %q", kind, envelope.NormalizeErrorKind(kind))
		}
	}
}

// Violations are collected with their paths, up to a bound.
func TestViolationsHavePaths(t *testing.T) {
	c := envelope.NewChecker("output")
	c.At("items[2]").At("").Length("name", "abc", 2)
	c.Required("tool", "", 9)
	err, ok := errors.AsType[*envelope.InvalidError](c.Err())
	if !ok || len(err.Violations) != 2 || err.Violations[0].Field != "output.items[2].name" || err.Violations[1].Field != "output.tool" {
		t.Fatalf("%v", c.Err())
	}
	if want := "output.items[2].name: has 3 bytes, at most 2 are allowed (and 1 more)"; err.Error() != want {
		t.Errorf("%q, want %q", err.Error(), want)
	}
	moved := err.WithPrefix("outputs[1]")
	if moved.Violations[1].Field != "outputs[1].output.tool" || err.Violations[1].Field != "output.tool" {
		t.Errorf("%v and %v", moved.Violations, err.Violations)
	}
	for range 100 {
		c.Required("", "", 9)
	}
	if err, _ := errors.AsType[*envelope.InvalidError](c.Err()); len(err.Violations) != 16 || err.Violations[15].Field != "output" {
		t.Errorf("%d violations", len(err.Violations))
	}
	if err := envelope.NewChecker("x").Err(); err != nil {
		t.Errorf("without a violation: %v", err)
	}
}

// Every bounded text of an error is checked at its bound.
func TestErrorBounds(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	for field, set := range map[string]func(e *pb.ToolError, more int){
		"error.message":                func(e *pb.ToolError, more int) { e.Message = long(envelope.MaxMessage + more) },
		"error.recovery_hint":          func(e *pb.ToolError, more int) { e.RecoveryHint = new(long(envelope.MaxHint + more)) },
		"error.given_kind":             func(e *pb.ToolError, more int) { e.GivenKind = long(envelope.MaxGivenKind + more) },
		"error.details_json":           func(e *pb.ToolError, more int) { e.DetailsJson = new(`"` + long(envelope.MaxDetails+more-2) + `"`) },
		"error.details_omitted.digest": func(e *pb.ToolError, more int) { e.DetailsOmitted = &pb.DetailsOmitted{Digest: long(71 + more)} },
		"error.details_omitted.artifact.path": func(e *pb.ToolError, more int) {
			e.DetailsOmitted = &pb.DetailsOmitted{Artifact: &pb.ArtifactReference{Path: long(4096 + more)}}
		},
	} {
		for more := range 2 {
			e := &pb.ToolError{Kind: "k"}
			set(e, more)
			err := envelope.ValidateCanonical("", &pb.CanonicalToolResult{ToolName: "x", SummaryText: "s", Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: e}, nil)
			if more == 0 && err != nil {
				t.Errorf("%s at its bound: %v", field, err)
			} else if more > 0 {
				wantReason(t, err, field, pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG)
			}
		}
	}
}

func TestEffectiveStatus(t *testing.T) {
	for _, c := range []struct {
		out  *pb.CompleteToolOutput
		want pb.ToolStatus
	}{
		{&pb.CompleteToolOutput{}, pb.ToolStatus_TOOL_STATUS_SUCCESS},
		{&pb.CompleteToolOutput{Error: &pb.CompleteToolError{}}, pb.ToolStatus_TOOL_STATUS_ERROR},
		{&pb.CompleteToolOutput{Error: &pb.CompleteToolError{}, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS}, pb.ToolStatus_TOOL_STATUS_SUCCESS},
	} {
		if got := envelope.EffectiveStatus(c.out); got != c.want {
			t.Errorf("%v: %v", c.out, got)
		}
	}
}

// A result with another payload shares everything else, and the given one stays.
func TestWithPayloadReplacesOnePart(t *testing.T) {
	list, err := envelope.ReadTypes(exampleSet(t))
	if err != nil {
		t.Fatal(err)
	}
	types := envelope.Types{list[1].Name(): list[1]}
	r := command(&pb.CommandResult{ExitStatus: new(int32(1))})
	before := proto.CloneOf(r)
	got := types.WithPayload(r, (&pb.CommandResult{ExitStatus: new(int32(2))}).ProtoReflect())
	if got.GetCommand().GetExitStatus() != 2 || got.GetToolName() != r.GetToolName() || !proto.Equal(r, before) {
		t.Errorf("%v of %v", got, r)
	}
	failed := &pb.CanonicalToolResult{ToolName: "x", Error: &pb.ToolError{Kind: "a"}}
	if got := types.WithPayload(failed, (&pb.ToolError{Kind: "b"}).ProtoReflect()); got.GetError().GetKind() != "b" || got.GetToolName() != "x" {
		t.Errorf("%v", got)
	}

	custom := &pb.CanonicalToolResult{ToolName: "restart", Result: &pb.CanonicalToolResult_Custom{
		Custom: &pb.CustomResult{Type: list[1].Name(), PayloadJson: `{"service":"web"}`},
	}}
	name, payload := types.Open(custom)
	if name != list[1].Name() || payload.Descriptor() != list[1].Canonical {
		t.Fatalf("%s, %v", name, payload)
	}
	field := payload.Descriptor().Fields().ByName("service")
	other := list[1].NewPayload()
	other.Set(field, payload.Get(field))
	if diff := cmp.Diff(custom, types.WithPayload(custom, other), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	// A family that this server does not have, and text that is no payload, stay as they are.
	for _, text := range []*pb.CustomResult{{Type: "acme.v1.Nobody", PayloadJson: `{}`}, {Type: list[1].Name(), PayloadJson: `[]`}, {Type: list[1].Name(), PayloadJson: `{"nothing":1}`}} {
		custom.Result = &pb.CanonicalToolResult_Custom{Custom: text}
		if name, payload := types.Open(custom); name != envelope.CustomCase || payload.Interface() != text {
			t.Errorf("%v is opened as %s, %v", text, name, payload)
		}
	}
}

// Both encodings of a complete message are read, and other bytes are no message.
func TestCustomOutputsAreRead(t *testing.T) {
	list, err := envelope.ReadTypes(exampleSet(t))
	if err != nil {
		t.Fatal(err)
	}
	restart := list[1]
	field := restart.Complete.Fields().ByName("service")
	for _, c := range []struct {
		out    *pb.CustomOutput
		want   string
		reason pb.ErrorReason
	}{
		{&pb.CustomOutput{Encoding: &pb.CustomOutput_MessageJson{MessageJson: `{"service":"web"}`}}, "web", 0},
		{&pb.CustomOutput{Encoding: &pb.CustomOutput_Message{Message: []byte("\x0a\x03web")}}, "web", 0},
		{&pb.CustomOutput{Encoding: &pb.CustomOutput_MessageJson{MessageJson: `{"nothing":1}`}}, "", pb.ErrorReason_ERROR_REASON_MESSAGE_INVALID},
		{&pb.CustomOutput{Encoding: &pb.CustomOutput_Message{Message: []byte("\xff")}}, "", pb.ErrorReason_ERROR_REASON_MESSAGE_INVALID},
		{&pb.CustomOutput{}, "", pb.ErrorReason_ERROR_REASON_FIELD_MISSING},
	} {
		check := envelope.NewChecker("")
		got := restart.Read(check, c.out).Get(field).String()
		failed, ok := errors.AsType[*envelope.InvalidError](check.Err())
		if got != c.want || ok != (c.reason != 0) || ok && failed.Violations[0].Reason != c.reason {
			t.Errorf("%v: %q, %v", c.out, got, check.Err())
		}
	}
}
