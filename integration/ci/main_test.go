package main

import (
	"io"
	"regexp"
	"strings"
	"testing"
)

// TestCountFindsWhatMustNotBe counts events as go test -json prints them.
func TestCountFindsWhatMustNotBe(t *testing.T) {
	t.Parallel()
	const ran = `{"Action":"pass","Package":"m","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"m","Test":"TestA/b"}` + "\n"
	const skipped = `{"Action":"output","Package":"m","Test":"TestB","Output":"    m_test.go:3: needs root\n"}` + "\n" +
		`{"Action":"skip","Package":"m","Test":"TestB"}` + "\n"
	for _, c := range []struct {
		name, events, but, want string
		all                     bool
		ran, skipped            int
	}{
		{name: "passes", events: ran, ran: 1},
		{name: "skips", events: ran + skipped, ran: 1, skipped: 1},
		{name: "must run", events: ran + skipped, all: true, but: "^$", want: "must not be skipped: needs root", ran: 1, skipped: 1},
		{name: "may skip", events: ran + skipped, all: true, but: "root", ran: 1, skipped: 1},
		{name: "nothing ran", events: skipped, want: "no test ran", skipped: 1},
		{name: "empty", want: "no test ran"},
	} {
		j := job{out: io.Discard, all: c.all, but: regexp.MustCompile(c.but)}
		j.count([]byte(c.events))
		if got := strings.Join(j.problems, "; "); got != c.want || j.ran != c.ran || j.skipped != c.skipped {
			t.Errorf("%s: %d ran, %d skipped, %q; want %d, %d, %q", c.name, j.ran, j.skipped, got, c.ran, c.skipped, c.want)
		}
	}
}
