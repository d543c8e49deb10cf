package pipeline

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestOutputs(t *testing.T) {
	o := newShownOutputs()
	call := func(session, id string) *pb.CallReference { return &pb.CallReference{SessionId: session, CallId: id} }
	want := func(c *pb.CallReference, fingerprint string, want *pb.OutputUnchanged) {
		t.Helper()
		if got := o.earlier(c, fingerprint, ""); !proto.Equal(got, want) {
			t.Errorf("earlier(%v, %q) = %v, want %v", c, fingerprint, got, want)
		}
	}
	want(call("s", "1"), "x", nil)
	o.answered(call("s", "1"), answer{fingerprint: "x", truncated: true})
	want(call("s", "1"), "x", nil) // the same call, made again
	want(call("other", "2"), "x", nil)
	want(&pb.CallReference{SessionId: "s", CallId: "2", AgentId: "a"}, "x", nil)  // has not seen it
	want(&pb.CallReference{SessionId: "s", CallId: "2", Generation: 1}, "x", nil) // has lost it
	want(call("s", "2"), "x", &pb.OutputUnchanged{CallId: "1", CallsAgo: 1, WasCut: true})
	o.answered(call("s", "2"), answer{})
	o.answered(call("s", "2"), answer{})                // made again: it is one call
	o.answered(call("s", ""), answer{fingerprint: "y"}) // nobody could name it
	said := &pb.OutputUnchanged{CallId: "1", CallsAgo: 3, WasCut: true}
	want(call("s", "4"), "x", said)
	want(call("s", "4"), "y", nil)
	want(call("s", "4"), "", nil)
	o.answered(call("s", "4"), answer{fingerprint: "x", said: said})
	want(call("s", "4"), "x", said)                                                        // made again
	want(call("s", "5"), "x", &pb.OutputUnchanged{CallId: "1", CallsAgo: 4, WasCut: true}) // the one that shows it
}

// A result that was compacted is not referred to, by no agent of the session.
func TestOutputsAreForgotten(t *testing.T) {
	o := newShownOutputs()
	for _, agent := range []string{"", "a"} {
		for _, id := range []string{"1", "2"} {
			o.answered(&pb.CallReference{SessionId: "s", CallId: id, AgentId: agent}, answer{fingerprint: "output of " + id})
		}
	}
	o.forget("other", []string{"1", "2"})
	o.forget("s", []string{"1"})
	for _, agent := range []string{"", "a"} {
		next := &pb.CallReference{SessionId: "s", CallId: "3", AgentId: agent}
		if o.earlier(next, "output of 1", "") != nil || o.earlier(next, "output of 2", "") == nil {
			t.Errorf("agent %q: %v, %v", agent, o.earlier(next, "output of 1", ""), o.earlier(next, "output of 2", ""))
		}
		o.answered(next, answer{fingerprint: "output of 1"})
	}
	again := &pb.CallReference{SessionId: "s", CallId: "4"}
	if got := o.earlier(again, "output of 1", ""); got.GetCallId() != "3" {
		t.Errorf("after it was shown again: %v", got)
	}
}

// What is remembered is bounded, and the oldest is forgotten first.
func TestOutputsAreBounded(t *testing.T) {
	o := newShownOutputs()
	for i := range 2 * maxOutputsOfScope {
		o.answered(&pb.CallReference{SessionId: "s", CallId: fmt.Sprint(i)}, answer{fingerprint: fmt.Sprint("output ", i)})
	}
	last := &pb.CallReference{SessionId: "s", CallId: "last"}
	if o.earlier(last, fmt.Sprint("output ", maxOutputsOfScope-1), "") != nil || o.earlier(last, fmt.Sprint("output ", maxOutputsOfScope), "") == nil {
		t.Errorf("it is not the last %d outputs that are remembered", maxOutputsOfScope)
	}
	for i := range maxScopes - 1 {
		o.answered(&pb.CallReference{SessionId: fmt.Sprint("session ", i), CallId: "1"}, answer{fingerprint: "x"})
	}
	if o.earlier(last, fmt.Sprint("output ", maxOutputsOfScope), "") == nil {
		t.Error("a scope was forgotten early")
	}
	o.answered(&pb.CallReference{SessionId: "one more", CallId: "1"}, answer{fingerprint: "x"})
	if o.earlier(last, fmt.Sprint("output ", maxOutputsOfScope), "") != nil || len(o.scopes) != maxScopes || o.recent.Len() != maxScopes {
		t.Errorf("%d scopes are remembered, %d in order", len(o.scopes), o.recent.Len())
	}
}
