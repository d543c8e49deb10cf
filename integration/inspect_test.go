package integration_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// looking is a process of `toolresult inspect`, and a browser that has its cookie.
type looking struct {
	testing.TB
	cmd    *exec.Cmd
	client *http.Client
	base   string // of the addresses of its pages
}

// inspect starts the page.
func inspect(t testing.TB, env []string, args ...string) *looking {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &looking{TB: t, cmd: exec.Command(binary, append([]string{"inspect"}, args...)...), client: &http.Client{Jar: jar}}
	l.cmd.Env, l.cmd.Stderr = env, os.Stderr
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.cmd.Process.Kill() // it may have ended
		_ = l.cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	resp, err := l.client.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	l.base = strings.TrimSuffix(resp.Request.URL.String(), "/")
	return l
}

// get returns a page.
func (l *looking) get(path string) (code int, body string) {
	l.Helper()
	resp, err := l.client.Get(l.base + path)
	if err != nil {
		l.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		l.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestPageLeavesTheStoreToAgents opens pages where no sidecar runs: commands write to the store of the user as before, and the pages show
// what they wrote. The sidecar may end meanwhile, as an unused one does: the next look starts another one.
func TestPageLeavesTheStoreToAgents(t *testing.T) {
	t.Parallel()
	u := newEnsured(t)
	pages := []*looking{inspect(t, u.env), inspect(t, u.env)}
	first := u.must()
	look := func(call string) {
		t.Helper()
		if out := mustCLI(t, u.env, nil, "exec", "--session", "one", "--call", call, "--", "seq", "5000"); !strings.Contains(out, "\n[…") {
			t.Errorf("%s has no receipt: %d bytes", call, len(out))
		}
		for i, page := range pages {
			if code, body := page.get("/records?call=" + call); code != http.StatusOK || !strings.Contains(body, "seq 5000") {
				t.Errorf("page %d has no %s: %d %s", i, call, code, body)
			}
		}
	}
	look("a")
	if err := syscall.Kill(first, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the end of the sidecar", func() bool { return gone(first) })
	if code, body := pages[0].get("/records?call=a"); code != http.StatusOK || !strings.Contains(body, "seq 5000") {
		t.Errorf("after the end of the sidecar: %d %s", code, body)
	}
	look("b")
}

// TestClosedTerminalLeavesNoTrial tries a policy, which needs a store, and ends the page as the end of a terminal does.
func TestClosedTerminalLeavesNoTrial(t *testing.T) {
	t.Parallel()
	temporary := shortDir(t)
	u := newEnsured(t, "TMPDIR="+temporary)
	mustCLI(t, u.env, nil, "exec", "--session", "one", "--call", "a", "--", "seq", "5000")
	page := inspect(t, u.env)
	resp, err := page.client.PostForm(page.base+"/records/1/trial", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	stores := func() []string {
		list, err := filepath.Glob(filepath.Join(temporary, "toolresult-inspect-*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if resp.StatusCode != http.StatusOK || len(stores()) != 1 {
		t.Fatalf("the trial: %d, in %v", resp.StatusCode, stores())
	}
	page.client.CloseIdleConnections()
	if err := page.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := page.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if left := stores(); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}
