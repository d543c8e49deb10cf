package slice_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/artifactstore/slice"
)

// open puts a content and opens it to be read anywhere.
func open(t failer, content []byte) *artifactstore.Pages {
	store := memory.New()
	ref, err := store.Put(context.Background(), artifactstore.BytesBlob(content))
	if err != nil {
		t.Fatalf("%v", err)
	}
	p, err := store.Pages(context.Background(), ref.Name)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

type failer interface{ Fatalf(string, ...any) }

func contents() *rapid.Generator[[]byte] {
	piece := rapid.SampledFrom([]string{
		"\n", "a\n", "error: x\n", "\r\n", "\xff\xfe", "é漢字😀", "no end", strings.Repeat("long ", 30), strings.Repeat("line\n", 70), "\x00",
	})
	return rapid.Map(rapid.SliceOfN(piece, 0, 30), func(p []string) []byte { return []byte(strings.Join(p, "")) })
}

// lines is what a naive reader has.
func lines(content []byte) [][]byte {
	all := bytes.SplitAfter(content, []byte("\n"))
	if len(all[len(all)-1]) == 0 {
		all = all[:len(all)-1]
	}
	return all
}

func selections(t *rapid.T, content []byte) (s slice.Selection, want []byte) {
	all := lines(content)
	n := int64(len(all))
	between := func(first, last int64) []byte {
		return bytes.Join(all[min(first-1, n):min(max(first-1, last), n)], nil)
	}
	a, b := rapid.Int64Range(1, max(1, n)).Draw(t, "a"), rapid.Int64Range(0, n+3).Draw(t, "b")
	switch rapid.IntRange(0, 3).Draw(t, "selection") {
	case 0:
		if b > 0 {
			b = max(a, b)
			return slice.Lines{First: a, Last: b}, between(a, b)
		}
		return slice.Lines{First: a}, between(a, n)
	case 1:
		from := rapid.Int64Range(0, int64(len(content))).Draw(t, "from")
		to := rapid.Int64Range(from, int64(len(content))).Draw(t, "to")
		if to == 0 {
			return slice.Bytes{}, content
		}
		return slice.Bytes{Start: from, End: to}, content[from:to]
	case 2:
		return slice.Tail{Lines: b}, between(max(1, n-b+1), n)
	}
	before, after := rapid.Int64Range(0, 5).Draw(t, "before"), rapid.Int64Range(0, 5).Draw(t, "after")
	return slice.Around{Line: a, Before: before, After: after}, between(max(1, a-before), a+after)
}

// Pages one after the other are the selection, byte for byte; each fits the budget,
// ends on a character, and says which lines it is of.
func TestPagesConcatenate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := contents().Draw(t, "content")
		s, want := selections(t, content)
		b := slice.Budget{Bytes: rapid.IntRange(1, 300).Draw(t, "bytes"), Lines: rapid.IntRange(1, 40).Draw(t, "lines")}
		checkPages(t, content, s, want, b)
	})
}

func checkPages(t failer, content []byte, s slice.Selection, want []byte, b slice.Budget) {
	p := open(t, content)
	var got []byte
	at := int64(-1)
	for {
		page, err := slice.Read(context.Background(), p, s, at, b)
		if err != nil {
			t.Fatalf("at %d: %v", at, err)
		}
		r := page.Ranges[0]
		if len(page.Data) > b.Bytes || bytes.Count(page.Data, []byte("\n")) > b.Lines || int64(len(page.Data)) != r.To-r.From {
			t.Fatalf("a page of %d bytes for %+v, %+v", len(page.Data), b, r)
		}
		if !bytes.Equal(page.Data, content[r.From:r.To]) {
			t.Fatalf("%+v holds other bytes", r)
		}
		if utf8.Valid(want) && b.Bytes >= utf8.UTFMax && at < 0 && !bytes.HasPrefix(want, page.Data) {
			t.Fatalf("the first page is not the beginning")
		}
		if utf8.Valid(content) && b.Bytes >= utf8.UTFMax && page.Next >= 0 && !utf8.RuneStart(content[page.Next]) {
			t.Fatalf("a page ends inside of a character")
		}
		if len(page.Data) > 0 && (r.FirstLine != int64(bytes.Count(content[:r.From], []byte("\n")))+1 ||
			r.LastLine != int64(bytes.Count(content[:r.To-1], []byte("\n")))+1) {
			t.Fatalf("%+v is of other lines", r)
		}
		got = append(got, page.Data...)
		if page.Next < 0 {
			break
		}
		if page.Next <= at || len(page.Data) == 0 {
			t.Fatalf("no progress at %d", at)
		}
		at = page.Next
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%d bytes in pages, want %d", len(got), len(want))
	}
}

func TestEmptySelections(t *testing.T) {
	p := open(t, []byte("a\nb\n"))
	for _, s := range []slice.Selection{slice.Lines{First: 3}, slice.Bytes{Start: 5}, slice.Around{Line: 3}} {
		if page, err := slice.Read(t.Context(), p, s, -1, slice.Budget{Bytes: 9, Lines: 9}); err != slice.ErrNothing { // the sentinel itself
			t.Errorf("%+v: %+v, %v", s, page, err)
		}
	}
}

// Every matching line is found once, with its context, whatever the budget.
func TestFindReturnsEveryMatchOnce(t *testing.T) {
	pattern := regexp.MustCompile(`error|😀`)
	rapid.Check(t, func(t *rapid.T) {
		content := contents().Draw(t, "content")
		m := slice.Match{Pattern: pattern, Before: rapid.Int64Range(0, 3).Draw(t, "before"), After: rapid.Int64Range(0, 3).Draw(t, "after")}
		b := slice.Budget{Bytes: rapid.IntRange(1, 600).Draw(t, "bytes"), Lines: rapid.IntRange(1, 40).Draw(t, "lines")}
		p := open(t, content)
		found := map[int64]bool{}
		last := int64(0)
		for at := int64(0); at >= 0; {
			page, err := slice.Find(context.Background(), p, m, at, b)
			if err != nil {
				t.Fatalf("at %d: %v", at, err)
			}
			if len(page.Data) > b.Bytes {
				t.Fatalf("%d bytes for %d", len(page.Data), b.Bytes)
			}
			n := int64(0)
			for _, r := range page.Ranges {
				if r.From < last || r.To <= r.From || r.LastLine < r.FirstLine {
					t.Fatalf("%+v after %d", r, last)
				}
				last = r.To
				n += r.To - r.From
				for l := r.FirstLine; l <= r.LastLine; l++ {
					found[l] = true
				}
			}
			if n != int64(len(page.Data)) {
				t.Fatalf("%d bytes in %+v", len(page.Data), page.Ranges)
			}
			if page.Next >= 0 && page.Next <= at {
				t.Fatalf("no progress at %d", at)
			}
			at = page.Next
		}
		for i, l := range lines(content) {
			if pattern.Match(l) && !found[int64(i)+1] {
				t.Fatalf("line %d, %q, was not found", i+1, l)
			}
		}
	})
}

// A line of many windows is searched to its end: a match at any place is found as in the line as a whole, its text is on the
// page, and "^" and "$" match nowhere but at the ends of the line.
func TestFindInLongLines(t *testing.T) {
	const size = 2<<20 + 77
	for _, c := range []struct {
		pattern, text string
		anywhere      bool // and not just at the ends
	}{
		{`needle`, "needle", true},
		{`needle.*`, "needle", true},
		{`.*needle.*x`, "needle", true},
		{`\bne+dle\b`, " neeedle ", true},
		{`(?i)NÄDEL`, "nädel", true},
		{`^needle`, "needle", false},
		{`needle$`, "needle", false},
	} {
		pattern := regexp.MustCompile(c.pattern)
		for _, at := range []int{0, 5, 1<<20 - 3, 1 << 20, 2<<20 - 64<<10 - 2, size - len(c.text)} {
			line := bytes.Repeat([]byte("x"), size)
			copy(line[at:], c.text)
			want := pattern.Match(line)
			if c.anywhere != want && at > 0 && at < size-len(c.text) {
				t.Fatalf("%s at %d: the case is wrong", c.pattern, at)
			}
			content := []byte("first\n" + string(line) + "\nlast\n")
			page, err := slice.Find(t.Context(), open(t, content), slice.Match{Pattern: pattern}, 0, slice.Budget{Bytes: 100, Lines: 9})
			if err != nil {
				t.Fatal(err)
			}
			if found := len(page.Ranges) == 1; found != want {
				t.Errorf("%s at %d: found %v", c.pattern, at, found)
			} else if found && !strings.HasPrefix(c.pattern, ".") && !bytes.Contains(page.Data, []byte(strings.TrimSpace(c.text))) {
				t.Errorf("%s at %d: the page has %q", c.pattern, at, page.Data)
			}
		}
	}
}

func TestFindEndsWithContext(t *testing.T) {
	var b strings.Builder
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&b, "%d\n", i)
	}
	p := open(t, []byte(b.String()))
	page, err := slice.Find(t.Context(), p, slice.Match{Pattern: regexp.MustCompile(`^(10|12|30)$`), Before: 2, After: 1}, 0, slice.Budget{Bytes: 999, Lines: 99})
	if err != nil || string(page.Data) != "8\n9\n10\n11\n12\n13\n28\n29\n30\n31\n" || len(page.Ranges) != 2 || page.Next != -1 {
		t.Errorf("%q, %+v, %v", page.Data, page.Ranges, err)
	}
}

// FuzzPages rebuilds any bytes from pages of any size.
func FuzzPages(f *testing.F) {
	f.Add([]byte("a\nb\n"), 1, 1)
	f.Add([]byte("é漢字😀\xff"), 2, 3)
	f.Add([]byte(strings.Repeat("x", 300_000)), 70_000, 9)
	f.Fuzz(func(t *testing.T, content []byte, n, m int) {
		b := slice.Budget{Bytes: 1 + abs(n)%100_000, Lines: 1 + abs(m)%1000}
		if len(content)/b.Bytes > 5000 {
			return
		}
		checkPages(t, content, slice.Bytes{}, content, b)
	})
}

func abs(n int) int { return max(n, -(n + 1)) }
