package pipeline

import (
	"container/list"
	"context"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/redaction"
)

// Bounds of the focuses that are remembered, in bytes of memory and in calls.
const (
	maxFocusMemory = 16 << 20
	maxFocusCalls  = 256 // of an agent
	focusEntry     = 400 // of an agent, and of a call, beside their texts
)

// SetSessionFocus says what the agent of a session looks for.
func (p *Pipeline) SetSessionFocus(
	ctx context.Context, req *pb.SetSessionFocusRequest,
) (*pb.SetSessionFocusResponse, error) {
	session, err := identity.Confine(ctx, req.GetSessionId())
	if err != nil {
		return nil, err
	}
	check := envelope.NewChecker("")
	check.Name("session_id", session, true)
	check.Name("agent_id", req.GetAgentId(), false)
	policy.CheckFocus(check, req.GetFocus())
	if err := check.Err(); err != nil {
		return nil, err
	}
	p.focuses.set(focusOwner{session, req.GetAgentId()}, req.GetFocus())
	return &pb.SetSessionFocusResponse{}, nil
}

// confine confines a request to the session of its caller: its call, and the session whose focus it
// uses.
func confine(ctx context.Context, call **pb.CallReference, policy *pb.ProjectionPolicy) error {
	if err := identity.ConfineCall(ctx, call); err != nil {
		return err
	}
	_, err := identity.Confine(ctx, policy.GetFocusSession())
	return err
}

// sessionFocus returns the focus of the session of a request, without secrets; "" for none.
func (p *Pipeline) sessionFocus(
	call *pb.CallReference, policy *pb.ProjectionPolicy, pass *redaction.Pass,
) string {
	owner := focusOwner{policy.GetFocusSession(), ""}
	if owner.session == "" {
		owner = focusOwner{call.GetSessionId(), call.GetAgentId()}
	}
	if owner.session == "" {
		return ""
	}
	return pass.RedactFocus(p.Patterns, p.focuses.of(owner, call))
}

// redactFocus returns a request whose focus has no secrets: req itself, or a copy that shares
// everything else.
func (p *Pipeline) redactFocus(req *pb.ProjectRequest, pass *redaction.Pass) *pb.ProjectRequest {
	own := req.GetPolicy().GetFocus()
	clean := pass.RedactFocus(p.Patterns, own)
	if clean == own {
		return req
	}
	policy := proto.CloneOf(req.GetPolicy())
	policy.Focus = clean
	return &pb.ProjectRequest{
		Output: req.GetOutput(), Policy: policy, Call: req.GetCall(), RequestId: req.GetRequestId(),
		Audit: req.GetAudit(), CanonicalForm: req.GetCanonicalForm(),
	}
}

// focusOwner is the agent that a focus is of; without an agent, all of the session that have none
// of their own.
type focusOwner struct{ session, agent string }

// sessionFocuses remembers what agents look for, and which focus each of their calls was first
// projected with, for as long as the server runs. The agents used longest ago are forgotten. Safe
// for concurrent use.
type sessionFocuses struct {
	mu     sync.Mutex
	agents map[focusOwner]*list.Element
	recent list.List // of *agentFocus, the last used first
	memory int       // bytes
}

// agentFocus is the focus of one agent.
type agentFocus struct {
	owner  focusOwner
	text   *focusText               // nil: the agent has none of its own
	calls  map[[2]string]*focusText // by session and call id
	order  [][2]string              // of the calls, the oldest first
	memory int                      // bytes
}

// focusText is a focus, once for all calls that follow each other with it.
type focusText struct {
	text string
	uses int
}

func newSessionFocuses() *sessionFocuses {
	return &sessionFocuses{agents: map[focusOwner]*list.Element{}}
}

// set sets the focus of an agent; "" removes it.
func (s *sessionFocuses) set(owner focusOwner, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.agent(owner)
	before := a.memory
	old := a.text
	a.text = nil
	if text != "" {
		a.text = a.use(old, text)
	}
	a.drop(old)
	s.settle(a, a.memory-before)
}

// of returns the focus of an agent, or else that of its session. A call with an id keeps the focus
// that it had first.
func (s *sessionFocuses) of(owner focusOwner, call *pb.CallReference) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.current(owner)
	if call.GetCallId() == "" {
		return text
	}
	a, key := s.agent(owner), [2]string{call.GetSessionId(), call.GetCallId()}
	if first, ok := a.calls[key]; ok {
		return first.text
	}
	before := a.memory
	a.pin(key, text)
	s.settle(a, a.memory-before)
	return text
}

// current returns the focus of an agent, or else that of its session.
func (s *sessionFocuses) current(owner focusOwner) string {
	for _, o := range []focusOwner{{session: owner.session}, owner} {
		if e, ok := s.agents[o]; ok {
			s.recent.MoveToFront(e)
		}
	}
	for _, o := range []focusOwner{owner, {session: owner.session}} {
		if e, ok := s.agents[o]; ok && e.Value.(*agentFocus).text != nil {
			return e.Value.(*agentFocus).text.text
		}
	}
	return ""
}

// agent returns what is known of an agent, which becomes the last used.
func (s *sessionFocuses) agent(owner focusOwner) *agentFocus {
	if e, ok := s.agents[owner]; ok {
		s.recent.MoveToFront(e)
		return e.Value.(*agentFocus)
	}
	a := &agentFocus{owner: owner, calls: map[[2]string]*focusText{}, memory: focusEntry}
	s.agents[owner] = s.recent.PushFront(a)
	s.memory += a.memory
	return a
}

// settle adds the memory that an agent took. It forgets an agent without a focus and calls, and
// those used longest ago while all of them have too much.
func (s *sessionFocuses) settle(a *agentFocus, more int) {
	s.memory += more
	if a.text == nil && len(a.calls) == 0 {
		s.forget(s.agents[a.owner])
	}
	for s.memory > maxFocusMemory && s.recent.Len() > 1 {
		s.forget(s.recent.Back())
	}
}

// forget forgets an agent.
func (s *sessionFocuses) forget(e *list.Element) {
	a := e.Value.(*agentFocus)
	s.recent.Remove(e)
	delete(s.agents, a.owner)
	s.memory -= a.memory
}

// pin keeps the focus of a call, and forgets that of the oldest call if there are too many.
func (a *agentFocus) pin(call [2]string, text string) {
	like := a.text
	if n := len(a.order); n > 0 && (like == nil || like.text != text) {
		like = a.calls[a.order[n-1]]
	}
	a.calls[call] = a.use(like, text)
	a.order = append(a.order, call)
	a.memory += focusEntry + len(call[0]) + len(call[1])
	if len(a.order) > maxFocusCalls {
		oldest := a.order[0]
		a.drop(a.calls[oldest])
		delete(a.calls, oldest)
		a.order = a.order[1:]
		a.memory -= focusEntry + len(oldest[0]) + len(oldest[1])
	}
}

// use returns the focus with a text, for one more call: like if it has the text, or a new one.
func (a *agentFocus) use(like *focusText, text string) *focusText {
	if like == nil || like.text != text {
		like = &focusText{text: text}
		a.memory += len(text)
	}
	like.uses++
	return like
}

// drop ends one use of a text, which may be nil.
func (a *agentFocus) drop(t *focusText) {
	if t == nil {
		return
	}
	if t.uses--; t.uses == 0 {
		a.memory -= len(t.text)
	}
}
