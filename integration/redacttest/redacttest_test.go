package redacttest_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/redact"
)

// planted is made once: it takes a part of a second.
var planted = sync.OnceValue(redacttest.Planted)

// The plants are the same every time, and there is one of every rule and of every value at each place.
func TestPlantedIsCompleteAndStable(t *testing.T) {
	t.Parallel()
	list := planted()
	if diff := cmp.Diff(list, redacttest.Planted()); diff != "" {
		t.Fatal(diff)
	}
	wheres := map[string]int{}
	for _, p := range list {
		wheres[p.Kind]++
	}
	for _, kind := range redact.BuiltIn().Kinds() {
		if wheres[kind] < 7 {
			t.Errorf("%s is planted %d times", kind, wheres[kind])
		}
	}
	for _, s := range redacttest.Secrets() {
		if wheres[s.Name] < 100 {
			t.Errorf("%s is planted %d times", s.Name, wheres[s.Name])
		}
	}
	if _, err := redact.NewValues(redacttest.Secrets()); err != nil {
		t.Error(err)
	}
}

// Every plant holds its secret, and a text without it shows none.
func TestPlantsHoldTheirSecret(t *testing.T) {
	t.Parallel()
	for _, p := range planted() {
		if !bytes.Contains(redacttest.Visible(p.Text), p.Secret) && !strings.Contains(p.Where, "title") || p.Seen(p.Text) == nil && !strings.Contains(p.Where, "title") {
			t.Errorf("%s, %s: %q is not in %q", p.Kind, p.Where, p.Secret, p.Text)
		}
		if part := p.Seen([]byte("[redacted:" + p.Kind + "]")); part != nil {
			t.Errorf("%s, %s: %q is seen in the placeholder", p.Kind, p.Where, part)
		}
	}
}

func TestSeenFindsParts(t *testing.T) {
	t.Parallel()
	p := redacttest.Plant{Kind: "k", Secret: []byte("0123456789abcdefghij")}
	for text, want := range map[string]string{
		"x 0123456789ab y": "0123456789ab", "x 89abcdefghij": "89abcdefghij", "0123456789a": "", "0123456\n\x1b[1m789ab": "0123456789ab", "": "",
	} {
		if got := string(p.Seen([]byte(text))); got != want {
			t.Errorf("of %q %q is seen, want %q", text, got, want)
		}
	}
	short := redacttest.Plant{Kind: "k", Secret: []byte("k7#Qp!9z")}
	if short.Seen([]byte("a k7#Qp!9z")) == nil || short.Seen([]byte("a k7#Qp!9")) != nil {
		t.Error("a secret that is shorter than a part is seen as a whole")
	}
	dashes := redacttest.Plant{Kind: "k", Secret: []byte(strings.Repeat("-", 30))}
	if dashes.Seen(dashes.Secret) != nil {
		t.Error("a run of one character is a secret")
	}
}

func TestVisibleIsWhatATerminalShows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\nb\r\nc\bd": "abcd", "a\x1b[1;31mb": "ab", "a\x1b]0;title\ab": "ab", "a\x1b]8;;x\x1b\\b": "ab", "a\x1bb": "a\x1bb", "a\x1b[": "a", "a\x1b]x": "a", "\x1b": "\x1b",
	} {
		if got := string(redacttest.Visible([]byte(text))); got != want {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
}

// Registered values are found in each of their encodings.
func ExamplePlanted() {
	var encodings []string
	for _, p := range planted() {
		if form, place, _ := strings.Cut(p.Where, ", "); p.Kind == "short" && place == "alone" {
			encodings = append(encodings, form)
		}
	}
	slices.Sort(encodings)
	fmt.Println(len(encodings), encodings[:4])
	// Output: 16 [HEX base64 0 base64 1 base64 2]
}
