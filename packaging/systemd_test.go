package packaging_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is a Debian that systemd has started, in namespaces of its own.
type machine struct {
	t    *testing.T
	root string
	pid  int // of its first process
	log  bytes.Buffer
}

// boot starts a machine that has the package.
func boot(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, root: stageFrom(t, "systemd", "systemd,dbus,procps")}
	start := exec.Command("./boot.sh", m.root)
	start.Stdout, start.Stderr = &m.log, &m.log
	start.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := start.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-start.Process.Pid, syscall.SIGKILL) // all of the machine goes with its first process
		_ = start.Wait()
		for _, group := range []string{"/sys/fs/cgroup/systemd/toolresult.", "/sys/fs/cgroup/toolresult."} {
			removeGroups(t, group+strconv.Itoa(start.Process.Pid))
		}
	})
	for range 600 {
		time.Sleep(50 * time.Millisecond)
		children, err := os.ReadFile("/proc/" + strconv.Itoa(start.Process.Pid) + "/task/" + strconv.Itoa(start.Process.Pid) + "/children")
		if fields := strings.Fields(string(children)); err == nil && len(fields) == 1 {
			if name, err := os.ReadFile("/proc/" + fields[0] + "/comm"); err == nil && string(name) == "systemd\n" {
				m.pid, _ = strconv.Atoi(fields[0])
				break
			}
		}
	}
	if m.pid == 0 {
		t.Fatalf("systemd did not start\n%s", &m.log)
	}
	m.until("systemctl is-system-running 2>&1 || true", "running")
	return m
}

// removeGroups removes a control group with those in it, as soon as their processes have ended.
func removeGroups(t *testing.T, path string) {
	t.Helper()
	for range 200 {
		var all []string
		_ = filepath.WalkDir(path, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				all = append(all, path)
			}
			return nil
		})
		for _, group := range slices.Backward(all) {
			_ = syscall.Rmdir(group)
		}
		if len(all) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the control group %s stays", path)
}

// try runs a script in the machine, as a user who has just logged in.
func (m *machine) try(user, script string) (string, error) {
	home := "/root"
	if user != "root" {
		home = "/home/" + user
	}
	cmd := exec.Command("nsenter", "-t", strconv.Itoa(m.pid), "-m", "-p", "-u", "-i", "-n", "-C", "env", "-i", path, "HOME="+home,
		"XDG_RUNTIME_DIR=/run/user/me", "runuser", "-u", user, "--", "/bin/sh", "-euc", "cd; "+script)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run is try for what has to succeed.
func (m *machine) run(user, script string) string {
	m.t.Helper()
	out, err := m.try(user, script)
	if err != nil {
		journal, _ := m.try("root", "journalctl --no-pager -b -n 40 -u toolresult.service")
		m.t.Fatalf("%s: %v\n%s\n%s", script, err, out, journal)
	}
	return out
}

// until repeats a script of root until it prints a line.
func (m *machine) until(script, line string) {
	m.t.Helper()
	out := ""
	for range 300 {
		if out, _ = m.try("root", script); strings.Contains("\n"+out, "\n"+line+"\n") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	m.t.Fatalf("%s prints no %q but %q\n%s", script, line, out, &m.log)
}

// TestSystemdRunsTheUnits has systemd itself do what the page says: with all of the sandbox that the units ask for.
func TestSystemdRunsTheUnits(t *testing.T) {
	m := boot(t)
	m.run("root", "dpkg -i /srv/release/"+filepath.Base(made.packages["deb"]))
	steps := blocks(t, "One sidecar for the machine")
	m.run("root", steps[0].text)
	m.until("systemctl is-active toolresult.service || true", "inactive")
	if receipt := m.run("me", steps[1].text); !strings.Contains(receipt, "all of it: /var/lib/toolresult/store/") {
		t.Errorf("the first call does not start the sidecar:\n%s", receipt)
	}
	// The sandbox hides no caller: the record has the user, and when the process was started.
	record := m.run("me", "toolresult audit show 1 --server unix:///run/toolresult/toolresult.sock")
	if uid := strings.TrimSpace(m.run("me", "id -u")); !strings.Contains(record, `"uid": `+uid+",") || !strings.Contains(record, `"pid_started_at"`) {
		t.Errorf("the record of a call of user %s:\n%s", uid, record)
	}
	if out, err := m.try("stranger", "toolresult info --server unix:///run/toolresult/toolresult.sock"); err == nil {
		t.Errorf("a stranger calls:\n%s", out)
	}
	m.until("systemctl show -P StatusText toolresult", "Serving unix:///run/toolresult/toolresult.sock")
	m.run("root", "systemctl reload toolresult")
	m.until("systemctl show -P StatusText toolresult", "Serving, with the configuration of the last reload")
	rights := m.run("root", "cat /proc/$(systemctl show -P MainPID toolresult)/status")
	for _, want := range []string{"CapEff:\t0000000000000000\n", "NoNewPrivs:\t1\n", "Seccomp:\t2\n"} {
		if !strings.Contains(rights, want) {
			t.Errorf("the sidecar has no %q:\n%s", want, rights)
		}
	}
	m.watchdog()
	m.userUnits()
	m.run("root", blocks(t, "Debian and Ubuntu")[3].text)
	left, err := m.try("root", "systemctl list-unit-files --no-pager | grep toolresult; ls -d /etc/toolresult /var/lib/toolresult /run/toolresult /etc/systemd/system/*.wants/toolresult*; getent passwd toolresult")
	if err == nil || strings.Contains(left, "\n/") || strings.Contains(left, "toolresult:x:") || strings.Contains(left, "toolresult.service ") {
		t.Errorf("after the purge: %s", left)
	}
}

// watchdog takes the store away: systemd starts the sidecar again, which makes a new one.
func (m *machine) watchdog() {
	m.t.Helper()
	m.run("root", `mkdir -p /run/systemd/system/toolresult.service.d
		printf '[Service]\nWatchdogSec=2\n' > /run/systemd/system/toolresult.service.d/watchdog.conf
		systemctl daemon-reload; systemctl restart toolresult; sleep 5`)
	m.until("systemctl show -P NRestarts toolresult", "0") // it has given signs of life
	m.run("root", "mv /var/lib/toolresult/store /var/lib/toolresult/gone")
	m.until("systemctl show -P NRestarts toolresult", "1")
	m.until("systemctl is-active toolresult", "active")
	m.run("me", "toolresult info --server unix:///run/toolresult/toolresult.sock")
}

// userUnits starts a manager of the user, and has its units serve.
func (m *machine) userUnits() {
	m.t.Helper()
	m.run("root", `install -d -o me -m 0700 /run/user/me
		systemd-run -q --unit=manager -p User=me -p Delegate=yes -p Type=notify -E XDG_RUNTIME_DIR=/run/user/me /lib/systemd/systemd --user`)
	m.run("me", blocks(m.t, "One sidecar for a user")[0].text)
	if receipt := m.run("me", "toolresult exec --max-lines 4 -- seq 1 5000"); !strings.Contains(receipt, "all of it: /home/me/.local/state/toolresult/") {
		m.t.Errorf("the receipt of the user's sidecar:\n%s", receipt)
	}
	if state := m.run("me", "systemctl --user is-active toolresult.service; toolresult ensure"); state != "active\nunix:///run/user/me/toolresult/toolresult.sock\n" {
		m.t.Errorf("the user's sidecar is %s", state)
	}
	m.run("me", "systemctl --user disable --now toolresult.socket toolresult.service")
}
