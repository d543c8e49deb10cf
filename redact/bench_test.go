package redact_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/cputime"
	"github.com/toolresult/toolresult/redact"
)

const benchSize = 4 << 20

func repeat(s string) []byte { return bytes.Repeat([]byte(s), benchSize/len(s)+1)[:benchSize] }

// inEachLine is one of them.
const inEachLine = "k7QpX9zR2mWc4"

func many(n int) *redact.Values {
	r := rand.New(rand.NewPCG(1, 2))
	var list []redact.Secret
	if n > 0 {
		list = append(list, redact.Secret{Name: "line", Value: []byte(inEachLine)})
	}
	for i := range n - 1 {
		b := make([]byte, 32)
		for k := range b {
			b[k] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(62)]
		}
		list = append(list, redact.Secret{Name: fmt.Sprintf("s%d", i), Value: append([]byte("shared-prefix-"), b...)})
	}
	v, err := redact.NewValues(list)
	if err != nil {
		panic(err)
	}
	return v
}

func random(alphabet string) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, benchSize)
	for k := range b {
		b[k] = alphabet[r.IntN(len(alphabet))]
	}
	return b
}

// log is made of lines as builds write them.
func buildLog() []byte {
	lines := []string{
		"2026-01-02T03:04:05.123Z [INFO] Downloading https://repo.maven.apache.org/maven2/org/apache/commons/commons-lang3/3.12.0/commons-lang3-3.12.0.pom (12 kB at 1.2 MB/s)\n",
		"=== RUN   TestParseRequest/empty_body\n--- PASS: TestParseRequest/empty_body (0.00s)\n",
		"src/main/java/com/example/Foo.java:123: warning: [unchecked] unchecked cast\n",
		"    at org.junit.runners.ParentRunner$3.run(ParentRunner.java:290)\n",
		"  CC      drivers/net/ethernet/intel/e1000/e1000_main.o\n",
		"\x1b[32m✓\x1b[0m renders the component when the token is missing (12ms)\n",
		"go: downloading github.com/stretchr/testify v1.8.4 h1:CcVxjf3Q8PM0mHUKJCdn+eZZtm5yQwehR5yeSVQQcUk=\n",
		"Collecting package metadata (current_repodata.json): ...working... done\n",
		"[ 45%] Building CXX object src/CMakeFiles/core.dir/engine/session_key.cpp.o\n",
		"npm WARN deprecated request@2.88.2: request has been deprecated, see https://github.com/request/request/issues/3142\n",
	}
	r := rand.New(rand.NewPCG(5, 6))
	var b bytes.Buffer
	for b.Len() < benchSize {
		b.WriteString(lines[r.IntN(len(lines))])
	}
	return b.Bytes()[:benchSize]
}

var shapes = []struct {
	name string
	text func() []byte
}{
	{"log", buildLog},
	{"no newline", func() []byte { return repeat("the quick brown fox jumps over the lazy dog ") }},
	{"token=", func() []byte { return repeat("token=") }},
	{"key:", func() []byte { return repeat("key:") }},
	{"api_key=value ", func() []byte { return repeat("api_key=value ") }},
	{"token spaced", func() []byte { return repeat("token             ") }},
	{"tokens", func() []byte { return repeat("tokensecretpassword") }},
	{"AKIA", func() []byte { return repeat("AKIA") }},
	{"ghp_", func() []byte { return repeat("ghp_") }},
	{"prefixes", func() []byte { return repeat("ghp_xoxb-AKIAeyJhglpat-sk_live_SG.npm_hf_") }},
	{"eyJ", func() []byte { return repeat("eyJhbGciOi.") }},
	{"twitter=", func() []byte { return repeat("twitter=") }},
	{"twitter long", func() []byte { return repeat("twitter=aaaaaaaaaabbbbbbbbbb ") }},
	{"base64", func() []byte { return random("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") }},
	{"hex", func() []byte { return random("0123456789abcdef") }},
	{"assigned base64", func() []byte {
		return repeat("token=" + strings.Repeat("Ab3dE", 20) + " ")
	}},
	{"secrets", func() []byte { return repeat("ghp_0123456789abcdefABCDEF0123456789abcd ") }},
	{"secrets AKIA", func() []byte { return repeat("AKIAQ3EGRW7TN2XK5LZD ") }},
	{"env secrets", func() []byte { return repeat("A_TOKEN=a1b2c3d4\n") }},
	{"env secrets in a row", func() []byte { return repeat("A_TOKEN=a1&") }},
	{"env names in a row", func() []byte { return repeat("A_TOKEN=&") }},
	{"quoted values", func() []byte { return repeat("password='x''") }},
	{"open quotes", func() []byte { return repeat("password=\"'") }},
	{"open brackets", func() []byte { return repeat("password=(") }},
	{"escapes in values", func() []byte { return repeat("password=\\\\") }},
	{"urls", func() []byte { return repeat("://a:b@") }},
	{"url open", func() []byte { return repeat("://") }},
	{"BEGIN", func() []byte { return repeat("-----BEGIN PRIVATE KEY-----") }},
	{"BEGIN lines", func() []byte { return repeat("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n") }},
	{"placeholders", func() []byte { return repeat("[redacted:github-pat]") }},
	{"marks", func() []byte { return repeat("[redacted:") }},
	{"prefix of values", func() []byte { return repeat("shared-prefix-") }},
	{"first bytes of values", func() []byte { return repeat("shared-p") }},
	{"values in lines", func() []byte { return repeat("x " + inEachLine + "\n") }},
	{"newlines", func() []byte { return repeat("\n") }},
	{"short lines", func() []byte { return repeat("a\n") }},
	{"escapes", func() []byte { return repeat("\x1b[31mx\x1b[0m") }},
	{"titles", func() []byte { return repeat("\x1b]") }},
	{"open titles", func() []byte { return repeat("\x1b]" + strings.Repeat("a", 100)) }},
	{"prefix in lines", func() []byte { return repeat("share\nd-prefix-\n") }},
	{"random", func() []byte {
		return random(string(func() (b []byte) {
			for c := range 256 {
				b = append(b, byte(c))
			}
			return
		}()))
	}},
}

// BenchmarkShapes times redaction of the worst shapes and of a log, in chunks of
// 64 KiB, with the time of a processor and not of a clock. Beside it, in turns:
// bytes.IndexByte for a byte that is not there, and a copy.
func BenchmarkShapes(b *testing.B) {
	values := many(1000)
	other := make([]byte, benchSize)
	for _, s := range shapes {
		text := s.text()
		for _, m := range []struct {
			name string
			o    redact.Options
		}{
			{"patterns", redact.Options{Patterns: redact.BuiltIn()}},
			{"values", redact.Options{Values: values}},
			{"both", redact.Options{Values: values, Patterns: redact.BuiltIn()}},
		} {
			b.Run(s.name+"/"+m.name, func(b *testing.B) {
				var ours, index, copied time.Duration
				for b.Loop() {
					ours += timed(b, func() { pass(m.o, text) })
					index += timed(b, func() {
						for range 16 { // one is too short to be timed
							if bytes.IndexByte(text, 0) >= 0 && s.name != "random" {
								b.Fatal("found")
							}
						}
					})
					copied += timed(b, func() {
						for range 16 {
							copy(other, text)
						}
					})
				}
				b.ReportMetric(float64(b.N)*benchSize/1e6/ours.Seconds(), "MB/s")
				b.ReportMetric(float64(16*ours)/float64(index), "xIndexByte")
				b.ReportMetric(float64(16*ours)/float64(copied), "xcopy")
			})
		}
	}
}

// BenchmarkCorpus is BenchmarkShapes for real outputs, if they are there.
func BenchmarkCorpus(b *testing.B) {
	var text []byte
	for _, d := range corpus(b) {
		text = append(text, d...)
	}
	for _, n := range []int{0, 10, 1000} {
		o := redact.Options{Values: many(n), Patterns: redact.BuiltIn()}
		b.Run(fmt.Sprintf("%d values", n), func(b *testing.B) {
			var ours, copied time.Duration
			other := make([]byte, len(text))
			for b.Loop() {
				ours += timed(b, func() { pass(o, text) })
				copied += timed(b, func() { copy(other, text) })
			}
			b.ReportMetric(float64(b.N)*float64(len(text))/1e6/ours.Seconds(), "MB/s")
			b.ReportMetric(float64(ours)/float64(copied), "xcopy")
		})
	}
}

// timed returns the CPU time of f.
func timed(tb testing.TB, f func()) time.Duration {
	tb.Helper()
	before := cputime.Used(tb)
	f()
	return cputime.Used(tb) - before
}

func pass(o redact.Options, text []byte) {
	r := redact.New(o)
	for rest := text; len(rest) > 0; rest = rest[min(len(rest), 64<<10):] {
		r.Write([][]byte{rest[:min(len(rest), 64<<10)]})
	}
	r.Flush()
}

// No shape takes more than linear time: four times the text takes less than eight
// times as long.
func TestLinear(t *testing.T) {
	if raceEnabled {
		t.Skip("times are others under the race detector")
	}
	values := many(100)
	for _, s := range shapes {
		text := s.text()[:512<<10]
		o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
		pass(o, text[:64<<10])
		short := timed(t, func() { pass(o, text[:128<<10]); redact.Text(o, text[:128<<10]) })
		long := timed(t, func() { pass(o, text); redact.Text(o, text) })
		if long > 8*max(short, 40*time.Millisecond) {
			t.Errorf("%s: %v for 128 KiB, %v for 512 KiB", s.name, short, long)
		}
	}
}

func BenchmarkNewValues(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				many(n)
			}
		})
	}
}
