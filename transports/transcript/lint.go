// Package transcript finds, and repairs, the parts of a transcript that its provider would reject: calls without
// results, results without calls, roles out of order, ids and names that are too long. pairing.go finds the result of
// each call, lint.go reports, repair.go changes as little as it can and loses no text of a result.
package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// The linter knows what providers reject from their references and their error messages. The rules are fields of
// dialect.Dialect, and the file of each dialect names their sources. It does not guess: what is merely unusual, such as
// a model that speaks twice in a row, is no finding where the provider accepts it. What the linter finds is exactly what
// the repair changes, so a transcript without findings is returned byte for byte.

// maxFindings bounds the findings of one transcript.
const maxFindings = 1000

// Lint finds what the provider of a transcript would reject and, on request, repairs it. A repaired transcript has no
// findings, and messages before the first change are byte for byte as they were, so that a provider's cache still
// holds. The errors are *envelope.InvalidError.
func Lint(req *pb.LintTranscriptRequest) (*pb.LintTranscriptResponse, error) {
	c := envelope.NewChecker("")
	d := dialect.CheckProvider(c, req.GetProvider())
	if err := c.Err(); err != nil {
		return nil, err
	}
	messages, err := read(d, req.GetTranscriptJson())
	if err != nil {
		return nil, err
	}
	l := linter{pairing: pair(d, messages)}
	l.lintAll()
	resp := &pb.LintTranscriptResponse{Findings: l.findings, Total: uint32(len(l.findings))}
	// Total stays exact; a runtime with a thousand findings needs no more of them.
	if len(l.findings) > maxFindings {
		resp.Findings = l.findings[:maxFindings]
	}
	if req.GetRepair() {
		resp.RepairedJson, resp.FirstChanged = new(req.GetTranscriptJson()), nil
		if len(l.findings) > 0 {
			resp.RepairedJson, resp.FirstChanged = repairTranscript(l.pairing)
		}
	}
	return resp, nil
}

// Bounds of a transcript. An empty message takes three bytes as it is sent and some 150 when it is read.
const (
	maxParts  = 1 << 17 // messages, parts of messages and parts of results
	partDepth = 6       // of the arrays that these are in: messages, content, and what is in the content of a result
)

// read reads the messages of a provider. Each keeps its source. A transcript that is JSON but no list of messages is an
// error, not a finding.
func read(d dialect.Dialect, text string) ([]dialect.Message, error) {
	c := envelope.NewChecker("")
	if text == "" {
		c.Fail("transcript_json", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
		return nil, c.Err()
	}
	content := json.RawMessage(text)
	if !json.Valid(content) || !strings.HasPrefix(strings.TrimSpace(text), "[") {
		c.Fail("transcript_json", pb.ErrorReason_ERROR_REASON_JSON_INVALID, "is no JSON array")
		return nil, c.Err()
	}
	n := rawjson.CountElements(content, partDepth)
	if n > maxParts {
		c.Fail("transcript_json", pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG, "has %d messages and parts, at most %d are allowed", n, maxParts)
		return nil, c.Err()
	}
	var messages []dialect.Message
	for i, source := range slices.Collect(jsonspan.Elements(content)) {
		field := fmt.Sprintf("transcript_json[%d]", i)
		o, err := rawjson.Split(source)
		if err != nil {
			c.Fail(field, pb.ErrorReason_ERROR_REASON_JSON_INVALID, "%v", err)
			continue
		}
		// Items of OpenAI Responses have a type instead of a role.
		if o.Get("role") == nil && o.Get("type") == nil {
			c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "has no role")
		}
		m := d.Shape.Read(o)
		m.Source = source
		messages = append(messages, m)
		if slices.ContainsFunc(m.Blocks, isMalformed) {
			c.Fail(field, pb.ErrorReason_ERROR_REASON_JSON_INVALID, "has a part that is no JSON object")
		}
	}
	return messages, c.Err()
}

// linter collects findings. It reads the pairing, which the repair uses too, so that both mean the same calls. Rules that differ between providers are fields of their dialect.
type linter struct {
	*pairing
	findings []*pb.TranscriptFinding
}

// report adds a finding about a message, and a call if id is not "".
func (l *linter) report(rule pb.TranscriptRule, message int, id, format string, args ...any) {
	l.findings = append(l.findings, &pb.TranscriptFinding{
		Rule: rule, Message: uint32(message), CallId: id, Detail: fmt.Sprintf(format, args...),
	})
}

// lintAll finds everything, in the order of the messages.
func (l *linter) lintAll() {
	for _, g := range l.groups {
		l.lintGroup(g)
	}
	for _, s := range l.orphans {
		l.report(pb.TranscriptRule_TRANSCRIPT_RULE_ORPHAN_RESULT, s.message, l.resultAt(s).ID, "no call is answered by this result")
	}
	for _, dup := range l.duplicates {
		l.report(pb.TranscriptRule_TRANSCRIPT_RULE_DUPLICATE_ANSWER, dup.result.message, l.resultAt(dup.result).ID,
			"the call of message %d has an answer in message %d", dup.exchange.call.message, dup.exchange.answer.message)
	}
	for i := range l.messages {
		l.lintMessage(i)
	}
	// Found by rule, reported by message.
	slices.SortStableFunc(l.findings, func(a, b *pb.TranscriptFinding) int { return cmp.Compare(a.GetMessage(), b.GetMessage()) })
}

// lintGroup checks the calls of one message and the places of their results.
func (l *linter) lintGroup(g *group) {
	seen := map[string]bool{}
	for _, e := range g.exchanges {
		c := l.callAt(e.call)
		if problem := l.idProblem(c, seen); problem != "" {
			l.report(pb.TranscriptRule_TRANSCRIPT_RULE_ID_INVALID, g.message, c.ID, "%s", problem)
		}
		// Ids may repeat in other messages: some providers number the calls of each turn.
		seen[c.ID] = true
		if !l.dialect.Names.Accepts(c.Name) {
			l.report(pb.TranscriptRule_TRANSCRIPT_RULE_NAME_INVALID, g.message, c.ID, "the name of the function is %q", c.Name)
		}
		if problem := callProblem(c); problem != "" {
			l.report(pb.TranscriptRule_TRANSCRIPT_RULE_ARGUMENTS_INVALID, g.message, c.ID, "%s: %s", c.Name, problem)
		}
		switch {
		case e.answer == nil:
			l.report(pb.TranscriptRule_TRANSCRIPT_RULE_UNANSWERED_CALL, g.message, c.ID, "the call of %s has no result", c.Name)
		case e.misplaced:
			l.report(pb.TranscriptRule_TRANSCRIPT_RULE_WRONG_ORDER, e.answer.message, c.ID,
				"the result of the call of message %d is not where the provider looks for it", g.message)
		}
	}
}

// idProblem returns a phrase that says what is wrong with the id of a call, or "".
func (l *linter) idProblem(c *dialect.Call, seen map[string]bool) string {
	switch {
	case c.ID == "" && l.dialect.NeedsIDs:
		return "the call has no id"
	case c.ID == "":
		return ""
	case !l.dialect.IDs.Accepts(c.ID):
		return fmt.Sprintf("the id has %d bytes, or characters that the provider does not take", len(c.ID))
	case seen[c.ID]:
		return "another call of the message has this id"
	}
	return ""
}

// callProblem returns a phrase that says what is wrong with the arguments of a call, or "".
func callProblem(c *dialect.Call) string {
	switch {
	case c.Custom:
		return ""
	case c.Arguments == "":
		return "the arguments are empty"
	}
	return dialect.ArgumentsProblem(c.Arguments)
}

// lintMessage checks the content and the role of one message.
func (l *linter) lintMessage(i int) {
	m := &l.messages[i]
	if problem := emptyProblem(&l.dialect, m); problem != "" {
		l.report(pb.TranscriptRule_TRANSCRIPT_RULE_EMPTY_CONTENT, i, "", "%s", problem)
	}
	var previous dialect.Role
	if i > 0 {
		previous = l.messages[i-1].Role
	}
	if problem := roleProblem(&l.dialect, previous, m.Role, i == 0); problem != "" {
		l.report(pb.TranscriptRule_TRANSCRIPT_RULE_ROLE_ORDER, i, "", "%s", problem)
	}
}

// emptyProblem returns a phrase for what is empty in a message and may not be, or "".
func emptyProblem(d *dialect.Dialect, m *dialect.Message) string {
	if m.Flaw != "" {
		return m.Flaw
	}
	// A message of a tool has its result, and system messages are not checked.
	if len(m.Blocks) == 0 && (m.Role == dialect.RoleAssistant || m.Role == dialect.RoleUser && !d.EmptyText) {
		return "the message has no content"
	}
	if d.NeedsContent && m.Role == dialect.RoleAssistant && dialect.SaysNothing(m.Blocks) {
		return "the message has neither content nor calls"
	}
	if !d.EmptyText && slices.ContainsFunc(m.Blocks, isBlank) {
		return "a text is empty"
	}
	return ""
}

// isMalformed reports whether a block was read from a value that cannot be one, such as a number among the parts of a
// message. Such a transcript was not written by a runtime, and is an error of the request rather than a finding.
func isMalformed(b dialect.Block) bool {
	return b.Text == nil && b.Call == nil && b.Result == nil && b.Original == nil
}

// isBlank reports whether a block is a text of white space alone.
func isBlank(b dialect.Block) bool { return b.Text != nil && strings.TrimSpace(*b.Text) == "" }

// roleProblem returns a phrase that says why a role may not follow the previous one, or "".
func roleProblem(d *dialect.Dialect, previous, now dialect.Role, first bool) string {
	// Consecutive results are fine everywhere.
	spoken := now == dialect.RoleUser || now == dialect.RoleAssistant
	switch {
	case first && d.UserFirst && now == dialect.RoleAssistant:
		return "the first message is not the user's"
	case !first && d.AlternatesRoles && spoken && previous == now:
		return "two messages of one role follow each other"
	case d.NeedsBridge && previous == dialect.RoleTool && now == dialect.RoleUser:
		return "the user speaks directly after a tool"
	}
	return ""
}
