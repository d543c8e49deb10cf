package server

import (
	"container/list"
	"sync"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Bounds of what is remembered. An entry has some 400 bytes, so all of them have 100 MB at the most.
const (
	maxSessions         = 1024
	maxOutputsOfSession = 256
)

// outputs remembers which call of a session wrote what, for as long as the server runs.
type outputs struct {
	mu       sync.Mutex
	sessions map[string]*list.Element
	recent   list.List // of *sessionOutputs, the last used first
}

// sessionOutputs are the calls of one session.
type sessionOutputs struct {
	session string
	calls   uint32              // so far
	last    string              // id of the last one
	seen    map[string]outputOf // by fingerprint
	order   []string            // of the fingerprints, the oldest first
}

// outputOf is the last call with an output.
type outputOf struct {
	call   string
	number uint32
	said   *pb.OutputUnchanged // in its answer, so that it is said again when the call is made again
}

func newOutputs() *outputs {
	return &outputs{sessions: map[string]*list.Element{}}
}

// earlier returns the last call before this one that wrote the same; nil when there is none.
func (o *outputs) earlier(c *pb.CallReference, fingerprint string) *pb.OutputUnchanged {
	o.mu.Lock()
	defer o.mu.Unlock()
	e, ok := o.sessions[c.GetSessionId()]
	if !ok || fingerprint == "" {
		return nil
	}
	s := e.Value.(*sessionOutputs)
	was, ok := s.seen[fingerprint]
	switch {
	case !ok:
		return nil
	case was.call == c.GetCallId():
		return was.said
	}
	return &pb.OutputUnchanged{CallId: was.call, CallsAgo: s.calls + 1 - was.number}
}

// answered counts a call, and remembers what it wrote and what was said of that.
func (o *outputs) answered(c *pb.CallReference, fingerprint string, said *pb.OutputUnchanged) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.session(c.GetSessionId())
	if s.last != c.GetCallId() || c.GetCallId() == "" {
		s.calls++
	}
	s.last = c.GetCallId()
	if fingerprint == "" || c.GetCallId() == "" {
		return
	}
	if _, ok := s.seen[fingerprint]; !ok {
		s.order = append(s.order, fingerprint)
		if len(s.order) > maxOutputsOfSession {
			delete(s.seen, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.seen[fingerprint] = outputOf{c.GetCallId(), s.calls, said}
}

// session returns what is known of a session, and forgets that which was used the longest ago when there are too many.
func (o *outputs) session(id string) *sessionOutputs {
	if e, ok := o.sessions[id]; ok {
		o.recent.MoveToFront(e)
		return e.Value.(*sessionOutputs)
	}
	s := &sessionOutputs{session: id, seen: map[string]outputOf{}}
	o.sessions[id] = o.recent.PushFront(s)
	if len(o.sessions) > maxSessions {
		oldest := o.recent.Back()
		o.recent.Remove(oldest)
		delete(o.sessions, oldest.Value.(*sessionOutputs).session)
	}
	return s
}
