package preview_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// numbered is n lines of a format.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// likes are the cuts of whole repeated lines, as "first-last like line".
func likes(p *preview.Preview) string {
	var list []string
	for _, c := range p.Cuts {
		if c.LikeLine > 0 {
			list = append(list, fmt.Sprintf("%d-%d like %d", c.FirstLine, c.LastLine, c.LikeLine))
		}
	}
	return strings.Join(list, ", ")
}

// TestRepeatedLines: lines that are the same, or differ in what changes from one to the next, are shown once.
func TestRepeatedLines(t *testing.T) {
	various := numbered(40, "%[1]c%[1]c%[1]c various words of a line %[1]c%[1]c%[1]c\n")
	for name, c := range map[string]struct{ payload, want string }{
		"the same":               {"begin\n" + strings.Repeat("waiting for the server\n", 400) + "end\n", "3-401 like 2"},
		"with numbers and times": {"begin\n" + numbered(400, "2026-01-02T03:04:05.%03dZ waiting for the server\n") + "end\n", "3-401 like 2"},
		"with names":             {"begin\n" + numbered(400, "Downloading crate /registry/c%d.crate for the build\n") + "end\n", "3-393 like 2"},
		"two in turn":            {"begin\n" + numbered(100, "Fetching part %[1]d of it\nUnpacking part %[1]d of it\n") + "end\n", "4-190 like 2"},
		"blank lines":            {"begin\n" + strings.Repeat("\n", 400) + "end\n", ""},
		"none":                   {"begin\n" + strings.Repeat(various, 1) + "end\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := preview.Budget{Tokens: 120, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
			p := write(preview.NewWriter(4000), []byte(c.payload)).Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 25})
			checkLedger(t, []byte(c.payload), p)
			if got := likes(p); got != c.want {
				t.Errorf("%s, want %s:\n%s", got, c.want, p.Text)
			}
			if !strings.HasPrefix(p.Text, "begin\n") && c.want != "" || !strings.HasSuffix(p.Text, "end\n") {
				t.Errorf("the ends are not shown:\n%s", p.Text)
			}
		})
	}
}

// TestPlacesAreNotAlike: two places with the same error are two.
func TestPlacesAreNotAlike(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(strings.Repeat("a line of work that is done\n", 300))
	for i := range 6 {
		fmt.Fprintf(&b, "  %d:11  error  Expected a leading zero  number-leading-zero\n", 40+i)
	}
	p := write(preview.NewWriter(4000), b.Bytes()).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25})
	for i := range 6 {
		if place := fmt.Sprintf("%d:11", 40+i); !strings.Contains(p.Text, place) {
			t.Errorf("%s is not in\n%s", place, p.Text)
		}
	}
}

// TestFittingPayloadIsShownWhole: nothing is omitted from what fits.
func TestFittingPayloadIsShownWhole(t *testing.T) {
	payload := strings.Repeat("waiting for the server\n", 10)
	if p := write(preview.NewWriter(300), []byte(payload)).Select(small, tokens.Estimate(), preview.Hints{HeadPercent: 25}); !p.Whole() {
		t.Errorf("%+v", p)
	}
}

// TestRedrawnLines: of lines that are drawn again and again, the last state comes first.
func TestRedrawnLines(t *testing.T) {
	payload := "begin\n" + numbered(300, "\x1b[1A\x1b[2K\x1b[1Glayer %d of 300 is done, and the next one begins\n") + "all layers are done\n"
	b := preview.Budget{Tokens: 34, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
	p := write(preview.NewWriter(4000), []byte(payload)).Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 25})
	checkLedger(t, []byte(payload), p)
	if !strings.Contains(p.Text, "layer 299 of 300 is done") || strings.Contains(p.Text, "layer 298") || strings.Contains(p.Text, "␛") {
		t.Errorf("shown is\n%s", p.Text)
	}
}
