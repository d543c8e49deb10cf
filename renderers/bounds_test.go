package renderers

import (
	"errors"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/tokens"

	"github.com/toolresult/toolresult/envelope"
)

// The size that is reserved for a receipt is enough for its lines and their numbers, and not far more.
func TestReservedSizeHoldsNumberedLines(t *testing.T) {
	for _, c := range []struct {
		first int64
		want  int // bytes of the text
	}{{0, 999}, {1_000_000, 999 + 8*1000}} { // seven digits and a tab before each line
		d := Document{Outcome: "x", Sections: []Section{{Label: labelFileText, Body: []Piece{{Text: strings.Repeat("\n", 999), First: c.first}}}}}
		if got := d.size(); got < c.want || got > c.want+400 {
			t.Errorf("lines from number %d: %d bytes are reserved for %d", c.first, got, c.want)
		}
	}
}

// Only letters from A to Z have another case.
func TestLowerByteChangesLettersAlone(t *testing.T) {
	const upper, lower = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
	for c := range 256 {
		want := byte(c)
		if i := strings.IndexByte(upper, byte(c)); i >= 0 {
			want = lower[i]
		}
		if got := lowerByte(byte(c)); got != want {
			t.Errorf("%q becomes %q", byte(c), got)
		}
	}
}

// A form is found up to its last byte, whatever follows it, and bytes that are no text are none.
func TestFormsMatchToTheirLastByte(t *testing.T) {
	for line, want := range map[string]bool{
		"Item ": true, "Item\t": true, "Item   ": true, "Item": false, "[…": true, "[...": true, "［‥.7]": true, "[..": false, "[line 7": false, "ALREADY READ AND RUN:": true,
		"Ｉｔｅｍ ": true, "Ｉｔｅｍ\u00a0": true, "Ｉｔｅｍ": false, "Ｉｔｅｍ 1": true, "stdout:": true, "stdout": false,
		"\x80stdout:": false, "\x80": false, "Item\x80": false, "": false, "   ": false, " \u00a0": false, "\u0301": false,
	} {
		if got := contractReserved().matches(line); got != want {
			t.Errorf("%q matches: %v, want %v", line, got, want)
		}
	}
}

// A text of as many characters as are allowed is whole, also where it has more bytes.
func TestShortenKeepsWhatFits(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "abcd": "abcd", "abcde": "abcde", "abcdef": "abcd…", "ééééé": "ééééé", "éééééé": "éééé…", "a\nbcd": "a␊bcd",
	} {
		if got := shorten(text, 5); got != want {
			t.Errorf("%q is shortened to %q, want %q", text, got, want)
		}
	}
}

// A document of a text of which nothing is shown still has its outcome, so that it is not empty.
func TestOutcomeIsWrittenWhereNothingElseIs(t *testing.T) {
	for _, s := range []Section{{Label: labelText}, {Label: labelText, Body: []Piece{}}} {
		r, err := Write(Document{Outcome: outcomeText, Sections: []Section{s}}, tokens.Estimate())
		if err != nil || r.Text != outcomeText {
			t.Errorf("%+v is written as %q, %v", s, r.Text, err)
		}
	}
}

// Text that no writer makes is no receipt: numbers of lines begin at 1 and are digits, and one line has all of a brief receipt.
func TestParserRejectsOtherLines(t *testing.T) {
	for _, text := range []string{
		"File read: x\nFile text:\n0\ta", "File read: x\nFile text:\n-1\ta", "File read: x\nFile text:\nx\ta", "File read: x\nFile text:\n1 a",
		"File read: x\nFile text:\n99999999999999999999\ta", "Process exited\tstdout in full: /a\nmore", "Process exited\tno label",
	} {
		if d, err := ParseReceipt(text); !errors.Is(err, ErrNotReceipt) {
			t.Errorf("%q is read as %+v, %v", text, d, err)
		}
	}
	if d, err := ParseReceipt("File read: x\nFile text:\n1\ta"); err != nil || d.Sections[0].Body[0].First != 1 {
		t.Errorf("the first line is read as %+v, %v", d, err)
	}
}

// A family whose payload declares no receipt, because it has one by hand, cannot be a custom family.
func TestCustomNeedsAnOutcome(t *testing.T) {
	if r, err := Custom(&envelope.Type{Canonical: (*pb.CommandResult)(nil).ProtoReflect().Descriptor()}); err == nil || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}

// An overview whose cost is the budget exactly is whole; with a token less it lacks its oldest line.
func TestOverviewFillsItsBudget(t *testing.T) {
	line := func(back int) (Seen, error) {
		return Seen{Text: []string{"read the third file", "read the second file", "read the first file"}[back]}, nil
	}
	counter := tokens.Estimate()
	const all = "Earlier tool results: 3\nAlready read and run:\nread the first file\nread the second file\nread the third file"
	cost := counter.Count(all)
	if r, err := Overview(3, cost, 0, counter, line); err != nil || r.Text != all || r.Tokens != cost {
		t.Errorf("a budget of %d tokens gives %q, %v", cost, r.Text, err)
	}
	if r, err := Overview(3, cost-1, 0, counter, line); err != nil || strings.Contains(r.Text, "first file") || r.Tokens >= cost {
		t.Errorf("a budget of %d tokens gives %q, %v", cost-1, r.Text, err)
	}
}

// Lines like extents are evidence of a receipt only if they say that something is missing or elsewhere.
func TestExtentsThatShowAllAreNoEvidence(t *testing.T) {
	for line, want := range map[string]bool{
		"stdout: 3 lines, 9 bytes": false, "stdout: 2 of 3 lines": true, "stdout: 3 lines; all: /a": true,
		"stdout: 1 line of its values": true, "stdout: words": false, "stdout:": false,
	} {
		if _, sure := quotedForm(line); sure != want {
			t.Errorf("%q is evidence: %v, want %v", line, sure, want)
		}
	}
	long := "[…3:]" + strings.Repeat("x", quotedBytes)
	for n, want := range map[int]int{quotedBytes - 1: quotedBytes - 1, quotedBytes: quotedBytes, quotedBytes + 1: quotedBytes} {
		if q := FindQuoted(long[:n]); len(q) != 1 || len(q[0].Text) != want {
			t.Errorf("of a line of %d bytes there are %v", n, q)
		}
	}
}
