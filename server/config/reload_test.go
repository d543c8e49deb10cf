package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/server/config"
)

// TestReload changes the file of a configuration whose log level comes from elsewhere.
func TestReload(t *testing.T) {
	path := written(t, "c.yaml", "max_connections: 9\n")
	set, env := parsed(t, "--config", path, "--log-level=warn"), []string{"TOOLRESULT_TOKEN=" + secret, "TOOLRESULT_DRAIN_DELAY=1s"}
	loaded, err := config.Load(set, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, level string
		later       []string
		fails       string
	}{
		{file: "max_connections: 9\n", level: "warn"},
		{file: "log_level: debug\nmax_connections: 9\n", level: "debug"},
		{file: "drain_delay: 9s\nmax_connections: 9\n", level: "warn"}, // the variable counts, as before
		{file: "max_connections: 10\nvolatile: true\nlog_level: error\n", level: "error", later: []string{"volatile", "max_connections"}},
		{file: "", level: "warn", later: []string{"max_connections"}},
		{file: "max_connections: 0\n", fails: "max_connections"},
		{file: "log_level: loud\n", fails: "log_level"},
		{file: "log_level: [\n", fails: "not valid YAML"},
	} {
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := config.Reload(set, env)
		if err == nil {
			err = again.Validate()
		}
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q: %v", c.file, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.file, err)
			continue
		}
		level, was := again.Config.LogLevel, loaded.Config
		was.LogLevel = level
		if later := config.Differences(was, again.Config); level != c.level || !slices.Equal(later, c.later) {
			t.Errorf("%q: level %s, later %q", c.file, level, later)
		}
	}
}

// TestFileOfTheUser has directories by the XDG specification, and files that are named before that of the user.
func TestFileOfTheUser(t *testing.T) {
	write := func(dir ...string) string {
		t.Helper()
		path := filepath.Join(append(dir, "toolresult", "config.yaml")...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("max_connections: 9\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	home, xdg, empty := t.TempDir(), t.TempDir(), t.TempDir()
	inHome, inXDG, named := write(home, ".config"), write(xdg), written(t, "c.yaml", "")
	for _, c := range []struct {
		env  []string
		want string
	}{
		{nil, ""}, {[]string{"HOME=" + empty}, ""}, {[]string{"HOME=" + home}, inHome}, {[]string{"HOME=" + home, "XDG_CONFIG_HOME=" + xdg}, inXDG},
		{[]string{"HOME=" + home, "XDG_CONFIG_HOME=" + empty}, ""}, {[]string{"HOME=" + home, "XDG_CONFIG_HOME=.config"}, inHome}, {[]string{"HOME=" + inHome}, ""},
		{[]string{"HOME=" + home, "TOOLRESULT_CONFIG=" + named}, named}, {[]string{"HOME=" + home, "TOOLRESULT_CONFIG="}, inHome},
	} {
		loaded, err := config.Load(nil, c.env)
		if err != nil || loaded.File != c.want || config.HasFile(c.env) != (c.want != "") {
			t.Errorf("%q: %v, %v", c.env, loaded, err)
		}
	}
	if loaded := mustLoad(t, parsed(t, "--config="), "HOME="+home); loaded.File != "" {
		t.Errorf("--config= is %s", loaded.File)
	}
}
