package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func readable(t *testing.T, text string) *Document {
	t.Helper()
	d, err := ParseDocument([]byte(text))
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return d
}

func TestReadableForm(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, c := range []struct{ name, text, want string }{
		{"scalar", " 12345678901234567890 ", "12345678901234567890\n"},
		{"numbers as written", `[1e999,1.10,-0,0.1E+1]`, "[1e999, 1.10, -0, 0.1E+1]\n"},
		{"strings as written", `"\u001b\/é\ud800 "`, "\"\\u001b\\/é\\ud800 \"\n"},
		{"empty containers", `{"a":{ },"b":[ ]}`, "{\"a\": {}, \"b\": []}\n"},
		{"key order", `{"b":1,"a":{"z":null,"y":true}}`, "{\n  \"b\": 1,\n  \"a\": {\"z\": null, \"y\": true}\n}\n"},
		{"long scalars", `["` + long + `",1]`, "[\n  \"" + long + "\",\n  1\n]\n"},
		{"empty behind a long key", `{"` + long + `":{}}`, "{\n  \"" + long + "\": {}\n}\n"},
		{"nested", `[[[1]],{"a":[[]]}]`, "[\n  [\n    [1]\n  ],\n  {\n    \"a\": [[]]\n  }\n]\n"},
		{"brackets in strings", `{"a]":"}, \" {"}`, "{\"a]\": \"}, \\\" {\"}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(readable(t, c.text).Text()); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	for _, text := range []string{"", "{", "1 2", `{"a":}`, strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)} {
		if _, err := ParseDocument([]byte(text)); !errors.Is(err, ErrNotJSON) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// keys returns the keys of the lines in the order of their ranks, without repeats.
func keys(d *Document) []string {
	var list []string
	for _, i := range d.Order() {
		if key := string(d.key(int(i))); key != "" && !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}

func TestKeysThatSayMoreComeFirst(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a message before the rest":       {`{"zone":"eu","color":"red","message":"disk is full","padding":"` + strings.Repeat("x", 80) + `"}`, "message"},
		"a title before a body":           {`{"body":"` + strings.Repeat("words ", 20) + `","title":"it broke","n":1}`, "title"},
		"signs and case do not matter":    {`{"zone":"` + strings.Repeat("x", 80) + `","Error_Message":"no"}`, "Error_Message"},
		"endings count":                   {`{"zone":"` + strings.Repeat("x", 80) + `","flight_number":"LH 1"}`, "flight_number"},
		"a message deep in before others": {`{"zone":"` + strings.Repeat("x", 80) + `","list":[{"a":{"message":"deep","pad":"` + strings.Repeat("y", 80) + `"}}]}`, "message"},
		"a value in words, not an object": {`{"message":{"a":"` + strings.Repeat("x", 80) + `"},"reason":"late"}`, "reason"},
		"of equal keys the one before":    {`{"alpha":"` + strings.Repeat("x", 80) + `","beta":1}`, "alpha"},
	} {
		if got := keys(readable(t, c.text)); len(got) == 0 || got[0] != c.want {
			t.Errorf("%s: %q, want %q first", name, got, c.want)
		}
	}
}

// The lines of a document nest: every line but the outermost has a parent that
// opens a container around it.
func TestDocumentLinesNest(t *testing.T) {
	d := readable(t, `{"a":[{"id":1,"title":"one","pad":"`+strings.Repeat("x", 80)+`"},{"id":2,"title":"one","pad":"`+strings.Repeat("y", 80)+`"}],"b":{"c":"`+strings.Repeat("z", 90)+`"}}`)
	if len(d.Order()) == 0 || d.Last(0) != d.Len()-1 || d.IsArray(0) || d.Values(0) != 2 {
		t.Fatalf("%d lines, the last is %d, %d values", d.Len(), d.Last(0), d.Values(0))
	}
	end := int64(0)
	for i := range d.Len() {
		start, to := d.Span(i)
		if start != end || to <= start || d.Text()[to-1] != '\n' {
			t.Errorf("line %d is from %d to %d, behind %d", i, start, to, end)
		}
		end = to
		if p := d.Parent(i); i > 0 && i < d.Len()-1 && !(p < i && d.Last(p) > i) {
			t.Errorf("line %d has the parent %d", i, p)
		}
		if s := d.Score(i); s < 1 || s > 100 || d.Minor(i) != (s < scoreOther) {
			t.Errorf("line %d has score %d", i, s)
		}
	}
	objects := 0
	for i := range d.Len() {
		if which := d.Identity(i); which > 0 {
			objects++
			if string(d.key(which)) != "id" || d.Parent(which) != i {
				t.Errorf("line %d is told apart by %q", i, d.key(which))
			}
		}
	}
	if objects != 2 {
		t.Errorf("%d objects have an identity", objects)
	}
	titles := []int{}
	for i := range d.Len() {
		if string(d.key(i)) == "title" {
			titles = append(titles, d.Score(i))
		}
	}
	if len(titles) != 2 || titles[1] >= titles[0] {
		t.Errorf("the same title again has score %v", titles)
	}
}

// A value with more lines than a Document has keeps its outer containers on lines of their own, and those inside on one line.
// Whatever the nesting, its memory is bounded by its text.
func TestDocumentHasBoundedLines(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		least int // lines
	}{
		"a list of values":              {"[" + strings.Repeat("1,", maxLines) + "1]", 1},
		"a list of records":             {"[" + strings.Repeat(`{"a":[1,{"b":[2]}]},`, maxLines/4) + "1]", maxLines / 4},
		"nested lists":                  {"[" + strings.Repeat(strings.Repeat("[", 60)+"1"+strings.Repeat("]", 60)+",", maxLines/60) + "1]", maxLines / 60},
		"an object of objects":          {`{"a":{"b":{"c":[` + strings.Repeat(`{"d":[[]]},`, maxLines) + `1]}}}`, 7},
		"as many as there fit":          {"[" + strings.Repeat("1,", maxLines-3) + "1]", maxLines},
		"nested as nothing ought to be": {strings.Repeat("[", 9000) + strings.Repeat("1,", maxLines) + "1" + strings.Repeat("]", 9000), 9000},
	} {
		d := readable(t, c.text)
		if d.Len() > maxLines || d.Len() < c.least {
			t.Errorf("%s: %d lines, want %d to %d", name, d.Len(), c.least, maxLines)
		}
		var got, want bytes.Buffer
		if json.Compact(&got, d.Text()) != nil || json.Compact(&want, []byte(c.text)) != nil || got.String() != want.String() {
			t.Errorf("%s: the readable form is of another value", name)
		}
		if most := max(indentedLess, indentedMost*len(c.text)) + d.Len(); cap(d.text) > most || cap(d.lines) > maxLines {
			t.Errorf("%s: %d bytes and %d lines are reserved", name, cap(d.text), cap(d.lines))
		}
		d.Order()
		for i := 0; i < d.Len(); i++ {
			if start, end := d.Span(i); start >= end || d.text[end-1] != '\n' {
				t.Fatalf("%s: line %d is from %d to %d", name, i, start, end)
			}
		}
	}
}
