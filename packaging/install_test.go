package packaging_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// page is what a new user follows.
const page = "docs/install.md"

// block is a code block of the page.
type block struct{ language, text string }

// blocks returns those of one section of the page.
func blocks(t *testing.T, heading string) (list []block) {
	t.Helper()
	_, section, ok := strings.Cut(read(t, page), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", page, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	parts := strings.Split(section, "\n```")
	for i := 1; i < len(parts); i += 2 {
		language, text, _ := strings.Cut(parts[i], "\n")
		list = append(list, block{language, text + "\n"})
	}
	return list
}

// home is that of the reader, whose name is "me", as the page has it.
const home = "/home/me"

// stage makes a clean root one of a reader: users, a curl that has the files of the release, and a sudo that permits everything.
func stage(t *testing.T) (root string) { return stageFrom(t, "clean", "") }

// stageFrom is stage with a root that debian returns.
func stageFrom(t *testing.T, name, packages string) (root string) {
	t.Helper()
	root = debian(t, name, packages)
	superuser(root).shell(t, "useradd --create-home --shell /bin/sh me; useradd --create-home --shell /bin/sh stranger; mkdir -p /srv/release")
	sums := ""
	for _, path := range made.packages {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		write(t, filepath.Join(root, "srv/release", name), string(content), 0o644)
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name)
	}
	write(t, filepath.Join(root, "srv/release/checksums.txt"), sums, 0o644)
	write(t, filepath.Join(root, "usr/local/bin/curl"), "#!/bin/sh\nset -e\nfor a in \"$@\"; do case $a in https://github.com/toolresult/toolresult/releases/download/v"+version+
		"/*) cp \"/srv/release/${a##*/}\" .;; -*) ;; *) echo \"curl: $a\" >&2; exit 6;; esac; done\n", 0o755)
	write(t, filepath.Join(root, "usr/local/bin/sudo"), "#!/bin/sh\nexec \"$@\"\n", 0o755)
	return root
}

// write writes a file.
func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// path is where programs are.
const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// superuser is root in a root.
func superuser(root string) process {
	return process{root: root, env: []string{path, "HOME=/root", "DEBIAN_FRONTEND=noninteractive"}}
}

// reader is a user in a root, after they have logged in.
func reader(t *testing.T, root, name string) process {
	t.Helper()
	uid, gid := ids(t, root, name)
	p := process{root: root, uid: uint32(uid), gid: uint32(gid), dir: "/home/" + name, env: []string{path, "HOME=/home/" + name, "USER=" + name}}
	for _, field := range strings.Fields(output(t, "chroot", root, "id", "-G", name)) {
		var group uint32
		if _, err := fmt.Sscan(field, &group); err != nil {
			t.Fatal(err)
		}
		p.groups = append(p.groups, group)
	}
	return p
}

// TestDebByTheLetterOfThePage does what the page says of Debian, in a root that has nothing else: the package is fetched, checked and
// installed, a user has the receipt of a real command, the units serve, and the purge leaves no trace.
func TestDebByTheLetterOfThePage(t *testing.T) {
	root := stage(t)
	before := list(t, root)
	steps := blocks(t, "Debian and Ubuntu")
	if len(steps) != 4 || steps[1].language != "sh" || steps[2].language != "text" {
		t.Fatalf("the page has %d blocks for Debian", len(steps))
	}
	admin := superuser(root)
	admin.dir = home
	admin.shell(t, steps[0].text)
	me := reader(t, root, "me")
	if got := me.shell(t, steps[1].text); got != steps[2].text {
		t.Errorf("the page says\n%s\nand this was printed\n%s", steps[2].text, got)
	}
	serveByUnits(t, root)
	admin.shell(t, steps[3].text)
	if left := differences(before, list(t, root)); len(left) > 0 {
		t.Errorf("after the purge:\n%s", strings.Join(left, "\n"))
	}
}

// serveByUnits does what the page says of a machine with systemd. Commands of systemctl are those of a manager that this test is.
func serveByUnits(t *testing.T, root string) {
	t.Helper()
	steps := blocks(t, "One sidecar for the machine")
	if len(steps) != 3 {
		t.Fatalf("the page has %d blocks for the units", len(steps))
	}
	for line := range strings.Lines(steps[0].text) {
		if !strings.Contains(line, "systemctl") {
			superuser(root).shell(t, "USER=me; "+line)
		} else if line != "sudo systemctl enable --now toolresult.socket\n" {
			t.Errorf("nobody does %q", line)
		}
	}
	m := startUnits(t, root)
	m.until("READY=1", "STATUS=Serving unix:///run/toolresult/toolresult.sock")
	m.until("WATCHDOG=1")
	me := reader(t, root, "me")
	receipt := me.shell(t, steps[1].text)
	if !strings.Contains(receipt, "Process exited with code 0\n") || !strings.Contains(receipt, "all: /var/lib/toolresult/store/") {
		t.Errorf("over the socket:\n%s\n%s", receipt, &m.log)
	}
	readFromReceipt(t, me, receipt, steps[2].text)
	info := []string{"/usr/bin/toolresult", "info", "--server", "unix:///run/toolresult/toolresult.sock"}
	if out, err := me.command(info...).CombinedOutput(); err != nil || !strings.Contains(string(out), "v"+version) {
		t.Errorf("a member of the group: %v\n%s", err, out)
	}
	if out, err := reader(t, root, "stranger").command(info...).CombinedOutput(); err == nil {
		t.Errorf("a stranger calls:\n%s", out)
	}
	m.reload()
	for range 3 {
		m.until("WATCHDOG=1")
	}
	go m.stop()
	m.until("STOPPING=1", "STATUS=Ending")
	m.stop()
	if _, err := os.Stat(filepath.Join(root, "var/lib/toolresult/store/journal")); err != nil {
		t.Errorf("the store: %v", err)
	}
	m.end()
}

// readFromReceipt does what the page says of the path in a receipt, which is not for others to open.
func readFromReceipt(t *testing.T, me process, receipt, step string) {
	t.Helper()
	words := strings.Fields(step)
	file := words[len(words)-1]
	if !strings.Contains(receipt, "all: "+file+"\n") {
		t.Errorf("the page reads %s, and the receipt is\n%s", file, receipt)
	}
	if got := me.shell(t, step); got != "4998\n4999\n5000\n" {
		t.Errorf("%s prints %q", step, got)
	}
	if out, err := me.command("/usr/bin/head", file).CombinedOutput(); err == nil || !strings.Contains(string(out), "Permission denied") {
		t.Errorf("a member of the group opens files of the store: %v\n%s", err, out)
	}
}

// reload changes the level of the log, and reloads as the unit says.
func (m *manager) reload() {
	m.t.Helper()
	if m.service.Get("ExecReload") != "kill -HUP $MAINPID" {
		m.t.Fatalf("reload is %q", m.service.Get("ExecReload"))
	}
	file := filepath.Join(m.root, "etc/toolresult/config.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		m.t.Fatal(err)
	}
	write(m.t, file, strings.Replace(string(text), "log_level: info", "log_level: debug", 1), 0o644)
	if err := syscall.Kill(m.pid, syscall.SIGHUP); err != nil {
		m.t.Fatal(err)
	}
	m.until("RELOADING=1")
	m.until("READY=1", "STATUS=Serving, with the configuration of the last reload")
}

// TestLeftoversAreFound takes the script out that removes what the package has made: the comparison has to see it.
func TestLeftoversAreFound(t *testing.T) {
	release, err := ReadRelease(root)
	if err != nil {
		t.Fatal(err)
	}
	release.Nfpms[0].Scripts.PostRemove = "packaging/scripts/preremove.sh" // which removes nothing
	packages, err := release.Write(t.TempDir(), made.binary, fields("amd64"), made.commit)
	if err != nil {
		t.Fatal(err)
	}
	dir := cleanRoot(t)
	before := list(t, dir)
	output(t, "cp", packages["deb"], filepath.Join(dir, "tmp.deb"))
	superuser(dir).shell(t, "dpkg -i /tmp.deb; rm /tmp.deb; dpkg --purge toolresult")
	left := strings.Join(differences(before, list(t, dir)), "\n")
	for _, want := range []string{"left: /etc/passwd ", "left: /etc/group "} {
		if !strings.Contains(left, want) {
			t.Errorf("nobody finds %q in:\n%s", want, left)
		}
	}
}

// TestUpgradeKeepsConfiguration installs the package twice, with a changed configuration in between.
func TestUpgradeKeepsConfiguration(t *testing.T) {
	root := stage(t)
	admin := superuser(root)
	admin.shell(t, "dpkg -i /srv/release/toolresult_"+version+"_amd64.deb; echo 'max_connections: 128' >> /etc/toolresult/config.yaml")
	admin.shell(t, "dpkg -i /srv/release/toolresult_"+version+"_amd64.deb; grep max_connections /etc/toolresult/config.yaml")
	admin.shell(t, "dpkg -r toolresult; grep max_connections /etc/toolresult/config.yaml; getent passwd toolresult")
	admin.shell(t, "dpkg --purge toolresult; ! test -e /etc/toolresult; ! getent passwd toolresult")
}
