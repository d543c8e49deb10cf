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

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// maxFilePath bounds the path of a file, in bytes.
const maxFilePath = 4096

// Root is a directory whose files may be payloads. Paths are resolved inside of it
// by the kernel: no link and no ".." leads out.
type Root struct {
	path string
	Dir  *os.Root
}

// OpenRoots opens the directories that an operator allowed.
func OpenRoots(paths []string) (roots []Root, err error) {
	for _, path := range paths {
		dir, err := os.OpenRoot(path)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("root %s: %w", path, err), closeRoots(roots))
		}
		roots = append(roots, Root{filepath.Clean(path), dir})
	}
	return roots, nil
}

func closeRoots(roots []Root) error {
	var errs []error
	for _, r := range roots {
		errs = append(errs, r.Dir.Close())
	}
	return errors.Join(errs...)
}

// Files are the payloads of one output that are files, read into the store.
type Files struct {
	stager  artifactstore.Stager
	roots   []Root
	ctx     context.Context //nolint:containedctx // of the call
	budget  int             // tokens that previews are kept for
	rules   *linerule.Rules // of the program that wrote them
	options redact.Options
	Streams map[string]Payload
	taken   []*Spool
}

// SpoolFiles adds the files of an output to the streams of a call. What it returns
// first must be discarded.
func SpoolFiles(ctx context.Context, stager artifactstore.Stager, roots []Root, out *pb.CompleteToolOutput, streams map[string]Payload, budget int, rules *linerule.Rules, o redact.Options) (*Files, error) {
	f := &Files{stager: stager, roots: roots, ctx: ctx, budget: budget, rules: rules, options: o, Streams: streams}
	var failed error
	envelope.VisitPayloads("output", out.ProtoReflect(), func(path string, p *pb.Payload) {
		if p.GetFile() == nil || failed != nil {
			return
		}
		if err := f.add(path, p); err != nil {
			failed = apierror.AtField(path+".file.path", err)
		}
	})
	return f, failed
}

func (f *Files) Discard() {
	for _, t := range f.taken {
		t.Discard()
	}
}

// add reads a file, once however often it is named.
func (f *Files) add(at string, p *pb.Payload) error {
	key := projectors.Key(p)
	if _, done := f.Streams[key]; done {
		return nil
	}
	check := envelope.NewChecker(at + ".file")
	check.Required("path", p.GetFile().GetPath(), maxFilePath)
	if err := check.Err(); err != nil {
		return err
	}
	file, before, err := f.open(p.GetFile().GetPath())
	if err != nil {
		return err
	}
	defer file.Close() // read-only
	taken, err := NewSpool(f.ctx, f.stager, f.options, f.budget, f.rules)
	if err != nil {
		return err
	}
	f.taken = append(f.taken, taken)
	err = taken.file(file, before.Size())
	if errors.Is(err, artifactstore.ErrSizeMismatch) {
		return apierror.ErrFileChanged
	}
	if err != nil {
		return err
	}
	if after, err := file.Stat(); err != nil || changed(before, after) {
		return apierror.ErrFileChanged
	}
	stream, err := taken.Seal()
	if err != nil {
		return err
	}
	if f.Streams == nil {
		f.Streams = map[string]Payload{}
	}
	f.Streams[key] = stream
	return nil
}

// open opens a regular file under an allowed directory.
func (f *Files) open(path string) (*os.File, os.FileInfo, error) {
	if !identity.MayNameFiles(f.ctx) {
		return nil, nil, apierror.ErrFileNotAllowed
	}
	clean := filepath.Clean(path)
	for _, r := range f.roots {
		rel, ok := strings.CutPrefix(clean, strings.TrimSuffix(r.path, "/")+"/")
		if !ok || clean != path {
			continue
		}
		file, err := r.Dir.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, apierror.ErrFileMissing
		}
		if err != nil {
			return nil, nil, apierror.ErrFileNotAllowed
		}
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			_ = file.Close()
			return nil, nil, apierror.ErrFileNotAllowed
		}
		return file, info, nil
	}
	return nil, nil, apierror.ErrFileNotAllowed
}

// changed compares what the kernel says of a file before and after it was read.
func changed(before, after os.FileInfo) bool {
	a, okA := before.Sys().(*syscall.Stat_t)
	b, okB := after.Sys().(*syscall.Stat_t)
	return !okA || !okB || a.Size != b.Size || a.Mtim != b.Mtim || a.Ctim != b.Ctim
}
