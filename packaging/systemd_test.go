package packaging_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
		"USER="+user, "runuser", "-u", user, "--", "/bin/sh", "-euc", "export XDG_RUNTIME_DIR=/run/user/$(id -u); cd; "+script)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run is try for what has to succeed.
func (m *machine) run(user, script string) string {
	m.t.Helper()
	out, err := m.try(user, script)
	if err != nil {
		journal, _ := m.try("root", "journalctl --no-pager -b -n 40")
		m.t.Fatalf("%s: %v\n%s\n%s", script, err, out, journal)
	}
	return out
}

// until repeats a script of root until it prints a line.
func (m *machine) until(script, line string) {
	m.t.Helper()
	m.untilOf("root", script, line)
}

// untilOf is until for a user.
func (m *machine) untilOf(user, script, line string) {
	m.t.Helper()
	out := ""
	for range 300 {
		if out, _ = m.try(user, script); strings.Contains("\n"+out, "\n"+line+"\n") {
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
	m.run("root", "USER=me; "+steps[0].text)
	m.until("systemctl is-active toolresult.service || true", "inactive")
	if receipt := m.run("me", steps[1].text); !strings.Contains(receipt, "all: /var/lib/toolresult/store/") {
		t.Errorf("the first call does not start the sidecar:\n%s", receipt)
	}
	if out := m.run("me", steps[2].text); out != "4998\n4999\n5000\n" {
		t.Errorf("what the page reads of the receipt's file is %q", out)
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
	m.badStart()
	m.atRunTime()
	m.userUnits()
	m.upgrade()
	m.purge()
}

// watchdog takes the store away: systemd starts the sidecar again, which makes a new one.
func (m *machine) watchdog() {
	m.t.Helper()
	m.run("root", dropIn("system", "watchdog", "WatchdogSec=5")+"systemctl restart toolresult; sleep 8")
	m.until("systemctl show -P NRestarts toolresult", "0") // it has given signs of life
	m.run("root", "mv /var/lib/toolresult/store /var/lib/toolresult/gone")
	m.until("systemctl show -P NRestarts toolresult", "1")
	m.until("systemctl is-active toolresult", "active")
	m.run("me", "toolresult info --server unix:///run/toolresult/toolresult.sock")
}

// dropIn is a script that adds settings to the service of a manager, which reads them only then.
func dropIn(manager, name string, settings ...string) string {
	dir := "/run/systemd/" + manager + "/toolresult.service.d"
	return "mkdir -p " + dir + "; printf '%s\\n' '[Service]' '" + strings.Join(settings, "' '") + "' > " + dir + "/" + name + ".conf; systemctl daemon-reload; "
}

// restarts is a script that prints "many" when the service was started again more often than systemd permits by default.
func restarts(systemctl string) string {
	return `[ "$(` + systemctl + ` show -P NRestarts toolresult)" -ge 8 ] && echo many || true`
}

// badStart has settings with which the sidecar cannot start: its socket stays, and it serves as soon as their cause is gone.
func (m *machine) badStart() {
	m.t.Helper()
	m.run("root", dropIn("system", "denied", "SystemCallFilter=~landlock_create_ruleset", "RestartSec=100ms")+
		"echo 'landlock: true' >> /etc/toolresult/config.yaml; systemctl restart toolresult || true")
	m.until(restarts("systemctl"), "many")
	m.run("root", "systemctl is-active toolresult.socket; test -S /run/toolresult/toolresult.sock; journalctl -b -u toolresult.service | grep 'a sandbox forbids it'")
	m.run("root", "rm /run/systemd/system/toolresult.service.d/denied.conf; systemctl daemon-reload")
	m.until("systemctl is-active toolresult || true", "active") // with Landlock
	m.run("me", "toolresult info --server unix:///run/toolresult/toolresult.sock")
}

// atRunTime has the sidecar make what it can be asked to make, and end for longer than its unit says.
func (m *machine) atRunTime() {
	m.t.Helper()
	m.run("root", "printf '%s\n' 'address_file: /run/toolresult/private/address' 'drain_delay: 12s' >> /etc/toolresult/config.yaml; "+
		dropIn("system", "end", "TimeoutStopSec=5")+"systemctl restart toolresult; test -s /run/toolresult/private/address")
	if got := m.run("root", "stat -c '%A %U' /run/toolresult/private"); got != "drwx------ toolresult\n" {
		m.t.Errorf("at run time there is\n%s", got)
	}
	begin := time.Now()
	m.run("root", "systemctl stop toolresult.service")
	if result := m.run("root", "systemctl show -P Result toolresult.service"); result != "success\n" || time.Since(begin) < 12*time.Second {
		m.t.Errorf("it was ended after %s: %s", time.Since(begin), result)
	}
	m.run("root", "test -S /run/toolresult/toolresult.sock; ! test -e /run/toolresult/private; sed -i /drain_delay/d /etc/toolresult/config.yaml")
	m.run("me", "toolresult info --server unix:///run/toolresult/toolresult.sock")
}

// userUnits starts a manager of the user, as a login does, and has its units serve, after a sidecar that runs without them has ended.
func (m *machine) userUnits() {
	m.t.Helper()
	// pam_systemd, which is not there, says where its sockets are.
	m.run("root", `mkdir -p /run/systemd/system/user@.service.d; printf '[Service]\nEnvironment=XDG_RUNTIME_DIR=/run/user/%%i\n' > /run/systemd/system/user@.service.d/runtime.conf
		systemctl daemon-reload; systemctl start user@$(id -u me).service`)
	m.run("root", dropIn("user", "often", "RestartSec=100ms"))
	m.run("me", "systemctl --user daemon-reload; toolresult ensure")
	old := m.run("me", "pid=$(pgrep -u me -x toolresult); kill -STOP $pid; echo $pid") // it does not see yet that its path is another's
	m.run("me", blocks(m.t, "One sidecar for a user")[0].text)
	_, _ = m.try("me", "timeout 5 toolresult info") // the first call, which starts the service
	m.untilOf("me", restarts("systemctl --user"), "many")
	m.run("me", "systemctl --user is-active toolresult.socket; test -S $XDG_RUNTIME_DIR/toolresult/toolresult.sock")
	m.run("me", "kill -CONT "+old) // it ends by itself
	m.untilOf("me", "systemctl --user is-active toolresult.service || true", "active")
	if receipt := m.run("me", "toolresult exec --max-lines 4 -- seq 1 5000"); !strings.Contains(receipt, "all: /home/me/.local/state/toolresult/") {
		m.t.Errorf("the receipt of the user's sidecar:\n%s", receipt)
	}
	if state := m.run("me", "systemctl --user is-active toolresult.service; toolresult ensure"); !regexp.MustCompile(`^active\nunix:///run/user/\d+/toolresult/toolresult.sock\n$`).MatchString(state) {
		m.t.Errorf("the user's sidecar is %s", state)
	}
}

// upgrade installs the package again: what runs then is what is installed then, of the machine and of the user.
func (m *machine) upgrade() {
	m.t.Helper()
	before := m.run("root", "pgrep toolresult | sort")
	m.run("root", "dpkg -i /srv/release/"+filepath.Base(made.packages["deb"]))
	m.until("readlink /proc/$(systemctl show -P MainPID toolresult)/exe || true", "/usr/bin/toolresult") // without " (deleted)"
	m.untilOf("me", "readlink /proc/$(systemctl --user show -P MainPID toolresult)/exe || true", "/usr/bin/toolresult")
	if after := m.run("root", "pgrep toolresult | sort"); strings.Count(after, "\n") != 2 || after == before {
		m.t.Errorf("before the upgrade these ran:\n%safter it:\n%s", before, after)
	}
}

// purge removes the package as the page says: nothing of it runs, and nothing is left.
func (m *machine) purge() {
	m.t.Helper()
	m.run("root", "rm -r /run/systemd/*/toolresult.service.d; "+blocks(m.t, "Debian and Ubuntu")[3].text)
	left := m.run("root", `set +e
		systemctl list-unit-files --no-pager --no-legend | grep toolresult
		pgrep -a toolresult
		find /etc /home/me/.config -name '*toolresult*'
		ls -d /var/lib/toolresult /run/toolresult 2>/dev/null
		getent passwd toolresult
		getent group toolresult
		true`)
	if left != "" {
		m.t.Errorf("after the purge:\n%s", left)
	}
}
