package preview_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

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

// Payloads of some shapes, which the tests of package shape use too.
var (
	goTrace     = fixture("go_trace.txt")
	javaTrace   = fixture("java_trace.txt")
	pythonTrace = fixture("python_trace.txt")
	kubectl     = fixture("kubectl.txt")
	markdown    = fixture("prose.md")
)

func fixture(name string) string {
	text, err := os.ReadFile("shape/testdata/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// structured has large payloads, each with something that matters in its middle.
func structured() (diff, search, listing, rows, lines *strings.Builder) {
	diff, search, listing, rows, lines = new(strings.Builder), new(strings.Builder), new(strings.Builder), new(strings.Builder), new(strings.Builder)
	diff.WriteString(fileDiff("package-lock.json", 400))
	for i := range 12 {
		diff.WriteString(fileDiff(fmt.Sprintf("src/file%d.go", i), 30))
		search.WriteString(repeated(80, fmt.Sprintf("src/file%d.go:%%d:\tfound(%%d)\n", i)))
	}
	diff.WriteString("diff --git a/logo.png b/logo.png\nindex 1111111..2222222 100644\nBinary files a/logo.png and b/logo.png differ\n")
	diff.WriteString("diff --git a/old.go b/new.go\nsimilarity index 100%\nrename from old.go\nrename to new.go\n")
	listing.WriteString(".:\ntotal 9\n" + repeated(60, "file%d.go\n") + "\n./node_modules:\ntotal 7\n" + repeated(900, "dep%d.js\n") + "\n./src:\ntotal 8\n" + repeated(60, "main%d.go\n"))
	rows.WriteString("NAME                 READY   STATUS      RESTARTS   AGE\n")
	for i := range 400 {
		state := "Running  "
		if i == 300 {
			state = "OOMKilled"
		}
		fmt.Fprintf(rows, "web-%-16d 1/1     %s   0          5d\n", i, state)
		level := "info"
		if i == 300 {
			level = "error"
		}
		fmt.Fprintf(lines, `{"time":"2026-11-21T10:00:00Z","level":%q,"msg":"request %d is done","status":200}`+"\n", level, i)
	}
	return diff, search, listing, rows, lines
}

// Where little fits, a payload shows the lines that its shape is made of.
func TestShapeShowsItsStructure(t *testing.T) {
	diff, search, listing, rows, lines := structured()
	trace := javaTrace + strings.Repeat("\tat java.base/java.lang.Thread.run(Thread.java:1583)\n", 200) + "Caused by: java.lang.Error: the last one\n\tat com.acme.Deep.er(Deep.java:3)\n"
	for name, c := range map[string]struct {
		text   string
		tokens int
		shape  shape.Shape
		shows  []string
		hides  string
	}{
		"diff": {diff.String(), 900, shape.Diff,
			[]string{"a/package-lock.json", "a/src/file0.go", "a/src/file11.go", "Binary files", "rename from", "rename to", "+\tadded(1)"}, "added(400)"},
		"search": {search.String(), 600, shape.Search, []string{"src/file0.go:1:", "src/file11.go:1:"}, "found(80)"},
		"listing": {listing.String(), 300, shape.Listing,
			[]string{".:\n", "./node_modules:\n", "./src:\n", "total 8", "file1.go", "main1.go"}, "dep900.js"},
		"table":  {rows.String(), 200, shape.Table, []string{"NAME  ", "web-300 ", "web-0 "}, "web-350 "},
		"NDJSON": {lines.String(), 300, shape.NDJSON, []string{"request 300 is", "request 398 is", "request 399 is"}, "request 200 is"},
		"trace": {trace, 200, shape.StackTrace,
			[]string{"order 7 is closed", "Orders.java:41", "Caused by: java.io", "Store.java:88", "the last one", "Deep.java:3"}, ""},
		"prose": {markdown + repeated(300, "Sentences number %d says what the one before it did not say.\n") + "\n## Last\n\nThe end of it is said here, in a sentence of its own.\n", 300, shape.Prose,
			[]string{"# Widget", "never loses", "## Installing", "## Last"}, "number 250"},
	} {
		t.Run(name, func(t *testing.T) {
			p := preview.FromBytes([]byte(c.text), c.tokens).Select(budgetOf(c.tokens), tokens.Estimate(), preview.Hints{HeadPercent: 25})
			checkLedger(t, []byte(c.text), p)
			checkFits(t, p, budgetOf(c.tokens))
			if p.Shape != c.shape {
				t.Errorf("shape %d", p.Shape)
			}
			for _, want := range c.shows {
				if !strings.Contains(p.Text, want) {
					t.Errorf("%q is hidden", want)
				}
			}
			if c.hides != "" && strings.Contains(p.Text, c.hides) {
				t.Errorf("%q is shown", c.hides)
			}
			for _, s := range p.Segments {
				if s.Reason == 0 || s.Score < 1 || s.Score > 100 {
					t.Errorf("segment without a reason: %+v", s)
				}
			}
			if t.Failed() {
				t.Log(p.Text)
			}
		})
	}
}

// shapedPayloads generates payloads of all shapes, larger than small windows, with lines of other kinds in between.
func shapedPayloads() *rapid.Generator[string] {
	parts := []string{
		fileDiff("a.go", 9), fileDiff("b/c.go", 40), "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n", "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nAuthor: A\n\n    Subject\n\n",
		repeated(30, "src/a%d.go:12:\tfound\n"), "--\n", "src/a.go-3-beside\n", "src/b.go\n3:func c()\n4-}\n\n", repeated(30, "./src/a%d.go\n"), "./src/lib:\ntotal 12\n",
		"├── a\n│   ├── b\n│   │   └── c\n", kubectl, " id | name\n----+-----\n", goTrace, javaTrace, pythonTrace, markdown, repeated(9, "{\"level\":\"error\",\"n\":%d}\n"),
		"\n", "error: it failed\n", "\x1b[31mred\x1b[0m\n", strings.Repeat("long ", 300) + "\n", "12%\r13%\n", "@@ -1,400 +1,400 @@\n", "@@ -\n", "\xff\xfe\n", "--- a\n", "+++ b\n", "a:\n", ":", "no line end",
	}
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 60), func(list []string) string { return strings.Join(list, "") })
}

func shapes() *rapid.Generator[shape.Shape] {
	return rapid.Map(rapid.IntRange(0, int(shape.Prose)), func(n int) shape.Shape { return shape.Shape(n) })
}

// Whatever the shape is said to be, the ledger adds up, and one write gives what many do.
func TestShapesKeepTheLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload, budget := []byte(shapedPayloads().Draw(t, "payload")), budgets().Draw(t, "budget")
		f := preview.Hints{HeadPercent: 25, Shape: shapes().Draw(t, "shape")}
		p := preview.FromBytes(payload, 200).Select(budget, tokens.Estimate(), f)
		checkLedger(t, payload, p)
		checkFits(t, p, budget)
		if len(p.Text) > len(payload)+3*bytes.Count(payload, []byte{0xff})+8 {
			t.Fatalf("%d bytes of %d", len(p.Text), len(payload))
		}
	})
}

// The window of a structured payload grows in the same way however its bytes come, and small ones have all lines.
func TestStructureIsSeenInTheMiddle(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		text.WriteString(fileDiff(fmt.Sprintf("f%d.go", i), 60))
	}
	payload := []byte(text.String())
	budget := budgetOf(6000)
	want := preview.FromBytes(payload, 1000).Select(budget, tokens.Estimate(), preview.Hints{})
	if n := strings.Count(want.Text, "diff --git"); n < 170 {
		t.Errorf("%d of 300 files are named", n)
	}
	w := preview.NewWriter(1000)
	for rest := payload; len(rest) > 0; rest = rest[min(len(rest), 777):] {
		_, _ = w.Write(rest[:min(len(rest), 777)])
	}
	if diff := cmp.Diff(want, w.Finish().Select(budget, tokens.Estimate(), preview.Hints{})); diff != "" {
		t.Errorf("writes matter: %s", diff)
	}
	checkLedger(t, payload, want)
}

// The first MiB of a structured payload is all that is kept of its middle.
func TestStructureIsBounded(t *testing.T) {
	for name, line := range map[string]string{"listing": "./a/b.go\n", "short lines": "/a\n"} {
		t.Run(name, func(t *testing.T) {
			w := preview.NewWriter(2000)
			_, _ = w.Write([]byte(repeated(900, "./src/dir/file%d.go\n")))
			chunk := bytes.Repeat([]byte(line), 100_000/len(line))
			for range 60 {
				_, _ = w.Write(chunk)
			}
			if n := testing.AllocsPerRun(50, func() { _, _ = w.Write(chunk) }); n > 1 {
				t.Errorf("%v allocations a write", n)
			}
		})
	}
}

func FuzzShape(f *testing.F) {
	for _, seed := range []string{
		fileDiff("a.go", 30), kubectl + kubectl, goTrace, javaTrace, pythonTrace, markdown, repeated(30, "src/a%d.go:12:\tfound\n"), repeated(30, "./src/a%d.go\n"),
		repeated(9, "{\"level\":\"error\",\"n\":%d}\n"), "├── a\n│   └── b\n", "@@ -1,99999999999999999999 +1 @@\n+", "{\"a\":[", "src/b.go\n3:func c()\n4-}\n\n",
	} {
		f.Add([]byte(seed), uint8(0), uint16(60))
	}
	f.Fuzz(func(t *testing.T, payload []byte, hint uint8, n uint16) {
		hints := preview.Hints{HeadPercent: 25, Shape: shape.Shape(hint % (uint8(shape.Prose) + 1))}
		b := budgetOf(int(n))
		p := preview.FromBytes(payload, 100).Select(b, tokens.Estimate(), hints)
		checkLedger(t, payload, p)
		checkFits(t, p, b)
		if got := preview.FromBytes(payload, 100).Shape(preview.Hints{}); got == shape.NDJSON && !json.Valid(payload[:bytes.IndexByte(append(payload, '\n'), '\n')]) && bytes.IndexByte(payload, '\n') > 0 && bytes.IndexByte(payload, '\n') < 100 && !bytes.Contains(payload[:bytes.IndexByte(payload, '\n')], []byte{'\r'}) {
			t.Logf("called NDJSON: %.100q", payload)
		}
	})
}

// BenchmarkShape measures the detection of a shape.
func BenchmarkShape(b *testing.B) {
	for name, text := range map[string]string{
		"log": repeated(200, "2026-11-21T10:00:00Z [worker-%d] compiling internal/mod/file.go (cached=true)\n"), "diff": fileDiff("a.go", 200),
		"listing": repeated(300, "./src/a%d.go\n"), "JSON": "[" + strings.Repeat(`{"id":1,"name":"x"},`, 500) + "1]", "table": kubectl + repeated(90, "web-%d  1/1  Running  0  5d\n"),
	} {
		b.Run(name, func(b *testing.B) {
			e := preview.FromBytes([]byte(text), 4000)
			b.ReportAllocs()
			for hint := shape.Binary; b.Loop(); hint ^= shape.Binary { // what was seen last is known
				e.Shape(preview.Hints{Shape: hint})
			}
		})
	}
}
