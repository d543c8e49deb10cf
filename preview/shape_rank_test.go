package preview_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// markerTokens is what a cut marker costs, about.
const markerTokens = 5

// Where all names of files fit, all are shown.
func TestDiffNamesEveryFileThatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var names []string
		cost := 0
		for i := range rapid.IntRange(1, 6).Draw(t, "files") {
			file := fileDiff(fmt.Sprintf("dir/file%d.go", i), rapid.IntRange(0, 40).Draw(t, "lines"))
			name, _, _ := strings.Cut(file, "\n")
			names = append(names, name)
			cost += tokens.Estimate().Count(name+"\n") + markerTokens
			text.WriteString(file)
		}
		budget := budgetOf(cost + 2*markerTokens + rapid.IntRange(0, 60).Draw(t, "more"))
		p := preview.FromBytes([]byte(text.String()), 4000).Select(budget, tokens.Estimate(), preview.Hints{HeadPercent: 25, Shape: shape.Diff})
		for _, name := range names {
			if !strings.Contains(p.Text, name+"\n") {
				t.Fatalf("%q is hidden at %d tokens in\n%s", name, budget.Tokens, p.Text)
			}
		}
	})
}

// shown are the lines that are shown for more than to fill a gap.
func shown(p *preview.Preview) map[int64]bool {
	lines := map[int64]bool{}
	for _, s := range p.Segments {
		for n := s.FirstLine; s.Score > 1 && n <= s.LastLine; n++ {
			lines[n] = true
		}
	}
	return lines
}

// Where all lines cost the same, a larger budget shows the same lines and more.
func TestLargerBudgetShowsMore(t *testing.T) {
	kinds := map[shape.Shape]func(n int) string{
		shape.Search:  func(n int) string { return fmt.Sprintf("src/file%02d.go:%04d:\tfound it", n%13, n) },
		shape.Listing: func(n int) string { return fmt.Sprintf("./src/dir%02d/file%04d.go", n/35, n) },
		shape.Table:   func(n int) string { return fmt.Sprintf("NAME%04d   1/1   RUNNING%02d", n, n%7) },
		shape.Diff: func(n int) string {
			if n%20 == 0 {
				return fmt.Sprintf("diff --git a/f%04d b/f%04d", n, n)
			}
			return fmt.Sprintf("@@ -%04d,0 +%04d,0 @@ f%04d", n, n, n)
		},
		shape.Prose: func(n int) string { return fmt.Sprintf("Word number %04d is said.", n) },
		shape.StackTrace: func(n int) string {
			return fmt.Sprintf("\tat com.acme.Class.m%04d(F)", n)
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]shape.Shape{shape.Search, shape.Listing, shape.Table, shape.Diff, shape.Prose, shape.StackTrace}).Draw(t, "shape")
		var b strings.Builder
		for i := range rapid.IntRange(150, 600).Draw(t, "lines") {
			b.WriteString(kinds[kind](i) + "\n")
		}
		e := preview.FromBytes([]byte(b.String()), 4000)
		var before map[int64]bool
		for _, n := range []int{100, 200, 400, 800, 1200} {
			p := e.Select(preview.Budget{Tokens: n, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, even{}, preview.Hints{HeadPercent: 25, Shape: kind})
			now := shown(p)
			if p.Truncated() {
				for line := range before {
					if !now[line] {
						t.Fatalf("shape %d: line %d is hidden at %d tokens", kind, line, n)
					}
				}
			}
			before = now
		}
	})
}

// Paths in the order of their directories are shown in turns between them, and
// others from the first one on.
func TestListingsInOrderAndMixed(t *testing.T) {
	for name, c := range map[string]struct {
		directory func(n int) int
		marks     int
	}{"in order": {func(n int) int { return n / 30 }, 6}, "mixed": {func(n int) int { return n % 6 }, 1}} {
		var b strings.Builder
		for i := range 180 {
			fmt.Fprintf(&b, "src/dir%d/file%03d.go\n", c.directory(i), i)
		}
		p := preview.FromBytes([]byte(b.String()), 4000).Select(preview.Budget{Tokens: 250, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, even{}, preview.Hints{HeadPercent: 25})
		if p.Shape != shape.Listing || len(p.Cuts) != c.marks {
			t.Errorf("%s: shape %d with %d cuts, want a listing with %d:\n%s", name, p.Shape, len(p.Cuts), c.marks, p.Text)
		}
	}
}

// A wide row of a table is cut inside, so that others have a place.
func TestWideRowsAreCut(t *testing.T) {
	rows := "USER       PID %CPU COMMAND\n" + repeated(40, "root       9%d  0.0 run\n") + "root       777  9.0 java " + strings.Repeat("-Dsome.option=1 ", 40) + "Main\n"
	p := preview.FromBytes([]byte(rows), 4000).Select(budgetOf(300), tokens.Estimate(), preview.Hints{HeadPercent: 25, Shape: shape.Table})
	if !strings.Contains(p.Text, "root       777  9.0 java") || !strings.Contains(p.Text, "1 Main\n") || strings.Count(p.Text, "-Dsome.option") > 10 {
		t.Errorf("the row is not cut:\n%s", p.Text)
	}
}

// even counts every line as the same.
type even struct{}

// Count returns the tokens of text.
func (even) Count(text string) int { return 20 * strings.Count(text, "\n") }

// Name names it.
func (even) Name() string { return "even" }
