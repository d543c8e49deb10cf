package preview_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

func readable(t failer, text string) *preview.JSON {
	j, err := preview.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return j
}

// Indentation is for readers: a hostile nesting does not multiply the text.
func TestNestingDoesNotMultiplyTheText(t *testing.T) {
	for name, text := range map[string]string{
		"deep":          strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"deep and wide": strings.Repeat("[", 60) + strings.Repeat("[[1]],", 50_000) + "1" + strings.Repeat("]", 60),
	} {
		t.Run(name, func(t *testing.T) {
			j := readable(t, text)
			if n := len(j.Text()); n > 5*len(text)+1<<17 {
				t.Errorf("%d bytes of %d", n, len(text))
			}
			checkJSON(t, text, budgetOf(500))
		})
	}
}

func budgetOf(n int) preview.Budget {
	return preview.Budget{Tokens: n, Lines: preview.NoLimit, Bytes: preview.NoLimit, LineBytes: 2000}
}

func records(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"id":%d,"name":"record number %d","tags":["a","b"]}`, i, i)
	}
	return "[" + b.String()[1:] + "]"
}

// A line between two that are shown makes their mark superfluous, and its tokens count all the same.
func TestLineOfJSONBetweenTwoIsPaidFor(t *testing.T) {
	text := `["` + strings.Repeat(`AaA\u0026\u003cǅʰǅ\u0000","`, 2) + `AaA\u0026\u003cǅʰǅ\u0000"]`
	for lines := range 16 {
		for n := 20; n < 240; n++ {
			b := budgetOf(n)
			b.Lines, b.LineBytes = lines+1, 80
			checkJSON(t, text, b)
		}
	}
}

func TestJSONIsCutByValue(t *testing.T) {
	text := `{"total":250,"log":"` + strings.Repeat("words of a log ", 2000) + `","items":` + records(250) + `,"next":"cursor_2"}`
	p := checkJSON(t, text, budgetOf(600))
	for _, want := range []string{`"total": 250`, `"log": "words`, `"id": 0`, `"next": "cursor_2"`} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is hidden in\n%s", want, p.Text)
		}
	}
	if n := tokens.Estimate().Count(p.Text); n < 400 {
		t.Errorf("%d tokens of 600 are used\n%s", n, p.Text)
	}
	if !strings.HasSuffix(p.Text, "  ],\n  \"next\": \"cursor_2\"\n}\n") {
		t.Errorf("nesting is not closed:\n%s", p.Text)
	}
	var counted *preview.Cut
	for i := range p.Cuts {
		if p.Cuts[i].TotalValues == 250 {
			counted = &p.Cuts[i]
		}
	}
	if shown := int64(strings.Count(p.Text, `"id"`)); counted == nil || counted.OmittedValues+shown != 250 {
		t.Errorf("%d are shown, the cut is %+v", shown, counted)
	}
}

func TestSelectionOfJSON(t *testing.T) {
	giant := strings.Repeat("y", 5000)
	for _, c := range []struct {
		name, text string
		tokens     int
		shows      []string
	}{
		{"the first element is shrunk", `[{"a":"` + giant + `","b":2},{"a":3}]`, 200, []string{`"b": 2`, `"a": "yyyy`}},
		{"a small one before a giant one", `[{"a":1},{"b":"` + giant + `","c":[1,2]}]`, 300, []string{`"a": 1`, `"b": "yyyy`, `"c": [1, 2]`}},
		{"a giant scalar", `"` + giant + `"`, 100, []string{`"yyyy`, `yy"`}},
		{"deep in", strings.Repeat(`{"k":[`, 20) + records(100) + strings.Repeat(`]}`, 20), 700, []string{`"id": 0`}},
		{"many members", `{` + strings.Repeat(`"k":{"v":[1,2,3]},`, 500) + `"z":1}`, 200, []string{`"k": {`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := checkJSON(t, c.text, budgetOf(c.tokens))
			for _, want := range c.shows {
				if !strings.Contains(p.Text, want) {
					t.Errorf("%q is hidden in\n%s", want, p.Text)
				}
			}
		})
	}
}

// checkJSON selects, and checks the ledger, the budget and the nesting.
func checkJSON(t failer, text string, b preview.Budget) *preview.Preview {
	j := readable(t, text)
	p := j.Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 25})
	checkLedger(t, j.Text(), p)
	checkFits(t, p, b)
	if diff := cmp.Diff(p, j.Select(b, tokens.Estimate(), preview.Hints{HeadPercent: 25})); diff != "" {
		t.Fatalf("asked again: %s", diff)
	}
	checkNesting(t, j.Text(), p)
	return p
}

// checkNesting checks by the lines of the payload that what is omitted between
// two lines are whole values.
func checkNesting(t failer, text []byte, p *preview.Preview) {
	if p.Text == "" {
		return
	}
	for _, c := range p.Cuts {
		if c.Kind != preview.CutMiddle {
			if c.TotalValues != 0 {
				t.Fatalf("cut %+v is of a container", c)
			}
			continue
		}
		out := bytes.TrimSuffix(bytes.TrimSpace(text[c.ByteStart:c.ByteEnd]), []byte(","))
		open, array, object := text[:c.ByteStart], []byte("["+string(out)+"]"), []byte("{"+string(out)+"}")
		values := countValues(array) + countValues(object)
		if c.TotalValues == 0 && json.Valid(object) { // of an object that is no list
			values = 0
		}
		if len(open) == 0 || json.Valid(array) == json.Valid(object) || int64(values) != c.OmittedValues || c.TotalValues < c.OmittedValues {
			t.Fatalf("cut %+v with %d values leaves out %q", c, values, out)
		}
	}
}

// countValues counts the values of a container, 0 if it is none.
func countValues(text []byte) int {
	var array []json.RawMessage
	if json.Unmarshal(text, &array) == nil {
		return len(array)
	}
	if !json.Valid(text) {
		return 0
	}
	dec, n := json.NewDecoder(bytes.NewReader(text)), 0
	_, _ = dec.Token()
	for ; dec.More(); n++ {
		var v json.RawMessage
		_, _ = dec.Token()
		_ = dec.Decode(&v)
	}
	return n
}

// sameTokens checks that two texts are the same JSON value, token by token.
func sameTokens(t failer, a, b []byte) {
	x, y := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	x.UseNumber()
	y.UseNumber()
	for {
		i, err := x.Token()
		k, other := y.Token()
		if i != k || !errors.Is(err, other) {
			t.Fatalf("%v, %v and %v, %v in %q and %q", i, err, k, other, a, b)
		}
		if errors.Is(err, io.EOF) {
			return
		}
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

func TestJSONLedgerAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := jsonTexts().Draw(t, "text")
		sameTokens(t, []byte(text), readable(t, text).Text())
		checkJSON(t, text, budgets().Draw(t, "budget"))
	})
}

// A larger budget does not show half as much or less. (It may show a little less:
// where a value is cut in another way, a mark can cost more than it saves.)
func TestJSONGrowsWithItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := jsonTexts().Draw(t, "text")
		last := int64(0)
		for _, n := range []int{50, 100, 200, 400, 800, 1600} {
			p := checkJSON(t, text, budgetOf(n))
			if p.VisibleBytes() < last/2-2*80 {
				t.Fatalf("%d bytes at %d tokens, %d before", p.VisibleBytes(), n, last)
			}
			last = p.VisibleBytes()
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		"1", `""`, `{"a":[1,2,{"b":null}],"c":"\u001b"}`, records(60), strings.Repeat("[", 64) + strings.Repeat("]", 64), "[\xff\"\xff\"]", "[\"\xff\xe2\x80\xa8\"]",
		strings.Repeat(`{"a":[`, 32) + `"` + strings.Repeat("z", 900) + `"` + strings.Repeat("]}", 32), `{"a":1,"a":2}`,
	} {
		f.Add(seed, uint16(100), uint16(20))
	}
	f.Fuzz(func(t *testing.T, text string, n, lines uint16) {
		j, err := preview.ParseJSON([]byte(text))
		if err != nil {
			return
		}
		sameTokens(t, []byte(text), j.Text())
		b := budgetOf(int(n))
		checkJSON(t, text, b)
		b.Lines, b.LineBytes = int(lines), 80
		checkJSON(t, text, b)
	})
}
