package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInfoAndVersion(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "info").want(0, `"go_version": "go1.`, `"families"`)
	toolresult(t, "", "info", "--server", "unix://"+os.Getenv("TOOLRESULT_SOCKET"), "--wait", "5s").want(0, `"families"`)
	toolresult(t, "", "version").want(0, "toolresult ", "receipt grammar ")
	toolresult(t, "", "info", "--server", "unix:///nonexistent/s").want(codeFailed, "! Unavailable: ")
}

// TestEmbeddedSidecar runs commands where no sidecar listens: each starts its own, and they share a store.
func TestEmbeddedSidecar(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TOOLRESULT_SOCKET", filepath.Join(dir, "s"))
	t.Setenv("TOOLRESULT_STORE", filepath.Join(dir, "store"))
	t.Setenv("TMPDIR", tmp)
	out := toolresult(t, "", "exec", "--session", "s", "--call", "c", "--artifacts", "always", "--", "echo", "hello").want(0, "hello")
	if strings.Contains(out.err, "toolresult") {
		t.Error(out.err)
	}
	toolresult(t, "", "artifacts", "list", "--session", "s").want(0, "6 B", filepath.Join(dir, "store"))
	toolresult(t, "", "info", "--session-token-file", writeFile(t, "token", strings.Repeat("x", 43))).want(codeFailed, "! no sidecar runs")
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestEmbeddedSidecarBesideALockedStore runs a command whose store another sidecar has, which it cannot reach.
func TestEmbeddedSidecarBesideALockedStore(t *testing.T) {
	t.Setenv("TOOLRESULT_SOCKET", filepath.Join(t.TempDir(), "s"))
	toolresult(t, "", "exec", "--session", "beside", "--artifacts", "always", "--", "echo", "hello").want(0, "hello")
	toolresult(t, "", "artifacts", "list", "--session", "beside").want(0, os.Getenv("TOOLRESULT_STORE")+"-embedded/")
}

func TestConfigurationErrors(t *testing.T) {
	t.Setenv("TOOLRESULT_SOCKET", filepath.Join(t.TempDir(), "s"))
	t.Setenv("TOOLRESULT_GC_INTERVAL", "often")
	for _, args := range [][]string{{"info"}, {"serve"}, {"config", "print"}, {"config", "validate"}, {"profile", "list"}} {
		toolresult(t, "", args...).want(codeFailed, "! gc_interval")
	}
}
