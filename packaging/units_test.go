package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// exposures are the bounds of what `systemd-analyze security` makes of a service, 0 to 10: a manager of a user has few of the means.
var exposures = map[string]float64{"system": 1.0, "user": 6.5}

// unitsOf copies the units of a manager to a directory of their own. What they start is the binary that was built.
func unitsOf(t *testing.T, manager string) []string {
	t.Helper()
	dir := t.TempDir()
	var list []string
	for _, name := range []string{"toolresult.socket", "toolresult.service"} {
		text := strings.ReplaceAll(read(t, "packaging/systemd/"+manager+"/"+name), "/usr/bin/toolresult", made.binary)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list = append(list, path)
	}
	return list
}

// TestUnitsAreVerified has systemd read the units; what it says at all is a mistake. A unit with one shows that it says something.
func TestUnitsAreVerified(t *testing.T) {
	runtime := t.TempDir()
	verify := func(manager string, units ...string) string {
		cmd := exec.Command("systemd-analyze", append([]string{"verify", "--man=no", "--recursive-errors=no", "--" + manager}, units...)...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+runtime)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return err.Error() + "\n" + string(out)
		}
		return string(out)
	}
	for manager := range exposures {
		units := unitsOf(t, manager)
		if said := verify(manager, units...); said != "" {
			t.Errorf("units of a %s: %s", manager, said)
		}
		text, err := os.ReadFile(units[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(units[1], []byte(strings.Replace(string(text), "WatchdogSec=", "WatchDogSec=", 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if said := verify(manager, units...); !strings.Contains(said, "WatchDogSec") {
			t.Errorf("nobody finds a setting that there is not: %q", said)
		}
	}
}

// TestServicesAreConfined bounds the exposure of both services.
func TestServicesAreConfined(t *testing.T) {
	overall := regexp.MustCompile(`Overall exposure level for toolresult.service: (\S+)`)
	for manager, bound := range exposures {
		text := output(t, "systemd-analyze", "security", "--offline=true", "--no-pager", unitsOf(t, manager)[1])
		m := overall.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no level in:\n%s", text)
		}
		level, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("service of the %s: exposure %.1f", manager, level)
		if level > bound {
			t.Errorf("service of the %s: exposure %.1f, more than %.1f:\n%s", manager, level, bound, text)
		}
	}
}

// TestUnitsSayWhatTheSidecarDoes compares settings of the units with each other, and with the configuration that is installed.
func TestUnitsSayWhatTheSidecarDoes(t *testing.T) {
	for manager := range exposures {
		dir := filepath.Join(root, "packaging/systemd", manager)
		service, err := ReadUnit(filepath.Join(dir, "toolresult.service"))
		if err != nil {
			t.Fatal(err)
		}
		socket, err := ReadUnit(filepath.Join(dir, "toolresult.socket"))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"Type": "notify", "NotifyAccess": "main", "Restart": "on-failure", "UMask": "0077", "NoNewPrivileges": "yes",
			"StartLimitIntervalSec": "0", "TimeoutStartSec": "infinity",
		} {
			if got := service.Get(name); got != want {
				t.Errorf("service of the %s: %s=%s, not %s", manager, name, got, want)
			}
		}
		if service.Get("WatchdogSec") == "" || service.Get("ExecReload") == "" || socket.Get("SocketMode") == "" {
			t.Errorf("units of the %s have no watchdog, no reload or the mode 0666 of sockets", manager)
		}
		if wait, err := time.ParseDuration(service.Get("RestartSec")); err != nil || wait < 5*time.Second {
			t.Errorf("service of the %s: a start that fails is repeated after %s, without a limit, %v", manager, wait, err)
		}
		if manager == "system" {
			config := read(t, "packaging/config.yaml")
			for _, want := range []string{
				"\nsocket: " + socket.Get("ListenStream") + "\n", "\nallow_groups: [" + socket.Get("SocketGroup") + "]\n",
				"\nstore: /var/lib/" + service.Get("StateDirectory") + "/store\n",
			} {
				if !strings.Contains(config, want) {
					t.Errorf("the configuration has no %q", want)
				}
			}
		}
	}
}
