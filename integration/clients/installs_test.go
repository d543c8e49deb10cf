package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// TestChecks runs the checks that each client has in its own folder: format, types, tests, and the package that is published.
func TestChecks(t *testing.T) {
	t.Parallel()
	for _, l := range languages(t) {
		if l.name == "go" {
			continue // its checks are those of this module
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			defer l.alone()()
			script(t, filepath.Join(root, "clients", l.name, "check.sh"), ".", nil)
		})
	}
}

// receipt is what each of the programs in installs prints.
const receipt = "Tool output:\nhello"

// TestInstalls installs each client as a user does, into an empty project and beside what is often there, and projects a text.
func TestInstalls(t *testing.T) {
	t.Parallel()
	for _, l := range languages(t) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("installs", l.name+".sh")
			s := sidecartest.Start(t, sidecartest.Options{Binary: binary})
			defer l.alone()()
			out := script(t, path, t.TempDir(), []string{"TOOLRESULT_ADDRESS=" + s.Target()})
			if n := strings.Count(out, receipt); n != projects(t, path) {
				t.Errorf("the receipt was printed %d times:\n%s", n, out)
			}
		})
	}
}

// projects returns how many projects a script makes: the lines "# Project: ..." in it.
func projects(t testing.TB, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := strings.Count(string(text), "\n# Project: ")
	if n == 0 {
		t.Fatalf("%s makes no project", path)
	}
	return n
}

// script runs a script in a folder, and returns what it wrote to its standard output.
func script(t testing.TB, path, dir string, env []string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "bash", path)
	c.Dir = dir
	c.Env = append(toolEnvironment(t), "CLONE="+source, "TOOLRESULT_BINARY="+binary)
	c.Env = append(c.Env, env...)
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", path, err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// toolEnvironment returns the environment of this process without variables of a sidecar, for tools that fetch packages: where from is
// a matter of the machine.
func toolEnvironment(t testing.TB) (env []string) {
	t.Helper()
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TOOLRESULT_") {
			env = append(env, variable)
		}
	}
	repository, err := filepath.Abs(filepath.Join(root, ".run", "clients", "m2")) // Maven's, which is not below the home that HOME names
	if err != nil {
		t.Fatal(err)
	}
	return append(env, "PYTHONDONTWRITEBYTECODE=1", "MAVEN_OPTS=-Dmaven.repo.local="+repository)
}
