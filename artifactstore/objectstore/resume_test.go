package objectstore_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
)

// The test binary runs itself as a second process when these are set.
const (
	spoolVariable    = "OBJECTSTORE_TEST_SPOOL"
	locationVariable = "OBJECTSTORE_TEST_LOCATION"
)

func TestMain(m *testing.M) {
	if spool := os.Getenv(spoolVariable); spool != "" {
		os.Exit(putUntilKilled(spool, os.Getenv(locationVariable)))
	}
	goleak.VerifyTestMain(m)
}

// artifactNumber is the content of an artifact, of very different sizes.
func artifactNumber(n int) []byte {
	size := []int{10, 3000, 300 << 10, 1200 << 10}[n%4]
	return lines(size, strconv.Itoa(n)+" ")
}

// putUntilKilled puts artifacts, and says the number and name of each as soon as its put is answered.
func putUntilKilled(spool, location string) int {
	at, err := objectstore.ParseLocation(location)
	if err != nil {
		return 1
	}
	c, err := objectstore.FindCredentials(os.Getenv)
	if err != nil {
		return 1
	}
	s, err := objectstore.Open(spool, dir.Options{}, objectstore.Options{
		Location: at, Credentials: c, SpoolBytes: 2 << 20, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for n := 0; ; n++ {
		ref, err := s.Put(context.Background(), artifactstore.BytesBlob(artifactNumber(n)))
		if err != nil {
			return 1
		}
		fmt.Println(n, ref.Name)
	}
}

// putAndKill starts a process that puts into a spool, kills it soon after its n-th answer, and adds its answers by name.
func putAndKill(t *testing.T, f *fakeS3, spool string, n int, answered map[string]int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), spoolVariable+"="+spool, locationVariable+"="+f.location(),
		"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY="+secret)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	kill := func() { _ = cmd.Process.Kill() }
	if n == 0 { // before the first answer, or soon after
		time.AfterFunc(rand.N(200*time.Millisecond), kill)
	}
	answers := 0
	for said := bufio.NewScanner(out); said.Scan(); {
		number, name, _ := strings.Cut(said.Text(), " ")
		index, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("the process says %q", said.Text())
		}
		if len(name) == objectstore.NameDigits { // not cut by the kill
			answered[name] = index
			answers++
		}
		if answers == n { // however slow the machine is
			time.AfterFunc(rand.N(100*time.Millisecond), kill)
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the process ended by itself: %v", err)
	}
}

// TestKilledProcessLosesNoAnsweredPut kills a process with uploads under way, again and again on the same spool. Whatever it
// had answered arrives in the bucket after the next start.
func TestKilledProcessLosesNoAnsweredPut(t *testing.T) {
	f := newFake(t)
	f.fail(func(r *http.Request) fault {
		switch {
		case r.Method == http.MethodPut && rand.N(4) == 0:
			return []fault{broken, hungUp, lost}[rand.N(3)]
		case rand.N(10) == 0:
			return hungUp
		}
		return served
	})
	spool := filepath.Join(t.TempDir(), "spool")
	answered := map[string]int{}
	const lives = 9
	for life := 0; life < lives || len(answered) < lives-1 && life < 10*lives; life++ { // on a slow machine a process may answer nothing
		putAndKill(t, f, spool, life, answered)
	}
	f.fail(nil)
	s := open(t, f, spool, nil)
	s.settled(t)
	two := open(t, f, t.TempDir()+"/spool", nil)
	for name, n := range answered {
		r, err := two.Open(t.Context(), name)
		if err != nil {
			t.Errorf("artifact %d: %v", n, err)
			continue
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, artifactNumber(n)) {
			t.Errorf("artifact %d: %d bytes, %v", n, len(got), err)
		}
		must(t, r.Close())
	}
	if len(answered) < lives-1 { // the answers of the last life
		t.Errorf("only %d puts were answered", len(answered))
	}
	if left := markersOf(t, spool); len(left) > 0 {
		t.Errorf("markers are left: %q", left)
	}
}

// TestPendingSurvivesRestart: the markers alone say what is to be uploaded.
func TestPendingSurvivesRestart(t *testing.T) {
	f := newFake(t)
	f.fail(always(hungUp))
	spool := filepath.Join(t.TempDir(), "spool")
	s := open(t, f, spool, nil)
	ref := s.put(t, []byte("x"))
	if got := markersOf(t, spool); len(got) != 1 || got[0] != ref.Name+".1" {
		t.Errorf("the markers are %q", got)
	}
	must(t, s.Close())
	_, err := s.Put(t.Context(), artifactstore.BytesBlob([]byte("y")))
	wantError(t, "Put after Close", err, artifactstore.ErrClosed)
	_, err = s.Open(t.Context(), strings.Repeat("0", 32))
	wantError(t, "Open after Close", err, artifactstore.ErrClosed)
	must(t, os.WriteFile(filepath.Join(spool, "pending", "notes.txt"), nil, 0o600))

	s = open(t, f, spool, nil)
	if st := s.Status(); st.PendingArtifacts != 1 || st.PendingBytes != 1 {
		t.Errorf("after the start the status is %+v", st)
	}
	f.fail(nil)
	s.settled(t)
	if got := markersOf(t, spool); len(got) != 1 || got[0] != "notes.txt" {
		t.Errorf("left are %q", got)
	}
	if keys := f.keys(); len(keys) != 1 || keys[0] != "some/prefix/"+ref.Name {
		t.Errorf("the bucket has %q", keys)
	}
}

// TestEveryStateAfterCrashIsResumed makes by hand what a crash between two steps leaves.
func TestEveryStateAfterCrashIsResumed(t *testing.T) {
	content := []byte("the artifact")
	for what, c := range map[string]struct {
		spooled, marked, uploaded bool
		lost                      bool
	}{
		"put, not marked, not answered":         {spooled: true},
		"marked":                                {spooled: true, marked: true},
		"uploaded, marked":                      {spooled: true, marked: true, uploaded: true},
		"uploaded, not marked":                  {spooled: true, uploaded: true},
		"evicted, the marker has come back":     {marked: true, uploaded: true},
		"evicted":                               {uploaded: true},
		"deleted in the spool by somebody else": {marked: true, lost: true},
	} {
		t.Run(what, func(t *testing.T) {
			f := newFake(t)
			spool := filepath.Join(t.TempDir(), "spool")
			f.fail(always(hungUp))
			s := open(t, f, spool, nil)
			ref := s.put(t, content)
			must(t, s.Close())
			f.fail(nil)
			if c.uploaded {
				other := open(t, f, t.TempDir()+"/spool", nil)
				other.put(t, content)
				other.settled(t)
			}
			if !c.marked {
				must(t, os.Remove(filepath.Join(spool, "pending", ref.Name+".12")))
			}
			if !c.spooled {
				files, err := filepath.Glob(filepath.Join(spool, ref.Name[:2]+"?", ref.Name[2:]))
				if err != nil || len(files) != 1 {
					t.Fatalf("%v, %v", files, err)
				}
				must(t, os.Remove(files[0]))
			}
			s = open(t, f, spool, nil)
			if c.lost {
				waitFor(t, "an error", func() bool { return strings.Contains(s.Status().LastError, "neither in the spool nor in the bucket") })
				must(t, s.Remove(t.Context(), ref.Name))
				s.settled(t)
				return
			}
			if again := s.put(t, content); again != ref {
				t.Errorf("put again: %+v, want %+v", again, ref)
			}
			s.settled(t)
			open(t, f, t.TempDir()+"/spool", nil).wantContent(t, ref, content)
			if left := markersOf(t, spool); len(left) > 0 {
				t.Errorf("markers are left: %q", left)
			}
		})
	}
}

// TestPutFailsWithoutMarker: what could not be marked is not answered.
func TestPutFailsWithoutMarker(t *testing.T) {
	f := newFake(t)
	f.fail(always(hungUp))
	spool := filepath.Join(t.TempDir(), "spool")
	s := open(t, f, spool, nil)
	ref, err := memory.New().Put(t.Context(), artifactstore.BytesBlob([]byte("x")))
	must(t, err)
	inTheWay := filepath.Join(spool, "pending", strings.TrimPrefix(ref.Digest, "blake3:")[:objectstore.NameDigits]+".1")
	must(t, os.Mkdir(inTheWay, 0o700))
	for range 2 {
		if ref, err := s.Put(t.Context(), artifactstore.BytesBlob([]byte("x"))); err == nil {
			t.Errorf("Put = %+v", ref)
		}
	}
	if st := s.Status(); st.PendingArtifacts != 0 || st.PendingBytes != 0 {
		t.Errorf("the status is %+v", st)
	}
	must(t, os.Remove(inTheWay))
	f.fail(nil)
	s.put(t, []byte("x"))
	s.settled(t)
	if len(f.keys()) != 1 {
		t.Errorf("the bucket has %q", f.keys())
	}
}

// TestCorruptCopyIsNotUploaded: a pending artifact that is damaged in the spool is not uploaded, and said to be so, also when the
// last that was heard of the object store was a failure.
func TestCorruptCopyIsNotUploaded(t *testing.T) {
	f := newFake(t)
	f.fail(always(hungUp))
	spool := filepath.Join(t.TempDir(), "spool")
	s := open(t, f, spool, nil)
	ref := s.put(t, []byte("x"))
	waitFor(t, "a failure", func() bool { return s.Status().LastError != "" })
	file := filepath.Join(spool, ref.Name[:2]+map[bool]string{true: "0", false: "8"}[ref.Name[2] < '8'], ref.Name[2:])
	must(t, os.Chmod(file, 0o600))
	must(t, os.WriteFile(file, []byte("y"), 0o600))
	f.fail(nil)
	waitFor(t, "an error", func() bool { return strings.Contains(s.Status().LastError, "damaged") })
	if len(f.keys()) > 0 || s.Status().PendingArtifacts != 1 {
		t.Errorf("the bucket has %q, the status is %+v", f.keys(), s.Status())
	}
}

// TestCloseCutsUploadsAtTimeout: an upload that does not end is cut at the timeout: it would take an hour.
func TestCloseCutsUploadsAtTimeout(t *testing.T) {
	f := newFake(t)
	spool := filepath.Join(t.TempDir(), "spool")
	s := open(t, f, spool, func(o *objectstore.Options) { o.CloseTimeout = 50 * time.Millisecond })
	begun := make(chan struct{}, 100)
	f.fail(func(*http.Request) fault { begun <- struct{}{}; return stuck })
	s.put(t, []byte("x"))
	<-begun
	must(t, s.Close())
	if left := markersOf(t, spool); len(left) != 1 {
		t.Errorf("the markers are %q", left)
	}
	f.fail(nil)
	open(t, f, spool, nil).settled(t)
}
