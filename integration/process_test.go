package integration_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// What a service manager and an operator expect of the process: its last line, a level of the log that changes, profiles, and the
// configuration of the user.

// lastLine returns the members of the line of the log that says that the sidecar has ended; there must be one.
func lastLine(t *testing.T, s *sidecar) map[string]any {
	t.Helper()
	var found []map[string]any
	for line := range strings.Lines(s.Log.String()) {
		var members map[string]any
		if json.Unmarshal([]byte(line), &members) == nil && members["msg"] == "the server has ended" {
			found = append(found, members)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d lines about the end\n%s", len(found), s.Log)
	}
	return found[0]
}

func TestEndIsOneLine(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	for range 2 {
		if _, err := s.Project(t.Context(), completed(0, counted(20_000))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Project(t.Context(), &pb.ProjectRequest{}); err == nil {
		t.Fatal("a request without an output was served")
	}
	if code := s.Terminate(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	end := lastLine(t, s)
	calls, _ := end["calls"].(map[string]any)
	if end["level"] != "INFO" || end["reason"] != "signal" || !strings.Contains(end["cause"].(string), "terminated") || end["drained"] != true || end["calls_cut"] != 0.0 ||
		calls["OK"] != 2.0 || calls["InvalidArgument"] != 1.0 || calls["total"] != 3.0 || len(calls) != 3 || end["artifacts"] != 1.0 || end["records"] != 3.0 {
		t.Errorf("%v", end)
	}
	if bytes := end["bytes_in"].(float64); bytes < 2*100_000 || bytes > 3*120_000 || end["artifact_bytes"].(float64) < 100_000 {
		t.Errorf("%.0f bytes came in: %v", bytes, end)
	}
	if up := end["uptime_seconds"].(float64); up <= 0 || up > patience.Seconds() {
		t.Errorf("up for %f s", up)
	}
}

// A call that does not end is cut, and the line says so.
func TestEndSaysWhatWasCut(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--shutdown-timeout", "200ms"}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	call, err := s.ProjectStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command", Streams: []string{"stdout"}}), snapshotOf(exited(0))} {
		if err := call.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := call.Recv(); err != nil { // the snapshot's answer: the call was received
		t.Fatal(err)
	}
	s.Terminate()
	end := lastLine(t, s)
	if calls, _ := end["calls"].(map[string]any); end["drained"] != false || end["calls_cut"] != 1.0 || calls["total"] != 1.0 || len(calls) != 2 || calls["OK"] != nil {
		t.Errorf("%v", end)
	}
}

func TestIdleEndIsOneLine(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--idle-exit", "1s"}})
	if code := s.Wait(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if end := lastLine(t, s); end["reason"] != "idle" || end["cause"] != nil || end["drained"] != true {
		t.Errorf("%v", end)
	}
}

// SIGHUP reads the configuration file again: the level of its log counts, also over a flag, and other settings are named.
func TestHangupChangesTheLogLevel(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("max_connections: 9\n")
	s := startSidecar(t, launch{Args: []string{"--config", file, "--log-level", "warn"}})
	lines := func(text string) int { return strings.Count(s.Log.String(), text) }
	hangup := func(until string) {
		t.Helper()
		before := lines(until)
		s.Signal(syscall.SIGHUP)
		waitFor(t, until, func() bool { return lines(until) > before })
	}
	const aCall = `"msg":"call"`
	call := func() {
		t.Helper()
		if _, err := s.Project(t.Context(), completed(0, "x\n")); err != nil {
			t.Fatal(err)
		}
	}
	call()
	if lines(aCall) != 0 {
		t.Fatalf("calls are logged at warn\n%s", s.Log)
	}
	write("max_connections: 10\nlog_level: debug\n")
	hangup(`"settings":["max_connections"]`)
	call()
	waitFor(t, "the line of a call", func() bool { return lines(aCall) == 1 })
	write("max_connections: [\n")
	hangup("the configuration cannot be read again")
	call()
	waitFor(t, "the level to stay", func() bool { return lines(aCall) == 2 })
	write("max_connections: 9\n")
	hangup(`"log_level":"warn"`)
	call()
	if code := s.Terminate(); code != 0 || lines(aCall) != 2 {
		t.Errorf("exit code %d, and %d calls were logged\n%s", code, lines(aCall), s.Log)
	}
}

// The configuration file of the user counts without being named, for the sidecar and for those who look for it; --config= is none.
func TestConfigurationOfTheUser(t *testing.T) {
	t.Parallel()
	env := environment(t)
	home := shortDir(t)
	dir := filepath.Join(home, "toolresult")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(home, "run", "s")
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("max_connections: 7\nsocket: "+socket+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(env, "XDG_CONFIG_HOME="+home)
	wantIn(t, mustCLI(t, env, nil, "config", "print"), "max_connections: 7 # file "+filepath.Join(dir, "config.yaml")+":1")
	wantIn(t, mustCLI(t, env, nil, "config", "print", "--config="), "max_connections: 64 # default")
	wantIn(t, mustCLI(t, append(env, "XDG_CONFIG_HOME=relative"), nil, "config", "print"), "max_connections: 64 # default")
	startSidecar(t, launch{Socket: socket})
	wantIn(t, mustCLI(t, env, nil, "ensure"), "unix://"+socket)
	if err := os.Remove(filepath.Join(dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "config.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if r := cli(t, env, nil, "config", "validate"); r.code != 125 || !strings.Contains(r.stderr, "is a directory (from the configuration directory)") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}
