package redact_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/redact"
)

// Lines that look a little like secrets, and are none, are left as they are.
func TestBenign(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/benign.txt")
	if err != nil {
		t.Fatal(err)
	}
	if out, found := redact.Text(redact.Options{Patterns: redact.BuiltIn()}, text); len(found) > 0 {
		for i, line := range bytes.Split(out, []byte("\n")) {
			if bytes.Contains(line, []byte("[redacted:")) {
				t.Errorf("line %d: %s", i+1, line)
			}
		}
	}
}

// Of real outputs, fewer than one line in a thousand is touched. The log has the
// lines, for a person to read.
func TestCorpus(t *testing.T) {
	lines, touched := 0, 0
	byKind := map[string]int{}
	o := redact.Options{Patterns: redact.BuiltIn()}
	for _, text := range corpus(t) {
		lines += bytes.Count(text, []byte("\n"))
		if _, found := redact.Text(o, text); len(found) == 0 {
			continue
		}
		for line := range bytes.Lines(text) {
			if out, found := redact.Text(o, line); len(found) > 0 {
				touched++
				for _, c := range found {
					if byKind[c.Kind]++; byKind[c.Kind] < 5 {
						t.Logf("%s: %.300s", c.Kind, around(out))
					}
				}
			}
		}
	}
	t.Logf("%d of %d lines were touched, %.4f %%: %v", touched, lines, 100*float64(touched)/float64(lines), byKind)
	if touched*1000 > lines || lines < 100_000 {
		t.Errorf("%d of %d lines were touched", touched, lines)
	}
}

// corpus returns real outputs, in the order of their paths. They are not part of
// this repository: TOOLRESULT_CORPUS says where they are, beside the clone if it is
// not set.
func corpus(tb testing.TB) (texts [][]byte) {
	tb.Helper()
	root := os.Getenv("TOOLRESULT_CORPUS")
	if root == "" {
		root = "../../shared/corpus"
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(path) == filepath.Clean(root) {
			return err
		}
		text, err := os.ReadFile(path)
		texts = append(texts, text)
		return err
	})
	if os.IsNotExist(err) && os.Getenv("TOOLRESULT_CORPUS") == "" {
		tb.Skipf("NO CORPUS: there is no %s, and TOOLRESULT_CORPUS is not set", root)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return texts
}

// around returns a line from shortly before its first placeholder.
func around(line []byte) []byte {
	return line[max(0, bytes.Index(line, []byte("[redacted:"))-100):]
}
