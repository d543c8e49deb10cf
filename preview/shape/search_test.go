package shape

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDefinedNames(t *testing.T) {
	for text, want := range map[string]string{
		"func Open(path string) error {":              "Open",
		"\tfunc (s *Store) Open(path string) error {": "Open",
		"    def open(self):":                         "open",
		"  def self.open(path)":                       "open",
		"class Store(Base):":                          "Store",
		"export default class Store extends Base {":   "Store",
		"export const open = () => {":                 "open",
		"pub(crate) async fn open() {":                "open",
		"public static final class Store {":           "Store",
		"type Store struct {":                         "Store",
		"#define OPEN_MAX 12":                         "OPEN_MAX",
		"impl Store {":                                "Store",
		"interface Store {":                           "Store",
		"message Store {":                             "Store",
		"\tErrOpen = errors.New(\"open\")":            "ErrOpen",
		"OPEN_MAX = 12":                               "OPEN_MAX",
		"OPEN_MAX == 12":                              "",
		"Open => 12":                                  "",
		"open = 12":                                   "",
		"store.Open = 12":                             "",
		"store.open(path)":                            "",
		"return func() {":                             "",
		"// func of it":                               "",
		"functional(x)":                               "",
		"public opinion":                              "",
		"":                                            "",
		"func (":                                      "",
	} {
		if got := string(DefinedName([]byte(text))); got != want {
			t.Errorf("%q defines %q, want %q", text, got, want)
		}
	}
}

// A match of every folder at the top comes before a second one of any, whether the
// path is in each line or above them, and each heading before its matches.
func TestSearchIsBreadthFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := anyTree(t)
		under := rapid.Bool().Draw(t, "under headings")
		var lines, paths []string
		for _, f := range files {
			if under {
				lines, paths = append(lines, f), append(paths, "")
			}
			for n := range rapid.IntRange(1, 5).Draw(t, "matches") {
				line := fmt.Sprintf("%d:\tfound()", n+1)
				if !under {
					line = f + ":" + line
				}
				lines, paths = append(lines, line), append(paths, f)
			}
		}
		_, list, _ := ranked(strings.Join(lines, "\n")+"\n", Options{Shape: Search})
		tops, had, headed := map[string]bool{}, map[string]int{}, map[string]bool{}
		for _, f := range files {
			tops[top(f)] = true
		}
		for _, i := range Order(list) {
			p := paths[i]
			if p == "" {
				headed[lines[i]] = true
				continue
			}
			if under && !headed[p] {
				t.Fatalf("a match of %s comes before its heading", p)
			}
			if had[top(p)]++; had[top(p)] == 2 && len(had) < len(tops) {
				t.Fatalf("%s has two lines, and %v are all that are named of %v in\n%s", top(p), had, tops, strings.Join(lines, "\n"))
			}
		}
	})
}
