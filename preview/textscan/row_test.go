package textscan

import (
	"strings"
	"testing"
	"unicode/utf8"

	terminal "github.com/buildkite/terminal-to-html/v3"
	"pgregory.net/rapid"
)

// onScreen is LastState by the library that draws whole screens.
func onScreen(t testing.TB, text []byte) (string, bool) {
	if len(text) > longestRedrawn || !utf8.Valid(text) || hasString(text) {
		return "", false
	}
	columns := len(text) + 1
	screen, err := terminal.NewScreen(terminal.WithSize(columns, 1), terminal.WithMaxSize(columns, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := screen.Write(text); err != nil {
		t.Fatal(err)
	}
	shown := screen.AsPlainText()
	ok := shown != "" && len(shown) <= len(text) && !strings.Contains(shown, "\n")
	if !ok {
		shown = ""
	}
	return shown, ok
}

// sameAsScreen compares LastState with the library.
func sameAsScreen(t rapid.TB, text string) {
	got, ok := LastState([]byte(text))
	if want, wanted := onScreen(nil, []byte(text)); string(got) != want || ok != wanted {
		t.Fatalf("%q shows %q, %v; want %q, %v", text, got, ok, want, wanted)
	}
}

// What a row of a terminal shows is what a library shows on a screen of one row.
func TestRowIsThatOfAScreen(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\b", "\r", "\n", "\t", "a", "bc", " ", "é", "€", "😀", "ı", "ſ", "\x1b", "\x1b[", "\x1b(", "\x1b)B", "\x1bM", "\x1b7", "\x1b8", "\x1b=", "\x1b>",
			"\x1bé", "\x1b€", "\x1b[?25", "\x1b[1é", "\x1b[ı", "\x1b[31m", "\x1b[?25h", "\x1b[1?2C", "\x1b[;;3G", "\x1b[;7H", "\x1b[2q", "\x1b[1 q",
		}),
		rapid.StringMatching("\x1b\\[[0-9]{0,2};?[0-9]{0,11}[A-Qa-qm]"),
		rapid.StringMatching("\x1b\\[[0-4]?[JK]"),
		rapid.StringMatching("[a-z ]{1,8}"),
	)
	rapid.Check(t, func(t *rapid.T) {
		sameAsScreen(t, strings.Join(rapid.SliceOfN(piece, 1, 24).Draw(t, "pieces"), ""))
	})
}

func FuzzRowIsThatOfAScreen(f *testing.F) {
	for _, seed := range []string{"wait |\b/\b-\bdone", "\x1b[2K\x1b[1G10%\x1b[2K\x1b[1G100%", "a\nb\x1b[A\x1b[1Jc", "\x1b7abc\x1b8\x1b[2Cd", "\x1b[1é\x1bé"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if digits(text) > 15 {
			return // the library adds it to a position, without a bound, and panics
		}
		sameAsScreen(t, text)
	})
}

// digits returns how many digits the longest number of a text has.
func digits(text string) (longest int) {
	n := 0
	for i := range len(text) {
		n++
		if text[i] < '0' || text[i] > '9' {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}

// Numbers beyond every screen end at its edges, and nothing panics.
func TestMovesBeyondEveryNumber(t *testing.T) {
	for text, want := range map[string]string{
		"ab\b\x1b[9223372036854775807Dc":        "cb",
		"ab\x1b[9223372036854775807A\bc":        "ac",
		"ab\x1b[9223372036854775807B\bc":        "ac",
		"ab\x1b[92233720368547758079999D\bc":    "cb",
		"ab\b\x1b[2;9223372036854775807H\x1b[K": "ab",
	} {
		if got, _ := LastState([]byte(text)); string(got) != want {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
	// The last column is beyond the length of the line.
	if got, ok := LastState([]byte("a\x1b[9223372036854775807Cb")); ok {
		t.Errorf("a character in the last column: %q", got)
	}
}
