package transports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// maxFindings bounds what is told of one transcript.
const maxFindings = 1000

// LintTranscript finds, and on request repairs, what a provider would refuse. The errors
// are *envelope.InvalidError.
func LintTranscript(req *pb.LintTranscriptRequest) (*pb.LintTranscriptResponse, error) {
	c := envelope.NewChecker("")
	d := checkProvider(c, req.GetProvider())
	if err := c.Err(); err != nil {
		return nil, err
	}
	messages, err := readTranscript(d, req.GetTranscriptJson())
	if err != nil {
		return nil, err
	}
	l := linter{pairing: pairUp(d, messages)}
	l.lint()
	resp := &pb.LintTranscriptResponse{Findings: l.findings, Total: uint32(len(l.findings))}
	if len(l.findings) > maxFindings {
		resp.Findings = l.findings[:maxFindings]
	}
	if req.GetRepair() {
		resp.RepairedJson, resp.FirstChanged = new(req.GetTranscriptJson()), nil
		if len(l.findings) > 0 {
			resp.RepairedJson, resp.FirstChanged = repaired(l.pairing)
		}
	}
	return resp, nil
}

// readTranscript reads the messages of a provider.
func readTranscript(d dialect, text string) ([]message, error) {
	c := envelope.NewChecker("")
	if text == "" {
		c.Fail("transcript_json", missing, "is required")
		return nil, c.Err()
	}
	if !json.Valid([]byte(text)) || !strings.HasPrefix(strings.TrimSpace(text), "[") {
		c.Fail("transcript_json", noJSON, "is no JSON array")
		return nil, c.Err()
	}
	sources := rawjson.Elements(json.RawMessage(text))
	messages := make([]message, len(sources))
	for i, source := range sources {
		field := fmt.Sprintf("transcript_json[%d]", i)
		o, err := rawjson.Split(source)
		if err != nil {
			c.Fail(field, noJSON, "%v", err)
			continue
		}
		if o.Get("role") == nil && o.Get("type") == nil {
			c.Fail(field, missing, "has no role")
		}
		messages[i] = d.shape.read(o)
		messages[i].source = source
		if slices.ContainsFunc(messages[i].blocks, isNothing) {
			c.Fail(field, noJSON, "has a part that is no JSON object")
		}
	}
	return messages, c.Err()
}

// linter collects findings.
type linter struct {
	*pairing
	findings []*pb.TranscriptFinding
}

func (l *linter) find(rule pb.TranscriptRule, message int, id, format string, args ...any) {
	l.findings = append(l.findings, &pb.TranscriptFinding{
		Rule: rule, Message: uint32(message), CallId: id, Detail: fmt.Sprintf(format, args...),
	})
}

func (l *linter) lint() {
	for _, g := range l.groups {
		l.lintGroup(g)
	}
	for _, s := range l.orphans {
		l.find(pb.TranscriptRule_TRANSCRIPT_RULE_ORPHAN_RESULT, s.message, l.result(s).id, "no call is answered by this result")
	}
	for _, dup := range l.duplicates {
		l.find(pb.TranscriptRule_TRANSCRIPT_RULE_DUPLICATE_ANSWER, dup.at.message, l.result(dup.at).id,
			"the call of message %d has an answer in message %d", dup.of.at.message, dup.of.answer.message)
	}
	for i := range l.messages {
		l.lintMessage(i)
	}
	slices.SortStableFunc(l.findings, func(a, b *pb.TranscriptFinding) int { return cmp.Compare(a.GetMessage(), b.GetMessage()) })
}

func (l *linter) lintGroup(g *group) {
	seen := map[string]bool{}
	for _, e := range g.exchanges {
		c := l.call(e.at)
		if problem := l.idProblem(c, seen); problem != "" {
			l.find(pb.TranscriptRule_TRANSCRIPT_RULE_ID_INVALID, g.message, c.id, "%s", problem)
		}
		seen[c.id] = true
		if !l.dialect.names.takes(c.name) {
			l.find(pb.TranscriptRule_TRANSCRIPT_RULE_NAME_INVALID, g.message, c.id, "the name of the function is %q", c.name)
		}
		if problem := c.argumentsProblem(); problem != "" {
			l.find(pb.TranscriptRule_TRANSCRIPT_RULE_ARGUMENTS_INVALID, g.message, c.id, "%s: %s", c.name, problem)
		}
		switch {
		case e.answer == nil:
			l.find(pb.TranscriptRule_TRANSCRIPT_RULE_UNANSWERED_CALL, g.message, c.id, "the call of %s has no result", c.name)
		case e.misplaced:
			l.find(pb.TranscriptRule_TRANSCRIPT_RULE_WRONG_ORDER, e.answer.message, c.id,
				"the result of the call of message %d is not where the provider looks for it", g.message)
		}
	}
}

// idProblem says what is wrong with the id of a call, or "".
func (l *linter) idProblem(c *call, seen map[string]bool) string {
	switch {
	case c.id == "" && l.dialect.needsIDs:
		return "the call has no id"
	case c.id == "":
		return ""
	case !l.dialect.ids.takes(c.id):
		return fmt.Sprintf("the id has %d bytes, or characters that the provider does not take", len(c.id))
	case seen[c.id]:
		return "another call of the message has this id"
	}
	return ""
}

// argumentsProblem says what is wrong with the arguments of a call, or "".
func (c *call) argumentsProblem() string {
	switch {
	case c.custom:
		return ""
	case c.arguments == "":
		return "the arguments are empty"
	}
	return argumentsProblem(c.arguments)
}

func (l *linter) lintMessage(i int) {
	m := &l.messages[i]
	if problem := l.dialect.emptiness(m); problem != "" {
		l.find(pb.TranscriptRule_TRANSCRIPT_RULE_EMPTY_CONTENT, i, "", "%s", problem)
	}
	var previous role
	if i > 0 {
		previous = l.messages[i-1].role
	}
	if problem := l.dialect.turnProblem(previous, m.role, i == 0); problem != "" {
		l.find(pb.TranscriptRule_TRANSCRIPT_RULE_ROLE_ORDER, i, "", "%s", problem)
	}
}

// emptiness says what of a message is empty and may not be, or "".
func (d *dialect) emptiness(m *message) string {
	if m.flaw != "" {
		return m.flaw
	}
	if len(m.blocks) == 0 && (m.role == roleAssistant || m.role == roleUser && !d.blank) {
		return "the message has no content"
	}
	if d.speaks && m.role == roleAssistant && saysNothing(m.blocks) {
		return "the message has neither content nor calls"
	}
	if !d.blank && slices.ContainsFunc(m.blocks, isBlank) {
		return "a text is empty"
	}
	return ""
}

// isNothing reports whether a block was read of something that cannot be one.
func isNothing(b block) bool {
	return b.text == nil && b.call == nil && b.result == nil && b.base == nil
}

// isBlank reports whether a block is text that says nothing.
func isBlank(b block) bool { return b.text != nil && strings.TrimSpace(*b.text) == "" }

// turnProblem says why it is not a role's turn, or "".
func (d *dialect) turnProblem(previous, now role, first bool) string {
	spoken := now == roleUser || now == roleAssistant
	switch {
	case first && d.userFirst && now == roleAssistant:
		return "the first message is not the user's"
	case !first && d.alternates && spoken && previous == now:
		return "two messages of one role follow each other"
	case d.bridge && previous == roleTool && now == roleUser:
		return "the user speaks directly after a tool"
	}
	return ""
}
