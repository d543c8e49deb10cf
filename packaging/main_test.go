package packaging_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// root is the repository, and work the place of what is built and cached.
const (
	root = ".."
	work = "../.run/packaging"
)

// version is that of the packages of these tests, as a tag has it without its "v": the one that docs/install.md names.
const version = "0.1.0"

// made is what every test starts from.
var made struct {
	binary   string            // of a release
	packages map[string]string // by format
	commit   time.Time
	release  *Release
}

// TestMain builds the binary, what comes with it, and the packages.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// build fills made.
func build() (err error) {
	if made.release, err = ReadRelease(root); err != nil {
		return err
	}
	seconds, err := exec.Command("git", "-C", root, "log", "-1", "--format=%ct").Output()
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(strings.TrimSpace(string(seconds)), 10, 64)
	if err != nil {
		return err
	}
	made.commit = time.Unix(unix, 0).UTC()
	target, err := made.release.BuildFor("linux_amd64")
	if err != nil {
		return err
	}
	if made.binary, err = filepath.Abs(filepath.Join(work, "toolresult")); err != nil {
		return err
	}
	ldflags, err := fields("amd64").Expand(strings.Join(target.Ldflags, " "))
	if err != nil {
		return err
	}
	args := append([]string{"build", "-o", made.binary, "-tags=" + strings.Join(target.Tags, ","), "-ldflags=" + ldflags}, target.Flags...)
	if err := run(root, []string{"CGO_ENABLED=0", "GOFLAGS="}, "go", append(args, target.Main)...); err != nil {
		return err
	}
	if err := run(root, []string{fmt.Sprint("SOURCE_DATE_EPOCH=", unix)}, "packaging/files.sh", ".bin/packaging"); err != nil {
		return err
	}
	made.packages, err = made.release.Write(work, made.binary, fields("amd64"), made.commit)
	return err
}

// fields are those of templates, for an architecture.
func fields(arch string) Fields {
	return Fields{ProjectName: "toolresult", Version: version, Os: "linux", Arch: arch}
}

// run runs a program; the error has what it printed.
func run(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// output returns what a program prints to standard output, and fails the test if it fails.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, complaints.String())
	}
	return string(out)
}

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
