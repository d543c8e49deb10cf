package projectors_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// projectAny projects with the renderer that the options of the family describe.
func projectAny(p projectors.Projector, family string, policy projectors.Policy, out *pb.CompleteToolOutput) (*pb.CanonicalToolResult, error) {
	out.ToolName, out.Status = "Tool", pb.ToolStatus_TOOL_STATUS_SUCCESS
	renderer := renderers.Declared(family)
	made, err := p.Project(context.Background(), projectors.Input{
		Output: out, Policy: policy,
		Measure: func(r *pb.CanonicalToolResult) (envelope.Receipt, error) {
			return renderer.Render(r, renderers.Policy{Counter: policy.Counter})
		},
	}, memory.New())
	return made.Canonical, err
}

func ample() projectors.Policy {
	return projectors.Policy{Budget: envelope.Cost{Tokens: 20_000}, LineBytes: 2000, HeadPercent: 25, Counter: tokens.Estimate()}
}

func mutate(t *testing.T, out *pb.FileMutationOutput) *pb.FileMutationResult {
	t.Helper()
	r, err := projectAny(projectors.FileMutation(), "file_mutation", ample(), &pb.CompleteToolOutput{
		Result: &pb.CompleteToolOutput_FileMutation{FileMutation: out},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.GetFileMutation()
}

// hunk is one hunk of a diff.
const hunk = "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n"

// diffs are diffs and the changes that are read from them.
var diffs = map[string]struct {
	diff string
	want []string // lines of the receipt; nil: cannot be read
}{
	"modify":              {"diff --git a/x.go b/x.go\nindex 1..2 100644\n--- a/x.go\n+++ b/x.go\n" + hunk, []string{"M x.go, 1 hunk, +2 -1"}},
	"two hunks":           {"diff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk + "@@ -9,2 +10,3 @@\n a\n-b\n+c\n+d\n", []string{"M x, 2 hunks, +4 -2"}},
	"new":                 {"diff --git a/x b/x\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+c\n", []string{"A x, 1 hunk, +1 -0"}},
	"new executable":      {"diff --git a/x b/x\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+c\n", []string{"A x, mode 100755, 1 hunk, +1 -0"}},
	"new and empty":       {"diff --git a/x b/x\nnew file mode 100644\nindex 000..e69\n", []string{"A x"}},
	"deleted":             {"diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n", []string{"D x, 1 hunk, +0 -1"}},
	"renamed":             {"diff --git a/o b/d/n\nsimilarity index 100%\nrename from o\nrename to d/n\n", []string{"R o -> d/n"}},
	"renamed and changed": {"diff --git a/o b/n\nsimilarity index 80%\nrename from o\nrename to n\nindex 1..2 100644\n--- a/o\n+++ b/n\n" + hunk, []string{"R o -> n, 1 hunk, +2 -1"}},
	"copied":              {"diff --git a/o b/n\nsimilarity index 100%\ncopy from o\ncopy to n\n", []string{"C o -> n"}},
	"mode":                {"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", []string{"M x, mode 100644 -> 100755"}},
	"binary":              {"diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n", []string{"M x.png, binary"}},
	"several": {"diff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk + "diff --git a/y b/y\nold mode 100644\nnew mode 100755\n",
		[]string{"M x, 1 hunk, +2 -1", "M y, mode 100644 -> 100755"}},
	"no newline at the end":       {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", []string{"M x, 1 hunk, +1 -1"}},
	"diff without a last newline": {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", []string{"M x, 1 hunk, +1 -1"}},
	"unified":                     {"--- x.orig\t2024-01-01\n+++ x\t2024-01-02\n" + hunk, []string{"M x, 1 hunk, +2 -1"}},
	"unified with prefixes":       {"--- a/d/x\n+++ b/d/x\n" + hunk, []string{"M d/x, 1 hunk, +2 -1"}},
	"unified, new":                {"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+c\n", []string{"A x, 1 hunk, +1 -0"}},
	"unified, deleted":            {"--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n", []string{"D x, 1 hunk, +0 -1"}},
	"in a folder b":               {"--- b/x\n+++ b/x\n" + hunk, []string{"M b/x, 1 hunk, +2 -1"}},
	"headers inside of a hunk":    {"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a comment of SQL\n+++ another\n c\n", []string{"M x, 1 hunk, +1 -1"}},
	"quoted, with prefixes":       {"--- \"a/x\\ty\"\n+++ \"b/x\\ty\"\n" + hunk, []string{"M x\ty, 1 hunk, +2 -1"}},
	"converted to CRLF":           {strings.ReplaceAll("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"+hunk, "\n", "\r\n"), []string{"M x, 1 hunk, +2 -1"}},
	"of a file with CRLF":         {"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n", []string{"M x, 1 hunk, +1 -1"}},
	"lines like headers":          {"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-b\n+++ b/y\n+Binary files a and b differ\n", []string{"M x, 1 hunk, +2 -2"}},
	"a preamble":                  {"From 1234\nSubject: x\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk, []string{"M x, 1 hunk, +2 -1"}},
	"a quoted name":               {"diff --git \"a/\\303\\251\\n\\033[1m\" \"b/\\303\\251\\n\\033[1m\"\nold mode 100644\nnew mode 100755\n", []string{"M é\n\x1b[1m, mode 100644 -> 100755"}},
	"a name that is not UTF-8":    {"--- a/\xff\n+++ b/\xff\n" + hunk, []string{"M \uFFFD, 1 hunk, +2 -1"}},
	"a file twice":                {"--- a/x\n+++ b/x\n" + hunk + "--- a/x\n+++ b/x\n" + hunk, []string{"M x, 2 hunks, +4 -2"}},
	"empty":                       {"", []string{}},

	"no diff":                 {"done\n", nil},
	"hunk without a file":     {hunk, nil},
	"torn hunk":               {"--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n", nil},
	"second one torn":         {"--- a/y\n+++ b/y\n" + hunk + "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n", nil},
	"combined":                {"diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n", nil},
	"a binary that is hidden": {"--- a/x\n+++ b/x\n" + hunk + "Binary files o/y and n/y differ\n", nil},
	"a file that is hidden":   {"Only in n: y\n--- a/x\n+++ b/x\n" + hunk, nil},
	"a path without an end":   {"--- a/x\n+++ b/" + strings.Repeat("x", 5000) + "\n" + hunk, nil},
}

// What was changed is read from the diff; where that is not certain for every file,
// nothing is said of any.
func TestChangesAreReadFromTheDiff(t *testing.T) {
	for name, c := range diffs {
		t.Run(name, func(t *testing.T) {
			r := mutate(t, &pb.FileMutationOutput{Diff: inline(c.diff)})
			unreadable := c.want == nil
			if r.GetDiffUnreadable() != unreadable || r.GetChangesUnknown() != unreadable || (r.ChangesTotal == nil) != unreadable {
				t.Fatalf("unreadable is %v, the total %v", r.GetDiffUnreadable(), r.ChangesTotal)
			}
			lines := []string{}
			list := r.ProtoReflect().Descriptor().Fields().ByName("changes")
			for i := range r.GetChanges() {
				lines = append(lines, envelope.Lines(list, r.ProtoReflect().Get(list).List().Get(i), envelope.AsIs)...)
			}
			if !unreadable {
				if diff := cmp.Diff(c.want, lines); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// Changes that the runtime states are kept, whatever its diff is.
func TestGivenChangesAreKept(t *testing.T) {
	r := mutate(t, &pb.FileMutationOutput{
		Changes: []*pb.FileChange{{Action: pb.FileChangeAction_FILE_CHANGE_ACTION_DELETE, Path: "x"}}, Diff: inline("no diff"),
	})
	if r.GetChangesTotal() != 1 || r.GetDiffUnreadable() || r.GetChangesUnknown() || r.GetDiffPreview() != "no diff" {
		t.Errorf("%v", r)
	}
}

func TestNothingSaidOfChanges(t *testing.T) {
	_, err := projectAny(projectors.FileMutation(), "file_mutation", ample(), &pb.CompleteToolOutput{
		Result: &pb.CompleteToolOutput_FileMutation{FileMutation: &pb.FileMutationOutput{}},
	})
	if err == nil || !strings.Contains(err.Error(), "output.file_mutation.changes: is required") {
		t.Errorf("%v", err)
	}
}

// Tool bytes never bring a projection down.
func FuzzDiff(f *testing.F) {
	f.Add("diff --git a/o b/n\nsimilarity index 80%\nrename from o\nrename to n\nindex 1..2 100644\n--- a/o\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n")
	f.Add("diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 0\nHcmV?d00001\n\n")
	f.Fuzz(func(t *testing.T, diff string) { mutate(t, &pb.FileMutationOutput{Diff: inline(diff)}) })
}
