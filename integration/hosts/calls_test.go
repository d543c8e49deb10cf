package hosts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// call is how a host calls its shell: recorded by TestCallsOfTheShell, and repeated without the host by TestShellOfHosts.
type call struct {
	Host string   `json:"host"`
	Args []string `json:"args"`
}

const (
	callsFile = "testdata/calls.json"
	// recorded is the command of recorded calls, which any other command without ' can replace.
	recorded = `echo COMMAND_; (exit 3)`
)

// varying are the parts of a call that differ each time.
var varying = regexp.MustCompile(`/[\w./-]*(?:snapshot|claude-|gemini-shell-)[\w./-]*`)

// TestCallsOfTheShell puts a program into the place of the shell that writes down how hosts call it.
func TestCallsOfTheShell(t *testing.T) {
	var got []call
	for _, h := range hosts {
		if h.name == "copilot-cli" { // its commands do not run through us
			continue
		}
		tr := newTrial(t, h, recorded)
		tr.toolresult("install", h.name, "--yes")
		log := filepath.Join(tr.home, "calls")
		tr.write(tr.launcher(), "#!/bin/bash\nprintf '%s\\0' \"$@\" >>'"+log+"'; printf '\\1' >>'"+log+"'\n"+
			"case $1 in -*) exec /bin/bash \"$@\";; *) exec /bin/bash -c \"$1\";; esac\n"+
			"# The end of toolresult-shell.\n") // without which bash takes it for a file that is cut off
		if err := os.Chmod(tr.launcher(), 0o700); err != nil {
			t.Fatal(err)
		}
		tr.run()
		text, err := os.ReadFile(log)
		if err != nil {
			t.Errorf("%s does not call its shell: %v", h.name, err)
			continue
		}
		for _, one := range bytes.Split(bytes.TrimSuffix(text, []byte{1}), []byte{1}) {
			if !bytes.Contains(one, []byte(recorded)) { // a hook or a server
				continue
			}
			args := strings.Split(strings.TrimSuffix(string(one), "\x00"), "\x00")
			for i := range args {
				args[i] = strings.NewReplacer(recorded, "COMMAND_", tr.home, "/home").Replace(args[i])
				args[i] = varying.ReplaceAllString(args[i], "/TMP_/file")
			}
			got = append(got, call{h.name, args})
		}
	}
	compare(t, callsFile, toJSON(t, got))
}

// toJSON returns the text of a file of JSON, for people.
func toJSON(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// compare compares a file with what was seen, or writes it.
func compare(t *testing.T, path string, seen []byte) {
	t.Helper()
	was, err := os.ReadFile(path)
	if bytes.Equal(was, seen) {
		return
	}
	if !*write {
		t.Errorf("%s is not what was seen; `make hosts WRITE=yes` writes it (%v):\n%s", path, err, seen)
		return
	}
	if err := os.WriteFile(path, seen, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s is written", path)
}

// cell is a command of the matrix.
type cell struct {
	name, command string
	code          int
}

// log writes the 168,920 bytes with the deciding line in the middle.
const log = `seq 1 15000; echo "` + deciding + `"; seq 15001 30000; `

// cells are the commands of the matrix.
var cells = []cell{
	{"exit 0", log, 0}, {"exit 2", log + "exit 2", 2}, {"killed", log + "kill -9 $$", 137}, {"child", log + "sleep 4 & exit 4", 4},
}

// gibibyte writes 1 GiB in lines of 16 bytes, and the deciding line behind it.
const gibibyte = `yes 0123456789abcde | head -c 1073741824; echo "` + deciding + `"; exit 3`

// heading returns the words of a receipt that count the lines of a cell with much output.
func (c cell) heading() string {
	lines := 30_001
	if c.name == "1 GiB" {
		lines = 1<<26 + 1
	}
	return fmt.Sprintf(" of %d lines;", lines)
}

// TestShellOfHosts calls the shell as hosts do, beside sidecars in all states: the output of each command is a receipt of all of it or
// is there byte for byte, and its code comes back. It prints how much longer than bash it takes.
func TestShellOfHosts(t *testing.T) {
	text, err := os.ReadFile(callsFile)
	if err != nil {
		t.Fatal(err)
	}
	var calls []call
	if err := json.Unmarshal(text, &calls); err != nil {
		t.Fatal(err)
	}
	if len(calls) < 5 {
		t.Fatalf("%d calls are recorded", len(calls))
	}
	var most time.Duration
	for _, state := range states {
		env := sidecartest.Environment(t)
		env = append(env, sidecar(t, state, env)...)
		t.Cleanup(func() { endSidecar(t, env) })
		for _, c := range calls {
			for _, cell := range append(cells, cell{"1 GiB", gibibyte, 3}) {
				if cell.name == "1 GiB" && (c.Host != "claude-code" || testing.Short()) { // the line around it changes nothing
					continue
				}
				t.Run(state+", "+c.Host+", "+cell.name, func(t *testing.T) {
					more := c.compare(t, state, cell, env)
					if cell.name != "1 GiB" {
						most = max(most, more)
					}
					t.Logf("%v longer than bash", more)
				})
			}
		}
	}
	t.Logf("at most %v longer than bash", most)
}

// compare runs one cell, and returns how much longer it took than bash.
func (c call) compare(t *testing.T, state string, cell cell, env []string) time.Duration {
	t.Helper()
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = strings.ReplaceAll(strings.ReplaceAll(a, "/TMP_/file", filepath.Join(t.TempDir(), "file")), "COMMAND_", cell.command)
	}
	begun := time.Now()
	bash := run(t, env, "/bin/bash", "-c", cell.command)
	without := time.Since(begun)
	begun = time.Now()
	ours := run(t, env, binary, append([]string{"shell"}, args...)...)
	with := time.Since(begun)
	if bash.code != cell.code || ours.code != cell.code {
		t.Errorf("code %d, and %d of bash, want %d", ours.code, bash.code, cell.code)
	}
	receipt := strings.HasPrefix(ours.begin, "Process ") && strings.Contains(ours.begin, cell.heading()) &&
		strings.Contains(ours.begin, deciding) && ours.size < 4000
	if whole := ours.size == bash.size && ours.sum == bash.sum; receipt != (state == "alive") || receipt == whole {
		t.Errorf("receipt %t, as it was %t: %d bytes of %d: %.600q", receipt, whole, ours.size, bash.size, ours.begin)
	}
	return with - without
}

// ran is how a program ended, and what it wrote: its size, its sum and its first 4 KiB.
type ran struct {
	code, size int
	sum        uint32
	begin      string
}

// castagnoli is the sum that processors compute themselves, because there are gibibytes of output.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write adds to the output.
func (r *ran) Write(p []byte) (int, error) {
	r.size += len(p)
	r.sum = crc32.Update(r.sum, castagnoli, p)
	r.begin += string(p[:min(len(p), 4096-len(r.begin))])
	return len(p), nil
}

// run runs a program without standard input.
func run(t *testing.T, env []string, program string, args ...string) *ran {
	t.Helper()
	r := &ran{}
	c := exec.CommandContext(t.Context(), program, args...)
	c.Env, c.Stdout, c.Stderr, c.WaitDelay = env, r, r, 500*time.Millisecond
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	r.code = c.ProcessState.ExitCode()
	if r.code < 0 { // a signal, as a shell reports it
		r.code = 137
	}
	return r
}
