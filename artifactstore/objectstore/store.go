// Package objectstore keeps artifacts in S3-compatible object storage, behind a local spool.
//
// A put returns when the artifact is in the spool, which is a directory store: as durable, as fast and as independent of
// a network as that. A background upload follows, under a name that is the same on every machine, and never over an
// existing object. While the object store does not answer, puts go on and pending artifacts are counted; nothing is lost,
// and uploads go on when it is back.
//
// One invariant holds whenever the process dies: an artifact whose put returned is in the spool with a marker beside it,
// or in the bucket. The marker is durable before the put returns, and is removed after the bucket has the object. A copy
// in the spool is evicted only right after the bucket has confirmed that it has the object. So the worst effect of a crash
// is that an object is offered twice.
//
// Open fetches an artifact that is only in the bucket. Pages reads it in blocks, with the index that is an object beside
// it. Bytes are verified as in the spool: whole artifacts by their digest, blocks by their checksums.
package objectstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// NameDigits is the least length of a name. Machines that share a bucket cannot agree on a longer name when two
// contents collide, so names have 128 bits of the digest: to find two contents of one name takes about 2^64 tries.
const NameDigits = 32

// Options configure a Store.
type Options struct {
	// Location is the place of the artifacts in object storage.
	Location Location
	// Credentials are those of the object store.
	Credentials Credentials
	// SpoolBytes limits the size in bytes of uploaded artifacts that stay in the spool: those used last. Pending
	// artifacts stay in any case.
	SpoolBytes int64
	// Uploaders is the number of artifacts that are uploaded at a time. 0 means 4.
	Uploaders int
	// CloseTimeout is the time that Close gives uploads under way. 0 means none.
	CloseTimeout time.Duration
	// RetryLeast and RetryMost bound the pause after a failed upload, which doubles with each failure in a row. 0 means
	// half a second and 30 seconds.
	RetryLeast, RetryMost time.Duration
	// Logger receives when the object store stops and begins to answer, and artifacts that cannot be uploaded. Required.
	Logger *slog.Logger
}

// Store is an [artifactstore.Store] in a bucket. Create one with [Open] and Close it after the last use. Safe for
// concurrent use.
type Store struct {
	spool   *dir.Store
	markers *markers
	bucket  *bucket
	options Options
	uploads uploads
	// local is locked for writing while a copy is evicted, and for reading while one that has to be there is opened.
	local    sync.RWMutex
	removing map[string]bool // guarded by local: the names that Remove is deleting
	usage    spoolUsage

	stopUploads  context.CancelFunc
	stopEviction context.CancelFunc
	running      sync.WaitGroup
}

// Status is the progress of the uploads.
type Status struct {
	// URL is "s3://BUCKET/PREFIX".
	URL string
	// PendingArtifacts is the number of artifacts that may be in the spool only.
	PendingArtifacts int
	// PendingBytes is their size.
	PendingBytes int64
	// LastError is the reason, in one line, why the last upload failed, or why an artifact cannot be uploaded at all. It
	// is empty if neither is the case, and has at most 1,024 bytes.
	LastError string
}

// Open opens the store with a directory as its spool, and resumes the uploads that are pending there. It makes no request
// to the object store. It sets NameDigits and PathPrefix of the options of the directory.
//
// Errors: those of dir.Open.
func Open(spool string, dirOptions dir.Options, o Options) (*Store, error) {
	o.Uploaders = cmp.Or(o.Uploaders, 4)
	o.RetryLeast, o.RetryMost = cmp.Or(o.RetryLeast, 500*time.Millisecond), cmp.Or(o.RetryMost, 30*time.Second)
	dirOptions.NameDigits, dirOptions.PathPrefix = NameDigits, o.Location.pathPrefix()
	b, err := newBucket(o.Location, o.Credentials)
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", o.Location.URL(), err)
	}
	dir, err := dir.Open(spool, dirOptions)
	if err != nil {
		return nil, err
	}
	m, pending, err := openMarkers(dir.Root(), dirOptions.Volatile)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("object store %s: %w", o.Location.URL(), err), dir.Close())
	}
	s := &Store{spool: dir, markers: m, bucket: b, options: o, usage: spoolUsage{full: make(chan struct{}, 1)}, removing: map[string]bool{}}
	s.uploads.init()
	for _, name := range slices.Sorted(maps.Keys(pending)) {
		s.uploads.resume(name, pending[name])
	}
	s.start()
	return s, nil
}

// start starts the goroutines that upload and evict.
func (s *Store) start() {
	var uploading, evicting context.Context
	uploading, s.stopUploads = context.WithCancel(context.Background())
	evicting, s.stopEviction = context.WithCancel(context.Background())
	for range s.options.Uploaders {
		s.running.Go(func() { s.upload(uploading) })
	}
	s.running.Go(func() { s.runEviction(evicting) })
}

// Spool returns the directory store that is the spool. Callers must only read it.
func (s *Store) Spool() *dir.Store { return s.spool }

// Check is that of the spool, see [dir.Store.Check].
func (s *Store) Check() error { return s.spool.Check() }

// Put implements [artifactstore.Sink]. It is answered when the artifact and its marker are in the spool; if only the marker
// fails, the call fails, and the artifact can be seen all the same.
func (s *Store) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	ref, err := s.spool.Put(ctx, b)
	if err != nil {
		return artifactstore.Ref{}, err
	}
	if err := s.pend(ref.Name, ref.Size); err != nil {
		return artifactstore.Ref{}, fmt.Errorf("artifact %s: %w", ref.Name, err)
	}
	return ref, nil
}

// Stage implements [artifactstore.Stager]. A stage is one of the spool.
func (s *Store) Stage(ctx context.Context) (artifactstore.Stage, error) { return s.spool.Stage(ctx) }

// OpenLog implements [artifactstore.Logs]. A log is in the spool while it grows; the artifact that it becomes is uploaded.
func (s *Store) OpenLog(ctx context.Context, name string) (artifactstore.Log, error) {
	l, err := s.spool.OpenLog(ctx, name)
	if err != nil {
		return nil, err
	}
	return log{l, s}, nil
}

// log is a log whose artifact is uploaded.
type log struct {
	artifactstore.Log
	store *Store
}

// Finish makes the artifact of the log, and a marker for it.
func (l log) Finish(ctx context.Context) (artifactstore.Ref, error) {
	ref, err := l.Log.Finish(ctx)
	if err != nil {
		return artifactstore.Ref{}, err
	}
	if err := l.store.pend(ref.Name, ref.Size); err != nil {
		return artifactstore.Ref{}, fmt.Errorf("artifact %s: %w", ref.Name, err)
	}
	return ref, nil
}

// Status returns the progress of the uploads.
func (s *Store) Status() Status {
	artifacts, bytes, err := s.uploads.status()
	st := Status{URL: s.options.Location.URL(), PendingArtifacts: artifacts, PendingBytes: bytes}
	if err != nil {
		st.LastError = line(err.Error())
	}
	return st
}

// maxErrorText bounds LastError, in bytes.
const maxErrorText = 1024

// line makes one line of an error text, of which the object store may have written a part.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "")
	}
	return text
}

// Close waits for the uploads under way up to CloseTimeout, cancels them then, and closes the spool. Pending artifacts are
// uploaded after the next Open.
func (s *Store) Close() error {
	s.uploads.close()
	s.stopEviction()
	timer := time.AfterFunc(s.options.CloseTimeout, s.stopUploads)
	defer timer.Stop()
	s.running.Wait()
	s.stopUploads()
	s.bucket.close()
	return errors.Join(s.spool.Close(), s.markers.close())
}
