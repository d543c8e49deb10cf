package slice_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
	"github.com/toolresult/toolresult/artifactstore/slice"
)

// faultyReader fails in one of its reads, from 1; 0: in none.
type faultyReader struct {
	*bytes.Reader
	reads, fails int
}

func (r *faultyReader) ReadAt(p []byte, at int64) (int, error) {
	if r.reads++; r.reads == r.fails {
		return 0, artifactstore.ErrUnavailable
	}
	return r.Reader.ReadAt(p, at)
}

// faultyPages opens pages of a text whose n-th read fails.
func faultyPages(t testing.TB, text string, fails int) *artifactstore.Pages {
	t.Helper()
	id := content.Sum([]byte(text))
	r := &faultyReader{Reader: bytes.NewReader([]byte(text)), fails: fails}
	p, err := artifactstore.OpenPages(id.Hex()[:8], "x", blockindex.Build([]byte(text), id).Encode(), r, io.NopCloser(nil))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// manyLines are lines over several blocks, none of which ends with a line.
func manyLines() string {
	var b strings.Builder
	for i := 0; b.Len() < 5*artifactstore.BlockSize; i++ {
		fmt.Fprintf(&b, "%d is a line of a log\n", i)
	}
	return b.String()
}

// manyValues is a JSON text over several blocks, with a value of each kind across their borders.
func manyValues() string {
	var b strings.Builder
	b.WriteString(`{"before": [`)
	for i := 0; b.Len() < 3*artifactstore.BlockSize; i++ {
		fmt.Fprintf(&b, `{"number": -%d.5e+3, "text": "\u00e9 \"%s\"", "none": [null, true, false, {}, []]}, `, i, strings.Repeat("x", i%50))
	}
	b.WriteString(`0], "value": "found"}`)
	return b.String()
}

// TestEveryReadErrorIsReturned fails the first, the second, the third read of each call and so on, until it succeeds: each
// error comes back.
func TestEveryReadErrorIsReturned(t *testing.T) {
	t.Parallel()
	budget := slice.Budget{Bytes: 400 << 10, Lines: 100_000}
	pointer := func(text string) slice.Pointer {
		p, err := slice.ParsePointer(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	read := func(s slice.Selection) func(*artifactstore.Pages) (slice.Page, error) {
		return func(p *artifactstore.Pages) (slice.Page, error) {
			return slice.Read(context.Background(), p, s, -1, budget)
		}
	}
	find := func(pattern string, before, after, at int64) func(*artifactstore.Pages) (slice.Page, error) {
		return func(p *artifactstore.Pages) (slice.Page, error) {
			return slice.Find(context.Background(), p, slice.Match{Pattern: regexp.MustCompile(pattern), Before: before, After: after}, at, budget)
		}
	}
	lines, values := manyLines(), manyValues()
	for name, c := range map[string]struct {
		text  string
		call  func(*artifactstore.Pages) (slice.Page, error)
		reads int // at least
	}{
		"lines":         {lines, read(slice.Lines{First: 20_000, Last: 30_000}), 3},
		"bytes":         {lines, read(slice.Bytes{Start: 300_000, End: 600_000}), 3},
		"tail":          {lines, read(slice.Tail{Lines: 20_000}), 3},
		"around":        {lines, read(slice.Around{Line: 30_000, Before: 10_000, After: 10}), 3},
		"find":          {lines, find("^40000 ", 20_000, 5, 0), 5},
		"find, from":    {lines, find("^40000 ", 2, 5, int64(strings.Index(lines, "\n30000 ")+1)), 5},
		"find, nothing": {lines, find("no such line", 0, 0, 0), 5},
		"pointer":       {values, read(pointer("/value")), 4},
		"pointer to none": {values, func(p *artifactstore.Pages) (slice.Page, error) {
			page, err := read(pointer("/none"))(p)
			if errors.Is(err, slice.ErrNothing) {
				err = nil
			}
			return page, err
		}, 4},
		"pointer, array": {values, read(pointer("/before/5000/text")), 2},
		"whole":          {values, read(pointer("")), 4},
	} {
		for n := 1; ; n++ {
			_, err := c.call(faultyPages(t, c.text, n))
			if err == nil {
				if n <= c.reads {
					t.Errorf("%s: error %d of %d is dropped", name, n, c.reads)
				}
				break
			}
			if !errors.Is(err, artifactstore.ErrUnavailable) {
				t.Errorf("%s, read %d: %v", name, n, err)
				break
			}
		}
	}
}

// TestCancelledCallsEnd: a search or a scan looks at its context before each window.
func TestCancelledCallsEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	budget := slice.Budget{Bytes: 1000, Lines: 10}
	if _, err := slice.Find(ctx, faultyPages(t, manyLines(), 0), slice.Match{Pattern: regexp.MustCompile("x")}, 0, budget); !errors.Is(err, context.Canceled) {
		t.Errorf("find: %v", err)
	}
	p, err := slice.ParsePointer("/value")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := slice.Read(ctx, faultyPages(t, manyValues(), 0), p, -1, budget); !errors.Is(err, context.Canceled) {
		t.Errorf("pointer: %v", err)
	}
}

// TestNumbersAndLiteralsAreThoseOfJSON compares texts that are nearly values with what encoding/json accepts.
func TestNumbersAndLiteralsAreThoseOfJSON(t *testing.T) {
	t.Parallel()
	parts := []string{"", "-", "+", "0", "1", "12", "01", ".", ".5", "e", "e1", "E+", "E-2", "e+x", "x", "true", "tru", "nul", "null", "false", "\"", `"\u00`, `"\u00e9"`, `"\x"`, "[", "]", "{", "}", ",", ":", " "}
	pointer, err := slice.ParsePointer("")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				text := a + b + c
				if text == "" {
					continue
				}
				page, err := slice.Read(t.Context(), faultyPages(t, text, 0), pointer, -1, slice.Budget{Bytes: 100, Lines: 10})
				if json.Valid([]byte(text)) != (err == nil) || err != nil && !errors.Is(err, slice.ErrJSON) || err == nil && string(page.Data) != text {
					t.Errorf("%q: %q, %v", text, page.Data, err)
				}
			}
		}
	}
}

// TestKeysMayBeEscaped: a name is found however its key is written, up to six bytes for each of its own.
func TestKeysMayBeEscaped(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		`ab`: true, `\u0061b`: true, `\u0061\u0062`: true, `\u0061\u0062\u0063`: false, `a\u0062c`: false, `\u0041b`: false, `a`: false, `ab\u0000`: false,
	} {
		p, err := slice.ParsePointer("/ab")
		if err != nil {
			t.Fatal(err)
		}
		text := `{"` + key + `": 7}`
		page, err := slice.Read(t.Context(), faultyPages(t, text, 0), p, -1, slice.Budget{Bytes: 100, Lines: 10})
		if found := err == nil && string(page.Data) == "7"; found != want || !want && !errors.Is(err, slice.ErrNothing) {
			t.Errorf("%s: %q, %v", text, page.Data, err)
		}
	}
}

// TestPagesEndBetweenCharacters: a line that is larger than a page is cut before a character that is not whole. Bytes that
// are no character stay, at the end of everything too.
func TestPagesEndBetweenCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		bytes int
		want  []string
	}{
		{"\u00e9\u00e9\u00e9", 5, []string{"\u00e9\u00e9", "\u00e9"}},
		{"a\u20ac\u20ac", 6, []string{"a\u20ac", "\u20ac"}},
		{"\U0001F600\U0001F600", 7, []string{"\U0001F600", "\U0001F600"}},
		{"abcdef", 4, []string{"abcd", "ef"}},
		{"ab\xc3", 10, []string{"ab\xc3"}},
		{"ab\xc3", 3, []string{"ab\xc3"}},
		{"\x80\x80\x80\x80\x80\x80", 4, []string{"\x80\x80\x80\x80", "\x80\x80"}},
	} {
		p := faultyPages(t, c.text, 0)
		var got []string
		for at := int64(0); at >= 0 && len(got) < 10; {
			page, err := slice.Read(t.Context(), p, slice.Bytes{}, at, slice.Budget{Bytes: c.bytes, Lines: 10})
			if err != nil {
				t.Fatal(err)
			}
			got, at = append(got, string(page.Data)), page.Next
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%q in pages of %d: %q, want %q", c.text, c.bytes, got, c.want)
		}
	}
}
