package preview_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// payloads generates what tools print: lines of text, colours, progress,
// invalid bytes, invisible characters, giant lines, and plain noise.
func payloads() *rapid.Generator[[]byte] {
	pieces := rapid.SampledFrom([]string{
		"\n", "\n\n", "\r\n", "\r", "ok  pkg/a 0.01s\n", "error: mismatched types", "    at main.go:12\n",
		"\x1b[31mred\x1b[0m", "\x1b[2K", "\x1b[3A", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "\x1b]0;title\a",
		"\x1bP+q\x1b\\", "\x1b", "\x1b]", "\x1b[", "\x1b(B", "12%\r", "100%\n", "|\b/\b-", "\x1b[1G", "\x1b[3Cx", "\x1b[9D", "\x00\x00\x00", "\b\b", "\t", "\f", "\v",
		"\xff", "\xc3", "\xe2\x82", "é", "€", "漢字", "👩\u200d🚀", "❤️", "\u200b", "\u202e", "\u2066", "\U000e0041", "\u0085",
		"\u2028", "\u009b31m", "\ufeff", "\ufffd", "Process exited with code 0\n", strings.Repeat("x", 300), strings.Repeat("é", 100),
	})
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(pieces, 0, 400), func(s []string) []byte { return []byte(strings.Join(s, "")) }),
		rapid.SliceOfN(rapid.Byte(), 0, 4000),
		rapid.Custom(func(t *rapid.T) []byte {
			line := rapid.SampledFrom([]string{"", "a", "go: downloading x v1.2.3", strings.Repeat("ab ", 900), "50%\r60%\r\n"}).Draw(t, "line")
			n := rapid.IntRange(0, 3000).Draw(t, "lines")
			return []byte(strings.Repeat(line+"\n", n) + rapid.StringN(0, 20, -1).Draw(t, "end"))
		}),
		rapid.Custom(func(t *rapid.T) []byte {
			unit := rapid.SampledFrom([]string{"x", "é", "漢", "\xff", "ab ", "\x1b[1m", "\u200b", "\r1%"}).Draw(t, "unit")
			return []byte(strings.Repeat(unit, rapid.IntRange(0, 60000).Draw(t, "n")))
		}),
	)
}

func budgets() *rapid.Generator[preview.Budget] {
	return rapid.Custom(func(t *rapid.T) preview.Budget {
		limit := func(name string) int {
			return rapid.SampledFrom([]int{preview.NoLimit, preview.NoLimit, 0, 1, 5, 40, 1000}).Draw(t, name)
		}
		return preview.Budget{
			Tokens: rapid.SampledFrom([]int{0, 1, 16, 60, 200, 2000}).Draw(t, "tokens"),
			Lines:  limit("lines"), Bytes: limit("bytes"),
			LineBytes: rapid.SampledFrom([]int{80, 81, 500, 2000}).Draw(t, "lineBytes"),
		}
	})
}

func write(w *preview.Writer, p []byte) *preview.Excerpt {
	if n, err := w.Write(p); n != len(p) || err != nil {
		panic(fmt.Sprint(n, err))
	}
	return w.Finish()
}

func TestLedgerAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload, budget := payloads().Draw(t, "payload"), budgets().Draw(t, "budget")
		window := rapid.SampledFrom([]int{1, 200, 2000}).Draw(t, "window")
		percent := rapid.IntRange(0, 100).Draw(t, "percent")
		p := write(preview.NewWriter(window), payload).Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: percent})
		checkLedger(t, payload, p)
		checkFits(t, p, budget)
	})
}

type failer interface{ Fatalf(string, ...any) }

// checkFits allows for the text only: markers are for the caller to measure.
func checkFits(t failer, p *preview.Preview, b preview.Budget) {
	if n := tokens.Estimate().Count(p.Text); n > b.Tokens {
		t.Fatalf("text costs %d of %d tokens", n, b.Tokens)
	}
	if len(p.Text) > b.Bytes || int(p.ShownLines()) > b.Lines {
		t.Fatalf("%d bytes, %d lines for %+v", len(p.Text), p.ShownLines(), b)
	}
}

// checkLedger recomputes the ledger from the payload.
func checkLedger(t failer, payload []byte, p *preview.Preview) {
	if !utf8.ValidString(p.Text) || !textscan.Sanitised(p.Text) {
		t.Fatalf("text is not clean: %q", p.Text)
	}
	if p.Bytes != int64(len(payload)) || p.Lines != countLines(payload) {
		t.Fatalf("payload of %d bytes, %d lines is called %d, %d", len(payload), countLines(payload), p.Bytes, p.Lines)
	}
	if p.Whole() != (p.Text == string(payload)) && !(p.Text == string(payload) && len(p.Cuts) > 0) {
		t.Fatalf("whole is %v for %q of %q", p.Whole(), p.Text, payload)
	}
	inner, at, text := tile(t, p)
	if at != p.Bytes || text != int64(len(p.Text)) {
		t.Fatalf("ledger covers %d of %d bytes and %d of %d of text", at, p.Bytes, text, len(p.Text))
	}
	offset := int64(0)
	for i, s := range p.Segments {
		checkSegment(t, payload, p.Text[offset:offset+s.PreviewBytes], s, inner[i], func(line int64) bool {
			return slices.ContainsFunc(p.Cuts, func(c preview.Cut) bool {
				return c.Kind == preview.CutTime && c.FirstLine <= line && line <= c.LastLine
			})
		})
		offset += s.PreviewBytes
	}
	checkWidths(t, payload, p)
	var out int64
	for _, c := range p.Cuts {
		out += c.OmittedBytes
	}
	if p.VisibleBytes() < 0 || p.VisibleBytes()+out != p.Bytes {
		t.Fatalf("%d visible and %d left out of %d", p.VisibleBytes(), out, p.Bytes)
	}
}

// tile walks segments and the cuts between them in payload order and sorts the
// other cuts by the segment that they lie in.
func tile(t failer, p *preview.Preview) (inner [][]preview.Cut, at, text int64) {
	inner = make([][]preview.Cut, len(p.Segments))
	next, line := 0, int64(1)
	through := func(c preview.Cut) {
		for next < len(p.Segments) && p.Segments[next].ByteStart == at && at < c.ByteStart {
			s := p.Segments[next]
			if s.FirstLine != line {
				t.Fatalf("segment %+v does not begin at line %d", s, line)
			}
			at, text, line, next = s.ByteEnd, text+s.PreviewBytes, s.LastLine+1, next+1
		}
	}
	for _, c := range p.Cuts {
		if c.Kind != preview.CutMiddle && c.Kind != preview.CutBinary && c.Kind != preview.CutFolded && (c.Kind != preview.CutRepeated || c.LikeLine == 0) {
			if c.Kind != preview.CutLongLine {
				checkScattered(t, p, &c)
				continue
			}
			i := 0
			for i < len(p.Segments) && !(c.ByteStart >= p.Segments[i].ByteStart && c.ByteEnd <= p.Segments[i].ByteEnd) {
				i++
			}
			if i == len(p.Segments) || c.OmittedLines != 0 || c.Occurrences < 1 {
				t.Fatalf("cut %+v lies in no segment", c)
			}
			inner[i] = append(inner[i], c)
			continue
		}
		through(c)
		if c.ByteStart != at || c.FirstLine != line || c.PreviewOffset != text || c.OmittedBytes != c.ByteEnd-c.ByteStart ||
			c.OmittedLines != c.LastLine-c.FirstLine+1 {
			t.Fatalf("cut %+v does not continue at byte %d, line %d, text %d", c, at, line, text)
		}
		at, line = c.ByteEnd, c.LastLine+1
	}
	through(preview.Cut{ByteStart: 1 << 62})
	return inner, at, text
}

// checkScattered checks that a cut says of each shown line of its range how much of it is
// omitted.
func checkScattered(t failer, p *preview.Preview, c *preview.Cut) {
	var lines, bytes int64
	for _, s := range p.Segments {
		lines += max(0, min(s.LastLine, c.LastLine)-max(s.FirstLine, c.FirstLine)+1)
	}
	for _, n := range c.LineBytes {
		bytes += n
	}
	if int64(len(c.LineBytes)) != lines || bytes != c.OmittedBytes || c.OmittedLines != 0 || c.Occurrences < 1 || c.LineBytes[0] == 0 || c.LineBytes[lines-1] == 0 {
		t.Fatalf("cut %+v is not of its %d lines", c, lines)
	}
	for _, other := range p.Cuts {
		if other.Kind == c.Kind && other.LikeLine == 0 && other.ByteStart != c.ByteStart {
			t.Fatalf("cuts %+v and %+v are of one kind", other, c)
		}
	}
}

// checkWidths checks that the place of each shown line in the payload follows from what is
// cut, where no character replaces another one.
func checkWidths(t failer, payload []byte, p *preview.Preview) {
	if p.ReplacedBytes+p.EscapedBytes > 0 {
		return
	}
	text, read := []byte(p.Text), map[preview.CutKind]int{}
	for _, s := range p.Segments {
		at := s.ByteStart
		for number := s.FirstLine; number <= s.LastLine; number++ {
			shown := 1 + bytes.IndexByte(text, '\n')
			if shown == 0 {
				shown = len(text)
			}
			text = text[shown:]
			width := int64(shown)
			for _, c := range p.Cuts {
				switch {
				case number < c.FirstLine || number > c.LastLine:
				case c.Kind == preview.CutLongLine:
					width += c.OmittedBytes
				case len(c.LineBytes) > 0:
					width += c.LineBytes[read[c.Kind]]
					read[c.Kind]++
				}
			}
			want := int64(len(payload)) - at
			if i := bytes.IndexByte(payload[at:], '\n'); i >= 0 {
				want = int64(i) + 1
			}
			if width != want {
				t.Fatalf("line %d has %d bytes, and the ledger says %d: %+v", number, want, width, p.Cuts)
			}
			at += width
		}
	}
}

// checkSegment makes the text of a segment again, by a simpler way. Of some lines the times are omitted.
func checkSegment(t failer, payload []byte, text string, s preview.Segment, cuts []preview.Cut, untimed func(line int64) bool) {
	source := payload[s.ByteStart:s.ByteEnd]
	if s.ByteStart > 0 && payload[s.ByteStart-1] != '\n' {
		t.Fatalf("segment %+v begins inside a line", s)
	}
	if n := countLines(source); n != s.LastLine-s.FirstLine+1 {
		t.Fatalf("segment %+v has %d lines", s, n)
	}
	long := map[int64]preview.Cut{}
	for _, c := range cuts {
		if c.Kind == preview.CutLongLine {
			long[c.FirstLine] = c
		}
	}
	var want strings.Builder
	number, at := s.FirstLine, s.ByteStart
	for _, l := range bytes.SplitAfter(source, []byte("\n")) {
		if len(l) == 0 {
			break
		}
		want.WriteString(visible(t, l, at, long[number], untimed(number)))
		number, at = number+1, at+int64(len(l))
	}
	if want.String() != text {
		t.Fatalf("segment shows %q, want %q", text, want.String())
	}
}

// visible is one line as a reader should see it.
func visible(t failer, l []byte, at int64, cut preview.Cut, untimed bool) string {
	end := ""
	if bytes.HasSuffix(l, []byte("\n")) {
		l, end = l[:len(l)-1], "\n"
	}
	state := bytes.TrimRight(l, "\r")
	from := bytes.LastIndexByte(state, '\r') + 1
	if untimed {
		from += salience.TimeLength(state[from:])
	}
	if cut.Occurrences == 0 {
		return textscan.OneLine(string(preview.LastState(state[from:]))) + end
	}
	first, last := cut.ByteStart-at, cut.ByteEnd-at
	if first < int64(from) || last > int64(len(state)) || first > last {
		t.Fatalf("cut %+v outside of the text of its line at %d", cut, at)
	}
	for _, edge := range []int64{first, last} {
		if edge > 0 && edge < int64(len(state)) && tears(state, int(edge)) {
			t.Fatalf("cut %+v tears a character at %d", cut, edge)
		}
	}
	return textscan.OneLine(string(state[from:first])) + textscan.OneLine(string(state[last:])) + end
}

// tears reports whether a valid multi-byte character spans the edge.
func tears(b []byte, edge int) bool {
	for i := max(0, edge-3); i < edge; i++ {
		if r, n := utf8.DecodeRune(b[i:]); r != utf8.RuneError && i+n > edge {
			return true
		}
	}
	return false
}

func countLines(p []byte) int64 {
	n := int64(bytes.Count(p, []byte("\n")))
	if len(p) > 0 && p[len(p)-1] != '\n' {
		n++
	}
	return n
}

func TestSplitsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload, budget := payloads().Draw(t, "payload"), budgets().Draw(t, "budget")
		if rapid.Bool().Draw(t, "big") { // larger than the windows
			payload = bytes.Repeat(payload, rapid.IntRange(1, 40).Draw(t, "times"))
		}
		want := write(preview.NewWriter(200), payload).Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})
		w := preview.NewWriter(200)
		rest := payload
		for len(rest) > 0 {
			n := min(len(rest), rapid.OneOf(rapid.IntRange(1, 7), rapid.IntRange(1, 40000)).Draw(t, "chunk"))
			chunk := bytes.Clone(rest[:n])
			_, _ = w.Write(chunk)
			clear(chunk) // the writer must not keep it
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, w.Finish().Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})); diff != "" {
			t.Fatalf("split changes the preview: %s", diff)
		}
		checkLedger(t, payload, want)
		whole := preview.FromBytes(payload, 200)
		for range 2 { // it can be asked again, also after it was read by lines
			if diff := cmp.Diff(want, whole.Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})); diff != "" {
				t.Fatalf("a payload in memory has another preview: %s", diff)
			}
		}
	})
}

// Lines are compared without a carriage return at their end. The two lines "A50%"
// and "50%\r" differ, but the bytes that come just before the next line are the same.
func TestEqualLinesThatEndInCarriageReturns(t *testing.T) {
	payload := bytes.Repeat([]byte(strings.Repeat("50%\r60%\r\n\n", 104)+"A"), 18)
	budget := preview.Budget{Tokens: 16, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 80}
	want := write(preview.NewWriter(200), payload).Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})
	for size := 1; size < len(payload); size = size*3 + 1 {
		w := preview.NewWriter(200)
		for chunk := range slices.Chunk(payload, size) {
			_, _ = w.Write(chunk)
		}
		if diff := cmp.Diff(want, w.Finish().Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})); diff != "" {
			t.Fatalf("chunks of %d bytes change the preview: %s", size, diff)
		}
	}
}

// Eight empty lines cost one token, so that more of them fit into a budget than a
// Writer for it keeps.
func TestManyEmptyLinesInMemory(t *testing.T) {
	budget := preview.Budget{Tokens: 60, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 80}
	for _, n := range []int{8, 401, 402, 403, 405, 470, 500, 4000} {
		payload := bytes.Repeat([]byte("\n"), n)
		want := write(preview.NewWriter(200), payload).Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})
		got := preview.FromBytes(payload, 200).Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d empty lines in memory have another preview: %s", n, diff)
		}
	}
}

// Progress on the last lines makes them short, so that lines from far before
// them are still among the last ones, also when all comes in one write.
func TestProgressDoesNotPushLinesOut(t *testing.T) {
	payload := []byte(strings.Repeat("start\n", 3000) + "error: disk quota\n" + strings.Repeat("downloading 12345 of 99999\r", 4000) + "done\n")
	b := preview.Budget{Tokens: 100, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
	p := write(preview.NewWriter(100), payload).Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 25})
	if !strings.HasSuffix(p.Text, "error: disk quota\ndone\n") {
		t.Errorf("shows %q", p.Text)
	}
	checkLedger(t, payload, p)
}

// A payload of any size needs memory for the windows only.
func TestMemoryIsBounded(t *testing.T) {
	for name, chunk := range map[string][]byte{
		"lines":       bytes.Repeat([]byte("a line of a log, as they come\n"), 2000),
		"one line":    bytes.Repeat([]byte("x"), 60_000),
		"empty lines": bytes.Repeat([]byte("\n"), 60_000),
		"progress":    bytes.Repeat([]byte("12%\r"), 15_000),
		"giant lines": append(bytes.Repeat([]byte("y"), 60_000), '\n'),
		"CRLF":        bytes.Repeat([]byte("a line\r\n"), 8000),
	} {
		t.Run(name, func(t *testing.T) {
			w := preview.NewWriter(2000)
			for range 20 { // let the windows fill
				_, _ = w.Write(chunk)
			}
			if n := testing.AllocsPerRun(200, func() { _, _ = w.Write(chunk) }); n > 1 {
				t.Errorf("%v allocations a write of %d bytes", n, len(chunk))
			}
		})
	}
}

// A text that is its own payload has the segments that its preview has.
// A snapshot shows what the payload would, had it ended there, and changes nothing
// of what comes later.
func TestSnapshotEqualsShorterPayload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := payloads().Draw(t, "payload")
		at := rapid.IntRange(0, len(payload)).Draw(t, "at")
		budget := preview.Budget{Tokens: 150, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 200}
		w := preview.NewWriter(200)
		_, _ = w.Write(payload[:at])
		early := w.Snapshot()
		_, _ = w.Write(payload[at:])
		for _, c := range []struct {
			what string
			got  *preview.Excerpt
			of   []byte
		}{{"the snapshot", early, payload[:at]}, {"the rest", w.Finish(), payload}} {
			alone := preview.NewWriter(200)
			_, _ = alone.Write(c.of)
			want := alone.Finish().Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})
			if diff := cmp.Diff(want, c.got.Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25})); diff != "" {
				t.Fatalf("%s:\n%s", c.what, diff)
			}
		}
	})
}

func TestSplitEqualsSegmentsOfPreview(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"", "a\n", "\n", strings.Repeat("b", 300) + "\n", "c"}), 0, 60).Draw(t, "lines"), "")
		p := write(preview.NewWriter(4000), []byte(text)).Select(ample, tokens.Estimate(), preview.Hints{HeadPercent: 100}) // or equal lines are folded
		if diff := cmp.Diff(p.Segments, preview.Split(text)); diff != "" || !p.Whole() {
			t.Fatal(diff)
		}
	})
}
