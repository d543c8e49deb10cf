package integration_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// sameAgain is a call whose output is long, and the same whatever the call.
func sameAgain(session, call string) *pb.ProjectRequest {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "line %d of a listing in words %c%c\n", i, 'a'+i%26, 'a'+i%23)
		if i == 1700 {
			b.WriteString("error: the one that matters\n")
		}
	}
	req := completed(0, b.String())
	req.Output.GetCommand().CommandLine = "make list"
	req.Call = &pb.CallReference{SessionId: session, CallId: call}
	return req
}

// TestUnchangedOutput: the receipt of an output that was there before says in which call, on one line.
func TestUnchangedOutput(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	first := s.project(t, sameAgain("s", "call_1"))
	if first.GetCanonical().GetCommand().GetUnchanged() != nil || strings.Contains(first.GetReceipt().GetText(), "unchanged") {
		t.Errorf("the first call is said to be unchanged:\n%s", first.GetReceipt().GetText())
	}
	other := completed(0, "another output, which is long enough to be compared with others: "+strings.Repeat("x", 300)+"\n")
	other.Call = &pb.CallReference{SessionId: "s", CallId: "call_2"}
	s.project(t, other)

	third := s.project(t, sameAgain("s", "call_3"))
	u := third.GetCanonical().GetCommand().GetUnchanged()
	if u.GetCallId() != "call_1" || u.GetCallsAgo() != 2 {
		t.Errorf("unchanged is %v", u)
	}
	text := third.GetReceipt().GetText()
	wantIn(t, text, "Process exited with code 0\tOutput unchanged: the same as in call call_1, 2 calls ago\tstdout in full: ")
	if third.GetReceipt().GetTokens() > 100 || strings.Contains(text, "\n") {
		t.Errorf("%d tokens, and the first had %d", third.GetReceipt().GetTokens(), first.GetReceipt().GetTokens())
	}

	if retry := s.project(t, sameAgain("s", "call_3")); retry.GetReceipt().GetText() != text {
		t.Errorf("the call made again has another receipt:\n%s", retry.GetReceipt().GetText())
	}
	again := s.project(t, sameAgain("s", "call_1"))
	if again.GetReceipt().GetText() != first.GetReceipt().GetText() {
		t.Errorf("an older call made again has another receipt:\n%s", again.GetReceipt().GetText())
	}
	for name, change := range map[string]func(*pb.ProjectRequest){
		"another session":    func(r *pb.ProjectRequest) { r.Call.SessionId = "other" },
		"another exit code":  func(r *pb.ProjectRequest) { r.GetOutput().GetCommand().ExitStatus = new(int32(1)) },
		"another agent":      func(r *pb.ProjectRequest) { r.Call.AgentId = "other" },
		"a later generation": func(r *pb.ProjectRequest) { r.Call.Generation = 1 },
		"another command":    func(r *pb.ProjectRequest) { r.GetOutput().GetCommand().CommandLine = "cat b.txt" },
		"no call":            func(r *pb.ProjectRequest) { r.Call = nil },
		"the policy says so": func(r *pb.ProjectRequest) {
			r.Policy = &pb.ProjectionPolicy{Unchanged: pb.UnchangedPolicy_UNCHANGED_POLICY_IGNORE}
		},
		"one byte is not same": func(r *pb.ProjectRequest) { r.GetOutput().GetCommand().GetStdout().GetInline()[7]++ },
	} {
		req := sameAgain("s", "call_"+strings.ReplaceAll(name, " ", "_"))
		change(req)
		if u := s.project(t, req).GetCanonical().GetCommand().GetUnchanged(); u != nil {
			t.Errorf("%s: unchanged is %v", name, u)
		}
	}
}
