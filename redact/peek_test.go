package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/redact"
)

// peeked returns the output of a stream for a text that is only its beginning.
func peeked(o redact.Options, text []byte) []byte {
	r := redact.New(o)
	var out []byte
	for _, p := range r.Write([][]byte{text}) {
		out = append(out, p...)
	}
	return append(out, r.Peek()...)
}

// cutSecrets calls check with texts that have a secret, some places to cut each at, and options that find it; what check
// returns is shown, and may have no part of the secret.
func cutSecrets(t *testing.T, step func(i, cut int) int, check func(o redact.Options, before, after []byte) (shown []byte)) {
	t.Helper()
	values, err := redact.NewValues(redacttest.Secrets())
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	for i, p := range redacttest.Planted() {
		if testing.Short() && i%5 != 0 {
			continue
		}
		o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
		if !p.Registered {
			o.Values = nil
		}
		at := max(0, bytes.Index(p.Text, p.Secret[:min(4, len(p.Secret))]))
		for cut := at + 1; cut <= len(p.Text); cut += step(i, cut) {
			shown := check(o, p.Text[:cut], p.Text[cut:])
			if part := p.Seen(shown); part != nil {
				t.Errorf("%s, %s: %q and %q show %q: %q", p.Kind, p.Where, p.Text[:cut], p.Text[cut:], part, shown)
				if bad++; bad > 20 {
					t.FailNow()
				}
				break
			}
		}
	}
}

// A peek into a stream shows no part of a secret that is not whole yet.
func TestPeekInTheMiddleOfASecret(t *testing.T) {
	t.Parallel()
	cutSecrets(t, func(i, cut int) int { return 1 + (cut+i)%7 }, func(o redact.Options, before, _ []byte) []byte { return peeked(o, before) })
}

// A peek changes nothing, and shows what is decided and what a program asks.
func TestPeek(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues(redacttest.Secrets())
	if err != nil {
		t.Fatal(err)
	}
	o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
	for text, want := range map[string]string{
		"a line\n":                      "a line\n",
		"a line\nand more":              "a line\nand ****",
		"Password: ":                    "Password: ",
		"Continue? [y/N] ":              "Continue? [y/N] ",
		"export TOKEN=":                 "export ******",
		"k7#Qp!9":                       "*******",
		"x k7#Qp!9z":                    "x [redacted:short]",
		"done k7#Qp!9z\nk7#":            "done [redacted:short]\n***",
		"a pässwörd-密码":                 "a " + strings.Repeat("*", len("pässwörd-密码")),
		"ghp_0123456789abcdefABCDEF012": "*****************************",
	} {
		if got := peeked(o, []byte(text)); string(got) != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
		r := redact.New(o)
		var out bytes.Buffer
		for i := range len(text) {
			for _, p := range r.Write([][]byte{[]byte(text[i : i+1])}) {
				out.Write(p)
			}
			r.Peek()
		}
		for _, p := range r.Flush() {
			out.Write(p)
		}
		if whole, _ := redact.Text(o, []byte(text)); !bytes.Equal(out.Bytes(), whole) {
			t.Errorf("%q with peeks gives %q, without %q", text, out.Bytes(), whole)
		}
	}
}

// A secret without end is found before its end, and its bytes are counted.
func TestSecretWithoutEndIsFoundAndCounted(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues(redacttest.Secrets())
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range []bool{false, true} {
		r := redact.New(redact.Options{Values: values, Patterns: redact.BuiltIn(), SameLength: same})
		received, out := 0, 0
		for i := range 40 {
			part := []byte("a eyJhbGciOiJIUzI1NiJ9.eyJ")
			if i > 0 {
				part = bytes.Repeat([]byte("Ab3dEf6hIj9lMn2pQr5t"), 50)
			}
			before, any := bytes.Clone(r.Pending()), r.Any()
			if !any && out+len(before) != received {
				t.Errorf("part %d: %d bytes received, %d are out and %d pending", i, received, out, len(before))
			}
			received += len(part)
			for _, p := range r.Write([][]byte{part}) {
				out += len(p)
			}
			if i > 20 && !r.Any() {
				t.Errorf("part %d: nothing was found", i)
			}
			if n := int(r.Waiting()); same && out+n != received {
				t.Errorf("part %d: %d bytes received, %d are out and %d pending", i, received, out, n)
			}
			if shown := r.Peek(); bytes.Contains(shown, []byte("Ab3dEf6hIj9l")) {
				t.Errorf("part %d: it is shown %.100q", i, shown)
			}
		}
	}
}
