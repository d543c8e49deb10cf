package renderers

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/toolresult/toolresult/redact"
)

// Quoted is a line of a receipt that was found in another text.
type Quoted struct {
	Line int    // from 1
	Form string // the reserved form, as Forms has it, or "[redacted:"
	Text string // of the line, at most 200 bytes
}

// quotedBytes bounds the text of a Quoted, in bytes.
const quotedBytes = 200

// markAnywhere matches a cut marker, also inside a comment. One without a number is
// alone on its line, because prose has it too.
var markAnywhere = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[…\d[^\]\n]*\]|^\W*\[…\]\W*$`)
})

// FindQuoted returns the lines of receipts in a text that should have none, such as a
// file that a model writes. Cut markers, placeholders of secrets, outcomes and extents
// are sufficient evidence. A fact such as "Output:" may be the text's own words, so
// facts are returned only if the text has sufficient evidence too.
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

// quotedForm returns the reserved form of a line, or "", and whether the form is
// sufficient evidence.
func quotedForm(line string) (form string, sure bool) {
	if mark := markAnywhere().FindString(line); mark != "" {
		mark, _, _ = strings.Cut(mark[strings.Index(mark, markBegin):], markEnd)
		if _, ok := parseMark(mark + markEnd); ok {
			return markBegin, true
		}
	}
	if redact.Placeholder().MatchString(line) {
		return "[redacted:", true
	}
	if i := slices.IndexFunc(contractGrammar().outcomes, func(f Form) bool { return strings.HasPrefix(line, f.Begin) }); i >= 0 {
		return contractGrammar().outcomes[i].Begin, true
	}
	if outcome, ok := strings.CutPrefix(line, endingBegin); ok && strings.HasSuffix(line, endingEnd) {
		return endingBegin, hasPrefix(outcome, contractGrammar().outcomes) || strings.Contains(outcome, briefInFull+": ")
	}
	label, value, ok := strings.Cut(line, ":")
	if !ok {
		return "", false
	}
	if isLabel(label, contractGrammar().sections) {
		if e, ok := parseExtent(strings.TrimPrefix(value, " ")); ok {
			return label + ":", e.Artifact != "" || e.Form != FormWritten || e.Shown != e.total()
		}
	}
	if isLabel(label, contractGrammar().facts) {
		return label + ":", false
	}
	return "", false
}
