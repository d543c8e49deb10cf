package frameworks_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// root is that of the module.
const root = "../.."

// installs is where the frameworks are installed, and stay.
const installs = root + "/.run/frameworks"

// enabled names the variable that lets tests download what they need. `make frameworks` sets it.
const enabled = "TOOLRESULT_FRAMEWORKS"

// need guards a test that needs the frameworks.
func need(t testing.TB, programs ...string) {
	t.Helper()
	if os.Getenv(enabled) == "" {
		t.Skip("skipped: it installs frameworks; make frameworks runs it")
	}
	for _, program := range programs {
		_, err := exec.LookPath(program)
		sidecartest.Need(t, err == nil, "there is no "+program)
	}
}

// installed returns a folder, named after the pins and the version of an interpreter, that install has filled. Folders of earlier pins
// go.
func installed(t testing.TB, interpreter string, pins []string, install func(dir string)) string {
	t.Helper()
	sum := sha256.New()
	fmt.Fprint(sum, output(t, ".", interpreter, "--version"))
	for _, pin := range pins {
		content, err := os.ReadFile(pin)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(content)
	}
	dir, err := filepath.Abs(filepath.Join(installs, interpreter+"-"+hex.EncodeToString(sum.Sum(nil))[:12]))
	if err != nil {
		t.Fatal(err)
	}
	ready := filepath.Join(dir, "ready")
	if _, err := os.Stat(ready); err == nil {
		return dir
	}
	old, err := filepath.Glob(filepath.Join(installs, interpreter+"-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range old {
		if err := os.RemoveAll(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	install(dir)
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// installPython returns a virtual environment with the frameworks and the client.
func installPython(t testing.TB) (dir string) {
	t.Helper()
	need(t, "python3")
	pins := []string{"python/requirements.txt"}
	return installed(t, "python3", append(pins, clientFiles(t, "python")...), func(dir string) {
		pip := filepath.Join(dir, "bin", "pip")
		output(t, ".", "python3", "-m", "venv", dir)
		output(t, ".", pip, "install", "--quiet", "--no-deps", "--require-hashes", "--cache-dir", installs+"/pip", "--requirement", pins[0])
		output(t, ".", pip, "install", "--quiet", "--no-deps", "--cache-dir", installs+"/pip", root+"/clients/python")
	})
}

// installNode returns a folder with the packages of the lock and the client, the driver and the example beside them.
func installNode(t testing.TB) (dir string) {
	t.Helper()
	need(t, "node", "npm")
	pins := []string{"node/package.json", "node/package-lock.json", "node/.npmrc"}
	dir = installed(t, "node", append(pins, clientFiles(t, "typescript")...), func(dir string) {
		for _, pin := range pins {
			copyFile(t, pin, dir)
		}
		cache := filepath.Join(filepath.Dir(dir), "npm")
		output(t, dir, "npm", "ci", "--no-audit", "--no-fund", "--cache", cache)
		output(t, ".", "bash", root+"/clients/typescript/build.sh", filepath.Join(dir, "client"))
		output(t, dir, "npm", "pack", "--silent", "--ignore-scripts", "./client/package")
		tarballs, err := filepath.Glob(filepath.Join(dir, "toolresult-*.tgz"))
		if err != nil || len(tarballs) != 1 {
			t.Fatal(tarballs, err)
		}
		output(t, dir, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--cache", cache, tarballs[0])
	})
	copyFile(t, "node/drive.mjs", dir)
	copyFile(t, root+"/docs/examples/frameworks/receipts.mjs", dir)
	return dir
}

// clientFiles returns the files that the package of a client is built from.
func clientFiles(t testing.TB, language string) (paths []string) {
	t.Helper()
	listed := output(t, root, "git", "ls-files", "-z", "--", "proto", "clients/"+language)
	for path := range strings.SplitSeq(strings.TrimRight(listed, "\x00"), "\x00") {
		paths = append(paths, filepath.Join(root, path))
	}
	if len(paths) < 20 {
		t.Fatalf("%d files", len(paths))
	}
	return paths
}

// copyFile copies a file into a folder.
func copyFile(t testing.TB, path, dir string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, filepath.Base(path)), content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// output runs a program in a folder, and returns what it wrote.
func output(t testing.TB, dir string, command ...string) string {
	t.Helper()
	return outputWith(t, dir, nil, command...)
}

// outputWith is output with further variables. No proxy and no key of the machine counts.
func outputWith(t testing.TB, dir string, env []string, command ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1", "OTEL_SDK_DISABLED=true", "LANGSMITH_TRACING=false"), env...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v\n%s%s", strings.Join(command, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}
