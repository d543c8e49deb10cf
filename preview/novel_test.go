package preview

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/tokens"
)

// linesOfRuns draws a payload in which lines come again, alone and in turn. Some are too long for a window, and differ in
// their middle only.
func linesOfRuns() *rapid.Generator[[]byte] {
	long := func(n int, middle string) string {
		return strings.Repeat("x", n/2) + middle + strings.Repeat("y", n/2) + "\n"
	}
	lines := []string{
		"\n", "a line\n", "a line\n", "another\n", "a line\r\n", "\r\n", "one\rtwo\n",
		long(5000, "1"), long(5000, "2"), long(9000, "1"), long(9000, "2"), long(20000, "1"), long(20000, "2"),
	}
	return rapid.Custom(func(t *rapid.T) []byte {
		var b bytes.Buffer
		for range rapid.IntRange(1, 12).Draw(t, "blocks") {
			block := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 1, 4).Draw(t, "lines"), "")
			b.WriteString(strings.Repeat(block, min(200_000/len(block)+1, rapid.SampledFrom([]int{1, 2, 3, 5, 40, 700}).Draw(t, "times"))))
		}
		return b.Bytes()
	})
}

// What is recorded of equal lines holds for the payload, and does not depend on how it was split.
func TestRunsAreOfEqualLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := linesOfRuns().Draw(t, "payload")
		whole := NewWriter(200)
		_, _ = whole.Write(payload)
		want := whole.Finish().equals
		w := NewWriter(200)
		for rest := payload; len(rest) > 0; {
			n := min(len(rest), rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(1, 30_000)).Draw(t, "split"))
			_, _ = w.Write(rest[:n])
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, w.Finish().equals, cmp.AllowUnexported(equals{})); diff != "" {
			t.Fatal(diff)
		}
		lines := bytes.SplitAfter(payload, newline)
		end := make([]int64, len(lines)+1)
		for i, l := range lines {
			end[i+1] = end[i] + int64(len(l))
		}
		line := func(number int64) string {
			return strings.TrimSuffix(strings.TrimSuffix(string(lines[number-1]), "\n"), "\r")
		}
		visible := func(number int64) string { return line(number)[strings.LastIndexByte(line(number), '\r')+1:] }
		for _, r := range want.runs {
			if r.Like < 1 || r.Like >= r.First || r.Last < r.First || r.End != end[r.Last] {
				t.Fatalf("%+v", r)
			}
			for n := r.First; n <= r.Last; n++ {
				if like := n - (r.First - r.Like); visible(n) != visible(like) {
					t.Fatalf("line %d is not like line %d in %+v", n, like, r)
				}
			}
		}
	})
}

// One line among many that are alike is shown, wherever it is, with no word of it known, and costs little.
func TestOddLineIsShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usual := rapid.SampledFrom([]string{"deploy: step", "deploy: step %d", "12:00:%02d deploy: step %d of it", "copying one file to another"}).Draw(t, "usual")
		before, after := rapid.IntRange(60, 40_000).Draw(t, "before"), rapid.IntRange(60, 40_000).Draw(t, "after")
		var b strings.Builder
		for i := range before + after {
			if i == before {
				b.WriteString("ROLLED BACK reason=x\n")
			}
			switch strings.Count(usual, "%") {
			case 0:
				b.WriteString(usual + "\n")
			case 1:
				fmt.Fprintf(&b, usual+"\n", i)
			default:
				fmt.Fprintf(&b, usual+"\n", i%60, i)
			}
		}
		budget := Budget{Tokens: 300, Lines: NoLimit, Bytes: NoLimit, LineBytes: 2000}
		p := FromBytes([]byte(b.String()), 300).Select(budget, tokens.Estimate(), Hints{HeadPercent: 25})
		if !strings.Contains(p.Text, "ROLLED BACK") {
			t.Fatalf("of %d and %d lines:\n%s", before, after, p.Text)
		}
		if !strings.Contains(usual, "%") && len(p.Text) > 200 {
			t.Fatalf("equal lines cost %d bytes:\n%s", len(p.Text), p.Text)
		}
	})
}

// Many short runs cost no more than as many bytes of other lines.
func BenchmarkShortRuns(b *testing.B) {
	var text strings.Builder
	for i := range 100_000 {
		text.WriteString(strings.Repeat(string(rune('a'+i%2))+"\n", 4+i%3))
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		FromBytes([]byte(text.String()), 1000)
	}
}

// A line that is alone among many equal ones is shown, however far from a finding it is, and whatever it has in common with
// them. The marks of the runs before and after it say that they are equal.
func TestLineThatEndsALongRunIsShown(t *testing.T) {
	inTurn := func(n int) (b string) {
		for i := range n {
			b += fmt.Sprintf("part %c of the loop\n", 'a'+i)
		}
		return b
	}
	for _, c := range []struct{ name, usual, odd, end string }{
		{"far from the finding", "waiting for the port\n", "the licence of this host is of last year\n", "error: the port did not open\n"},
		{"among findings", "error: no route to host\n", "the licence of this host is of last year\n", ""},
		{"another number", "workers that are ready: 8 of 8\n", "workers that are ready: 2 of 8\n", ""},
		{"five lines in turn", inTurn(5), "the licence of this host is of last year\n", ""},
		{"eight lines in turn", inTurn(8), "the licence of this host is of last year\n", "error: the port did not open\n"},
	} {
		turn := strings.Count(c.usual, "\n")
		for _, lines := range []int{80, 2000, 9000} {
			run := strings.Repeat(c.usual, lines/turn)
			budget := Budget{Tokens: 400, Lines: NoLimit, Bytes: NoLimit, LineBytes: 2000}
			p := FromBytes([]byte(run+c.odd+run+c.end), 400).Select(budget, tokens.Estimate(), Hints{HeadPercent: 25})
			if !strings.Contains(p.Text, c.odd) || !strings.HasSuffix(p.Text, c.end) || len(p.Text) > 600 {
				t.Errorf("%s, %d lines:\n%s", c.name, lines, p.Text)
			}
			for _, cut := range p.Cuts {
				if cut.Kind != CutRepeated {
					t.Errorf("%s, %d lines: %+v in\n%s", c.name, lines, cut, p.Text)
				}
			}
		}
	}
}

// Lines that end long runs are remembered: one that comes again is not new.
func TestLineThatEndsRunsAgainIsNotNew(t *testing.T) {
	var w watch
	ends := map[string][]uint8{}
	for range 5 {
		for range 40 { // a long run
			w.see([]byte("tick"), w.end+5)
		}
		for _, text := range []string{"half past", "a quarter past"} {
			ends[text] = append(ends[text], w.see([]byte(text), w.end+int64(len(text))+1))
			w.see([]byte("tick"), w.end+5)
			w.see([]byte("tick"), w.end+5)
		}
	}
	if got := ends["half past"]; got[0] < 5 || got[1] != 0 || got[4] != 0 {
		t.Errorf("%v", got)
	}
}

// Of lines of JSON that are no table, because one of them is no JSON, the odd ones are shown.
func TestOddLineOfJSONIsShown(t *testing.T) {
	for _, usual := range []string{`{"step":"copy","to":"b"}`, `{"at":%d,"step":"copy","to":"b"}`} {
		var b strings.Builder
		for i := range 9000 {
			switch {
			case i == 4000:
				b.WriteString(`{"step":"undo all of it","by":"hand"}` + "\n")
			case i == 6000:
				b.WriteString("the disk was changed\n")
			case strings.Contains(usual, "%"):
				fmt.Fprintf(&b, usual+"\n", 170000000+i)
			default:
				b.WriteString(usual + "\n")
			}
		}
		p := FromBytes([]byte(b.String()), 400).Select(Budget{Tokens: 400, Lines: NoLimit, Bytes: NoLimit, LineBytes: 2000}, tokens.Estimate(), Hints{HeadPercent: 25})
		if !strings.Contains(p.Text, "undo all of it") || !strings.Contains(p.Text, "the disk was changed") {
			t.Errorf("%s:\n%s", usual, p.Text)
		}
		if !strings.Contains(usual, "%") && len(p.Text) > 300 {
			t.Errorf("equal lines cost %d bytes:\n%s", len(p.Text), p.Text)
		}
	}
}
