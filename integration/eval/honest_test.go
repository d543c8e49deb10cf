package eval_test

import (
	"fmt"
	"regexp"
	"strings"
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
				if !strings.Contains(source, squashed(line)) {
					return fmt.Errorf("a line claims a success that the document does not: %q", line)
				}
			}
		}
	}
	return nil
}

// squashed is a text without space.
func squashed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '␤' || r == '␍' {
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
