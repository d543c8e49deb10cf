package slice_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/slice"
)

// at returns the value at a pointer.
func at(t failer, text []byte, pointer string) (string, error) {
	p, err := slice.ParsePointer(pointer)
	if err != nil {
		return "", err
	}
	from, to, err := p.Span(context.Background(), open(t, text))
	if err != nil {
		return "", err
	}
	return string(text[from:to]), nil
}

func TestPointerFindsValue(t *testing.T) {
	const examples = ` {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}
`
	for _, c := range []struct{ text, pointer, want string }{
		{examples, "", examples}, // those of RFC 6901, section 5
		{examples, "/foo", `["bar", "baz"]`},
		{examples, "/foo/0", `"bar"`},
		{examples, "/", "0"},
		{examples, "/a~1b", "1"},
		{examples, "/c%d", "2"},
		{examples, "/e^f", "3"},
		{examples, "/g|h", "4"},
		{examples, `/i\j`, "5"},
		{examples, `/k"l`, "6"},
		{examples, "/ ", "7"},
		{examples, "/m~0n", "8"},
		{`{"~1": 1, "/": 2}`, "/~01", "1"},
		{`{"a":{},"b":[],"c":{"d":[[],[{}, 1]]}}`, "/c/d/1/1", "1"},
		{`{"b":1.50E+0007,"a":2}`, "/b", "1.50E+0007"},
		{`{"0":{"-":[true]}}`, "/0/-/0", "true"},
		{`{"a" : { "z":1, "y" : 2 } }`, "/a", `{ "z":1, "y" : 2 }`},
		{`{"\u0061\ud83d\ude00\n":1}`, "/a😀\n", "1"},
		{`{"\ud83d":1}`, "/\ufffd", "1"},
		{"{\"\xff\":1}", "/\ufffd", "1"},
		{`{"\\n":1,"\n":2}`, `/\n`, "1"},
		{`{"a":1,"a":2}`, "/a", "1"},
		{`{"a":{},"a":{"b":2}}`, "/a", "{}"},
		{`{"a":-0} and then no more JSON`, "/a", "-0"},
		{`[1,[2,{"a":null`, "/1/0", "2"},
		{"\t12 \n", "", "\t12 \n"},
	} {
		if got, err := at(t, []byte(c.text), c.pointer); err != nil || got != c.want {
			t.Errorf("%s in %s: %q, %v, want %q", c.pointer, c.text, got, err, c.want)
		}
	}
}

func TestPointerFails(t *testing.T) {
	for _, c := range []struct {
		text, pointer string
		want          error
	}{
		{"{}", "a", slice.ErrPointer}, {"{}", "#/a", slice.ErrPointer}, {"{}", "/a~", slice.ErrPointer},
		{"{}", "/~2", slice.ErrPointer}, {"{}", "/~~01", slice.ErrPointer},

		{"{}", "/a", slice.ErrNothing}, {"[]", "/0", slice.ErrNothing}, {"[1,2]", "/2", slice.ErrNothing}, {"[1]", "/-", slice.ErrNothing},
		{"[1,2]", "/01", slice.ErrNothing}, {"[1,2]", "/00", slice.ErrNothing}, {"[1]", "/+0", slice.ErrNothing}, {"[1]", "/", slice.ErrNothing},
		{"[1]", "/18446744073709551616", slice.ErrNothing}, {"[1]", "/a", slice.ErrNothing}, {`{"a":1}`, "/a/b", slice.ErrNothing},
		{`{"a":1}`, "/A", slice.ErrNothing}, {`{"a":1}`, "/", slice.ErrNothing}, {`{"a":{}}`, "/a/", slice.ErrNothing}, {"1", "/a", slice.ErrNothing},
		{`{"é":1}`, "/e\u0301", slice.ErrNothing}, {`{"a":{},"a":{"b":2}}`, "/a/b", slice.ErrNothing}, {`{"a\u0000":1}`, "/a", slice.ErrNothing},

		{"", "", slice.ErrJSON}, {" ", "/a", slice.ErrJSON}, {"\ufeff{}", "", slice.ErrJSON}, {"{} {}", "", slice.ErrJSON},
		{"[2026-01-01] started", "/items", slice.ErrJSON}, {"12 lines", "/a", slice.ErrJSON}, {"nothing", "/a", slice.ErrJSON},
		{"{\"a\":1}\n{\"b\":1}\n", "/b", slice.ErrJSON}, {`{"a":12`, "/a", slice.ErrJSON}, {`{"a":"12`, "/a", slice.ErrJSON}, {`{"a":tru}`, "/a", slice.ErrJSON},
		{`{"a":01}`, "/a", slice.ErrJSON}, {`{"a":1.}`, "/a", slice.ErrJSON}, {`{"a":.5}`, "/a", slice.ErrJSON}, {`{"a":+1}`, "/a", slice.ErrJSON},
		{`{"a":1e}`, "/a", slice.ErrJSON}, {`{"a":truex}`, "/a", slice.ErrJSON}, {`{"a":NaN}`, "/a", slice.ErrJSON}, {`{'a':1}`, "/a", slice.ErrJSON},
		{`{"a":1,}`, "/b", slice.ErrJSON}, {`[1,]`, "/1", slice.ErrJSON}, {`[,1]`, "/1", slice.ErrJSON}, {`[1 2]`, "/1", slice.ErrJSON},
		{`{"b" 1,"a":2}`, "/a", slice.ErrJSON}, {`{"b":[1},"a":2}`, "/a", slice.ErrJSON}, {`{"b":"\x","a":2}`, "/a", slice.ErrJSON},
		{`{"b":"\u12g4","a":2}`, "/a", slice.ErrJSON}, {"{\"b\":\"\n\",\"a\":2}", "/a", slice.ErrJSON}, {`{"b":1,/**/"a":2}`, "/a", slice.ErrJSON},
	} {
		if got, err := at(t, []byte(c.text), c.pointer); !errors.Is(err, c.want) {
			t.Errorf("%s in %s: %q, %v, want %v", c.pointer, c.text, got, err, c.want)
		}
	}
}

// Nesting costs a byte a level, and has the bound of encoding/json.
func TestPointerDepthIsBounded(t *testing.T) {
	const most = 10_000
	for depth, want := range map[int]error{most: nil, most + 1: slice.ErrJSON, 1_000_000: slice.ErrJSON} {
		nested := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
		text := []byte(`{"a":` + nested + `,"b":` + nested + "}")
		if valid := json.Valid(text); valid != (want == nil) {
			t.Fatalf("encoding/json says %v of %d levels", valid, depth)
		}
		for _, pointer := range []string{"/a", "/b"} {
			if got, err := at(t, text, pointer); !errors.Is(err, want) || want == nil && got != nested {
				t.Errorf("%s below %d levels: %d bytes, %v", pointer, depth, len(got), err)
			}
		}
	}
	deep := []byte(strings.Repeat(`{"":`, 4096) + "1" + strings.Repeat("}", 4096))
	if got, err := at(t, deep, strings.Repeat("/", 4096)); got != "1" || err != nil {
		t.Errorf("the longest pointer: %q, %v", got, err)
	}
}

// texts are JSON texts, written in every way that there is.
func texts() *rapid.Generator[string] {
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t", "\r\n"})
	key := rapid.SampledFrom([]string{`""`, `"a"`, `"\u0061"`, `"b"`, `"a/b"`, `"m~n"`, `"0"`, `"01"`, `"\ud83d\ude00"`, `"😀"`, `"\ud83d"`, "\"\xff\"", `"\n"`, `"` + strings.Repeat("long", 9) + `"`})
	scalar := rapid.SampledFrom([]string{"0", "-0", "12.50", "1e9", "-1.5E-07", "true", "false", "null", `""`, `"x"`, `"\\\""`, `"é\u00e9"`, "\"\xff\""})
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			s := func() string { return space.Draw(t, "space") }
			kind := rapid.SampledFrom([]int{1, 2, 1, 2, 0}).Draw(t, "kind")
			if kind == 0 || depth == 0 {
				return s() + scalar.Draw(t, "scalar") + s()
			}
			var items []string
			for range rapid.IntRange(0, 4).Draw(t, "items") {
				item := value(depth-1).Draw(t, "value")
				if kind == 1 {
					item = s() + key.Draw(t, "key") + s() + ":" + item
				}
				items = append(items, item)
			}
			open, end := "{", "}"
			if kind == 2 {
				open, end = "[", "]"
			}
			return s() + open + strings.Join(items, ",") + s() + end + s()
		})
	}
	return value(4)
}

// members is a naive reader: encoding/json's.
func members(text json.RawMessage) (names []string, values []json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(text))
	first, err := d.Token()
	if err != nil {
		return nil, nil
	}
	for i := 0; d.More(); i++ {
		name := strconv.Itoa(i)
		if first == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return nil, nil
			}
			name = key.(string)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil
		}
		names, values = append(names, name), append(values, value)
	}
	return names, values
}

// child is one step of a pointer; the first of several members counts.
func child(text json.RawMessage, token string) (json.RawMessage, bool) {
	names, values := members(text)
	i := slices.Index(names, token)
	if i < 0 {
		return nil, false
	}
	return values[i], true
}

// Every pointer leads where the naive reader comes, to the same bytes, in a text of
// any size of page.
func TestPointerAgreesWithNaiveReader(t *testing.T) {
	tokens := rapid.SampledFrom([]string{"", "a", "b", "a/b", "m~n", "0", "1", "2", "01", "-", "😀", "\ufffd", "\n", strings.Repeat("long", 9)})
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		if !json.Valid([]byte(text)) {
			t.Fatalf("no JSON: %s", text)
		}
		value, pointer, ok := json.RawMessage(text), "", true
		for _, token := range rapid.SliceOfN(tokens, 1, 4).Draw(t, "tokens") {
			if names, _ := members(value); len(names) > 0 && rapid.IntRange(0, 5).Draw(t, "known") > 0 {
				token = rapid.SampledFrom(names).Draw(t, "name")
			}
			value, ok = child(value, token)
			pointer += "/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
			if !ok {
				break
			}
			found++
			got, err := at(t, []byte(text), pointer)
			if err != nil || got != string(value) {
				t.Fatalf("%s: %q, %v, want %q", pointer, got, err, value)
			}
			// What is after the value is of no account, and all before it is.
			parsed, _ := slice.ParsePointer(pointer)
			_, to, _ := parsed.Span(context.Background(), open(t, []byte(text)))
			if got, err := at(t, []byte(text[:to]+",!"), pointer); err != nil || got != string(value) {
				t.Fatalf("%s, cut after the value: %q, %v", pointer, got, err)
			}
			cut := rapid.Int64Range(0, to-1).Draw(t, "cut")
			if got, err := at(t, []byte(text[:cut]), pointer); !errors.Is(err, slice.ErrJSON) {
				t.Fatalf("%s, cut at %d: %q, %v", pointer, cut, got, err)
			}
		}
		if !ok {
			if got, err := at(t, []byte(text), pointer+"/nobody/has/this"); !errors.Is(err, slice.ErrNothing) {
				t.Fatalf("%s: %q, %v", pointer, got, err)
			}
		}
	})
	if found < 20 && !testing.Short() {
		t.Errorf("only %d values were found", found)
	}
}

// largeText stages a JSON text with a string of 8 MiB, 800,000 keys and a last value, and opens it to be read anywhere.
func largeText(t *testing.T, long, last string) *artifactstore.Pages {
	t.Helper()
	store, err := dir.Open(t.TempDir()+"/store", dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	stage, err := store.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Discard() // it never removes what was put
	write := func(text string) {
		if _, err := io.WriteString(stage, text); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"long":"` + long + `","keys":{`)
	for i := int64(0); i < 800_000; i += 100_000 {
		var b []byte
		for k := i; k < i+100_000; k++ {
			b = append(strconv.AppendInt(append(b, `"k`...), k, 10), `":`...)
			b = append(strconv.AppendInt(b, k, 10), ',')
		}
		write(string(b))
	}
	write(`"last":` + last + `}}`)
	sealed, err := stage.Seal()
	if err != nil {
		t.Fatal(err)
	}
	ref, err := store.Put(t.Context(), sealed)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := store.Pages(t.Context(), ref.Name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pages.Close() })
	return pages
}

// Pages of a value are the value, and memory is that of some windows whatever is before it: here a string of
// 8 MiB and 800,000 keys, of which no more than 1 MiB is ever allocated.
func TestPointerInLargeTextUsesLittleMemory(t *testing.T) {
	long, last := strings.Repeat("long \\n", 8<<20/7), `"`+strings.Repeat("é", 1<<20)+`"`
	pages := largeText(t, long, last)
	for pointer, want := range map[string]int64{
		"/long": int64(len(long)) + 2, "/keys/k454321": 6, "/keys/last": int64(len(last)),
	} {
		p, err := slice.ParsePointer(pointer)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		from, to, err := p.Span(t.Context(), pages)
		runtime.ReadMemStats(&after)
		if err != nil || to-from != want {
			t.Errorf("%s: %d to %d, %v, want %d bytes", pointer, from, to, err, want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s allocates %d bytes", pointer, n)
		}
	}
	p, _ := slice.ParsePointer("/keys/last")
	var got strings.Builder
	for next := int64(-1); ; {
		page, err := slice.Read(t.Context(), pages, p, next, slice.Budget{Bytes: 1_500_001, Lines: 1})
		if err != nil {
			t.Fatal(err)
		}
		got.Write(page.Data)
		if next = page.Next; next < 0 {
			break
		}
	}
	if got.String() != last {
		t.Errorf("%d bytes in pages, want %d", got.Len(), len(last))
	}
}

// The search ends with the call.
func TestPointerIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, _ := slice.ParsePointer("/a")
	if _, _, err := p.Span(ctx, open(t, []byte(`{"a":1}`))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// FuzzPointer finds what the naive reader finds in any JSON text, and never fails in an unknown way.
func FuzzPointer(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b\u0063":"x"}],"a":{}}`), "a", "1")
	f.Add([]byte("{\"\xff\":1.5e7}"), "\ufffd", "")
	f.Add([]byte(" [true , false,null\n] "), "2", "0")
	f.Fuzz(func(t *testing.T, text []byte, first, second string) {
		escape := strings.NewReplacer("~", "~0", "/", "~1")
		for _, tokens := range [][]string{nil, {first}, {first, second}} {
			pointer, want, ok := "", json.RawMessage(text), json.Valid(text)
			for _, token := range tokens {
				pointer += "/" + escape.Replace(token)
				if ok {
					want, ok = child(want, token)
				}
			}
			got, err := at(t, text, pointer)
			switch {
			case ok && (err != nil || got != string(want)):
				t.Errorf("%q in %q: %q, %v, want %q", pointer, text, got, err, want)
			case !ok && json.Valid(text) && !errors.Is(err, slice.ErrNothing):
				t.Errorf("%q in %q: %q, %v, want nothing", pointer, text, got, err)
			case err == nil && !json.Valid([]byte(got)):
				t.Errorf("%q in %q: %q is no value", pointer, text, got)
			case err != nil && !errors.Is(err, slice.ErrNothing) && !errors.Is(err, slice.ErrJSON):
				t.Errorf("%q in %q: %v", pointer, text, err)
			}
		}
	})
}

// BenchmarkPointer goes past texts of different kinds.
func BenchmarkPointer(b *testing.B) {
	p, _ := slice.ParsePointer("/nobody")
	for name, unit := range map[string]string{
		"records": `{"id":12345,"name":"some name","tags":["a","b"],"score":0.25,"ok":true},` + "\n",
		"text":    `"` + strings.Repeat("a line of text without an end ", 1000) + `",`,
	} {
		text := []byte("[" + strings.Repeat(unit, 16<<20/len(unit)) + "0]")
		b.Run(name, func(b *testing.B) {
			pages := open(b, text)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, _, err := p.Span(b.Context(), pages); !errors.Is(err, slice.ErrNothing) {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/encoding/json", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !json.Valid(text) {
					b.Fatal("not JSON")
				}
			}
		})
	}
}
