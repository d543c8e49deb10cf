// Package dir keeps artifacts in a local directory, durably.
//
// The order of steps in every operation follows one rule: nothing durable names anything less durable. A put writes a
// temporary file, syncs it, links it to its final name, and syncs the directory, before it returns. A failed fsync is
// final, because Linux may drop the pages that it could not write, and a second fsync would not notice (Rebello et al.,
// "Can Applications Recover from fsync Failures?", USENIX ATC 2020).
//
// Every step that touches the disk goes through one function, so that tests can make any of them fail, or kill the
// process before it.
package dir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
	"github.com/zeebo/blake3"
)

// The entries of a store's root, besides the shard directories.
const (
	tempDirName = "tmp"
	lockName    = "LOCK"
)

// The modes of everything in a store. They are set explicitly, so the umask has no say.
const (
	dirMode      os.FileMode = 0o700
	tempMode     os.FileMode = 0o600
	artifactMode os.FileMode = 0o400
)

// chunkSize is the number of bytes of a streamed payload that are read, hashed and written at a time: enough to make the
// cost of system calls negligible, and few enough to stay in the cache of the processor.
const chunkSize = 256 << 10

// Options configure a Store. The zero value is the safe choice for a local disk.
type Options struct {
	// Volatile omits every fsync of Put. It is faster, and a power cut may lose or tear artifacts that were put after
	// the system last wrote its caches back. A crash of this process alone loses nothing either way.
	Volatile bool
	// RequireStableFS rejects a root on a network file system, whose locks and links are not reliable, and, unless
	// Volatile is set, one on a file system that is lost at power-off.
	RequireStableFS bool
	// LockWait is the time to wait until another process releases the store. If zero or less, Open does not wait. It is
	// meant for short-lived commands, not for servers.
	LockWait time.Duration
	// NameDigits is the least length of a name in hex digits, 8 to 64; 0 means 8. Stores that share a bucket cannot
	// agree whether a name is free, so they need names that do not collide: with 32 digits it takes about 2^64 tries
	// to find two contents of one name.
	NameDigits int
	// PathPrefix precedes the name in Ref.Path, for readers who find artifacts elsewhere than in the file. If empty, the
	// path is that of the file.
	PathPrefix string
}

// Store is an [artifactstore.Store] in a local directory, which one process at a time has open. Create one with [Open]
// and Close it after the last use. Safe for concurrent use.
//
// Layout, relative to the root:
//
//	FORMAT            the kind and version of the store; read before anything else
//	PLACES            the paths that the store had; artifacts are found by each of them
//	LOCK              locked while the store is open; its content is only a hint
//	tmp/              payloads without a name yet; removed when the store is opened
//	3fa/9c1e2         the artifact called 3fa9c1e2
//	3fa/9c1e2.index   its index of blocks and lines; made again if it is missing
//	live/             logs, by name; finished ones are links to their artifacts
//
// Everything is private to the user: directories 0700, files 0600 while they are written and 0400 after.
//
// Names come from content, so nothing ever replaces an artifact. A damaged artifact keeps its name, as evidence, and the
// same content put again gets a longer one.
type Store struct {
	path     string   // absolute
	places   []string // other roots that the store had, the newest last
	uid      uint32   // the owner of everything in the store
	volatile bool
	fault    faultFunc // nil outside of tests

	nameDigits int
	pathPrefix string

	lock     *os.File
	present  present               // what is compared before something is acknowledged
	vanished atomic.Pointer[error] // why nothing is acknowledged any more; nil while it is
	root     *os.Root
	tmp      *os.Root // of tmp/ inside root: kept open, so that every temporary file costs one path step
	unknown  []string

	shards  [shardCount]shard
	scratch sync.Pool // of *scratch

	ops    sync.WaitGroup // calls under way; Close waits for them
	mu     sync.Mutex     // guards the fields below
	closed bool
	stages map[*stage]struct{} // that Close still has to discard
	logs   map[string]*liveLog // by name: those that were used since the start and are not finished

	liveMu    sync.Mutex // guards the field below
	liveReady bool       // the directory of logs is there, durably
}

// scratch is the memory that hashing a stream needs.
type scratch struct {
	buf  []byte
	hash *blake3.Hasher
}

// Open opens the store at root, relative to the working directory if it is not absolute, and creates it and its missing
// parents if needed. It takes the lock and removes the temporary files that a crash left behind. It reads no artifact,
// so its time does not depend on the size of the store.
//
// It rejects an unsafe root and does not repair it, with two exceptions: a root of ours that others can read is made
// private, and a first start that was interrupted is finished.
//
// Errors: ErrRootUnsafe, ErrLocked, ErrFormat, ErrDamaged if the FORMAT file is not understood, ErrNameInvalid if
// NameDigits is out of bounds, ErrFull, ErrReadOnly, ErrTooManyFiles.
func Open(root string, opts Options) (*Store, error) {
	return open(root, opts, nil)
}

// open is Open with a function that is asked before every step; nil outside of tests.
func open(root string, opts Options, fault faultFunc) (*Store, error) {
	path, err := checkRootPath(root)
	if err != nil {
		return nil, fmt.Errorf("artifact store %q: %w", root, err)
	}
	d := &Store{
		path:       path,
		uid:        uint32(os.Geteuid()),
		fault:      fault,
		nameDigits: cmp.Or(opts.NameDigits, content.MinDigits),
		pathPrefix: opts.PathPrefix,
		stages:     make(map[*stage]struct{}),
		logs:       make(map[string]*liveLog),
	}
	if d.nameDigits < content.MinDigits || d.nameDigits > content.MaxDigits {
		return nil, fmt.Errorf("artifact store %s: names of %d digits: %w", path, d.nameDigits, artifactstore.ErrNameInvalid)
	}
	d.scratch.New = func() any {
		return &scratch{buf: make([]byte, chunkSize), hash: blake3.New()}
	}
	if err := d.open(opts); err != nil {
		d.release()
		return nil, fmt.Errorf("artifact store %s: %w", path, err)
	}
	d.rememberPlace()
	d.volatile = opts.Volatile // from here on: the store itself is durable even if its artifacts are not
	return d, nil
}

// open does everything that may fail. After a failure the caller releases what it has opened.
func (d *Store) open(opts Options) error {
	if opts.RequireStableFS {
		if err := requireStable(d.path, opts.Volatile); err != nil {
			return err
		}
	}
	if err := d.makeRoot(); err != nil {
		return err
	}
	if err := d.openRoot(); err != nil {
		return err
	}
	if _, err := d.readFormat(); err != nil { // a store of another version is not even locked
		return err
	}
	if err := d.protectRoot(); err != nil {
		return err
	}
	if err := d.acquireLock(opts.LockWait); err != nil {
		return err
	}
	if err := d.rememberOpened(); err != nil {
		return err
	}
	made, err := d.readFormat() // again: the process that had the lock may have made it
	if err != nil {
		return err
	}
	if err := d.openTemp(); err != nil {
		return err
	}
	if err := d.sweep(); err != nil {
		return err
	}
	if !made {
		if err := d.syncParents(); err != nil {
			return err
		}
		return d.writeFormat()
	}
	// An earlier process may have died between creating a shard and syncing the root. One sync now makes
	// every shard durable that exists.
	return d.syncDir(stepSyncRoot, ".")
}

// openTemp creates tmp/ if needed and opens it.
func (d *Store) openTemp() error {
	if _, err := d.ensureDir(tempDirName, stepMakeTempDir, stepMakeTempDir); err != nil {
		return err
	}
	tmp, err := d.root.OpenRoot(tempDirName)
	if err != nil {
		return stepError(stepMakeTempDir, err)
	}
	d.tmp = tmp
	return nil
}

// sweep removes the files from tmp/ that an earlier process of this package left, and lists all others in unknown.
func (d *Store) sweep() error {
	dir, err := d.tmp.Open(".")
	if err != nil {
		return stepError(stepSweep, err)
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return stepError(stepSweep, err)
	}
	for _, entry := range entries {
		if !isTempName(entry.Name()) || !entry.Type().IsRegular() {
			d.unknown = append(d.unknown, filepath.Join(tempDirName, entry.Name()))
			continue
		}
		if err := d.fault.do(stepSweep, func() error { return d.tmp.Remove(entry.Name()) }); err != nil {
			return err
		}
	}
	slices.Sort(d.unknown)
	return nil
}

// Root returns the absolute path of the store.
func (d *Store) Root() string { return d.path }

// Durable reports whether an artifact survives a power cut once Put has returned: it is false if and only if the store
// was opened with Options.Volatile.
func (d *Store) Durable() bool { return !d.volatile }

// Unknown returns the paths, relative to the root and sorted, of files that Open found in tmp/ and did not recognize. The
// store never touches them. The names may have any bytes.
func (d *Store) Unknown() []string { return slices.Clone(d.unknown) }

// Close waits for the calls under way, discards open stages, closes open logs, and releases the lock last. Readers and
// artifacts are not affected. Only the first call has an effect. From its start on, every other method fails with
// ErrClosed.
func (d *Store) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	d.mu.Unlock()
	d.ops.Wait()

	var errs []error
	for stage := range d.stages { // the stages of a closed store do not change
		errs = append(errs, stage.end())
	}
	for _, l := range d.openLogs() {
		l.closeWriter()
	}
	if err := errors.Join(append(errs, d.release())...); err != nil {
		return fmt.Errorf("artifact store %s: close: %w", d.path, err)
	}
	return nil
}

// release closes everything that is open, the lock last.
func (d *Store) release() error {
	var errs []error
	if d.tmp != nil {
		errs = append(errs, d.tmp.Close())
	}
	if d.root != nil {
		errs = append(errs, d.root.Close())
	}
	if d.lock != nil {
		unlock(d.lock)
		errs = append(errs, d.lock.Close())
	}
	return errors.Join(errs...)
}

// enter begins a call. It fails if the store is closed or ctx is done. After a nil error the caller must call
// d.ops.Done.
func (d *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return artifactstore.ErrClosed
	}
	d.ops.Add(1)
	return nil
}
