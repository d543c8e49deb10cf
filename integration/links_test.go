package integration_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	heading      = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	codeBlock    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	inlineCode   = regexp.MustCompile("`[^`\n]*`")
	namedPage    = regexp.MustCompile(`\bdocs/[\w./-]+\.md\b`)
	notOurs      = regexp.MustCompile(`(^|/)(testdata|node_modules|target|\.[a-z]+)(/|$)`)
)

// Every relative link of the Markdown files leads to a file, and every anchor to a heading.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	links := 0
	for _, path := range ownFiles(t, ".md") {
		text := inlineCode.ReplaceAllString(codeBlock.ReplaceAllString(string(readFile(t, path)), ""), "")
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			link := m[1] + m[2]
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(link, "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", path, link)
			} else if anchor != "" && !anchors(t, target)[anchor] {
				t.Errorf("%s: %s has no heading #%s", path, target, anchor)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

// Every page of docs that the code, the contract or the Makefile names is there.
func TestNamedPagesAreThere(t *testing.T) {
	t.Parallel()
	paths := []string{"../Makefile"}
	for _, ending := range []string{".go", ".proto", ".mk", ".sh"} {
		paths = append(paths, ownFiles(t, ending)...)
	}
	for _, path := range paths {
		for _, page := range namedPage.FindAllString(string(readFile(t, path)), -1) {
			if _, err := os.Stat(filepath.Join("..", page)); err != nil {
				t.Errorf("%s names %s", path, page)
			}
		}
	}
}

// ownFiles returns the files of the repository with an ending, without test data and what is hidden.
func ownFiles(t *testing.T, ending string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case notOurs.MatchString(strings.TrimPrefix(path, "../")):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case strings.HasSuffix(path, ending):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// anchors are those of the headings of a Markdown file: lower case, without punctuation, "-" for each space.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(readFile(t, path)), ""), -1) {
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return found
}
