package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestCallKeepsItsFirstFocus compares sessionFocuses with a model that forgets nothing.
func TestCallKeepsItsFirstFocus(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, now, first := newSessionFocuses(), map[focusOwner]string{}, map[[3]string]string{}
		names := rapid.SampledFrom([]string{"", "a", "b"})
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			owner := focusOwner{rapid.SampledFrom([]string{"s", "t"}).Draw(t, "session"), names.Draw(t, "agent")}
			if rapid.Bool().Draw(t, "set") {
				text := rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "text")
				s.set(owner, text)
				now[owner] = text
				continue
			}
			call := &pb.CallReference{SessionId: owner.session, AgentId: owner.agent, CallId: names.Draw(t, "call")}
			want := now[owner]
			if want == "" {
				want = now[focusOwner{session: owner.session}]
			}
			if key := [3]string{owner.session, owner.agent, call.GetCallId()}; call.GetCallId() != "" {
				if known, ok := first[key]; ok {
					want = known
				}
				first[key] = want
			}
			if got := s.of(owner, call); got != want {
				t.Fatalf("%v of %v, want %q, got %q", call, owner, want, got)
			}
		}
		checkMemory(t, s)
	})
}

// checkMemory counts the memory of all agents again.
func checkMemory(t interface{ Errorf(string, ...any) }, s *sessionFocuses) {
	total := 0
	for e := s.recent.Front(); e != nil; e = e.Next() {
		a := e.Value.(*agentFocus)
		texts := map[*focusText]bool{a.text: true}
		n := focusEntry
		for call, text := range a.calls {
			texts[text] = true
			n += focusEntry + len(call[0]) + len(call[1])
		}
		for text := range texts {
			if text != nil {
				n += len(text.text)
			}
		}
		if n != a.memory || len(a.calls) != len(a.order) || len(a.order) > maxFocusCalls {
			t.Errorf("%v: %d bytes of %d calls, want %d", a.owner, a.memory, len(a.order), n)
		}
		total += a.memory
	}
	if total != s.memory || len(s.agents) != s.recent.Len() {
		t.Errorf("%d bytes of %d agents, want %d", s.memory, len(s.agents), total)
	}
}

// TestFocusesAreBounded sets more focuses, in more sessions, than are remembered.
func TestFocusesAreBounded(t *testing.T) {
	t.Parallel()
	s, text := newSessionFocuses(), strings.Repeat("x", 8000)
	for i := range 2 * maxFocusCalls {
		owner, call := focusOwner{session: "s"}, &pb.CallReference{SessionId: "s", CallId: fmt.Sprint(i)}
		s.set(owner, fmt.Sprint(i, text))
		s.of(owner, call)
	}
	if a := s.recent.Front().Value.(*agentFocus); len(a.calls) != maxFocusCalls {
		t.Errorf("%d calls are remembered", len(a.calls))
	}
	checkMemory(t, s)
	for i := range 2 * maxFocusMemory / len(text) {
		s.set(focusOwner{session: fmt.Sprint("session ", i)}, text)
		s.of(focusOwner{session: "first"}, &pb.CallReference{SessionId: "first", CallId: "c"})
		if s.memory > maxFocusMemory {
			t.Fatalf("%d bytes", s.memory)
		}
	}
	checkMemory(t, s)
	if _, ok := s.agents[focusOwner{session: "s"}]; ok {
		t.Error("the session used longest ago is remembered")
	}
	if _, ok := s.agents[focusOwner{session: "first"}]; !ok {
		t.Error("a session that was used is forgotten")
	}
}

// TestNothingIsRememberedOfNothing: removing a focus that is not there takes no memory.
func TestNothingIsRememberedOfNothing(t *testing.T) {
	t.Parallel()
	s := newSessionFocuses()
	s.set(focusOwner{session: "s"}, "")
	s.of(focusOwner{session: "s"}, nil)
	if s.memory != 0 || len(s.agents) != 0 {
		t.Errorf("%d bytes of %d agents", s.memory, len(s.agents))
	}
}
