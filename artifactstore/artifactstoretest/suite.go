// Package artifactstoretest tests that a store follows the contract of [artifactstore.Store]. A bug found in a store
// becomes a case here before it is fixed.
package artifactstoretest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore"
)

// Run runs every case of the contract except logs. open returns a new, empty store each time, and registers its clean-up
// with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) artifactstore.Store) { RunNamed(t, 8, open) }

// RunNamed is Run for a store whose names have at least the given number of digits.
func RunNamed(t *testing.T, digits int, open func(t *testing.T) artifactstore.Store) {
	cases := []struct {
		name string
		run  func(t *testing.T, s artifactstore.Store)
	}{
		{"round trip", roundTrip},
		{"names come from content", named(digits, namesComeFromContent)},
		{"a taken name is lengthened", named(digits, takenNameIsLengthened)},
		{"put does not keep the caller's bytes", putCopies},
		{"unknown name", unknownName},
		{"invalid name", invalidName},
		{"concurrent puts", concurrentPuts},
		{"cancelled context", cancelledContext},
		{"cancelled while copying", cancelledWhileCopying},
		{"blob that lies about its size", lyingBlob},
		{"blob that fails", failingBlob},
		{"reader seeks", readerSeeks},
		{"reader is closed", readerIsClosed},
		{"inventory", inventory},
		{"removed while it is read", removedWhileRead},
		{"stage", stage},
		{"stage takes parts", stageTakesParts},
		{"stage takes a file", stageTakesFile},
		{"file that is shorter than said", shortFile},
		{"prefix of a stage", prefixOfStage},
		{"pages", pages},
		{"sealed stage takes no more", sealedStage},
		{"sealed blob put again", sealedBlobPutAgain},
		{"sealed blob of another store", foreignSealedBlob},
		{"discarded stage", discardedStage},
		{"cancelled stage", cancelledStage},
		{"stage equals put for any split", anySplit},
		{"any sequence of calls", anySequence},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// named is a case that depends on the least length of a name.
func named(digits int, run func(*testing.T, artifactstore.Store, int)) func(*testing.T, artifactstore.Store) {
	return func(t *testing.T, s artifactstore.Store) { run(t, s, digits) }
}

func roundTrip(t *testing.T, s artifactstore.Store) {
	for i, size := range []int{0, 1, 2, 4095, 4096, 4097, 65535, 65536, 256<<10 - 1, 256 << 10, 256<<10 + 1, 1<<20 + 1} {
		b := noise(size, byte(2*i))
		mustHold(t, s, mustPut(t, s, artifactstore.BytesBlob(b), b), b)
		if size > 0 {
			b = noise(size, byte(2*i+1))
		}
		mustHold(t, s, mustPut(t, s, newStream(b), b), b)
	}
}

func namesComeFromContent(t *testing.T, s artifactstore.Store, digits int) {
	a, b := noise(3000, 1), noise(3000, 2)
	first := mustPut(t, s, artifactstore.BytesBlob(a), a)
	if again := mustPut(t, s, artifactstore.BytesBlob(a), a); again != first {
		t.Errorf("same bytes again: %+v, then %+v", first, again)
	}
	if again := mustPut(t, s, newStream(a), a); again != first {
		t.Errorf("same bytes as a stream: %+v, then %+v", first, again)
	}
	other := mustPut(t, s, artifactstore.BytesBlob(b), b)
	if other.Name == first.Name || other.Path == first.Path {
		t.Errorf("different bytes share a name or path: %+v and %+v", first, other)
	}
	if len(first.Name) != digits || len(other.Name) != digits {
		t.Errorf("names %s and %s are not %d digits long in an empty store", first.Name, other.Name, digits)
	}
}

// Three contents whose digests begin alike, found by trying 330 million: all with b73d903a, the last two
// with b73d903ade1c.
var alike = []struct{ content, name string }{
	{"collision 330019054", "b73d903a"},
	{"collision 78489616", "b73d903ade1c"},
	{"collision 118838939", "b73d903ade1cb9c4"},
}

func takenNameIsLengthened(t *testing.T, s artifactstore.Store, digits int) {
	names := map[string]string{}
	for range 2 { // the second time they are there already
		for _, a := range alike {
			b := []byte(a.content)
			ref := mustPut(t, s, artifactstore.BytesBlob(b), b)
			names[a.content] = ref.Name
			if len(ref.Name) != max(digits, len(a.name)) || !strings.HasPrefix(ref.Name, a.name) {
				t.Errorf("%q is called %s, want %s and at least %d digits", a.content, ref.Name, a.name, digits)
			}
			if again := mustPut(t, s, newStream(b), b); again != ref {
				t.Errorf("%q as a stream: %+v, want %+v", a.content, again, ref)
			}
		}
	}
	for _, a := range alike {
		r, err := s.Open(context.Background(), names[a.content])
		if err != nil {
			t.Fatalf("Open(%s): %v", names[a.content], err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(got) != a.content {
			t.Errorf("%s holds %q, error %v, want %q", names[a.content], got, err, a.content)
		}
	}
}

func putCopies(t *testing.T, s artifactstore.Store) {
	b := noise(100, 1)
	want := bytes.Clone(b)
	ref := mustPut(t, s, artifactstore.BytesBlob(b), b)
	clear(b)
	mustHold(t, s, ref, want)
}

func unknownName(t *testing.T, s artifactstore.Store) {
	ref := mustPut(t, s, artifactstore.BytesBlob([]byte("x")), []byte("x"))
	full := strings.TrimPrefix(ref.Digest, "blake3:")
	for _, name := range []string{"00000000", strings.Repeat("f", 64), full, full[:12], full[:9], "0123456789a"} {
		_, err := s.Open(context.Background(), name)
		mustFail(t, "Open("+name+")", err, artifactstore.ErrUnknown)
	}
}

func invalidName(t *testing.T, s artifactstore.Store) {
	ref := mustPut(t, s, artifactstore.BytesBlob([]byte("x")), []byte("x"))
	names := []string{
		"", ".", "..", "/", "../../etc/passwd", "/etc/passwd", ref.Path, ref.Name[:3] + "/" + ref.Name[3:],
		ref.Name[:7], ref.Name + "/", ref.Name + "\x00", ref.Name + "\n", " " + ref.Name, strings.ToUpper("abcdef01"),
		"0x123456", "g1234567", strings.Repeat("a", 65), strings.Repeat("a", 300), "../" + ref.Name, "tmp", "LOCK",
		"FORMAT", "CON", "C:\\12345678", "\u0661\u0662\u0663\u0664", "\xff\xfe\xfd\xfc\xff\xfe\xfd\xfc",
	}
	for _, name := range names {
		_, err := s.Open(context.Background(), name)
		mustFail(t, "Open of an invalid name", err, artifactstore.ErrNameInvalid)
		if len(err.Error()) > 400 || strings.ContainsAny(err.Error(), "\x00\n") || !utf8.ValidString(err.Error()) {
			t.Errorf("error for %q repeats it unprinted or whole: %q", name, err)
		}
	}
}

func concurrentPuts(t *testing.T, s artifactstore.Store) {
	const contents, callers = 12, 4
	refs := make([][callers]artifactstore.Ref, contents)
	var wg sync.WaitGroup
	for i := range contents {
		b := noise(1000*i, byte(i))
		for j := range callers {
			wg.Go(func() {
				blob := artifactstore.BytesBlob(b)
				if j%2 == 1 {
					blob = newStream(b)
				}
				ref, err := s.Put(context.Background(), blob)
				if err != nil {
					t.Errorf("Put: %v", err)
				}
				refs[i][j] = ref
			})
		}
	}
	wg.Wait()
	for i, got := range refs {
		for _, ref := range got {
			if ref != got[0] {
				t.Errorf("content %d: callers got %+v and %+v", i, got[0], ref)
			}
		}
		mustHold(t, s, got[0], noise(1000*i, byte(i)))
	}
}

func cancelledContext(t *testing.T, s artifactstore.Store) {
	ref := mustPut(t, s, artifactstore.BytesBlob([]byte("x")), []byte("x"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Put(ctx, artifactstore.BytesBlob([]byte("y")))
	mustFail(t, "Put", err, context.Canceled)
	_, err = s.Put(ctx, newStream([]byte("y")))
	mustFail(t, "Put of a stream", err, context.Canceled)
	_, err = s.Open(ctx, ref.Name)
	mustFail(t, "Open", err, context.Canceled)
	_, err = s.Stage(ctx)
	mustFail(t, "Stage", err, context.Canceled)
}

// readFunc is a reader that is a function.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func cancelledWhileCopying(t *testing.T, s artifactstore.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reads := 0
	endless := stream{claimed: 1 << 50, open: func() io.Reader {
		return readFunc(func(p []byte) (int, error) {
			if reads++; reads == 5 {
				cancel()
			}
			return len(p), nil
		})
	}}
	_, err := s.Put(ctx, endless)
	mustFail(t, "Put", err, context.Canceled)
	if reads != 5 {
		t.Errorf("%d reads, want none after the fifth, which cancelled", reads)
	}
}

func lyingBlob(t *testing.T, s artifactstore.Store) {
	for _, real := range []int{0, 1, 1000, 256 << 10, 300 << 10} {
		for _, delta := range []int64{-1, 1, 1 << 20, 1 << 50} {
			b := newStream(noise(real, 1))
			b.claimed += delta
			_, err := s.Put(context.Background(), b)
			mustFail(t, "Put", err, artifactstore.ErrSizeMismatch)
		}
	}
}

func failingBlob(t *testing.T, s artifactstore.Store) {
	broken := errors.New("broken source")
	b := noise(300<<10, 1)
	half := stream{claimed: int64(len(b)), open: func() io.Reader {
		return io.MultiReader(bytes.NewReader(b[:len(b)/2]), iotest.ErrReader(broken))
	}}
	_, err := s.Put(context.Background(), half)
	mustFail(t, "Put of a blob that breaks half way", err, broken)

	torn := stream{claimed: int64(len(b)), open: func() io.Reader {
		return io.MultiReader(bytes.NewReader(b), iotest.ErrReader(io.ErrUnexpectedEOF))
	}}
	_, err = s.Put(context.Background(), torn)
	mustFail(t, "Put of a blob that says it was cut short", err, io.ErrUnexpectedEOF)

	stuck := stream{claimed: 1, open: func() io.Reader {
		return readFunc(func([]byte) (int, error) { return 0, nil })
	}}
	_, err = s.Put(context.Background(), stuck)
	mustFail(t, "Put of a blob that never yields", err, io.ErrNoProgress)

	for _, slow := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
		odd := stream{claimed: 5000, open: func() io.Reader { return slow(bytes.NewReader(b[:5000])) }}
		mustHold(t, s, mustPut(t, s, odd, b[:5000]), b[:5000])
	}
}

func readerSeeks(t *testing.T, s artifactstore.Store) {
	b := noise(10000, 1)
	ref := mustPut(t, s, artifactstore.BytesBlob(b), b)
	r, err := s.Open(context.Background(), ref.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	seeks := []struct {
		offset int64
		whence int
		want   int64
	}{{-10, io.SeekEnd, 9990}, {0, io.SeekStart, 0}, {4097, io.SeekCurrent, 4097}, {20000, io.SeekStart, 20000}}
	for _, c := range seeks {
		at, err := r.Seek(c.offset, c.whence)
		if err != nil || at != c.want {
			t.Fatalf("Seek(%d, %d) = %d, %v, want %d", c.offset, c.whence, at, err, c.want)
		}
		rest, err := io.ReadAll(r)
		if want := b[min(at, ref.Size):]; err != nil || !bytes.Equal(rest, want) {
			t.Errorf("after Seek(%d, %d): %d bytes, %v, want %d", c.offset, c.whence, len(rest), err, len(want))
		}
		if _, err := r.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Seek(-1, io.SeekStart); err == nil {
		t.Error("Seek to before the beginning succeeded")
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			p := make([]byte, 100)
			if _, err := r.ReadAt(p, int64(i)*1000); err != nil || !bytes.Equal(p, b[i*1000:i*1000+100]) {
				t.Errorf("ReadAt(%d): wrong bytes or error %v", i*1000, err)
			}
		})
	}
	wg.Wait()
}

func readerIsClosed(t *testing.T, s artifactstore.Store) {
	ref := mustPut(t, s, artifactstore.BytesBlob([]byte("x")), []byte("x"))
	r, err := s.Open(context.Background(), ref.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatalf("Close twice: %v", err)
	}
	_, err = r.Read(make([]byte, 1))
	mustFail(t, "Read", err, artifactstore.ErrClosed)
	_, err = r.ReadAt(make([]byte, 1), 0)
	mustFail(t, "ReadAt", err, artifactstore.ErrClosed)
	_, err = r.Seek(0, io.SeekStart)
	mustFail(t, "Seek", err, artifactstore.ErrClosed)
}
