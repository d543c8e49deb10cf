package main

import (
	"os"
	"strings"
	"testing"
)

// The documents say what the last run measured, and no other number.
func TestDocument(t *testing.T) {
	t.Parallel()
	r, err := readResults("results.json")
	if err != nil {
		t.Fatal(err)
	}
	if r.Run.Quick {
		t.Error("the results are of a quick run")
	}
	for path, blocks := range r.documents() {
		text, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := replaceBlocks(string(text), blocks)
		if err != nil {
			t.Fatal(err)
		}
		if want != string(text) {
			t.Errorf("%s has other numbers than results.json; `go run ./integration/performance -render` writes it", path)
		}
		if got := strings.Count(string(text), "<!-- performance: "); got != len(blocks) {
			t.Errorf("%s: %d parts are marked, and %d are written", path, got, len(blocks))
		}
		for _, line := range strayNumbers(string(text)) {
			t.Errorf("%s has a number that no run wrote: %s", path, line)
		}
	}
}

// The comparison finds a digit that is not the one that was written, in every part; and a number outside of all parts.
func TestDocumentWithAnotherNumber(t *testing.T) {
	t.Parallel()
	r := made()
	document := "# Title\n\n"
	for _, b := range r.blocks() {
		begin, end := markers(b.name)
		document += begin + b.text + end + "\nAbout a call of 64 KB, and `serve 7` of p99.\n\n"
	}
	same, err := replaceBlocks(document, r.blocks())
	if err != nil || same != document {
		t.Fatalf("what was written is not what it should be: %v", err)
	}
	if lines := strayNumbers(document); lines != nil {
		t.Errorf("stray numbers: %q", lines)
	}
	for _, b := range r.blocks() {
		at := strings.LastIndexAny(b.text, "0123456789")
		if at < 0 {
			t.Errorf("%s has no number", b.name)
			continue
		}
		other := b.text[:at] + string('0'+('9'-b.text[at])) + b.text[at+1:]
		if other == b.text {
			other = b.text[:at] + "x" + b.text[at+1:]
		}
		changed := strings.Replace(document, b.text, other, 1)
		if again, err := replaceBlocks(changed, r.blocks()); err != nil || again == changed {
			t.Errorf("%s: another digit was not found: %v", b.name, err)
		}
		begin, _ := markers(b.name)
		if _, err := replaceBlocks(strings.Replace(document, begin, "", 1), r.blocks()); err == nil {
			t.Errorf("%s: a marker is missing, and nobody says so", b.name)
		}
	}
	for _, line := range []string{"It takes 3 ms.", "| 4 KB | 1.7 x |", "Twice as fast as version 2"} {
		if len(strayNumbers(document+line+"\n")) != 1 {
			t.Errorf("not found: %s", line)
		}
	}
}

// Parts can be written into a document that has none yet.
func TestDocumentWithoutNumbers(t *testing.T) {
	t.Parallel()
	r := made()
	var empty, want strings.Builder
	for _, b := range r.blocks() {
		begin, end := markers(b.name)
		empty.WriteString(begin + end[1:] + "\n")
		want.WriteString(begin + b.text + end + "\n")
	}
	got, err := replaceBlocks(empty.String(), r.blocks())
	if err != nil || got != want.String() {
		t.Errorf("error %v, got:\n%s", err, got)
	}
}

// Results that are read say what those said that were written.
func TestResultsAreKept(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/results.json"
	r := made()
	if err := writeResults(path, r); err != nil {
		t.Fatal(err)
	}
	again, err := readResults(path)
	if err != nil {
		t.Fatal(err)
	}
	if again.text() != r.text() {
		t.Errorf("got:\n%s\nwant:\n%s", again.text(), r.text())
	}
}

// made returns results with a number in every place.
func made() Results {
	r := Results{
		Run:  Run{Commit: "abc", Date: "2026-11-26", Rounds: 3},
		Log:  Log{Bytes: 2048, Shared: Samples{30000, 32000, 28000}, InTurn: Samples{2000, 2000, 2000}},
		Disk: Disk{Calls: 1000, Sealed: 500, Records: 400_000, Catalog: 50_000, Indexes: 100_000},
	}
	value := 1.0
	next := func() Samples { value++; return Samples{value, value * 1.5, value * 1.25} }
	for _, p := range payloads {
		for _, n := range callers {
			c := Calls{Payload: p.name, Callers: n, Answer: 4711, Appended: 815}
			for _, name := range sideNames() {
				c.Sides = append(c.Sides, Side{Name: name, P50: next(), P99: next(), CPU: next(), Rate: next()})
			}
			r.Calls = append(r.Calls, c)
		}
	}
	for _, kind := range []string{quietLog, mixedLogs} {
		b := Bulk{Kind: kind, Bytes: 1 << 30}
		for _, name := range []string{rawCopy, stream, rawSynced, streamDurable, cat, byPath, catSynced, byPathDurable} {
			b.Sides = append(b.Sides, Timed{Name: name, Seconds: next(), CPU: next()})
		}
		r.Bulk = append(r.Bulk, b)
	}
	return r
}
