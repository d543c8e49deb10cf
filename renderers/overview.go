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

// Seen is what an overview states of a result.
type Seen struct {
	Text  string   // the call, its outcome and its places
	Note  string   // whether it is out of date; empty if not
	Names []string // that it introduced, the most valuable first
}

// Overview returns one receipt for n results that are no longer shown whole, with a
// line for each, the oldest first. Results with the same text share the line of the
// newest. If the budget, in tokens, is too small for all of them, the newest are kept
// and a mark states how many are missing. Names are added for at most another number of
// tokens, each result's first name before any second one. seen returns what is stated of
// a result, counted back from the newest; it is called for few more than fit. The only
// errors are those of seen and ErrNotSanitised.
//
//	Earlier tool results: 12
//	Already read and run:
//	[…9:]
//	ran go test ./...: exit code 1; stdout: /path (3 times)
//	read server/a.go: /path; names: func Serve, type Server (stale: edited later)
func Overview(n, budget, names int, c tokens.Counter, seen func(back int) (Seen, error)) (Receipt, error) {
	var newest []seenLine
	known := map[string]int{} // by text: index in newest
	back, spent := 0, 0
	for ; back < n && spent <= budget; back++ {
		s, err := seen(back)
		if err != nil {
			return Receipt{}, err
		}
		if at, ok := known[s.Text]; ok {
			newest[at].times++
			newest[at].Names = append(newest[at].Names, s.Names...)
			continue
		}
		known[s.Text] = len(newest)
		newest, spent = append(newest, seenLine{Seen: s, back: back, times: 1}), spent+c.Count(s.Text+s.Note)
	}
	for {
		r, err := Write(overview(n, n-back, newest), c)
		if err != nil || r.Tokens <= budget || len(newest) == 0 {
			if err == nil && nameLines(newest, names, c) {
				return Write(overview(n, n-back, newest), c)
			}
			return r, err
		}
		back = newest[len(newest)-1].back
		newest = newest[:len(newest)-1]
	}
}

// seenLine is a line of an overview.
type seenLine struct {
	Seen
	back  int      // of the newest result, counted from the newest of all
	times int      // results that it stands for
	names []string // that it has
}

// nameLines adds names to lines until the tokens are spent, and reports whether there
// are any.
func nameLines(lines []seenLine, budget int, c tokens.Counter) (any bool) {
	said := map[string]bool{}
	for k, more := 0, true; more && budget > 0; k++ {
		more = false
		for i := range lines {
			l := &lines[i]
			if k >= len(l.Names) {
				continue
			}
			more = true
			name := textscan.OneLine(l.Names[k])
			if n := c.Count(name) + 1; n <= budget && !said[name] {
				said[name], any = true, true
				l.names, budget = append(l.names, name), budget-n
			}
		}
	}
	return any
}

// String returns the line.
func (l *seenLine) String() string {
	text := l.Text
	if len(l.names) > 0 {
		text += "; names: " + joinNames(l.names)
	}
	if l.times > 1 {
		text += " (" + count(int64(l.times), "time") + ")"
	}
	return text + l.Note
}

// overview describes an overview of n results, of which left have no line.
func overview(n, left int, newest []seenLine) Document {
	s := Section{Label: labelSeen}
	switch {
	case left > 0 && len(newest) == 0:
		s.Body = append(s.Body, Piece{Mark: &Mark{}})
	case left > 0:
		s.Body = append(s.Body, Piece{Mark: &Mark{Next: int64(left) + 1}})
	}
	if len(newest) > 0 {
		oldest := make([]string, len(newest))
		for i := range newest {
			oldest[len(newest)-1-i] = newest[i].String()
		}
		s.Body = append(s.Body, Piece{Text: strings.Join(oldest, "\n")})
	}
	return Document{Outcome: outcomeOverview + " " + strconv.Itoa(n), Sections: []Section{s}}
}

// uncompactedRenderer is a Renderer that can describe a result as it is before it
// becomes one line, and knows its grammar.
type uncompactedRenderer interface {
	uncompacted(r *pb.CanonicalToolResult, p Policy) (Document, *grammar)
	// names returns the names that compaction kept of the result.
	names(r *pb.CanonicalToolResult) []string
}

func (d Describe) uncompacted(r *pb.CanonicalToolResult, p Policy) (Document, *grammar) {
	if e := r.GetError(); e != nil {
		named, _ := p.withHandles(e.ProtoReflect()).Interface().(*pb.ToolError)
		return errorDocument(named), contractGrammar()
	}
	_, payload := envelope.Payload(r)
	return d(p.withHandles(payload)), contractGrammar()
}

func (d Describe) names(r *pb.CanonicalToolResult) []string {
	if e := r.GetError(); e != nil {
		return envelope.OmittedNames(e.ProtoReflect())
	}
	_, payload := envelope.Payload(r)
	return envelope.OmittedNames(payload)
}

func (c *CustomRenderer) names(r *pb.CanonicalToolResult) []string {
	_, payload := c.types.Open(r)
	return envelope.OmittedNames(payload)
}

func (c *CustomRenderer) uncompacted(r *pb.CanonicalToolResult, p Policy) (Document, *grammar) {
	_, payload := c.types.Open(r)
	return c.document(p.withHandles(payload)), &c.grammar
}

// Mention returns what an overview states of a result: the call, its outcome, the
// facts that a receipt of one line keeps, such as ids, the places of its texts, and the
// names that they introduced. subject is the subject of the result on one line; empty
// when not known. superseded names the later result, or is nil.
func Mention(renderer Renderer, r *pb.CanonicalToolResult, p Policy, subject string, superseded *pb.Superseded) Seen {
	var d Document
	var names []string
	forms := contractGrammar()
	if m, ok := renderer.(uncompactedRenderer); ok {
		d, forms = m.uncompacted(r, p)
		names = m.names(r)
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
	seen := Seen{Text: textscan.OneLine(text), Names: names}
	switch {
	case superseded == nil:
	case superseded.GetCause() == pb.SupersededCause_SUPERSEDED_CAUSE_EDITED:
		seen.Note = " (stale: edited later)"
	default:
		seen.Note = " (superseded)"
	}
	return seen
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
