//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestFullDiskAtASidecar is J01, J02 and J03: a disk without bytes, and one without inodes. What does not fit is
// refused, what was stored stays, and when there is room again all is well. With an audit log every answer needs a
// record, so nothing but reading is left, and the reserve of the log is for the records of the refusals; without one
// what needs no store is served.
func TestFullDiskAtASidecar(t *testing.T) {
	leg(t, "mount")
	for name, c := range map[string]struct {
		options string
		fill    func(t *testing.T, at string)
		audit   string
	}{
		"bytes":                  {"size=16m,nr_inodes=500,mode=0700", fillBytes, "journal"},
		"bytes without records":  {"size=6m,nr_inodes=500,mode=0700", fillBytes, "off"},
		"inodes without records": {"size=8m,nr_inodes=40,mode=0700", fillInodes, "off"},
	} {
		t.Run(name, func(t *testing.T) {
			at, flags := t.TempDir(), []string{"--volatile", "--audit=" + c.audit}
			must(t, syscall.Mount("tmpfs", at, "tmpfs", 0, c.options))
			t.Cleanup(func() { must(t, syscall.Unmount(at, syscall.MNT_DETACH)) })
			s := startSidecar(t, launch{Store: filepath.Join(at, "store"), Args: flags})
			early, late := numbered(1500), numbered(2500)
			before, err := s.inOneMessage(t.Context(), early)
			must(t, err)
			filler := filepath.Join(at, "filler")
			must(t, os.Mkdir(filler, 0o700))
			c.fill(t, filler)
			for way, project := range s.ways() {
				for range 20 {
					_, err := project(t.Context(), late)
					wantRefusal(t, way, err, codes.ResourceExhausted, "DISK_FULL")
				}
				s.wantNoTemp(t)
			}
			s.wantHealth(t)
			s.wantWhole(t, artifactOf(before), early)
			if c.audit == "off" {
				_, err := s.inOneMessage(t.Context(), "small\n")
				must(t, err)
			} else {
				s.wantRefusalsRecorded(t, 40)
			}
			if again, err := s.inOneMessage(t.Context(), early); c.audit == "off" && (err != nil || artifactOf(again) != artifactOf(before)) {
				t.Errorf("what is stored already: %v, error %v", again, err)
			}
			if n := len(artifactNames(t, s.Store)); n > 2 || n == 2 && c.audit == "off" { // one may fit where the reserve was, and have no record
				t.Errorf("%d artifacts are visible", n)
			}
			s.Terminate()
			s = startSidecar(t, launch{Store: s.Store, Args: flags})
			s.wantWhole(t, artifactOf(before), early) // also after a start on the full disk
			must(t, os.RemoveAll(filler))
			for _, project := range s.ways() {
				after, err := project(t.Context(), late)
				must(t, err)
				s.wantWhole(t, artifactOf(after), late)
			}
		})
	}
}

// wantRefusalsRecorded checks that there is a record of each refusal on a full disk, and that the chain holds.
func (s *sidecar) wantRefusalsRecorded(t *testing.T, n int) {
	t.Helper()
	list, err := s.audit.ListRecords(t.Context(), &pb.ListRecordsRequest{Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_REJECTION}, PageSize: 1000})
	if err != nil || len(list.GetRecords()) < n {
		t.Errorf("%d of %d refusals are on record, error %v", len(list.GetRecords()), n, err)
	}
	s.wantChain(t, nil)
}

func fillBytes(t *testing.T, at string) {
	t.Helper()
	f, err := os.Create(filepath.Join(at, "bytes"))
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	_ = f.Close() // a full disk is what this is about
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

func fillInodes(t *testing.T, at string) {
	t.Helper()
	var err error
	for i := 0; err == nil; i++ {
		err = os.WriteFile(filepath.Join(at, fmt.Sprint(i)), nil, 0o600)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// TestDiskFillsInMidUpload: an upload that is larger than the disk is refused when the disk is full, and its
// space is free again at once.
func TestDiskFillsInMidUpload(t *testing.T) {
	leg(t, "mount")
	at := t.TempDir()
	must(t, syscall.Mount("tmpfs", at, "tmpfs", 0, "size=6m,mode=0700"))
	t.Cleanup(func() { must(t, syscall.Unmount(at, syscall.MNT_DETACH)) })
	s := startSidecar(t, launch{Store: filepath.Join(at, "store"), Args: []string{"--volatile"}})
	for range 5 {
		_, err := s.inAStream(t.Context(), numbered(200_000))
		wantRefusal(t, "an upload of more than there is", err, codes.ResourceExhausted, "DISK_FULL")
		s.wantNoTemp(t)
		answer, err := s.inAStream(t.Context(), numbered(5_000))
		must(t, err)
		s.wantWhole(t, artifactOf(answer), numbered(5_000))
	}
}

// TestDiskTurnsReadOnly is J08: the file system gives up writing in mid run, as ext4 does after an error of the
// disk. What is there can be read, what would be written is refused, and so is what needs no more than a record, which may
// be tried again. After a repair all of it is there.
func TestDiskTurnsReadOnly(t *testing.T) {
	leg(t, "mkfs.ext4", "mount", "e2fsck")
	d := newDisk(t, "ext4", "errors=remount-ro")
	store := filepath.Join(d.at, "store")
	text := numbered(2000)
	var path string
	t.Run("read-only", func(t *testing.T) {
		s := startSidecar(t, launch{Store: store, AnyExit: true}) // it cannot close its databases well
		before, err := s.inOneMessage(t.Context(), text)
		must(t, err)
		path = artifactOf(before)
		must(t, d.isOurs())
		must(t, os.WriteFile(filepath.Join("/sys/fs/ext4", d.device, "trigger_fs_error"), []byte("a test"), 0))
		for way, project := range s.ways() {
			_, err := project(t.Context(), numbered(2500))
			wantRefusal(t, way, err, codes.FailedPrecondition, "STORE_READ_ONLY")
		}
		s.wantWhole(t, path, text)
		s.wantHealth(t)
		_, err = s.inOneMessage(t.Context(), "small\n")
		wantRefusal(t, "what needs a record alone", err, codes.FailedPrecondition, "STORE_READ_ONLY")
		s.wantChain(t, nil)
	})
	d.unmount(t)
	_ = os.Remove(d.at + "/store") // nothing is there while it is not mounted
	repair(t, d)
	d.mount(t)
	s := startSidecar(t, launch{Store: store})
	s.wantWhole(t, path, text)
	s.wantNoTemp(t)
	after, err := s.inOneMessage(t.Context(), numbered(2500))
	must(t, err)
	s.wantWhole(t, artifactOf(after), numbered(2500))
}

// repair runs e2fsck, whose exit code 1 says that it has repaired something.
func repair(t *testing.T, d *disk) {
	t.Helper()
	run(t, "sh", "-c", `e2fsck -fy "$1" || [ $? -eq 1 ]`, "sh", d.image)
}

// TestFileTooLarge is J09 and the short write of J10: the kernel takes the beginning of a write and refuses the
// rest. The log of writes of an audit log would be the first file that is too large, so none is kept.
func TestFileTooLarge(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{Args: []string{"--audit=off"}})
	text := numbered(1000)
	before, err := s.inOneMessage(t.Context(), text)
	must(t, err)
	var was unix.Rlimit
	must(t, unix.Prlimit(s.PID(), unix.RLIMIT_FSIZE, nil, &was))
	must(t, unix.Prlimit(s.PID(), unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100_001, Max: was.Max}, nil))
	for way, project := range s.ways() {
		_, err := project(t.Context(), numbered(20_000))
		wantRefusal(t, way, err, codes.ResourceExhausted, "ARTIFACT_TOO_LARGE")
		s.wantNoTemp(t)
	}
	s.wantWhole(t, artifactOf(before), text)
	must(t, unix.Prlimit(s.PID(), unix.RLIMIT_FSIZE, &was, nil))
	after, err := s.inAStream(t.Context(), numbered(20_000))
	must(t, err)
	s.wantWhole(t, artifactOf(after), numbered(20_000))
}
