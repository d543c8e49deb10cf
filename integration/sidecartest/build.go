package sidecartest

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/dir"
)

// Main builds the sidecar, writes its path to binary, runs the tests and returns their exit code for os.Exit. Flags
// are further ones of go build.
func Main(m *testing.M, binary *string, flags ...string) int {
	dir, err := os.MkdirTemp("", "tr")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		*binary, err = Build(dir, flags...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if signal.Ignored(syscall.SIGHUP) { // as below nohup(1); processes that the tests start have the default
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	return m.Run()
}

// binaryVar names the variable with the path of a binary that is already built.
const binaryVar = "TOOLRESULT_BINARY"

// Build builds the sidecar into a directory and returns its path. Flags are further ones of go build. Without flags,
// a binary that TOOLRESULT_BINARY names is taken instead: one build for many packages, or one of another version.
func Build(dir string, flags ...string) (string, error) {
	if given := os.Getenv(binaryVar); given != "" && len(flags) == 0 {
		return given, nil
	}
	path := filepath.Join(dir, "toolresult")
	args := append(append([]string{"build", "-o", path}, flags...), "github.com/toolresult/toolresult/cmd/toolresult")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the sidecar: %w\n%s", err, out)
	}
	return path, nil
}

// ShortDir returns a temporary directory with a short name: the kernel takes 107 bytes for the path of a socket, and
// t.TempDir has the test's name in it. All its names have the same number of digits, so that receipts with a path in it
// cost the same tokens in every run.
func ShortDir(t testing.TB) string {
	t.Helper()
	for {
		dir := filepath.Join(os.TempDir(), fmt.Sprintf("tr%09d", rand.IntN(1_000_000_000)))
		switch err := os.Mkdir(dir, 0o700); {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
}

// Environment returns the variables of a user who has nothing but the defaults, with a home of the test's own. Where
// the temporary directory is on a volatile file system it allows a store there.
func Environment(t testing.TB) []string {
	t.Helper()
	env, err := environment(ShortDir(t))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// environment is Environment for a home that is there.
func environment(home string) ([]string, error) {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "TMPDIR=" + os.Getenv("TMPDIR"),
		"GORACE=atexit_sleep_ms=0", // else the race detector sleeps a second at every exit
	}
	on, err := dir.DetectFileSystem(home)
	if err != nil {
		return nil, err
	}
	if on.Volatile {
		env = append(env, "TOOLRESULT_VOLATILE=true")
	}
	return env, nil
}
