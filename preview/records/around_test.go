package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTextAroundRecords(t *testing.T) {
	const list = `[{"a":1,"b":"x"},{"a":2,"b":"y"},{"a":3,"b":"z"}]`
	const table = "3 rows\na\tb\n1\tx\n2\ty\n3\tz\n"
	for _, c := range []struct{ name, text, want string }{
		{"a line before", "Fetching items ...\n" + list + "\n", "Fetching items ...\n" + table},
		{"a line behind", list + "\nHTTP 200\n", table + "HTTP 200\n"},
		{"a status without a line end", list + "200", table + "200\n"},
		{"blank lines and blanks", "\n  a\t\n\n" + list + "  \n\n b \n\n", "a\n" + table + "b\n"},
		{"a log line in brackets", "[INFO] asking\n[DEBUG] [x]\n" + list, "[INFO] asking\n[DEBUG] [x]\n" + table},
		{"a line that looks like JSON", "{\"not\n" + list, "{\"not\n" + table},
		{"an object", "ok\n{\"total\":3,\n \"items\":" + list + "}\nbye", "ok\ntotal: 3\nitems: 3 rows\na\tb\n1\tx\n2\ty\n3\tz\nbye\n"},
		{"a cut array", list[:len(list)-1] + `,{"a":4,"b":"to`, table + "{\"a\":4,\"b\":\"to\n"},
		{"a cut escape", list[:len(list)-1] + `,{"a":4,"b":"\`, table + "{\"a\":4,\"b\":\"\\\n"},
		{"cut behind a comma", "a\n" + list[:len(list)-1] + ",", "a\n" + table + ",\n"},
		{"a cut object", `{"total":9,"items":` + list[:len(list)-1] + `,{"a":4,"c":[{"d":1}],"b":`, "total: 9\nitems: " + table + "{\"a\":4,\"c\":[{\"d\":1}],\"b\":\n"},
		{"cut behind the list", `{"items":` + list + `,"next":"to`, "items: " + table + "\"next\":\"to\n"},
		{"brackets in strings", "x\n" + strings.ReplaceAll(list, "x", "k[{]}") + "\ny", "x\n" + strings.ReplaceAll(table, "x", "k[{]}") + "y\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse([]byte(c.text))
			if err != nil || got == nil {
				t.Fatalf("%v, %v", got, err)
			}
			if string(got.Text()) != c.want {
				t.Errorf("%q, want %q", got.Text(), c.want)
			}
			if n := got.RowsIn(0, got.Len()); got.Len() != strings.Count(c.want, "\n") || n != 3 || got.Rows() != 3 || got.RowsIn(got.Heads(), got.Heads()+3) != 3 || len(got.Order()) != got.Len()-2 {
				t.Errorf("%d lines, %d rows, %d in order", got.Len(), n, len(got.Order()))
			}
		})
	}
}

func TestTextThatIsNotAroundRecords(t *testing.T) {
	const list = `[{"a":1,"b":"x"},{"a":2,"b":"y"},{"a":3,"b":"z"}]`
	for name, text := range map[string]string{
		"many lines before":    strings.Repeat("a\n", mostAround+1) + list,
		"many lines behind":    list + "\n" + strings.Repeat("a\n", mostAround+1),
		"much before":          strings.Repeat("a", mostAroundBytes+1) + "\n" + list,
		"colours":              list + "\n\x1b[31mred\x1b[0m\n",
		"a redrawn line":       "10 %\r20 %\n" + list,
		"in the line":          "items: " + list,
		"too few":              "a\n" + `[{"a":1},{"a":2}]`,
		"no records":           "a\n[1,2,3,4]",
		"cut without a sign":   list[:len(list)-1],
		"cut in the first":     `[{"a":1,"b":[{"c":1},{"c":2},{"c":3},{"c`,
		"cut in a list of one": `{"items":[{"a":1,"b":[{"c":1},{"c":2},{"c":3},{"c`,
		"no JSON":              `[{"a":1},{"a":2},{"a":3} x {"a":4},{"a`,
		"other brackets":       `[{"a":1},{"a":2},{"a":3},{"a":4],{"a":5`,
		"deep":                 "x\n" + strings.Repeat(`[{"a":`, 1000),
		"a third value":        "[{\"a\":1\n{\"b\n{\"c\n" + list,
	} {
		if got, err := Parse([]byte(text)); !errors.Is(err, ErrNotJSON) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Wherever records are cut, a table has the complete ones and what is left of the next, and no row that the whole has
// not. Text around them is in it, word for word.
func TestCutRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 8).Draw(t, "rows")
		rows := make([]map[string]any, n)
		for i := range rows {
			rows[i] = map[string]any{"id": fmt.Sprintf("row-%d-", i), "list": []any{map[string]any{"x": rapid.StringOf(rapid.SampledFrom([]rune(`a"\[]{},: `))).Draw(t, "text")}}}
		}
		var value any = rows
		if rapid.Bool().Draw(t, "in an object") {
			value = map[string]any{"items": rows, "next": "token"}
		}
		text, err := json.MarshalIndent(value, "", strings.Repeat(" ", rapid.IntRange(0, 2).Draw(t, "indent")))
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(1, len(text)-1).Draw(t, "cut")
		got, err := Parse(append([]byte("Asking for them:\n"), text[:cut]...))
		if err != nil || got == nil {
			if complete := strings.Count(string(text[:cut]), `"row-`) - 1; complete > 3 && !strings.ContainsAny(string(text[cut-1:cut]), "}] \n") {
				t.Fatalf("%d records are complete in %s: %v", complete, text[:cut], err)
			}
			return
		}
		form := string(got.Text())
		if !strings.HasPrefix(form, "Asking for them:\n") {
			t.Fatal(form)
		}
		for i := range n {
			id := fmt.Sprintf("row-%d-", i)
			if strings.Contains(form, id) != strings.Contains(string(text[:cut]), id) {
				t.Fatalf("%s: of %s this is shown\n%s", id, text[:cut], form)
			}
		}
		if got.Rows() >= n && cut < len(text)-len(`]}`)-len(`,"next":"token"`)-8 {
			t.Fatalf("%d of %d rows of %s", got.Rows(), n, text[:cut])
		}
	})
}
