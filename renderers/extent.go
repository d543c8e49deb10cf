package renderers

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/toolresult/toolresult/envelope"
)

// Notes of an extent.
const (
	noteBinary    = "binary"
	noteReplaced  = "shown as U+FFFD"
	noteInvisible = "no visible text"
	noteRemoved   = "removed"
	noteOmitted   = "left out"
	noteProgress  = "overwritten update"
	noteDrawn     = "drawn by the program"
	noteClipped   = "cut short by …"
	noteLoss      = "lost at the source"
	noteControl   = "control byte"
	noteSymbols   = "shown as symbols"
	noteRedacted  = "redacted"
	noteParts     = "by folder: "
	noteUnshown   = "not shown"
)

// The words of an extent.
const (
	extentAll  = "all: "
	extentRest = "the rest: " // in a receipt of one line, where some bytes were lost
	extentStop = "; "
)

// count returns a number with its unit in the singular or plural.
func count(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.FormatInt(n, 10) + " " + unit + "s"
}

// String returns the facts of a stream or a list:
//
//	61 of 18204 lines; all: /path
//	0 of 1 line, 98888 bytes; all: /path
//	61 of 1084 lines of its values; all: /path
//	4 lines; 2 secrets redacted
//	3498120 bytes; binary; blake3 e20f0b5cde45e652; all: /path
//	9 bytes; no visible text; all: /path
//	20 of 250 entries; all: /path
func (e *Extent) String() string {
	var b strings.Builder
	if e.Shown != e.total() {
		b.WriteString(strconv.FormatInt(e.Shown, 10) + " of ")
	}
	switch {
	case e.Entries > 0:
		b.WriteString(strconv.FormatInt(e.Entries, 10) + " " + envelope.Plural("entry", e.Entries == 1))
	case e.Lines == 0:
		b.WriteString(count(e.Bytes, "byte"))
	default:
		b.WriteString(count(e.Lines, "line"))
		if e.Form != FormWritten {
			b.WriteString(" of " + formNames[e.Form])
		}
		if e.Bytes > 0 {
			b.WriteString(", " + count(e.Bytes, "byte"))
		}
	}
	for _, note := range e.Notes {
		b.WriteString(extentStop + note)
	}
	if e.Artifact != "" {
		b.WriteString(extentStop + extentAll + e.Artifact)
	}
	return b.String()
}

// total returns the number of lines or entries that would be shown if all were.
func (e *Extent) total() int64 { return max(e.Entries, e.Lines) }

// extentForm is the form of an extent, as Extent.String writes it.
var extentForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:(\d+) of )?(?:(\d+) entr(?:y|ies)|(\d+) lines?(?: of (its values|its report|a table))?(?:, (\d+) bytes?)?)|(\d+) bytes?)` +
		`((?:; [^;]+?)*?)(?:; all: (.*))?$`)
})

// parseExtent reads an extent, as Extent.String writes it.
func parseExtent(text string) (*Extent, bool) {
	m := extentForm().FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	e := &Extent{Entries: number(m[2]), Lines: number(m[3]), Bytes: number(m[5] + m[6]), Artifact: m[8]}
	e.Form = ReadableForm(max(0, slices.Index(formNames[:], m[4])))
	e.Shown = e.total()
	if m[1] != "" {
		e.Shown = number(m[1])
	}
	if m[7] != "" {
		e.Notes = strings.Split(m[7][len(extentStop):], extentStop)
	}
	return e, true
}

// The beginning and end of a cut marker.
const (
	markBegin = "[…"
	markEnd   = "]"
)

// String returns a cut marker:
//
//	[…9121:]
//	[…]
//	[…230/250 values]
//	[…28 alike]
//	[…26 like 2 above]
//	[…98888 bytes]
//	[…7: 98888 bytes]
func (m *Mark) String() string {
	omitted := ""
	switch {
	case m.Bytes > 0 && m.Next > 0:
		omitted = fmt.Sprintf("%d: %d bytes", m.Next, m.Bytes)
	case m.Bytes > 0:
		omitted = fmt.Sprintf("%d bytes", m.Bytes)
	case m.Values > 0:
		omitted = fmt.Sprintf("%d/%d values", m.Values, m.Total)
	case m.Like == 1:
		omitted = fmt.Sprintf("%d alike", m.Repeats)
	case m.Like > 1:
		omitted = fmt.Sprintf("%d like %d above", m.Repeats, m.Like)
	case m.Next > 0:
		omitted = fmt.Sprintf("%d:", m.Next)
	}
	return markBegin + omitted + markEnd
}

// markForm is the form of a cut marker, as Mark.String writes it.
var markForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[…(?:(\d+):|(?:(\d+): )?(\d+) bytes|(\d+)/(\d+) values|(\d+) alike|(\d+) like (\d+) above)?\]$`)
})

// parseMark reads a cut marker, as Mark.String writes it.
func parseMark(line string) (*Mark, bool) {
	if !strings.HasPrefix(line, markBegin) {
		return nil, false
	}
	m := markForm().FindStringSubmatch(line)
	if m == nil {
		return nil, false
	}
	mark := &Mark{
		Next: number(m[1] + m[2]), Bytes: number(m[3]), Values: number(m[4]), Total: number(m[5]), Repeats: number(m[6] + m[7]), Like: number(m[8]),
	}
	if m[6] != "" {
		mark.Like = 1
	}
	return mark, true
}

// number returns the value of digits that a form has matched; 0 for none.
func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}
