package words

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write allowance_test.go again")

// TestOldWordsAreGone rejects words of rules in Go, in the comments of the contract and in documents. Folders that are not
// done yet have an allowance. It only shrinks: a word that is gone from a folder must go from its allowance, too.
func TestOldWordsAreGone(t *testing.T) {
	t.Parallel()
	list, err := scan("../..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]finding{}
	for _, f := range list {
		if found[f.folder] == nil {
			found[f.folder] = map[string]finding{}
		}
		if _, known := found[f.folder][f.word]; !known {
			found[f.folder][f.word] = f
		}
	}
	if *update {
		writeAllowance(t, found)
		return
	}
	allowed := map[string][]string{}
	for folder, text := range allowance {
		allowed[folder] = strings.Split(text, ", ")
	}
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		for _, word := range slices.Sorted(maps.Keys(found[folder])) {
			if f := found[folder][word]; !slices.Contains(allowed[folder], word) {
				t.Errorf("%s: %q: say %s", f.at, word, f.say)
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(allowed)) {
		for _, word := range allowed[folder] {
			if _, there := found[folder][word]; !there {
				t.Errorf("%s has %q no more: take it out of allowance_test.go", folder, word)
			}
		}
	}
}

// writeAllowance allows what was found.
func writeAllowance(t *testing.T, found map[string]map[string]finding) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package words\n\n// allowance has the words that folders still have. `go test ./integration/words -update` writes it.\nvar allowance = map[string]string{\n")
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&b, "\t%q: %q,\n", folder, strings.Join(slices.Sorted(maps.Keys(found[folder])), ", "))
	}
	b.WriteString("}\n")
	if err := os.WriteFile("allowance_test.go", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The rules must be able to say no, and to let English pass.
func TestRulesRejectWholeWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		kind       kind
		want       string
	}{
		{"a/a.go", "A room that\nrefuses.", inGo, "room refuses"},
		{"a/a.go", "A mushroom: connection refused while the lock is held, which stands for much.", inGo, ""},
		{"a/a.go", words("leftOutOfRooms"), inNames, "rooms left out"},
		{"artifactstore/a.go", words("whose_library"), inNames, "library whose"}, {"a/a.go", words("library"), inNames, ""},
		{"a/a.go", "a library whose types", inGo, ""},
		{"docs/a.md", "It was left out of what it is.", anywhere, "what it is"},
		{"internal/groupcommit/a.go", words("GiveMost"), inNames, "give most"},
		{"internal/groupcommits/a.go", words("GiveMost"), inNames, ""},
		{"auditlog/chain/a.go", "damaged", inGo, "damaged"}, {"artifactstore/a.go", "damaged", inGo, ""},
	} {
		s := scanner{name: c.name}
		s.check(c.text, c.kind, 1)
		var got []string
		for _, f := range s.list {
			got = append(got, f.word)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q has %q, not %q", c.name, c.text, got, c.want)
		}
	}
}

func TestScanReadsNamesCommentsAndDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go":            "// Package a is a clerk.\npackage a\n\nvar told = \"room\"\n\nfunc f(room int) { for held := range room { came := held; _ = came } }\n",
		"a/testdata/x.go":   "room",
		"gen/g.go":          "package gen // room",
		"docs/d.md":         "A `room`:\n\n```\nroom\n```\n[a](room) leg\n",
		"docs/adr/0001.md":  "room",
		"proto/v1/p.proto":  "// The clerk.\nmessage Room {} // is here\n",
		"README.md":         "Poisoned.\n",
		"integration/x.txt": "room",
	} {
		if err := os.MkdirAll(dir+"/"+name[:strings.LastIndexByte("/"+name, '/')], 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, f.at+" "+f.word)
	}
	slices.Sort(got)
	want := []string{"README.md:1 poisoned", "a/a.go:1 clerk", "a/a.go:4 told", "a/a.go:6 came", "a/a.go:6 held", "a/a.go:6 room", "docs/d.md:6 leg", "proto/v1/p.proto:1 clerk"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not\n%q", got, want)
	}
}
