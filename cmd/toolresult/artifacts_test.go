package main

import (
	"os"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// storeLines stores the lines 1 to 9 for a session and returns the path of the artifact.
func storeLines(t testing.TB, session string) string {
	t.Helper()
	return storeOutput(t, session, "18 B", "seq", "9")
}

// storeOutput stores what a command prints, of a size, for a session and returns the path of the artifact. Equal bytes are one
// file for all tests.
func storeOutput(t testing.TB, session, size string, command ...string) string {
	t.Helper()
	toolresult(t, "", append([]string{"exec", "--session", session, "--call", "c", "--artifacts", "always", "--"}, command...)...).want(0)
	list := toolresult(t, "", "artifacts", "list", "--session", session, "--call", "c").want(0, size)
	return strings.Fields(list.out)[4]
}

func TestArtifactsRead(t *testing.T) {
	t.Parallel()
	path := storeLines(t, "read")
	for want, flags := range map[string]string{
		"1\n2\n3\n4\n5\n6\n7\n8\n9\n": "", "2\n3\n": "--lines 2-3", "8\n9\n": "--tail 2", "4\n5\n6\n": "--around 5 --context 1",
		"7\n": "--match [7x] --session read",
	} {
		toolresult(t, "", append([]string{"artifacts", "read", path}, strings.Fields(flags)...)...).wantOut(want)
	}
	page := toolresult(t, "", "artifacts", "read", path, "--max-lines", "4").want(0, "! there is more: --cursor ")
	cursor := strings.TrimSpace(page.err[strings.LastIndex(page.err, " "):])
	toolresult(t, "", "artifacts", "read", path, "--cursor", cursor).wantOut("5\n6\n7\n8\n9\n")
	toolresult(t, "", "artifacts", "read", path, "--lines", "x").want(codeFailed, "! FIRST-LAST")
	toolresult(t, "", "artifacts", "read", path, "--session", "other").want(codeFailed, "! NotFound")
	toolresult(t, "", "artifacts", "read", path, "--pointer", "/x").want(codeFailed, "! JSON")
}

func TestLineRange(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*pb.LineRange{
		"1-2": {First: 1, Last: 2}, "3-": {First: 3}, "-4": {Last: 4}, "-": nil, "": nil, "5": nil, "a-b": nil, "1-b": nil, "1--2": nil,
	} {
		got, err := lineRange(text)
		if (err == nil) != (want != nil) || got.GetFirst() != want.GetFirst() || got.GetLast() != want.GetLast() {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestArtifactsAppend writes a log from standard input, and reads it when it is finished.
func TestArtifactsAppend(t *testing.T) {
	t.Parallel()
	session := newSession()
	path := strings.TrimSpace(toolresult(t, strings.Repeat("line\n", 100_000), "artifacts", "append", "--session", session, "--call", "c").want(0).err)
	toolresult(t, "", "artifacts", "read", "--tail", "1", path).wantOut("line\n")
	toolresult(t, "", "artifacts", "read", "--follow", "--lines", "99999-", path).wantOut("line\nline\n")
	toolresult(t, "", "artifacts", "append", "--session", session).want(codeFailed, "! call")
	toolresult(t, "", "artifacts", "append", "--session", "a b", "--call", "c").want(codeFailed, "! InvalidArgument")
}

// TestArtifactsVerify damages an artifact whose bytes no other test stores.
func TestArtifactsVerify(t *testing.T) {
	t.Parallel()
	path := storeOutput(t, "verify", "25 B", "echo", "damaged by one test only")
	toolresult(t, "", "artifacts", "verify", path).want(0, "1 intact, 0 corrupt, 25 B read")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 25)), 0o600); err != nil {
		t.Fatal(err)
	}
	toolresult(t, "", "artifacts", "verify", path).want(1, path+"\n", "0 intact, 1 corrupt")
}

func TestArtifactsRetention(t *testing.T) {
	t.Parallel()
	storeLines(t, "lease")
	toolresult(t, "", "artifacts", "lease", "lease", "24h").want(0, "T", "Z\n")
	toolresult(t, "", "artifacts", "lease", "lease", "0s").wantOut("no lease\n")
	for _, d := range []string{"soon", "-1h"} {
		toolresult(t, "", "artifacts", "lease", "--", "lease", d).want(codeFailed, "! no duration")
	}
	toolresult(t, "", "artifacts", "gc", "--dry-run").want(0, "0 deleted, 0 B; ", " kept")
}
