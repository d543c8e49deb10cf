package preview_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/textscan"
)

// TestPageShowsAll holds pages of any bytes to their promise: nothing is omitted for a budget, nothing is binary, and of
// clean text every byte is shown.
func TestPageShowsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawPage(t)
		p := preview.Page(text)
		for _, c := range p.Cuts {
			switch c.Kind {
			case preview.CutRepeated, preview.CutProgress, preview.CutControl, preview.CutInvisible:
			default:
				t.Fatalf("a cut of kind %d in a page", c.Kind)
			}
		}
		if !textscan.Sanitised(p.Text) || p.Encoding == preview.EncodingBinary {
			t.Fatalf("%q is shown as %q", text, p.Text)
		}
		if textscan.Sanitised(string(text)) && !bytes.ContainsRune(text, '\r') && p.Text != string(text) {
			t.Fatalf("clean text %q is shown as %q", text, p.Text)
		}
		if p.ShownLines() != p.Lines {
			t.Fatalf("%d of %d lines are shown", p.ShownLines(), p.Lines)
		}
	})
}

func drawPage(t *rapid.T) []byte {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"\n", "\x1b[31mred\x1b[0m", "\xff\xfe", "\x00\x00\x00", "é", "a\rb", "{\"k\": 1}\n", "2026-01-01 error\n"}),
		rapid.StringMatching(`[a-z ]{0,30}\n?`),
		rapid.Map(rapid.IntRange(1, 9000), func(n int) string { return strings.Repeat("x", n) }),
		rapid.Map(rapid.IntRange(1, 300), func(n int) string { return strings.Repeat("same line\n", n) }),
	)
	return []byte(strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), ""))
}

// TestPartsAddUp holds the ledger of some lines of a text to its sum, and their text to the lines.
func TestPartsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-z]{0,9}(\x1b\[1m)?[a-z]{0,3}\n`), 1, 30).Draw(t, "lines")
		var parts []preview.Part
		var want strings.Builder
		start := int64(0)
		for i, line := range lines {
			end := start + int64(len(line))
			if rapid.Bool().Draw(t, "shown") {
				part := preview.Part{Text: []byte(line), LineStart: start, Start: start, FirstLine: int64(i) + 1, LastLine: int64(i) + 1, LineEnd: end}
				if cut := strings.IndexByte(line, 'q'); cut > 0 { // inside of the line
					part.Text = part.Text[:cut]
					line = line[:cut] + "\n"
				}
				parts = append(parts, part)
				want.WriteString(strings.ReplaceAll(line, "\x1b[1m", ""))
			}
			start = end
		}
		p := preview.Parts(parts, start, int64(len(lines)))
		if p.Text != want.String() {
			t.Fatalf("shown: %q, want %q", p.Text, want.String())
		}
		covered := int64(0)
		for _, s := range p.Segments {
			covered += s.ByteEnd - s.ByteStart
		}
		for _, c := range p.Cuts {
			if c.Kind == preview.CutMiddle {
				covered += c.OmittedBytes
			}
		}
		if covered != start || p.VisibleBytes() < 0 {
			t.Fatalf("segments and cuts cover %d of %d bytes", covered, start)
		}
	})
}
