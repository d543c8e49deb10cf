package pipeline_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/toolresult/toolresult/artifactstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/families"
)

// setFocus sets the focus of a session, or of an agent of it.
func (h harness) setFocus(t testing.TB, session, agent, focus string) {
	t.Helper()
	if _, err := h.SetSessionFocus(t.Context(), &pb.SetSessionFocusRequest{SessionId: session, AgentId: agent, Focus: focus}); err != nil {
		t.Fatal(err)
	}
}

// focused projects a text of a call with a policy, and returns its record.
func (h harness) focused(t testing.TB, call *pb.CallReference, policy *pb.ProjectionPolicy) *pb.AuditRecord {
	t.Helper()
	if _, err := h.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Command("ls", 0, string(servertest.LogText(9000))), Call: call, Policy: policy}); err != nil {
		t.Fatal(err)
	}
	record := h.Last(t, 1)[0]
	servertest.CheckHolds(t, h.Verify(t, record))
	return record
}

// TestRecordHasTheFocus projects with every combination of focuses: each is on record, and the
// policy's digest has both.
func TestRecordHasTheFocus(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.setFocus(t, "s", "", "the task")
	a.setFocus(t, "s", "sub", "a part of it")
	call := func(session, agent string) *pb.CallReference {
		return &pb.CallReference{SessionId: session, AgentId: agent}
	}
	digests := map[string]bool{}
	for name, c := range map[string]struct {
		call   *pb.CallReference
		policy *pb.ProjectionPolicy
		want   string // of the session
	}{
		"none":              {nil, nil, ""},
		"session":           {call("s", ""), nil, "the task"},
		"agent":             {call("s", "sub"), nil, "a part of it"},
		"both":              {call("s", "sub"), &pb.ProjectionPolicy{Focus: "now this"}, "a part of it"},
		"another agent":     {call("s", "other"), &pb.ProjectionPolicy{Focus: "now this"}, "the task"},
		"another session":   {call("t", ""), &pb.ProjectionPolicy{Focus: "now this"}, ""},
		"named session":     {nil, &pb.ProjectionPolicy{FocusSession: "s", Focus: "x"}, "the task"},
		"named and another": {call("t", "sub"), &pb.ProjectionPolicy{FocusSession: "s", Focus: "y"}, "the task"},
	} {
		r := a.focused(t, c.call, c.policy)
		if r.GetSessionFocus() != c.want || !proto.Equal(r.GetPolicy(), c.policy) {
			t.Errorf("%s: %q and %v", name, r.GetSessionFocus(), r.GetPolicy())
		}
		if digests[r.GetPolicyDigest()] {
			t.Errorf("%s: the digest of another focus", name)
		}
		digests[r.GetPolicyDigest()] = true
	}
	for _, r := range listed(t, a) {
		if r.GetSessionFocus() != "" || r.GetPolicy().GetFocus() != "" {
			t.Errorf("a list has a focus: %v", r)
		}
	}
}

// listed returns the records as ListRecords has them.
func listed(t testing.TB, a harness) []*pb.AuditRecord {
	t.Helper()
	resp, err := a.Audit.ListRecords(t.Context(), &pb.ListRecordsRequest{})
	if err != nil || len(resp.GetRecords()) == 0 {
		t.Fatal(resp, err)
	}
	return resp.GetRecords()
}

// TestFocusIsPinned changes the focus of a session: calls that were projected before keep the one
// that they had, also the call that had none, and a call with its own request id has its answer
// again.
func TestFocusIsPinned(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	call := func(id string) *pb.CallReference { return &pb.CallReference{SessionId: "s", CallId: id} }
	ignore := &pb.ProjectionPolicy{Unchanged: pb.UnchangedPolicy_UNCHANGED_POLICY_IGNORE}
	want := map[string]string{"1": "", "2": "first", "3": "second"}
	for _, id := range []string{"1", "2", "3"} {
		if want[id] != "" {
			a.setFocus(t, "s", "", want[id])
		}
		a.focused(t, call(id), ignore)
	}
	for id, focus := range want {
		if r := a.focused(t, call(id), ignore); r.GetSessionFocus() != focus {
			t.Errorf("call %s: %q, want %q", id, r.GetSessionFocus(), focus)
		}
	}
	again := &pb.ProjectRequest{Output: servertest.Command("ls", 0, "a\nb\n"), Call: call("4"), RequestId: "r", Policy: &pb.ProjectionPolicy{Focus: "own"}}
	first, err := a.Project(t.Context(), proto.CloneOf(again))
	if err != nil {
		t.Fatal(err)
	}
	restarted := harness{a.Reopened(t)}
	restarted.setFocus(t, "s", "", "third")
	second, err := restarted.Project(t.Context(), proto.CloneOf(again))
	if diff := cmp.Diff(first, second, protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	again.Policy.Focus = "another"
	if _, err := restarted.Project(t.Context(), again); err == nil {
		t.Error("a request with another focus is the same")
	}
}

// TestStreamHasTheFocusOfItsBeginning changes the focus while a stream arrives.
func TestStreamHasTheFocusOfItsBeginning(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.setFocus(t, "s", "", "before")
	header := servertest.Ordered(&pb.ProjectionPolicy{Focus: "own"})
	header.GetHeader().Call = &pb.CallReference{SessionId: "s"}
	if _, err := a.Stream(t.Context(), []*pb.ProjectStreamRequest{header, servertest.Snapshot(servertest.Completed()), servertest.Finish(servertest.Completed())}); err != nil {
		t.Fatal(err)
	}
	for _, r := range a.Last(t, 2) {
		if r.GetSessionFocus() != "before" || r.GetPolicy().GetFocus() != "own" {
			t.Errorf("%q, %v", r.GetSessionFocus(), r.GetPolicy())
		}
		servertest.CheckHolds(t, a.Verify(t, r))
	}
}

// TestTurnUsesTheFocusOfEachPolicy has outputs of two sessions in a turn.
func TestTurnUsesTheFocusOfEachPolicy(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.setFocus(t, "s", "", "of s")
	req := &pb.ProjectTurnRequest{TotalTokens: 2000, Outputs: []*pb.ProjectRequest{
		{Output: servertest.Command("ls", 0, "a\n"), Call: &pb.CallReference{SessionId: "s"}},
		{Output: servertest.Command("ls", 0, "b\n"), Call: &pb.CallReference{SessionId: "t"}, Policy: &pb.ProjectionPolicy{Focus: "own"}},
	}}
	if _, err := a.ProjectTurn(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	records := a.Last(t, 2)
	if records[1].GetSessionFocus() != "of s" || records[0].GetSessionFocus() != "" || records[0].GetPolicy().GetFocus() != "own" {
		t.Errorf("%v", records)
	}
}

// TestFocusIsRedacted plants secrets in focuses of the session and of the policy. Nothing on record
// has them, whatever may be shown of the output, and what is left is no longer than the bound.
func TestFocusIsRedacted(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	const registered = "Tr0ub4dor-and-3-horses"
	if _, err := a.Options.Secrets.Register("s", []redact.Secret{{Name: "a-name-that-is-much-longer-than-its-value", Value: []byte(registered)}}); err != nil {
		t.Fatal(err)
	}
	token := "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"
	focus := "log in with " + registered + " and " + token + " "
	focus += strings.Repeat(registered+" ", (8192-len(focus))/(len(registered)+1))
	a.setFocus(t, "s", "", focus)
	path := "a.env"
	for name, req := range map[string]*pb.ProjectRequest{
		"command": {Output: servertest.Command("ls", 0, "a\n")},
		"file_read": {Policy: &pb.ProjectionPolicy{Redaction: &pb.RedactionPolicy{Patterns: pb.PatternRedaction_PATTERN_REDACTION_OFF}}, Output: &pb.CompleteToolOutput{
			ToolName: "Read", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{Path: path, Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte("a\n")}}}},
		}},
	} {
		if req.Policy == nil {
			req.Policy = &pb.ProjectionPolicy{}
		}
		req.Call, req.Policy.Focus = &pb.CallReference{SessionId: "s"}, focus
		if _, err := a.Project(t.Context(), req); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := a.Last(t, 1)[0]
		servertest.CheckHolds(t, a.Verify(t, r))
		if text := r.String(); strings.Contains(text, registered) || strings.Contains(text, token[4:]) || !strings.Contains(text, "log in with") {
			t.Errorf("%s: %s", name, text)
		}
		if req.GetPolicy().GetFocus() != focus {
			t.Errorf("%s: the request was changed", name)
		}
		if len(r.GetRedactions()) != 0 {
			t.Errorf("%s: the focus counts as output: %v", name, r.GetRedactions())
		}
	}
}

// TestOutputIsShownAgainForAnotherFocus runs the same command twice. An output that the first
// receipt cut may have what is looked for now; one that it showed whole is only named.
func TestOutputIsShownAgainForAnotherFocus(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for name, c := range map[string]struct {
		text  string
		focus string
		shown bool
	}{
		"cut.another":   {string(servertest.LogText(90_000)), "another", true},
		"cut.same":      {string(servertest.LogText(90_000)), "first", false},
		"whole.another": {string(servertest.LogText(600)), "another", false},
	} {
		h.setFocus(t, name, "", "first")
		project := func(id string) *pb.ProjectResponse {
			resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Command("make", 0, c.text), Call: &pb.CallReference{SessionId: name, CallId: id}})
			if err != nil {
				t.Fatal(err)
			}
			return resp
		}
		project("1")
		h.setFocus(t, name, "", c.focus)
		said := strings.Contains(project("2").GetReceipt().GetText(), "Output unchanged:")
		if said == c.shown {
			t.Errorf("%s: unchanged %t", name, said)
		}
	}
}

// spy is a projector that notes the focuses that it is given.
type spy struct {
	projectors.Projector
	seen *[]string
}

// Project notes the focus.
func (s spy) Project(
	ctx context.Context, in projectors.Input, sink artifactstore.Sink,
) (projectors.Projection, error) {
	*s.seen = append(*s.seen, in.Policy.Focus)
	return s.Projector.Project(ctx, in, sink)
}

// TestProjectorGetsTheFocus: what a projector ranks by is the focus of the session and that of the
// call, without secrets, also when the record is verified.
func TestProjectorGetsTheFocus(t *testing.T) {
	t.Parallel()
	g, seen := *servertest.NewGenerator(t), []string{}
	list := slices.Clone(g.Families)
	for i, f := range list {
		if f.Name == "text" {
			list[i].Projector = spy{f.Projector, &seen}
		}
	}
	var err error
	if g.Registry, err = families.NewRegistry(list...); err != nil {
		t.Fatal(err)
	}
	base := servertest.NewArchive(t)
	base.Generator = &g
	a := harness{base.Reopened(t)}
	const token = "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"
	a.setFocus(t, "s", "", "the task "+token)
	_, err = a.Project(t.Context(), &pb.ProjectRequest{
		Call: &pb.CallReference{SessionId: "s"}, Policy: &pb.ProjectionPolicy{Focus: "now " + token},
		Output: &pb.CompleteToolOutput{ToolName: "Search", Result: &pb.CompleteToolOutput_Text{
			Text: &pb.TextOutput{Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte("x\n")}}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	servertest.CheckHolds(t, a.Verify(t, a.Last(t, 1)[0]))
	if len(seen) < 2 {
		t.Fatalf("%q", seen)
	}
	for _, focus := range seen {
		task, now, ok := strings.Cut(focus, "\n")
		if focus != seen[0] || !ok || !strings.HasPrefix(task, "the task ") ||
			!strings.HasPrefix(now, "now ") || strings.Contains(focus, token[4:]) {
			t.Errorf("%q", focus)
		}
	}
}
