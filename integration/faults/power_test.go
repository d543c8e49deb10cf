//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cutNow is how a file system is shut down as by a power cut.
type cutNow int32

// FS_IOC_SHUTDOWN, which ext4 and XFS have, and its flags.
const (
	shutdownIoctl = 0x8004587d
	logFlushed    = cutNow(1) // the journal reaches the disk, data that was not synced does not
	logNotFlushed = cutNow(2) // nothing more reaches the disk
)

// disk is a file system in a file that the test made, mounted by a loop device.
type disk struct {
	kind, image, at string
	device          string // such as "loop3"
}

// newDisk makes a file system and mounts it until the test ends.
func newDisk(t testing.TB, kind string, mountOptions ...string) *disk {
	t.Helper()
	dir := shortDir(t)
	d := &disk{kind: kind, image: filepath.Join(dir, "image"), at: filepath.Join(dir, "mount")}
	must(t, os.Mkdir(d.at, 0o700))
	must(t, os.WriteFile(d.image, nil, 0o600))
	must(t, os.Truncate(d.image, 320<<20))
	quiet := map[string][]string{"ext4": {"-q", "-F"}, "xfs": {"-q", "-f"}}[kind]
	run(t, "mkfs."+kind, append(quiet, d.image)...)
	d.mount(t, mountOptions...)
	t.Cleanup(func() {
		if d.device != "" {
			d.unmount(t)
		}
	})
	return d
}

func (d *disk) mount(t testing.TB, options ...string) {
	t.Helper()
	run(t, "mount", "-o", strings.Join(append([]string{"loop"}, options...), ","), d.image, d.at)
	must(t, os.Chmod(d.at, 0o700))
	d.device = deviceAt(t, d.at)
	must(t, d.isOurs())
}

func (d *disk) unmount(t testing.TB) {
	t.Helper()
	d.device = ""
	// What was killed may take a moment to let go of its files.
	waitFor(t, "the disk to be free", func() bool { return unix.Unmount(d.at, 0) == nil })
}

// deviceAt is the name of the block device that is mounted at a path.
func deviceAt(t testing.TB, at string) string {
	t.Helper()
	var stat unix.Stat_t
	must(t, unix.Lstat(at, &stat))
	link, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev)))
	if err != nil {
		return "" // no block device
	}
	return filepath.Base(link)
}

// isOurs fails unless what is mounted at the path of the disk is the image that the test made. A shutdown is
// refused by nothing in the kernel, so this is what stands between a typing error and the disk of the machine.
func (d *disk) isOurs() error {
	backing, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(d.device), "loop/backing_file"))
	if err != nil || !strings.HasPrefix(d.device, "loop") || strings.TrimSpace(string(backing)) != d.image {
		return fmt.Errorf("%s is on %q, which is not the loop device of %s: %w", d.at, d.device, d.image, os.ErrPermission)
	}
	var root, own unix.Stat_t
	if err := unix.Lstat(d.at, &own); err != nil {
		return err
	}
	if err := unix.Lstat(filepath.Dir(d.at), &root); err != nil {
		return err
	}
	if own.Dev == root.Dev {
		return fmt.Errorf("nothing is mounted at %s: %w", d.at, os.ErrPermission)
	}
	return nil
}

// cut takes the power away.
func (d *disk) cut(t testing.TB, how cutNow) {
	t.Helper()
	d.device = deviceAt(t, d.at)
	must(t, d.isOurs())
	root, err := os.Open(d.at)
	must(t, err)
	defer root.Close() // read-only
	must(t, unix.IoctlSetPointerInt(int(root.Fd()), shutdownIoctl, int(how)))
}

// TestOnlyOwnDisksAreCut: whatever is not a disk of the test is refused. Nothing is cut here.
func TestOnlyOwnDisksAreCut(t *testing.T) {
	leg(t, "mkfs.ext4", "mount")
	own := newDisk(t, "ext4")
	for name, d := range map[string]disk{
		"the disk of the machine":     {at: "/", image: own.image},
		"a directory":                 {at: t.TempDir(), image: own.image},
		"another image":               {at: own.at, image: "/etc/passwd"},
		"the directory of the mount":  {at: filepath.Dir(own.at), image: own.image},
		"a disk that is not there":    {at: "/proc", image: own.image},
		"a device that is only named": {at: t.TempDir(), image: own.image},
	} {
		d.device = deviceAt(t, d.at)
		if name == "a device that is only named" {
			d.device = own.device
		}
		if d.isOurs() == nil {
			t.Errorf("%s would be cut", name)
		}
	}
}

// disks are the kinds of file systems that power is taken from.
func disks(t *testing.T, each func(t *testing.T, kind string)) {
	for _, kind := range []string{"ext4", "xfs"} {
		t.Run(kind, func(t *testing.T) {
			leg(t, "mkfs."+kind, "mount")
			each(t, kind)
		})
	}
}

// TestPowerCuts is K03: the power goes while artifacts are put.
func TestPowerCuts(t *testing.T) {
	leg(t)
	disks(t, func(t *testing.T, kind string) {
		cutRounds(t, kind, share(t, cutsVar, 15, 10), verify, byItself("writer"))
	})
}

// byItself takes the power from a process of a role.
func byItself(role string) func(t *testing.T, d *disk, store, acks string, round int) []string {
	return func(t *testing.T, d *disk, store, acks string, round int) []string {
		t.Helper()
		return cutAtRandom(t, role, d, store, acks, round, true)
	}
}

// cutRounds takes the power from whoever works in a store, again and again, in a store that it finds as the cut before
// left it. look verifies the store after each.
func cutRounds(t *testing.T, kind string, rounds int, look func(testing.TB, string, []string) found, cut func(t *testing.T, d *disk, store, acks string, round int) []string) {
	t.Helper()
	began, all := time.Now(), found{}
	var d *disk
	var acked []string
	for round := range rounds {
		if round%roundsPerStore == 0 {
			if d != nil {
				d.unmount(t)
				must(t, os.Remove(d.image))
			}
			d, acked = newDisk(t, kind), nil
		}
		acks := filepath.Join(t.TempDir(), "acks")
		got := cut(t, d, filepath.Join(d.at, "store"), acks, round)
		acked = append(acked, got...)
		all.after(got, look(t, filepath.Join(d.at, "store"), acked))
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if all.acked+all.records < rounds {
		t.Errorf("only %d acknowledgements in %d rounds: the cuts prove nothing", all.acked+all.records, rounds)
	}
	total(t, tally{cuts: rounds, found: all, took: time.Since(began)})
}

// TestPowerCutsOfTheFirstStart is K04: the power goes while a store is made.
func TestPowerCutsOfTheFirstStart(t *testing.T) {
	leg(t)
	disks(t, func(t *testing.T, kind string) {
		rounds := share(t, cutsVar, 15, 8)
		began, all, unfinished := time.Now(), found{}, 0
		d := newDisk(t, kind)
		for round := range rounds {
			store := filepath.Join(d.at, "parent", fmt.Sprint(round), "store")
			acks := filepath.Join(t.TempDir(), "acks")
			got := cutAtRandom(t, "collector", d, store, acks, round, false)
			if len(got) < 2 {
				unfinished++
			}
			all.after(got, verifyBooks(t, store, got))
			must(t, os.RemoveAll(store))
			if t.Failed() {
				t.Fatalf("round %d", round)
			}
		}
		if unfinished < 1+rounds/20 {
			t.Errorf("only %d of %d cuts came before the store was open", unfinished, rounds)
		}
		total(t, tally{cuts: rounds, found: all, note: fmt.Sprintf("%d before the store was open", unfinished), took: time.Since(began)})
	})
}

// cutAtRandom runs a process of that role, stops it, counts its acknowledgements, takes the power away and mounts the disk
// again. The order matters: a sync that is under way during a shutdown may report success, so only what was
// acknowledged before counts.
func cutAtRandom(t *testing.T, role string, d *disk, store, acks string, round int, opened bool) []string {
	t.Helper()
	cmd := player(t, role, acks, storeVar+"="+store, fmt.Sprintf("%s=%d", seedVar, round))
	must(t, cmd.Start())
	enough := 1
	if opened {
		enough = 2
	}
	if opened && round%3 != 0 {
		enough += 1 + rand.IntN(6)
	}
	waitFor(t, "the writer to work", func() bool { return len(acksOf(t, acks)) >= enough })
	pause := float64(60 * time.Millisecond)
	if !opened {
		pause *= rand.Float64() * rand.Float64() // mostly before it is open, on a fast machine too
	}
	time.Sleep(time.Duration(pause * rand.Float64()))
	must(t, cmd.Process.Signal(syscall.SIGSTOP))
	stopped(t, cmd.Process.Pid)
	got := acksOf(t, acks)
	wantNoFailure(t, got)
	d.cut(t, howCut(round))
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it reports the signal
	d.unmount(t)
	d.mount(t)
	return got
}

// howCut is how the power goes in a round.
func howCut(round int) cutNow { return []cutNow{logNotFlushed, logFlushed}[round%2] }

// TestPowerCutsOfASidecar is K03 and K05 with all that a sidecar does at once: the power goes while clients project,
// artifacts are deleted and records are. What was answered is there after the next start.
func TestPowerCutsOfASidecar(t *testing.T) {
	leg(t)
	disks(t, func(t *testing.T, kind string) {
		c := &crowd{}
		cutRounds(t, kind, share(t, cutsVar, 8, 10), verifyBooks, func(t *testing.T, d *disk, store, acks string, round int) []string {
			c.work(t, store, acks, round, func(s *sidecar) {
				workAWhile(t, acks, round)
				s.Signal(syscall.SIGSTOP)
				stopped(t, s.PID())
				d.cut(t, howCut(round))
				s.Signal(syscall.SIGKILL)
			})
			d.unmount(t)
			d.mount(t)
			return acksOf(t, acks)
		})
	})
}

// stopped waits until a process has stopped, with every thread of it.
func stopped(t *testing.T, pid int) {
	t.Helper()
	waitFor(t, "the writer to stop", func() bool {
		stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		must(t, err)
		for _, path := range stats {
			text, err := os.ReadFile(path)
			if err != nil {
				return false
			}
			_, state, _ := strings.Cut(string(text), ") ")
			if !strings.HasPrefix(state, "T") {
				return false
			}
		}
		return true
	})
}
