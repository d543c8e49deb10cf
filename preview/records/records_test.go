package records

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestRecordsBecomeATable(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{
			"an array", `[{"id":1,"t":"a"},{"id":2,"t":"b"},{"id":3,"t":"c d"}]`,
			"3 rows\nid\tt\n1\ta\n2\tb\n3\tc d\n",
		},
		{
			"equal values are said once", `[{"id":1,"s":"OPEN"},{"id":2,"s":"OPEN"},{"id":3,"s":"OPEN"}]`,
			"3 rows, all with\ts: OPEN\nid\n1\n2\n3\n",
		},
		{
			"all values are equal", `[{"a":1},{"a":1},{"a":1}]`,
			"3 rows\na\n1\n1\n1\n",
		},
		{
			"a page", `{"total":3,"data":{"items":[{"id":100001},{"id":100002},{"id":100003},{"id":100004}],"next":null}}`,
			"total: 3\ndata.next: null\ndata.items: 4 rows\nid\n100001\n100002\n100003\n100004\n",
		},
		{
			"objects one after another", "{\"l\":\"x\",\n\"n\":1}\n{\"l\":\"y\",\"n\":1.0}{\"l\":\"z\",\"n\":1e3}",
			"3 rows\nl\tn\nx\t1\ny\t1.0\nz\t1e3\n",
		},
		{
			"members that are objects", `{"a-b":{"v":"1"},"c.d":{"v":"2"},"e":{"v":"x"}}`,
			"3 rows\n(name)\tv\na-b\t\"1\"\nc.d\t\"2\"\ne\tx\n",
		},
		{
			"inner objects", `[{"user":{"login":"a","id":1}},{"user":{"login":"b","id":2}},{"user":{"login":"c","id":3}}]`,
			"3 rows\nuser.login\tuser.id\na\t1\nb\t2\nc\t3\n",
		},
		{
			"inner objects of other keys stay as they are", `[{"n":1,"m":{"a":1}},{"n":2,"m":{"b": 2}},{"n":3,"m":{"c":3}}]`,
			"3 rows\nn\tm\n1\t{\"a\":1}\n2\t{\"b\":2}\n3\t{\"c\":3}\n",
		},
		{
			"absent, null and empty are told apart", `[{"a":null,"b":1},{"b":2},{"a":"","b":3},{"a":"null","b":4}]`,
			"4 rows\na\tb\nnull\t1\n\t2\n\"\"\t3\n\"null\"\t4\n",
		},
		{
			"strings that need their quotes", `[{"a":"12"},{"a":" x"},{"a":"{x"},{"a":"a\tb"},{"a":"-x"},{"a":"true"}]`,
			"6 rows\na\n\"12\"\n\" x\"\n\"{x\"\n\"a\\tb\"\n-x\n\"true\"\n",
		},
		{
			"keys that need their quotes", `[{"a.b":1,"(name)":1,"c:":2,"":3},{"a.b":2,"(name)":2,"c:":3,"":4},{"a.b":3,"(name)":3,"c:":4,"":5}]`,
			"3 rows\n\"a.b\"\t\"(name)\"\t\"c:\"\t\"\"\n1\t1\t2\t3\n2\t2\t3\t4\n3\t3\t4\t5\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse([]byte(c.text))
			if err != nil || got == nil {
				t.Fatalf("%v, %v", got, err)
			}
			if string(got.Text()) != c.want {
				t.Errorf("%q, want %q", got.Text(), c.want)
			}
			if got.Len() != strings.Count(c.want, "\n") || got.Len() != got.Heads()+got.Rows() {
				t.Errorf("%d lines, %d heads, %d rows", got.Len(), got.Heads(), got.Rows())
			}
		})
	}
}

func TestWhatIsNoTable(t *testing.T) {
	wide := make([]string, mostColumns+1)
	for i := range wide {
		wide[i] = fmt.Sprintf(`"k%d":1`, i)
	}
	object := "{" + strings.Join(wide, ",") + "}"
	for name, text := range map[string]string{
		"a scalar":              `1`,
		"no object":             `[1,2,3,4]`,
		"of two kinds":          `[{"a":1},2,{"a":3}]`,
		"few":                   `[{"a":1},{"a":2}]`,
		"no members":            `[{},{},{}]`,
		"other keys in each":    `[{"a":1,"b":1},{"c":1,"d":1},{"e":1,"f":2},{"g":1,"h":1}]`,
		"a key twice":           `[{"a":1,"a":2},{"a":1},{"a":1}]`,
		"too many columns":      "[" + object + "," + object + "," + object + "]",
		"a list that is little": `{"items":[{"a":1},{"a":2},{"a":3}],"text":"` + strings.Repeat("x", 100) + `"}`,
		"one value in another":  strings.Repeat(`{"a":`, 20) + `[{"a":1},{"a":2},{"a":3}]` + strings.Repeat("}", 20),
	} {
		if got, err := Parse([]byte(text)); got != nil || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, text := range []string{"", "{", "words", `{"a":1} words`, `{"a":1} 2`, `1 2 3`} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrNotJSON) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A list that few records share keys of does not take memory for cells that are empty.
func TestTablesAreNotSparse(t *testing.T) {
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, "{\"id\":%d,\"k%d\":1}\n", i, i%100)
	}
	if got, err := Parse([]byte(b.String())); got != nil || err != nil {
		t.Errorf("%d bytes, %v", len(got.Text()), err)
	}
}
