package shape

import (
	_ "embed"
	"strings"
	"testing"
)

// traces are exceptions as languages print them, each below the line that says what went
// wrong: of several exceptions the one that the others follow from.
//
//go:embed testdata/traces.txt
var traces string

// The line of an error comes before what announces it, its frames, and what follows from it,
// but for one trace in twenty.
func TestErrorsComeBeforeTheirAnnouncements(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"alone": "", "behind a log": repeated(30, "step %d of 30: some items\n")} {
		var wrong []string
		all := 0
		for _, trace := range strings.Split(traces, "=== ")[1:] {
			heading, rest, _ := strings.Cut(trace, "\n")
			want, text, _ := strings.Cut(strings.TrimPrefix(rest, "> "), "\n")
			best, _, _ := ranked(before+strings.TrimRight(text, "\n")+"\n", Options{})
			if all++; strings.TrimSpace(best[0]) != want {
				wrong = append(wrong, heading)
			}
		}
		if all < 60 || len(wrong)*20 > all {
			t.Errorf("%s: of %d traces %d begin with another line: %q", name, all, len(wrong), wrong)
		}
	}
}

// If the program ended well, what sounds like an exception is raised by nothing.
func TestExceptionsOfASuccessAreNotRaised(t *testing.T) {
	t.Parallel()
	const text = "retrying\npanic: close of closed channel [recovered]\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1d\nall jobs done\n"
	_, list, _ := ranked(text, Options{Succeeded: true})
	for i := range list {
		if list[i].Score >= scoreException {
			t.Errorf("%q has %d", list[i].Line.Text, list[i].Score)
		}
	}
}
