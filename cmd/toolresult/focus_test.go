package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// recordOf returns the latest record of the running sidecar whose output has a text.
func recordOf(t *testing.T, text string) *pb.AuditRecord {
	t.Helper()
	var found *pb.AuditRecord
	err := (&target{}).withConnection(t.Context(), func(c *connection) error {
		list, err := c.ListRecords(t.Context(), &pb.ListRecordsRequest{PageSize: 200})
		for _, r := range list.GetRecords() {
			one, err := c.GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: r.GetSequence()})
			if err != nil {
				return err
			}
			if found == nil && strings.Contains(one.GetRecord().GetOutput().String(), text) {
				found = one.GetRecord()
			}
		}
		return err
	})
	if err != nil || found == nil {
		t.Fatalf("no record has %q: %v", text, err)
	}
	return found
}

// TestPromptIsTheFocusOfTheHost gives a prompt to the hook, and then runs commands and projects
// results as the same host does.
func TestPromptIsTheFocusOfTheHost(t *testing.T) {
	if hostSession() == "" {
		t.Skip("only shells are above this process")
	}
	prompt := func(text string) {
		t.Helper()
		o := toolresult(t, `{"hook_event_name":"UserPromptSubmit","prompt":"`+text+`"}`, "hook", "claude-code").wantOut("")
		if o.err != "" {
			t.Error(o.err)
		}
	}
	prompt("where is the quetzal?")
	toolresult(t, "", "exec", "--", "echo", "by-exec-1").want(0)
	prompt("yes, please")
	toolresult(t, "", "exec", "--focus", "the nest", "--", "echo", "by-exec-2").want(0)
	toolresult(t, "", "exec", "--session", "another", "--", "echo", "by-exec-3").want(0)
	e := shellExecution("echo by-shell")
	if req, err := e.request(); err != nil || req.GetPolicy().GetFocusSession() != hostSession() || req.GetCall() != nil {
		t.Errorf("%v, %v", req, err)
	}
	large := strings.Replace(payload(t, "copilot-cli.grep"), "[grep content:", "[by-hook grep content:", 1)
	toolresult(t, large, "hook", "copilot-cli", "--patience=1m").want(0, "modifiedResult")
	for text, want := range map[string][2]string{
		"by-exec-1": {"where is the quetzal?", ""}, "by-exec-2": {"where is the quetzal?", "the nest"}, "by-exec-3": {}, "by-hook": {"where is the quetzal?", ""},
	} {
		r := recordOf(t, text)
		if r.GetSessionFocus() != want[0] || r.GetPolicy().GetFocus() != want[1] {
			t.Errorf("%s: %q and %q", text, r.GetSessionFocus(), r.GetPolicy().GetFocus())
		}
	}
}

// TestPromptHookNeverFails: whatever is wrong, a prompt hook prints nothing and ends with 0. What
// it prints would be read by the model.
func TestPromptHookNeverFails(t *testing.T) {
	t.Setenv("TOOLRESULT_SOCKET", t.TempDir()+"/s")
	for _, args := range [][]string{{}, {"--server", "unix:///no/such/socket"}, {"--patience=1ms"}} {
		o := toolresult(t, `{"prompt":"where is the quetzal?"}`, append([]string{"hook", "opencode"}, args...)...).wantOut("")
		if o.err != "" {
			t.Errorf("%q said %s", args, o.err)
		}
	}
}

// TestFocusFlagIsBounded: a mistake in the flags is found before the command runs.
func TestFocusFlagIsBounded(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "exec", "--focus", strings.Repeat("x", 8193), "--", "echo", "ran").want(125, "! --focus has 8193 bytes; use at most 8192")
	toolresult(t, "", "exec", "--focus", strings.Repeat("x", 8192), "--", "echo", "ran").want(0, "ran")
}

// TestSessionOfAHost draws processes between a host and its command: shells and toolresult are not
// the host.
func TestSessionOfAHost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names []string // from the parent of toolresult up
		want  string
	}{
		"at once":        {[]string{"node", "bash", "tmux"}, "host-process-100-7"},
		"by a shell":     {[]string{"sh", "claude", "zsh"}, "host-process-101-7"},
		"a login shell":  {[]string{"-zsh", "dash", "codex"}, "host-process-102-7"},
		"ours between":   {[]string{"toolresult", "toolresult-shel", "bash", "pi"}, "host-process-103-7"},
		"no host":        {[]string{"bash", "sh"}, ""},
		"nothing":        {nil, ""},
		"shells forever": {strings.Fields(strings.Repeat("sh ", 40) + "node"), ""},
	} {
		find := func(pid int) (ancestor, bool) {
			if i := pid - 100; i >= 0 && i < len(c.names) {
				return ancestor{pid + 1, c.names[i], 7}, true
			}
			return ancestor{}, false
		}
		if got := sessionAbove(100, find); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := sessionAbove(1, func(int) (ancestor, bool) { return ancestor{0, "systemd", 1}, true }); got != "" {
		t.Errorf("the first process is a host: %q", got)
	}
}

// TestAncestors compares what the system says of this process and of one that it starts.
func TestAncestors(t *testing.T) {
	t.Parallel()
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	}()
	own, ok := findAncestor(os.Getpid())
	child, alsoOK := findAncestor(c.Process.Pid)
	if !ok || !alsoOK || own.parent != os.Getppid() || child.parent != os.Getpid() || child.start < own.start || child.name == "" {
		t.Errorf("%+v, %+v", own, child)
	}
	if again, _ := findAncestor(c.Process.Pid); again != child {
		t.Errorf("%+v, and then %+v", child, again)
	}
	if a, ok := findAncestor(1 << 30); ok {
		t.Errorf("%+v", a)
	}
}
