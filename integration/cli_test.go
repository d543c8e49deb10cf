package integration_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// execCases are commands, their exit codes and the first line of their receipt.
var execCases = map[string]struct {
	args []string
	code int
	want []string // lines of the receipt, all of them
}{
	"a command that succeeds": {[]string{"--", "echo", "hello"}, 0,
		[]string{"Process exited with code 0", "stdout:", "hello"}},
	"a command that fails": {[]string{"--", "sh", "-c", "echo out; echo err >&2; exit 3"}, 3,
		[]string{"Process exited with code 3", "stdout:", "out", "stderr:", "err"}},
	"a command whose exit code is an answer": {[]string{"--", "grep", "nothing", "/dev/null"}, 1,
		[]string{"Process exited with code 1", "Exit meaning: grep: no lines matched (an answer, not a failure)", "Output: none"}},
	"a command that is not there": {[]string{"--", "no-such-command-here"}, 127,
		[]string{`Tool error command_spawn_failed: cannot start no-such-command-here: exec: "no-such-command-here": executable file not found in $PATH`,
			"To recover: check the spelling of the command and PATH", "Retryable: no"}},
	"a file that may not be executed": {[]string{"--", "/etc/passwd"}, 126,
		[]string{"Tool error command_spawn_failed: cannot start /etc/passwd: fork/exec /etc/passwd: permission denied",
			"To recover: check that the file may be executed", "Retryable: no"}},
	"a command that a signal ends": {[]string{"--", "sh", "-c", "echo before; kill -9 $$"}, 137,
		[]string{"Process killed by signal 9 (SIGKILL)", "stdout:", "before"}},
	"a command that takes too long": {[]string{"--timeout=200ms", "--", "sh", "-c", "echo before; exec sleep 60"}, 124,
		[]string{"Process timed out after 200 ms", "stdout:", "before"}},
	"both streams in one": {[]string{"--combined", "--", "sh", "-c", "echo 1; echo 2 >&2; echo 3"}, 0,
		[]string{"Process exited with code 0", "1", "2", "3"}},
	"a command whose child holds on": {[]string{"--timeout=200ms", "--", "sh", "-c", "echo before; sleep 60; echo after"}, 124,
		[]string{"Process timed out after 200 ms", "stdout:", "before"}},
	"flags of the command are its own": {[]string{"--", "sh", "-c", `echo "$@"`, "sh", "--timeout=1s", "--combined"}, 0,
		[]string{"Process exited with code 0", "stdout:", "--timeout=1s --combined"}},
}

// TestExec runs commands with an embedded sidecar and through a running one.
func TestExec(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	env := environment(t)
	for place, server := range map[string][]string{"embedded": nil, "through a socket": {"--server", "unix://" + s.Socket}} {
		for name, c := range execCases {
			t.Run(name+", "+place, func(t *testing.T) {
				t.Parallel()
				r := cli(t, env, nil, append(append([]string{"exec"}, server...), c.args...)...)
				if r.code != c.code || r.stderr != "" {
					t.Errorf("exit code %d, want %d; stderr %q", r.code, c.code, r.stderr)
				}
				wantReceipt(t, r.stdout, append(c.want, "")...)
			})
		}
	}
}

// TestExecLargeOutput runs a command that prints more than a message of the
// running sidecar may have: it goes there as a stream.
func TestExecLargeOutput(t *testing.T) {
	t.Parallel()
	env := environment(t)
	home := homeOf(env)
	s := startSidecar(t, launch{Socket: filepath.Join(home, "toolresult", "toolresult.sock")})
	const size = 6_000_000
	for place, args := range map[string][]string{
		"the configured socket": nil, "a socket that was named": {"--server", "unix://" + s.Socket},
	} {
		args = append(append([]string{"exec"}, args...), "--max-tokens=200", "--", "sh", "-c", "yes a line of a long log | head -c 6000000; exit 5")
		r := cli(t, env, nil, args...)
		if r.code != 5 || r.stderr != "" {
			t.Fatalf("%s: exit code %d: %s", place, r.code, r.stderr)
		}
		wantIn(t, r.stdout, " of 285715 lines; all: ")
		_, path, _ := strings.Cut(r.stdout, "; all: ")
		path, _, _ = strings.Cut(path, "\n")
		if !strings.HasPrefix(path, s.Store) {
			t.Errorf("%s: the artifact %s is not in the store of the running sidecar", place, path)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != size {
			t.Errorf("%s: the artifact is %v, error %v", place, info, err)
		}
	}
	if r := cli(t, env, nil, "exec", "--", "echo", "small"); r.code != 0 {
		t.Errorf("a small output: exit code %d", r.code)
	}
	waitFor(t, "the small output to be in the log of the running sidecar", func() bool {
		return strings.Contains(s.Log.String(), "ToolResultService/Project")
	})
}

func homeOf(env []string) string {
	for _, v := range env {
		if home, ok := strings.CutPrefix(v, "HOME="); ok {
			return home
		}
	}
	return ""
}

// TestExecWithoutReceipt gives a command a budget in which nothing fits: what it
// wrote is not lost.
func TestExecWithoutReceipt(t *testing.T) {
	t.Parallel()
	r := cli(t, environment(t), nil, "exec", "--strict", "--max-lines=2", "--", "sh", "-c", "seq 100; echo err >&2; exit 3")
	if r.code != 3 || !strings.HasPrefix(r.stdout, "1\n2\n3\n") || !strings.HasSuffix(r.stdout, "\n100\n") {
		t.Errorf("exit code %d, stdout %.100q", r.code, r.stdout)
	}
	wantIn(t, r.stderr, "toolresult: no receipt, the output follows as it is: ", "3 are enough", "[BUDGET_TOO_SMALL]", "\nerr\n")
}

// TestExecChecksItsFlagsFirst: a command is not run for nothing.
func TestExecChecksItsFlagsFirst(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--output=jsn", "--head-percent=200", "--vocabulary=latin", "--artifacts=never", "--call=c", "--session=a b"} {
		mark := filepath.Join(t.TempDir(), "ran")
		if r := cli(t, environment(t), nil, "exec", flag, "--", "touch", mark); r.code != 125 {
			t.Errorf("%s: exit code %d", flag, r.code)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("%s: the command was run", flag)
		}
	}
}

// TestPipeline hands results from one client command to the next, as a runtime
// that knows nothing but the RFC's JSON would.
func TestPipeline(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	env, server := environment(t), "unix://"+s.Socket
	const output = `tool_name: "ExecCommand" status: TOOL_STATUS_SUCCESS
		command { disposition: COMMAND_DISPOSITION_COMPLETED exit_status: 0 stdout { inline: "a\nb\n" } }`
	const receipt = "Process exited with code 0\nstdout:\na\nb\n"
	if got := mustCLI(t, env, strings.NewReader(output), "project", "--server", server, "--input=textproto"); got != receipt {
		t.Errorf("the receipt is %q", got)
	}
	asJSON := `{"toolName":"ExecCommand","status":"TOOL_STATUS_SUCCESS","command":{"disposition":1,"exitStatus":0,"stdout":{"inline":"YQpiCg=="}}}`
	if got := mustCLI(t, env, strings.NewReader(asJSON), "project", "--server", server); got != receipt {
		t.Errorf("from protobuf's JSON the receipt is %q", got)
	}
	asText := mustCLI(t, env, strings.NewReader(output), "project", "--server", server, "--input=textproto", "--output=textproto")
	wantIn(t, asText, "canonical:", "receipt:", "STORE_DURABILITY_")

	small := canonicalOf(t, mustCLI(t, env, strings.NewReader(output), "project", "--server", server, "--input=textproto", "--output=json"))
	large := canonicalOf(t, mustCLI(t, env, nil, "exec", "--server", server, "--output=json", "--max-lines=60", "--", "seq", "1000"))
	if got := mustCLI(t, env, strings.NewReader(small), "render", "--server", server); got != receipt {
		t.Errorf("rendered from the RFC's JSON the receipt is %q", got)
	}
	call := []string{"--server", server, "--session=s", "--call=c"}
	mustCLI(t, env, strings.NewReader(output), append([]string{"project", "--input=textproto"}, call...)...)
	if got := mustCLI(t, env, nil, append([]string{"render"}, call...)...); got != receipt {
		t.Errorf("rendered from the record the receipt is %q", got)
	}
	compacted := mustCLI(t, env, strings.NewReader(small+large), "compact", "--server", server, "--level=handles")
	wantIn(t, compacted, receipt, "stdout: 0 of 1000 lines; all: "+s.Store)
	wantNone(t, compacted, "\n999\n")

	if r := cli(t, env, strings.NewReader(small+large), "render", "--server", server); r.code != 125 || !strings.Contains(r.stderr, "render takes one") {
		t.Errorf("two results: exit code %d, %s", r.code, r.stderr)
	}
	if r := cli(t, env, strings.NewReader("{"), "project", "--server", server); r.code != 125 || r.stdout != "" {
		t.Errorf("broken JSON: exit code %d, %s", r.code, r.stderr)
	}
}

// canonicalOf takes the canonical result out of what --output=json prints.
func canonicalOf(t *testing.T, text string) string {
	t.Helper()
	var pair struct{ Canonical json.RawMessage }
	if err := json.Unmarshal([]byte(text), &pair); err != nil {
		t.Fatal(err)
	}
	return string(pair.Canonical)
}

func TestInfo(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--max-connections=7"}})
	text := mustCLI(t, environment(t), nil, "info", "--server", "unix://"+s.Socket, "--wait=5s")
	var info pb.GetServerInfoResponse
	if err := protojson.Unmarshal([]byte(text), &info); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(strings.Join(info.GetFamilies(), " "), "text command command_batch ") || info.GetTokenCounters()[0] != "o200k_base" ||
		info.GetLimits().GetMaxMessageBytes() != 4<<20 || info.GetLimits().GetMaxConnections() != 7 {
		t.Errorf("the answer is %s", text)
	}
	if r := cli(t, environment(t), nil, "info", "--server", "unix:///nonexistent/s"); r.code != 125 || r.stdout != "" || !strings.Contains(r.stderr, "Unavailable") {
		t.Errorf("nobody there: exit code %d, %s%s", r.code, r.stdout, r.stderr)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	text := mustCLI(t, environment(t), nil, "version")
	if !strings.HasPrefix(text, "toolresult ") || strings.Count(text, "\n") != 1 {
		t.Errorf("the version is %q", text)
	}
	wantIn(t, text, ", commit ", ", go1.", ", receipt grammar 12\n")
}

func TestConfigCommands(t *testing.T) {
	t.Parallel()
	env := append(environment(t), "TOOLRESULT_MAX_CONNECTIONS=9", "TOOLRESULT_TOKEN="+secret)
	text := mustCLI(t, env, nil, "config", "print", "--drain-delay=2s")
	wantIn(t, text, "max_connections: 9", "env TOOLRESULT_MAX_CONNECTIONS", "drain_delay: 2s", "flag --drain-delay", "default")
	wantNone(t, text, secret)
	if asJSON := mustCLI(t, env, nil, "config", "print", "--output=json"); !json.Valid([]byte(asJSON)) || strings.Contains(asJSON, secret) {
		t.Errorf("as JSON: %s", asJSON)
	}
	mustCLI(t, env, nil, "config", "validate")
	if r := cli(t, env, nil, "config", "validate", "--max-connections=0"); r.code != 125 || !strings.Contains(r.stderr, "max_connections") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}
