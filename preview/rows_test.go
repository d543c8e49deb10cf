package preview_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

func rowsOf(t failer, text string) *preview.Rows {
	r, err := preview.ParseRows([]byte(text))
	if err != nil || r == nil {
		t.Fatalf("%v, %v: %q", r, err, text)
	}
	return r
}

// records of a service that answers, of which some did not.
func requests(n int, failed ...int) string {
	var b strings.Builder
	for i := range n {
		line := fmt.Sprintf(`{"id":%d,"status":"ok","path":"/items/%d","took":{"ms":%d,"db":%d}}`, i, i*37%91, i%31, i%7)
		for _, f := range failed {
			if f == i {
				line = fmt.Sprintf(`{"id":%d,"status":"error","path":"/items/%d","took":{"ms":%d,"db":0},"error":"connection lost"}`, i, i*37%91, 5000+i)
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// checkRows selects, and checks the ledger, the budget, and that rows are whole.
func checkRows(t failer, text string, b preview.Budget) *preview.Preview {
	r := rowsOf(t, text)
	p := r.Select(b, tokens.Estimate(), preview.Hints{})
	checkFits(t, p, b)
	inner, at, shown := tile(t, p)
	if at != p.Bytes || shown != int64(len(p.Text)) || p.Bytes != int64(len(r.Text())) || len(inner) != len(p.Segments) {
		t.Fatalf("ledger covers %d of %d bytes and %d of %d of text", at, p.Bytes, shown, len(p.Text))
	}
	checkWidths(t, r.Text(), p)
	lines := bytes.SplitAfter(r.Text(), []byte("\n"))
	text = p.Text
	for _, s := range p.Segments {
		for n := s.FirstLine; n <= s.LastLine; n++ {
			var line string
			line, text, _ = strings.Cut(text, "\n")
			checkRow(t, strings.TrimSuffix(string(lines[n-1]), "\n"), line)
		}
	}
	return p
}

// checkRow checks that a line has all of its cells, each whole or with a sign
// where it is cut.
func checkRow(t failer, whole, line string) {
	cells, shown := strings.Split(whole, "\t"), strings.Split(line, "\t")
	if len(cells) != len(shown) {
		t.Fatalf("%d of %d cells: %q of %q", len(shown), len(cells), line, whole)
	}
	for i := range cells {
		cell := textscan.OneLine(cells[i])
		if shown[i] == cell {
			continue
		}
		part := strings.TrimSuffix(strings.TrimPrefix(shown[i], "…"), "…")
		if part == shown[i] || !strings.Contains(cell, part) {
			t.Fatalf("cell %q is shown as %q", cell, shown[i])
		}
	}
}

func TestFailedRowIsShownFirst(t *testing.T) {
	text := requests(1000, 437)
	for _, n := range []int{80, 150, 500, 1000} {
		p := checkRows(t, text, budgetOf(n))
		if !strings.Contains(p.Text, "connection lost") {
			t.Errorf("%d tokens do not show the failure:\n%s", n, p.Text)
		}
		if n >= 150 && (!strings.Contains(p.Text, "\n999\t") || !strings.Contains(p.Text, "\n0\t")) {
			t.Errorf("%d tokens do not show the first and the last row:\n%s", n, p.Text)
		}
	}
}

func TestMarksCountRows(t *testing.T) {
	p := checkRows(t, requests(300, 150), budgetOf(400))
	omitted, marks := int64(0), 0
	for _, c := range p.Cuts {
		if c.Kind == preview.CutMiddle {
			omitted, marks = omitted+c.OmittedValues, marks+1
			if c.TotalValues != 300 || c.OmittedValues != c.OmittedLines {
				t.Errorf("the mark counts %+v", c)
			}
		}
	}
	rows := int64(strings.Count(p.Text, "/items/"))
	if omitted+rows != 300 || marks != 2 {
		t.Errorf("%d rows are shown and %d omitted, with %d marks", rows, omitted, marks)
	}
}

// Rows that are too long are shown with all of their cells.
func TestLongCellsAreCut(t *testing.T) {
	var list []string
	for i := range 40 {
		state := `{"running":{"since":"2025-06-01"}}`
		if i == 20 {
			state = `{"waiting":{"reason":"CrashLoopBackOff"}}`
		}
		list = append(list, fmt.Sprintf(`{"name":"web-%d","note":"%s","state":[{"image":"%s","now":%s}]}`, i, strings.Repeat("é", 900+i), strings.Repeat("y", 500), state))
	}
	p := checkRows(t, "["+strings.Join(list, ",")+"]", budgetOf(500))
	for _, want := range []string{"web-20", `"reason":"CrashLoopBackOff"`, "web-0\t", "web-39\t"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is hidden in\n%s", want, p.Text)
		}
	}
	var cells int64
	for _, c := range p.Cuts {
		if c.Kind == preview.CutCell {
			cells = c.Occurrences
		}
	}
	if cells != int64(strings.Count(p.Text, "…")) {
		t.Errorf("%d cells are cut, in\n%s", cells, p.Text)
	}
}

func TestFewLongRowsUseTheBudget(t *testing.T) {
	text := "[" + strings.Repeat(`{"a":"`+strings.Repeat("words ", 400)+`","b":1},`, 3) + `{"a":"` + strings.Repeat("text ", 400) + `","b":2}]`
	p := checkRows(t, text, budgetOf(1000))
	if n := tokens.Estimate().Count(p.Text); n < 700 || p.ShownLines() != p.Lines {
		t.Errorf("%d tokens of 1000 show %d of %d lines", n, p.ShownLines(), p.Lines)
	}
}

// One record among many that are the same is shown, and the others cost one row and one mark.
func TestRecordThatIsUnlikeIsShown(t *testing.T) {
	for _, ends := range [][3]string{{"", "\n", ""}, {"[", ",", "]"}} {
		usual := strings.Repeat(`{"step":"copy","to":"b"}`+ends[1], 3000)
		text := ends[0] + usual + `{"step":"undo","to":"b"}` + ends[1] + strings.TrimSuffix(usual, ",") + ends[2]
		p := checkRows(t, text, budgetOf(400))
		if want := "6001 rows, all with\tto: b\nstep\ncopy\nundo\ncopy\n"; p.Text != want {
			t.Errorf("%q, want %q", p.Text, want)
		}
		if got, want := likes(p), "4-3002 like 3, 3005-6003 like 3004"; got != want || len(p.Cuts) != 2 {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A hundred thousand rows are read in time and memory that grow with their size.
func BenchmarkRows(b *testing.B) {
	var t strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&t, `{"id":%d,"ok":true}`+"\n", i)
	}
	text := []byte(t.String())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := preview.ParseRows(text)
		if err != nil || r == nil {
			b.Fatal(err)
		}
		r.Select(budgetOf(1000), tokens.Estimate(), preview.Hints{})
	}
}

func recordTexts() *rapid.Generator[string] {
	scalars := rapid.SampledFrom([]string{
		"null", "true", "false", "0", "500", "1e9", `""`, `"ok"`, `"failed"`, `"a\nb"`, "\"\u2028\u202e\u200b\"", "\"\x7f\"", `"…"`, `"[…10:]"`,
		`"` + strings.Repeat("long ", 200) + `"`, `"` + strings.Repeat("é", 300) + `"`, `[1,{"reason":"Error"}]`, `{"x":{"y":1}}`,
	})
	return rapid.Custom(func(t *rapid.T) string {
		keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"id", "status", "level", "msg", "a.b", "user", "error", "note"}), 2, 6, rapid.ID).Draw(t, "keys")
		var list []string
		for range rapid.IntRange(3, 40).Draw(t, "rows") {
			var members []string
			for i, k := range keys {
				if i < 2 || rapid.IntRange(0, 9).Draw(t, "missing") > 0 {
					members = append(members, fmt.Sprintf("%q:%s", k, scalars.Draw(t, "value")))
				}
			}
			list = append(list, "{"+strings.Join(members, ",")+"}")
		}
		text := "[" + strings.Join(list, ",") + "]"
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 0:
			return strings.Join(list, "\n")
		case 1:
			text = `{"next":"x","items":` + text + `}`
		case 2:
			text = text[:rapid.IntRange(len(text)/2, len(text)).Draw(t, "cut")]
		}
		around := rapid.SliceOfN(rapid.SampledFrom([]string{"", "Fetching", "error: connection lost", "a\tb", "\u202e", "[…10:]", strings.Repeat("word ", 90)}), 0, 3)
		return strings.Join(append(append(around.Draw(t, "before"), text), around.Draw(t, "after")...), "\n")
	})
}

// A row between two that are shown makes their mark superfluous: the line that this saves pays for the row's own, and its
// tokens count all the same.
func TestRowBetweenTwoIsPaidFor(t *testing.T) {
	text := `{"id":null,"a.b":"` + strings.Repeat("long ", 200) + `","status":null}` + "\n" + `{"id":true,"a.b":"odd"}` + strings.Repeat("\n"+`{"id":null,"a.b":null}`, 31)
	for lines := range 12 {
		for n := 20; n < 120; n++ {
			b := budgetOf(n)
			b.Lines = lines + 1
			checkRows(t, text, b)
		}
	}
}

// Lines around records that say that something is wrong come first, and the last one says how it ended.
func TestTextAroundRowsIsShown(t *testing.T) {
	list := "[" + strings.ReplaceAll(strings.TrimSpace(requests(200, 90)), "\n", ",") + "]"
	before := "Fetching 3 pages\nnote: a\nnote: b\nnote: c\nerror: page 2 is lost, and skipped\nnote: d\n"
	p := checkRows(t, before+list+"\nHTTP 206\n", budgetOf(150))
	for _, want := range []string{"Fetching 3 pages\n", "error: page 2 is lost, and skipped\n", "200 rows", "connection lost\n", "HTTP 206\n"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is not in\n%s", want, p.Text)
		}
	}
	for _, c := range p.Cuts {
		if c.OmittedValues > 200 || c.OmittedValues > c.LastLine-c.FirstLine+1 {
			t.Errorf("%+v", c)
		}
	}
}

func TestRowsLedgerAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := recordTexts().Draw(t, "text")
		if r, err := preview.ParseRows([]byte(text)); err != nil || r == nil {
			t.Skip("no table")
		}
		checkRows(t, text, budgets().Draw(t, "budget"))
	})
}

// The row that is unlike all others is shown whenever a row is.
func TestOddRowIsShownIfOneIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(8, 300).Draw(t, "rows")
		odd := rapid.IntRange(0, n-2).Draw(t, "odd")
		p := checkRows(t, requests(n, odd), budgetOf(rapid.IntRange(64, 600).Draw(t, "tokens")))
		if strings.Contains(p.Text, "/items/") && !strings.Contains(p.Text, "connection lost") {
			t.Fatalf("row %d is hidden in\n%s", odd, p.Text)
		}
	})
}

func FuzzRows(f *testing.F) {
	f.Add(requests(20, 7), uint16(100), uint16(20))
	f.Add(`{"total":3,"items":[{"a":1},{"a":2,"b":"x"},{"a":3}]}`, uint16(10), uint16(3))
	f.Add("Fetching\n"+`[{"a":1},{"a":2},{"a":3},{"a":`+"\n", uint16(30), uint16(9))
	f.Add(`{"items":[{"a":1},{"a":2},{"a":3}]}`+"200\nerror: x\n", uint16(20), uint16(5))
	f.Fuzz(func(t *testing.T, text string, n, lines uint16) {
		if r, err := preview.ParseRows([]byte(text)); err != nil || r == nil {
			return
		}
		b := budgetOf(int(n))
		checkRows(t, text, b)
		b.Lines, b.LineBytes = int(lines), 80
		checkRows(t, text, b)
	})
}
