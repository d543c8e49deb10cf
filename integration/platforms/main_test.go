package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOtherSystemsAreChecked has a module that is good on this system and wrong on others: in a file, in a body, and in a test.
func TestOtherSystemsAreChecked(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "")
	for name, text := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.25\n", "m.go": "package m\n\nimport \"syscall\"\n\nvar Open = syscall.Open\n",
		"a_linux.go":        "package m\n\nimport \"syscall\"\n\nfunc sync(fd int) error { return syscall.Fdatasync(fd) }\n",
		"a_darwin.go":       "package m\n\nimport \"syscall\"\n\nfunc sync(fd int) error { return syscall.Fdatasync(fd) }\n",
		"m_windows_test.go": "package m\n\nvar size int8 = 1 << 40\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string]string{
		"linux/arm64": "", "linux/amd64": "", "darwin/arm64": "a_darwin.go:5:42: undefined: syscall.Fdatasync",
		"windows/amd64": "m_windows_test.go:3:17: cannot use 1 << 40", "plan9": "plan9 is not GOOS/GOARCH",
	} {
		var out bytes.Buffer
		err := run([]string{system, "./..."}, &out)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", system, err, want)
		}
		if want == "" && !strings.HasPrefix(out.String(), system+": 1 packages of this module, 0 of them with tests") {
			t.Errorf("%s: %s", system, out.String())
		}
	}
	if err := run([]string{"linux/arm64", "fmt"}, &bytes.Buffer{}); err == nil {
		t.Error("a package of another module is none of this one")
	}
	if err := run([]string{"linux/arm64", "./none"}, &bytes.Buffer{}); err == nil {
		t.Error("a package that is not there was checked")
	}
}

// TestSkippedTestsAreThere: what is omitted under QEMU is a test of a package that runs there, so that the list is no longer than it has to be.
func TestSkippedTestsAreThere(t *testing.T) {
	list, err := exec.Command("./skipped.sh", "not-under-qemu.txt").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(strings.Trim(string(list), "^()$\n"), "|")
	if len(names) < 2 {
		t.Fatalf("the list is %q", list)
	}
	var tests []byte
	for _, folder := range []string{"artifactstore/dir", "internal/*", "cmd/toolresult"} {
		files, err := filepath.Glob("../../" + folder + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			tests = append(tests, text...)
		}
	}
	for _, name := range names {
		if !regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`).Match(tests) {
			t.Errorf("there is no test %s", name)
		}
	}
}
