package eval_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/renderers"
)

// success are the words that say that something went well.
var success = regexp.MustCompile(`(?i)\b(success|successful|successfully|succeeded|passed|passes|passing|ok|all good|completed|no errors?|0 errors?|0 failures?)\b`)

// checkHonest looks for claims of success that the document does not make: none in the words of ours, and in those of
// the tool none that does not stand in the document, but for space.
func checkHonest(receipt string, payload []byte) error {
	d, err := renderers.ParseReceipt(receipt)
	if err != nil {
		return err
	}
	said := func(what, text string) error {
		if success.MatchString(text) {
			return fmt.Errorf("the %s claims a success: %q", what, text)
		}
		return nil
	}
	if err := said("outcome", d.Outcome); err != nil {
		return err
	}
	source := ""
	for _, s := range d.Sections {
		for _, note := range notes(s.Extent) {
			if err := said("extent", note); err != nil {
				return err
			}
		}
		for _, piece := range s.Body {
			for line := range strings.Lines(piece.Text) {
				if !success.MatchString(line) {
					continue
				}
				if source == "" {
					source = squashed(textscan.OneLine(string(payload)))
				}
				parts := claims(line, s.Extent)
				if isMarkup(payload) { // its words are apart
					parts = words(line)
				}
				for _, claim := range parts {
					if success.MatchString(claim) && !strings.Contains(source, squashed(claim)) {
						return fmt.Errorf("a line claims a success that the document does not: %q", claim)
					}
				}
			}
		}
	}
	return nil
}

// isMarkup reports whether the words of a line may have other signs between them in a document: HTML, and
// JSON, in which a text has escapes.
func isMarkup(payload []byte) bool {
	begin := bytes.TrimSpace(payload[:min(len(payload), 4<<10)])
	return bytes.HasPrefix(begin, []byte("{")) || bytes.Contains(bytes.ToLower(begin), []byte("<html")) || bytes.Contains(bytes.ToLower(begin), []byte("<!doctype html"))
}

// words are the words and numbers of a line.
func words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// claims are the parts of a line that must each stand in the document: the line itself; of a readable form, whose parts
// stand there in another order, the cells of a table, and the words and numbers of a report and of values.
func claims(line string, e *renderers.Extent) []string {
	switch {
	case e == nil || e.Form == renderers.FormWritten:
		return []string{line}
	case e.Form == renderers.FormReport || e.Form == renderers.FormValues || !strings.Contains(line, "\t"):
		return words(line)
	}
	return cells(line)
}

// cells are the cells of a row without the sign of a cut; keys and values that are said once each by itself, and of a key
// with dots the names in it.
func cells(line string) (list []string) {
	for cell := range strings.SplitSeq(line, "\t") {
		cell = strings.Trim(cell, "…\n")
		key, value, said := strings.Cut(cell, ": ")
		switch {
		case said && !strings.ContainsAny(key, " {["):
			list = append(append(list, strings.Split(key, ".")...), strings.Split(value, ", ")...)
		case !strings.ContainsAny(cell, " {["):
			list = append(list, strings.Split(cell, ".")...)
		default:
			list = append(list, strings.Split(cell, ", ")...) // values of one list
		}
	}
	return list
}

// squashed is a text without space, quotes and escapes.
func squashed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("␤␍\\\"'", r) {
			return -1
		}
		return r
	}, text)
}

// notes are the words of an extent.
func notes(e *renderers.Extent) []string {
	if e == nil {
		return nil
	}
	return e.Notes
}

// A table that claims what its document does not is found, in whatever cell.
func TestHonestyOfTables(t *testing.T) {
	document := []byte(`[{"id":1,"run":{"ok":true},"state":"failed"},{"id":2,"run":{"ok":false},"state":"failed"}]`)
	const extent = "Tool data: 4 lines of a table\n"
	for body, honest := range map[string]bool{
		"2 rows, all with\tstate: failed\nid\trun.ok\n1\ttrue\n2\tfalse": true,
		"2 rows, all with\tstate: passed\nid\trun.ok\n1\ttrue\n2\tfalse": false,
		"2 rows\nid\tstate\n1\tfailed\n2\tcompleted":                     false,
		"2 rows\nid\tstate\n1\tfailed\n2\tall good, says a row":          false,
	} {
		if err := checkHonest("External tool answered (x)\n"+extent+body, document); (err == nil) != honest {
			t.Errorf("%q: %v", body, err)
		}
	}
}
