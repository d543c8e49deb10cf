package envelope_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
)

// TestCallIDsOfProviders takes ids as providers and their proxies make them.
func TestCallIDsOfProviders(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"", "call_8xZ2", "toolu_01A09q90qw90lq917835lq9", "chatcmpl-tool-3f2a9c", "functions.exec:0", "call_1|fc_67ccf",
		"exec;rm", "../../etc/passwd", `a"b'c`, "{}", "#~!", strings.Repeat("x", 256),
	} {
		check := envelope.NewChecker("")
		if check.CallID("call_id", id, false); check.Err() != nil {
			t.Errorf("%q: %v", id, check.Err())
		}
	}
}

// TestCallIDsAreOneWord says by regular expression what an id may be, and draws texts around that.
func TestCallIDsAreOneWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[!-~]{1,256}`).Draw(t, "word")
		check := envelope.NewChecker("")
		if check.CallID("call_id", word, true); check.Err() != nil {
			t.Fatalf("%q: %v", word, check.Err())
		}
		odd := rapid.OneOf(rapid.SampledFrom([]string{" ", "\t", "\n", "\x00", "\x7f", "é", "\u202e", "\xff"}), rapid.StringMatching(`[^!-~]`)).Draw(t, "odd")
		at := rapid.IntRange(0, len(word)).Draw(t, "at")
		broken := word[:at] + odd + word[at:]
		check = envelope.NewChecker("")
		check.CallID("call_id", broken, true)
		if err := check.Err(); err == nil || !utf8.ValidString(err.Error()) {
			t.Fatalf("%q: %v", broken, err)
		}
	})
	for _, id := range []string{"", strings.Repeat("x", 257)} {
		check := envelope.NewChecker("")
		if check.CallID("call_id", id, true); check.Err() == nil {
			t.Errorf("%d bytes pass for a required id", len(id))
		}
	}
}
