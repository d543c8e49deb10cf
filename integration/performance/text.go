package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// logs is text as tools print it: sections of builds, tests, package managers, searches and servers, made from a seed. A
// payload is a slice of it that begins with a line and ends with one, so payloads cost nothing to make, and differ.
type logs struct {
	text   []byte
	starts []int // offsets of the lines with which a payload may begin
}

// largest is the size of the largest payload, in bytes.
const largest = 1 << 20

// newLogs generates logs of n bytes, more than largest. The same seed gives the same text.
func newLogs(n int, seed uint64) *logs {
	w := &logWriter{Rand: rand.New(rand.NewPCG(seed, 0))}
	w.Grow(n + 64<<10)
	sections := []func(*logWriter){(*logWriter).goTest, (*logWriter).pytest, (*logWriter).compiler, (*logWriter).packages, (*logWriter).runner,
		(*logWriter).service, (*logWriter).search, (*logWriter).traceback}
	for w.Len() < n {
		sections[w.IntN(len(sections))](w)
	}
	l := &logs{text: w.Bytes()[:n:n]}
	for at := 0; at <= n-largest; at += bytes.IndexByte(l.text[at:], '\n') + 1 {
		l.starts = append(l.starts, at)
	}
	return l
}

// stride is a prime: payloads that follow each other are far apart in the text, so that no compressor sees a line twice.
const stride = 15_485_863

// payload returns a payload of at most n bytes, and less by a line at most. Payloads of different numbers begin with different
// lines, until the lines are used up.
func (l *logs) payload(number, n int) []byte {
	at := l.starts[number*stride%len(l.starts)]
	return l.text[at : at+bytes.LastIndexByte(l.text[at:at+n], '\n')+1]
}

// Kinds of large outputs.
const (
	quietLog  = "log of a build, one line in fifty an error"
	mixedLogs = "logs of many tools"
)

// quietText returns the log of a build in which little happens.
func quietText() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 8<<20; i++ {
		if i%50 == 0 {
			fmt.Fprintf(&b, "2026-11-21T09:14:%02dZ worker %d: error: module %d was not found\n", i%60, i%8, i)
		}
		fmt.Fprintf(&b, "2026-11-21T09:14:%02dZ worker %d: compiled module %d of 4096 in the usual time\n", i%60, i%8, i)
	}
	return b.Bytes()
}

// logWriter writes sections.
type logWriter struct {
	bytes.Buffer
	*rand.Rand
}

// print writes a line.
func (w *logWriter) print(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

var words = []string{"access", "account", "adapter", "archive", "batch", "broker", "buffer", "cache", "catalog", "channel", "client", "cluster", "codec",
	"config", "cursor", "digest", "dispatch", "driver", "encoder", "engine", "event", "export", "filter", "frame", "gateway", "handler", "header",
	"import", "index", "invoice", "journal", "ledger", "loader", "lock", "mapper", "message", "metric", "migrate", "model", "monitor", "notify",
	"order", "parser", "payload", "pipeline", "policy", "profile", "proxy", "queue", "reader", "record", "registry", "render", "report", "request",
	"resolver", "router", "sample", "schema", "search", "segment", "session", "shard", "signal", "snapshot", "socket", "storage", "stream", "sync",
	"table", "template", "thread", "timer", "tracker", "transport", "upload", "user", "validate", "vector", "version", "view", "watcher", "worker", "writer"}

// word returns a word.
func (w *logWriter) word() string { return words[w.IntN(len(words))] }

// name returns a name of two or three words in snake case.
func (w *logWriter) name() string {
	if w.IntN(3) == 0 {
		return w.word() + "_" + w.word() + "_" + w.word()
	}
	return w.word() + "_" + w.word()
}

// path returns the path of a source file.
func (w *logWriter) path(suffix string) string {
	return w.word() + "/" + w.word() + "/" + w.name() + suffix
}

// hex returns n hexadecimal digits.
func (w *logWriter) hex(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[w.IntN(16)]
	}
	return string(b)
}

// title returns a word with a capital.
func (w *logWriter) title() string {
	s := w.word()
	return string(s[0]-'a'+'A') + s[1:]
}

// version returns a version of a package.
func (w *logWriter) version() string {
	return fmt.Sprintf("%d.%d.%d", w.IntN(9), w.IntN(30), w.IntN(20))
}

func (w *logWriter) goTest() {
	pkg, test := "example.com/"+w.word()+"/"+w.word(), "Test"+w.title()+w.title()
	for i := range 5 + w.IntN(40) {
		name := fmt.Sprintf("%s/%s_%d", test, w.name(), i)
		w.print("=== RUN   %s", name)
		if w.IntN(6) == 0 {
			w.print("    %s_test.go:%d: %s of %s took %d ms", w.name(), 20+w.IntN(400), w.word(), w.path(".json"), w.IntN(900))
		}
		if w.IntN(60) == 0 {
			w.print("    %s_test.go:%d: got %d, want %d", w.name(), 20+w.IntN(400), w.IntN(99), w.IntN(99))
			w.print("--- FAIL: %s (0.%02ds)", name, w.IntN(99))
			continue
		}
		w.print("--- PASS: %s (0.%02ds)", name, w.IntN(99))
	}
	w.print("ok  \t%s\t%d.%03ds", pkg, w.IntN(20), w.IntN(1000))
}

func (w *logWriter) pytest() {
	file := "tests/" + w.path(".py")
	w.print("============================= test session starts ==============================")
	w.print("platform linux -- Python 3.%d.%d, pytest-%s, pluggy-%s", 9+w.IntN(5), w.IntN(12), w.version(), w.version())
	n := 10 + w.IntN(50)
	for i := range n {
		outcome := "PASSED"
		if w.IntN(50) == 0 {
			outcome = "FAILED"
		}
		w.print("%s::Test%s::test_%s[%s-%d] %s%*s[%3d%%]", file, w.title(), w.name(), w.word(), w.IntN(50), outcome, 1+w.IntN(12), "", 100*(i+1)/n)
	}
}

func (w *logWriter) compiler() {
	for i := range 10 + w.IntN(40) {
		w.print("[%d/%d] Building CXX object %s/CMakeFiles/%s.dir/%s.o", i+1, 812, w.word(), w.name(), w.path(".cc"))
		if w.IntN(9) == 0 {
			file, line := "../src/"+w.path(".cc"), 10+w.IntN(900)
			name := w.name()
			w.print("%s:%d:%d: warning: unused parameter '%s' [-Wunused-parameter]", file, line, 1+w.IntN(70), name)
			w.print("%5d | static int %s(const struct %s *%s, size_t %s)", line, w.name(), w.name(), w.word(), name)
			w.print("      | %*s^~~~~~~~", 10+w.IntN(50), "")
		}
	}
}

func (w *logWriter) packages() {
	for range 10 + w.IntN(40) {
		name := w.word() + "-" + w.word()
		switch w.IntN(4) {
		case 0:
			w.print("Collecting %s>=%s", name, w.version())
		case 1:
			w.print("  Downloading %s-%s-py3-none-any.whl (%d kB)", name, w.version(), 10+w.IntN(900))
		case 2:
			w.print("go: downloading example.com/%s/%s v%s", w.word(), name, w.version())
		default:
			w.print("npm warn deprecated %s@%s: this version is no longer supported, see %s", name, w.version(), w.word())
		}
	}
	w.print("added %d packages, and audited %d packages in %ds", 100+w.IntN(900), 1000+w.IntN(900), 1+w.IntN(60))
}

func (w *logWriter) runner() {
	w.print("##[group]Run actions/%s@v%d", w.word(), 1+w.IntN(5))
	w.print("Cache restored from key: %s-Linux-x64-%s", w.word(), w.hex(64))
	w.print("[command]/usr/bin/git -c protocol.version=2 fetch --no-tags --prune --depth=1 origin +%s:refs/remotes/pull/%d/merge", w.hex(40), w.IntN(9999))
	for range 5 + w.IntN(25) {
		w.print("2026-11-%02dT%02d:%02d:%02d.%07dZ %s: %s/%s (%d bytes, token %s)", 1+w.IntN(28), w.IntN(24), w.IntN(60), w.IntN(60), w.IntN(1e7), w.title(), w.word(),
			w.name(), w.IntN(1<<20), "***")
	}
	w.print("##[endgroup]")
}

func (w *logWriter) service() {
	levels := []string{"INFO", "INFO", "INFO", "INFO", "INFO", "DEBUG", "DEBUG", "WARN", "INFO", "INFO", "INFO", "ERROR"}
	second := w.IntN(80000)
	for range 20 + w.IntN(60) {
		second += w.IntN(3)
		w.print(`2026-11-21 %02d:%02d:%02d,%03d %-5s [%s-%d] com.example.%s.%s: %s %s id=%s-%s latency_ms=%d key=%s`, second/3600%24, second/60%60, second%60, w.IntN(1000),
			levels[w.IntN(len(levels))], w.word(), w.IntN(16), w.word(), w.title(), w.word(), w.word(), w.hex(8), w.hex(4), w.IntN(2000), w.name())
	}
}

func (w *logWriter) search() {
	name := w.name()
	for range 10 + w.IntN(50) {
		w.print("%s:%d:%*s%s := %s.%s(ctx, %s)", w.path(".go"), 1+w.IntN(900), 1+w.IntN(4), "\t", name, w.word(), w.title(), w.name())
	}
}

func (w *logWriter) traceback() {
	w.print("Traceback (most recent call last):")
	for range 4 + w.IntN(12) {
		w.print("  File \"/usr/lib/python3/dist-packages/%s\", line %d, in %s", w.path(".py"), 1+w.IntN(900), w.name())
		w.print("    %s = self.%s.%s(%s, %s=%s)", w.word(), w.word(), w.name(), w.word(), w.word(), w.name())
	}
	w.print("%sError: %s of %s is not %s: %d", w.title(), w.word(), w.name(), w.word(), w.IntN(4000))
}
