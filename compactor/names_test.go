package compactor

import (
	"slices"
	"strings"
	"testing"
)

// What cannot be guessed comes first; numbers with units, times, sentences and what was
// redacted are no names.
func TestNamesOfATextAreWhatALaterCallNeeds(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("nothing to see here, move along and wait\n", 40)
	for _, c := range []struct{ name, text, want string }{
		{"ids", "Deployed 3f0c1c1e-9b1d-4c55-8a55-2b1f8a8f0d11 to eu-west-1 in 12.5s\n", "3f0c1c1e-9b1d-4c55-8a55-2b1f8a8f0d11"},
		{"hash of a commit", "[main 9fceb02d] fix the parser\n", "9fceb02d"},
		{"number behind its label", "server started, port 8443, pid 4711\n", "port 8443 | pid 4711"},
		{"URL", "docs at <https://acme.dev/r?id=7&x=1>.\n", "https://acme.dev/r?id=7&x=1"},
		{"place", "src/lex.c:41:7: warning: unused variable\n", "src/lex.c:41:7"},
		{"match of a search", "src/lex.c:41:func lex() {\n", "src/lex.c:41"},
		{"address", "bound to 10.1.2.3:8080 at 10:11:12\n", "10.1.2.3:8080"},
		{"value of a setting", "image=registry.acme.dev/shop:1.4.2\n", "registry.acme.dev/shop:1.4.2"},
		{"files of one folder", "src/a/one.py\nsrc/a/two.py\n", "src/a/one.py | src/a/two.py"},
		{"definitions of a numbered view", "  12\tclass Cart:\n  13\t    def total(self):\n  14\t        return 0\n", "class Cart | def total"},
		{"receiver of a method", "func (s *Server) Serve(l net.Listener) error {\n", "func Serve | net.Listener"},
		{"sentence with a keyword", "let us go to the class of 1999 and type this\n", ""},
		{"measures", "took 12.5ms, 100MB of 2.5GB, 85% at 0x7ffe12, on 2024-05-14 at 10:11:12\n", ""},
		{"quotes of a compiler", "unused variable ‘row_count’\n", "row_count"},
		{"redacted", "token is [redacted:github-token-v2] now\n", ""},
		{"end tags", "<li>one</li></ul>\n", ""},
		{"a row of names", "f01.txt\nf02.txt\nf03.txt\nf04.txt\nf05.txt\nf06.txt\n", "f01.txt | f02.txt | f03.txt | f04.txt"},
	} {
		got := strings.Join(chooseNames(filler+c.text, 0, map[string]bool{}), " | ")
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A name is chosen once in a history, and never costs more than a quarter of its text.
func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	text := strings.Repeat("nothing to see here\n", 20) + "created dep-7f3a91c2\n"
	if first, again := chooseNames(text, 0, known), chooseNames(text, 0, known); !slices.Equal(first, []string{"dep-7f3a91c2"}) || len(again) > 0 {
		t.Errorf("names are %q and then %q", first, again)
	}
	if names := chooseNames("created dep-7f3a91c2\n", 0, map[string]bool{}); len(names) > 0 {
		t.Errorf("a text of one line has the names %q", names)
	}
	if names := chooseNames("created "+strings.Repeat("x7", maxName)+"\n"+text, 0, map[string]bool{}); !slices.Equal(names, []string{"dep-7f3a91c2"}) {
		t.Errorf("a word without end is among the names: %q", names)
	}
}
