package hosts_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/hooks"
	"github.com/toolresult/toolresult/internal/hosts"
)

// machine is a home with a store of records.
type machine struct {
	home  string
	store hosts.Store
}

// newMachine returns an empty home.
func newMachine(t *testing.T) *machine {
	t.Helper()
	home := t.TempDir()
	return &machine{home, hosts.Store{Dir: filepath.Join(home, "records")}}
}

// options returns the options of plans.
func (m *machine) options() hosts.Options {
	return hosts.Options{
		Program: "/usr/bin/toolresult", Shell: "/usr/bin/toolresult-shell", Home: m.home, Env: func(string) string { return "" },
	}
}

// plan returns the plan for a host.
func (m *machine) plan(t testing.TB, host hooks.Host, o hosts.Options) hosts.Plan {
	t.Helper()
	p, err := hosts.NewPlan(host, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// files returns all files of the home with their texts, and the directories.
func (m *machine) files(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(m.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[path] = "directory"
			return err
		}
		text, err := os.ReadFile(path)
		info, statErr := os.Lstat(path)
		all[path] = info.Mode().String() + string(text)
		return errors.Join(err, statErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// write writes a file with its directories.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// same fails the test unless two homes are the same.
func same(t testing.TB, want, got map[string]string) {
	t.Helper()
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s: %q, was %q", path, got[path], text)
		}
	}
	for path := range got {
		if _, was := want[path]; !was {
			t.Errorf("%s is new", path)
		}
	}
}

// user has settings files that people have.
var user = map[hooks.Host][]string{
	hooks.ClaudeCode: {".claude/settings.json", "{\n    // mine\n    \"env\": {\"A\": \"1\"},\n}"},
	hooks.GeminiCLI:  {".gemini/.env", "GEMINI_API_KEY=abc"},
	hooks.Codex:      {".codex/config.toml", "model = 'x' # mine\n[shell_environment_policy]\nset = {A = '1'}\n"},
	hooks.CopilotCLI: {".copilot/config.json", "{}"},
	hooks.OpenCode:   {".config/opencode/opencode.jsonc", "{ \"model\": \"a/b\" /* mine */ }\n"},
	hooks.Pi:         {".pi/agent/settings.json", "{\r\n\t\"theme\": \"dark\"\r\n}"},
}

func TestUninstallRestoresByteForByte(t *testing.T) {
	t.Parallel()
	for _, host := range hooks.All {
		for _, has := range []bool{false, true} {
			m := newMachine(t)
			if has {
				write(t, filepath.Join(m.home, user[host][0]), user[host][1])
			}
			before := m.files(t)
			o := m.options()
			o.Rewrite = has
			p := m.plan(t, host, o)
			if err := m.store.Install(p); err != nil {
				t.Fatal(host, err)
			}
			installed := m.files(t)
			if err := m.store.Install(p); err != nil {
				t.Fatal(host, err)
			}
			same(t, installed, m.files(t))
			if differences, err := m.store.Preview(p); err != nil || len(differences) != 0 {
				t.Errorf("%s: a second installation changes %v (%v)", host, differences, err)
			}
			if recorded, ok, err := m.store.Recorded(host, hosts.Options{}); err != nil || !ok || recorded.Rewrite != has {
				t.Errorf("%s: recorded %v, %t, %v", host, recorded, ok, err)
			}
			if err := m.store.Uninstall(p.Host); err != nil {
				t.Fatal(host, err)
			}
			same(t, before, m.files(t))
		}
	}
}

// TestUninstallKeepsLaterChanges changes each file between installation and removal.
func TestUninstallKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := filepath.Join(m.home, ".claude", "settings.json")
	write(t, path, "{\n  \"model\": \"a\"\n}\n")
	p := m.plan(t, hooks.ClaudeCode, m.options())
	if err := m.store.Install(p); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(string(text), `"a"`, `"b", // newer`, 1))
	if err := m.store.Uninstall(p.Host); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(path); err != nil || string(text) != "{\n  \"model\": \"b\" // newer,\n}\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestFileThatDoesNotParseIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, host := range []hooks.Host{hooks.ClaudeCode, hooks.Codex, hooks.OpenCode, hooks.Pi} {
		m := newMachine(t)
		write(t, filepath.Join(m.home, user[host][0]), "{ \"a\" = ")
		before := m.files(t)
		err := m.store.Install(m.plan(t, host, m.options()))
		if err == nil || !strings.Contains(err.Error(), "is left alone") {
			t.Errorf("%s: %v", host, err)
		}
		same(t, before, m.files(t))
	}
}

func TestSettingOfTheUserIsNotReplaced(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	write(t, filepath.Join(m.home, ".pi/agent/settings.json"), `{"shellPath": "/bin/zsh"}`)
	write(t, filepath.Join(m.home, ".config/opencode/plugins/toolresult.js"), "mine")
	before := m.files(t)
	for _, host := range []hooks.Host{hooks.Pi, hooks.OpenCode} {
		if err := m.store.Install(m.plan(t, host, m.options())); !errors.Is(err, hosts.ErrTaken) {
			t.Errorf("%s: %v", host, err)
		}
	}
	same(t, before, m.files(t))
}

func TestLinkToSettingsStaysALink(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dotfiles, path := filepath.Join(m.home, "dotfiles.json"), filepath.Join(m.home, ".claude", "settings.json")
	write(t, dotfiles, "{}")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(dotfiles, path)); err != nil {
		t.Fatal(err)
	}
	before := m.files(t)
	p := m.plan(t, hooks.ClaudeCode, m.options())
	if err := m.store.Install(p); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(dotfiles); err != nil || !bytes.Contains(text, []byte("toolresult-shell")) {
		t.Errorf("%s, %v", text, err)
	}
	if err := m.store.Uninstall(p.Host); err != nil {
		t.Fatal(err)
	}
	same(t, before, m.files(t))
}

// TestAnyFileIsRestored installs over random settings of Claude Code.
func TestAnyFileIsRestored(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := filepath.Join(m.home, ".claude", "settings.json")
	p := m.plan(t, hooks.ClaudeCode, m.options())
	rapid.Check(t, func(rt *rapid.T) {
		text := file(rt)
		write(t, path, text)
		if err := m.store.Install(p); err != nil {
			rt.Fatal(err)
		}
		if err := m.store.Uninstall(p.Host); err != nil {
			rt.Fatal(err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			rt.Fatalf("%q became %q, %v", text, after, err)
		}
	})
}

func TestPlansStatePermissions(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, host := range hooks.All {
		o := m.options()
		kept := m.plan(t, host, o)
		if !strings.Contains(kept.Permissions, "stay what they are") {
			t.Errorf("%s: %s", host, kept.Permissions)
		}
		for _, c := range kept.Changes {
			text, err := c.Edit.Apply(nil)
			if err != nil || bytes.Contains(text, []byte("--allow")) || bytes.Contains(text, []byte(`"allow"`)) {
				t.Errorf("%s allows without a word: %s, %v", host, text, err)
			}
		}
		o.Rewrite = true
		if p := m.plan(t, host, o); p.Permissions != kept.Permissions && !strings.Contains(p.Permissions, "PERMISSIONS CHANGE") {
			t.Errorf("%s: %s", host, p.Permissions)
		}
	}
	for _, path := range []string{"relative", "/with\"quote", "/with$dollar", "/with\nline"} {
		o := m.options()
		o.Shell = path
		if _, err := hosts.NewPlan(hooks.Codex, o); err == nil {
			t.Errorf("%q was taken", path)
		}
	}
	if _, err := hosts.NewPlan("emacs", m.options()); !errors.Is(err, hooks.ErrHost) {
		t.Error(err)
	}
}
