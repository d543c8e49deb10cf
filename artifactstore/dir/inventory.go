package dir

// The inventory of a store: what is there, and how it is removed. The file system is the only record of that.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// Has implements [artifactstore.Inventory]. It looks for the file and does not open it.
func (d *Store) Has(ctx context.Context, name string) (bool, error) {
	log, isLog := artifactstore.ParseLiveName(name)
	if !isLog {
		if err := artifactstore.CheckName(name); err != nil {
			return false, err
		}
	}
	if err := d.enter(ctx); err != nil {
		return false, fmt.Errorf("artifact %s: %w", name, err)
	}
	defer d.ops.Done()
	has := d.has
	if isLog {
		has, name = d.hasLog, log
	}
	found, err := has(name)
	if err != nil {
		return false, fmt.Errorf("artifact %s: %w", name, artifactstore.ReadError(err))
	}
	return found, nil
}

// has reports whether there is an artifact.
func (d *Store) has(name string) (bool, error) {
	_, err := d.root.Lstat(location(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// hasLog reports whether there is a log that is not finished.
func (d *Store) hasLog(name string) (bool, error) {
	info, err := d.root.Lstat(artifactstore.LiveName(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular(), err
}

// Remove implements [artifactstore.Inventory]. Open readers go on. The directory is synced before it returns.
func (d *Store) Remove(ctx context.Context, name string) error {
	log, isLog := artifactstore.ParseLiveName(name)
	if !isLog {
		if err := artifactstore.CheckName(name); err != nil {
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

// removeLog deletes a log that is not open. A finished log is unknown here: its path leads to the artifact for ever.
func (d *Store) removeLog(name string) error {
	l := d.lockLog(name)
	defer l.mu.Unlock()
	if l.writer != nil {
		return artifactstore.ErrBusy
	}
	there, err := d.hasLog(name)
	if err != nil {
		return artifactstore.ReadError(err)
	}
	l.retire()
	if !there {
		return artifactstore.ErrUnknown
	}
	if err := d.fault.do(stepRemoveArtifact, func() error { return d.root.Remove(artifactstore.LiveName(name)) }); err != nil {
		return err
	}
	d.removeMarks(name)
	return d.syncDir(stepSyncShard, liveDirName)
}

// remove deletes an artifact and its index, the index first: an index without an artifact would stay for ever.
func (d *Store) remove(name string) error {
	sh := &d.shards[shardNumber(name)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	delete(sh.trusted, name)
	// Whatever was removed is removed: after an error a second call removes the rest.
	remove := func(path string) error {
		return d.fault.do(stepRemoveArtifact, func() error { return d.root.Remove(path) })
	}
	if err := remove(location(name) + indexSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := remove(location(name)); errors.Is(err, fs.ErrNotExist) {
		return artifactstore.ErrUnknown
	} else if err != nil {
		return err
	}
	return d.syncDir(stepSyncShard, shardName(name))
}

// Walk implements [artifactstore.Inventory]. It reads one directory after the other and skips files that are not
// artifacts.
func (d *Store) Walk(ctx context.Context, visit func(artifactstore.StoredArtifact) error) error {
	if err := d.enter(ctx); err != nil {
		return fmt.Errorf("artifact store %s: %w", d.path, err)
	}
	defer d.ops.Done()
	dirs, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("artifact store %s: %w", d.path, artifactstore.ReadError(err))
	}
	for _, dir := range dirs {
		parse := parseLocation
		if dir.Name() == liveDirName {
			parse = parseLiveLocation
		} else if len(dir.Name()) != sharedDigits+1 {
			continue
		}
		if err := d.walk(ctx, dir.Name(), parse, visit); err != nil {
			return fmt.Errorf("artifact store %s: %w", d.path, err)
		}
	}
	return nil
}

// parseLiveLocation returns the live name of the log at a path, which is that path.
func parseLiveLocation(path string) (string, bool) {
	_, ok := artifactstore.ParseLiveName(path)
	return path, ok
}

// walk visits the artifacts of one directory. parse returns the name of the artifact at a path.
func (d *Store) walk(ctx context.Context, dir string, parse func(path string) (string, bool), visit func(artifactstore.StoredArtifact) error) error {
	entries, err := fs.ReadDir(d.root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return artifactstore.ReadError(err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, e := range entries {
		name, ok := parse(dir + "/" + e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return artifactstore.ReadError(err)
		}
		if err := visit(artifactstore.StoredArtifact{Name: name, Size: info.Size(), Stored: info.ModTime()}); err != nil {
			return err
		}
	}
	return nil
}

// PathFor implements [artifactstore.Namer].
func (d *Store) PathFor(name string) string {
	if _, isLog := artifactstore.ParseLiveName(name); isLog {
		return filepath.Join(d.path, name)
	}
	if d.pathPrefix != "" {
		return d.pathPrefix + name
	}
	return filepath.Join(d.path, location(name))
}

// Touch sets the time of an artifact, [artifactstore.StoredArtifact].Stored, to now. It is a hint that a power cut may
// undo, and it ignores failures. A store with a directory as its spool orders evictions by it.
func (d *Store) Touch(name string) {
	if artifactstore.CheckName(name) != nil || d.enter(context.Background()) != nil {
		return
	}
	defer d.ops.Done()
	now := time.Now()
	_ = d.root.Chtimes(location(name), now, now)
}
