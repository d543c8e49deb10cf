package redaction

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
)

// hidden is the value that is registered in these tests, and shown its placeholder.
const (
	hidden = "first-value-of-all"
	shown  = "[redacted:A]"
)

// withValues returns a pass that replaces hidden.
func withValues(t testing.TB) *Pass {
	t.Helper()
	values, err := redact.NewValues([]redact.Secret{{Name: "A", Value: []byte(hidden)}})
	if err != nil {
		t.Fatal(err)
	}
	return NewPass(redact.Options{Values: values})
}

// reasonsOf returns the reasons and fields of an invalid request.
func reasonsOf(err error) (list []string) {
	if invalid, ok := err.(*envelope.InvalidError); ok {
		for _, v := range invalid.Violations {
			list = append(list, v.Field+" "+strings.TrimPrefix(v.Reason.String(), "ERROR_REASON_"))
		}
	} else if err != nil {
		list = []string{err.Error()}
	}
	return list
}

// TestPolicyChoosesWhatIsRedacted resolves policies: patterns may be off for file_read alone, and required values must be there.
func TestPolicyChoosesWhatIsRedacted(t *testing.T) {
	t.Parallel()
	s := NewSecrets()
	id, err := s.Register("a", []redact.Secret{{Name: "A", Value: []byte(hidden)}})
	if err != nil {
		t.Fatal(err)
	}
	off, on := pb.PatternRedaction_PATTERN_REDACTION_OFF, pb.PatternRedaction_PATTERN_REDACTION_UNSPECIFIED
	for name, c := range map[string]struct {
		policy           *pb.RedactionPolicy
		session, family  string
		patterns, values bool
		fails            string
	}{
		"none":           {nil, "b", "command", true, false, ""},
		"values":         {nil, "a", "command", true, true, ""},
		"required":       {&pb.RedactionPolicy{Patterns: on, RequireSet: id}, "a", "command", true, true, ""},
		"of another":     {&pb.RedactionPolicy{RequireSet: id}, "b", "command", false, false, "the server does not have the registered values that the call requires; register them again"},
		"off":            {&pb.RedactionPolicy{Patterns: off}, "a", "file_read", false, true, ""},
		"off for others": {&pb.RedactionPolicy{Patterns: off}, "a", "command", false, false, "policy.redaction.patterns FIELD_OUT_OF_BOUNDS"},
		"unknown":        {&pb.RedactionPolicy{Patterns: 99}, "a", "file_read", false, false, "policy.redaction.patterns ENUM_UNKNOWN"},
		"a long id":      {&pb.RedactionPolicy{RequireSet: strings.Repeat("x", MaxSetID+1)}, "a", "command", false, false, "policy.redaction.require_set FIELD_TOO_LONG"},
		"the longest id": {&pb.RedactionPolicy{RequireSet: strings.Repeat("x", MaxSetID)}, "a", "command", false, false, "the server does not have the registered values that the call requires; register them again"},
	} {
		p, err := s.Resolve(redact.BuiltIn(), c.policy, c.session, c.family)
		if got := strings.Join(reasonsOf(err), " "); got != c.fails {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && ((p.Options.Patterns != nil) != c.patterns || (p.Options.Values != nil) != c.values) {
			t.Errorf("%s: %+v", name, p.Options)
		}
	}
}

// TestNamesWithAValueAreRejected puts the value into each name of a request: each is named, and none is repeated.
func TestNamesWithAValueAreRejected(t *testing.T) {
	t.Parallel()
	stream := func(name string) *pb.Payload {
		return &pb.Payload{Source: &pb.Payload_Stream{Stream: name}, Redactions: []*pb.Redaction{{Kind: name, Count: 1}}}
	}
	request := func(name string) *pb.ProjectRequest {
		return &pb.ProjectRequest{
			Call: &pb.CallReference{SessionId: name, CallId: name, AgentId: name}, RequestId: name,
			Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Model: name}}, Audit: &pb.AuditDetails{Trust: map[string]string{name: "x"}},
			Output: &pb.CompleteToolOutput{ToolName: name, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				Stdout: stream(name), Stderr: &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: name}}},
			}}},
		}
	}
	err := withValues(t).CheckNames(request("a-"+hidden), &families.Family{})
	want := []string{
		"call.session_id", "call.call_id", "call.agent_id", "request_id", "policy.render.model", "output.tool_name", "audit.trust",
		"output.command.stdout.stream", "output.command.stdout.redactions", "output.command.stderr.file.path",
	}
	for i := range want {
		want[i] += " NAME_INVALID"
	}
	got := reasonsOf(err)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || strings.Contains(err.Error(), hidden) {
		t.Errorf("%v: %s", err, diff)
	}
	if err := withValues(t).CheckNames(request("ghp_7kQ2m9ZxW4vR8tY1uI5oP3aS6dF0gH7jK2lM"), &families.Family{}); err != nil {
		t.Errorf("a name that looks like a secret: %v", err)
	}
	if err := NewPass(redact.Options{Patterns: redact.BuiltIn()}).CheckNames(request("a-"+hidden), &families.Family{}); err != nil {
		t.Errorf("without values: %v", err)
	}
}

// TestOutputWithoutSecretsIsNotCopied returns the same message, and one with a secret is left as it was.
func TestOutputWithoutSecretsIsNotCopied(t *testing.T) {
	t.Parallel()
	out := func(text string) *pb.CompleteToolOutput {
		return &pb.CompleteToolOutput{ToolName: hidden, Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: inlineBytes(text)}}}
	}
	r, plain := withValues(t), out("plain")
	if got := redacted(t, r, plain, &families.Family{}, nil); got != plain || len(r.Replaced()) != 0 || len(r.Originals) != 0 {
		t.Errorf("%v", got)
	}
	secret := out("x " + hidden)
	got := redacted(t, r, secret, &families.Family{}, nil)
	if string(got.GetText().GetContent().GetInline()) != "x "+shown || got.GetToolName() != hidden || string(secret.GetText().GetContent().GetInline()) != "x "+hidden {
		t.Errorf("%v of %v", got, secret)
	}
	want := []*pb.Redaction{{Kind: "A", Count: 1}}
	if diff := cmp.Diff(want, r.Replaced(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, got.GetText().GetContent().GetRedactions(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if len(r.Originals) != 1 || r.Originals[0].Field != "output.text.content" || r.Originals[0].Blob.Size() != int64(len("x "+hidden)) {
		t.Errorf("%+v", r.Originals)
	}
}

// TestStreamsAddTheirSecrets has a payload that was received as a stream: what was found on its way is added to what the runtime
// had replaced, and the place of a loss stays inside of the shorter payload.
func TestStreamsAddTheirSecrets(t *testing.T) {
	t.Parallel()
	payload := func(loss uint64) *pb.Payload {
		return &pb.Payload{
			Source: &pb.Payload_Stream{Stream: "stdout"}, SourceLoss: &pb.SourceLoss{AtByte: loss},
			Redactions: []*pb.Redaction{{Kind: "A", Count: 2}, {Kind: "mine", Count: 1}},
		}
	}
	blob := func(n int) artifactstore.Blob { return artifactstore.BytesBlob(make([]byte, n)) }
	for name, c := range map[string]struct {
		original artifactstore.Blob
		found    []redact.Count
		at, want uint64
		count    uint64 // of A
	}{
		"nothing found":     {nil, nil, 80, 80, 2},
		"behind the end":    {blob(100), []redact.Count{{Kind: "A", Matches: 3}}, 80, 60, 5},
		"at the end":        {blob(100), []redact.Count{{Kind: "A", Matches: 3}}, 100, 60, 5},
		"outside of it":     {blob(100), []redact.Count{{Kind: "A", Matches: 3}}, 101, 101, 5},
		"inside":            {blob(100), []redact.Count{{Kind: "A", Matches: 3}}, 60, 60, 5},
		"without an origin": {nil, []redact.Count{{Kind: "A", Matches: 3}}, 80, 80, 5},
	} {
		p := payload(c.at)
		streams := map[string]ingest.Payload{projectors.Key(p): {Stream: projectors.Stream{Blob: blob(60)}, Found: c.found, Original: c.original}}
		out := &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{Stdout: p, Stderr: &pb.Payload{Source: &pb.Payload_Stream{Stream: "other"}}}}}
		r := withValues(t)
		got := redacted(t, r, out, &families.Family{}, streams).GetCommand().GetStdout()
		if got.GetSourceLoss().GetAtByte() != c.want || (len(r.Originals) == 1) != (c.original != nil) {
			t.Errorf("%s: a loss at %d, originals %v", name, got.GetSourceLoss().GetAtByte(), r.Originals)
		}
		want := []*pb.Redaction{{Kind: "A", Count: c.count}, {Kind: "mine", Count: 1}}
		if diff := cmp.Diff(want, got.GetRedactions(), protocmp.Transform()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestInlineEqualsStreaming redacts any text inline and as a stream: the same bytes, counts and originals.
func TestInlineEqualsStreaming(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{hidden, "first-", "value", "\n", "x ", `{"a":1}`, "\xff"})).Draw(t, "text"), "")
		values, err := redact.NewValues([]redact.Secret{{Name: "A", Value: []byte(hidden)}})
		if err != nil {
			t.Fatal(err)
		}
		r := NewPass(redact.Options{Values: values})
		out := &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{Stdout: inlineBytes(text)}}}
		got := redacted(t, r, out, &families.Family{}, nil).GetCommand().GetStdout()
		spool, err := ingest.NewSpool(t.Context(), memory.New(), r.Options, 100, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer spool.Discard()
		if err := spool.Write([][]byte{[]byte(text)}, nil); err != nil {
			t.Fatal(err)
		}
		if err := spool.Flush(nil); err != nil {
			t.Fatal(err)
		}
		streamed, err := spool.Seal()
		if err != nil {
			t.Fatal(err)
		}
		var all bytes.Buffer
		if err := ingest.ReadBlocks(t.Context(), streamed.Blob, func(p []byte) error { _, err := all.Write(p); return err }); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(all.Bytes(), got.GetInline()) || len(streamed.Found) != len(got.GetRedactions()) || (streamed.Original != nil) != (len(r.Originals) == 1) {
			t.Fatalf("%q streamed, %q inline", all.Bytes(), got.GetInline())
		}
	})
}

// TestFieldsDoNotBecomeLonger has a value that is shorter than its placeholder, in a payload and in a field with a bound.
func TestFieldsDoNotBecomeLonger(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues([]redact.Secret{{Name: "A", Value: []byte("1q2w3e4r")}})
	if err != nil {
		t.Fatal(err)
	}
	r := NewPass(redact.Options{Values: values})
	out := redacted(t, r, &pb.CompleteToolOutput{SummaryText: "x 1q2w3e4r", Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: inlineBytes("x 1q2w3e4r")}}}, &families.Family{}, nil)
	if out.GetSummaryText() != "x ********" || string(out.GetText().GetContent().GetInline()) != "x "+shown {
		t.Errorf("%v", out)
	}
}

// TestDetailsOfARuntimeAreRedacted has texts in maps, lists and fields of a newer program.
func TestDetailsOfARuntimeAreRedacted(t *testing.T) {
	t.Parallel()
	r := withValues(t)
	if r.RedactDetails(nil) != nil {
		t.Error("nil is something")
	}
	d := &pb.AuditDetails{Trust: map[string]string{"a": "x " + hidden, "b": "plain"}}
	d.ProtoReflect().SetUnknown([]byte("\xfa\x3f\x12" + hidden))
	before := proto.CloneOf(d)
	got := r.RedactDetails(d)
	if got.GetTrust()["a"] != "x "+shown || got.GetTrust()["b"] != "plain" || len(got.ProtoReflect().GetUnknown()) != 0 || !proto.Equal(d, before) {
		t.Errorf("%v of %v", got, d)
	}
}

// TestFieldsOfNewerProgramsAreRemoved has unknown fields at the top, inside, and nowhere.
func TestFieldsOfNewerProgramsAreRemoved(t *testing.T) {
	t.Parallel()
	unknown := []byte("\xfa\x3f\x12" + hidden)
	build := func(at ...string) *pb.CompleteToolOutput {
		out := &pb.CompleteToolOutput{ToolName: "Bash", Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: inlineBytes("text")}}}
		for _, where := range at {
			switch where {
			case "top":
				out.ProtoReflect().SetUnknown(unknown)
			case "inside":
				out.GetText().GetContent().ProtoReflect().SetUnknown(unknown)
			}
		}
		return out
	}
	want := build()
	for _, at := range [][]string{{"top"}, {"inside"}, {"top", "inside"}} {
		out := build(at...)
		if got := WithoutUnknown(out); !proto.Equal(got, want) || proto.Equal(out, want) {
			t.Errorf("%v: %v of %v", at, got, out)
		}
		r := withValues(t)
		if got := redacted(t, r, out, &families.Family{}, nil); !proto.Equal(got, want) || proto.Equal(out, want) || len(r.Replaced()) != 0 {
			t.Errorf("%v: redacted is %v", at, got)
		}
	}
	if WithoutUnknown(want) != want || WithoutUnknown((*pb.CompleteToolOutput)(nil)) != nil {
		t.Error("a message without unknown fields is copied")
	}
}

// TestCustomMessagesAreRedacted has a custom family: its message is encoded inside of the output, as bytes or JSON.
func TestCustomMessagesAreRedacted(t *testing.T) {
	t.Parallel()
	list, err := families.LoadCustomFamilies("../../docs/examples/acme.binpb")
	if err != nil {
		t.Fatal(err)
	}
	family := &list[0]
	custom := func(json string) *pb.CompleteToolOutput {
		return &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Custom{Custom: &pb.CustomOutput{Type: family.Name, Encoding: &pb.CustomOutput_MessageJson{MessageJson: json}}}}
	}
	r := withValues(t)
	got := redacted(t, r, custom(`{"deployment_id": "d-`+hidden+`", "environment": "production", "state": "DEPLOY_STATE_LIVE"}`), family, nil)
	if text := string(got.GetCustom().GetMessage()); strings.Contains(text, hidden) || !strings.Contains(text, "[redacted:A]") || len(r.Replaced()) != 1 {
		t.Errorf("%v, %v", got, r.Replaced())
	}
	for name, out := range map[string]*pb.CompleteToolOutput{"plain": custom(`{"deployment_id": "d-1", "environment": "production", "state": "DEPLOY_STATE_LIVE"}`), "no message": custom(`{`)} {
		if got := redacted(t, withValues(t), out, family, nil); got != out {
			t.Errorf("%s: %v", name, got)
		}
	}
}
