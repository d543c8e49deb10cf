package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/internal/hooks"
	"github.com/toolresult/toolresult/internal/hosts"
)

// installing is a home in which the program is installed for hosts. Tests of it change the environment, and run alone.
type installing struct {
	*testing.T
	home string
}

// newInstalling returns an empty home.
func newInstalling(t *testing.T) *installing {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, variable := range []string{"XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR"} {
		t.Setenv(variable, "")
	}
	return &installing{t, home}
}

// settings returns the text of a file in the home; "" if there is none.
func (i *installing) settings(names ...string) string {
	i.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{i.home}, names...)...))
	if err != nil && !os.IsNotExist(err) {
		i.Fatal(err)
	}
	return string(text)
}

func TestInstallAsksAndUninstallRestores(t *testing.T) {
	i := newInstalling(t)
	const mine = "{\n  \"model\": \"opus\"\n}\n"
	if err := os.MkdirAll(filepath.Join(i.home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(i.home, ".claude", "settings.json"), []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	unchanged := func() {
		t.Helper()
		if got := i.settings(".claude", "settings.json"); got != mine {
			t.Errorf("the settings are %q", got)
		}
	}
	toolresult(t, "", "install", "claude-code", "--dry-run").want(0, "+    \"CLAUDE_CODE_SHELL_PREFIX\"", "Permissions stay what they are")
	unchanged()
	toolresult(t, "", "install", "claude-code").want(codeFailed, "! --yes is not given")
	unchanged()
	toolresult(t, "n\n", "install", "claude-code").want(codeFailed, "! nothing is written")
	unchanged()
	toolresult(t, "y\n", "install", "claude-code").want(0, "Installed.")
	if got := i.settings(".claude", "settings.json"); !strings.Contains(got, "toolresult-shell") || !strings.Contains(got, "hook claude-code") {
		t.Errorf("the settings are %q", got)
	}
	toolresult(t, "", "install", "claude-code").want(0, "is installed for claude-code")
	toolresult(t, "", "install", "claude-code", "--reads").want(codeFailed, "! with other options")
	toolresult(t, "", "uninstall", "claude-code", "--dry-run").want(0, "-    \"CLAUDE_CODE_SHELL_PREFIX\"")
	toolresult(t, "", "uninstall", "claude-code", "--yes").want(0, "Taken away")
	unchanged()
	toolresult(t, "", "uninstall", "claude-code", "--yes").want(0, "is not installed")
	if _, err := os.Lstat(filepath.Join(i.home, ".local", "share", "toolresult")); !os.IsNotExist(err) {
		t.Errorf("the link of the shell is left: %v", err)
	}
}

func TestInstallForEveryHost(t *testing.T) {
	i := newInstalling(t)
	for _, host := range hooks.All {
		toolresult(t, "", "install", string(host), "--yes").want(0, "Installed.", "Permissions stay what they are")
		toolresult(t, "", "install", string(host), "--yes").want(0, "is installed")
	}
	link := filepath.Join(i.home, ".local", "share", "toolresult", "bin", shellName)
	for n, host := range hooks.All {
		if _, err := os.Stat(link); err != nil {
			t.Errorf("after %d removals: %v", n, err)
		}
		toolresult(t, "", "uninstall", string(host), "--yes").want(0)
	}
	for _, names := range [][]string{{".claude"}, {".gemini"}, {".codex"}, {".copilot"}, {".config"}, {".pi"}, {".local", "share", "toolresult"}} {
		if _, err := os.Stat(filepath.Join(append([]string{i.home}, names...)...)); !os.IsNotExist(err) {
			t.Errorf("%v is left: %v", names, err)
		}
	}
	toolresult(t, "", "install", "emacs").want(codeFailed, "! are known")
}

func TestInstallSaysWhatRewritingMeans(t *testing.T) {
	newInstalling(t)
	for _, host := range []string{"gemini-cli", "codex", "copilot-cli"} {
		toolresult(t, "", "install", host, "--rewrite", "--dry-run").want(0, "PERMISSIONS CHANGE")
	}
}

// TestPluginsAreJavaScript loads the plugin files, when node is there.
func TestPluginsAreJavaScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	i := newInstalling(t)
	for host, file := range map[string]string{"opencode": ".config/opencode/plugins/toolresult.js", "pi": ".pi/agent/extensions/toolresult.js"} {
		toolresult(t, "", "install", host, "--yes").want(0)
		check := exec.Command(node, "--input-type=module", "--check", "-")
		check.Stdin = strings.NewReader(i.settings(file))
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", host, err, out)
		}
	}
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	i := newInstalling(t)
	toolresult(t, "", "doctor", "pi").want(1, "wrong  toolresult is not installed for pi")
	toolresult(t, "", "install", "pi", "--yes").want(0)
	link := filepath.Join(i.home, ".local", "share", "toolresult", "bin", shellName)
	shell := func(script string) {
		t.Helper()
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(link, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	shell("#!/bin/sh\necho \"Process exited with code 2\n" + hosts.DecidingLine + "\"\nexit 2\n")
	toolresult(t, "", "doctor", "pi").want(0, "ok     toolresult is installed for pi", "ok     a command that exits with 2", "ok     of ", "Permissions stay")
	shell("#!/bin/sh\nexec /bin/sh \"$@\"\n")
	toolresult(t, "", "doctor", "pi").want(1, "ok     a command that exits with 2", "is no receipt (error line shown: true)")
	shell("#!/bin/sh\nexit 1\n")
	toolresult(t, "", "doctor", "pi").want(1, "wrong  a command that exits with 2 ends with 1")
	if err := os.WriteFile(filepath.Join(i.home, ".pi", "agent", "settings.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	toolresult(t, "", "doctor", "pi").want(1, "the settings of toolresult are gone")
}
