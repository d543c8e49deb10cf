package tokens_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/tokens"
)

// TestO200kReference holds the counter against counts of another, exact
// implementation: github.com/pkoukk/tiktoken-go v0.1.8 with the offline loader
// v0.0.2. Only the texts marked deviates may count more, never less.
func TestO200kReference(t *testing.T) {
	counter := mustO200k(t)
	for _, tc := range []struct {
		text     string
		want     int
		deviates bool
	}{
		{"", 0, false},
		{"hello world", 2, false},
		{"Process exited with code 0\n", 7, false},
		{"HTTPServer.handleRequest(ctx)", 6, false},
		{"1234567890", 4, false},
		{"error[E0308]: mismatched types", 8, false},
		{"\t\tif err != nil {\n", 6, false},
		{"don't", 1, false},
		{"привет, мир", 4, false},
		{"文件已保存", 3, false},
		{"🚀 done", 3, false},
		{"──────┐", 4, false},
		{"a\n\n\nb", 3, false},
		{"x  \ny", 3, false},
		{"\n \n", 1, true},
		{"+\n \n-\n", 3, false},
	} {
		got := counter.Count(tc.text)
		if got < tc.want || got > tc.want && !tc.deviates {
			t.Errorf("Count(%q) = %d, want %d", tc.text, got, tc.want)
		}
	}
}

func TestO200kName(t *testing.T) {
	if got := mustO200k(t).Name(); got != tokens.O200kName {
		t.Errorf("Name() = %q, want %q", got, tokens.O200kName)
	}
}

// TestO200kInvalidUTF8 checks the bounds of Counter on bytes that are no text.
func TestO200kInvalidUTF8(t *testing.T) {
	counter := mustO200k(t)
	for _, text := range []string{"\xff", "\xe2\x94", "a\x80b", strings.Repeat("\xc3", 100)} {
		if got := counter.Count(text); got < 1 || got > len(text) {
			t.Errorf("Count(%q) = %d, want 1 to %d", text, got, len(text))
		}
	}
}
