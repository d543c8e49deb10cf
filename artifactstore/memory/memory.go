// Package memory keeps artifacts in memory, for tests and dry runs.
//
// It follows the contract of package artifactstore in all that callers can see, and passes the same suite as the stores on
// disk: names, paths and digests of the same content are the same, quotas and errors apply in the same way. Nothing is
// verified when it is read, because nothing can change it, and nothing is durable.
//
// A content is kept once, in a slice that never changes after it was put. Readers share it without a copy and go on when
// the artifact is removed.
package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// bufferSize is the number of bytes of a streamed blob that are read at a time.
const bufferSize = 64 << 10

// Store is an [artifactstore.Store] in memory. It names artifacts as the directory store does. Create one with [New].
// Safe for concurrent use.
type Store struct {
	mu        sync.RWMutex
	artifacts map[string]artifact // by name
	logs      map[string]*liveLog // by name
}

// artifact is the value of a name. Its bytes are shared with readers, and stay as long as one has them.
type artifact struct {
	content content.ID
	bytes   []byte // never changes
}

// New returns an empty store.
func New() *Store {
	return &Store{artifacts: make(map[string]artifact), logs: make(map[string]*liveLog)}
}

// Durable returns false: nothing in this store survives the process.
func (m *Store) Durable() bool { return false }

// Put implements [artifactstore.Sink]. The Path of the Ref is "memory/" and the name: a label that cannot be opened.
func (m *Store) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	owned, err := ownedBytes(ctx, b)
	if err != nil {
		return artifactstore.Ref{}, fmt.Errorf("memory artifact store: put: %w", err)
	}
	return m.keep(owned)
}

// ownedBytes returns the content of b in a slice that no caller can change. It copies, except for blobs of a stage in
// memory.
func ownedBytes(ctx context.Context, b artifactstore.Blob) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch b := b.(type) {
	case content.Bytes:
		return bytes.Clone(b), nil // the caller may change its slice after the put
	case *blob:
		return b.bytes() // of any store in memory: written bytes of a stage never change, so they are shared
	}
	var all bytes.Buffer
	err := artifactstore.Drain(ctx, b, make([]byte, bufferSize), func(p []byte) error {
		_, err := all.Write(p)
		return err
	})
	return all.Bytes(), err
}

// keep stores owned, which must not change any more. Like the store on disk it gives a content the shortest name that no
// other content has.
func (m *Store) keep(owned []byte) (artifactstore.Ref, error) {
	c := content.Sum(owned)
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range c.Names(content.MinDigits) { // from the shortest to the whole digest
		have, taken := m.artifacts[name]
		if taken && have.content != c {
			continue
		}
		if !taken {
			m.artifacts[name] = artifact{content: c, bytes: owned}
		}
		return artifactstore.NewRef(c, name, pathFor(name)), nil
	}
	return artifactstore.Ref{}, artifactstore.NoNameLeft(c)
}

// Open implements [artifactstore.Source]. It verifies nothing and takes constant time.
func (m *Store) Open(ctx context.Context, name string) (*artifactstore.Reader, error) {
	if err := artifactstore.CheckName(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("artifact %s: %w", name, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	a, ok := m.artifacts[name]
	if !ok {
		return nil, fmt.Errorf("artifact %s: %w", name, artifactstore.ErrUnknown)
	}
	return artifactstore.NewReader(artifactstore.NewRef(a.content, name, pathFor(name)), bytes.NewReader(a.bytes), io.NopCloser(nil)), nil
}

// Pages implements [artifactstore.Source].
func (m *Store) Pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	if log, ok := artifactstore.ParseLiveName(name); ok {
		return m.logPages(ctx, log)
	}
	r, err := m.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := m.artifacts[name]
	// The index is built for each call: a store for tests keeps none.
	return artifactstore.NewPages(r.Ref(), blockindex.Build(a.bytes, a.content), bytes.NewReader(a.bytes), r), nil
}

// Resolve implements [artifactstore.Namer].
func (m *Store) Resolve(path string) (string, error) {
	if name, ok := strings.CutPrefix(path, pathFor("")); ok {
		if log, ok := artifactstore.ParseLiveName(name); ok {
			return m.resolveLog(log), nil
		}
		if artifactstore.CheckName(name) == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("memory artifact store: %w", artifactstore.ErrOutsideStore)
}

// LogAt implements [artifactstore.Namer].
func (m *Store) LogAt(path string) (live string, ok bool) {
	live, ok = strings.CutPrefix(path, pathFor(""))
	if ok {
		_, ok = artifactstore.ParseLiveName(live)
	}
	return live, ok
}

// pathFor returns the path of an artifact or live log.
func pathFor(name string) string { return "memory/" + name }

// RefFor implements [artifactstore.Namer]. Its name is the shortest one, whether or not other content has it.
func (m *Store) RefFor(b []byte) artifactstore.Ref {
	c := content.Sum(b)
	name := c.Hex()[:content.MinDigits]
	return artifactstore.NewRef(c, name, pathFor(name))
}

// PathFor implements [artifactstore.Namer]. The path cannot be opened.
func (m *Store) PathFor(name string) string { return pathFor(name) }

// Has implements [artifactstore.Inventory]. For a live name it reports whether there is a log that is not finished.
func (m *Store) Has(ctx context.Context, name string) (bool, error) {
	if log, ok := artifactstore.ParseLiveName(name); ok {
		return m.hasLog(log), ctx.Err()
	}
	if err := errors.Join(artifactstore.CheckName(name), ctx.Err()); err != nil {
		return false, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.artifacts[name]
	return ok, nil
}

// Remove implements [artifactstore.Inventory]. The bytes are freed once no reader has them any more.
func (m *Store) Remove(ctx context.Context, name string) error {
	if log, ok := artifactstore.ParseLiveName(name); ok {
		return errors.Join(ctx.Err(), m.removeLog(log))
	}
	if err := errors.Join(artifactstore.CheckName(name), ctx.Err()); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.artifacts[name]; !ok {
		return fmt.Errorf("artifact %s: %w", name, artifactstore.ErrUnknown)
	}
	delete(m.artifacts, name)
	return nil
}

// Walk implements [artifactstore.Inventory]. The time of every artifact is zero. It visits a copy of the list, so that visit
// may put and remove artifacts.
func (m *Store) Walk(ctx context.Context, visit func(artifactstore.StoredArtifact) error) error {
	m.mu.RLock()
	stored := make([]artifactstore.StoredArtifact, 0, len(m.artifacts))
	for name, a := range m.artifacts {
		stored = append(stored, artifactstore.StoredArtifact{Name: name, Size: a.content.Size})
	}
	m.mu.RUnlock()
	stored = append(stored, m.liveLogs()...)
	for _, h := range stored { // without a lock: visit may call the store
		if err := errors.Join(ctx.Err(), visit(h)); err != nil {
			return err
		}
	}
	return nil
}

// Stage implements [artifactstore.Stager]. A stage is a slice that grows. Its blobs are parts of the slice.
func (m *Store) Stage(ctx context.Context) (artifactstore.Stage, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("memory artifact store: stage: %w", err)
	}
	return &stage{ctx: ctx}, nil
}

// stage implements [artifactstore.Stage]. Appending may move the slice to another array; blobs that were made before keep
// the old one alive, whose bytes are the same.
type stage struct {
	ctx context.Context // of the whole stage, see Stager

	mu     sync.Mutex
	all    []byte
	sealed bool
	failed error // the first failure; every later call returns it
}

// Write implements io.Writer. It appends all of p or nothing.
func (s *stage) Write(p []byte) (int, error) {
	if _, err := s.WriteParts([][]byte{p}); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteParts implements [artifactstore.Stage]. The context of the stage is checked before every call.
func (s *stage) WriteParts(parts [][]byte) (newlines int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil && s.sealed {
		return 0, fmt.Errorf("stage: %w", artifactstore.ErrSealed)
	}
	if s.failed == nil && s.ctx.Err() != nil {
		s.fail(s.ctx.Err())
	}
	if s.failed != nil {
		return 0, s.failed
	}
	for _, p := range parts {
		s.all = append(s.all, p...)
		newlines += bytes.Count(p, []byte("\n"))
	}
	return newlines, nil
}

// Seal implements [artifactstore.Stage].
func (s *stage) Seal() (artifactstore.Blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return nil, s.failed
	}
	if s.sealed {
		return nil, fmt.Errorf("stage: %w", artifactstore.ErrSealed)
	}
	s.sealed = true
	return &blob{stage: s, size: int64(len(s.all))}, nil
}

// Prefix implements [artifactstore.Stage]. The blob costs no copy.
func (s *stage) Prefix() (artifactstore.Blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return nil, s.failed
	}
	return &blob{stage: s, size: int64(len(s.all))}, nil
}

// Discard implements [artifactstore.Stage]. It frees the bytes, except those that were put.
func (s *stage) Discard() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail(artifactstore.ErrClosed)
	return nil
}

// fail ends the stage because of err, unless it has ended before. The caller holds s.mu.
func (s *stage) fail(err error) {
	if s.failed != nil {
		return
	}
	s.all = nil
	s.failed = fmt.Errorf("stage: %w", err)
}

// blob is the payload of a sealed stage, or the beginning of one that is open.
type blob struct {
	stage *stage
	size  int64
}

// Size implements [artifactstore.Blob]. It does not change while the stage receives more.
func (b *blob) Size() int64 { return b.size }

// Open implements [artifactstore.Blob]. The reader can seek.
func (b *blob) Open() (io.ReadCloser, error) {
	all, err := b.bytes()
	if err != nil {
		return nil, err
	}
	return content.NopCloser{ReadSeeker: bytes.NewReader(all)}, nil
}

// bytes returns the content of the blob, which never changes. The capacity ends with the content, so that nobody can append
// into the bytes that the stage receives after it.
func (b *blob) bytes() ([]byte, error) {
	b.stage.mu.Lock()
	defer b.stage.mu.Unlock()
	if b.stage.failed != nil {
		return nil, b.stage.failed
	}
	return b.stage.all[:b.size:b.size], nil
}
