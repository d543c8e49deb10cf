package compactor

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
)

//go:embed testdata/traces.txt
var traces string

// The last line that is left of a failure is the one that says what went wrong: the
// exception, and of several the one that the others follow from. The traces are as the
// languages print them.
func TestLineOfAnError(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for i := range 30 {
		fmt.Fprintf(&log, "step %d of 30: %d items\n", i+1, 40*i+17)
	}
	for name, before := range map[string]string{"alone": "", "behind a log": log.String()} {
		right, all := 0, 0
		for _, trace := range strings.Split(traces, "=== ")[1:] {
			heading, rest, _ := strings.Cut(trace, "\n")
			want, text, _ := strings.Cut(rest, "\n")
			want = strings.TrimPrefix(want, "> ")
			v := envelope.Large{Preview: before + strings.TrimRight(text, "\n") + "\n"}
			r := newRanking(&v, true)
			u := r.units[r.order[0]]
			all++
			if got := strings.TrimSpace(v.Preview[u.from:u.to]); got == want {
				right++
			} else {
				t.Logf("%s: %s, want %q, got\n%s", name, heading, want, got)
			}
		}
		if right < all {
			t.Errorf("%s: of %d traces %d keep the error", name, all, right)
		}
	}
}
