package external

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A string of any UTF-16 code units is read and written again as the same code units; one of characters is read as
// encoding/json reads it.
func TestHalvesOfPairsSurvive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOf(rapid.OneOf(
			rapid.Uint16(), rapid.Uint16Range(0xd800, 0xdfff), rapid.Uint16Range(0x20, 0x7e), rapid.Just(uint16(0xfffd)),
		)).Draw(t, "units")
		var b strings.Builder
		for _, u := range units {
			switch {
			case u > 0x20 && u < 0x7f && u != '"' && u != '\\' && rapid.Bool().Draw(t, "as it is"):
				b.WriteByte(byte(u))
			default:
				fmt.Fprintf(&b, rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(t, "escape"), u)
			}
		}
		quoted := `"` + b.String() + `"`
		var want string
		if err := json.Unmarshal([]byte(quoted), &want); err != nil {
			t.Fatal(err)
		}
		got, err := unquote([]byte(quoted))
		if err != nil {
			t.Fatal(err)
		}
		if repaired := strings.ToValidUTF8(got, string(utf8.RuneError)); utf8.ValidString(got) && got != want || strings.Count(want, "\ufffd") < strings.Count(repaired, "\ufffd") {
			t.Fatalf("%s is read as %q, and by encoding/json as %q", quoted, got, want)
		}
		again, err := unquote(quote(got))
		if err != nil || again != got {
			t.Fatalf("%s is %q, and again %q, %v", quoted, got, again, err)
		}
		if n := strings.Count(want, "\ufffd") - strings.Count(got, "\ufffd"); n > 0 && strings.Count(strings.ToLower(string(quote(got))), `\ud`) < n {
			t.Fatalf("%s lost a half: %s", quoted, quote(got))
		}
	})
}
