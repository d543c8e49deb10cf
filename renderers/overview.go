package renderers

import (
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// MaxOverview bounds the cost of an overview, in tokens.
const MaxOverview = 1000

// Bounds of a line of an overview, in characters.
const (
	maxMentionSubject = 120
	maxMentionOutcome = 160
)

// Overview returns one receipt for n results that are no longer shown whole, with a
// line for each, the oldest first. If the budget, in tokens, is too small for all of
// them, the newest are kept and a mark states how many are missing. line returns the
// line of a result, counted back from the newest; it is called for few more than fit.
// The only errors are those of line and ErrNotSanitised.
//
//	Earlier tool results: 12
//	Already read and run:
//	[…11:]
//	ran go test ./...: exit code 1; stdout: /path
//	read server/a.go: /path (stale: edited later)
func Overview(n, budget int, c tokens.Counter, line func(back int) (string, error)) (Receipt, error) {
	var newest []string
	for spent := 0; len(newest) < n && spent <= budget; {
		text, err := line(len(newest))
		if err != nil {
			return Receipt{}, err
		}
		newest, spent = append(newest, text), spent+c.Count(text)
	}
	for {
		r, err := Write(overview(n, newest), c)
		if err != nil || r.Tokens <= budget || len(newest) == 0 {
			return r, err
		}
		newest = newest[:len(newest)-1]
	}
}

// overview describes an overview of n results, of which the newest have lines.
func overview(n int, newest []string) Document {
	s := Section{Label: labelSeen}
	first := n - len(newest) + 1
	switch {
	case len(newest) == 0 && n > 0:
		s.Body = append(s.Body, Piece{Mark: &Mark{}})
	case first > 1:
		s.Body = append(s.Body, Piece{Mark: &Mark{Next: int64(first)}})
	}
	if len(newest) > 0 {
		oldest := make([]string, len(newest))
		for i, text := range newest {
			oldest[len(newest)-1-i] = text
		}
		s.Body = append(s.Body, Piece{Text: strings.Join(oldest, "\n")})
	}
	return Document{Outcome: outcomeOverview + " " + strconv.Itoa(n), Sections: []Section{s}}
}

// uncompactedRenderer is a Renderer that can describe a result as it is before it
// becomes one line, and knows its grammar.
type uncompactedRenderer interface {
	uncompacted(r *pb.CanonicalToolResult, p Policy) (Document, *grammar)
}

func (d Describe) uncompacted(r *pb.CanonicalToolResult, p Policy) (Document, *grammar) {
	if e := r.GetError(); e != nil {
		named, _ := p.withHandles(e.ProtoReflect()).Interface().(*pb.ToolError)
		return errorDocument(named), contractGrammar()
	}
	_, payload := envelope.Payload(r)
	return d(p.withHandles(payload)), contractGrammar()
}

func (c *CustomRenderer) uncompacted(r *pb.CanonicalToolResult, p Policy) (Document, *grammar) {
	_, payload := c.types.Open(r)
	return c.document(p.withHandles(payload)), &c.grammar
}

// Mention returns the line of an overview for a result: the call, its outcome, the
// facts that a receipt of one line keeps, such as ids, and the places of its texts.
// subject is the subject of the result on one line; empty when not known. superseded
// names the later result, or is nil.
func Mention(renderer Renderer, r *pb.CanonicalToolResult, p Policy, subject string, superseded *pb.Superseded) string {
	var d Document
	forms := contractGrammar()
	if m, ok := renderer.(uncompactedRenderer); ok {
		d, forms = m.uncompacted(r, p)
	}
	did, ended, plain := summarize(r, subject, d.Outcome)
	var parts []string
	if ended != "" {
		parts = append(parts, shorten(ended, maxMentionOutcome))
	}
	for _, f := range d.keptFacts(func(label string) bool { return forms.brief[label] }) {
		parts = append(parts, f.Label+": "+shorten(f.Value, maxMentionOutcome))
	}
	for i := range d.Sections {
		e := d.Sections[i].Extent
		switch {
		case e == nil || e.Artifact == "":
		case plain:
			parts = append(parts, e.Artifact)
		default:
			parts = append(parts, d.Sections[i].Label+": "+e.Artifact)
		}
	}
	text := shorten(did, maxMentionSubject)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, "; ")
	}
	switch {
	case superseded == nil:
	case superseded.GetCause() == pb.SupersededCause_SUPERSEDED_CAUSE_EDITED:
		text += " (stale: edited later)"
	default:
		text += " (superseded)"
	}
	return textscan.OneLine(text)
}

// summarize states a call and its outcome. plain reports that the result is one text,
// whose label says nothing.
func summarize(r *pb.CanonicalToolResult, subject, outcome string) (did, ended string, plain bool) {
	switch result := r.GetResult().(type) {
	case *pb.CanonicalToolResult_Command:
		if did = "ran a command"; result.Command.GetCommandPreview() != "" {
			did = "ran " + result.Command.GetCommandPreview()
		}
		if ended = outcome; ended == outcomeExited+" with code "+strconv.Itoa(int(result.Command.GetExitStatus())) {
			return did, "exit code " + strconv.Itoa(int(result.Command.GetExitStatus())), false
		}
		_, ended, _ = strings.Cut(ended, " ") // "Process timed out", "Command promoted to"
		return did, ended, false
	case *pb.CanonicalToolResult_FileRead:
		return "read " + readRange(result.FileRead), "", true
	}
	if did = r.GetToolName(); subject != "" && !strings.Contains(outcome, subject) {
		did += " " + subject
	}
	return did, outcome, false
}

// readRange names the lines of a file that were read.
func readRange(r *pb.FileReadResult) string {
	first := max(1, bounded(r.GetFirstLine()))
	switch {
	case r.RangeLines != nil && r.GetRangeLines() > 0:
		return r.GetPath() + ", " + lineRange{first, first + bounded(r.GetRangeLines()) - 1}.String()
	case first > 1:
		return r.GetPath() + " from line " + strconv.FormatInt(first, 10)
	}
	return r.GetPath()
}

// shorten returns a text on one line of at most limit characters.
func shorten(text string, limit int) string {
	text = textscan.OneLine(text)
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}
