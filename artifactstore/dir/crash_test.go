package dir_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/dir"
)

// artifactNames returns the names of all artifacts in the store at root, by listing its files.
func artifactNames(t testing.TB, root string) []string {
	t.Helper()
	var names []string
	must(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if shard, rest, ok := strings.Cut(rel, "/"); ok && shard != "tmp" && shard != "live" {
			names = append(names, shard[:2]+rest)
		}
		return err
	}))
	return names
}

// TestKilledBeforeEveryStep kills a process before each step that it takes from the first start of a store
// to the last put, and looks at what the next start finds.
func TestKilledBeforeEveryStep(t *testing.T) {
	finished := false
	for kill := 0; !finished; kill++ {
		root := filepath.Join(t.TempDir(), "parent", "store")
		cmd := helper(t, "die", root, killVar+"="+strconv.Itoa(kill))
		out, err := cmd.Output()
		if finished = err == nil; !finished && cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("killed before step %d: helper failed by itself: %s", kill, out)
		}
		checkAfterCrash(t, root, strings.Fields(string(out)))
		if finished && kill < 30 {
			t.Errorf("only %d steps seen: the hooks do not work", kill)
		}
	}
}

func checkAfterCrash(t *testing.T, root string, acknowledged []string) {
	t.Helper()
	d, err := dir.Open(root, dir.Options{})
	if err != nil {
		t.Fatalf("start after the crash: %v", err)
	}
	defer closeStore(t, d)
	for _, name := range append(acknowledged, artifactNames(t, root)...) {
		if _, err := get(d, name); err != nil {
			t.Errorf("after the crash, acknowledged %v: %v", acknowledged, err)
		}
	}
	if left := tempFiles(t, root); len(left) > 0 || len(d.Unknown()) > 0 {
		t.Errorf("temporary files are left: %v, unknown %v", left, d.Unknown())
	}
	wantText(t, d, put(t, d, "small").Name, "small")
	wantText(t, d, put(t, d, "staged").Name, "staged")
}

func TestKilledHolderIsSwept(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	_, stop := holder(t, root)
	if n := len(tempFiles(t, root)); n != 1 {
		t.Fatalf("%d temporary files while one stage is open", n)
	}
	stop(true)
	if n := len(tempFiles(t, root)); n != 1 {
		t.Fatalf("%d temporary files after the holder was killed, want the one that it left", n)
	}
	d := openStore(t, root, dir.Options{})
	if left := tempFiles(t, root); len(left) > 0 {
		t.Errorf("still there after the next start: %v", left)
	}
	wantText(t, d, put(t, d, "x").Name, "x")
}

func TestSweepLeavesWhatItDidNotWrite(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	closeStore(t, d)
	ours := "put-0123456789abcdef0123456789abcdef.tmp"
	foreign := []string{"notes.txt", "put-1.tmp", "put-0123456789ABCDEF0123456789abcdef.tmp", ours + "x", "x" + ours}
	tmp := filepath.Join(root, "tmp")
	for _, name := range append(foreign, ours) {
		must(t, os.WriteFile(filepath.Join(tmp, name), []byte("x"), 0o600))
	}
	parent := strings.Replace(ours, "0123", "3210", 1)
	must(t, os.Mkdir(filepath.Join(tmp, parent), 0o700))
	link := strings.Replace(ours, "0123", "1111", 1)
	must(t, os.Symlink("/etc/passwd", filepath.Join(tmp, link)))
	foreign = append(foreign, parent, link)

	for range 2 {
		d = openStore(t, root, dir.Options{})
		for _, name := range foreign {
			if _, err := os.Lstat(filepath.Join(tmp, name)); err != nil {
				t.Errorf("removed although it is not ours: %v", err)
			}
			if !strings.Contains(strings.Join(d.Unknown(), "\n")+"\n", "tmp/"+name+"\n") {
				t.Errorf("%s is not reported in %q", name, d.Unknown())
			}
		}
		if len(d.Unknown()) != len(foreign) {
			t.Errorf("Unknown() = %q, want %d entries", d.Unknown(), len(foreign))
		}
		if _, err := os.Lstat(filepath.Join(tmp, ours)); err == nil {
			t.Error("a leftover of ours was not removed")
		}
		closeStore(t, d)
	}
}

func TestInterruptedStartLeavesOnlyItsOwn(t *testing.T) {
	root := t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, "lost+found"), 0o700))
	must(t, os.WriteFile(filepath.Join(root, "LOCK"), []byte("{\"pid\":1"), 0o600))
	d := openStore(t, root, dir.Options{})
	wantText(t, d, put(t, d, "x").Name, "x")
	format, err := os.ReadFile(filepath.Join(root, "FORMAT"))
	if err != nil || !bytes.Equal(format, []byte("toolresult-artifacts 4\nblake3\n")) {
		t.Errorf("FORMAT is %q, error %v", format, err)
	}
}
