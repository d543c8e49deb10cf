package main

import (
	"path/filepath"
	"testing"
)

func TestProfileExplain(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "profile", "explain", "--exit", "1", "--", "grep", "x", "y").
		want(0, "profile: grep, built in, grep.yaml", "kind of output: search", "exit code 1: grep: no lines matched (answer)")
	toolresult(t, "", "profile", "explain", "--exit", "77", "--", "no-such-program").want(0, "profile: none", "exit code 77: nothing is known of it")
	toolresult(t, "", "profile", "explain", "--", "cat out.txt").want(0, "profile: cat", "from its start without a gap, unless its text is a log")
	toolresult(t, "", "profile", "explain", "--", "tail -n 50 main.go").want(0, "from its end without a gap\n")
	toolresult(t, "", "profile", "explain", "--", "make | tail").want(0, "profile: make", "exit code 0 does not say")
	text := writeFile(t, "text", "main.go:3:1: undefined: x\nok\n")
	toolresult(t, "", "profile", "explain", "--text", text, "--", "go build ./...").want(0, "profile: go", "undefined: x")
	toolresult(t, "a line\n", "profile", "explain", "--text", "-", "--fixture", "--", "go", "build").want(0, "a line")
	toolresult(t, "", "profile", "explain", "--fixture", "--", "go").want(codeFailed, "! --fixture: needs --text")
	toolresult(t, "", "profile", "explain", "--text", "/none", "--", "go").want(codeFailed, "! /none")
	toolresult(t, "", "profile", "list").want(0, "grep ", "built in")
}

func TestProfileCheck(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(writeFile(t, "mine.yaml", "name: mine\nmatch: [my-tool]\n"))
	toolresult(t, "", "profile", "check", dir).want(0, "note: mine has no fixture", "1 profiles, 0 fixtures, 0 problems")
	toolresult(t, "", "profile", "check", "--project", dir).want(0, "1 profiles")
	toolresult(t, "", "profile", "list", "--profiles", dir).want(0, "mine", "my-tool")
	bad := filepath.Dir(writeFile(t, "bad.yaml", "no_such_key: 1\n"))
	toolresult(t, "", "profile", "check", bad).want(codeFailed, "! bad.yaml")
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "families").want(0, "command ", "2000", "built in")
	toolresult(t, "", "families", writeFile(t, "bad.binpb", "no descriptors")).want(codeFailed, "! bad.binpb")
}
