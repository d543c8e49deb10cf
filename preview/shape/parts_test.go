package shape

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPartsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		shape Shape
		want  []Part
	}{
		"files":       {repeated(3, "src/a.go:%d:\tx\n") + "src/b.go:1:\tx\nsrc/b.go-2-beside\n", Search, []Part{{"src/a.go", 3, 1}, {"src/b.go", 1, 1}}},
		"under names": {"src/a.go\n1:x\n2:x\n\nlib/b.go\n3:x\n", Search, []Part{{"src/a.go", 2, 1}, {"lib/", 1, 1}}},
		"one file":    {repeated(9, "src/a.go:%d:\tx\n"), Search, nil},
		"a large folder": {
			repeated(20, "src/a%d.go:1:\tx\n") + repeated(3, "lib/b.go:%d:\tx\n"), Search, []Part{{"src/", 20, 1}, {"lib/", 3, 1}},
		},
		"many": {
			repeated(9, "d%d/a.go:1:\tx\nd%d/b.go:1:\tx\n"), Search,
			[]Part{{"d1/", 2, 1}, {"d2/", 2, 1}, {"d3/", 2, 1}, {"d4/", 2, 1}, {"d5/", 2, 1}, {"d6/", 2, 1}, {"d7/", 2, 1}, {"", 4, 2}},
		},
		"a walk":       {".\n./a\n./a/x\n./a/y\n./b\n./b/c\n./b/c/y\n./b/c/z\n./b/c/z2\n", Listing, []Part{{"b/c/", 3, 1}, {"a/", 2, 1}}},
		"names alone":  {repeated(9, "a%d.go\n"), Listing, nil},
		"other shapes": {repeated(9, "src/a%d.go:1:\tx\n"), None, nil},
		"sizes":        {repeated(9, "%d0\t./a/x%d\n"), Listing, nil},
		"revisions":    {repeated(9, "fb825d1%d say it\n"), Listing, nil},
	} {
		if diff := cmp.Diff(c.want, Parts(c.shape, linesOf(c.text))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// No line is counted twice and none is forgotten, and there are not too many parts.
func TestPartsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		n := 0
		for _, f := range anyTree(t) {
			for k := range rapid.IntRange(1, 5).Draw(t, "matches") {
				fmt.Fprintf(&b, "%s:%d:\tx\n", f, k+1)
				n++
			}
		}
		parts := Parts(Search, linesOf(b.String()))
		sum := 0
		for i, p := range parts {
			sum += p.Lines
			if p.Name == "" && p.Parts < 2 || p.Name != "" && i > 0 && p.Lines > parts[i-1].Lines {
				t.Fatalf("part %d is %+v in %+v", i, p, parts)
			}
		}
		if len(parts) > MostParts || len(parts) == 1 || len(parts) > 0 && sum != n {
			t.Fatalf("%d lines of %d in %+v", sum, n, parts)
		}
	})
}

// Matches of one file, which name no path, are of no part.
func TestMatchesWithoutPathHaveNoParts(t *testing.T) {
	t.Parallel()
	list, _, _ := rankedText("12:func main() {\n13-\n40:func main2() {\n", Search)
	for _, shape := range []Shape{Search, Listing} {
		if got := Parts(shape, list); got != nil {
			t.Errorf("%v", got)
		}
	}
}
