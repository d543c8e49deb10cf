package records_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/records"
)

// Literals of JavaScript and Python say the same as JSON.
func TestLiteralsAreReadAsJSON(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"mongosh", "[\n  {\n    _id: ObjectId('96d543f764f602d24f5419aa'),\n    guest: { name: 'Ana', phone: null },\n    at: ISODate('2026-05-06T00:00:00.000Z'),\n    nights: Long('3'),\n    'room no': 7,\n    tags: [ 'a', 'b' ]\n  }\n]",
			`[{"_id":"96d543f764f602d24f5419aa","guest":{"name":"Ana","phone":null},"at":"2026-05-06T00:00:00.000Z","nights":"3","room no":7,"tags":["a","b"]}]`},
		{"cursor of mongosh", "[ { n: 1 }, { n: 2 } ]\nType \"it\" for more", "[{\"n\":1},{\"n\":2}]\nType \"it\" for more"},
		{"Node", "{\n  id: 7n,\n  name: 'it\\'s',\n  at: 2026-03-01T10:00:00.000Z,\n  inner: [Object],\n  list: [Array],\n  run: [Function: run],\n  gone: undefined,\n  map: Map(1) { 'a' => 1 },\n  user: User { id: 1 }\n}",
			`{"id":7,"name":"it's","at":"2026-03-01T10:00:00.000Z","inner":"[Object]","list":"[Array]","run":"[Function: run]","gone":null,"map":{"a":1},"user":{"id":1}}`},
		{"long list of Node", "{ list: [\n  1, 2, 3,\n  ... 97 more items\n] }", `{"list":[1,2,3,"... 97 more items"]}`},
		{"objects in sequence", "{ a: 1 }\n{ a: 2 }", "{\"a\":1}\n{\"a\":2}"},
		{"Python", "[{'at': datetime.date(2026, 3, 1), 'by': None, 'ok': True, 'n': Decimal('1.50')},\n {'at': datetime.datetime(2026, 3, 1, 9, 5), 'by': \"O'Hara\", 'ok': False, 'n': (1, 2)}]",
			`[{"at":"2026-03-01","by":null,"ok":true,"n":"1.50"},{"at":"2026-03-01T09:05","by":"O'Hara","ok":false,"n":[1,2]}]`},
		{"long strings of pprint", "{'text': 'one '\n         'two',\n 'raw': b'x',\n 'set': {'a', 'b'},\n 'tuple': (1,)}", `{"text":"one two","raw":"x","set":["a","b"],"tuple":[1]}`},
		{"call", "{ t: Timestamp({ t: 1, i: 2 }), at: new Date('2026-01-01'), o: UUID(1, 2) }", `{"t":{"t":1,"i":2},"at":"2026-01-01","o":"UUID(1, 2)"}`},
		{"JSON", `[{"a": 1}]`, ""},
		{"code", "{\n  return a + b;\n}", ""},
		{"a log", "[INFO] started\n[INFO] done", ""},
		{"Markdown", "[text](link) and more\n\n1\n2\n3\n4", ""},
		{"settings", "[core]\n\tbare = false\n[remote]\n\turl = x\n", ""},
		{"cut", "[ { a: 1 }, { a: ", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.TrimSuffix(string(records.JSONOfLiterals([]byte(test.text))), "\n"); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func FuzzJSONOfLiterals(f *testing.F) {
	f.Add([]byte("[ { _id: ObjectId('96d5'), n: [ 1, ... 2 more items ] } ]"))
	f.Add([]byte("{'a': datetime.date(2026, 3, 1), 'b': {1, 2}, 'c': (b'x',)}"))
	f.Add([]byte("{ a: Map(1) { 'a' => [Object] }, b: new Date(1) }\n{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := records.JSONOfLiterals(text)
		if got == nil {
			return
		}
		first, _, _ := bytes.Cut(got, []byte("\n"))
		if !json.Valid(first) || len(got) > 8*len(text)+16 {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
