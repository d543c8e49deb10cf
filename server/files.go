package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors"
)

// Failures of payloads that are files.
var (
	errFileNotAllowed = errors.New("the file is not a regular one under an allowed directory")
	errFileMissing    = errors.New("there is no such file")
	errFileChanged    = errors.New("the file changed while it was read")
)

// root is a directory whose files may be payloads. Paths are resolved inside of it
// by the kernel: no link and no ".." leads out.
type root struct {
	path string
	dir  *os.Root
}

// openRoots opens the directories that an operator allowed.
func openRoots(paths []string) (roots []root, err error) {
	for _, path := range paths {
		dir, err := os.OpenRoot(path)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("root %s: %w", path, err), closeRoots(roots))
		}
		roots = append(roots, root{filepath.Clean(path), dir})
	}
	return roots, nil
}

func closeRoots(roots []root) error {
	var errs []error
	for _, r := range roots {
		errs = append(errs, r.dir.Close())
	}
	return errors.Join(errs...)
}

// files are the payloads of one output that are files, read into the store.
type files struct {
	*service
	ctx       context.Context //nolint:containedctx // of the call
	budget    int             // tokens that previews are kept for
	rules     *linerule.Rules // of the program that wrote them
	redaction *redaction
	streams   map[string]arrived
	taken     []*intake
}

// withFiles adds the files of an output to the streams of a call. What it returns
// first must be discarded.
func (s *service) withFiles(ctx context.Context, out *pb.CompleteToolOutput, streams map[string]arrived, budget int, rules *linerule.Rules, r *redaction) (*files, error) {
	f := &files{service: s, ctx: ctx, budget: budget, rules: rules, redaction: r, streams: streams}
	var failed error
	eachPayload("output", out.ProtoReflect(), func(path string, p *pb.Payload) {
		if p.GetFile() == nil || failed != nil {
			return
		}
		if err := f.add(path, p); err != nil {
			failed = located{path + ".file.path", err}
		}
	})
	return f, failed
}

func (f *files) discard() {
	for _, t := range f.taken {
		t.discard()
	}
}

// add reads a file, once however often it is named.
func (f *files) add(at string, p *pb.Payload) error {
	key := projectors.Key(p)
	if _, done := f.streams[key]; done {
		return nil
	}
	check := envelope.NewChecker(at + ".file")
	check.Required("path", p.GetFile().GetPath(), maxPath)
	if err := check.Err(); err != nil {
		return err
	}
	file, before, err := f.open(p.GetFile().GetPath())
	if err != nil {
		return err
	}
	defer file.Close() // read-only
	taken, err := newIntake(f.ctx, f.store, f.redaction.options, f.budget, f.rules)
	if err != nil {
		return err
	}
	f.taken = append(f.taken, taken)
	err = taken.file(file, before.Size())
	if errors.Is(err, artifactstore.ErrSizeMismatch) {
		return errFileChanged
	}
	if err != nil {
		return err
	}
	if after, err := file.Stat(); err != nil || changed(before, after) {
		return errFileChanged
	}
	stream, err := taken.seal()
	if err != nil {
		return err
	}
	if f.streams == nil {
		f.streams = map[string]arrived{}
	}
	f.streams[key] = stream
	return nil
}

// open opens a regular file under an allowed directory.
func (f *files) open(path string) (*os.File, os.FileInfo, error) {
	if !mayNameFiles(f.ctx) {
		return nil, nil, errFileNotAllowed
	}
	clean := filepath.Clean(path)
	for _, r := range f.roots {
		rel, ok := strings.CutPrefix(clean, strings.TrimSuffix(r.path, "/")+"/")
		if !ok || clean != path {
			continue
		}
		file, err := r.dir.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, errFileMissing
		}
		if err != nil {
			return nil, nil, errFileNotAllowed
		}
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			_ = file.Close()
			return nil, nil, errFileNotAllowed
		}
		return file, info, nil
	}
	return nil, nil, errFileNotAllowed
}

// changed compares what the kernel says of a file before and after it was read.
func changed(before, after os.FileInfo) bool {
	a, okA := before.Sys().(*syscall.Stat_t)
	b, okB := after.Sys().(*syscall.Stat_t)
	return !okA || !okB || a.Size != b.Size || a.Mtim != b.Mtim || a.Ctim != b.Ctim
}
