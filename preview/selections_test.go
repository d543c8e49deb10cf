package preview_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

var updateSelections = flag.Bool("update", false, "write testdata/selections.txt again")

// selectable is what all excerpts have.
type selectable interface {
	Select(b preview.Budget, c tokens.Counter, f preview.Hints) *preview.Preview
}

// counted is n texts with their number.
func counted(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

// words is a line of n words.
func words(n int) string { return strings.Repeat("word ", n) + "end" }

// selectionPayloads are payloads of each kind that a selection treats in its own way, by name.
func selectionPayloads(t *testing.T) map[string]selectable {
	t.Helper()
	work := func(n int) string { return counted(n, "step %d of the work is being done in a place of its own\n") }
	middle := work(700) + "a line before it\nerror: these failed:\n\tthe first\n\tthe second\n" + work(600) + "--- FAIL: TestX (0.01s)\n    x_test.go:7: no\n" + words(5000) + "\n" + work(500) +
		strings.Repeat("warning: look at this\n", 40) + work(300) + "12 passed, 1 failed\n" + work(300) + "fatal: " + words(5000) + "\r\n" + work(400) + "exit status 1\n"
	rules, err := linerule.New([]string{`^result of`}, []string{`^step`}, []string{`^total:`})
	if err != nil {
		t.Fatal(err)
	}
	ruled := work(40) + "result of it\nerror: no\n" + work(9) + "total: 3\nother\n" + work(30)
	json := func(text string) selectable {
		j, err := preview.ParseOutline([]byte(text), 2000)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	giant := strings.Repeat("y", 3000)
	sources := map[string]string{
		"log":            work(30) + "error: it broke\nmore of it\n" + work(30) + "warning: old\n" + work(20) + "exit status 2\n",
		"middle":         middle,
		"times":          counted(90, "2026-01-02T03:04:05Z [worker] request %d is answered\n") + "12:00:00 short\n",
		"repeats":        strings.Repeat("waiting for it\n", 30) + "done\n" + strings.Repeat("ping\npong is back\n", 20) + counted(20, "retry %d of it\n"),
		"long lines":     words(300) + "\n" + words(90) + "\nerror: " + words(500) + "\n" + words(40) + "\n\n" + words(60) + "\n",
		"one long line":  words(2000),
		"wide runes":     strings.Repeat("漢字 and 👩\u200d🚀 ", 300) + "\n" + strings.Repeat("é", 500) + "\n",
		"redrawn":        "10%\r 20%\r100%\nwait |\b/\b-\bdone\n\x1b[31mred\x1b[0m\n\x00\x00\x00\xff\u202ehidden\n" + counted(40, "line %d\r\n") + "\x1b[2K\x1b[1G50%\x1b[2K\x1b[1G60%\n",
		"short lines":    counted(400, "%d\n"),
		"empty lines":    strings.Repeat("\n", 90) + "x\n" + strings.Repeat(" \n", 90),
		"one line":       "hello",
		"nothing":        "",
		"binary":         strings.Repeat("\x00\x01\x02\xff", 4000),
		"diff":           fileDiff("a.go", 30) + fileDiff("go.sum", 40) + fileDiff("b.go", 5),
		"search":         counted(60, "src/file.go:%d:\tfound it here\n") + counted(60, "src/other.go:%d:\tand here\n"),
		"listing":        counted(80, "./src/file%d.go\n") + counted(80, "./node_modules/a/b%d.js\n"),
		"table":          kubectl + counted(120, "web-%d    1/1    Running    0    5d\n"),
		"trace":          "said before\n" + goTrace + javaTrace,
		"ndjson":         counted(60, `{"level":"info","n":%d}`+"\n") + `{"level":"error","msg":"no disk"}` + "\n" + counted(60, `{"level":"info","n":%d}`+"\n"),
		"scattered gaps": counted(30, "error: number %d is of its own kind\nx\ny\n") + counted(30, "error: part %d\n1\n2\n3\n4\n"),
	}
	list := map[string]selectable{
		"json records":     json(`{"total":60,"log":"` + words(400) + `","items":` + recordList(60) + `,"next":"cursor_2"}`),
		"json giant":       json(`[{"a":1},{"b":"` + giant + `","c":[1,2]},"` + giant + `"]`),
		"json giant key":   json(`{"` + giant + `":1,"b":[1,2,3]}`),
		"json scalar":      json(`"` + giant + `"`),
		"json deep":        json(strings.Repeat(`{"k":[`, 20) + recordList(20) + strings.Repeat(`]}`, 20)),
		"json members":     json(`{` + strings.Repeat(`"name":{"v":[1,2,3],"title":"x","pad":"`+strings.Repeat("z", 90)+`"},`, 40) + `"z":1}`),
		"json small":       json(`{"a":[1,2,{"b":"c"}]}`),
		"json short lists": json(`[` + strings.Repeat(`[1,2,"`+strings.Repeat("z", 90)+`",3],`, 30) + `[]]`),
		"ruled":            preview.FromCommand([]byte(ruled), 2000, rules),
		"file with CR":     preview.FromFile([]byte(counted(60, "a\rb %d of the file\n")), 2000),
	}
	for name, text := range sources {
		list[name] = preview.FromBytes([]byte(text), 2000)
		w := preview.NewWriter(300) // small windows: most is passed over
		w.Watch(rules)
		for rest := []byte(text); len(rest) > 0; {
			n := min(len(rest), 5000)
			_, _ = w.Write(rest[:n])
			rest = rest[n:]
		}
		list[name+", streamed"] = w.Finish()
	}
	return list
}

// TestSelectionsStayTheSame compares the preview of every payload at every budget with the one written before it, by a digest of text,
// segments and cuts: a row has those of one payload and hints, by index of the budget. Receipts and caches of prompts depend on them, so a change must be meant; -update writes it.
func TestSelectionsStayTheSame(t *testing.T) {
	t.Parallel()
	var known = map[string]preview.Hints{
		"": {HeadPercent: 25}, " of success": {HeadPercent: 50, Succeeded: true}, " from the start": {HeadPercent: 100},
		" of a range": {Range: true}, " of the end of a range": {Range: true, FromEnd: true}, " of a diff": {HeadPercent: 25, Shape: shape.Diff},
	}
	var budgets []preview.Budget
	for _, n := range []int{0, 1, 6, 13, 20, 27, 36, 50, 64, 75, 90, 120, 160, 220, 300, 450, 700, 1100, 2000} {
		budgets = append(budgets, preview.Budget{Tokens: n, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000})
	}
	budgets = append(budgets,
		preview.Budget{Tokens: 300, Lines: 5, Bytes: preview.NoLimit, LineBytes: 2000}, preview.Budget{Tokens: 900, Lines: 20, Bytes: preview.NoLimit, LineBytes: 200},
		preview.Budget{Tokens: 900, Lines: preview.NoLimit, Bytes: 400, LineBytes: 90}, preview.Budget{Tokens: 300, Lines: preview.NoLimit, Bytes: 1500, LineBytes: 400, BeforeTokens: 2, BeforeBytes: 5})
	var got bytes.Buffer
	payloads := selectionPayloads(t)
	for _, name := range sorted(payloads) {
		for _, hints := range sorted(known) {
			fmt.Fprintf(&got, "%s%s:", name, hints)
			for i, b := range budgets {
				if hints != "" && b.Tokens != 64 && b.Tokens != 300 {
					continue
				}
				p := payloads[name].Select(b, tokens.Estimate(), known[hints])
				sum := sha256.Sum256(fmt.Appendf(nil, "%+v", *p))
				fmt.Fprintf(&got, " %d=%x", i, sum[:4])
			}
			got.WriteByte('\n')
		}
	}
	const file = "testdata/selections.txt"
	if *updateSelections {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Fatalf("of the budgets, by index, not all are as before:\n got %s\nwant %s", line, append(lines, "nothing")[min(i, len(lines))])
		}
	}
}

// A range that may be a log is one of the payload's own text: logs and data are ranked, and every other text is shown as
// it is.
func TestRangeOfALog(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("copying one file to another\nwhile a third is checked\n", 150)
	log := noise + "src/a.c:12:3: error: expected ';'\nmake: *** [Makefile:7: test] Error 2\n" + noise
	report := strings.Repeat("=== RUN   TestA\n--- FAIL: TestA (0.00s)\n", 40) + noise
	data := `[` + strings.Repeat("{\"error\": \"make: *** Error 2\"},\n", 300) + "{}]\n"
	b := preview.Budget{Tokens: 100, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
	table := "NAME    STATUS    AGE\n" + strings.Repeat("web-1   healthy   3d\n", 200) + "web-2   unhealthy 3d\n" + strings.Repeat("web-1   healthy   3d\n", 200)
	values := strings.Repeat("host4 took 31 ms\n", 200) + "host5 did not answer in time\n" + strings.Repeat("host6 took 28 ms\n", 200)
	prose := strings.Repeat("# Of ships\n\nA ship sails on water as long as the wind blows from behind it.\nIt has one mast, at least.\n\n", 80)
	code := strings.ReplaceAll(log, "another\n", "another\nf(x);\n")
	for text, ranked := range map[string]bool{log: true, report: true, data: true, table: true, values: true, noise: false, code: false, prose: false} {
		for _, fromEnd := range []bool{false, true} {
			show := func(f preview.Hints) string {
				return preview.FromBytes([]byte(text), 100).Select(b, tokens.Estimate(), f).Text
			}
			want := show(preview.Hints{Range: true, FromEnd: fromEnd})
			if ranked {
				want = show(preview.Hints{})
			}
			if got := show(preview.Hints{Range: true, FromEnd: fromEnd, MaybeLog: true}); got != want {
				t.Errorf("%.20q: got\n%s\nwant\n%s", text, got, want)
			}
		}
	}
}

// sorted returns the keys of a map.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// recordList is a list of n records in JSON.
func recordList(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"id":%d,"name":"record number %d","tags":["a","b"]}`, i, i)
	}
	return "[" + b.String()[1:] + "]"
}
