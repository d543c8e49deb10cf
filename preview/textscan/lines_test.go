package textscan_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
)

// A line is the same however its bytes were split, and its fields account for all.
func TestLineIsIndependentOfSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.SampledFrom([]int{2, 10, 64}).Draw(t, "window")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\r", "words", "é", strings.Repeat("x", 50)}), 0, 40).Draw(t, "text"), "")
		start := int64(rapid.IntRange(0, 9).Draw(t, "start"))
		end := start + int64(len(text)) + int64(rapid.IntRange(0, 1).Draw(t, "newline"))
		literal := rapid.Bool().Draw(t, "literal")
		build := func(sizes func() int) (textscan.Line, string) {
			var b textscan.LineBuilder
			b.Begin(start)
			for rest := []byte(text); len(rest) > 0; {
				n := min(len(rest), sizes())
				if literal {
					b.WriteLiteral(rest[:n], window)
				} else {
					b.Write(rest[:n], window)
				}
				rest = rest[n:]
			}
			if b.Empty() != (text == "") || b.Offset() != start {
				t.Fatalf("empty is %v, offset %d", b.Empty(), b.Offset())
			}
			copied := b.Clone()
			line := b.Finish(window, end)
			shown := string(b.Text())
			b.Begin(0)
			b.Write([]byte("other"), window)
			if again := copied.Finish(window, end); again.TextAt != line.TextAt || string(copied.Text()) != shown {
				t.Fatalf("a clone has %q, not %q", copied.Text(), shown)
			}
			return line, shown
		}
		whole, shown := build(func() int { return len(text) })
		split, other := build(func() int { return rapid.IntRange(1, 9).Draw(t, "size") })
		whole.Text, split.Text = nil, nil
		if shown != other || whole.TextAt != split.TextAt || whole.Split != split.Split || whole.Skipped != split.Skipped || whole.Updates != split.Updates {
			t.Fatalf("%+v with %q, split %+v with %q", whole, shown, split, other)
		}
		checkLine(t, text, start, end, whole, shown, literal)
	})
}

// checkLine checks a line by a simpler reader.
func checkLine(t *rapid.T, text string, start, end int64, line textscan.Line, shown string, literal bool) {
	state, cr := text, ""
	if !literal {
		state = strings.TrimRight(text, "\r")
		cr = text[len(state):]
		state = state[strings.LastIndexByte(state, '\r')+1:]
	}
	line.Text = []byte(shown)
	if line.TextAt != start+int64(len(text)-len(cr)-len(state)) || int64(len(shown))+line.Skipped != int64(len(state)) {
		t.Fatalf("%q has the state %q at %d: %+v", text, shown, line.TextAt, line)
	}
	if !strings.HasPrefix(state, shown[:line.Split]) || !strings.HasSuffix(state, shown[line.Split:]) {
		t.Fatalf("%q is not the two ends of %q", shown, state)
	}
	if line.Newline != (end > start+int64(len(text))) || line.EndBytes() != int64(len(cr))+end-start-int64(len(text)) {
		t.Fatalf("%q ends with %d bytes, newline %v", text, line.EndBytes(), line.Newline)
	}
}

func TestSkippedBytesAreAccountedFor(t *testing.T) {
	var b textscan.LineBuilder
	b.Begin(100)
	b.Write([]byte("begin"), 64)
	b.Skip(1000)
	b.Write([]byte("end"), 64)
	l := b.Finish(64, 100+5+1000+3+1)
	if string(b.Text()) != "beginend" || l.Skipped != 1000 || !l.Newline || l.TextAt != 100 {
		t.Errorf("%q, %+v", b.Text(), l)
	}
}

// A store keeps the last lines that fill a window, and what is alive survives
// compaction and clones.
func TestStoreKeepsLastLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s textscan.LineStore
		var all []string
		window, most := rapid.IntRange(1, 60).Draw(t, "window"), rapid.IntRange(1, 9).Draw(t, "most")
		lends := rapid.Bool().Draw(t, "lends")
		if lends {
			s.Lend(most)
		}
		for i := range rapid.IntRange(0, 200).Draw(t, "lines") {
			text := strings.Repeat(string(rune('a'+i%26)), rapid.IntRange(0, 20).Draw(t, "length"))
			all = append(all, text)
			if lends && i%3 > 0 { // others are copied
				s.PushLent(textscan.Line{Number: int64(i)}, []byte(text))
			} else {
				changes := []byte(text)
				s.Push(textscan.Line{Number: int64(i)}, changes)
				clear(changes)
			}
			s.Evict(window, most)
			if i%50 == 49 {
				clone := s.Clone()
				s.Reset()
				if s.Len() != 0 || s.TextBytes() != 0 {
					t.Fatalf("%d lines after a reset", s.Len())
				}
				s.Push(textscan.Line{}, []byte("other"))
				s = clone
			}
		}
		lines := s.Lines()
		if len(lines) != s.Len() || len(all) > 0 && len(lines) == 0 || len(lines) > most && len(lines) > 1 {
			t.Fatalf("%d lines of at most %d", len(lines), most)
		}
		size := 0
		for k, l := range lines {
			if want := all[len(all)-len(lines)+k]; string(l.Text) != want || l.Number != int64(len(all)-len(lines)+k) {
				t.Fatalf("line %d is %q, want %q", l.Number, l.Text, want)
			}
			size += len(l.Text)
		}
		if size != s.TextBytes() || len(lines) < min(most, len(all)) && size < window {
			t.Fatalf("%d lines of %d bytes, said to be %d", len(lines), size, s.TextBytes())
		}
	})
}

func TestCarriageReturnsOverwriteUnlessAtTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\r")), 0, 30, -1).Draw(t, "text")
		var r textscan.CarriageReturns
		for at := 0; at < len(text); {
			n := min(len(text)-at, rapid.IntRange(1, 5).Draw(t, "n"))
			r.Add([]byte(text[at:at+n]), int64(at))
			at += n
		}
		if got, want := r.Overwrite(int64(len(text))), strings.Contains(strings.TrimRight(text, "\r"), "\r"); got != want {
			t.Fatalf("%q: %v", text, got)
		}
	})
}

// Parts are read as the bytes that they are together.
func TestPartsAreOneText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]byte("ab\n")), 0, 9), 0, 6).Draw(t, "parts")
		all := bytes.Join(parts, nil)
		from := rapid.IntRange(0, len(all)).Draw(t, "from")
		to := rapid.IntRange(from, len(all)).Draw(t, "to")
		var got []byte
		for p := range textscan.Between(parts, from, to) {
			got = append(got, p...)
		}
		if !bytes.Equal(got, all[from:to]) || textscan.Size(parts) != len(all) {
			t.Fatalf("%q from %d to %d is %q", parts, from, to, got)
		}
		for range textscan.Between(parts, from, to) {
			break // a caller may stop
		}
		if at, want := textscan.LineStart(parts, to), bytes.LastIndexByte(all[:to], '\n')+1; at != want {
			t.Fatalf("%q: the line before %d starts at %d, want %d", parts, to, at, want)
		}
	})
}

func TestLastNewline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{'\n', 'a', 0x8a, 0x0b, 0x09, 0xff, 0}), 0, 40).Draw(t, "bytes")
		if got, want := textscan.LastNewline(b), bytes.LastIndexByte(b, '\n'); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}
