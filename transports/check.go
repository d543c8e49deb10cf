package transports

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// A turn is checked before anything of it is encoded, because a mistake of the runtime is cheaper to read here, with the
// path of its field, than in the answer of a provider, which names a message and sometimes only a position. Text of
// tools is never a mistake: it may have any characters and any length.

// Bounds of a turn, as transport.proto states them, and reasons of violations. Sixteen media and notices are far more
// than one turn of a runtime has, and keep a message within the limits of every provider.
const (
	maxMedia   = 16
	maxNotices = 16

	reasonMissing     = pb.ErrorReason_ERROR_REASON_FIELD_MISSING
	reasonOutOfBounds = pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS
	reasonJSON        = pb.ErrorReason_ERROR_REASON_JSON_INVALID
)

// checkTurn checks a turn and returns the result of each call; nil for a call without one. All violations are reported
// at once, except those of pairing, which are only found in a turn that is otherwise valid.
func checkTurn(req *pb.EncodeTurnRequest) (dialect.Dialect, []*pb.TurnResult, error) {
	c := envelope.NewChecker("")
	d := dialect.CheckProvider(c, req.GetProvider())
	dialect.CheckFormat(c, req.GetFormat())
	// Without a message of the model there is nothing to answer: the text of the user is all that a turn may have then.
	if req.Assistant == nil && (req.GetUserText() == "" || len(req.GetResults())+len(req.GetNotices()) > 0) {
		c.Fail("assistant", reasonMissing, "is required")
	}
	if req.GetUserText() != "" {
		checkNotBlank(c, "user_text", req.GetUserText())
	}
	checkAssistant(c.At("assistant"), req.GetAssistant())
	for i, r := range req.GetResults() {
		checkResult(c.At(fmt.Sprintf("results[%d]", i)), r)
	}
	dialect.CheckCount(c, "notices", len(req.GetNotices()), maxNotices)
	for i, n := range req.GetNotices() {
		field := fmt.Sprintf("notices[%d]", i)
		c.Length(field, n, dialect.MaxNoticeBytes)
		checkNotBlank(c, field, n)
	}
	if err := c.Err(); err != nil {
		return d, nil, err
	}
	results := pairResults(c, req)
	return d, results, c.Err()
}

// checkNotBlank reports a text of white space alone. Most providers reject the whole request for one.
func checkNotBlank(c envelope.Checker, field, text string) {
	if strings.TrimSpace(text) == "" {
		c.Fail(field, reasonMissing, "is empty")
	}
}

// checkAssistant checks the calls and blocks of the model.
func checkAssistant(c envelope.Checker, a *pb.AssistantTurn) {
	dialect.CheckCount(c, "tool_calls", len(a.GetToolCalls()), dialect.MaxCalls)
	for i, p := range a.GetToolCalls() {
		checkCall(c.At(fmt.Sprintf("tool_calls[%d]", i)), p)
	}
	dialect.CheckCount(c, "provider_blocks", len(a.GetProviderBlocks()), dialect.MaxBlocks)
	for i, b := range a.GetProviderBlocks() {
		field := fmt.Sprintf("provider_blocks[%d]", i)
		dialect.CheckProvider(c.At(field), b.GetProvider())
		if !rawjson.IsObject(b.GetBlockJson()) {
			c.Fail(field+".block_json", reasonJSON, "%v", rawjson.ErrNotObject)
		}
		if b.BeforeCall != nil && int(b.GetBeforeCall()) > len(a.GetToolCalls()) {
			c.Fail(field+".before_call", reasonOutOfBounds, "is %d, and there are %d calls", b.GetBeforeCall(), len(a.GetToolCalls()))
		}
	}
}

// checkCall checks one call. Empty arguments are an empty object.
func checkCall(c envelope.Checker, p *pb.ParsedToolCall) {
	c.Required("tool", p.GetTool(), dialect.MaxNameBytes)
	c.Length("server", p.GetServer(), dialect.MaxNameBytes)
	c.Length("id", p.GetId(), dialect.MaxIDBytes)
	if !p.GetCustom() && p.GetArguments() != "" {
		checkObject(c, "arguments", p.GetArguments())
	}
}

// checkObject reports a field that is no JSON object, or not one that every provider accepts.
func checkObject(c envelope.Checker, field, text string) {
	if problem := dialect.ObjectProblem(text); problem != nil {
		c.Fail(field, problem.Reason, "%s", problem.Message)
	}
}

// checkResult checks one result. A canonical result was validated by the caller.
func checkResult(c envelope.Checker, r *pb.TurnResult) {
	c.Length("call_id", r.GetCallId(), dialect.MaxIDBytes)
	switch {
	case r.GetContent() == nil:
		c.Fail("content", reasonMissing, "is required")
	case r.GetCanonical() != nil:
		checkNotBlank(c, "receipt.text", r.GetReceipt().GetText())
		if s := r.GetStatus(); s != pb.ToolStatus_TOOL_STATUS_UNSPECIFIED && s != r.GetCanonical().GetStatus() {
			c.Fail("status", pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY, "is not that of the canonical result")
		}
	default:
		checkNotBlank(c, "text", r.GetText())
	}
	if _, known := pb.ToolStatus_name[int32(r.GetStatus())]; !known {
		c.Fail("status", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "has the value %d, which this version does not know", r.GetStatus())
	}
	dialect.CheckCount(c, "media", len(r.GetMedia()), maxMedia)
	for i, m := range r.GetMedia() {
		checkMedia(c.At(fmt.Sprintf("media[%d]", i)), m)
	}
}

// checkMedia checks media that the caller gave. Their type, path and URL become words of a message.
func checkMedia(c envelope.Checker, m *pb.Media) {
	c.Required("media_type", m.GetMediaType(), dialect.MaxNameBytes)
	c.Name("name", m.GetName(), false)
	if m.GetUrl() == "" && m.GetFileId() == "" && len(m.GetData()) == 0 {
		c.Fail("source", reasonMissing, "is required")
	}
	// A line break in a path could imitate a line of a receipt.
	if strings.ContainsFunc(m.GetMediaType()+m.GetPath()+m.GetUrl(), isControl) {
		c.Fail("media_type", reasonOutOfBounds, "it, url or path has a control character")
	}
}

// isControl reports whether r is a control character or not a character.
func isControl(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }

// pairResults returns the result of each call: by the id, or by its place if no result has an id.
func pairResults(c envelope.Checker, req *pb.EncodeTurnRequest) []*pb.TurnResult {
	calls := req.GetAssistant().GetToolCalls()
	results := make([]*pb.TurnResult, len(calls))
	// The first result decides for all: a turn that mixes both forms is ambiguous.
	byID := len(req.GetResults()) > 0 && req.GetResults()[0].CallId != nil
	for i, r := range req.GetResults() {
		field := fmt.Sprintf("results[%d]", i)
		if (r.CallId != nil) != byID {
			c.Fail(field+".call_id", reasonOutOfBounds, "either all results of a turn name their call, or none")
			continue
		}
		// Without ids the results have the order of the calls.
		at := i
		if byID {
			at = findUnanswered(calls, results, r.GetCallId())
		}
		if at < 0 || at >= len(calls) {
			c.Fail(field, reasonOutOfBounds, "no call of the turn is without a result and has this id or place")
			continue
		}
		results[at] = r
	}
	return results
}

// findUnanswered returns the index of the first call with an id and no result, or -1.
func findUnanswered(calls []*pb.ParsedToolCall, results []*pb.TurnResult, id string) int {
	for i, c := range calls {
		if c.Id != nil && c.GetId() == id && results[i] == nil {
			return i
		}
	}
	return -1
}
