package dir

// A finished log is a symbolic link in live/ to its artifact. The order of steps is: freeze and sync the file, link it to
// the name of the artifact, sync that directory, create the symbolic link under another name, rename it over the log,
// sync live/, remove the marks.
//
// A crash before the first link leaves a log. A crash between it and the rename leaves a file with two names, which the
// next OpenLog recognizes by its link count and completes: appending to it would change an artifact.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// pointerSuffix ends the name under which the link to an artifact is created, before it replaces the log.
const pointerSuffix = ".link"

// Finish implements [artifactstore.Log]. The file of the log becomes the artifact, without a copy: it is made read-only,
// synced and linked to the name of the artifact. Then a symbolic link to that replaces the log, so that the path of the
// log leads to the artifact for ever, also for other programs. This package never follows the link; it reads its target
// and opens that.
func (w *logWriter) Finish(ctx context.Context) (artifactstore.Ref, error) {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	l := w.log
	l.mu.Lock()
	size, done, err := l.size(), w.ref, w.usable()
	if err == nil {
		w.endedBy = artifactstore.ErrFinished // appends fail from here on; readers go on
	}
	l.mu.Unlock()
	if err != nil {
		if done != (artifactstore.Ref{}) {
			return done, nil
		}
		return artifactstore.Ref{}, err
	}
	ref, err := w.enterFinish(ctx, size)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		w.failIfFinal(err)
		w.endedBy = err
		w.close(err)
		return artifactstore.Ref{}, fmt.Errorf("log %s: finish: %w", l.name, err)
	}
	l.retire()
	if !l.dir.volatile {
		l.durable = l.mark()
	}
	w.ref = ref
	w.close(artifactstore.ErrFinished)
	return ref, nil
}

// enterFinish makes the artifact during a call that was entered.
func (w *logWriter) enterFinish(ctx context.Context, size int64) (artifactstore.Ref, error) {
	if err := w.log.dir.enter(ctx); err != nil {
		return artifactstore.Ref{}, err
	}
	defer w.log.dir.ops.Done()
	if err := w.log.dir.checkLive(w.log.name, w.file, w.marks, size); err != nil {
		return artifactstore.Ref{}, err
	}
	ref, err := w.makeArtifact(ctx, size)
	if err == nil {
		err = w.log.dir.Check() // it may have vanished meanwhile
	}
	return ref, err
}

// makeArtifact makes an artifact of a log that takes no more appends, and replaces the log by a link to it.
func (w *logWriter) makeArtifact(ctx context.Context, size int64) (artifactstore.Ref, error) {
	d := w.log.dir
	if _, err := w.cut(size); err != nil {
		return artifactstore.Ref{}, err
	}
	c := content.ID{Size: size}
	if w.hash != nil {
		c = content.FromHash(w.hash, size)
	} else {
		digest, err := d.hashFile(ctx, w.file, size)
		if err != nil {
			return artifactstore.Ref{}, err
		}
		c.Digest = digest
	}
	ref, found, err := d.find(ctx, c)
	if err != nil {
		return artifactstore.Ref{}, err
	}
	if !found {
		if err := w.freeze(); err != nil {
			return artifactstore.Ref{}, err
		}
		if ref, err = d.link(ctx, artifactstore.LiveName(w.log.name), c); err != nil {
			return artifactstore.Ref{}, err
		}
	}
	index := w.log.index
	d.keepIndex(ref.Name, index.Finish(c))
	return ref, d.replaceLog(w.log.name, ref.Name)
}

// freeze makes the file read-only and durable.
func (w *logWriter) freeze() error {
	d := w.log.dir
	if err := d.fault.do(stepFreezeLog, func() error { return w.file.Chmod(artifactMode) }); err != nil || d.volatile {
		return err
	}
	return asFinal(d.fault.do(stepSyncLog, w.file.Sync))
}

// replaceLog replaces a log by a link to an artifact, durably.
func (d *Store) replaceLog(log, artifact string) error {
	at := artifactstore.LiveName(log)
	err := d.fault.do(stepPointLog, func() error {
		if err := d.root.Remove(at + pointerSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return d.root.Symlink("../"+location(artifact), at+pointerSuffix)
	})
	if err != nil {
		return err
	}
	if err := d.fault.do(stepReplaceLog, func() error { return d.root.Rename(at+pointerSuffix, at) }); err != nil {
		return err
	}
	if err := d.syncDir(stepSyncLive, liveDirName); err != nil {
		return err
	}
	d.removeMarks(log)
	return nil
}

// removeMarks removes the marks of a log that is gone. If that fails they stay, and are removed by the next OpenLog.
func (d *Store) removeMarks(name string) {
	_ = d.fault.do(stepRemoveMarks, func() error { return d.root.Remove(artifactstore.LiveName(name) + marksSuffix) })
}

// target returns the name of the artifact of a finished log.
func (d *Store) target(name string) (string, error) {
	to, err := d.root.Readlink(artifactstore.LiveName(name))
	if err != nil {
		return "", artifactstore.ReadError(err)
	}
	at, up := strings.CutPrefix(to, "../")
	artifact, ok := parseLocation(at)
	if !up || !ok {
		return "", fmt.Errorf("a link to something else: %w", artifactstore.ErrDamaged)
	}
	return artifact, nil
}

// openFinished opens a log that is an artifact already.
func (d *Store) openFinished(ctx context.Context, name string) (artifactstore.Log, error) {
	artifact, err := d.target(name)
	if err != nil {
		return nil, err
	}
	p, err := d.pages(ctx, artifact)
	switch {
	case errors.Is(err, artifactstore.ErrUnknown), errors.Is(err, artifactstore.ErrDamaged):
		return nil, fmt.Errorf("artifact %s is gone: %w", artifact, artifactstore.ErrFinished)
	case err != nil:
		return nil, err
	}
	defer p.Close() // read-only
	// The process that finished it may have died before the link was durable.
	if err := d.syncDir(stepSyncLive, liveDirName); err != nil {
		return nil, err
	}
	d.removeMarks(name)
	return d.finishedLog(name, p.Ref()), nil
}

// finishedLog returns the Log of a log that is an artifact. Its path is still that of the log.
func (d *Store) finishedLog(name string, ref artifactstore.Ref) artifactstore.Log {
	return artifactstore.NewFinishedLog(d.PathFor(artifactstore.LiveName(name)), ref, !d.volatile)
}

// resumeFinish completes a finish that a crash ended after the file had become an artifact and before the link replaced
// the log: nothing may be appended to the file any more. It reports false if there is none. The caller holds the lock of
// the log.
func (d *Store) resumeFinish(ctx context.Context, name string, info os.FileInfo) (artifactstore.Ref, bool, error) {
	if linkCount(info) < 2 {
		return artifactstore.Ref{}, false, nil
	}
	f, _, err := d.openPlain(artifactstore.LiveName(name))
	if err != nil {
		return artifactstore.Ref{}, false, artifactstore.ReadError(err)
	}
	defer f.Close() // read-only
	c := content.ID{Size: info.Size()}
	if c.Digest, err = d.hashFile(ctx, f, c.Size); err != nil {
		return artifactstore.Ref{}, false, err
	}
	if !d.isArtifact(info, c) {
		return artifactstore.Ref{}, false, nil
	}
	ref, found, err := d.find(ctx, c)
	if err != nil {
		return artifactstore.Ref{}, false, err
	}
	if !found {
		return artifactstore.Ref{}, false, errors.New("its artifact could not be made durable, or taken back")
	}
	return ref, true, d.replaceLog(name, ref.Name)
}

// isArtifact reports whether a file with content c is also the file of an artifact.
func (d *Store) isArtifact(info os.FileInfo, c content.ID) bool {
	for name := range c.Names(d.nameDigits) {
		if artifact, err := d.root.Lstat(location(name)); err == nil && os.SameFile(artifact, info) {
			return true
		}
	}
	return false
}

// resolveLog returns the name under which Pages reads a log: that of its artifact if it is finished.
func (d *Store) resolveLog(name string) string {
	if artifact, err := d.target(name); err == nil {
		return artifact
	}
	return artifactstore.LiveName(name)
}

// logPages opens a log as it is now, or the artifact that it has become.
func (d *Store) logPages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	for {
		info, err := d.root.Lstat(artifactstore.LiveName(name))
		switch {
		case err != nil:
			return nil, artifactstore.ReadError(err)
		case info.Mode()&fs.ModeSymlink != 0:
			artifact, err := d.target(name)
			if err != nil {
				return nil, err
			}
			return d.pages(ctx, artifact)
		}
		// Between the two looks the log may have become an artifact. That happens once, so the second round ends.
		p, err := d.livePages(ctx, name)
		if !errors.Is(err, errReplaced) {
			return p, err
		}
	}
}

// errReplaced means that a file was replaced while it was opened, such as a log that was finished.
var errReplaced = errors.New("replaced meanwhile")

// livePages opens a log that is not finished. It fails with errReplaced if it is finished meanwhile.
func (d *Store) livePages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	l := d.lockLog(name)
	defer l.mu.Unlock()
	f, _, err := d.openPlain(artifactstore.LiveName(name))
	if err != nil {
		info, statErr := d.root.Lstat(artifactstore.LiveName(name))
		if l.writer == nil && l.failed == nil {
			l.retire()
		}
		if statErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, errReplaced
		}
		return nil, artifactstore.ReadError(err)
	}
	if !l.loaded {
		if _, err := l.load(ctx); err != nil {
			f.Close() // read-only
			return nil, err
		}
	}
	i := l.index.Snapshot()
	return artifactstore.NewPages(artifactstore.Ref{Name: artifactstore.LiveName(name), Path: d.PathFor(artifactstore.LiveName(name)), Size: i.Content.Size}, i, f, f), nil
}
