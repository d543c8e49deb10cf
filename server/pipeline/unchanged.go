package pipeline

import (
	"container/list"
	"slices"
	"sync"

	"github.com/zeebo/blake3"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Bounds of what is remembered. An entry has some 400 bytes, so all of them have 100 MB at the most.
const (
	maxScopes         = 1024
	maxOutputsOfScope = 256
)

// scope is where an output that was shown can be referred to: one context of one agent.
type scope struct {
	session, agent string
	generation     uint64
}

func newScope(c *pb.CallReference) scope {
	return scope{c.GetSessionId(), c.GetAgentId(), c.GetGeneration()}
}

// shownOutputs remembers which call of a scope shows which output, for as long as the server runs. It is safe for concurrent use.
type shownOutputs struct {
	mu     sync.Mutex
	scopes map[scope]*list.Element
	recent list.List // of *scopeOutputs, the last used first
}

// scopeOutputs are the calls of one scope.
type scopeOutputs struct {
	scope scope
	calls uint32                 // so far
	last  string                 // id of the last one
	seen  map[string]shownOutput // by fingerprint
	order []string               // of the fingerprints, the oldest first
}

// shownOutput is the call that shows an output.
type shownOutput struct {
	call      string
	number    uint32
	truncated bool // its receipt leaves content out
	focus     [16]byte

	repeat string              // the last call that repeats it
	said   *pb.OutputUnchanged // in the answer of that, so that it is said again when the call is made again
}

func newShownOutputs() *shownOutputs {
	return &shownOutputs{scopes: map[scope]*list.Element{}}
}

// earlier returns the call of the same scope that shows the output already; nil when there is none.
// One that leaves content out shows what another focus looked for.
func (o *shownOutputs) earlier(c *pb.CallReference, fingerprint, focus string) *pb.OutputUnchanged {
	o.mu.Lock()
	defer o.mu.Unlock()
	e, ok := o.scopes[newScope(c)]
	if !ok || fingerprint == "" {
		return nil
	}
	s := e.Value.(*scopeOutputs)
	was, ok := s.seen[fingerprint]
	switch {
	case !ok, was.call == c.GetCallId():
		return nil
	case was.repeat == c.GetCallId() && was.repeat != "":
		return was.said
	case was.truncated && was.focus != focusDigest(focus):
		return nil
	}
	return &pb.OutputUnchanged{CallId: was.call, CallsAgo: s.calls + 1 - was.number, WasCut: was.truncated}
}

// answer is what became of a call.
type answer struct {
	fingerprint string
	said        *pb.OutputUnchanged // nil: its receipt shows the output
	truncated   bool                // but for content that it leaves out
	focus       string              // that it was made with
}

// focusDigest returns a digest of a focus.
func focusDigest(focus string) [16]byte {
	sum := blake3.Sum256([]byte(focus))
	return [16]byte(sum[:16])
}

// answered counts a call, and remembers what it shows.
func (o *shownOutputs) answered(c *pb.CallReference, a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.scope(newScope(c))
	if s.last != c.GetCallId() || c.GetCallId() == "" {
		s.calls++
	}
	s.last = c.GetCallId()
	if a.fingerprint == "" || c.GetCallId() == "" {
		return
	}
	if a.said != nil {
		if was, ok := s.seen[a.fingerprint]; ok {
			was.repeat, was.said = c.GetCallId(), a.said
			s.seen[a.fingerprint] = was
		}
		return
	}
	if _, ok := s.seen[a.fingerprint]; !ok {
		s.order = append(s.order, a.fingerprint)
		if len(s.order) > maxOutputsOfScope {
			delete(s.seen, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.seen[a.fingerprint] = shownOutput{call: c.GetCallId(), number: s.calls, truncated: a.truncated, focus: focusDigest(a.focus)}
}

// forget forgets what calls of a session show, in all of its scopes: their results were compacted, and are not referred to
// any more.
func (o *shownOutputs) forget(session string, calls []string) {
	if len(calls) == 0 {
		return
	}
	gone := make(map[string]bool, len(calls))
	for _, call := range calls {
		gone[call] = true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for scope, e := range o.scopes {
		if scope.session != session {
			continue
		}
		s := e.Value.(*scopeOutputs)
		s.order = slices.DeleteFunc(s.order, func(fingerprint string) bool {
			if !gone[s.seen[fingerprint].call] {
				return false
			}
			delete(s.seen, fingerprint)
			return true
		})
	}
}

// scope returns what is known of a scope, and forgets that which was used the longest ago when there are too many.
func (o *shownOutputs) scope(id scope) *scopeOutputs {
	if e, ok := o.scopes[id]; ok {
		o.recent.MoveToFront(e)
		return e.Value.(*scopeOutputs)
	}
	s := &scopeOutputs{scope: id, seen: map[string]shownOutput{}}
	o.scopes[id] = o.recent.PushFront(s)
	if len(o.scopes) > maxScopes {
		oldest := o.recent.Back()
		o.recent.Remove(oldest)
		delete(o.scopes, oldest.Value.(*scopeOutputs).scope)
	}
	return s
}
