package providers_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// installs is where the SDKs for Python and JavaScript are installed, and stay.
const installs = "../../.run/providers"

// install returns the interpreter of the virtual environment, and the folder of node.
func install(t *testing.T) (python, node string) {
	t.Helper()
	for _, program := range []string{"python3", "node", "npm"} {
		_, err := exec.LookPath(program)
		leg(t, err == nil, "there is no "+program)
	}
	var venv string
	errs := make(chan error, 2)
	go func() {
		var err error
		venv, err = installed(t.Context(), "python", "python3", pythonPins, installPython)
		errs <- err
	}()
	go func() {
		var err error
		node, err = installed(t.Context(), "node", "node", nodePins, installNode)
		errs <- err
	}()
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Fatal(err)
	}
	drivers, err := filepath.Glob("node/*.mjs")
	for _, driver := range drivers {
		err = errors.Join(err, copyFile(driver, node)) // beside the packages that they import
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(venv, "bin", "python"), node
}

// installed returns a folder with the SDKs of a language. It is named after what is
// pinned, and after the version of the interpreter; it is made where it is not there,
// and those of earlier pins go.
func installed(ctx context.Context, language, interpreter string, pins []string, install installer) (string, error) {
	version, err := output(ctx, ".", nil, interpreter, "--version")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write([]byte(version))
	for _, pin := range pins {
		content, err := os.ReadFile(pin)
		if err != nil {
			return "", err
		}
		sum.Write(content)
	}
	dir, err := filepath.Abs(filepath.Join(installs, language+"-"+hex.EncodeToString(sum.Sum(nil))[:12]))
	if err != nil {
		return "", err
	}
	ready := filepath.Join(dir, "ready")
	if _, err := os.Stat(ready); err == nil {
		return dir, nil
	}
	old, err := filepath.Glob(filepath.Join(installs, language+"-*"))
	if err != nil {
		return "", err
	}
	for _, o := range old {
		if err := os.RemoveAll(o); err != nil {
			return "", err
		}
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), install(ctx, dir)); err != nil {
		return "", fmt.Errorf("the SDKs for %s could not be installed: %w", language, err)
	}
	return dir, os.WriteFile(ready, nil, 0o644)
}

// An installer installs what is pinned in a folder.
type installer func(ctx context.Context, dir string) error

var pythonPins = []string{"python/requirements.txt"}

// installPython makes a virtual environment; the pins are all that it gets, each file by its hash.
func installPython(ctx context.Context, dir string) error {
	pip := filepath.Join(dir, "bin", "pip")
	for _, command := range [][]string{
		{"python3", "-m", "venv", dir},
		{pip, "install", "--quiet", "--no-deps", "--require-hashes", "--requirement", pythonPins[0]},
		{pip, "check"},
	} {
		if _, err := output(ctx, ".", nil, command...); err != nil {
			return err
		}
	}
	return nil
}

var nodePins = []string{"node/package.json", "node/package-lock.json", "node/.npmrc"}

// installNode installs what the lock says, and nothing runs on the way.
func installNode(ctx context.Context, dir string) error {
	for _, pin := range nodePins {
		if err := copyFile(pin, dir); err != nil {
			return err
		}
	}
	_, err := output(ctx, dir, nil, "npm", "ci", "--no-audit", "--no-fund")
	return err
}

// copyFile copies a file into a folder.
func copyFile(path, dir string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(path)), content, 0o644)
}

// output runs a program in a folder. When it fails, the error has all that it wrote.
func output(ctx context.Context, dir string, stdin io.Reader, command ...string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, stdin, &stdout, &stderr
	cmd.Env = environment()
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%q: %w\n%s%s", command, err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// environment is ours, but that Python writes no bytecode beside its files and reads
// UTF-8, and that no proxy is between the SDKs and the mock.
func environment() []string {
	return append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
}

// startMock starts the mock, and returns its address.
func startMock(t *testing.T, python, fixtures string) string {
	t.Helper()
	cmd := exec.Command(python, "mock/server.py", fixtures)
	cmd.Env, cmd.Stderr = environment(), os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(stdin.Close(), cmd.Wait()); err != nil {
			t.Errorf("the mock: %v", err)
		}
	})
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the mock did not start: %v", err)
	}
	return strings.TrimSpace(address)
}
