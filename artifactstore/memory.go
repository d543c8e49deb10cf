package artifactstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// memoryBufferSize is how much of a streamed blob Memory reads at a time, in bytes.
const memoryBufferSize = 64 << 10

// Memory is a [Store] in memory, for tests and dry runs. It names artifacts exactly as [Dir] does and
// keeps them until it is garbage. Create one with [NewMemory]; all methods may be called at once.
type Memory struct {
	mu        sync.RWMutex
	artifacts map[string]memoryArtifact // by name
	logs      map[string]*liveMemory    // by name
}

type memoryArtifact struct {
	content content
	bytes   []byte // never changes
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{artifacts: make(map[string]memoryArtifact), logs: make(map[string]*liveMemory)}
}

// Durable returns false: nothing in this store outlives the process.
func (m *Memory) Durable() bool { return false }

// Put is [Sink]'s. The Path of the Ref is "memory/" and the name: a label, which no one can open.
func (m *Memory) Put(ctx context.Context, b Blob) (Ref, error) {
	owned, err := ownedBytes(ctx, b)
	if err != nil {
		return Ref{}, fmt.Errorf("memory artifact store: put: %w", err)
	}
	return m.keep(owned)
}

// ownedBytes returns the content of b in a slice that nobody else can change.
func ownedBytes(ctx context.Context, b Blob) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch b := b.(type) {
	case bytesBlob:
		return bytes.Clone(b), nil
	case *memoryBlob:
		return b.bytes()
	}
	var all bytes.Buffer
	err := drain(ctx, b, make([]byte, memoryBufferSize), func(p []byte) error {
		_, err := all.Write(p)
		return err
	})
	return all.Bytes(), err
}

// keep stores owned, which must not change from now on.
func (m *Memory) keep(owned []byte) (Ref, error) {
	c := contentOf(owned)
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range c.names(minNameDigits) {
		have, taken := m.artifacts[name]
		if taken && have.content != c {
			continue
		}
		if !taken {
			m.artifacts[name] = memoryArtifact{content: c, bytes: owned}
		}
		return newRef(c, name, memoryPath(name)), nil
	}
	return Ref{}, noNameLeft(c)
}

// Open is [Source]'s. There is nothing to verify in memory, so it costs nothing.
func (m *Memory) Open(ctx context.Context, name string) (*Reader, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("artifact %s: %w", name, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	a, ok := m.artifacts[name]
	if !ok {
		return nil, fmt.Errorf("artifact %s: %w", name, ErrUnknown)
	}
	return newReader(newRef(a.content, name, memoryPath(name)), bytes.NewReader(a.bytes), io.NopCloser(nil)), nil
}

// Pages is [Source]'s.
func (m *Memory) Pages(ctx context.Context, name string) (*Pages, error) {
	if log, ok := parseLiveName(name); ok {
		return m.logPages(ctx, log)
	}
	r, err := m.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := m.artifacts[name]
	return newPages(r.Ref(), indexOf(a.bytes, a.content), bytes.NewReader(a.bytes), r), nil
}

// NameOf returns the name of the artifact at a path, as Ref.Path has it. It fails with ErrForeign.
func (m *Memory) NameOf(path string) (string, error) {
	if name, ok := strings.CutPrefix(path, memoryPath("")); ok {
		if log, ok := parseLiveName(name); ok {
			return m.nameOfLog(log), nil
		}
		if checkName(name) == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("memory artifact store: %w", ErrForeign)
}

func memoryPath(name string) string { return "memory/" + name }

// RefOf is [Holdings]'s.
func (m *Memory) RefOf(b []byte) Ref {
	c := contentOf(b)
	name := c.hex()[:minNameDigits]
	return newRef(c, name, memoryPath(name))
}

// PathOf is [Holdings]'s.
func (m *Memory) PathOf(name string) string { return memoryPath(name) }

// Has is [Holdings]'s.
func (m *Memory) Has(ctx context.Context, name string) (bool, error) {
	if log, ok := parseLiveName(name); ok {
		return m.hasLog(log), ctx.Err()
	}
	if err := errors.Join(checkName(name), ctx.Err()); err != nil {
		return false, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.artifacts[name]
	return ok, nil
}

// Remove is [Holdings]'s.
func (m *Memory) Remove(ctx context.Context, name string) error {
	if log, ok := parseLiveName(name); ok {
		return errors.Join(ctx.Err(), m.removeLog(log))
	}
	if err := errors.Join(checkName(name), ctx.Err()); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.artifacts[name]; !ok {
		return fmt.Errorf("artifact %s: %w", name, ErrUnknown)
	}
	delete(m.artifacts, name)
	return nil
}

// Walk is [Holdings]'s. The time of every artifact is the zero time.
func (m *Memory) Walk(ctx context.Context, visit func(Held) error) error {
	m.mu.RLock()
	held := make([]Held, 0, len(m.artifacts))
	for name, a := range m.artifacts {
		held = append(held, Held{Name: name, Size: a.content.size})
	}
	m.mu.RUnlock()
	held = append(held, m.heldLogs()...)
	for _, h := range held {
		if err := errors.Join(ctx.Err(), visit(h)); err != nil {
			return err
		}
	}
	return nil
}

// Stage is [Stager]'s.
func (m *Memory) Stage(ctx context.Context) (Stage, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("memory artifact store: stage: %w", err)
	}
	return &memoryStage{ctx: ctx}, nil
}

// memoryStage is a Stage of Memory.
type memoryStage struct {
	ctx context.Context // of the whole stage, see Stager

	mu     sync.Mutex
	all    []byte
	sealed bool
	failed error // the first failure; every later call returns it
}

func (s *memoryStage) Write(p []byte) (int, error) {
	if _, err := s.WriteParts([][]byte{p}); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *memoryStage) WriteParts(parts [][]byte) (newlines int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil && s.sealed {
		return 0, fmt.Errorf("stage: %w", ErrSealed)
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

func (s *memoryStage) Seal() (Blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return nil, s.failed
	}
	if s.sealed {
		return nil, fmt.Errorf("stage: %w", ErrSealed)
	}
	s.sealed = true
	return &memoryBlob{stage: s, size: int64(len(s.all))}, nil
}

func (s *memoryStage) Prefix() (Blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return nil, s.failed
	}
	return &memoryBlob{stage: s, size: int64(len(s.all))}, nil
}

func (s *memoryStage) Discard() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail(ErrClosed)
	return nil
}

// fail ends the stage because of err, unless it has ended before. The caller holds s.mu.
func (s *memoryStage) fail(err error) {
	if s.failed != nil {
		return
	}
	s.all = nil
	s.failed = fmt.Errorf("stage: %w", err)
}

// memoryBlob is a memoryStage that is sealed, or the beginning of one that is not.
type memoryBlob struct {
	stage *memoryStage
	size  int64
}

func (b *memoryBlob) Size() int64 { return b.size }

func (b *memoryBlob) Open() (io.ReadCloser, error) {
	all, err := b.bytes()
	if err != nil {
		return nil, err
	}
	return seekable{bytes.NewReader(all)}, nil
}

// bytes returns the content of the blob, which never changes.
func (b *memoryBlob) bytes() ([]byte, error) {
	b.stage.mu.Lock()
	defer b.stage.mu.Unlock()
	if b.stage.failed != nil {
		return nil, b.stage.failed
	}
	return b.stage.all[:b.size:b.size], nil
}
