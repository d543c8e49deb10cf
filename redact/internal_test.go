package redact

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// The pending bytes of all stages have a bound, whatever they wait for.
func TestPendingBytesAreBounded(t *testing.T) {
	t.Parallel()
	var value bytes.Buffer
	for i := 0; value.Len() < MaxValue; i++ {
		fmt.Fprintf(&value, "%x+", i*2654435761)
	}
	values, err := NewValues([]Secret{{Name: "long", Value: value.Bytes()[:MaxValue]}, {Name: "other", Value: []byte("abcdefgh")}})
	if err != nil {
		t.Fatal(err)
	}
	pem := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwMIIEvQIBADANBgkqhkiG9w0B\n", 2000)
	v := value.String()
	for name, text := range map[string]string{
		"value begins":      strings.Repeat(v[:MaxValue-1]+" ", 10),
		"value and breaks":  strings.Repeat(v[:100]+strings.Repeat("\n", 100<<10), 3),
		"begin and breaks":  strings.Repeat("abc"+strings.Repeat("\r", 100<<10), 3),
		"value and titles":  strings.Repeat(v[:100]+strings.Repeat("\x1b]0;"+strings.Repeat("t", 2000)+"\a", 50), 3),
		"open title":        strings.Repeat("\x1b]0;"+strings.Repeat("t", 100<<10), 3),
		"key":               strings.Repeat(pem, 2),
		"key in a value":    v[:MaxValue-100] + strings.Repeat("\n", 7<<10) + pem,
		"token without end": "eyJhbGciOiJIUzI1NiJ9.eyJ" + strings.Repeat("Ab3", 100<<10),
		"one word":          strings.Repeat("a1", 200<<10),
		"url":               "https://user:" + strings.Repeat("p", 300<<10) + "@host",
		"name":              "token" + strings.Repeat(" ", 100<<10),
		"mark":              strings.Repeat("[redacted:", 30<<10),
	} {
		for _, size := range []int{373, 4 << 10, 64 << 10} {
			r := New(Options{Values: values, Patterns: BuiltIn(), SameLength: size%2 == 0})
			for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				r.Write([][]byte{rest[:min(size, len(rest))]})
				pending := 0
				for _, s := range r.stages {
					pending += len(s.pending)
				}
				if pending > 64<<10 {
					t.Fatalf("%s in chunks of %d: %d bytes are pending", name, size, pending)
				}
			}
			r.Flush()
		}
	}
}

// A run that goes on is redacted to its end, without a limit.
func TestRunIsRedactedToItsEnd(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Patterns: BuiltIn()}, {Patterns: BuiltIn(), SameLength: true}} {
		text := []byte("a eyJhbGciOiJIUzI1NiJ9.eyJ" + strings.Repeat("Ab3dEf6hIj9lMn2pQr5t", 10<<10) + " z")
		out, found := Text(o, text)
		if bytes.Contains(out, []byte("Ab3dEf")) || len(found) != 1 || found[0] != (Count{"jwt", 1, int64(len(text) - 4)}) || !bytes.HasSuffix(out, []byte(" z")) {
			t.Errorf("%.100q, %v", out, found)
		}
		if o.SameLength && len(out) != len(text) {
			t.Errorf("%d bytes, not %d", len(out), len(text))
		}
		// A rule of a higher rank finds something in the run, too late to name it.
		run := strings.Repeat("Ab3/Ef+hIj/lMn2pQr5/", 450)
		text = []byte("Authorization: Basic " + run + "-ghp_0123456789abcdefABCDEF0123456789abcd" + run + " z")
		out, _ = Text(o, text)
		r := New(o)
		var pieces []byte
		for rest := text; len(rest) > 0; rest = rest[min(997, len(rest)):] {
			pieces = append(pieces, bytes.Join(r.Write([][]byte{rest[:min(997, len(rest))]}), nil)...)
		}
		if pieces = append(pieces, bytes.Join(r.Flush(), nil)...); !bytes.Equal(pieces, out) {
			t.Errorf("%v: %d bytes in chunks, %d whole", o, len(pieces), len(out))
		}
	}
}

// Text and streams without a find cost no copy of it.
func TestNoCopy(t *testing.T) {
	t.Parallel()
	o := Options{Patterns: BuiltIn()}
	text := []byte(strings.Repeat("nothing to see here\n", 10000))
	out, found := Text(o, text)
	if &out[0] != &text[0] || found != nil {
		t.Error("a copy was returned")
	}
	r := New(o)
	r.Write([][]byte{text[:50]})
	parts := r.Write([][]byte{text[50:]})
	last := parts[len(parts)-1]
	if len(last) < len(text)-joined-100 || &last[len(last)-1] != &text[len(text)-1] {
		t.Errorf("%d parts, the last one has %d bytes", len(parts), len(last))
	}
}

var updateCompiled = flag.Bool("update-compiled", false, "write compiled.bin")

// The rules compile, to what is built in, and each is changed once at most.
func TestRules(t *testing.T) {
	t.Parallel()
	rulesJSON, err := os.ReadFile("rules.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := load(rulesJSON)
	if err != nil {
		t.Fatal(err)
	}
	compiled := p.encode()
	if *updateCompiled {
		if err := os.WriteFile("compiled.bin", compiled, 0o600); err != nil {
			t.Fatal(err)
		}
	} else if string(compiled) != compiledRules {
		t.Error("compiled.bin is not what the rules give; `make rules` writes it")
	}
	again, err := decode(string(compiled))
	if err == nil {
		err = again.rest()
		for i := range again.packed.rules.kept {
			again.rules = append(again.rules, *again.packed.rules.at(i))
		}
		for i := range again.packed.patterns.kept {
			again.patterns = append(again.patterns, *again.packed.patterns.at(i))
		}
		again.rest, again.packed = nil, nil
	}
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("the compiled rules are not the rules: %v", err)
	}
	for n := 0; n < len(compiled); n += max(1, len(compiled)/500) { // what is cut off is no rules, and no panic
		if part, err := decode(string(compiled[:n])); err == nil && part.rest() == nil {
			t.Errorf("%d bytes of %d are rules", n, len(compiled))
		}
	}
	for i := 1; i < len(changes); i++ {
		if changes[i].id <= changes[i-1].id {
			t.Errorf("changes are not sorted: %s", changes[i].id)
		}
	}
	for _, c := range changes {
		if c.why == "" {
			t.Errorf("%s is changed without a reason", c.id)
		}
		if !bytes.Contains(rulesJSON, fmt.Appendf(nil, `{"id":%q,`, c.id)) {
			t.Errorf("%s is not a rule of gitleaks", c.id)
		}
	}
	for _, k := range p.Kinds() {
		if len(k) > maxName || strings.ToLower(k) != k {
			t.Errorf("kind %s", k)
		}
	}
	if len(p.Kinds()) < 200 {
		t.Errorf("only %d kinds", len(p.Kinds()))
	}
}

// Placeholder finds what is written for every kind and every name of a value.
func TestPlaceholder(t *testing.T) {
	t.Parallel()
	k := kinds{}
	for _, name := range append(BuiltIn().Kinds(), "a", "db.pass-word_1", strings.Repeat("x", maxName)) {
		mark := k.marks[k.add(name)]
		if found := Placeholder().Find([]byte("a=" + string(mark) + ";")); !bytes.Equal(found, mark) {
			t.Errorf("%q is found of %s", found, mark)
		}
	}
}

// Empty lines with a margin are a run of one byte, which a search would begin to follow at each of its bytes.
func TestMarginsMakeNoRuns(t *testing.T) {
	t.Parallel()
	value := []byte(strings.Repeat("\n", 8000) + "1a2b3c4d")
	for _, form := range encodings(strip(value), value) {
		for _, margin := range margins {
			if strings.HasPrefix(form, strings.Repeat(margin, 8)) {
				t.Errorf("a form of %d bytes begins with %q", len(form), form[:16])
			}
		}
	}
}
