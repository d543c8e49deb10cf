package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuditSalvage damages a log, and writes what is whole of it into a new one, which is verified and gone on with. No other test runs
// beside it: a child that one starts has the lock of the store until it runs its program, and the next sidecar would take another store.
func TestAuditSalvage(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	for _, word := range []string{"alpha", "bravo", "charlie"} {
		toolresult(t, "", "exec", "--store", store, "--session", "s", "--", "echo", word).want(0)
	}
	whole := filepath.Join(dir, "whole")
	toolresult(t, "", "audit", "salvage", "--store", store, whole).want(0, "3 records and ", ", 0 places named; head: ")
	segment := filepath.Join(store, "journal", "segments", "0000000001.segment")
	content, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(content, []byte("bravo"))
	content[at] ^= 1
	if err := os.WriteFile(segment, content, 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "to")
	out := toolresult(t, "", "audit", "salvage", "--store", store, to).want(1, "segments/0000000001.segment: the bytes from ", "record 2: it is missing", "2 records and ").out
	_, head, _ := strings.Cut(strings.TrimSpace(out), "head: ")
	toolresult(t, "", "audit", "verify", "--store", to, "--head", head).want(1, "record 2: it is missing", "2 records hold, 1 do not")
	toolresult(t, "", "exec", "--store", to, "--session", "s", "--", "echo", "delta").want(0)
	if list := toolresult(t, "", "audit", "list", "--store", to).want(0); strings.Count(list.out, "\n") != 3 || !strings.HasPrefix(list.out, "4 ") {
		t.Errorf("records 1, 3 and 4: %s", list.out)
	}
	toolresult(t, "", "audit", "salvage", "--store", store, to).want(codeFailed, "! file already exists")
	toolresult(t, "", "audit", "salvage", "--store", filepath.Join(dir, "none"), filepath.Join(dir, "x")).want(codeFailed, "! no such file")
}
