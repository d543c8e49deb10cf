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

// block is one code block of a page.
type block struct{ language, text string }

// pages are what a reader follows, in this order.
var pages = []string{"README.md", startPage, "docs/tour.md", "docs/grpcurl.md"}

// startPage says how the Python client is installed, which a block of the README needs.
const startPage = "docs/start.md"

// TestReadme does what the pages say, in their order, as a reader would in a
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
	bin := t.TempDir()
	r := reader{t: t, root: root, state: state, env: append(own, "XDG_STATE_HOME="+state, "XDG_RUNTIME_DIR="+runtimeDir, "GOBIN="+bin,
		"PATH="+bin+":"+os.Getenv("PATH"), "CLAUDE_CONFIG_DIR="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir())}
	for _, page := range pages {
		blocks := readBlocks(t, filepath.Join(root, page))
		if len(blocks) < 3 {
			t.Fatalf("only %d blocks were found in %s", len(blocks), page)
		}
		for _, b := range blocks {
			switch {
			case b.language == "sh" && b.text == "make run\n":
				defer r.background(b.text)()
			case b.language == "sh":
				r.shell(b.text)
			case b.language == "go":
				r.program(b.text)
			case b.language == "python":
				r.python(b.text)
			case b.language == "text":
				r.expect(b.text)
			default:
				t.Errorf("nobody runs blocks of %q", b.language)
			}
		}
	}
}

// reader is somebody who follows the pages.
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
	cmd := r.command("bash", "-euo", "pipefail", "-c", script)
	if strings.Contains(script, "toolresult install") { // which asks
		cmd.Stdin = strings.NewReader("y\n")
	}
	out, err := cmd.CombinedOutput()
	r.printed = string(out)
	r.t.Logf("%s (%.1fs)", strings.TrimSpace(script), time.Since(start).Seconds())
	if err != nil {
		r.t.Fatalf("%v\n%s", err, out) // all of it: of `make test` the summary is last, and says too little
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
	promises := []string{"The sidecar serves unix://", "Process exited with code 0", "[…", "Ctrl-C stops it."}
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

// A block of Go is the body of this program.
const programBegin = `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	toolresult "github.com/toolresult/toolresult/clients/go"
)

func main() {
`

// program runs a Go block against the sidecar.
func (r *reader) program(body string) {
	r.t.Helper()
	r.write("cmd/readme/main.go", programBegin+body+"}\n")
	r.shell(`go run ./cmd/readme "$(head -n 1 .run/address)"`)
}

// python runs a Python block against the sidecar, with the client that the start page installs.
func (r *reader) python(script string) {
	r.t.Helper()
	r.write(".run/readme.py", script)
	for _, b := range readBlocks(r.t, filepath.Join(r.root, startPage)) {
		if strings.Contains(b.text, "./clients/python") {
			r.shell(b.text)
		}
	}
	r.shell(`.run/python/bin/python .run/readme.py "$(head -n 1 .run/address)"`)
}

// write writes a file of the clone.
func (r *reader) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// expect compares a block with what was printed; the pages have a store of their
// own.
func (r *reader) expect(text string) {
	r.t.Helper()
	got := strings.ReplaceAll(r.printed, r.state, "/home/me/.local/state")
	if got != text {
		r.t.Errorf("the page says\n%s\nand this was printed\n%s", text, got)
	}
}

// cleanClone clones the repository, with what git tracks as it is in the work
// tree. Of what was built it has only grpcurl, which takes a minute.
func cleanClone(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	script := `git clone -q . "$0" && git ls-files -z | xargs -0 cp -P --parents -t "$0" &&
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
