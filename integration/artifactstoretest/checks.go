package artifactstoretest

// Checks that the cases of all files share. They stop the test at the first failure, because whatever follows a wrong
// artifact says nothing.

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing/iotest"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/artifactstore"
)

// failer has the methods of *testing.T and *rapid.T that the checks need.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// stream is a blob of a type that no store knows, so it has to be read. Its Size is claimed.
type stream struct {
	open    func() io.Reader
	claimed int64
}

// Size returns the claimed size, which need not be true.
func (s stream) Size() int64 { return s.claimed }

// Open returns a reader of its own each time.
func (s stream) Open() (io.ReadCloser, error) { return io.NopCloser(s.open()), nil }

// newStream returns b as a stream.
func newStream(b []byte) stream {
	return stream{open: func() io.Reader { return bytes.NewReader(b) }, claimed: int64(len(b))}
}

// noise returns n bytes that are the same for the same n and seed and do not repeat.
func noise(n int, seed byte) []byte {
	b := make([]byte, n)
	h := blake3.New()
	h.Write([]byte{seed})
	h.Digest().Read(b)
	return b
}

// mustPut stores blob, whose content is want, and checks every field of the Ref against a digest of its own: size, digest
// in full, a name that begins the digest, and some path.
func mustPut(t failer, s artifactstore.Sink, blob artifactstore.Blob, want []byte) artifactstore.Ref {
	t.Helper()
	ref, err := s.Put(context.Background(), blob)
	if err != nil {
		t.Fatalf("Put of %d bytes: %v", len(want), err)
	}
	sum := blake3.Sum256(want)
	digits := hex.EncodeToString(sum[:])
	if ref.Size != int64(len(want)) || ref.Digest != "blake3:"+digits {
		t.Fatalf("Put = %+v, want size %d and digest blake3:%s", ref, len(want), digits)
	}
	if len(ref.Name) < 8 || !strings.HasPrefix(digits, ref.Name) {
		t.Fatalf("name %q is not the beginning of %s", ref.Name, digits)
	}
	if ref.Path == "" {
		t.Fatal("Ref without a path")
	}
	return ref
}

// maxTestReader is the largest artifact, in bytes, for iotest.TestReader, which reads single bytes.
const maxTestReader = 4097

// mustHold checks that the artifact reads back as want, from an Open that returns the Ref of its Put. Small ones go
// through iotest.TestReader too, which seeks, reads at offsets and checks each way to end.
func mustHold(t failer, s artifactstore.Source, ref artifactstore.Ref, want []byte) {
	t.Helper()
	r, err := s.Open(context.Background(), ref.Name)
	if err != nil {
		t.Fatalf("Open(%s): %v", ref.Name, err)
	}
	defer r.Close()
	if r.Ref() != ref || r.Size() != ref.Size {
		t.Fatalf("reader has Ref %+v and size %d, Put returned %+v", r.Ref(), r.Size(), ref)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s reads back %d bytes, error %v, want the %d that were put", ref.Name, len(got), err, len(want))
	}
	if len(want) > maxTestReader {
		return
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		t.Fatalf("Seek: %v", err)
	}
	if err := iotest.TestReader(r, want); err != nil {
		t.Fatalf("reader of %s: %v", ref.Name, err)
	}
}

// mustFail stops the test unless an error has want in its chain. what is the call that failed.
func mustFail(t failer, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("%s: error %v, want %v", what, got, want)
	}
}
