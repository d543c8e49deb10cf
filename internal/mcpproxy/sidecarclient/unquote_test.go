package sidecarclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Texts are read as encoding/json reads them, whatever is escaped, and wherever a piece ends.
func TestUnquoted(t *testing.T) {
	t.Parallel()
	parts := rapid.SampledFrom([]string{
		"a", `\n`, `\t`, `\"`, `\\`, `\/`, `\b`, `\f`, `\r`, `\u0041`, `\ud83d\ude00`, `\ud83d`, `\ude00\u0041`, `\ud83d\u0041`, `\ud83d\n`, "é", "\U0001f600",
		strings.Repeat("x", chunkBytes-1), strings.Repeat(`\n`, 1000), strings.Repeat(`\u00e9`, 100),
	})
	rapid.Check(t, func(t *rapid.T) {
		var quoted [][]byte
		var want []string
		for i := range rapid.IntRange(0, 3).Draw(t, "texts") {
			q := `"` + strings.Join(rapid.SliceOfN(parts, 0, 8).Draw(t, fmt.Sprint("parts", i)), "") + `"`
			var text string
			if err := json.Unmarshal([]byte(q), &text); err != nil {
				t.Fatal(err, q)
			}
			quoted, want = append(quoted, []byte(q)), append(want, text)
		}
		var got strings.Builder
		for p := range unquoted(quoted) {
			got.Write(p)
		}
		if got.String() != strings.Join(want, "\n") {
			t.Fatalf("%d bytes, want %d", got.Len(), len(strings.Join(want, "\n")))
		}
	})
}
