package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// loopBudget is small, so that thirty turns are compacted several times.
const loopBudget = 6000

const askedAgain = "the stream broke off; the model is asked again"

// The program of docs/transports.md works through thirty turns with a scripted
// model, against the real sidecar, and with real commands. It does so too when the sidecar is
// killed a few times.
func TestAgentLoop(t *testing.T) {
	t.Parallel()
	program := buildLoop(t)
	for _, c := range []struct {
		name, format string
		killed       bool
	}{{"native", "native", false}, {"text", "text", false}, {"killed", "native", true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testAgentLoop(t, program, c.format, c.killed)
		})
	}
}

func testAgentLoop(t *testing.T, program, format string, killed bool) {
	t.Helper()
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	s := startSidecar(t, launch{})
	linter := s
	if killed {
		linter = startSidecar(t, launch{})
	}
	model := &chatModel{t: t, forgets: killed, lint: linter.transport(), text: format == "text", paths: map[string]string{"REPO": repo}}
	endpoint := httptest.NewServer(model)
	defer endpoint.Close()
	dir := filepath.Join(shortDir(t), "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ended := make(chan ran, 1)
	go func() {
		ended <- runLoop(t, program, "--server", "unix://"+s.Socket, "--endpoint", endpoint.URL, "--format", format,
			"--dir", dir, "--task", "Make the package build.", "--max-steps", "40", "--budget", fmt.Sprint(loopBudget))
	}()
	var r ran
	if killed {
		r = killWhile(t, s, model, ended)
	} else {
		r = <-ended
	}
	if t.Logf("\n%s%s", r.stdout, r.stderr); r.code != 0 || t.Failed() {
		t.Fatalf("exit code %d", r.code)
	}
	checkSteps(t, model, r.stdout)
	if !strings.Contains(r.stderr, askedAgain) {
		t.Errorf("it says nothing of the stream that broke off:\n%s", r.stderr)
	}
	want := map[string]string{
		"go.mod": "module example.org/broken\n\ngo 1.26\n", "broken.go": mendedGo, "made-before-the-cut": "whole\n",
		"once.log": "once\n", "asked-again": "", "deep/down/ünïcode 😀.txt": "😀\n",
	}
	if diff := cmp.Diff(want, filesBelow(t, filepath.Dir(dir), "work/")); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
}

// Of a stream that breaks off whenever it is asked for, no call is made.
func TestAgentLoopGivesUp(t *testing.T) {
	t.Parallel()
	program := buildLoop(t)
	s := startSidecar(t, launch{})
	var asked atomic.Int32
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		answer := scripted{calls: []scriptedCall{sh("touch never"), sh("touch never")}}
		(&chatModel{}).answer(w, answer, true)
	}))
	defer endpoint.Close()
	dir := t.TempDir()
	r := runLoop(t, program, "--server", "unix://"+s.Socket, "--endpoint", endpoint.URL, "--dir", dir)
	if r.code != 1 || r.stdout != "" || asked.Load() != 2 || !strings.Contains(r.stderr, "STREAM_END_TRUNCATED") {
		t.Errorf("asked %d times, then %+v", asked.Load(), r)
	}
	if files := filesBelow(t, dir, ""); len(files) > 0 {
		t.Errorf("it made %v", files)
	}
}

// killWhile kills the sidecar in three turns of the model while the program runs, and starts
// it again.
func killWhile(t *testing.T, s *sidecar, model *chatModel, ended <-chan ran) ran {
	t.Helper()
	for last, kills := 0, 0; kills < 3; {
		select {
		case r := <-ended:
			return r
		case <-time.After(rand.N(time.Second)):
		}
		now := model.answered()
		if now == last {
			continue // a call is made again for some seconds, not for ever
		}
		last = now
		kills++
		s.Signal(syscall.SIGKILL)
		s.Wait()
		s = startSidecar(t, launch{Store: s.Store, Socket: s.Socket})
	}
	return <-ended
}

// buildLoop builds the program, and skips the test with -short.
func buildLoop(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped with -short: it builds a program; `make integration` runs it")
	}
	program := filepath.Join(t.TempDir(), "agentloop")
	args := []string{"build", "-o", program}
	if raceDetector {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "./agentloop")...).CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	return program
}

// runLoop runs the program to its end.
func runLoop(t *testing.T, program string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "GOFLAGS=", "GOWORK=off", "LC_ALL=C", "NO_PROXY=127.0.0.1")
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Error(err)
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

var stepLine = regexp.MustCompile(`^step (\d+): (\d+) calls, (\d+) tokens of receipts, (\d+) bytes of transcript(, compacted)?$`)

// checkSteps holds what the program says of its steps against what the model saw.
func checkSteps(t *testing.T, model *chatModel, stdout string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if len(lines) != len(script)+1 || lines[len(script)] != finalAnswer {
		t.Fatalf("%d turns, and it says\n%s", len(script), stdout)
	}
	var compacted []int
	for i, line := range lines[:len(script)] {
		var step, calls, tokens, size int
		if !stepLine.MatchString(line) {
			t.Fatalf("not the line of a step: %s", line)
		}
		_, _ = fmt.Sscanf(line, "step %d: %d calls, %d tokens of receipts, %d bytes", &step, &calls, &tokens, &size) // it matches
		messages := len(model.sizes)                                                                                 // of the last request
		if step != i+1 || calls != len(script[i].want) || tokens > loopBudget {
			t.Errorf("after turn %d with %d calls: %s", i+1, len(script[i].want), line)
		}
		if got := model.sizes[i+1]; size < got || size > got+10*messages { // with brackets and commas
			t.Errorf("the request after turn %d has %d bytes of messages: %s", i+1, got, line)
		}
		if strings.HasSuffix(line, ", compacted") {
			compacted = append(compacted, i+1)
		}
	}
	if !slices.Equal(compacted, model.changed) || len(compacted) == 0 {
		t.Errorf("earlier messages changed after turns %v, and it compacted after %v", model.changed, compacted)
	}
}

// filesBelow are all files of a directory, by their names without a prefix.
func filesBelow(t *testing.T, dir, prefix string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		files[strings.TrimPrefix(path, prefix)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every block of Go in the guide is a part of the program, but for its indentation.
func TestAgentLoopGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/transports.md")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("agentloop/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources, error %v", err)
	}
	var program []string
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		program = append(program, flush(string(text)))
	}
	blocks := regexp.MustCompile("(?ms)^ *```go\n(.*?)^ *```$").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) < 6 {
		t.Errorf("only %d blocks were found", len(blocks))
	}
	for _, b := range blocks {
		if !slices.ContainsFunc(program, func(source string) bool { return strings.Contains(source, flush(b[1])) }) {
			t.Errorf("this is not in the program:\n%s", b[1])
		}
	}
}

// flush is text without the white space around its lines.
func flush(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("\n" + strings.TrimSpace(line))
	}
	return b.String() + "\n"
}
