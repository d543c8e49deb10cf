package frameworks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// binary is the path of the built sidecar.
var binary string

func TestMain(m *testing.M) { os.Exit(sidecartest.Main(m, &binary)) }

// deciding is the line of the log that a model needs.
const deciding = "src/main.go:7:2: undefined: x"

// longLog is what the tool answers: 30,001 lines, with one error in the middle.
func longLog() string {
	var b strings.Builder
	for i := range 30_000 {
		if i == 15_000 {
			b.WriteString(deciding + "\n")
		}
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

// shortLog is what stays as it is.
const shortLog = "ok\tcmd/toolresult\t1.2s\n\n\x1b[32mPASS\x1b[0m  \n"

// framework runs an agent for each file. It returns, for each file and each call of the model, what that call was shown.
type framework func(t testing.TB, address string, files ...string) [][][]string

// inPython returns a framework of python/drive.py.
func inPython(name string) framework {
	return func(t testing.TB, address string, files ...string) [][][]string {
		t.Helper()
		dir := installPython(t)
		env := []string{"TOOLRESULT_ADDRESS=" + address, "PYTHONPATH=" + root + "/docs/examples/frameworks"}
		return parse(t, outputWith(t, ".", env, append([]string{filepath.Join(dir, "bin", "python"), "python/drive.py", name}, files...)...))
	}
}

// inNode is the Vercel AI SDK.
func inNode(t testing.TB, address string, files ...string) [][][]string {
	t.Helper()
	dir := installNode(t)
	return parse(t, outputWith(t, dir, []string{"TOOLRESULT_ADDRESS=" + address}, append([]string{"node", "drive.mjs"}, files...)...))
}

func parse(t testing.TB, text string) (shown [][][]string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		t.Fatalf("%v\n%.1000s", err, text)
	}
	return shown
}

var frameworks = map[string]framework{
	"LangChain": inPython("langchain"), "Pydantic AI": inPython("pydantic"), "OpenAI Agents SDK": inPython("openai"), "Google ADK": inPython("adk"),
	"Vercel AI SDK": inNode,
}

// TestModelsAreShownReceipts runs each framework with a sidecar that serves, with none, and with one that is stopped: the model is
// shown a receipt with the deciding line in the first case, and the whole answer in the others. A short answer is never changed.
func TestModelsAreShownReceipts(t *testing.T) {
	for name, run := range frameworks {
		t.Run(name, func(t *testing.T) {
			need(t)
			dir := sidecartest.ShortDir(t)
			long, short := filepath.Join(dir, "long"), filepath.Join(dir, "short")
			for path, text := range map[string]string{long: longLog(), short: shortLog} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := sidecartest.Start(t, sidecartest.Options{Binary: binary})
			shown := run(t, s.Target(), long, short)
			wantAll(t, shown[0], "a receipt", func(text string) bool {
				return strings.Contains(text, deciding) && strings.Contains(text, "all: "+s.Store) && len(text) < len(longLog())/20
			})
			wantAll(t, shown[1], "the short answer", func(text string) bool { return text == shortLog })

			whole := func(text string) bool { return text == longLog() }
			wantAll(t, run(t, "unix:///nonexistent/s", long)[0], "the whole answer without a sidecar", whole)
			s.Signal(syscall.SIGSTOP)
			began := time.Now()
			wantAll(t, run(t, s.Target(), long)[0], "the whole answer with one that is stopped", whole)
			t.Logf("with one that is stopped: %v", time.Since(began))
			s.Signal(syscall.SIGCONT)
		})
	}
}

// wantAll checks every answer that the calls of a model were shown. The first call was shown none, and others were.
func wantAll(t testing.TB, calls [][]string, what string, holds func(string) bool) {
	t.Helper()
	n := 0
	for i, answers := range calls {
		for _, text := range answers {
			if n++; !holds(text) {
				t.Errorf("call %d was not shown %s: %.300q", i, what, text)
			}
		}
	}
	if n == 0 {
		t.Errorf("no call was shown %s: %v", what, calls)
	}
}

// TestExamplesAreShort has the examples, which are read before they are copied.
func TestExamplesAreShort(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob(root + "/docs/examples/frameworks/*")
	if err != nil || len(examples) < 6 {
		t.Fatal(examples, err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if lines := strings.Count(string(text), "\n"); err != nil || lines > 25 {
			t.Errorf("%s: %d lines, %v", path, lines, err)
		}
	}
}
