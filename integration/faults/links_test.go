//go:build linux

package faults_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// outside is a directory that a link leads to, with a file that has the name of an artifact.
func outside(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(secret), 0o600))
	return dir
}

const secret = "not for this store"

// wantUntouched checks that nothing was written through a link.
func wantUntouched(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory outside has %v, error %v", entries, err)
	}
	if content, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(content) != secret {
		t.Errorf("the file outside has %q, error %v", content, err)
	}
}

// TestPlantedLinks is I03: a link at tmp/, at a shard and at a final name is not followed, neither by an upload
// nor by a read.
func TestPlantedLinks(t *testing.T) {
	leg(t)
	for way := range (&sidecar{}).ways() {
		for _, at := range []string{"tmp", "shard", "name"} {
			t.Run(at+" "+way, func(t *testing.T) {
				s := startSidecar(t, launch{})
				text := numbered(3000)
				answer, err := s.inOneMessage(t.Context(), text)
				must(t, err)
				path := artifactOf(answer)
				place := map[string]string{"tmp": filepath.Join(s.Store, "tmp"), "shard": filepath.Dir(path), "name": path}[at]
				away := outside(t, filepath.Base(path))
				to := away
				if at == "name" {
					to = filepath.Join(away, filepath.Base(path))
				}
				must(t, os.Rename(place, place+".aside"))
				must(t, os.Symlink(to, place))
				got, err := s.read(t.Context(), path)
				switch {
				case at == "tmp" && (err != nil || got != text):
					t.Errorf("a read, which needs no tmp: %d bytes, error %v", len(got), err)
				case at != "tmp":
					wantRefusal(t, "a read", err, codes.DataLoss, "ARTIFACT_CORRUPT")
				}
				later := numbered(4000)
				if at != "tmp" {
					later = text // goes to the same place
				}
				answer, err = s.ways()[way](t.Context(), later)
				switch {
				case err == nil: // under another name, or by the directory that was opened before
					s.wantWhole(t, artifactOf(answer), later)
				case status.Code(err) != codes.Internal:
					t.Errorf("an upload: %v", err)
				}
				wantUntouched(t, away, filepath.Base(path))
				must(t, os.Remove(place))
				must(t, os.Rename(place+".aside", place))
				answer, err = s.ways()[way](t.Context(), later)
				must(t, err)
				s.wantWhole(t, artifactOf(answer), later)
			})
		}
	}
}

// TestDirectoriesSwappedForLinks is I04: while artifacts are put and read, directories of the store are swapped
// for links and back, as fast as possible. Nothing is ever written or read outside, and what an answer names is
// there when the directories are.
func TestDirectoriesSwappedForLinks(t *testing.T) {
	leg(t)
	for _, at := range []string{"tmp", "shard", "store"} {
		t.Run(at, func(t *testing.T) {
			s := startSidecar(t, launch{})
			text := numbered(3000)
			answer, err := s.inOneMessage(t.Context(), text)
			must(t, err)
			path := artifactOf(answer)
			place := map[string]string{"tmp": filepath.Join(s.Store, "tmp"), "shard": filepath.Dir(path), "store": s.Store}[at]
			away := outside(t, filepath.Base(path))
			stop := make(chan struct{})
			var swaps, served, refused atomic.Int64
			var all sync.WaitGroup
			must(t, os.Symlink(away, place+".link"))
			all.Go(func() {
				for {
					for range 2 { // there and back; there is never neither
						if err := unix.Renameat2(unix.AT_FDCWD, place, unix.AT_FDCWD, place+".link", unix.RENAME_EXCHANGE); err != nil {
							t.Error(err)
						}
					}
					swaps.Add(1)
					select {
					case <-stop:
						return
					default:
					}
				}
			})
			var mu sync.Mutex
			acked := map[string]string{path: text}
			for client := range 3 {
				all.Go(func() {
					for i := 0; ; i++ {
						select {
						case <-stop:
							return
						default:
						}
						if got, err := s.read(t.Context(), path); err == nil && got != text || strings.Contains(got, secret) {
							t.Errorf("a read has %.40q", got)
						}
						payload := numbered(2000 + 3*i + client)
						if client == 0 {
							payload = text
						}
						answer, err := s.inAStream(t.Context(), payload)
						if err != nil {
							refused.Add(1)
							continue
						}
						served.Add(1)
						mu.Lock()
						acked[artifactOf(answer)] = payload
						mu.Unlock()
					}
				})
			}
			time.Sleep(2 * time.Second)
			close(stop)
			all.Wait()
			wantUntouched(t, away, filepath.Base(path))
			reader := s
			if at == "store" { // without its catalog, which was elsewhere, a sidecar reads nothing until the next start
				reader = s.killed(t)
			}
			for path, payload := range acked {
				reader.wantWhole(t, path, payload)
			}
			t.Logf("%d swaps, %d uploads served, %d refused", swaps.Load(), served.Load(), refused.Load())
			// A store that was elsewhere for a moment is written to no more, until the next start.
			if swaps.Load() < 100 || served.Load() == 0 && at != "store" || refused.Load() == 0 && at == "store" {
				t.Error("that proves nothing")
			}
		})
	}
}
