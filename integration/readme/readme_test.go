//go:build readme

package readme_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// block is one code block of the README.
type block struct{ language, text string }

// TestReadme does what the README says, in its order, as a reader would in a
// clean clone: every block is run, and a block of text is what the one before
// it must print. `make run` stays in the background for the blocks after it.
func TestReadme(t *testing.T) {
	root := cleanClone(t)
	state := filepath.Join(t.TempDir(), "state")
	runtimeDir, err := os.MkdirTemp("", "tr") // short, because a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(runtimeDir) }()
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TOOLRESULT_") })
	r := reader{t: t, root: root, state: state, env: append(own, "XDG_STATE_HOME="+state, "XDG_RUNTIME_DIR="+runtimeDir)}
	blocks := readBlocks(t, filepath.Join(root, "README.md"))
	if len(blocks) < 10 {
		t.Fatalf("only %d blocks were found", len(blocks))
	}
	for _, b := range blocks {
		switch {
		case b.language == "sh" && b.text == "make run\n":
			defer r.background(b.text)()
		case b.language == "sh":
			r.shell(b.text)
		case b.language == "go":
			r.program(b.text)
		case b.language == "text":
			r.expect(b.text)
		default:
			t.Errorf("nobody runs blocks of %q", b.language)
		}
	}
}

// reader is somebody who follows the README.
type reader struct {
	t           *testing.T
	root, state string
	env         []string
	printed     string
}

func (r *reader) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = r.root, r.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// shell runs a block to its end, with the store where this reader has it.
func (r *reader) shell(script string) {
	r.t.Helper()
	script = strings.ReplaceAll(script, "~/.local/state", r.state)
	start := time.Now()
	out, err := r.command("bash", "-euo", "pipefail", "-c", script).CombinedOutput()
	r.printed = string(out)
	r.t.Logf("%s (%.1fs)", strings.TrimSpace(script), time.Since(start).Seconds())
	if err != nil {
		r.t.Fatalf("%v\n%s", err, tail(out))
	}
}

// background starts a block that stays, waits for what it promises, and returns
// how to stop it as a person would.
func (r *reader) background(script string) func() {
	r.t.Helper()
	cmd := r.command("bash", "-c", script)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	promises := []string{"The sidecar serves unix://", "Process exited with code 0", " left out]", "Ctrl-C stops it."}
	lines := bufio.NewScanner(pipe)
	for len(promises) > 0 && lines.Scan() {
		r.t.Log(lines.Text())
		if strings.Contains(lines.Text(), promises[0]) {
			promises = promises[1:]
		}
	}
	if len(promises) > 0 {
		_ = cmd.Wait()
		r.t.Fatalf("make run ended without printing %q\n%s", promises, complaints.String())
	}
	return func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		stopped := make(chan error, 1)
		go func() { stopped <- cmd.Wait() }()
		select {
		case <-stopped:
		case <-time.After(20 * time.Second):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			r.t.Error("make run does not stop at Ctrl-C")
		}
	}
}

// program runs a Go block against the sidecar.
func (r *reader) program(source string) {
	r.t.Helper()
	dir := filepath.Join(r.root, "cmd", "readme")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.shell(`go run ./cmd/readme "$(head -n 1 .run/address)"`)
}

// expect compares a block with what was printed; the README has a store of its
// own.
func (r *reader) expect(text string) {
	r.t.Helper()
	got := strings.ReplaceAll(r.printed, r.state, "/home/me/.local/state")
	if got != text {
		r.t.Errorf("the README says\n%s\nand this was printed\n%s", text, got)
	}
}

// cleanClone clones the repository, with what git tracks as it is in the work
// tree. Of what was built it has only grpcurl, which takes a minute.
func cleanClone(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	script := `git clone -q . "$0" && git ls-files -z | xargs -0 cp --parents -t "$0" &&
		mkdir "$0/.bin" && cp .bin/grpcurl "$0/.bin/" && touch "$0/.bin/grpcurl"`
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script, root)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return root
}

func readBlocks(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	parts := strings.Split(string(text), "\n```")
	for i := 1; i < len(parts); i += 2 {
		language, body, _ := strings.Cut(parts[i], "\n")
		blocks = append(blocks, block{language, body + "\n"})
	}
	return blocks
}

// tail is the end of a long output.
func tail(out []byte) []byte { return out[max(0, len(out)-4000):] }
