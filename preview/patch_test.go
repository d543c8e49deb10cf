package preview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// patchOf returns a diff of some files, each with some hunks of ten lines.
func patchOf(files, hunks int) string {
	var b strings.Builder
	for f := range files {
		fmt.Fprintf(&b, "diff --git a/src/part%02d.c b/src/part%02d.c\nindex 1a2b3c4..5d6e7f8 100644\n--- a/src/part%02d.c\n+++ b/src/part%02d.c\n", f, f, f, f)
		for h := range hunks {
			fmt.Fprintf(&b, "@@ -%d,8 +%d,8 @@ int part%02d_%d(void)\n", 100*h+1, 100*h+1, f, h)
			fmt.Fprintf(&b, " before one\n before two\n before three\n-\treturn old_%d_%d;\n-\tfree(p);\n+\treturn new_%d_%d;\n+\trelease(p);\n after one\n after two\n after three\n", f, h, f, h)
		}
	}
	return b.String()
}

// show returns the preview of a patch at a budget.
func showPatch(t *testing.T, text string, budget int) *preview.Preview {
	t.Helper()
	p := preview.ParsePatch([]byte(text))
	if p == nil {
		t.Fatalf("%.60q is no patch", text)
	}
	return p.Select(preview.Budget{Tokens: budget, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}, tokens.Estimate(), preview.Hints{})
}

// A diff that does not fit names every file with its size, and shows whole hunks of as many files as it can.
func TestPatchShowsWholeHunks(t *testing.T) {
	t.Parallel()
	text := showPatch(t, patchOf(12, 5), 900).Text
	for f := range 12 {
		if want := fmt.Sprintf("src/part%02d.c +10 -10\n", f); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	whole := 0
	for f := range 12 {
		shown := 0
		for h := range 5 {
			old, changed := strings.Contains(text, fmt.Sprintf("-\treturn old_%d_%d;\n", f, h)), strings.Contains(text, "+\trelease(p);\n after one\n after two\n after three\n")
			if old && changed {
				shown++
			}
		}
		if shown > 2 {
			t.Errorf("%d hunks of file %d are shown, which is unfair", shown, f)
		}
		whole += shown
	}
	if whole < 4 {
		t.Errorf("%d hunks are shown in\n%s", whole, text)
	}
}

// A line of a hunk is shown behind the line that begins the hunk, and never alone for being short.
func TestPatchShowsNoLooseLine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for f := range 30 {
		fmt.Fprintf(&b, "diff --git a/part%02d.js b/part%02d.js\n--- a/part%02d.js\n+++ b/part%02d.js\n@@ -1,3 +1,4 @@ hunk %02d\n before%02d\n b\n", f, f, f, f, f, f)
		fmt.Fprintf(&b, "+%s\n after%02d\n", strings.Repeat("var a = b(c); ", 20*f+20), f)
	}
	for budget := 100; budget <= 4000; budget += 50 {
		text := showPatch(t, b.String(), budget).Text
		for f := range 30 {
			loose := strings.Contains(text, fmt.Sprintf(" before%02d\n", f)) || strings.Contains(text, fmt.Sprintf(" after%02d\n", f))
			if loose && !strings.Contains(text, fmt.Sprintf(" hunk %02d\n", f)) {
				t.Fatalf("%d tokens: a line of hunk %d, and not its beginning, in\n%s", budget, f, text)
			}
		}
	}
}

// A log of commits that does not fit has a line for each of them.
func TestPatchNamesCommits(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "commit %040x\nAuthor: A Person <a@example.org>\nDate:   Mon Nov 2 10:00:00 2026 +0000\n\n    core: step %d of the plan\n\n", 0xabcdef012345678+i, i)
		b.WriteString("    It takes some lines to say why the step is taken, and what was tried\n    before it, and what is left for those who come later.\n\n")
		fmt.Fprintf(&b, " core/step.go | 14 ++++++++++----\n 1 file changed, %d insertions(+), 4 deletions(-)\n\n", i+10)
	}
	text := showPatch(t, b.String(), 1000).Text
	for i := range 30 {
		if want := fmt.Sprintf(" core: step %d of the plan (1 file +%d -4)\n", i, i+10); !strings.Contains(text, want) {
			t.Fatalf("no %q in\n%s", want, text)
		}
	}
}

// A text is a diff only from its start: a log of a build may say first which commit it is of.
func TestNoPatch(t *testing.T) {
	t.Parallel()
	head := "commit 66f16d85f028b2ff284a4e41e5420a13822d37f3\nAuthor: A <a@example.org>\n\n    fix the build\n\n"
	for _, text := range []string{
		"", "\n", "plain\n", head, "diff of a\n", strings.Repeat("line\n", 60) + patchOf(1, 1),
		head + "diff --git a/x b/x\n" + strings.Repeat("gcc -c x.c\nx.c:3: error: no such thing\n", 40),
	} {
		if preview.ParsePatch([]byte(text)) != nil {
			t.Errorf("%.60q is a patch", text)
		}
	}
	if preview.ParsePatch([]byte("[main 1234567] say it\n 1 file changed\n"+patchOf(1, 1))) == nil {
		t.Error("a diff behind what git commit says is none")
	}
}
