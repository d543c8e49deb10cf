package redact

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is escaped in a string of JSON may stand inside of a secret, and is gone when the string is read.
func TestSecretsInStringsOfJSON(t *testing.T) {
	t.Parallel()
	values, err := NewValues([]Secret{{Name: "A", Value: []byte("first-value-of-all")}})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Values: values, Patterns: BuiltIn()}
	for text, want := range map[string]string{
		`{"a":"x first-\u001b[1mvalue\u001b[0m-of-all y"}`:                       `{"a":"x [redacted:A] y"}`,
		`{"a":"\u0066irst-value-of-\u0061ll <"}`:                                 `{"a":"[redacted:A] <"}`,
		`{"a":"{\"b\":\"first-\\u001b[1mvalue-of-all\"}"}`:                       `{"a":"{\"b\":\"[redacted:A]\"}"}`,
		`{"first-\u001b[1mvalue-of-all":[1,2.50,-0]}`:                            `{"[redacted:A]":[1,2.50,-0]}`,
		`{"a":"nothing \u001b[1mhere","b":"\ud800","c":12345678901234567890123}`: `{"a":"nothing \u001b[1mhere","b":"\ud800","c":12345678901234567890123}`,
	} {
		if got, _, err := Whole(t.Context(), o, []byte(text)); err != nil || string(got) != want {
			t.Errorf("%s gives\n%s, want\n%s", text, got, want)
		}
	}
}

// TestMaskedJSONStaysJSON masks values that stand over escapes, in names, numbers and across scalars.
func TestMaskedJSONStaysJSON(t *testing.T) {
	t.Parallel()
	values, err := NewValues([]Secret{
		{Name: "A", Value: []byte("first-value-of-all")}, {Name: "B", Value: []byte(`quo"ted\value`)}, {Name: "C", Value: []byte("12345678901")},
		{Name: "D", Value: []byte(`":[1,"xyz`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"a":"x first-value-of-all y"}`:   `{"a":"x [redacted:A]****** y"}`,
		`{"first-value-of-all":[1,2.50]}`:  `{"[redacted:A]******":[1,2.50]}`,
		`{"a":"quo\"ted\\value","b":"\""}`: `{"a":"[re\"cte\\B]***","b":"\""}`,
		`[-12345678901.5e3,"\u00e9"]`:      `[-11111111111.5e3,"\u00e9"]`,
		`{"long enough":[1,"xyz"]}`:        `{"long enough":[1,"***"]}`,
	} {
		got := []byte(text)
		if err := MaskJSON(t.Context(), Options{Values: values}, got); err != nil || !json.Valid(got) || len(got) != len(text) {
			t.Errorf("%s gives %s", text, got)
		} else if string(got) != want {
			t.Errorf("%s gives %s, not %s", text, got, want)
		}
	}
}

// TestScalarsCoverTheText cuts any JSON into scalars and what is between: the parts are the text, and none is empty.
func TestScalarsCoverTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"a\"b":[1,-2.5e3,true,null,""],"c":{}}`, ` [ "x" , 1 ] `, `"x`, `{"a":"\\"}`, "1", `""`} {
		var parts []string
		for rest := []byte(text); len(rest) > 0; {
			n := scalar(rest)
			if n < 1 || n > len(rest) {
				t.Fatalf("%s: %d of %d bytes", text, n, len(rest))
			}
			parts, rest = append(parts, string(rest[:n])), rest[n:]
		}
		if strings.Join(parts, "") != text {
			t.Errorf("%s: %q", text, parts)
		}
		for _, p := range parts {
			if p[0] == '"' && len(p) > 1 && p[len(p)-1] != '"' && text != `"x` {
				t.Errorf("%s: the string %q", text, p)
			}
		}
	}
	for text, want := range map[string]bool{"{": true, " \t\r\n[": true, "": false, " ": false, "x{": false, `"x"`: true, "1": false} {
		if looksLikeJSON([]byte(text)) != want {
			t.Errorf("%q looks like JSON: %v", text, !want)
		}
	}
}
