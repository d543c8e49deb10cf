package main

import (
	"bytes"
	"strings"
	"testing"
)

// A ratio is that of two numbers of one round, so a round that was slow for both sides changes nothing.
func TestRatiosAreOfOneRound(t *testing.T) {
	t.Parallel()
	if got := (Samples{20, 2000, 30}).over(Samples{10, 1000, 10}).String(); got != "2.00 (2.00–3.00)" {
		t.Errorf("got %s", got)
	}
	if got := (Samples{4, 1, 2, 3}).median(); got != 2.5 {
		t.Errorf("median %v", got)
	}
}

// A bar says which of both limits a measure reached, and that nothing was measured.
func TestBars(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bar
		measured float64
		want     string
	}{
		{bar{limit: 2, aim: 1}, 0.9, "aim"}, {bar{limit: 2, aim: 1}, 1.5, "bar"}, {bar{limit: 2, aim: 1}, 2.1, "**missed**"},
		{bar{limit: 15, aim: 25, more: true}, 26, "aim"}, {bar{limit: 15, aim: 25, more: true}, 16, "bar"}, {bar{limit: 15, aim: 25, more: true}, 14, "**missed**"},
	} {
		if got := c.verdict(c.measured); got != c.want {
			t.Errorf("%v of %v and %v: %s, want %s", c.measured, c.limit, c.aim, got, c.want)
		}
	}
	if got := strings.Count(Results{}.barTable(), "not measured"); got != len(bars()) {
		t.Errorf("%d of %d bars say that nothing was measured", got, len(bars()))
	}
	if table := made().barTable(); strings.Contains(table, "not measured") {
		t.Errorf("every bar should be measured:\n%s", table)
	}
}

// Payloads have their size, are whole lines, and differ from each other.
func TestPayloads(t *testing.T) {
	t.Parallel()
	l := newLogs(4<<20, 1)
	for _, p := range payloads {
		seen := map[string]bool{}
		for i := range 2000 {
			text := l.payload(i, p.bytes)
			if len(text) > p.bytes || len(text) < p.bytes-500 || text[len(text)-1] != '\n' {
				t.Fatalf("payload %d of %s has %d bytes", i, p.name, len(text))
			}
			seen[string(text[:min(len(text), 4<<10)])] = true
		}
		if len(seen) < 1990 { // lines may repeat, so that two begin alike
			t.Errorf("%d of 2000 payloads of %s differ", len(seen), p.name)
		}
	}
	if !bytes.Equal(newLogs(2<<20, 1).text, newLogs(2<<20, 1).text) || bytes.Equal(newLogs(2<<20, 1).text, newLogs(2<<20, 2).text) {
		t.Error("the text should follow from the seed alone")
	}
}
