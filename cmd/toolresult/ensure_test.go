package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnsureFindsTheSidecar finds that of TestMain, by its socket, by an address and by an address file.
func TestEnsureFindsTheSidecar(t *testing.T) {
	socket := os.Getenv("TOOLRESULT_SOCKET")
	toolresult(t, "", "ensure", "--patience", "30s").wantOut("unix://" + socket + "\n")
	t.Setenv("TOOLRESULT_SOCKET", "")
	t.Setenv("TOOLRESULT_PATIENCE", "30s")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("TOOLRESULT_ADDRESS_FILE", writeFile(t, "address", `{"address":"unix://`+socket+`"}`))
	toolresult(t, "", "ensure").wantOut("unix://" + socket + "\n")
	toolresult(t, "", "info").want(0, `"families"`)
	t.Setenv("TOOLRESULT_ADDRESS_FILE", "")
	t.Setenv("TOOLRESULT_ADDRESS", "unix://"+socket)
	toolresult(t, "", "ensure").wantOut("unix://" + socket + "\n")
	toolresult(t, "", "info").want(0, `"families"`)
	// A configuration file that names the socket, which is none of the address.
	t.Setenv("TOOLRESULT_ADDRESS", "")
	t.Setenv("TOOLRESULT_CONFIG", writeFile(t, "c.yaml", "socket: "+socket+"\n"))
	toolresult(t, "", "ensure").wantOut("unix://" + socket + "\n")
	toolresult(t, "", "info").want(0, `"families"`)
}

// TestEnsureReportsMistakes has what cannot be used, before anything is started.
func TestEnsureReportsMistakes(t *testing.T) {
	toolresult(t, "", "ensure", "--patience", "0s").want(codeFailed, "! --patience and --wait have to be more than 0s")
	toolresult(t, "", "ensure", "--wait", "-1s").want(codeFailed, "! --patience and --wait have to be more than 0s")
	toolresult(t, "", "ensure", "x").want(codeFailed, "! unknown command")
	t.Setenv("TOOLRESULT_PATIENCE", "soon")
	toolresult(t, "", "ensure").want(codeFailed, `! TOOLRESULT_PATIENCE "soon": is not a duration`)
	t.Setenv("TOOLRESULT_PATIENCE", "100ms")
	t.Setenv("TOOLRESULT_ADDRESS", "unix:///nonexistent/s")
	toolresult(t, "", "ensure").want(codeFailed, "! the sidecar at unix:///nonexistent/s (TOOLRESULT_ADDRESS) does not serve: Unavailable")
	t.Setenv("TOOLRESULT_ADDRESS", "/nonexistent/s")
	toolresult(t, "", "ensure").want(codeFailed, "! write unix:///nonexistent/s")
	t.Setenv("TOOLRESULT_ADDRESS", "")
	dir := t.TempDir()
	t.Setenv("TOOLRESULT_SOCKET", filepath.Join(dir, "run", "s"))
	t.Setenv("TOOLRESULT_MAX_CONNECTIONS", "0")
	toolresult(t, "", "ensure").want(codeFailed, "! max_connections")
	t.Setenv("TOOLRESULT_CONFIG", filepath.Join(dir, "none.yaml"))
	toolresult(t, "", "ensure").want(codeFailed, "! none.yaml")
	if log, err := os.Stat(filepath.Join(dir, "run", "toolresult.log")); err == nil {
		t.Errorf("a sidecar was started: %v", log)
	}
}

func TestLastLineOfALog(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2*maxLastLine)
	for text, want := range map[string]string{
		"toolresult: no space left\n": "no space left", "a\nb\n\n": "b", "a\ntoolresult: b": "b", long + "\nend\n": "end", long: long[:maxLastLine],
	} {
		if got := lastLine(writeFile(t, "log", text)); got != want {
			t.Errorf("%.40q: %.40q", text, got)
		}
	}
	for _, path := range []string{writeFile(t, "log", ""), writeFile(t, "log", " \n"), "/nonexistent/log"} {
		if got := lastLine(path); got != "it has said nothing in "+path {
			t.Errorf("%s: %q", path, got)
		}
	}
}
