package sidecartest

import (
	"os"
	"os/exec"
	"testing"
)

// All reports whether every test must run: TOOLRESULT_LEGS=all, as the CI jobs set it.
func All() bool { return os.Getenv("TOOLRESULT_LEGS") == "all" }

// CannotRun begins the message of a test that must run and cannot. Runners of tests take it for an error of the
// machine, not for a finding.
const CannotRun = "TOOLRESULT_LEGS=all, and this test cannot run: "

// Need guards a test that needs more than Go and Linux. Where ok is false, the test is skipped or, if every test must
// run, fails.
func Need(t testing.TB, ok bool, why string) {
	t.Helper()
	switch {
	case ok:
	case All():
		t.Fatal(CannotRun + why)
	default:
		t.Skip("skipped: " + why)
	}
}

// NeedRoot is Need for a test that needs root and some programs.
func NeedRoot(t testing.TB, programs ...string) {
	t.Helper()
	Need(t, os.Geteuid() == 0, "it needs root")
	for _, program := range programs {
		_, err := exec.LookPath(program)
		Need(t, err == nil, "it needs root and "+program)
	}
}
