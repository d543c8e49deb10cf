package integration_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
)

// onFullDisk is a sidecar whose store is on a file system that has been filled.
func onFullDisk(t *testing.T, healthy func(*sidecar)) *sidecar {
	t.Helper()
	at := mountTmpfs(t, "size=12m,mode=0700")
	s := startSidecar(t, launch{Store: filepath.Join(at, "store"), Args: []string{"--volatile"}})
	healthy(s)
	fillDisk(t, s)
	return s
}

// fillDisk takes all room that there is on the disk of a store.
func fillDisk(t *testing.T, s *sidecar) {
	t.Helper()
	filler, err := os.OpenFile(filepath.Join(filepath.Dir(s.Store), "filler"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	_ = filler.Close() // a full disk is what this is about
}

// TestFullDisk fills the disk of a store: what was stored stays, small results
// are served, nothing is left in tmp, and when there is space again all is well.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	early, late := completed(0, numbered(2000)), completed(0, numbered(3000))
	var path string
	s := onFullDisk(t, func(s *sidecar) {
		path = s.project(t, early).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	})
	for range 10 {
		_, err := s.Project(t.Context(), late)
		wantRefusal(t, err, codes.ResourceExhausted, "DISK_FULL", "")
		fillDisk(t, s) // somebody takes what the audit log gave away of its reserve
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != numbered(2000) {
		t.Errorf("the earlier artifact has %d bytes, error %v", len(kept), err)
	}
	s.project(t, completed(0, "small\n"))
	s.project(t, early) // it is there already
	if left, err := os.ReadDir(filepath.Join(s.Store, "tmp")); err != nil || len(left) != 0 {
		t.Errorf("tmp has %v, error %v", left, err)
	}
	if err := os.Remove(filepath.Join(filepath.Dir(s.Store), "filler")); err != nil {
		t.Fatal(err)
	}
	s.project(t, late)
}

// onReadOnlyMount is a sidecar that can read its store and not write to it.
func onReadOnlyMount(t *testing.T, healthy func(*sidecar)) *sidecar {
	t.Helper()
	store := filepath.Join(t.TempDir(), "store")
	t.Run("the store is made", func(t *testing.T) { startSidecar(t, launch{Store: store}) })
	mountAt(t, filepath.Join(store, "tmp"), "ro,mode=0700")
	s := startSidecar(t, launch{Store: store})
	healthy(s)
	return s
}

// withoutTemp is a sidecar whose store has lost a directory.
func withoutTemp(t *testing.T, healthy func(*sidecar)) *sidecar {
	t.Helper()
	s := startSidecar(t, launch{})
	healthy(s)
	if err := os.Remove(filepath.Join(s.Store, "tmp")); err != nil {
		t.Fatal(err)
	}
	return s
}

// withoutDescriptors is a sidecar that may not open another file.
func withoutDescriptors(t *testing.T, healthy func(*sidecar)) *sidecar {
	t.Helper()
	return limitedSidecar(t, healthy, unix.RLIMIT_NOFILE, 3)
}

// withSmallFiles is a sidecar that may not write files of more than 5,000 bytes.
func withSmallFiles(t *testing.T, healthy func(*sidecar)) *sidecar {
	t.Helper()
	return limitedSidecar(t, healthy, unix.RLIMIT_FSIZE, 5000)
}

// limitedSidecar is a sidecar with a limit that was lowered while it ran.
func limitedSidecar(t *testing.T, healthy func(*sidecar), resource int, limit uint64) *sidecar {
	t.Helper()
	s := startSidecar(t, launch{})
	healthy(s)
	limitOf(t, s, resource, limit)
	return s
}

// mountTmpfs mounts a file system in memory for the time of the test.
func mountTmpfs(t *testing.T, options string) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "mount")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	mountAt(t, at, options)
	return at
}

func mountAt(t *testing.T, at, options string) {
	t.Helper()
	legTool(t, "mount")
	if r := run(t, os.Environ(), nil, "mount", "-t", "tmpfs", "-o", options, "tmpfs", at); r.code != 0 {
		leg(t, false, "cannot mount: "+r.stderr)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, 0); err != nil {
			t.Errorf("unmount %s: %v", at, err)
		}
	})
}
