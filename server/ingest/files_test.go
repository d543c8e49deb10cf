package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// payload names a file.
func payload(path string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: path}}}
}

// output has a payload for each stream of a command; nil for none.
func output(stdout, stderr *pb.Payload) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{Stdout: stdout, Stderr: stderr}}}
}

// write writes a file and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// open returns roots that are closed with the test.
func open(t *testing.T, paths ...string) []Root {
	t.Helper()
	roots, err := OpenRoots(paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeRoots(roots) })
	return roots
}

// TestFilesAreSpooled reads two files, one with a secret, into every kind of store: the excerpt and the payload are those of
// the redacted text, the original is the file, and a file that is named twice is read once.
func TestFilesAreSpooled(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	plain, secret := strings.Repeat("a line\n", 100_000), strings.Repeat("b line\n", 100_000)+"pass hunter22\n"+strings.Repeat("c\n", 10)+"hunter22"
	a, b := write(t, root, "a", plain), write(t, root, "b", secret)
	roots := open(t, t.TempDir(), root)
	redacted, _ := redact.Text(secrets(t), []byte(secret))
	for name, store := range map[string]artifactstore.Stager{"memory": memory.New(), "dir": dirStore(t)} {
		streams := map[string]Payload{"other": {}}
		for _, out := range []*pb.CompleteToolOutput{output(payload(a), payload(b)), output(payload(b), payload(b)), output(nil, payload(a))} {
			files, err := SpoolFiles(t.Context(), store, roots, out, streams, budget, nil, secrets(t))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			t.Cleanup(files.Discard)
			if len(files.spools) == 0 && len(streams) < 3 {
				t.Errorf("%s: no file was read", name)
			}
			if len(files.Streams) != 3 {
				t.Errorf("%s: %d streams", name, len(files.Streams))
			}
		}
		for path, text := range map[string]string{a: plain, b: string(redacted)} {
			w := preview.NewWriter(budget)
			w.WriteParts([][]byte{[]byte(text)}, strings.Count(text, "\n"))
			if got := streams[projectors.Key(payload(path))].Excerpt; !sameExcerpt(got, w.Finish()) {
				t.Errorf("%s: the excerpt of %s is another than that of its payload", name, path)
			}
		}
		got := streams[projectors.Key(payload(a))]
		if read(t, got.Blob) != plain || got.Original != nil || got.Found != nil || got.Tokens != budget {
			t.Errorf("%s: of the file without a secret: %+v", name, got)
		}
		got = streams[projectors.Key(payload(b))]
		if read(t, got.Blob) != string(redacted) || read(t, got.Original) != secret || len(got.Found) != 1 || got.Found[0].Matches != 2 {
			t.Errorf("%s: of the file with a secret: %+v", name, got)
		}
		if text := fmt.Sprintf("%+v", *got.Excerpt); strings.Contains(text, "hunter22") {
			t.Errorf("%s: the excerpt has the secret", name)
		}
	}
}

// TestOutputWithoutFilesIsLeftAlone has payloads that are inline, and none.
func TestOutputWithoutFilesIsLeftAlone(t *testing.T) {
	t.Parallel()
	inline := &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte("text")}}
	files, err := SpoolFiles(t.Context(), &faultyStore{Stager: memory.New()}, nil, output(inline, nil), nil, budget, nil, redact.Options{})
	if err != nil || files.Streams != nil {
		t.Errorf("%v, %v", files.Streams, err)
	}
	files.Discard()
	root := t.TempDir()
	files, err = SpoolFiles(t.Context(), memory.New(), open(t, root), output(payload(write(t, root, "a", "")), nil), nil, budget, nil, redact.Options{})
	if err != nil || len(files.Streams) != 1 {
		t.Errorf("an empty file: %v, %v", files.Streams, err)
	}
	files.Discard()
}

// TestLinkedFilesOfOthersAreRejected links a file into a root. It is read only for its owner: who may write to a root could link
// what only the server may read.
func TestLinkedFilesOfOthersAreRejected(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	single := write(t, root, "single", "x")
	linked := filepath.Join(root, "linked")
	if err := os.Link(write(t, outside, "secret", "x"), linked); err != nil {
		t.Fatal(err)
	}
	own := uint32(os.Geteuid())
	for _, c := range []struct {
		path   string
		caller identity.Caller
		want   error
	}{
		{linked, identity.Caller{Local: true, UID: own}, nil}, {linked, identity.Caller{}, nil}, // over TCP, with the token
		{linked, identity.Caller{Local: true, UID: own + 1}, apierror.ErrFileLinked},
		{single, identity.Caller{Local: true, UID: own + 1}, nil},
	} {
		ctx := identity.NewContext(t.Context(), c.caller)
		files, err := SpoolFiles(ctx, memory.New(), open(t, root), output(payload(c.path), nil), nil, budget, nil, redact.Options{})
		files.Discard()
		if !errors.Is(err, c.want) {
			t.Errorf("%s for %+v: %v", c.path, c.caller, err)
		}
	}
}

// TestFilesWithoutRoots says that the operator allowed no directory, which no path of the caller would change.
func TestFilesWithoutRoots(t *testing.T) {
	t.Parallel()
	files, err := SpoolFiles(t.Context(), memory.New(), nil, output(payload("/a"), nil), nil, budget, nil, redact.Options{})
	files.Discard()
	if !errors.Is(err, apierror.ErrNoRoots) || !strings.Contains(apierror.ToStatus(err).Message, `"roots"`) {
		t.Errorf("%v", err)
	}
}

// TestPathsStayInsideTheirRoot has paths that lead out of the roots, or to no regular file. They are all the same error, so that
// nobody learns what there is outside; inside of a root a missing file is named.
func TestPathsStayInsideTheirRoot(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	write(t, root, "a", "text")
	secret := write(t, outside, "secret", "text")
	if err := errors.Join(
		os.Mkdir(filepath.Join(root, "d"), 0o700), os.Symlink(secret, filepath.Join(root, "link")), os.Symlink(outside, filepath.Join(root, "out")),
		os.Symlink("a", filepath.Join(root, "inside")), syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		want error
	}{
		{root + "/a", nil}, {root + "/inside", nil},
		{root + "/none", apierror.ErrFileMissing}, {root + "/d/none", apierror.ErrFileMissing},
		{secret, apierror.ErrFileNotAllowed}, {root + "/link", apierror.ErrFileNotAllowed}, {root + "/out/secret", apierror.ErrFileNotAllowed},
		{root + "/../" + filepath.Base(outside) + "/secret", apierror.ErrFileNotAllowed}, {root + "/d/../a", apierror.ErrFileNotAllowed},
		{root + "//a", apierror.ErrFileNotAllowed}, {root + "/./a", apierror.ErrFileNotAllowed}, {"a", apierror.ErrFileNotAllowed},
		{root, apierror.ErrFileNotAllowed}, {root + "/d", apierror.ErrFileNotAllowed}, {root + "/pipe", apierror.ErrFileNotAllowed},
		{root + "x/a", apierror.ErrFileNotAllowed}, {root + "/a/b", apierror.ErrFileNotAllowed},
	} {
		files, err := SpoolFiles(t.Context(), memory.New(), open(t, root), output(nil, payload(c.path)), nil, budget, nil, redact.Options{})
		files.Discard()
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.path, err, c.want)
		}
		if c.want != nil && !strings.HasPrefix(err.Error(), "output.command.stderr.file.path: ") {
			t.Errorf("%s: the error %q is not at its field", c.path, err)
		}
	}
	confined := identity.NewContext(t.Context(), identity.Caller{Session: "a"})
	if _, err := SpoolFiles(confined, memory.New(), open(t, root), output(payload(root+"/a"), nil), nil, budget, nil, redact.Options{}); !errors.Is(err, apierror.ErrFileNotAllowed) {
		t.Errorf("a caller in a session: %v", err)
	}
	for path, reason := range map[string]pb.ErrorReason{"": pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "/" + strings.Repeat("x", maxFilePath): pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG} {
		_, err := SpoolFiles(t.Context(), memory.New(), open(t, root), output(payload(path), nil), nil, budget, nil, redact.Options{})
		if invalid, ok := errors.AsType[*envelope.InvalidError](err); !ok || invalid.Violations[0].Reason != reason {
			t.Errorf("a path of %d bytes: %v", len(path), err)
		}
	}
}

// TestRootsAreOpenedAllOrNone has a root of the file system, a root that ends in a slash, and roots that cannot be opened.
func TestRootsAreOpenedAllOrNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "a", "text")
	for _, root := range []string{"/", dir + "/", dir} {
		files, err := SpoolFiles(t.Context(), memory.New(), open(t, root), output(payload(path), nil), nil, budget, nil, redact.Options{})
		if err != nil {
			t.Errorf("%s: %v", root, err)
		}
		files.Discard()
	}
	before := descriptors(t)
	for _, bad := range []string{path, dir + "/none"} {
		if roots, err := OpenRoots([]string{dir, bad}); err == nil || roots != nil || !strings.Contains(err.Error(), "root "+bad+": ") {
			t.Errorf("%s: %v, %v", bad, roots, err)
		}
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d directories are open, and %d before", after, before)
	}
}

// descriptors returns the number of open directories of this test.
func descriptors(t *testing.T) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("skipped: /proc is not there")
	}
	for _, e := range list {
		target, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if strings.Contains(target, t.Name()) {
			n++
		}
	}
	return n
}

// TestEveryFaultOfAFileIsReturned sweeps faults over a file with a secret and one without.
func TestEveryFaultOfAFileIsReturned(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a, b := write(t, root, "a", "a text"), write(t, root, "b", "pass hunter22 and more")
	sweep(t, func(store artifactstore.Stager) error {
		files, err := SpoolFiles(t.Context(), store, open(t, root), output(payload(a), payload(b)), nil, budget, nil, secrets(t))
		defer files.Discard()
		if err != nil && len(files.Streams) == 2 {
			t.Error("all files are there, and an error")
		}
		return err
	})
}

// changing is a store with a stage that changes the file while it is read.
type changing struct {
	artifactstore.Stager
	change func()
}

func (c changing) Stage(ctx context.Context) (artifactstore.Stage, error) {
	s, err := c.Stager.Stage(ctx)
	return changingStage{s, c.change}, err
}

type changingStage struct {
	artifactstore.Stage
	change func()
}

func (c changingStage) WriteParts(parts [][]byte) (int, error) {
	c.change()
	return c.Stage.WriteParts(parts)
}

// TestFileThatChangesIsRejected changes a file after its first bytes were read: its content, its size, its inode.
func TestFileThatChangesIsRejected(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line\n", 1<<18) // more than is read at a time
	for name, change := range map[string]func(path string) error{
		"shorter":   func(path string) error { return os.Truncate(path, 10) },
		"longer":    func(path string) error { return os.Truncate(path, 1<<22) },
		"touched":   func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
		"new mode":  func(path string) error { return os.Chmod(path, 0o640) }, // ctime alone
		"unchanged": nil,
	} {
		root := t.TempDir()
		path := write(t, root, "a", long)
		store := changing{memory.New(), func() {
			if change == nil {
				return
			}
			if err := change(path); err != nil {
				t.Error(err)
			}
		}}
		files, err := SpoolFiles(t.Context(), store, open(t, root), output(payload(path), nil), nil, budget, nil, redact.Options{})
		files.Discard()
		if changed := errors.Is(err, apierror.ErrFileChanged); changed != (change != nil) || !changed && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// odd is a file of which the system says nothing.
type odd struct{ fs.FileInfo }

func (odd) Sys() any { return nil }

func TestFileWithoutFactsCountsAsChanged(t *testing.T) {
	t.Parallel()
	info, err := os.Stat(write(t, t.TempDir(), "a", "text"))
	if err != nil {
		t.Fatal(err)
	}
	if changed(info, info) || !changed(odd{info}, info) || !changed(info, odd{info}) {
		t.Error("facts are not compared")
	}
}
