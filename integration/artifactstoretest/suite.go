// Package artifactstoretest tests that a store follows the contract of [artifactstore.Store]. A bug found in a store
// becomes a case here before it is fixed.
//
// The test of a store calls [Run] and [RunLogs] with a function that opens an empty one. Cases see nothing but the
// interfaces, so they hold for a directory, a bucket and memory alike, and a store that passes them can take the place of
// any other. What they cannot see is up to the tests of each store: durability, damage, and failures of a disk or network.
//
// Cases are in files by subject: suite.go has putting and opening, stages.go payloads in pieces, files.go payloads that
// are files, pages.go reading at any place, inventory.go listing and removing, logs.go and growing.go payloads that
// grow.
//
// Contents are made from seeds and never drawn by chance, except in the cases that compare a store with a model, which
// print what fails. Sizes lie around those at which stores choose another way: pages of 4 KiB, buffers of 64 KiB, blocks
// of 256 KiB.
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

// Run runs every case of the contract except logs, each with a store of its own. open returns a new, empty store each time,
// and registers its clean-up with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) artifactstore.Store) { RunNamed(t, 8, open) }

// RunNamed is Run for a store whose names have at least the given number of hex digits, such as one that shares a bucket
// with others and cannot ask them whether a short name is free.
func RunNamed(t *testing.T, digits int, open func(t *testing.T) artifactstore.Store) {
	// Beside each case is the part of the contract that it tests.
	cases := []struct {
		name string
		run  func(t *testing.T, s artifactstore.Store)
	}{
		{"round trip", roundTrip}, // Put, Open
		{"names come from content", named(digits, namesComeFromContent)},     // the name of a Ref
		{"a taken name is lengthened", named(digits, takenNameIsLengthened)}, // the name of a Ref
		{"put does not keep the caller's bytes", putCopies},                  // Put
		{"unknown name", unknownName},                                        // Open
		{"invalid name", invalidName},                                        // Open
		{"concurrent puts", concurrentPuts},                                  // Put
		{"cancelled context", cancelledContext},                              // Put, Open, Stage
		{"cancelled while copying", cancelledWhileCopying},                   // Put
		{"blob that lies about its size", lyingBlob},                         // Put, ErrSizeMismatch
		{"blob that fails", failingBlob},                                     // Put
		{"reader seeks", readerSeeks},                                        // Reader
		{"reader is closed", readerIsClosed},                                 // Reader
		{"inventory", inventory},                                             // Inventory, Namer
		{"removed while it is read", removedWhileRead},                       // Inventory, Reader, Pages
		{"stage", stage},                                                     // Stager, Stage
		{"stage takes parts", stageTakesParts},                               // Stage.WriteParts
		{"stage takes a file", stageTakesFile},                               // FileTaker
		{"file that is shorter than said", shortFile},                        // FileTaker, ErrSizeMismatch
		{"prefix of a stage", prefixOfStage},                                 // Stage.Prefix
		{"pages", pages},                                                     // Pages
		{"sealed stage takes no more", sealedStage},                          // Stage.Seal
		{"sealed blob put again", sealedBlobPutAgain},                        // Stage.Seal, Put
		{"sealed blob of another store", foreignSealedBlob},                  // Put
		{"discarded stage", discardedStage},                                  // Stage.Discard
		{"cancelled stage", cancelledStage},                                  // Stager
		{"stage equals put for any split", anySplit},                         // Stage, Put
		{"any sequence of calls", anySequence},                               // all of them
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// named returns a case that depends on the least length of a name, in digits.
func named(digits int, run func(*testing.T, artifactstore.Store, int)) func(*testing.T, artifactstore.Store) {
	return func(t *testing.T, s artifactstore.Store) { run(t, s, digits) }
}

// roundTrip puts contents of sizes around those of pages, buffers and blocks, as bytes and as streams, and reads them
// back.
func roundTrip(t *testing.T, s artifactstore.Store) {
	for i, size := range []int{0, 1, 2, 4095, 4096, 4097, 65535, 65536, 256<<10 - 1, 256 << 10, 256<<10 + 1, 1<<20 + 1} {
		b := noise(size, byte(2*i))
		mustHold(t, s, mustPut(t, s, artifactstore.BytesBlob(b), b), b)
		if size > 0 { // other bytes, so that the stream is not found stored
			b = noise(size, byte(2*i+1))
		}
		mustHold(t, s, mustPut(t, s, newStream(b), b), b)
	}
}

// namesComeFromContent: a name depends on the content alone, not on how or when it was put, and in an empty store it is as
// short as can be.
func namesComeFromContent(t *testing.T, s artifactstore.Store, digits int) {
	a, b := noise(3000, 1), noise(3000, 2)
	first := mustPut(t, s, artifactstore.BytesBlob(a), a)
	if again := mustPut(t, s, artifactstore.BytesBlob(a), a); again != first {
		t.Errorf("same bytes again: %+v, then %+v", first, again)
	}
	if again := mustPut(t, s, newStream(a), a); again != first {
		t.Errorf("same bytes as a stream: %+v, then %+v", first, again)
	}
	other := mustPut(t, s, artifactstore.BytesBlob(b), b) // of the same size
	if other.Name == first.Name || other.Path == first.Path {
		t.Errorf("different bytes share a name or path: %+v and %+v", first, other)
	}
	if len(first.Name) != digits || len(other.Name) != digits {
		t.Errorf("names %s and %s are not %d digits long in an empty store", first.Name, other.Name, digits)
	}
}

// alike are three contents whose digests begin alike, found by trying 330 million: all with b73d903a, the last two with
// b73d903ade1c. name is the shortest name that is free for each when they are put in this order.
var alike = []struct{ content, name string }{
	{"collision 330019054", "b73d903a"},
	{"collision 78489616", "b73d903ade1c"},
	{"collision 118838939", "b73d903ade1cb9c4"},
}

// takenNameIsLengthened puts contents whose digests begin alike: each gets the shortest name that is free, and keeps it.
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
	for _, a := range alike { // each name still leads to its own content
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

// putCopies changes the slice of a blob after it was put. The artifact does not change with it.
func putCopies(t *testing.T, s artifactstore.Store) {
	b := noise(100, 1)
	want := bytes.Clone(b)
	ref := mustPut(t, s, artifactstore.BytesBlob(b), b)
	clear(b)
	mustHold(t, s, ref, want)
}

// unknownName opens valid names that no artifact has, longer names of one that is there among them: a name is looked up as
// a whole, and a prefix of a digest is no name.
func unknownName(t *testing.T, s artifactstore.Store) {
	// The store is not empty: a name that begins like that of an artifact is still another name.
	ref := mustPut(t, s, artifactstore.BytesBlob([]byte("x")), []byte("x"))
	full := strings.TrimPrefix(ref.Digest, "blake3:")
	for _, name := range []string{"00000000", strings.Repeat("f", 64), full, full[:12], full[:9], "0123456789a"} {
		_, err := s.Open(context.Background(), name)
		mustFail(t, "Open("+name+")", err, artifactstore.ErrUnknown)
	}
}

// invalidName opens texts that are no names: paths, other alphabets, control characters. None is looked up, and the error,
// which a client may see, repeats none of them raw or at full length.
func invalidName(t *testing.T, s artifactstore.Store) {
	ref := mustPut(t, s, artifactstore.BytesBlob([]byte("x")), []byte("x"))
	names := []string{
		"", ".", "..", "/", "../../etc/passwd", "/etc/passwd", ref.Path, ref.Name[:3] + "/" + ref.Name[3:],
		ref.Name[:7], ref.Name + "/", ref.Name + "\x00", ref.Name + "\n", " " + ref.Name, strings.ToUpper("abcdef01"),
		"0x123456", "g1234567", strings.Repeat("a", 65), strings.Repeat("a", 300), "../" + ref.Name, "tmp", "LOCK",
		// Files that a store has, or another system reserves, digits of another alphabet, and bytes that are no text.
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

// concurrentPuts puts a dozen contents from four callers each: all callers of a content get the same Ref.
func concurrentPuts(t *testing.T, s artifactstore.Store) {
	const contents, callers = 12, 4
	refs := make([][callers]artifactstore.Ref, contents)
	var wg sync.WaitGroup
	for i := range contents {
		b := noise(1000*i, byte(i))
		for j := range callers {
			wg.Go(func() {
				blob := artifactstore.BytesBlob(b)
				if j%2 == 1 { // which is hashed while it is written, not before
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

// cancelledContext makes each call with a context that is done before it.
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

// Read implements io.Reader by calling the function.
func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// cancelledWhileCopying cancels a put from within its fifth read of an endless blob: there is no sixth.
func cancelledWhileCopying(t *testing.T, s artifactstore.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reads := 0
	// It claims a petabyte, so that its end is never the reason to stop.
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

// lyingBlob puts blobs that yield more or fewer bytes than they claim, also by amounts for which no store has space: the
// claim must not be believed before it was read.
func lyingBlob(t *testing.T, s artifactstore.Store) {
	for _, real := range []int{0, 1, 1000, 256 << 10, 300 << 10} {
		for _, delta := range []int64{-1, 1, 1 << 20, 1 << 50} { // too many bytes, and too few
			b := newStream(noise(real, 1))
			b.claimed += delta
			_, err := s.Put(context.Background(), b)
			mustFail(t, "Put", err, artifactstore.ErrSizeMismatch)
		}
	}
}

// failingBlob puts blobs whose readers fail, half way or after the last byte, or never return anything: the error comes
// back unchanged. Readers that are merely odd, as package testing/iotest has them, are read to their ends.
func failingBlob(t *testing.T, s artifactstore.Store) {
	broken := errors.New("broken source")
	b := noise(300<<10, 1)
	half := stream{claimed: int64(len(b)), open: func() io.Reader {
		return io.MultiReader(bytes.NewReader(b[:len(b)/2]), iotest.ErrReader(broken))
	}}
	_, err := s.Put(context.Background(), half)
	mustFail(t, "Put of a blob that breaks half way", err, broken)

	// The bytes are all there, and the source says that they are not all: it knows better.
	torn := stream{claimed: int64(len(b)), open: func() io.Reader {
		return io.MultiReader(bytes.NewReader(b), iotest.ErrReader(io.ErrUnexpectedEOF))
	}}
	_, err = s.Put(context.Background(), torn)
	mustFail(t, "Put of a blob that says it was cut short", err, io.ErrUnexpectedEOF)

	// io.Reader discourages this and does not forbid it.
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

// readerSeeks moves a reader from each origin, past the end too, where it reads nothing. ReadAt neither needs nor changes
// the position, and is called from several goroutines.
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
	// As for a file: before the beginning there is nothing to be at.
	if _, err := r.Seek(-1, io.SeekStart); err == nil {
		t.Error("Seek to before the beginning succeeded")
	}
	// ReadAt is the one method that several goroutines may call.
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

// readerIsClosed uses a reader after Close: every call fails with ErrClosed, but for a second Close.
func readerIsClosed(t *testing.T, s artifactstore.Store) {
	ref := mustPut(t, s, artifactstore.BytesBlob([]byte("x")), []byte("x"))
	r, err := s.Open(context.Background(), ref.Name)
	if err != nil {
		t.Fatal(err)
	}
	// A deferred Close after an early one is harmless.
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
