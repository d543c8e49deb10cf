package literal_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/literal"
)

// salient are literals as a scan for lines that matter uses them.
var salient = []string{
	"fail", "error", "panic", "FATAL", "Traceback", "\n  File ", "assert", "undefined reference", "no such file", "not found",
	"permission denied", "cannot ", "can't ", "unable to", "exited with", "segmentation fault", "timed out", "*** ", "##[error]",
	"npm ERR!", "E   ", "not ok ", "✗ ", "✖ ", "❌", "--- FAIL", "FAILED", "BUILD FAILURE", "Caused by", "warning", "killed",
	"core dumped", "denied", "refused", "mismatch", "expected", "exception", "conflict", "aborted", "unresolved", "Tests run:",
	"tests completed", "passed", "failures", "invalid", "undefined", "missing", "unexpected", "could not", "does not exist",
	"broken pipe", "out of memory", "stack trace", "goroutine ", "deprecated", "timeout", "unreachable", "not supported",
	"unrecognized", "syntax error", "no rule to make", "exit code", "exit status", "crash", "corrupt", "violation", "overflow",
	"deadlock", "data race", "leak", "skipped", "::error", "unsatisfied", "unhandled", "rejected", "must be", "wrong", "illegal",
}

func set(t testing.TB, literals ...string) *literal.Set {
	t.Helper()
	s, err := literal.New(literals)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lower is the meaning of "in any case".
func lower(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// naive is the oracle: it compares every literal at every offset.
func naive(literals []string, text []byte, from int) (at, index int) {
	text, index = lower(text), -1
	for at = max(from, 0); at < len(text); at++ {
		for i, l := range literals {
			if bytes.HasPrefix(text[at:], lower([]byte(l))) && (index < 0 || len(l) > len(literals[index])) {
				index = i
			}
		}
		if index >= 0 {
			return at, index
		}
	}
	return -1, -1
}

// check compares Next with the oracle, resumed at every offset.
func check(t interface{ Fatalf(string, ...any) }, s *literal.Set, literals []string, text []byte) {
	for from := -1; from <= len(text)+2; from++ {
		at, index := s.Next(text, from)
		wantAt, want := naive(literals, text, from)
		if at != wantAt || index != want {
			t.Fatalf("%q in %q from %d: literal %d at %d, the oracle says %d at %d", literals, text, from, index, at, want, wantAt)
		}
	}
}

func TestAgainstOracle(t *testing.T) {
	alphabet := rapid.SampledFrom([]byte("aAbBe \n*[{@`0\x00\x80\xa0\xe2\x9d"))
	rapid.Check(t, func(t *rapid.T) {
		literals := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			l := rapid.SliceOfN(alphabet, 3, 20).Draw(t, "literal")
			if len(l) == 3 {
				l[0] |= 0x80
			}
			return string(l)
		}), 1, 8).Draw(t, "literals")
		var text []byte
		for range rapid.IntRange(0, 8).Draw(t, "pieces") {
			text = append(text, rapid.SliceOfN(alphabet, 0, 12).Draw(t, "filler")...)
			l := rapid.SampledFrom(literals).Draw(t, "piece")
			text = append(text, l[:rapid.IntRange(0, len(l)).Draw(t, "cut")]...)
		}
		s, err := literal.New(literals)
		if err != nil {
			t.Fatal(err)
		}
		check(t, s, literals, text)
	})
}

// Literals that overlap in every way: pieces of one text, in another order. In
// ordinary words the windows are anywhere, not only where a literal begins.
func TestOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := strings.Join(rapid.SliceOfN(rapid.SampledFrom(strings.Fields("tests compiling zq object processed w9 the downloading xj")), 3, 6).Draw(t, "base"), "")
		piece := rapid.Custom(func(t *rapid.T) string {
			from := rapid.IntRange(0, len(base)-4).Draw(t, "from")
			return base[from:rapid.IntRange(from+4, len(base)).Draw(t, "to")]
		})
		literals := rapid.SliceOfN(piece, 1, 8).Draw(t, "literals")
		s, err := literal.New(literals)
		if err != nil {
			t.Fatal(err)
		}
		check(t, s, literals, []byte("."+base+strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "text"), "")))
	})
}

// Every literal at every place of a buffer, whole and cut by its end, in upper
// and lower case.
func TestEveryPlace(t *testing.T) {
	s := set(t, salient...)
	for _, l := range salient {
		for _, cased := range []string{strings.ToLower(l), strings.ToUpper(l)} {
			for before := range 14 {
				for _, filler := range []string{".", " ", "e", "\n", "\xff"} {
					text := []byte(strings.Repeat(filler, before) + cased)
					for _, text := range [][]byte{text, text[:len(text)-1], append(text, filler...), append(text, strings.Repeat(filler, 29)...)} {
						at, index := s.Next(text, 0)
						if wantAt, want := naive(salient, text, 0); at != wantAt || index != want {
							t.Fatalf("%q: literal %d at %d, want %d at %d", text, index, at, want, wantAt)
						}
					}
				}
			}
		}
	}
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		name      string
		literals  []string
		text      string
		from      int
		at, index int
	}{
		{"empty text", []string{"error"}, "", 0, -1, -1},
		{"shorter than a window", []string{"❌"}, "\xe2\x9d", 0, -1, -1},
		{"three bytes are the text", []string{"❌"}, "❌", 0, 0, 0},
		{"three bytes at the end", []string{"❌"}, ".❌", 0, 1, 0},
		{"four bytes are the text", []string{"fail"}, "FAIL", 0, 0, 0},
		{"four bytes at the end", []string{"fail"}, ".fail", 0, 1, 0},
		{"at from", []string{"fail"}, "..fail", 2, 2, 0},
		{"before from", []string{"fail"}, "..fail", 3, -1, -1},
		{"from is the end", []string{"fail"}, "fail", 4, -1, -1},
		{"from is behind the end", []string{"fail"}, "fail", 40, -1, -1},
		{"from is negative", []string{"fail"}, "fail", -40, 0, 0},
		{"the longest", []string{"fail", "failures", "failure"}, "2 FAILURES", 0, 2, 1},
		{"the first of equals", []string{"Fail", "fAIL"}, "fail", 0, 0, 0},
		{"begins before, ends later", []string{"cdef", "abcdefghijklmnop"}, "..abcdefghijklmnop", 0, 2, 1},
		{"begins before, but is cut", []string{"cdef", "abcdefghijklmnop"}, "..abcdefghijklmno", 0, 4, 0},
		{"no letter, no case", []string{"[[[["}, "{{{{", 0, -1, -1},
		{"a star is no line end", []string{"*** "}, "\n\n\n ***  ", 0, 4, 0},
		{"no Unicode case", []string{"risk"}, "RI\u017f\u212a risk", 0, 8, 0},
		{"NUL is no end", []string{"fail"}, "ail\x00", 0, -1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if at, index := set(t, c.literals...).Next([]byte(c.text), c.from); at != c.at || index != c.index {
				t.Errorf("literal %d at %d, want %d at %d", index, at, c.index, c.at)
			}
		})
	}
}

// The standard library on lines as they come.
func TestAgainstRegexp(t *testing.T) {
	quoted := make([]string, len(salient))
	for i, l := range salient {
		quoted[i] = regexp.QuoteMeta(l)
	}
	oracle := regexp.MustCompile("(?i)" + strings.Join(quoted, "|"))
	oracle.Longest()
	text, s, hits := buildLog(60<<10, 5), set(t, salient...), 0
	for from := 0; ; hits++ {
		at, index := s.Next(text, from)
		want := oracle.FindIndex(text[from:])
		if want == nil {
			if at >= 0 {
				t.Errorf("%q at %d, which the oracle does not see", salient[index], at)
			}
			break
		}
		if at != from+want[0] || len(salient[index]) != want[1]-want[0] {
			t.Fatalf("from %d: %d at %d, the oracle says %d", from, index, at, want)
		}
		from = at + 1
	}
	if hits < 100 {
		t.Errorf("only %d hits: the text is not what it should be", hits)
	}
}

func TestNewRejectsUnusableLiterals(t *testing.T) {
	for _, c := range []struct {
		literals []string
		want     error
	}{
		{nil, literal.ErrNone},
		{slices.Repeat([]string{"error"}, literal.MaxLiterals+1), literal.ErrMany},
		{[]string{"error", ""}, literal.ErrShort},
		{[]string{"bad"}, literal.ErrShort},
		{[]string{"é"}, literal.ErrShort},
		{[]string{strings.Repeat("x", literal.MaxBytes+1)}, literal.ErrLong},
	} {
		if _, err := literal.New(c.literals); !errors.Is(err, c.want) {
			t.Errorf("%.20q: %v, want %v", c.literals, err, c.want)
		}
	}
}

// As many and as long literals as are allowed, all in one bucket.
func TestLimits(t *testing.T) {
	var literals []string
	for i := range literal.MaxLiterals {
		literals = append(literals, fmt.Sprintf("%s%04d", strings.Repeat("x", literal.MaxBytes-4), i))
	}
	s := set(t, literals...)
	for i, l := range literals {
		text := []byte("xx" + strings.Repeat("x", i%3) + l)
		if at, index := s.Next(text, 0); at != 2+i%3 || index != i {
			t.Fatalf("%q: literal %d at %d", text, index, at)
		}
	}
	if size := unsafe.Sizeof(*s); size > 20<<10 {
		t.Errorf("a Set has %d bytes before its literals", size)
	}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte("error\x00fail\x00❌"), []byte("an ERROR ❌ of failing"))
	f.Add([]byte("*** \x00\n\n\n "), []byte("***\n\n\n \n\n *** "))
	f.Fuzz(func(t *testing.T, list, text []byte) {
		if len(text) > 300 || len(list) > 300 {
			t.Skip("the oracle is slow")
		}
		literals := strings.Split(string(list), "\x00")
		s, err := literal.New(literals)
		if err != nil {
			return
		}
		check(t, s, literals, text)
	})
}
