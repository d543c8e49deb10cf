package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/redact"
)

// Every planted secret is found, wherever it is, and however the text is cut
// into chunks.
func TestPlanted(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues(redacttest.Secrets())
	if err != nil {
		t.Fatal(err)
	}
	list := redacttest.Planted()
	if len(list) < 2000 {
		t.Errorf("only %d secrets were planted", len(list))
	}
	bad := 0
	for _, p := range list {
		o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
		if !p.Registered {
			o.Values = nil
		}
		out, found := redact.Text(o, p.Text)
		if part := p.Seen(out); part != nil {
			t.Errorf("%s, %s:\n%q\ngives\n%q,\nwhich has %q", p.Kind, p.Where, p.Text, out, part)
			if bad++; bad > 40 {
				t.FailNow()
			}
			continue
		}
		_ = found
	}
	t.Logf("%d secrets were planted", len(list))
}

// stream writes chunks, some of them together.
func stream(o redact.Options, chunks [][]byte) ([]byte, []redact.Count) {
	r := redact.New(o)
	var out bytes.Buffer
	for together := 1; len(chunks) > 0; together = together%3 + 1 {
		n := min(together, len(chunks))
		var parts [][]byte
		for _, c := range chunks[:n] {
			parts = append(parts, bytes.Clone(c))
		}
		chunks = chunks[n:]
		for _, p := range r.Write(parts) {
			out.Write(p)
		}
		// The caller may use its buffers again once Write has returned.
		for _, p := range parts {
			for i := range p {
				p[i] = '!'
			}
		}
	}
	for _, p := range r.Flush() {
		out.Write(p)
	}
	return out.Bytes(), r.Found()
}

// What was found has the name of the rule that knows most of it, and only the
// secret is replaced.
func TestKinds(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues([]redact.Secret{{Name: "mine", Value: []byte("correct horse battery")}, {Name: "part", Value: []byte("horse battery staple")}, {Name: "bracket", Value: []byte("mypass12[")}})
	if err != nil {
		t.Fatal(err)
	}
	o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
	const pat = "ghp_0123456789abcdefABCDEF0123456789abcd"
	for text, want := range map[string]string{
		"GITHUB_TOKEN=" + pat + " ok":                   "GITHUB_TOKEN=[redacted:github-pat] ok",
		"Authorization: Bearer " + pat:                  "Authorization: Bearer [redacted:github-pat]",
		"Authorization: Basic dXNlcjpwYXNzdzByZA==":     "Authorization: Basic [redacted:authorization-header]",
		"https://x-access-token:" + pat + "@github.com": "https://x-access-token:[redacted:github-pat]@github.com",
		"postgres://app:s3cr3t@db:5432/app":             "postgres://app:[redacted:url-password]@db:5432/app",
		"the correct horse battery staple":              "the [redacted:mine]",
		"PASSWORD='correct horse battery' x":            "PASSWORD='[redacted:mine]' x",
		// A tool must not hide a secret in the form of a placeholder.
		"[redacted:" + pat + "]":                       "[redacted:[redacted:github-pat]]",
		"[redacted:correct horse battery]":             "[redacted:[redacted:mine]]",
		"[redacted:github-pat] [redacted:mine]":        "[redacted:github-pat] [redacted:mine]",
		pat + "AKIAQ3EGRW7TN2XK5LZD":                   "[redacted:github-pat][redacted:aws-access-token]",
		"let mypass12[redacted:mine]":                  "let mypass12[redacted:mine]",
		"AKIAQ3EGRW7TN2XK5LZD" + pat:                   "AKIAQ3EGRW7TN2XK5LZD[redacted:github-pat]",
		"let mypass12[":                                "let [redacted:bracket]",
		"glued" + pat + "x AKIAQ3EGRW7TN2XK5LZD":       "glued[redacted:github-pat]x [redacted:aws-access-token]",
		"AKIAQ3EGRW7TN2XK5LZDX AKIAQ3EGRW7TN2XEXAMPLE": "AKIAQ3EGRW7TN2XK5LZDX AKIAQ3EGRW7TN2XEXAMPLE",
		"ghp_000000000000000000000000000000000000 no":  "ghp_000000000000000000000000000000000000 no",
	} {
		out, _ := redact.Text(o, []byte(text))
		if string(out) != want {
			t.Errorf("%s gives\n%s, want\n%s", text, out, want)
		}
		if again, found := redact.Text(o, out); !bytes.Equal(again, out) || len(found) > 0 {
			t.Errorf("%s gives %s, and that %s", text, out, again)
		}
	}
	o.SameLength = true
	for text, want := range map[string]string{
		"GITHUB_TOKEN=" + pat + " ok":       "GITHUB_TOKEN=[redacted:github-pat]******************* ok",
		"postgres://app:s3cr3t@db:5432/app": "postgres://app:******@db:5432/app",
	} {
		if out, _ := redact.Text(o, []byte(text)); string(out) != want {
			t.Errorf("%s gives\n%s, want\n%s", text, out, want)
		}
	}
	for n := 8; n < 60; n++ {
		text := "A_SECRET=" + strings.Repeat("Ab3dEf6hIj9lMn2pQr5t", 3)[:n] + " z"
		if out, found := redact.Text(o, []byte(text)); len(found) != 1 || len(out) != len(text) {
			t.Errorf("%s gives %s", text, out)
		}
	}
	out, found := redact.Text(redact.Options{}, []byte(pat))
	if string(out) != pat || found != nil {
		t.Errorf("without rules: %s, %v", out, found)
	}
}
