package preview_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// form is the readable form of a text.
type form interface {
	Text() []byte
	Bytes() int64
	Select(b preview.Budget, c tokens.Counter, hints preview.Hints) *preview.Preview
}

// FuzzForms reads texts as diffs, logs of commits, runs of tests and findings, and shows
// their readable forms.
func FuzzForms(f *testing.F) {
	f.Add([]byte(patchOf(3, 2)), uint16(100))
	f.Add([]byte("commit 3e1f\nAuthor: A <a@example.org>\nDate:   Mon Nov 2 10:00:00 2026 +0000\n\n    core: begin\n\n a.go | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"), uint16(8))
	f.Add([]byte("diff --git \"a/\\303\\251 b\" \"b/\\303\\251 b\"\nsimilarity index 90%\nrename from x\nrename to y\nBinary files a/z and b/z differ\n@@ -1 +1,0 @@\n-a\r\n\\ No newline at end of file\n"), uint16(40))
	f.Add([]byte(strings.Repeat("=== RUN   TestA\n--- PASS: TestA (0.00s)\n", 9)+"PASS\nok  \texample.org/a\t0.1s\n"), uint16(60))
	f.Add([]byte(strings.Repeat("tests/test_a.py::test_one[x] PASSED [ 3%]\n", 12)+"12 passed in 0.1s\n"), uint16(30))
	f.Add([]byte(strings.Repeat("src/a.c:12:3: warning: unused variable 'x' [-Wunused-variable]\n   12 |   int x;\n      |       ^\n", 9)), uint16(30))
	f.Fuzz(func(t *testing.T, payload []byte, tokensAtMost uint16) {
		b := preview.Budget{Tokens: int(tokensAtMost), Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 200}
		var forms []form
		if patch := preview.ParsePatch(payload); patch != nil {
			forms = append(forms, patch)
		}
		if digest := preview.ParseDigest(payload); digest != nil {
			forms = append(forms, digest)
		}
		for _, read := range forms {
			if text := read.Text(); len(text) == 0 || text[len(text)-1] != '\n' || read.Bytes() != int64(len(text)) {
				t.Fatalf("a form of %d bytes has %q", read.Bytes(), text)
			}
			v := read.Select(b, tokens.Estimate(), preview.Hints{})
			checkLedger(t, read.Text(), v)
			checkFits(t, v, b)
			if again := read.Select(b, tokens.Estimate(), preview.Hints{}); again.Text != v.Text {
				t.Fatalf("shows %q, and then %q", v.Text, again.Text)
			}
		}
	})
}
