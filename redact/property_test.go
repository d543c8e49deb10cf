package redact_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/redact"
)

// fragments is what texts are put together of: parts of secrets more often than
// whole ones, and the text around them.
func fragments() []string {
	list := []string{
		"\n", "\r", "\r\n", "\b", " ", "=", ": ", `"`, `\"`, `\n`, "'", ";", ",", "*", "********", "[", "]", "@", "://", "/", ".", "-", "_", "a", "A", "0", "%", "\\",
		"\x1b", "\x1b[", "\x1b[31m", "\x1b[0m", "\x1b]0;", "\x07", "\x1b\\", "\x1b(B",
		"[redacted:", "[redacted:short]", "[redacted:github-pat]", "[redacted:nobody]", "redacted",
		"token", "key", "secret", "password", "PASSWORD=", "MY_TOKEN=", "api_key = ", "Authorization: Bearer ", "https://bob:", "hunter22", "curl -u ", "--token ",
		"ghp_0123456789abcdefABCDEF0123456789abcd", "ghp_", "AKIAIOSFODNN7QX5PL2Z", "AKIA", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.", "eyJ",
		"-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", strings.Repeat("MIIEvQ", 12), "adobe", "twitter",
		"0123456789abcdef", "zQ7mK2pX9vB4nR8t", "é", "\xff", "\x00",
		strings.Repeat("Ab3", 300), strings.Repeat("x\n", 40), strings.Repeat("Ab3/Ef+hIj/lMn2pQr5/", 300), strings.Repeat("zQ7mK2pX9vB4nR8t_", 900),
	}
	for i, p := range redacttest.Planted() {
		if i%37 == 0 {
			list = append(list, string(p.Text), string(p.Secret))
		}
	}
	for _, s := range redacttest.Secrets() {
		list = append(list, string(s.Value), string(s.Value[:5]), string(s.Value[5:]))
	}
	return list
}

func drawText(t *rapid.T, list []string) []byte {
	var b bytes.Buffer
	for _, s := range rapid.SliceOfN(rapid.SampledFrom(list), 1, 14).Draw(t, "fragments") {
		if rapid.IntRange(0, 4).Draw(t, "cut") == 0 && len(s) > 1 {
			s = s[:rapid.IntRange(1, len(s)).Draw(t, "to")]
		}
		b.WriteString(s)
	}
	return b.Bytes()
}

func options(t testing.TB) []redact.Options {
	values, err := redact.NewValues(redacttest.Secrets())
	if err != nil {
		t.Fatal(err)
	}
	return []redact.Options{
		{Values: values, Patterns: redact.BuiltIn()},
		{Values: values, Patterns: redact.BuiltIn(), SameLength: true},
		{Values: values},
		{Patterns: redact.BuiltIn()},
	}
}

// However a text is cut, the output and the counts are the same, redacting again
// finds nothing, and the same length stays the same.
func TestProperties(t *testing.T) {
	t.Parallel()
	list, all := fragments(), options(t)
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, list)
		o := rapid.SampledFrom(all).Draw(t, "options")
		var chunks [][]byte
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), rapid.SampledFrom([]int{1, 3, 20, 1000, 5000}).Draw(t, "most"))).Draw(t, "chunk")
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		check(t, o, text, chunks)
	})
}

type fataler interface{ Fatalf(string, ...any) }

func check(t fataler, o redact.Options, text []byte, chunks [][]byte) {
	whole, found := redact.Text(o, bytes.Clone(text))
	out, counts := stream(o, chunks)
	if !bytes.Equal(out, whole) {
		t.Fatalf("%q in %d chunks %q gives\n%q, whole\n%q", text, len(chunks), chunks, out, whole)
	}
	if diff := cmp.Diff(found, counts); diff != "" {
		t.Fatalf("%q in chunks is counted otherwise (-whole +chunks):\n%s", text, diff)
	}
	if (len(found) == 0) != bytes.Equal(text, whole) {
		t.Fatalf("%q gives %q, found %v", text, whole, found)
	}
	if o.SameLength && len(whole) != len(text) {
		t.Fatalf("%q gives %q: %d bytes, not %d", text, whole, len(whole), len(text))
	}
	again, more := redact.Text(o, whole)
	if len(more) > 0 || !bytes.Equal(again, whole) {
		t.Fatalf("%q gives\n%q, and that\n%q %v", text, whole, again, more)
	}
}

// Every plant, cut at every byte of it.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	all := options(t)
	list := redacttest.Planted()
	step := 1
	if testing.Short() || raceEnabled {
		step = 10
	}
	for i := 0; i < len(list); i += step {
		p := list[i]
		o := all[i%2]
		want, _ := redact.Text(o, p.Text)
		at := bytes.Index(p.Text, p.Secret[:min(4, len(p.Secret))])
		for cut := max(1, at); cut < min(len(p.Text), at+400); cut += 1 + cut%3 {
			out, _ := stream(o, [][]byte{p.Text[:cut], p.Text[cut:]})
			if !bytes.Equal(out, want) {
				t.Fatalf("%s, %s: %q cut at %d gives\n%q, whole\n%q", p.Kind, p.Where, p.Text, cut, out, want)
			}
		}
		bytewise, _ := stream(o, slices.Collect(slices.Chunk(p.Text, 1)))
		if !bytes.Equal(bytewise, want) {
			t.Fatalf("%s, %s: %q byte by byte gives\n%q, whole\n%q", p.Kind, p.Where, p.Text, bytewise, want)
		}
	}
}
