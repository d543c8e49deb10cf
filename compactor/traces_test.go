package compactor

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
)

// The last line that is left of a failure is the one that says what went wrong, alone and
// behind a log. The first line of a trace names it.
func TestLineOfAnError(t *testing.T) {
	t.Parallel()
	traces, err := os.ReadFile("../preview/shape/testdata/traces.txt")
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for i := range 30 {
		fmt.Fprintf(&log, "step %d of 30: %d items\n", i+1, 40*i+17)
	}
	for _, trace := range strings.Split(string(traces), "=== ")[1:] {
		heading, rest, _ := strings.Cut(trace, "\n")
		want, text, _ := strings.Cut(strings.TrimPrefix(rest, "> "), "\n")
		for _, before := range []string{"", log.String()} {
			v := envelope.Large{Preview: before + strings.TrimRight(text, "\n") + "\n"}
			r := newRanking(&v, true)
			u := r.units[r.order[0]]
			if got := strings.TrimSpace(v.Preview[u.from:u.to]); got != want {
				t.Errorf("%s behind %d bytes: want %q, got\n%s", heading, len(before), want, got)
			}
		}
	}
}
