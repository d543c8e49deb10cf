package server

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestOutputs(t *testing.T) {
	o := newOutputs()
	call := func(session, id string) *pb.CallReference { return &pb.CallReference{SessionId: session, CallId: id} }
	want := func(c *pb.CallReference, fingerprint string, want *pb.OutputUnchanged) {
		t.Helper()
		if got := o.earlier(c, fingerprint); !proto.Equal(got, want) {
			t.Errorf("earlier(%v, %q) = %v, want %v", c, fingerprint, got, want)
		}
	}
	want(call("s", "1"), "x", nil)
	o.answered(call("s", "1"), "x", nil)
	want(call("s", "1"), "x", nil) // the same call, made again
	want(call("other", "2"), "x", nil)
	want(call("s", "2"), "x", &pb.OutputUnchanged{CallId: "1", CallsAgo: 1})
	o.answered(call("s", "2"), "", nil)
	o.answered(call("s", "2"), "", nil) // made again: it is one call
	o.answered(call("s", ""), "y", nil) // nobody could name it
	want(call("s", "4"), "x", &pb.OutputUnchanged{CallId: "1", CallsAgo: 3})
	want(call("s", "4"), "y", nil)
	want(call("s", "4"), "", nil)
	said := &pb.OutputUnchanged{CallId: "1", CallsAgo: 3}
	o.answered(call("s", "4"), "x", said)
	want(call("s", "4"), "x", said) // made again
	want(call("s", "5"), "x", &pb.OutputUnchanged{CallId: "4", CallsAgo: 1})
}

// What is remembered is bounded, and the oldest is forgotten first.
func TestOutputsAreBounded(t *testing.T) {
	o := newOutputs()
	for i := range 2 * maxOutputsOfSession {
		o.answered(&pb.CallReference{SessionId: "s", CallId: fmt.Sprint(i)}, fmt.Sprint("output ", i), nil)
	}
	last := &pb.CallReference{SessionId: "s", CallId: "last"}
	if o.earlier(last, fmt.Sprint("output ", maxOutputsOfSession-1)) != nil || o.earlier(last, fmt.Sprint("output ", maxOutputsOfSession)) == nil {
		t.Errorf("it is not the last %d outputs that are remembered", maxOutputsOfSession)
	}
	for i := range maxSessions - 1 {
		o.answered(&pb.CallReference{SessionId: fmt.Sprint("session ", i), CallId: "1"}, "x", nil)
	}
	if o.earlier(last, fmt.Sprint("output ", maxOutputsOfSession)) == nil {
		t.Error("a session was forgotten early")
	}
	o.answered(&pb.CallReference{SessionId: "one more", CallId: "1"}, "x", nil)
	if o.earlier(last, fmt.Sprint("output ", maxOutputsOfSession)) != nil || len(o.sessions) != maxSessions || o.recent.Len() != maxSessions {
		t.Errorf("%d sessions are remembered, %d in order", len(o.sessions), o.recent.Len())
	}
}
