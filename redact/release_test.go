package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/redact"
)

// released returns what a log shows that is written in two parts with a pause between.
func released(o redact.Options, before, after []byte, patienceOver bool) []byte {
	o.SameLength = true
	r := redact.New(o)
	var out bytes.Buffer
	write := func(parts [][]byte) {
		for _, p := range parts {
			out.Write(p)
		}
	}
	write(r.Write([][]byte{bytes.Clone(before)}))
	write(r.Release(false))
	if patienceOver {
		write(r.Release(true))
	}
	write(r.Write([][]byte{bytes.Clone(after)}))
	write(r.Flush())
	return out.Bytes()
}

// TestReleaseInTheMiddleOfASecret pauses in the middle of secrets: no more than the first bytes of one is shown, and nothing is
// lost.
func TestReleaseInTheMiddleOfASecret(t *testing.T) {
	t.Parallel()
	cutSecrets(t, func(i, cut int) int { return 3 + (cut+i)%11 }, func(o redact.Options, before, after []byte) []byte {
		out := released(o, before, after, false)
		if len(out) != len(before)+len(after) {
			t.Errorf("%q, a pause and %q give %q", before, after, out)
		}
		return out
	})
}

// TestReleaseShowsWhatNobodyWaitsFor releases the ends of lines and prompts, and holds the beginnings of values.
func TestReleaseShowsWhatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues([]redact.Secret{{Name: "db", Value: []byte("correct-horse-battery")}})
	if err != nil {
		t.Fatal(err)
	}
	o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
	for _, c := range []struct{ before, after, want string }{
		{"password: ", "x", "password: x"},
		{"Continue [y/N", "]", "Continue [y/N]"},
		{"it is cor", "rect", "it is correct"},
		{"it is corr", "ect-horse-battery.", "it is [redacted:db]********."},
		{"it is c", "orrect-horse-battery.", "it is c[redacted:db]*******."},
		{"password=", "Tr0ub4dor&3xkcd\n", "password=***************\n"},
		{"DB_PASSWORD=Tr0ub4", "dor&3xkcd\n", "DB_PASSWORD=***************\n"},
	} {
		if out := string(released(o, []byte(c.before), []byte(c.after), false)); out != c.want {
			t.Errorf("%q and %q give %q, want %q", c.before, c.after, out, c.want)
		}
	}
	if out := string(released(o, []byte("TOKEN_SECRET=a1b2"), []byte("c3d4e5f6\n"), true)); strings.Contains(out, "c3d4") || len(out) != 26 {
		t.Errorf("patience ended: %q", out)
	}
}

// TestPrimedStreamsGoOn cuts a text into two streams, of which the second one is primed with what the first one showed: it masks
// the rest of a secret.
func TestPrimedStreamsGoOn(t *testing.T) {
	t.Parallel()
	values, err := redact.NewValues([]redact.Secret{{Name: "db", Value: []byte("correct-horse-battery")}})
	if err != nil {
		t.Fatal(err)
	}
	o := redact.Options{Values: values, Patterns: redact.BuiltIn(), SameLength: true}
	for _, c := range [][3]string{
		{"it is ", "correct-horse-battery", ".\n"}, {"DB_PASSWORD=", "Tr0ub4dor&3xkcd", "\nnext\n"}, {"a ", "ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ", " b\n"},
	} {
		before, secret, after := c[0], c[1], c[2]
		text := before + secret + after
		for cut := len(before); cut < len(before)+len(secret); cut++ {
			first, _ := redact.Text(o, []byte(text[:cut]))
			r := redact.New(o)
			r.Prime(first, nil)
			second := bytes.Join(append(clones(r.Write([][]byte{[]byte(text[cut:])})), clones(r.Flush())...), nil)
			if len(first)+len(second) != len(text) || !strings.HasSuffix(string(second), after) {
				t.Fatalf("%q and %q", first, second)
			}
			for from := range len(secret) - 2 {
				if bytes.Contains(second, []byte(secret[from:from+3])) {
					t.Errorf("%q and %q", first, second)
					break
				}
			}
		}
	}
}

// clones copies parts that are valid until the next call.
func clones(parts [][]byte) (list [][]byte) {
	for _, p := range parts {
		list = append(list, bytes.Clone(p))
	}
	return list
}
