package shape

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A line is foreign if it has one of the parts, wherever it is.
func TestForeignIsToHaveAPart(t *testing.T) {
	pieces := []string{"at ", "/", "x", "run", "time", "std", ":", "lib/", "é"}
	for _, part := range foreign {
		if len(part) < 4 {
			t.Fatalf("%q is shorter than the search", part)
		}
		pieces = append(pieces, part, part[:len(part)-1], part[1:])
	}
	yes := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
		want := false
		for _, part := range foreign {
			want = want || strings.Contains(text, part)
		}
		if got := IsForeign([]byte(text)); got != want {
			t.Fatalf("%q: %v", text, got)
		}
		if want {
			yes++
		}
	})
	if yes == 0 {
		t.Error("no text was foreign")
	}
}
