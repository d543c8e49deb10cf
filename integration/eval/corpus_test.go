package eval_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// output is a document with what it must be asked for.
type output struct {
	eval.Document
	marked []fact // as the scorer counts them
	facts  []fact // without lines that are a time alone, or a time and a ruler
	unread bool   // nobody reads it, so nothing that it says is printed
}

// receiptName is the file that the scorer looks for.
func (d *output) receiptName() string {
	sum := sha256.Sum256([]byte(d.ID))
	return hex.EncodeToString(sum[:])[:16] + ".txt"
}

// readCorpus reads a folder. Documents without a fact are omitted, as the scorer does.
func readCorpus(t *testing.T, folder string, unread func(*output) bool) (list []*output) {
	t.Helper()
	documents, err := eval.ReadCorpus(folder, *source)
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range documents {
		d := &output{Document: *read}
		d.marked = facts(d.Marks, splitLines(string(d.Payload)))
		if d.facts = slices.DeleteFunc(slices.Clone(d.marked), fact.isTime); len(d.facts) > 0 {
			d.unread = unread(d)
			list = append(list, d)
		}
	}
	return list
}

// never is for a corpus that everybody has read.
func never(*output) bool { return false }

// evenDigit is for the second corpus: files whose names begin with an odd hexadecimal digit were read while rules were
// written, the others never.
func evenDigit(d *output) bool {
	return strings.ContainsRune("02468ace", rune(filepath.Base(d.Path)[0]))
}

// unreadSplit is for outputs of other kinds: half of each kind was never read.
func unreadSplit(d *output) bool { return d.Split == "heldout" }

// need skips a test that only `make eval` runs, and fails one that it runs and that cannot: a corpus is missing.
func need(t *testing.T, folders ...string) {
	t.Helper()
	if !sidecartest.All() {
		t.Skip("leg skipped: `make eval` runs it")
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "manifest.jsonl")); errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("LEG NOT RUN: there is no corpus in %s", folder)
		}
	}
}
