package packaging_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPurgeGoesOn purges the package while a process of its user runs, another user has its group, and its store is a mount point: the
// package goes, and what stays is named.
func TestPurgeGoesOn(t *testing.T) {
	root := stage(t)
	admin := superuser(root)
	admin.shell(t, "dpkg -i /srv/release/toolresult_"+version+"_amd64.deb; useradd --system --no-create-home --gid toolresult other")
	admin.shell(t, "mkdir -p /var/lib/toolresult /etc/systemd/system/toolresult.service.d")
	for target, kind := range map[string]string{"proc": "proc", "var/lib/toolresult": "tmpfs"} {
		at := filepath.Join(root, target)
		if err := unix.Mount(kind, at, kind, 0, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	}
	write(t, filepath.Join(root, "var/lib/toolresult/file"), "", 0o600)
	uid, gid := ids(t, root, "toolresult")
	busy := process{root: root, uid: uint32(uid), gid: uint32(gid)}.command("/usr/bin/sleep", "600")
	if err := busy.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Process.Kill(); _ = busy.Wait() }()
	said := admin.shell(t, "dpkg --purge toolresult; ! dpkg-query -W toolresult 2>/dev/null")
	for _, want := range []string{"rm -rf /var/lib/toolresult", "userdel toolresult", "groupdel toolresult"} {
		if !strings.Contains(said, "toolresult: not done: "+want+"\n") {
			t.Errorf("nobody says that %q was not done:\n%s", want, said)
		}
	}
	admin.shell(t, "getent group toolresult; ! test -e /var/lib/toolresult/file; ! test -e /etc/toolresult; ! test -e /etc/systemd/system/toolresult.service.d")
}

// rpmOf returns what runs the rpm of this machine on a root. What a package needs is what another test looks at.
func rpmOf(t *testing.T, root string) func(args ...string) {
	return func(args ...string) {
		t.Helper()
		cmd := exec.Command("rpm", append([]string{"--root", root, "--nodeps"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("rror")) || bytes.Contains(out, []byte("failed")) {
			t.Fatalf("rpm %q: %v\n%s", args, err, out)
		}
	}
}

// pageRpm is the option of rpm with which the page installs.
func pageRpm(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^sudo rpm (-\w+) toolresult_`).FindStringSubmatch(blocks(t, "Fedora, RHEL, openSUSE")[0].text)
	if m == nil {
		t.Fatal("the page installs no rpm")
	}
	return m[1]
}

// TestRpmLeavesNoTrace installs the rpm in a clean root by the rpm of this machine, and removes it: without a store there is no trace,
// and a store stays, with its user. What an administrator has added stays in both cases.
func TestRpmLeavesNoTrace(t *testing.T) {
	root := stage(t)
	rpm, install := rpmOf(t, root), pageRpm(t)
	superuser(root).shell(t, "mkdir -p /etc/systemd/system/toolresult.service.d; echo '[Service]' > /etc/systemd/system/toolresult.service.d/own.conf")
	before := list(t, root)
	rpm(install, made.packages["rpm"])
	me := reader(t, root, "me")
	if got := me.shell(t, "toolresult exec --max-lines 4 -- seq 1 5000"); !strings.Contains(got, "\n[…") {
		t.Errorf("the receipt is\n%s", got)
	}
	superuser(root).shell(t, "getent passwd toolresult; getent group toolresult")
	rpm("-e", "toolresult")
	if left := differences(before, list(t, root)); len(left) > 0 {
		t.Errorf("after the removal:\n%s", strings.Join(left, "\n"))
	}

	rpm(install, made.packages["rpm"])
	m := startUnits(t, root)
	m.until("READY=1")
	m.stop()
	m.end()
	rpm("-e", "toolresult")
	superuser(root).shell(t, "test -d /var/lib/toolresult/store/journal; getent passwd toolresult; ! test -e /usr/bin/toolresult")
}

// TestRpmIsUpgraded installs a later rpm as the page does: it takes the place of the earlier one, with the configuration as it was changed.
func TestRpmIsUpgraded(t *testing.T) {
	root := stage(t)
	rpm, install := rpmOf(t, root), pageRpm(t)
	rpm(install, made.packages["rpm"])
	superuser(root).shell(t, "echo 'max_connections: 128' >> /etc/toolresult/config.yaml")
	const next = "0.1.1"
	packages, err := made.release.Write(t.TempDir(), made.binary, Fields{ProjectName: "toolresult", Version: next, Os: "linux", Arch: "amd64"}, made.commit)
	if err != nil {
		t.Fatal(err)
	}
	rpm(install, packages["rpm"])
	if got := output(t, "rpm", "--root", root, "-q", "--qf", "%{VERSION}\n", "toolresult"); got != next+"\n" {
		t.Errorf("after the upgrade these versions are installed:\n%s", got)
	}
	superuser(root).shell(t, "grep max_connections /etc/toolresult/config.yaml; getent passwd toolresult; toolresult version")
}

// TestRpmNeedsFiles has no names of packages among what the rpm needs: distributions differ in them, and not in these files.
func TestRpmNeedsFiles(t *testing.T) {
	root := cleanRoot(t)
	var needs []string
	for _, need := range strings.Fields(output(t, "rpm", "-qp", "--qf", "[%{REQUIRENAME}\n]", made.packages["rpm"])) {
		if strings.HasPrefix(need, "rpmlib(") {
			continue
		}
		needs = append(needs, need)
		if _, err := os.Stat(filepath.Join(root, need)); err != nil || !filepath.IsAbs(need) {
			t.Errorf("the rpm needs %s: %v", need, err)
		}
	}
	if text := strings.Join(needs, " "); !strings.Contains(text, "/useradd") || !strings.Contains(text, "/groupadd") {
		t.Errorf("the rpm needs %s, and its script more", text)
	}
}
