package bpe_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/tokens/bpe"
)

// TestVocabularies writes the files that OpenAI publishes again, and compares the
// digests with those that tiktoken checks.
func TestVocabularies(t *testing.T) {
	for _, s := range subjects(t) {
		unpacked, err := bpe.Unpack(s.packed)
		if err != nil {
			t.Fatal(err)
		}
		published := sha256.New()
		next := 0
		places := map[byte][]int{} // by length: where its tokens begin, in the order of their ranks
		for size := range 256 {
			for range strings.Count(unpacked[:s.tokens], string([]byte{byte(size)})) {
				places[byte(size)] = append(places[byte(size)], s.tokens+next)
				next += size
			}
		}
		for want := range s.tokens {
			size := unpacked[want]
			at := places[size][0]
			places[size] = places[size][1:]
			token := unpacked[at : at+int(size)]
			fmt.Fprintf(published, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), want)
			if rank, ok := s.Rank(token); !ok || rank != want {
				t.Fatalf("%s: the rank of %q is %d, %v; want %d", s.name, token, rank, ok, want)
			}
		}
		if got := hex.EncodeToString(published.Sum(nil)); got != s.digest {
			t.Errorf("%s: the tokens have the digest %s, want %s", s.name, got, s.digest)
		}
	}
}

// TestWhatNeedsNoLookUp: single bytes and groups of digits are tokens.
func TestWhatNeedsNoLookUp(t *testing.T) {
	for _, s := range subjects(t) {
		for b := range 256 {
			if _, ok := s.Rank(string([]byte{byte(b)})); !ok {
				t.Errorf("%s: the byte %d is no token", s.name, b)
			}
		}
		for _, form := range []string{"%d", "%02d", "%03d"} {
			for n := range 1000 {
				digits := fmt.Sprintf(form, n)
				if _, ok := s.Rank(digits); !ok {
					t.Errorf("%s: %s is no token", s.name, digits)
				}
			}
		}
	}
}

func TestDamagedVocabulary(t *testing.T) {
	packed := subjects(t)[1].packed
	damaged := bytes.Clone(packed)
	damaged[len(damaged)/2] ^= 1
	for name, c := range map[string]struct {
		packed []byte
		tokens int
	}{
		"empty": {nil, 1}, "a flipped bit": {damaged, 100_256}, "a cut": {packed[:len(packed)/2], 100_256},
		"other tokens": {packed, 100_255}, "too many tokens": {packed, 1 << 30},
	} {
		if _, err := bpe.Load(c.packed, c.tokens); !errors.Is(err, bpe.ErrDamaged) {
			t.Errorf("%s: the error is %v, want that it is damaged", name, err)
		}
	}
}

// golden is a line of testdata/cases.jsonl: a text and the lengths of its tokens in
// bytes, from the reference.
type golden struct {
	Text   string `json:"text"`
	O200k  []int  `json:"o200k"`
	CL100k []int  `json:"cl100k"`
}

func goldenCases(tb testing.TB) (cases []golden) {
	tb.Helper()
	content, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var c golden
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			tb.Fatal(err)
		}
		cases = append(cases, c)
	}
	if len(cases) < 100 {
		tb.Fatalf("only %d cases", len(cases))
	}
	return cases
}

// TestGoldenCases holds the counts, and where each token ends, against the
// reference: github.com/pkoukk/tiktoken-go v0.1.8. integration/tokens makes them.
func TestGoldenCases(t *testing.T) {
	s := subjects(t)
	for _, c := range goldenCases(t) {
		s[0].compare(t, c.Text, c.O200k)
		s[1].compare(t, c.Text, c.CL100k)
	}
}

// TestLongS: pkoukk/tiktoken-go misses that the long s is an s where case does not
// matter, so these are of tiktoken 0.14.0 itself.
func TestLongS(t *testing.T) {
	s := subjects(t)
	s[0].compare(t, "x'ſ'step", []int{1, 1, 2, 1, 4})
	s[0].compare(t, "x'ſ'vest", []int{1, 1, 2, 1, 4})
	s[1].compare(t, "x'ſ'step", []int{1, 1, 1, 1, 2, 3})
}

// compare holds what is counted, and how it is cut, against lengths of tokens.
func (s *subject) compare(t interface{ Errorf(string, ...any) }, text string, want []int) {
	if got := s.Count(text); got != len(want) {
		t.Errorf("%s: Count(%q) = %d, want %d", s.name, text, got, len(want))
	}
	var got []int
	at := 0
	for _, end := range s.SplitPieces(text) {
		lengths := []int{end - at}
		if _, ok := s.Rank(text[at:end]); !ok {
			lengths, _ = s.MergePiece(text[at:end])
		}
		got = append(got, lengths...)
		at = end
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: the tokens of %q have the lengths %v, want %v", s.name, text, got, want)
	}
}

// anyText draws what the patterns treat specially, in many scripts.
func anyText() *rapid.Generator[string] {
	atom := rapid.SampledFrom([]string{
		"\n", "\r\n", "\r", " ", "  ", "\t", "\n \n", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u180e", "\u2028", "\u3000", "\ufeff",
		"a", "Z", "word", "HTTPServer", "camelCase", "ABC", "ÀÉ", "ß", "ǅ", "ʰ", "ª", "ſ", "K", "İ", "중", "中文", "привет", "ไทย", "हिन्दी",
		"\u0301", "\u0300A", "e\u0301", "0", "12", "1234567", "²", "Ⅷ", "٣", "\U0001d7d8", "'", "'s", "'S", "'ſ", "'ll", "'Re", "'M", "'x",
		"/", "//", ".", "});", "----", "://", "\x00", "\x1b[0m", "──", "🚀", "\u200c", "\ufffd", "\U00020000", "\U0001f468\u200d\U0001f469",
	})
	piece := rapid.OneOf(
		atom, atom, atom,
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(atom.Draw(t, "atom"), rapid.IntRange(2, 40).Draw(t, "times"))
		}),
		rapid.String(),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 12), func(s []string) string { return strings.Join(s, "") })
}

func TestAnyText(t *testing.T) {
	for _, s := range subjects(t) {
		rapid.Check(t, func(t *rapid.T) {
			text := strings.ToValidUTF8(anyText().Draw(t, "text"), "")
			if got, want := s.SplitPieces(text), s.split(text); !slices.Equal(got, want) {
				t.Fatalf("%s: the pieces of %q end at %v, want %v", s.name, text, got, want)
			}
			s.compare(t, text, s.cut(text))
		})
	}
}

// TestEveryCharacter puts characters between a capital, a small letter, a space and
// a mark: all of the scripts that have case and marks, and some of the rest.
func TestEveryCharacter(t *testing.T) {
	for _, s := range subjects(t) {
		for r := rune(0); r <= 0x10ffff; r++ {
			if r >= 0x3100 {
				r += 96
			}
			if r >= 0xd800 && r < 0xe000 {
				continue
			}
			text := "A" + string(r) + "bC " + string(r) + "(" + string(r) + "\n"
			if got, want := s.SplitPieces(text), s.split(text); !slices.Equal(got, want) {
				t.Fatalf("%s: the pieces of %q end at %v, want %v", s.name, text, got, want)
			}
		}
	}
}

func TestClassOfEveryCharacter(t *testing.T) {
	for r := rune(0); r <= 0x10ffff; r++ {
		want := "other"
		switch {
		case r >= 0xd800 && r < 0xe000:
			continue
		case r == '\r' || r == '\n':
			want = "newline"
		case unicode.IsSpace(r):
			want = "blank"
		case unicode.In(r, unicode.Lu, unicode.Lt):
			want = "upper"
		case unicode.Is(unicode.Ll, r):
			want = "lower"
		case unicode.IsLetter(r):
			want = "letter"
		case unicode.IsNumber(r):
			want = "number"
		case unicode.IsMark(r):
			want = "accent"
		}
		if got := bpe.ClassOf(r); got != want {
			t.Fatalf("%U is %s, want %s", r, got, want)
		}
	}
}

func FuzzCount(f *testing.F) {
	s := subjects(f)
	for _, c := range goldenCases(f) {
		f.Add(c.Text)
	}
	f.Add("a\xff\xe2\x94 \xf0\x9f")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return // the oracle is quadratic
		}
		repaired := string([]rune(text))
		for i := range s {
			want := s[i].cut(repaired)
			s[i].compare(t, repaired, want)
			if got := s[i].Count(text); got != min(len(want), len(text)) {
				t.Errorf("%s: Count(%q) = %d, want %d", s[i].name, text, got, len(want))
			}
		}
	})
}
