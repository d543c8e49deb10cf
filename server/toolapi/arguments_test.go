package toolapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestReadCallForms has what models write, and how it is understood.
func TestReadCallForms(t *testing.T) {
	t.Parallel()
	const (
		all   = `1fa0074a Bytes{Start:0 End:0} page=""`
		lines = `1fa0074a Lines{First:120 Last:180} page=""`
		one   = `1fa0074a Lines{First:120 Last:120} page=""`
		open  = `1fa0074a Lines{First:120 Last:0} page=""`
		tail  = `1fa0074a Tail{Lines:50} page=""`
	)
	for arguments, want := range map[string]string{
		`{"result":"1fa0074a"}`:                                          all,
		`{"result":" 1fa0074a "}`:                                        all,
		`{"result":"read_result(result=\"1fa0074a\")"}`:                  all,
		`{"result":"read_result(result='1fa0074a', lines='1-9')"}`:       all,
		`{"result":"result=1fa0074a"}`:                                   all,
		`{"result":"all: 1fa0074a"}`:                                     all,
		"{\"result\":\"`1fa0074a`\"}":                                    all,
		`{"result":"/home/me/toolresult/1f8/a0074a"}`:                    `/home/me/toolresult/1f8/a0074a Bytes{Start:0 End:0} page=""`,
		`{"path":"1fa0074a"}`:                                            all,
		`{"result":12345678}`:                                            `12345678 Bytes{Start:0 End:0} page=""`,
		`"{\"result\": \"1fa0074a\"}"`:                                   all,
		`{"result":"1fa0074a","lines":null,"tail":null,"match":null}`:    all,
		`{"result":"1fa0074a","lines":"","tail":0,"match":"","page":""}`: all,
		`{"result":"1fa0074a","lines":[],"context":0,"pointer":""}`:      all,
		`{"result":"1fa0074a","page":1,"reason":"to see more"}`:          all,
		`{"result":"1fa0074a","lines":"120-180"}`:                        lines,
		`{"result":"1fa0074a","lines":"120 - 180"}`:                      lines,
		`{"result":"1fa0074a","lines":"120–180"}`:                        lines,
		`{"result":"1fa0074a","lines":"120:180"}`:                        lines,
		`{"result":"1fa0074a","lines":"120..180"}`:                       lines,
		`{"result":"1fa0074a","lines":"120,180"}`:                        lines,
		`{"result":"1fa0074a","lines":"120 to 180"}`:                     lines,
		`{"result":"1fa0074a","lines":"lines 120-180"}`:                  lines,
		`{"result":"1fa0074a","lines":"L120-L180"}`:                      lines,
		`{"result":"1fa0074a","lines":[120,180]}`:                        lines,
		`{"result":"1fa0074a","lines":["120","180"]}`:                    lines,
		`{"result":"1fa0074a","lines":["120-180"]}`:                      lines,
		`{"result":"1fa0074a","lines":{"first":120,"last":180}}`:         lines,
		`{"result":"1fa0074a","lines":{"start":"120","end":"180"}}`:      lines,
		`{"result":"1fa0074a","lines":{"from":120,"to":null}}`:           open,
		`{"result":"1fa0074a","lines":"120-"}`:                           open,
		`{"result":"1fa0074a","lines":[120,null]}`:                       open,
		`{"result":"1fa0074a","lines":"120"}`:                            one,
		`{"result":"1fa0074a","lines":120}`:                              one,
		`{"result":"1fa0074a","lines":[120]}`:                            one,
		`{"result":"1fa0074a","lines":"0-5"}`:                            `1fa0074a Lines{First:1 Last:5} page=""`,
		`{"result":"1fa0074a","tail":50}`:                                tail,
		`{"result":"1fa0074a","tail":"50"}`:                              tail,
		`{"result":"1fa0074a","tail":50.0}`:                              tail,
		`{"result":"1fa0074a","tail":-50}`:                               tail,
		`{"result":"1fa0074a","tail":50,"lines":null,"context":3}`:       tail,
		`{"result":"1fa0074a","match":"a b","context":"3"}`:              `1fa0074a match a b 3 3 page=""`,
		`{"result":"1fa0074a","match":" x "}`:                            `1fa0074a match  x  0 0 page=""`,
		`{"result":"1fa0074a","match":404}`:                              `1fa0074a match 404 0 0 page=""`,
		`{"result":"1fa0074a","context":99999,"match":"x"}`:              `1fa0074a match x 1000 1000 page=""`,
		`{"result":"1fa0074a","pointer":"/items/3"}`:                     `1fa0074a Pointer{tokens:[items 3]} page=""`,
		`{"result":"1fa0074a","pointer":"items/3"}`:                      `1fa0074a Pointer{tokens:[items 3]} page=""`,
		`{"result":"1fa0074a","pointer":"#/items/3"}`:                    `1fa0074a Pointer{tokens:[items 3]} page=""`,
		`{"result":"1fa0074a","page":"3f-9k-71c0"}`:                      `1fa0074a Bytes{Start:0 End:0} page="3f-9k-71c0"`,
		`{"result":"1fa0074a","page":"Next page: 3f-9k-71c0"}`:           `1fa0074a Bytes{Start:0 End:0} page="3f-9k-71c0"`,
		`{"result":"1fa0074a","page":"page=\"3f-9k-71c0\""}`:             `1fa0074a Bytes{Start:0 End:0} page="3f-9k-71c0"`,
	} {
		if got, err := understood(arguments); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", arguments, got, err, want)
		}
	}
}

// TestReadCallMistakes has what means nothing, or several things, and the words that a model reads.
func TestReadCallMistakes(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		``:                                      `"result" is missing`,
		`{}`:                                    `"result" is missing`,
		`{"result":""}`:                         `"result" is missing`,
		`{"result":null}`:                       `"result" is missing`,
		`[]`:                                    `no JSON object, such as`,
		`1fa0074a`:                              `no JSON`,
		`{"result":"1fa0074a"`:                  `no JSON: unexpected end of JSON input at byte 20`,
		`{"result":"1fa0074a","lines":"abc"}`:   `give "120-180"`,
		`{"result":"1fa0074a","lines":"-50"}`:   `for the last lines, give tail`,
		`{"result":"1fa0074a","lines":"9-3"}`:   `lines 9-3 end before they begin`,
		`{"result":"1fa0074a","lines":[1,2,3]}`: `give "120-180"`,
		`{"result":"1fa0074a","lines":true}`:    `give "120-180"`,
		`{"result":"1fa0074a","tail":"many"}`:   `tail is "many": give a whole number`,
		`{"result":"1fa0074a","tail":1.5}`:      `tail is "1.5": give a whole number`,
		`{"result":"1fa0074a","lines":"1-2","tail":5}`:               `lines and tail are given together: give one of them`,
		`{"result":"1fa0074a","match":"x","pointer":"/a"}`:           `match and pointer are given together`,
		`{"result":"1fa0074a","match":["a","b"]}`:                    `give one regular expression`,
		`{"result":"1fa0074a","match":"x","context":"some"}`:         `context is "some"`,
		`{"result":"1fa0074a","pointer":"$.items[3]"}`:               `no JSON pointer, such as /items/3/name`,
		`{"result":"` + strings.Repeat("a", 70_000) + `"}`:           `at most 65536 are allowed`,
		`{"result":"1fa0074a","match":"foo("}`:                       `no regular expression: missing closing )`,
		`{"result":"1fa0074a","match":"a(?=b)"}`:                     `no lookaround`,
		`{"result":"1fa0074a","match":"(a)\\1"}`:                     `no backreferences`,
		`{"result":"1","match":"` + strings.Repeat("a", 2000) + `"}`: `match has 2000 bytes`,
	} {
		kind, err := understood(arguments)
		wantKind := "invalid_tool_input"
		if strings.Contains(want, "regular expression:") || strings.Contains(want, "no look") || strings.Contains(want, "no back") || strings.Contains(want, "2000 bytes") {
			wantKind = "invalid_pattern"
		}
		if err == nil || kind != wantKind || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%.80s: %s, %v, want %s", arguments, kind, err, want)
		}
	}
}

// TestReadCallTakesAnything holds the reader to an answer or a mistake for any JSON and any text.
func TestReadCallTakesAnything(t *testing.T) {
	t.Parallel()
	values := rapid.OneOf(
		rapid.Just(any(nil)), rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Int(), func(n int) any { return n }),
		rapid.Map(rapid.Float64Range(-1e300, 1e300), func(n float64) any { return n }), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.SliceOfN(rapid.Int(), 0, 3), func(l []int) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"first", "last", "start", "x"}), rapid.Int(), 0, 3), func(m map[string]int) any { return m }),
	)
	names := rapid.SampledFrom([]string{"result", "lines", "tail", "match", "context", "pointer", "page", "path", "other"})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if rapid.Bool().Draw(t, "json") {
			encoded, err := json.Marshal(rapid.MapOfN(names, values, 0, 6).Draw(t, "arguments"))
			if err != nil {
				t.Fatal(err)
			}
			text = string(encoded)
		}
		if got, err := understood(text); (err != nil) != (got == "invalid_tool_input" || got == "invalid_pattern") {
			t.Fatalf("%q: %s, %v", text, got, err)
		}
	})
}

// understood reads the arguments of a call, and says how they are understood or which kind of mistake they are.
func understood(arguments string) (string, error) {
	c, err := parseReadCall(arguments)
	if wrong, ok := errors.AsType[*mistake](err); ok {
		return wrong.kind, err
	}
	text := fmt.Sprintf("%s %T%+v page=%q", c.result, c.selection, c.selection, c.page)
	if c.match != nil {
		text = fmt.Sprintf("%s match %s %d %d page=%q", c.result, c.match.Pattern, c.match.Before, c.match.After, c.page)
	}
	return strings.ReplaceAll(text, "slice.", ""), err
}
