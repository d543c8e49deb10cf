package early

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asMain makes this test binary say what was begun, as main would.
const asMain = "TEST_EARLY_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) == "" {
		os.Exit(m.Run())
	}
	if begun == nil {
		fmt.Println("nothing is begun")
		os.Exit(0)
	}
	c := Take(begun.args)
	if c == nil || Take(c.args) != nil {
		fmt.Println("it is not taken once")
		os.Exit(0)
	}
	out, _ := io.ReadAll(c.Stdout)
	err, _ := io.ReadAll(c.Stderr) // which is nil if both are one, as they are for these tests
	var status syscall.WaitStatus
	_, _ = syscall.Wait4(c.PID, &status, 0, nil)
	fmt.Printf("%q, %q, code %d", out, err, status.ExitStatus())
	os.Exit(0)
}

// TestWhatIsBegun runs this binary by names and with arguments: its init begins a command, becomes the real shell, or does nothing.
func TestWhatIsBegun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"toolresult", "bash", "toolresult-shell"} {
		if err := os.Symlink(os.Args[0], filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("echo script $TOOLRESULT_RAW"), 0o600); err != nil {
		t.Fatal(err)
	}
	const nothing = "nothing is begun\n"
	for _, c := range []struct{ call, env, want string }{
		{"toolresult§exec§--§sh§-c§cat; echo err >&2; exit 3", "", `"inerr\n", "", code 3`},
		{"toolresult§exec§--§/bin/sh§-c§echo $TOOLRESULT_RAW", "", `"\n", "", code 0`},
		{"toolresult§exec§--§no-such-program", "", nothing},
		{"toolresult§exec§--§" + script, "", nothing}, // it may not be executed
		{"toolresult§exec§--combined§--§true", "", nothing},
		{"toolresult§exec§true", "", nothing},
		{"toolresult§exec§--", "", nothing},
		{"toolresult§shell§--help", "", nothing},
		{"toolresult§read-on§3", "", nothing},
		{"toolresult§version", "", nothing},
		{"toolresult§shell§-c§echo $TOOLRESULT_RAW; exit 4", "", `"1\n", "", code 4`},
		{"toolresult-shell§true && pwd -P >| " + dir + "/cwd", "", `"", "", code 0`},
		{"bash§-c§echo $0", "", fmt.Sprintf("%q, \"\", code 0", realBash(t)+"\n")},
		{"bash§-c§echo $0 $TOOLRESULT_RAW", "TOOLRESULT_RAW=2", "bash 1\n"},
		{"bash§-c§echo $0 $TOOLRESULT_RAW", "TOOLRESULT_RAW=0", fmt.Sprintf("%q, \"\", code 0", realBash(t)+" 1\n")},
		{"bash§" + script, "", "script 1\n"},
		{"toolresult-shell§cat", "", "in"}, // a server
	} {
		words := strings.Split(c.call, "§")
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, words[0]), words[1:]...)
		cmd.Env = append(os.Environ(), asMain+"=1", "GORACE=atexit_sleep_ms=0", c.env, "PATH="+dir+":"+os.Getenv("PATH"))
		cmd.Stdin = strings.NewReader("in")
		got, err := cmd.CombinedOutput()
		if string(got) != c.want || err != nil {
			t.Errorf("%s with %s: %q, %v, want %q", c.call, c.env, got, err, c.want)
		}
	}
}

// realBash returns the path of the shell.
func realBash(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("skipped: there is no bash")
	}
	return path
}

// TestNothingTakesTime: what this package imports is ready early, because it does not need the packages that sort behind those of
// others, such as strings.
func TestNothingTakesTime(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(out)) {
		switch dep = strings.TrimSpace(dep); dep {
		case "fmt", "strings", "unicode", "os/exec", "path/filepath", "regexp":
			t.Errorf("it imports %s", dep)
		}
	}
}
