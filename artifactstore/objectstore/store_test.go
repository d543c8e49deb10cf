package objectstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
	"github.com/toolresult/toolresult/integration/artifactstoretest"
)

// patience is how long a test waits for what should happen at once.
const patience = time.Minute

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: error %v, want %v", what, got, want)
	}
}

func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// journal is a log that is looked into.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

const secret = "a-secret-that-nobody-may-read"

// credentials are those of the tests.
func credentials(t testing.TB) objectstore.Credentials {
	t.Helper()
	c, err := objectstore.FindCredentials(func(name string) string {
		return map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": secret}[name]
	})
	must(t, err)
	return c
}

// store is a store of a test.
type store struct {
	*objectstore.Store
	log *journal
}

// open opens a store over the fake, which is closed when the test ends.
func open(t testing.TB, f *fakeS3, spool string, change func(*objectstore.Options)) *store {
	t.Helper()
	location, err := objectstore.ParseLocation(f.location())
	must(t, err)
	log := &journal{}
	o := objectstore.Options{
		Location: location, Credentials: credentials(t), SpoolBytes: 1 << 30, CloseTimeout: patience,
		RetryLeast: time.Millisecond, RetryMost: 20 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	s, err := objectstore.Open(spool, dir.Options{Volatile: strings.Contains(t.Name(), "Contract")}, o)
	must(t, err)
	t.Cleanup(func() {
		must(t, s.Close())
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has the secret: %s", log)
		}
	})
	return &store{s, log}
}

func (s *store) put(t testing.TB, content []byte) artifactstore.Ref {
	t.Helper()
	ref, err := s.Put(t.Context(), artifactstore.BytesBlob(content))
	must(t, err)
	return ref
}

// settled waits until nothing is pending.
func (s *store) settled(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the status is %+v, the log\n%s", s.Status(), s.log)
		}
	})
	waitFor(t, "uploads", func() bool { return s.Status().PendingArtifacts == 0 })
	if st := s.Status(); st.PendingBytes != 0 || st.LastError != "" {
		t.Errorf("nothing is pending, and the status is %+v", st)
	}
}

// wantContent reads an artifact whole and by pages.
func (s *store) wantContent(t testing.TB, ref artifactstore.Ref, want []byte) {
	t.Helper()
	p, err := s.Pages(t.Context(), ref.Name)
	must(t, err)
	got, err := p.Read(nil, 0, ref.Size)
	if err != nil || !bytes.Equal(got, want) || p.Ref() != ref {
		t.Errorf("Pages of %+v: %d bytes, %v, of %+v", ref, len(got), err, p.Ref())
	}
	must(t, p.Close())
	r, err := s.Open(t.Context(), ref.Name)
	must(t, err)
	got, err = io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) || r.Ref() != ref {
		t.Errorf("Open of %+v: %d bytes, %v, of %+v", ref, len(got), err, r.Ref())
	}
	must(t, r.Close())
}

// lines are about n bytes of numbered lines.
func lines(n int, seed string) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		b.WriteString(seed)
		b.WriteString(strings.Repeat("=", i%50))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func TestContract(t *testing.T) {
	artifactstoretest.RunNamed(t, objectstore.NameDigits, func(t *testing.T) artifactstore.Store {
		return open(t, newFake(t), t.TempDir()+"/spool", nil).Store
	})
}

// TestContractWithoutSpool runs the contract with copies that are evicted as soon as they can be, so that reading is
// from the bucket, sooner or later.
func TestContractWithoutSpool(t *testing.T) {
	artifactstoretest.RunNamed(t, objectstore.NameDigits, func(t *testing.T) artifactstore.Store {
		return open(t, newFake(t), t.TempDir()+"/spool", func(o *objectstore.Options) { o.SpoolBytes = 0 }).Store
	})
}

// TestMachinesShareBucket reads what one machine has put on another: small, with an index, and in several parts.
func TestMachinesShareBucket(t *testing.T) {
	f := newFake(t)
	one, two := open(t, f, t.TempDir()+"/spool", nil), open(t, f, t.TempDir()+"/spool", nil)
	for _, content := range [][]byte{nil, []byte("small\n"), lines(3<<20, "large"), lines(40<<20, "in parts")} {
		ref := one.put(t, content)
		one.settled(t)
		if name, err := two.Resolve(ref.Path); err != nil || name != ref.Name || !strings.HasPrefix(ref.Path, "s3://bucket/some/prefix/") {
			t.Errorf("the path %s is of %q, %v", ref.Path, name, err)
		}
		two.wantContent(t, ref, content)
		if again := two.put(t, content); again != ref {
			t.Errorf("put on the other machine: %+v, want %+v", again, ref)
		}
		two.settled(t)
	}
	if len(f.parts) > 0 {
		t.Errorf("uploads are left: %d", len(f.parts))
	}
	if keys := f.keys(); len(keys) != 6 { // two of them with an index
		t.Errorf("the bucket has %q", keys)
	}
}

// TestPagesReadOnlyTheirBlocks: a page of a large artifact costs its index and the blocks that it touches.
func TestPagesReadOnlyTheirBlocks(t *testing.T) {
	f := newFake(t)
	one, two := open(t, f, t.TempDir()+"/spool", nil), open(t, f, t.TempDir()+"/spool", nil)
	content := lines(60<<20, "a line")
	ref := one.put(t, content)
	one.settled(t)
	var moved int64
	f.fail(func(r *http.Request) fault {
		if span, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok && span != "" {
			moved++
		} else if r.Method == http.MethodGet && !strings.HasSuffix(r.URL.Path, ".index") {
			t.Error("the artifact is fetched whole")
		}
		return served
	})
	p, err := two.Pages(t.Context(), ref.Name)
	must(t, err)
	line := p.Lines() / 2
	at, err := p.LineStart(line)
	must(t, err)
	got, err := p.Read(nil, at, at+100)
	if err != nil || !bytes.Equal(got, content[at:at+100]) || moved < 1 || moved > 2 {
		t.Errorf("a page: %d bytes, %v, %d blocks", len(got), err, moved)
	}
	moved = 0
	for at := int64(0); at < p.Size(); at += 100_000 {
		got, err := p.Read(nil, at, at+100_000)
		if want := content[at:min(at+100_000, p.Size())]; err != nil || !bytes.Equal(got, want) {
			t.Fatalf("bytes at %d: %d, %v", at, len(got), err)
		}
	}
	if moved > 25 {
		t.Errorf("reading on takes %d requests", moved)
	}
	must(t, p.Close())
	if left, err := two.Spool().Open(t.Context(), ref.Name); err == nil {
		must(t, left.Close())
		t.Error("the artifact came into the spool")
	}
}

// TestPutsGoOnDuringOutage: puts go on, the status says so, and when the object store is back nothing is lost.
func TestPutsGoOnDuringOutage(t *testing.T) {
	for what, fault := range map[string]fault{"hung up": hungUp, "500": broken, "403": denied} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			s, two := open(t, f, t.TempDir()+"/spool", nil), open(t, f, t.TempDir()+"/spool", nil)
			early := s.put(t, []byte("before"))
			s.settled(t)
			f.fail(always(fault))
			var refs []artifactstore.Ref
			for i := range 10 {
				refs = append(refs, s.put(t, lines(1000*i, "during")))
			}
			waitFor(t, "an error", func() bool { return s.Status().LastError != "" })
			st := s.Status()
			if st.PendingArtifacts != 10 || st.PendingBytes == 0 || st.URL != "s3://bucket/some/prefix" || strings.ContainsAny(st.LastError, "\n\u009b") {
				t.Errorf("the status is %+v", st)
			}
			for _, read := range []func() error{
				func() error { _, err := two.Open(t.Context(), early.Name); return err },
				func() error { _, err := two.Pages(t.Context(), early.Name); return err },
				func() error { return two.Remove(t.Context(), early.Name) },
			} {
				wantError(t, "without the object store", read(), artifactstore.ErrUnavailable)
			}
			for i, ref := range refs {
				s.wantContent(t, ref, lines(1000*i, "during"))
			}
			f.fail(nil)
			s.settled(t)
			for i, ref := range refs {
				two.wantContent(t, ref, lines(1000*i, "during"))
			}
			for _, said := range []string{"could not be uploaded", "are uploaded again"} {
				// Attempts that had begun before may fail after the first one that did not.
				if n := strings.Count(s.log.String(), said); n < 1 || n > 4 {
					t.Errorf("the log says %d times that artifacts %s:\n%s", n, said, s.log)
				}
			}
		})
	}
}

// TestMissingBucketIsNotUnknownArtifact: a bucket that does not exist is no artifact that does not exist.
func TestMissingBucketIsNotUnknownArtifact(t *testing.T) {
	f := newFake(t)
	f.missing = true
	s := open(t, f, t.TempDir()+"/spool", nil)
	_, err := s.Open(t.Context(), strings.Repeat("0", 32))
	wantError(t, "Open", err, artifactstore.ErrUnavailable)
	s.put(t, []byte("x"))
	waitFor(t, "an error", func() bool { return strings.Contains(s.Status().LastError, "NoSuchBucket") })
}

// TestLostAnswersAreFoundDone: a request that was served, but not answered, is found to be done.
func TestLostAnswersAreFoundDone(t *testing.T) {
	f := newFake(t)
	s := open(t, f, t.TempDir()+"/spool", nil)
	once := map[string]bool{}
	f.fail(func(r *http.Request) fault {
		request := r.Method + r.URL.String()
		if r.Method == http.MethodHead || once[request] {
			return served
		}
		once[request] = true
		return lost
	})
	contents := [][]byte{[]byte("small"), lines(2<<20, "y"), lines(20<<20, "x")}
	for _, content := range contents {
		s.put(t, content)
	}
	s.settled(t)
	f.fail(nil)
	two := open(t, f, t.TempDir()+"/spool", nil)
	for _, content := range contents {
		ref := s.put(t, content)
		two.wantContent(t, ref, content)
	}
}

// TestCutBodyIsNotDamage: what does not arrive whole is not taken, and is no damage.
func TestCutBodyIsNotDamage(t *testing.T) {
	f := newFake(t)
	one, two := open(t, f, t.TempDir()+"/spool", nil), open(t, f, t.TempDir()+"/spool", nil)
	content := lines(2<<20, "x")
	ref := one.put(t, content)
	one.settled(t)
	p, err := two.Pages(t.Context(), ref.Name)
	must(t, err)
	f.fail(of(http.MethodGet, cut))
	_, err = two.Open(t.Context(), ref.Name)
	wantError(t, "Open", err, artifactstore.ErrUnavailable)
	_, err = p.Read(nil, 0, 10)
	wantError(t, "Read", err, artifactstore.ErrUnavailable)
	_, err = two.Pages(t.Context(), ref.Name)
	wantError(t, "Pages", err, artifactstore.ErrUnavailable)
	f.fail(nil)
	if got, err := p.Read(nil, 0, ref.Size); err != nil || !bytes.Equal(got, content) {
		t.Errorf("afterwards: %d bytes, %v", len(got), err)
	}
	two.wantContent(t, ref, content)
	if left, err := os.ReadDir(filepath.Join(two.Spool().Root(), "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestCallsEndWithContext: a call that waits for the object store ends with its context, and says so.
func TestCallsEndWithContext(t *testing.T) {
	f := newFake(t)
	s := open(t, f, t.TempDir()+"/spool", nil)
	f.fail(always(stuck))
	for _, read := range []func(context.Context, string) error{
		func(ctx context.Context, name string) error { _, err := s.Open(ctx, name); return err },
		func(ctx context.Context, name string) error { _, err := s.Pages(ctx, name); return err },
		s.Remove,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := read(ctx, strings.Repeat("0", 32))
		wantError(t, "at the deadline", err, context.DeadlineExceeded)
		if errors.Is(err, artifactstore.ErrUnavailable) {
			t.Errorf("the deadline of the call is taken for an outage: %v", err)
		}
		cancel()
	}
}

// TestReadersOfAFrozenStoreAreRejected reads from an object store that takes requests and does not answer them, or does not end its answers:
// it is unavailable long before the calls end.
func TestReadersOfAFrozenStoreAreRejected(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	one, two := open(t, f, t.TempDir()+"/spool", nil), open(t, f, t.TempDir()+"/spool", nil)
	ref := one.put(t, lines(2<<20, "x"))
	one.settled(t)
	p, err := two.Pages(t.Context(), ref.Name)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // far more than they may take
	defer cancel()
	for name, fault := range map[string]func(*http.Request) fault{"nothing is answered": always(stuck), "answers do not end": of(http.MethodGet, frozen)} {
		f.fail(fault)
		var readers sync.WaitGroup
		for what, read := range map[string]func() error{
			"Open":  func() error { _, err := two.Open(ctx, ref.Name); return err },
			"Pages": func() error { _, err := two.Pages(ctx, ref.Name); return err },
			"Read":  func() error { _, err := p.Read(nil, 0, 10); return err },
		} {
			readers.Go(func() {
				if err := read(); !errors.Is(err, artifactstore.ErrUnavailable) || ctx.Err() != nil {
					t.Errorf("%s, %s: %v", name, what, err)
				}
			})
		}
		readers.Wait()
	}
}
