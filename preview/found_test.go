package preview

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// find is a line that is found, with a score.
type find struct {
	score uint8
	text  string
}

// lines returns the kept lines, in no order.
func (b *found) lines() (lines []textscan.Line) {
	for _, l := range b.between(nil, 0, math.MaxInt64) {
		lines = append(lines, *l)
	}
	return lines
}

// keepAll keeps lines that are each a find of its own.
func keepAll(finds []find, share int) []textscan.Line {
	var b found
	for i, f := range finds {
		b.next(f.score)
		b.keep(textscan.Line{Number: int64(i) + 1}, []byte(f.text), share)
	}
	lines := b.lines()
	slices.SortFunc(lines, func(x, y textscan.Line) int { return int(x.Number - y.Number) })
	return lines
}

// A band keeps its first and last lines, and between them no line while a better one is dropped, all within its bytes.
func TestBandKeepsItsBestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const share = 2000
		finds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) find {
			return find{rapid.SampledFrom([]uint8{85, 90, 95}).Draw(t, "score"), strings.Repeat("x", rapid.IntRange(usualFound, 60).Draw(t, "size"))}
		}), 0, 500).Draw(t, "finds")
		kept, size, total := map[int64]bool{}, 0, 0
		for _, l := range keepAll(finds, share) {
			if f := finds[l.Number-1]; kept[l.Number] || string(l.Text) != f.text {
				t.Fatalf("line %d is kept as %q, and twice: %v", l.Number, l.Text, kept[l.Number])
			}
			kept[l.Number] = true
			size += len(l.Text)
		}
		worst, best := uint8(100), uint8(0)
		first, last := 0, len(finds)
		for n := 0; first < len(finds) && n < share/2; first++ {
			n += len(finds[first].text)
		}
		for n := 0; last > first && n < share/2; last-- {
			n += len(finds[last-1].text)
		}
		for i, f := range finds {
			total += len(f.text)
			switch has := kept[int64(i)+1]; {
			case (i < first || i >= last) && !has:
				t.Fatalf("line %d of %d is not kept", i+1, len(finds))
			case i >= first && i < last && has:
				worst = min(worst, f.score)
			case i >= first && i < last:
				best = max(best, f.score)
			}
		}
		if best > worst {
			t.Fatalf("a line of %d is kept, and one of %d is dropped", worst, best)
		}
		if size > 2*share+120 || size < min(total, 2*share-240) {
			t.Fatalf("%d bytes of %d are kept", size, total)
		}
	})
}

// Of lines that matter equally those that are kept are spread over the payload.
func TestBandIsSpreadOverThePayload(t *testing.T) {
	for _, n := range []int{1000, 1023, 4096, 5000, 100_000} {
		lines := keepAll(slices.Repeat([]find{{90, strings.Repeat("x", 32)}}, n), 8000)
		widest := int64(0)
		for i := range lines[1:] {
			widest = max(widest, lines[i+1].Number-lines[i].Number)
		}
		if even := int64(n / 250); widest > 4*even+1 { // 8000 bytes of the middle are 250 lines
			t.Errorf("of %d lines, %d in a row are dropped; evenly it were %d", n, widest, even)
		}
	}
}

// A find is kept with the lines around it or not at all.
func TestFindsAreKeptWhole(t *testing.T) {
	var b found
	for n := int64(1); n <= 3000; n += 3 {
		b.next(90)
		for k := range int64(3) {
			b.keep(textscan.Line{Number: n + k}, []byte(strings.Repeat("x", 20)), 4000)
		}
	}
	for _, g := range b.middle.groups {
		whole := len(g.lines) == 3 && g.lines[0].Number%3 == 1
		if edge := g.lines[0].Number < 150; !whole && !edge { // the first may be among the first lines in part
			t.Errorf("lines %d to %d are kept", g.lines[0].Number, g.lines[len(g.lines)-1].Number)
		}
	}
}

// distinct is an error that is like no other.
func distinct(i int) string {
	var b strings.Builder
	for n := i + 1; n > 0; n /= 17 {
		fmt.Fprintf(&b, " %c%c", 'a'+n%17, 'b'+n%17)
	}
	return "error: it broke at" + b.String()
}

// What broke in the middle of a gigabyte of errors is shown, wherever it is, and however the bytes were split.
func TestBestFindOfTheMiddleIsShown(t *testing.T) {
	const lines = 30_000
	for _, at := range []int{2_500, lines / 2, lines - 2_500} {
		var b bytes.Buffer
		for i := range lines {
			if i == at {
				b.WriteString("panic: it is nil\n")
			}
			b.WriteString(distinct(i) + "\nand the work goes on with the next one\n")
		}
		w := NewWriter(300)
		for piece := range slices.Chunk(b.Bytes(), 5000) {
			_, _ = w.Write(piece)
		}
		budget := Budget{Tokens: 300, Lines: NoLimit, Bytes: NoLimit, LineBytes: 2000}
		split := w.Finish().Select(budget, tokens.Estimate(), Hints{HeadPercent: 25})
		whole := FromBytes(b.Bytes(), 300).Select(budget, tokens.Estimate(), Hints{HeadPercent: 25})
		if !strings.Contains(split.Text, "panic: it is nil") || split.Text != whole.Text {
			t.Errorf("at %d of %d:\n%s\nand in one piece:\n%s", at, lines, split.Text, whole.Text)
		}
	}
}

// A snapshot changes no line of its band.
func TestSnapshotSharesNoSample(t *testing.T) {
	var a, b found
	for i := range 3000 {
		for _, f := range []*found{&a, &b} {
			f.next(uint8(85 + i*7%10))
			f.keep(textscan.Line{Number: int64(i) + 1}, fmt.Appendf(nil, "line %d of some length", i), 2000)
		}
		if i%100 == 0 {
			c := b.clone()
			for k := range 400 {
				c.next(100)
				c.keep(textscan.Line{Number: int64(i+k) + 10}, []byte("other text, which is longer than that of a line"), 2000)
			}
		}
	}
	one, other := a.lines(), b.lines()
	if !slices.EqualFunc(one, other, func(x, y textscan.Line) bool { return x.Number == y.Number && string(x.Text) == string(y.Text) }) {
		t.Errorf("%d and %d lines", len(one), len(other))
	}
}

// A payload in memory, whose lines are not copied and of which the tail is not looked at where that changes nothing, has the
// excerpt that it has when it is written in pieces.
func TestPayloadInMemoryIsReadAsPieces(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"a line", "another line of some length that says nothing", "error: x failed", "main.c:3:2: error: y", "--- FAIL: TestX (0.01s)", "    nested", "", "\t", "\x1b[31merror\x1b[0m: z",
		"progress 1\rprogress 2", "ends with a return\r", "Error: long " + strings.Repeat("long ", 4000), "warning: w", "3 passed, 1 failed", "the same", "the same", "Traceback (most recent call last):",
	})
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		for range rapid.IntRange(0, 25).Draw(t, "runs") {
			text := line.Draw(t, "line")
			for i := range rapid.SampledFrom([]int{1, 1, 1, 2, 7, 30}).Draw(t, "lines") {
				if b.WriteString(text); rapid.IntRange(0, 3).Draw(t, "number") == 0 {
					fmt.Fprintf(&b, " %d", i)
				}
				b.WriteByte('\n')
			}
		}
		payload := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		size := rapid.SampledFrom([]int{100, 400, 2000}).Draw(t, "tokens")
		budget, hints := Budget{Tokens: size, Lines: NoLimit, Bytes: NoLimit, LineBytes: 500}, Hints{HeadPercent: 25}
		w := NewWriter(size)
		for piece := range slices.Chunk(payload, rapid.IntRange(1, 9000).Draw(t, "piece")) {
			_, _ = w.Write(piece)
		}
		pieces, whole := w.Finish(), FromBytes(payload, size)
		for range 2 {
			want, got := pieces.Select(budget, tokens.Estimate(), hints), whole.Select(budget, tokens.Estimate(), hints)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v\nwant %+v", got, want)
			}
			whole.Release() // memory that is used again changes no preview
			whole = FromBytes(payload, size)
		}
	})
}

// Excerpts that are made and released side by side have memory of their own.
func TestReleasedMemoryIsOfOneExcerpt(t *testing.T) {
	budget, hints := Budget{Tokens: 300, Lines: NoLimit, Bytes: NoLimit, LineBytes: 500}, Hints{HeadPercent: 25}
	payload := func(n int) []byte {
		return bytes.Repeat(fmt.Appendf(nil, "main.c:%d:2: error: number %d is wrong\nline of step %d\n", n, n, n), 200+n)
	}
	var group sync.WaitGroup
	for n := range 8 {
		text := payload(n)
		want := FromBytes(text, 300).Select(budget, tokens.Estimate(), hints)
		group.Go(func() {
			for range 50 {
				e := FromBytes(text, 300)
				if got := e.Select(budget, tokens.Estimate(), hints); !reflect.DeepEqual(got, want) {
					t.Errorf("payload %d has another preview", n)
				}
				e.Release()
			}
		})
	}
	group.Wait()
}
