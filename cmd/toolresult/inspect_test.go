package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInspectIsForThisMachine(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", "[::]:0", ":0", "192.0.2.1:80", "nonsense"} {
		if o := toolresult(t, "", "inspect", "--listen", address).want(codeFailed, "! toolresult: "); o.out != "" {
			t.Errorf("%s: printed %q", address, o.out)
		}
	}
}

// TestInspectServesUntilItIsInterrupted looks at a call by the address that was printed, tries a policy on it, and ends the command.
func TestInspectServesUntilItIsInterrupted(t *testing.T) {
	session, temporary := newSession(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	store := filepath.Join(t.TempDir(), "store")
	toolresult(t, "", "exec", "--store", store, "--session", session, "--call", "a", "--", "seq", "5000").want(0)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	var failed bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"inspect", "--store", store}, nil, in, &failed)
		_ = in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, failed.String())
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	body := func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.StatusCode, err, string(text))
		}
		return string(text)
	}
	first, err := client.Get(strings.TrimSpace(line))
	body(first, err)
	root := strings.TrimSuffix(first.Request.URL.String(), "/")
	page := body(client.Get(root + "/sessions/" + session))
	_, record, found := strings.Cut(page, `<td><a href="/`)
	record, _, _ = strings.Cut(record[strings.Index(record, "/records/")+len("/records/"):], `"`)
	if !found || !strings.Contains(page, "seq 5000") {
		t.Fatalf("the call is not on the page:\n%s", page)
	}
	if trial := body(client.PostForm(root+"/records/"+record+"/trial", url.Values{"tokens": {"100"}})); !strings.Contains(trial, "tokens</b>") {
		t.Errorf("the policy was not tried:\n%s", trial)
	}
	if o := toolresult(t, "", "inspect", "--store", store).want(codeFailed, "! toolresult: "); !strings.Contains(o.err, "locked by process") {
		t.Errorf("a second page of the store: %s", o.err)
	}
	client.CloseIdleConnections()
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d: %s", code, &failed)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "toolresult-inspect-*")); err != nil || len(left) > 0 {
		t.Errorf("the trial left %v: %v", left, err)
	}
	if _, err := os.Stat(temporary); err != nil {
		t.Error(err)
	}
}
