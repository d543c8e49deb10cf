package renderers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/redact"
)

// Quoted is a line of a text that is a receipt's.
type Quoted struct {
	Line int    // from 1
	Form string // the reserved form, as Forms has it, or "[redacted:"
	Text string // of the line, at most quotedBytes of it
}

const quotedBytes = 200

// markAnywhere finds a cut marker, also inside of a comment.
var markAnywhere = regexp.MustCompile(`\[(?:lines? |inside line )\d+[^\]\n]* left out[^\]\n]*\]`)

// FindQuoted finds lines of receipts in a text that should have none, such as what a
// model writes into a file. Cut markers, placeholders of secrets, first lines and extents
// are found by themselves.
// Facts such as "Output:" are words that a text may well have; they count beside one of
// the others alone.
func FindQuoted(text string) []Quoted {
	var found []Quoted
	certain := false
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		form, sure := quotedForm(strings.TrimSpace(line))
		if form != "" {
			found = append(found, Quoted{n, form, strings.ToValidUTF8(line[:min(len(line), quotedBytes)], "")})
			certain = certain || sure
		}
	}
	if !certain {
		return nil
	}
	return found
}

// quotedForm is the reserved form of a line, or "", and whether nothing else begins so.
func quotedForm(line string) (form string, sure bool) {
	if mark := markAnywhere.FindString(line); mark != "" {
		if _, ok := parseMark(mark); ok {
			return mark[:strings.IndexAny(mark, "0123456789")], true
		}
	}
	if redact.Placeholder.MatchString(line) {
		return "[redacted:", true
	}
	if i := slices.IndexFunc(contractGrammar.outcomes, func(f Form) bool { return strings.HasPrefix(line, f.Begin) }); i >= 0 {
		return contractGrammar.outcomes[i].Begin, true
	}
	label, value, ok := strings.Cut(line, ":")
	if !ok {
		return "", false
	}
	if isLabel(label, contractGrammar.sections) {
		if e, ok := parseExtent(strings.TrimPrefix(value, " ")); ok {
			return label + ":", e.Artifact != "" || e.Indented > 0 || e.Shown != e.Lines
		}
	}
	if isLabel(label, contractGrammar.facts) {
		return label + ":", false
	}
	return "", false
}
