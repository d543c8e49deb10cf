package artifactstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Has is [Holdings]'s. It looks for the file, not into it.
func (d *Dir) Has(ctx context.Context, name string) (bool, error) {
	log, isLog := logAt(name)
	if !isLog {
		if err := checkName(name); err != nil {
			return false, err
		}
	}
	if err := d.enter(ctx); err != nil {
		return false, fmt.Errorf("artifact %s: %w", name, err)
	}
	defer d.ops.Done()
	path := logLocation(log)
	if !isLog {
		path = location(name)
	}
	info, err := d.root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("artifact %s: %w", name, readError(err))
	}
	return !isLog || info.Mode().IsRegular(), nil
}

// Remove is [Holdings]'s. Readers that are open go on. The name is gone for good when it returns: the
// directory is synced.
func (d *Dir) Remove(ctx context.Context, name string) error {
	log, isLog := logAt(name)
	if !isLog {
		if err := checkName(name); err != nil {
			return err
		}
	}
	if err := d.enter(ctx); err != nil {
		return fmt.Errorf("artifact %s: %w", name, err)
	}
	defer d.ops.Done()
	remove := d.remove
	if isLog {
		remove, name = d.removeLog, log
	}
	if err := remove(name); err != nil {
		return fmt.Errorf("artifact %s: %w", name, err)
	}
	return nil
}

// removeLog deletes a log that nobody has open. One that is finished is not there any more: its path leads to the
// artifact for ever.
func (d *Dir) removeLog(name string) error {
	l := d.lockLog(name)
	defer l.mu.Unlock()
	if l.writer != nil {
		return ErrBusy
	}
	info, err := d.root.Lstat(logLocation(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		l.retire()
		return ErrUnknown
	}
	if err != nil {
		return readError(err)
	}
	l.retire()
	if err := d.fault.do(stepRemoveArtifact, func() error { return d.root.Remove(logLocation(name)) }); err != nil {
		return err
	}
	d.removeMarks(name)
	return d.syncDir(stepSyncShard, liveDirName)
}

// remove deletes the index first: an index without an artifact would stay for ever.
func (d *Dir) remove(name string) error {
	sh := &d.shards[shardNumber(name)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	missing := true
	for _, path := range []string{location(name) + indexSuffix, location(name)} {
		err := d.fault.do(stepRemoveArtifact, func() error { return d.root.Remove(path) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		missing = errors.Is(err, fs.ErrNotExist)
	}
	if missing {
		return ErrUnknown
	}
	return d.syncDir(stepSyncShard, shardName(name))
}

// Walk is [Holdings]'s. It goes through one directory after the other; what is no artifact is passed over.
func (d *Dir) Walk(ctx context.Context, visit func(Held) error) error {
	if err := d.enter(ctx); err != nil {
		return fmt.Errorf("artifact store %s: %w", d.path, err)
	}
	defer d.ops.Done()
	for n := range shardCount {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.walk(shardAt(n), nameAt, visit); err != nil {
			return fmt.Errorf("artifact store %s: %w", d.path, err)
		}
	}
	if err := d.walk(liveDirName, func(path string) (string, bool) {
		_, ok := logAt(path)
		return path, ok
	}, visit); err != nil {
		return fmt.Errorf("artifact store %s: %w", d.path, err)
	}
	return nil
}

// walk goes through one directory, in which nameOf knows the files that count.
func (d *Dir) walk(dir string, nameOf func(path string) (string, bool), visit func(Held) error) error {
	entries, err := fs.ReadDir(d.root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return readError(err)
	}
	for _, e := range entries {
		name, ok := nameOf(dir + "/" + e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return readError(err)
		}
		if err := visit(heldOf(name, info)); err != nil {
			return err
		}
	}
	return nil
}

func heldOf(name string, info os.FileInfo) Held {
	return Held{Name: name, Size: info.Size(), Stored: info.ModTime()}
}

// PathOf returns the path of the artifact called name, as Ref.Path has it, whether it is there or not.
func (d *Dir) PathOf(name string) string {
	if _, isLog := logAt(name); isLog {
		return filepath.Join(d.path, name)
	}
	return filepath.Join(d.path, location(name))
}

// shardAt returns the directory of a number; shardNumber is the number of a name's.
func shardAt(n int) string {
	half := "0"
	if n&1 == 1 {
		half = "8"
	}
	return fmt.Sprintf("%02x", n>>1) + half
}

func shardNumber(name string) int {
	n := strings.IndexByte(hexDigits, name[0])<<5 | strings.IndexByte(hexDigits, name[1])<<1
	if name[sharedDigits] >= '8' {
		n |= 1
	}
	return n
}

const hexDigits = "0123456789abcdef"
