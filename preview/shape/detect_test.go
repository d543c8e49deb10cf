package shape

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Payloads of some shapes, which the tests of package shape use too.
var (
	goTrace     = fixture("go_trace.txt")
	javaTrace   = fixture("java_trace.txt")
	pythonTrace = fixture("python_trace.txt")
	kubectl     = fixture("kubectl.txt")
	markdown    = fixture("prose.md")
)

func fixture(name string) string {
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// repeated is a text for each number from 1 on.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i+1)))
	}
	return b.String()
}

// fileDiff is the part of a diff for one file, with n added lines.
func fileDiff(path string, lines int) string {
	return fmt.Sprintf("diff --git a/%s b/%s\nindex 83db48f..bf269f4 100644\n--- a/%s\n+++ b/%s\n@@ -1,2 +1,%d @@ func main()\n first\n%s last\n",
		path, path, path, path, lines+2, repeated(lines, "+\tadded(%d)\n"))
}

// textLines returns the lines of a text as a Writer keeps them.
func textLines(text string) []textscan.Line {
	var lines []textscan.Line
	for _, r := range linesOf(text) {
		lines = append(lines, *r.Line)
	}
	return lines
}

// Every shape in a form that tools print, and what looks like one and is none.
func TestDetectRecognizesShape(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Shape
	}{
		"git diff":              {fileDiff("main.go", 3), Diff},
		"coloured git diff":     {"\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1mindex 1..2 100644\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-a\x1b[m\n\x1b[32m+b\x1b[m\n", Diff},
		"unified diff":          {"--- a.txt\t2026-01-01\n+++ b.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n", Diff},
		"git show":              {"commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nAuthor: A <a@example.com>\nDate:   today\n\n    Fix it\n\n" + fileDiff("a.go", 1), Diff},
		"git log":               {"commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nAuthor: A <a@example.com>\nDate:   today\n\n    Fix it\n", Diff},
		"patch in a mail":       {"From 4b825dc642cb6eb9a060e54bf8d69288fbee4904 Mon Sep 17\nFrom: A\nSubject: [PATCH] x\n---\n" + fileDiff("a.go", 1), Diff},
		"merge":                 {"diff --cc a.go\nindex 1,2..3\n--- a/a.go\n+++ b/a.go\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", Diff},
		"grep -rn":              {repeated(5, "src/a%d.go:12:\tfunc add() {}\n"), Search},
		"grep -rn with context": {repeated(3, "src/a.go-1%d-\tx := 1\nsrc/a.go:2%d:\tfunc add() {}\n--\n"), Search},
		"rg --vimgrep":          {repeated(5, "src/a%d.go:12:3:  func add() {}\n"), Search},
		"rg --heading":          {"src/a.go\n1:func a()\n7:func b()\n\nsrc/b.go\n3:func c()\n4-}\n", Search},
		"grep -c":               {repeated(5, "src/a%d.go:0\n"), Search},
		"gcc":                   {repeated(5, "src/a%d.c:12:3: error: expected ';'\n"), None},
		"go vet":                {repeated(5, "src/a%d.go:12:3: undefined: x\n"), None},
		"times":                 {repeated(5, "2026-11-21T18:%d:58.9Z starting\n"), None},
		"ls -l":                 {"total 8\n" + repeated(6, "-rw-r--r-- 1 root root  104 Nov 21 20:11 file%d.go\n"), Listing},
		"ls -R":                 {".:\nLICENSE\nsrc\n\n./src:\nmain\nlib\n\n./src/lib:\nREADME\n", Listing},
		"find":                  {".\n" + repeated(9, "./src/a%d.go\n"), Listing},
		"tree":                  {".\n├── a\n│   ├── b.go\n│   └── c.go\n├── d\n│   └── e.go\n└── f.go\n\n2 directories, 4 files\n", Listing},
		"words":                 {repeated(9, "word%d\n"), None},
		"kubectl":               {kubectl, Table},
		"docker ps":             {"CONTAINER ID   IMAGE     COMMAND   CREATED      STATUS                    PORTS     NAMES\na1b2c3d4e5f6   nginx     \"nginx\"   2 days ago   Up 2 days                 80/tcp    web\nb1b2c3d4e5f6   redis     \"redis\"   2 days ago   Exited (1) 3 hours ago              cache\n", Table},
		"ps aux":                {"USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nroot           1  0.0  0.1 167664 11112 ?        Ss   Nov20   0:02 /sbin/init\nroot           2  0.0  0.0      0     0 ?        S    Nov20   0:00 [kthreadd]\n", Table},
		"psql":                  {" id | name  | total\n----+-------+-------\n  1 | anna  |    12\n  2 | bert  |     7\n(2 rows)\n", Table},
		"markdown table":        {"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", Table},
		"pip list":              {"Package    Version\n---------- -------\nrequests   2.32.0\nurllib3    2.2.1\n", Table},
		"capitals in a log":     {"BUILD FAILED\nthe build has failed for reasons\nsee the log\nfor more\n", None},
		"JSON object":           {"{\n  \"a\": [1, 2, {\"b\": null}]\n}\n", JSON},
		"compact JSON":          {`[{"a":1},{"a":2}]`, JSON},
		"JSON with more":        {"{\"a\": 1}\ndone\n", None},
		"log with brackets":     {"[INFO] starting\n[WARN] slow\n", None},
		"NDJSON":                {repeated(4, "{\"level\":\"info\",\"n\":%d}\n"), NDJSON},
		"go test -v":            {repeated(3, "=== RUN   TestA%d\n--- PASS: TestA%d (0.00s)\n"), TestReport},
		"pytest":                {"============================= test session starts ==============================\nplatform linux -- Python 3.12.0\nrootdir: /work\ncollected 12 items\n", TestReport},
		"cargo build":           {repeated(4, "   Compiling crate%d v0.1.0\n"), BuildLog},
		"ninja":                 {repeated(1, "[1/9] CC a.o\n[2/9] CC b.o\n") + repeated(3, "ninja: entering %d\n"), BuildLog},
		"panic in Go":           {goTrace, StackTrace},
		"exception in Java":     {javaTrace, StackTrace},
		"exception in Python":   {pythonTrace, StackTrace},
		"trace in a log":        {repeated(30, "step %d is done\n") + pythonTrace, None},
		"markdown":              {markdown, Prose},
		"script with comments":  {"# Build everything.\n\nset -eu\n# Then run it.\nmake all\n./run --fast\n\n# And clean up.\nrm -rf out\nexit 0\n", None},
		"nothing":               {"", None},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "\r\n")} {
				if got := Detect(textLines(text), None); got != c.want {
					t.Errorf("shape %d, want %d, of %.60q", got, c.want, text)
				}
			}
		})
	}
}

// A hint of a caller wins, unless the bytes rule it out.
func TestHintWinsUnlessBytesRuleItOut(t *testing.T) {
	for name, c := range map[string]struct {
		text       string
		hint, want Shape
	}{
		"a diff that begins otherwise": {"some words\n" + fileDiff("a.go", 2), Diff, Diff},
		"no diff at all":               {"fatal: not a git repository\n", Diff, None},
		"a search without a match":     {"grep: x: No such file\n", Search, None},
		"no JSON":                      {"<html>\n", JSON, None},
		"names without endings":        {repeated(9, "word%d\n"), Listing, Listing},
		"text called binary":           {kubectl, Binary, Table},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Detect(textLines(c.text), c.hint); got != c.want {
				t.Errorf("shape %d, want %d", got, c.want)
			}
		})
	}
}
