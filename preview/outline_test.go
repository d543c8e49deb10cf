package preview_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/tokens"
)

// outline reads JSON for a budget of 1000 tokens.
func outline(t failer, text string) *preview.Outline {
	o, err := preview.ParseOutline([]byte(text), 1000)
	if errors.Is(err, records.ErrNotJSON) && json.Valid([]byte(text)) {
		return nil // it is empty
	}
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return o
}

// budgetOf is a budget of tokens alone.
func budgetOf(n int) preview.Budget {
	return preview.Budget{Tokens: n, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
}

// checkOutline selects, and checks the ledger and the budget.
func checkOutline(t failer, text string, b preview.Budget) *preview.Preview {
	o := outline(t, text)
	if o == nil {
		return nil
	}
	p := o.Select(b, tokens.Estimate(), preview.Hints{})
	checkLedger(t, o.Text(), p)
	checkFits(t, p, b)
	if diff := cmp.Diff(p, outline(t, text).Select(b, tokens.Estimate(), preview.Hints{})); diff != "" {
		t.Fatalf("asked again: %s", diff)
	}
	if n := len(o.Text()); n > 3*len(text)+1<<13 {
		t.Fatalf("%d bytes of %d", n, len(text))
	}
	return p
}

// An object of Kubernetes says its states before what its managers noted.
func TestObjectIsReadByItsLeaves(t *testing.T) {
	pod := `{"kind":"Pod","metadata":{"name":"web-1","managedFields":[{"manager":"kubelet","fieldsV1":{"f:status":{"f:phase":{}}}}],"resourceVersion":"7"},
	"spec":{"nodeName":"node-2","containers":[{"name":"web","image":"shop/web:1.2","args":["--port","80"]}]},
	"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady"}],
	"containerStatuses":[{"name":"web","restartCount":17,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`
	const want = `kind: Pod
metadata: name: web-1
spec: nodeName: node-2
spec.containers[0]: name: web, image: shop/web:1.2, args: --port, 80
status: phase: Running
status.conditions[0]: reason: ContainersNotReady, type: Ready, status: False
status.containerStatuses[0]: name: web, restartCount: 17
status.containerStatuses[0].state: waiting.reason: CrashLoopBackOff
left out: managedFields, resourceVersion
`
	if got := string(outline(t, pod).Text()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A list of records inside an object has its keys once, and a text of several lines has its lines.
func TestListsAndTextsInObjects(t *testing.T) {
	text := `{"job":"build","log":"step 1\nerror: no space left on device\nstep 2\n","items":` + recordList(40) + `,"cells":[{"source":["import os\n","os.getcwd()"]},{"source":[]}]}`
	got := string(outline(t, text).Text())
	for _, want := range []string{"log: step 1\nerror: no space left on device\nstep 2\n", "items: 40 rows", "\nid\tname\n0\trecord number 0\n", "cells[0].source: import os\nos.getcwd()\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if p := checkOutline(t, text, budgetOf(120)); !strings.Contains(p.Text, "no space left") {
		t.Errorf("the error is hidden in\n%s", p.Text)
	}
}

// What somebody looks for comes before other lines.
func TestFocusOnAnOutline(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, `,"service%d":{"port":%d,"owner":"team %d","zone":{"a":"%s"}}`, i, 8000+i, i%7, strings.Repeat("x", 60))
	}
	o := outline(t, "{"+b.String()[1:]+"}")
	p := o.Select(budgetOf(200), tokens.Estimate(), preview.Hints{Focus: "Which port has service47?"})
	if !strings.Contains(p.Text, "port: 8047") {
		t.Errorf("the port is hidden in\n%s", p.Text)
	}
}

// A path is longer than its values: a hostile nesting does not multiply the text.
func TestNestingDoesNotMultiplyTheText(t *testing.T) {
	key := strings.Repeat("k", 900)
	for name, text := range map[string]string{
		"deep":          strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"deep and wide": strings.Repeat("[", 60) + strings.Repeat("[[1]],", 50_000) + "1" + strings.Repeat("]", 60),
		"long keys":     strings.Repeat(`{"`+key+`":`, 50) + "[" + strings.Repeat(`{"a":{"b":{"c":{"d":1}}}},[2],`, 20_000) + "1]" + strings.Repeat("}", 50),
	} {
		t.Run(name, func(t *testing.T) { checkOutline(t, text, budgetOf(500)) })
	}
}

func jsonTexts() *rapid.Generator[string] {
	scalars := rapid.OneOf(
		rapid.SampledFrom([]string{
			"null", "true", "0", "12345678901234567890", "1e999", `""`, `"a\nb"`, `"\u001b[31m"`, `"stdout:"`, "\"\u2028\u202e\u200b\"", "\"\x7f\"", `"\ud800"`,
			`"[lines 3-9 left out: 7 lines, 70 bytes]"`, `"` + strings.Repeat("long ", 300) + `"`, `"` + strings.Repeat("é", 200) + `"`,
		}),
		rapid.Map(rapid.String(), func(s string) string { b, _ := json.Marshal(s); return string(b) }),
	)
	space := rapid.SampledFrom([]string{"", "", " ", "\r\n\t"})
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kind := rapid.IntRange(0, 4).Draw(t, "kind")
			if depth == 0 || kind == 0 {
				return space.Draw(t, "space") + scalars.Draw(t, "scalar")
			}
			var list []string
			for i := range rapid.IntRange(0, 5).Draw(t, "n") {
				v := value(depth-1).Draw(t, "value")
				if kind%2 == 0 {
					v = fmt.Sprintf("%q%s:%s", fmt.Sprint("key", i), space.Draw(t, "space"), v)
				}
				list = append(list, v)
			}
			if len(list) > 0 && len(list[0]) < 2000 { // much of the same, but not of much
				for range rapid.SampledFrom([]int{0, 0, 0, 2, 90}).Draw(t, "times") {
					list = append(list, list[0])
				}
			}
			if kind%2 == 0 {
				return "{" + strings.Join(list, ",") + space.Draw(t, "space") + "}"
			}
			return "[" + strings.Join(list, ","+space.Draw(t, "space")) + "]"
		})
	}
	return rapid.Custom(func(t *rapid.T) string { return value(rapid.IntRange(0, 4).Draw(t, "depth")).Draw(t, "json") })
}

// Every scalar that is not empty and has a key that says something is in the outline, as text.
func TestOutlineKeepsScalars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{5,12}`), 1, 30).Draw(t, "words")
		var value func(words []string, depth int) any
		value = func(words []string, depth int) any {
			if len(words) == 1 || depth == 0 {
				return strings.Join(words, " ")
			}
			at := rapid.IntRange(1, len(words)-1).Draw(t, "at")
			one, two := value(words[:at], depth-1), value(words[at:], depth-1)
			if rapid.Bool().Draw(t, "list") {
				return []any{one, two}
			}
			return map[string]any{"first": one, "second": two}
		}
		text, err := json.Marshal([]any{value(words, 5), "x"})
		if err != nil {
			t.Fatal(err)
		}
		got := string(outline(t, string(text)).Text())
		for _, w := range words {
			if !strings.Contains(got, w) {
				t.Fatalf("%q is missing in\n%s\nof %s", w, got, text)
			}
		}
	})
}

func TestOutlineLedgerAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkOutline(t, jsonTexts().Draw(t, "text"), budgets().Draw(t, "budget")) })
}

func FuzzOutline(f *testing.F) {
	for _, seed := range []string{
		"1", `""`, `{"a":[1,2,{"b":null}],"c":"\u001b"}`, recordList(60), strings.Repeat("[", 64) + strings.Repeat("]", 64), "[\"\xff\xe2\x80\xa8\"]",
		strings.Repeat(`{"a":[`, 32) + `"` + strings.Repeat("z", 900) + `"` + strings.Repeat("]}", 32), `{"a":1,"a":2}`, `{"t":"a\nb\u0000\nc","l":["x\n","y"]}`,
	} {
		f.Add(seed, uint16(100), uint16(20))
	}
	f.Fuzz(func(t *testing.T, text string, n, lines uint16) {
		if _, err := preview.ParseOutline([]byte(text), 1000); err != nil || !utf8.ValidString(text) {
			return
		}
		b := budgetOf(int(n))
		checkOutline(t, text, b)
		b.Lines, b.LineBytes = int(lines), 80
		checkOutline(t, text, b)
	})
}
