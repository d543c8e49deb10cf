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

// Root is a directory with files that may be payloads. Paths are resolved relative to its open descriptor, component
// by component: no link and no ".." leads out (os.Root), and a directory that is renamed meanwhile changes nothing.
type Root struct {
	path string   // clean, as the operator named it
	Dir  *os.Root // open for the life of the server
}

// OpenRoots opens the directories that an operator allowed. It opens all or none.
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

// closeRoots closes all roots, also after an error.
func closeRoots(roots []Root) error {
	var errs []error
	for _, r := range roots {
		errs = append(errs, r.Dir.Close())
	}
	return errors.Join(errs...)
}

// Files are the payloads of one output that are files, read into stages of a store. Each file is read once, however often it
// is named, so that all its mentions are of the same bytes.
type Files struct {
	stager  artifactstore.Stager
	roots   []Root
	ctx     context.Context // of the call
	budget  int             // of each preview, in tokens
	rules   *linerule.Rules // of the program that wrote them
	options redact.Options
	Streams map[string]Payload // of the call and of the files, by projectors.Key
	spools  []*Spool           // of the files
}

// SpoolFiles adds the files of an output to the streams of a call; a nil map is made when there is a file. Files is never nil
// and must be discarded, after an error, too. An error is an [apierror.FieldError] at the path of the file.
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

// Discard frees the stages of the files. Artifacts that were put of them stay.
func (f *Files) Discard() {
	for _, s := range f.spools {
		s.Discard()
	}
}

// add reads a file that was not read yet. The file must not change meanwhile: a payload of two states of a file was never
// there, so the call is rejected and may be made again.
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
	spool, err := NewSpool(f.ctx, f.stager, f.options, f.budget, f.rules)
	if err != nil {
		return err
	}
	f.spools = append(f.spools, spool)
	err = spool.file(file, before.Size())
	if errors.Is(err, artifactstore.ErrSizeMismatch) {
		return apierror.ErrFileChanged
	}
	if err != nil {
		return err
	}
	if after, err := file.Stat(); err != nil || changed(before, after) {
		return apierror.ErrFileChanged
	}
	stream, err := spool.Seal()
	if err != nil {
		return err
	}
	if f.Streams == nil {
		f.Streams = map[string]Payload{}
	}
	f.Streams[key] = stream
	return nil
}

// open opens a regular file under an allowed directory. A path must be clean and absolute, so that it means the same to the
// caller and to the kernel. O_NONBLOCK keeps a named pipe from blocking the call. Everything that may not be read is the same
// error, so that nobody learns what there is outside of the roots; inside of them a missing file and a linked one are named.
func (f *Files) open(path string) (*os.File, os.FileInfo, error) {
	if !identity.MayNameFiles(f.ctx) {
		return nil, nil, apierror.ErrFileNotAllowed
	}
	if len(f.roots) == 0 {
		return nil, nil, apierror.ErrNoRoots
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
		if err == nil {
			err = checkFile(info, ownerOf(f.ctx))
		} else {
			err = apierror.ErrFileNotAllowed
		}
		if err != nil {
			_ = file.Close()
			return nil, nil, err
		}
		return file, info, nil
	}
	return nil, nil, apierror.ErrFileNotAllowed
}

// checkFile rejects an open file that is not regular, and one of another user than the caller that has more than one name.
// Whoever may write to a root can link a file into it that only the server may read.
func checkFile(info os.FileInfo, caller uint32) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || !info.Mode().IsRegular():
		return apierror.ErrFileNotAllowed
	case stat.Nlink > 1 && stat.Uid != caller:
		return apierror.ErrFileLinked
	}
	return nil
}

// ownerOf returns the user whose files a caller may name by any link: the peer of the Unix socket, as the kernel says. A caller
// over TCP who may name files has the token of the server, and acts for its user.
func ownerOf(ctx context.Context) uint32 {
	if c := identity.FromContext(ctx); c.Local {
		return c.UID
	}
	return uint32(os.Geteuid())
}

// changed compares size and times of a file before and after it was read. The time of the inode (ctime) cannot be set back by
// a process, as that of the content (mtime) can.
func changed(before, after os.FileInfo) bool {
	a, okA := before.Sys().(*syscall.Stat_t)
	b, okB := after.Sys().(*syscall.Stat_t)
	return !okA || !okB || a.Size != b.Size || timesOf(a) != timesOf(b)
}
