package renderers

import (
	"fmt"
	"regexp"
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
	noteClipped   = "cut short by …"
	noteLoss      = "lost at the source"
	noteControl   = "control byte"
	noteSymbols   = "shown as symbols"
	noteRedacted  = "redacted"
	noteParts     = "by folder: "
)

// The words of an extent.
const (
	extentShown = " shown"
	// of a readable form, with its lines
	extentShownAs, extentShownAsTable = ", shown as ", ", shown as a table of "
	extentAll                         = "all of it: "
	extentRest                        = "the rest: " // in a receipt of one line, where some bytes were lost
	extentStop                        = "; "
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
//	18204 lines, 1203441 bytes; 61 lines shown; all of it: /path
//	1 line, 12681 bytes, shown as 1084 lines of indented JSON; 61 lines shown; all of it: /path
//	1 line, 98112 bytes, shown as 440 lines of its report; 21 lines shown; all of it: /path
//	1 line, 12681 bytes, shown as a table of 201 lines; 61 lines shown; all of it: /path
//	3498120 bytes; binary; blake3 e20f0b5cde45e652; all of it: /path
//	9 bytes; no visible text; all of it: /path
//	250 entries; 20 shown; all of it: /path
func (e *Extent) String() string {
	var b strings.Builder
	if e.Entries > 0 {
		b.WriteString(strconv.FormatInt(e.Entries, 10) + " " + envelope.Plural("entry", e.Entries == 1))
		if e.Shown != e.Entries {
			b.WriteString(extentStop + strconv.FormatInt(e.Shown, 10) + extentShown)
		}
	} else {
		if e.Lines > 0 {
			b.WriteString(count(e.Lines, "line") + ", ")
		}
		b.WriteString(count(e.Bytes, "byte"))
		switch {
		case e.Readable == 0:
		case e.Form == FormTable:
			b.WriteString(extentShownAsTable + count(e.Readable, "line"))
		default:
			b.WriteString(extentShownAs + count(e.Readable, "line") + " of " + formNames[e.Form])
		}
		if e.Shown != e.total() {
			b.WriteString(extentStop + count(e.Shown, "line") + extentShown)
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

// The forms of extents, as Extent.String writes them.
var (
	extentForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(\d+) lines?, )?(\d+) bytes?(?:, shown as (?:(\d+) lines? of (indented JSON|its report)|a table of (\d+) lines?))?(?:; (\d+) lines? shown)?((?:; [^;]+?)*?)(?:; all of it: (.*))?$`)
	})
	entriesForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d+) entr(?:y|ies)(?:; (\d+) shown)?(?:; all of it: (.*))?$`)
	})
)

// parseExtent reads an extent, as Extent.String writes it.
func parseExtent(text string) (*Extent, bool) {
	if m := entriesForm().FindStringSubmatch(text); m != nil {
		e := &Extent{Entries: number(m[1]), Shown: number(m[1]), Artifact: m[3]}
		if m[2] != "" {
			e.Shown = number(m[2])
		}
		return e, true
	}
	m := extentForm().FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	e := &Extent{Lines: number(m[1]), Bytes: number(m[2]), Readable: number(m[3]), Artifact: m[8]}
	switch {
	case m[4] == formNames[FormReport]:
		e.Form = FormReport
	case m[5] != "":
		e.Readable, e.Form = number(m[5]), FormTable
	}
	e.Shown = e.total()
	if m[6] != "" {
		e.Shown = number(m[6])
	}
	if m[7] != "" {
		e.Notes = strings.Split(m[7][len(extentStop):], extentStop)
	}
	return e, true
}

// String returns a cut marker:
//
//	[lines 13-9120 left out]
//	[line 13 left out]
//	[lines 20-940 left out: 230 of 250 values]
//	[lines 13-40 left out: like line 12]
//	[lines 14-40 left out: like lines 12-13]
//	[inside line 7: 98888 bytes left out]
func (m *Mark) String() string {
	if m.Inside {
		return fmt.Sprintf("[inside line %d: %s left out]", m.First, count(m.Bytes, "byte"))
	}
	what := lineSpan(m.First, m.Last) + " left out"
	switch {
	case m.Values > 0:
		return fmt.Sprintf("[%s: %d of %s]", what, m.Values, count(m.Total, "value"))
	case m.Like > 0:
		return fmt.Sprintf("[%s: like %s]", what, lineSpan(m.Like, m.First-1))
	}
	return "[" + what + "]"
}

// lineSpan names one line or a range of lines.
func lineSpan(first, last int64) string {
	if first == last {
		return "line " + strconv.FormatInt(first, 10)
	}
	return "lines " + strconv.FormatInt(first, 10) + "-" + strconv.FormatInt(last, 10)
}

// The forms of cut markers. Up to version 3 of the grammar, markers of whole lines had
// counts; receipts of that time can still be read.
var (
	insideForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[inside line (\d+): (\d+) bytes? left out\]$`)
	})
	linesForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[lines? (\d+)(?:-(\d+))? left out(?:: (?:\d+ lines?, )?\d+ bytes?)?` +
			`(?:[:,] (\d+) of (\d+) values?)?(?:: like lines? (\d+)(?:-\d+)?)?\]$`)
	})
)

// parseMark reads a cut marker, as Mark.String writes it.
func parseMark(line string) (*Mark, bool) {
	if m := insideForm().FindStringSubmatch(line); m != nil {
		return &Mark{Inside: true, First: number(m[1]), Last: number(m[1]), Bytes: number(m[2])}, true
	}
	if m := linesForm().FindStringSubmatch(line); m != nil {
		mark := &Mark{First: number(m[1]), Last: number(m[1]), Values: number(m[3]), Total: number(m[4]), Like: number(m[5])}
		if m[2] != "" {
			mark.Last = number(m[2])
		}
		return mark, true
	}
	return nil, false
}

// number returns the value of digits that a form has matched; 0 for none.
func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}
