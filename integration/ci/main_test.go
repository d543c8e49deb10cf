package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
		{name: "torn", events: ran + `{"Action":`, ran: 1, want: "events of go test: unexpected EOF"},
	} {
		j := job{out: io.Discard, all: c.all, but: regexp.MustCompile(c.but)}
		j.count([]byte(c.events))
		if got := strings.Join(j.problems, "; "); got != c.want || j.ran != c.ran || j.skipped != c.skipped {
			t.Errorf("%s: %d ran, %d skipped, %q; want %d, %d, %q", c.name, j.ran, j.skipped, got, c.ran, c.skipped, c.want)
		}
	}
}

// TestEveryJobHasInputs checks that inputs.txt has the jobs of the Makefile, and paths that exist outside
// preview.
func TestEveryJobHasInputs(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(regexp.MustCompile(`(?m)^CHANGED := (.*)$`).FindSubmatch(makefile)[1]))
	text, err := os.ReadFile("inputs.txt")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []string
	for line := range strings.Lines(string(text)) {
		for i, word := range strings.Fields(line) {
			switch {
			case strings.HasPrefix(line, "#"):
			case i == 0 && line[0] != '\t':
				jobs = append(jobs, strings.TrimSuffix(word, ":"))
			case strings.HasPrefix(word, ":!"), strings.HasPrefix(word, "*"): // of git alone
			default:
				if found, err := filepath.Glob("../../" + word); err != nil || found == nil || strings.HasPrefix(word, "preview") {
					t.Errorf("%s is not there, or runs a job after each change of a preview: %v", word, err)
				}
			}
		}
	}
	if slices.Sort(want); !slices.Equal(jobs, want) {
		t.Errorf("inputs.txt has %q, want %q", jobs, want)
	}
}
