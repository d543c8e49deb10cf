package jsonspan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// values draws JSON text with white space and escapes in any place where they may be.
func values(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", "", " ", "\n", "\t \r"})
	text := rapid.SampledFrom([]string{`""`, `"a"`, `"\u0061"`, `"]"`, `"\\"`, `"\""`, `"}:,"`, `"é"`, `"\ud83d\ude00"`})
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind = min(kind, 3)
	}
	var b strings.Builder
	b.WriteString(space.Draw(t, "space"))
	switch kind {
	case 0:
		b.WriteString(rapid.SampledFrom([]string{"1", "1.0", "-1e9", "0"}).Draw(t, "number"))
	case 1:
		b.WriteString(rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word"))
	case 2, 3:
		b.WriteString(text.Draw(t, "text"))
	case 4, 5:
		b.WriteByte("[{"[kind-4])
		for i := range rapid.IntRange(0, 4).Draw(t, "n") {
			if i > 0 {
				b.WriteByte(',')
			}
			if kind == 5 {
				b.WriteString(space.Draw(t, "space") + text.Draw(t, "name") + space.Draw(t, "space") + ":")
			}
			b.WriteString(values(t, depth-1))
		}
		b.WriteString(space.Draw(t, "space"))
		b.WriteByte("]}"[kind-4])
	}
	b.WriteString(space.Draw(t, "space"))
	return b.String()
}

// drawn draws JSON text.
func drawn(t *rapid.T, name string) []byte {
	return rapid.Custom(func(t *rapid.T) []byte { return []byte(values(t, 4)) }).Draw(t, name)
}

// decoded returns the value of a text by encoding/json, with numbers as they are written.
func decoded(t *rapid.T, text []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// repeatsName looks for a name that an object has twice by the tokens of encoding/json.
func repeatsName(t *rapid.T, dec *json.Decoder) bool {
	token, err := dec.Token()
	if errors.Is(err, io.EOF) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	repeats := false
	switch token {
	case json.Delim('{'):
		seen := map[any]bool{}
		for dec.More() {
			name, _ := dec.Token()
			repeats, seen[name] = repeats || seen[name], true
			repeats = repeatsName(t, dec) || repeats
		}
		_, _ = dec.Token()
	case json.Delim('['):
		for dec.More() {
			repeats = repeatsName(t, dec) || repeats
		}
		_, _ = dec.Token()
	}
	return repeats
}

// Names are found twice exactly where encoding/json reads them twice.
func TestRepeatedNamesAreThoseOfTheDecoder(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":1,"a":1}`: true, `{"a":1,"\u0061":1}`: true, `{"b":{"c":1,"a":2},"a":[{"x":1,"y":2,"x":3}]}`: true, `{"":1,"":2}`: true,
		`{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}`: false, `{"a":"b","b":"a"}`: false, `["a","a"]`: false, `"a"`: false,
	} {
		if got := jsonspan.RepeatsName([]byte(text)); got != want {
			t.Errorf("%s repeats a name: %v", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte("[" + string(drawn(t, "a")) + "," + string(drawn(t, "b")) + "," + string(drawn(t, "c")) + "]")
		if got, want := jsonspan.RepeatsName(text), repeatsName(t, json.NewDecoder(bytes.NewReader(text))); got != want {
			t.Errorf("%q repeats a name: %v, want %v", text, got, want)
		}
	})
}

// Two texts are equal exactly where encoding/json decodes them to equal values.
func TestEqualIsEqualityOfDecodedValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, "a"), drawn(t, "b")
		if rapid.Bool().Draw(t, "again") { // the same value, written in another order and with other escapes
			var err error
			if b, err = json.Marshal(decoded(t, a)); err != nil {
				t.Fatal(err)
			}
		}
		if jsonspan.RepeatsName(a) || jsonspan.RepeatsName(b) {
			t.Skip("a name comes twice")
		}
		want := reflect.DeepEqual(decoded(t, a), decoded(t, b))
		if got := jsonspan.Equal(a, b); got != want {
			t.Errorf("%q equals %q: %v, want %v", a, b, got, want)
		}
		if x, y := jsonspan.Weight(a), jsonspan.Weight(b); want && x != y {
			t.Errorf("%q has the weight %d, %q has %d", a, x, b, y)
		}
	})
}

// The members and the elements of a value are those of encoding/json, each of which ends where it ends.
func TestPartsAreThoseOfTheDecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawn(t, "text")
		var elements []any
		for e := range jsonspan.Elements(text) {
			elements = append(elements, decoded(t, e))
		}
		members := map[string]any{}
		for name, value := range jsonspan.Members(text) {
			s, ok := jsonspan.String(name)
			if !ok {
				t.Fatalf("name %q", name)
			}
			members[s] = decoded(t, value)
		}
		wantElements, _ := decoded(t, text).([]any)
		wantMembers, _ := decoded(t, text).(map[string]any)
		if !slices.EqualFunc(elements, wantElements, reflect.DeepEqual) || !maps.EqualFunc(members, wantMembers, reflect.DeepEqual) {
			t.Errorf("%q has %v and %v", text, elements, members)
		}
		want, isString := decoded(t, text).(string)
		if got, ok := jsonspan.String(text); got != want || ok != isString {
			t.Errorf("%q is the string %q: %v", text, got, ok)
		}
	})
}

// What is remembered of a text is bounded by its length, whatever its nesting.
func TestMemoryIsBoundedByText(t *testing.T) {
	for name, text := range map[string]string{
		"nested arrays":  "[" + strings.Repeat(strings.Repeat("[", 60)+strings.Repeat("]", 60)+",", 500) + "1]",
		"nested objects": "[" + strings.Repeat(strings.Repeat(`{"a":`, 60)+"1"+strings.Repeat("}", 60)+",", 500) + "1]",
		"small values":   "[" + strings.Repeat("1,", 50_000) + "1]",
		"empty objects":  "[" + strings.Repeat("{},", 50_000) + "1]",
		"members":        "[" + strings.Repeat(`{"a":1,"b":2},`, 10_000) + "1]",
	} {
		var before, after runtime.MemStats
		a, b := []byte(text), []byte(text)
		runtime.ReadMemStats(&before)
		if jsonspan.RepeatsName(a) || !jsonspan.Equal(a, b) {
			t.Errorf("%s: differs from itself", name)
		}
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(8*len(text)+4096); got > most {
			t.Errorf("%s: %d bytes for %d of text", name, got, len(text))
		}
	}
}
