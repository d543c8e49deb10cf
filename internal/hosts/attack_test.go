package hosts_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/hooks"
	"github.com/toolresult/toolresult/internal/hosts"
)

// read returns the text of a file.
func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFilesOfOtherEditors has files with a byte order mark, with line ends of Windows, without an end, and empty ones: they are taken,
// keep their form, and are restored.
func TestFilesOfOtherEditors(t *testing.T) {
	t.Parallel()
	const bom = "\uFEFF"
	for host, texts := range map[hooks.Host][]string{
		hooks.ClaudeCode: {bom + "{\r\n  \"model\": \"a\"\r\n}\r\n", bom, "", "\n", "{}", bom + "{}"},
		hooks.Codex:      {bom + "model = \"a\"\r\n\r\n[b]\r\nc = 1\r\n", bom, "", "# mine", "[shell_environment_policy.set]\r\nA = \"1\""},
		hooks.Pi:         {bom + "{ \"theme\": \"dark\" }", "{\r\n}\r\n"},
		hooks.GeminiCLI:  {"A=1\r\nB=2", "", "\r\n"},
	} {
		for _, text := range texts {
			m := newMachine(t)
			path := filepath.Join(m.home, user[host][0])
			write(t, path, text)
			before := m.files(t)
			p := m.plan(t, host, m.options())
			if err := m.store.Install(p); err != nil {
				t.Errorf("%s, %q: %v", host, text, err)
				continue
			}
			after := read(t, path)
			if strings.HasPrefix(text, bom) != strings.HasPrefix(after, bom) || strings.Count(after, bom) > 1 {
				t.Errorf("%s, %q: the mark is not where it was: %q", host, text, after)
			}
			if strings.Contains(text, "\r\n") && strings.Count(after, "\n") != strings.Count(after, "\r\n") {
				t.Errorf("%s, %q: line ends are mixed: %q", host, text, after)
			}
			write(t, path, after+"\n") // so that the edit is taken back, and not the file
			if err := m.store.Uninstall(host); err != nil {
				t.Errorf("%s, %q: %v", host, text, err)
			}
			if left := read(t, path); strings.Contains(left, "toolresult") {
				t.Errorf("%s, %q: %q is left", host, text, left)
			}
			write(t, path, text)
			same(t, before, m.files(t))
		}
	}
}

// TestWhatCannotBeWritten has files that are read-only, links that lead nowhere, and directories that cannot be made: the reason is
// said, and nothing is changed.
func TestWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		host  hooks.Host
		build func(t *testing.T, home string) error
		want  string
	}{
		"read-only": {hooks.ClaudeCode, func(t *testing.T, home string) error {
			write(t, filepath.Join(home, ".claude/settings.json"), "{}")
			return os.Chmod(filepath.Join(home, ".claude/settings.json"), 0o444)
		}, "is read-only"},
		"dangling": {hooks.ClaudeCode, func(_ *testing.T, home string) error {
			return errors.Join(os.Mkdir(filepath.Join(home, ".claude"), 0o700), os.Symlink("/nonexistent/s", filepath.Join(home, ".claude/settings.json")))
		}, "link to a file that is not there"},
		"a directory in its place": {hooks.Pi, func(_ *testing.T, home string) error {
			return os.MkdirAll(filepath.Join(home, ".pi/agent/settings.json"), 0o700)
		}, "no regular file"},
		"a file in the place of a directory": {hooks.OpenCode, func(t *testing.T, home string) error {
			write(t, filepath.Join(home, ".config/opencode/plugins"), "mine")
			return nil
		}, "not a directory"},
		"the second of two files": {hooks.OpenCode, func(t *testing.T, home string) error {
			write(t, filepath.Join(home, ".config/opencode/opencode.json"), "{ }")
			return os.Symlink("/proc/nonexistent", filepath.Join(home, ".config/opencode/plugins"))
		}, "nothing is installed"},
		"the second of two new files": {hooks.Pi, func(_ *testing.T, home string) error {
			return errors.Join(os.MkdirAll(filepath.Join(home, ".pi/agent"), 0o700), os.Symlink("/proc/nonexistent", filepath.Join(home, ".pi/agent/extensions")))
		}, "nothing is installed"},
	} {
		m := newMachine(t)
		if err := c.build(t, m.home); err != nil {
			t.Fatal(err)
		}
		before := m.entries(t)
		err := m.store.Install(m.plan(t, c.host, m.options()))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		same(t, before, m.entries(t))
	}
}

// entries is files without following links.
func (m *machine) entries(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(m.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all[path] = d.Type().String()
		if d.Type().IsRegular() {
			all[path] += read(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestUninstallFindsWhatWasInstalled changes where the host has its settings, and where this program is, between installation and
// removal.
func TestUninstallFindsWhatWasInstalled(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	elsewhere := filepath.Join(m.home, "elsewhere")
	write(t, filepath.Join(elsewhere, "settings.json"), "{\n  \"model\": \"a\"\n}\n")
	o := m.options()
	o.Env = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": elsewhere}[name] }
	if err := m.store.Install(m.plan(t, hooks.ClaudeCode, o)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(elsewhere, "settings.json")
	write(t, path, strings.Replace(read(t, path), `"a"`, `"b"`, 1))
	if found, err := m.store.Check(hooks.ClaudeCode); err != nil || len(found) != 1 || found[path] != nil {
		t.Errorf("%v, %v", found, err)
	}
	if err := m.store.Uninstall(hooks.ClaudeCode); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "{\n  \"model\": \"b\"\n}\n" {
		t.Errorf("%q", got)
	}
}

// TestAnotherVersionInstalls over one whose program is elsewhere, after the user has changed the file: no setting is there twice.
func TestAnotherVersionInstalls(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := filepath.Join(m.home, ".claude", "settings.json")
	write(t, path, "{\n  \"model\": \"a\"\n}\n")
	o := m.options()
	if err := m.store.Install(m.plan(t, hooks.ClaudeCode, o)); err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(read(t, path), `"a"`, `"b"`, 1))
	o.Program, o.Shell = "/opt/toolresult", "/opt/toolresult-shell"
	if err := m.store.Install(m.plan(t, hooks.ClaudeCode, o)); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); strings.Contains(got, "/usr/bin") || strings.Count(got, "hook claude-code") != 2 {
		t.Errorf("%s", got)
	}
	if err := m.store.Uninstall(hooks.ClaudeCode); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "{\n  \"model\": \"b\"\n}\n" {
		t.Errorf("%q", got)
	}
}

// TestHooksOfEarlierVersionsGo: their lines had no end that keeps a program that cannot start from saying no.
func TestHooksOfEarlierVersionsGo(t *testing.T) {
	t.Parallel()
	const end = " || :"
	for _, host := range []hooks.Host{hooks.ClaudeCode, hooks.GeminiCLI, hooks.Codex, hooks.CopilotCLI} {
		m := newMachine(t)
		plan := m.plan(t, host, m.options())
		if err := m.store.Install(plan); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, c := range plan.Changes {
			if text := read(t, c.Path); strings.Contains(text, end) {
				lines += strings.Count(text, end)
				write(t, c.Path, strings.ReplaceAll(text, end, ""))
			}
		}
		if err := m.store.Uninstall(host); err != nil || lines == 0 {
			t.Errorf("%s: %d lines, %v", host, lines, err)
		}
		for _, c := range plan.Changes {
			if text, err := os.ReadFile(c.Path); err == nil && strings.Contains(string(text), " hook "+string(host)) {
				t.Errorf("%s: %s has %s", host, c.Path, text)
			}
		}
	}
}

// TestHookThatCannotStart has no program, and one that ends with the code by which hosts reject a command: the hook says nothing.
func TestHookThatCannotStart(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "toolresult")
	write(t, broken, "#!/bin/sh\nexit 2\n")
	if err := os.Chmod(broken, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"/nonexistent/toolresult", broken} {
		m := newMachine(t)
		o := m.options()
		o.Program = program
		cmd := exec.CommandContext(t.Context(), "sh", "-c", m.plan(t, hooks.CopilotCLI, o).Hook())
		if out, err := cmd.Output(); err != nil || len(out) > 0 {
			t.Errorf("%s: %q, %v", program, out, err)
		}
	}
}

// TestHooksOfTheUserStay beside ours, in any order.
func TestHooksOfTheUserStay(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := filepath.Join(m.home, ".claude", "settings.json")
	const mine = `{"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "gofmt -w"}]}], "Stop": []}, "env": {"FOO": "1"}}`
	write(t, path, mine)
	if err := m.store.Install(m.plan(t, hooks.ClaudeCode, m.options())); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); !strings.Contains(got, "gofmt -w") || !strings.Contains(got, `"FOO": "1"`) || !strings.Contains(got, "hook claude-code") {
		t.Errorf("%s", got)
	}
	write(t, path, strings.Replace(read(t, path), `"FOO": "1"`, `"FOO": "2"`, 1))
	if err := m.store.Uninstall(hooks.ClaudeCode); err != nil {
		t.Fatal(err)
	}
	if got, want := value(t, read(t, path)), value(t, strings.Replace(mine, `"1"`, `"2"`, 1)); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAnyLaterChangeIsKept changes random files after the installation by one more key: it stays, and ours goes.
func TestAnyLaterChangeIsKept(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := filepath.Join(m.home, ".claude", "settings.json")
	p := m.plan(t, hooks.ClaudeCode, m.options())
	later := hosts.JSONFile{{Path: []string{"later"}, Value: true}}
	rapid.Check(t, func(rt *rapid.T) {
		write(t, path, file(rt))
		if err := m.store.Install(p); err != nil {
			rt.Fatal(err)
		}
		write(t, path, apply(rt, later, read(t, path)))
		if err := m.store.Uninstall(hooks.ClaudeCode); err != nil {
			rt.Fatal(err)
		}
		got, _ := value(rt, read(t, path)).(map[string]any)
		if got["later"] != true || strings.Contains(fmt.Sprint(got), "toolresult") {
			rt.Fatalf("%v", got)
		}
	})
}

// TestGeminiReadsTheFileOfTheHome: a new file in its folder would hide the one that has the user's key.
func TestGeminiReadsTheFileOfTheHome(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	write(t, filepath.Join(m.home, ".env"), "GEMINI_API_KEY=abc\n")
	p := m.plan(t, hooks.GeminiCLI, m.options())
	if err := m.store.Install(p); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(m.home, ".env")); !strings.HasPrefix(got, "GEMINI_API_KEY=abc\nBASH_ENV=") {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(m.home, ".gemini", ".env")); err == nil {
		t.Error("the user's file is hidden")
	}
	project := filepath.Join(m.home, "project", "sub")
	write(t, filepath.Join(project, "x"), "")
	if file := p.Hides(project); file != "" {
		t.Errorf("%s hides the file", file)
	}
	own := filepath.Join(m.home, "project", ".env")
	write(t, own, "A=1\n")
	if file := p.Hides(project); file != own {
		t.Errorf("%q hides the file, want %q", file, own)
	}
	if file := m.plan(t, hooks.Pi, m.options()).Hides(project); file != "" {
		t.Error(file)
	}
}

// TestShellWithoutTheProgram: a host goes on when the program was removed and its settings were not.
func TestShellWithoutTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := hosts.Options{Program: filepath.Join(dir, "it's here"), Shell: filepath.Join(dir, "a folder", "bin", "toolresult-shell")}
	for range 2 {
		if err := o.WriteShell(); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		out, err := exec.Command(o.Shell, args...).CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		return string(out)
	}
	script := filepath.Join(dir, "script")
	write(t, script, "echo script $1")
	for want, args := range map[string][]string{
		"a b\n": {"echo 'a b'"}, "c\n": {"-c", "echo c"}, "exit status 3": {"exit 3"}, "login exit status 4": {"-lc", "printf 'login '; exit 4"},
		"script x\n": {script, "x"}, "3\n": {"-c", "echo $#", "0", "1", "2", "3"},
	} {
		if got := run(args...); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
	write(t, o.Program, "#!/bin/sh\ncase $1 in prove) echo toolresult takes over; exit ;; esac\nprintf '<%s>' \"$@\"\n")
	if err := os.Chmod(o.Program, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := run("-c", "a  b", ""); got != "<shell><-c><a  b><>" {
		t.Errorf("%q", got)
	}
	if err := o.RemoveShell(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(o.Shell)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	write(t, o.Shell, "mine")
	if err := o.RemoveShell(); err != nil || read(t, o.Shell) != "mine" {
		t.Error("a file of the user is removed", err)
	}
}

// TestFilesThatAreNotRegular replaces each settings file of a host, and the record, by files of other kinds: nothing blocks on them,
// the error names them, and they stay as they were.
func TestFilesThatAreNotRegular(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(path string) error{
		"a named pipe":         func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a directory":          func(path string) error { return os.Mkdir(path, 0o700) },
		"a link to a device":   func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link to a terminal": func(path string) error { return os.Symlink("/dev/ptmx", path) },
		"a link to a pipe": func(path string) error {
			return errors.Join(syscall.Mkfifo(path+".pipe", 0o600), os.Symlink(path+".pipe", path))
		},
		"a socket": func(path string) error {
			socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				return err
			}
			defer syscall.Close(socket)
			t := filepath.Join(os.TempDir(), fmt.Sprintf("s%d", os.Getpid())) // a path of a socket is short
			if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: t}); err != nil {
				return err
			}
			return os.Rename(t, path)
		},
	}
	for _, host := range hooks.All {
		for kind, put := range kinds {
			m := newMachine(t)
			files := m.plan(t, host, m.options()).Changes
			for _, c := range files {
				if err := errors.Join(os.MkdirAll(filepath.Dir(c.Path), 0o700), put(c.Path)); err != nil {
					t.Fatal(kind, err)
				}
				was, err := os.Lstat(c.Path)
				if err != nil {
					t.Fatal(err)
				}
				err = m.store.Install(m.plan(t, host, m.options()))
				if err == nil || !strings.Contains(err.Error(), c.Path+" is left alone: it is no regular file") {
					t.Errorf("%s, %s: %v", host, kind, err)
				}
				if now, err := os.Lstat(c.Path); err != nil || !os.SameFile(was, now) {
					t.Errorf("%s, %s: it was replaced: %v", host, kind, err)
				}
				if err := os.Remove(c.Path); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.store.Install(m.plan(t, host, m.options())); err != nil {
				t.Fatal(err)
			}
			path := files[len(files)-1].Path
			if err := errors.Join(os.Remove(path), os.RemoveAll(path+".pipe"), put(path)); err != nil {
				t.Fatal(kind, err)
			}
			if found, err := m.store.Check(host); err != nil || found[path] == nil {
				t.Errorf("%s, %s: the check finds %v, %v", host, kind, found, err)
			}
			if err := m.store.Uninstall(host); err == nil || !strings.Contains(err.Error(), path+" is left alone: it is no regular file") {
				t.Errorf("%s, %s: %v", host, kind, err)
			}
			record := filepath.Join(m.store.Dir, string(host)+".json")
			if err := errors.Join(os.Remove(record), os.RemoveAll(record+".pipe"), put(record)); err != nil {
				t.Fatal(kind, err)
			}
			for name, err := range map[string]error{"install": m.store.Install(m.plan(t, host, m.options())), "uninstall": m.store.Uninstall(host)} {
				if err == nil || !strings.Contains(err.Error(), "it is no regular file") {
					t.Errorf("%s, %s: %s: %v", host, kind, name, err)
				}
			}
		}
	}
}
