package artifactstore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"sync"
)

// OpenLog is [Logs]'s. The Path of the Log is a label, which no one can open.
func (m *Memory) OpenLog(ctx context.Context, name string) (Log, error) {
	if err := checkLogName(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("log %s: %w", name, err)
	}
	l := m.log(name, true)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ref != (Ref{}):
		return newFinishedLog(memoryPath(LiveName(name)), l.ref, false), nil
	case l.open:
		return nil, fmt.Errorf("log %s: %w", name, ErrBusy)
	}
	l.open = true
	return &memoryLog{store: m, log: l, name: name}, nil
}

// log returns what is kept of a log, or nil. Its lock is taken before that of the store.
func (m *Memory) log(name string, create bool) *liveMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.logs[name] == nil && create {
		m.logs[name] = &liveMemory{}
	}
	return m.logs[name]
}

// liveMemory is a log of Memory.
type liveMemory struct {
	mu    sync.Mutex
	open  bool
	all   []byte // what is there never changes
	index indexer
	ref   Ref // of the artifact, once it is finished
}

// logPages opens a log as it is now, or the artifact that it has become.
func (m *Memory) logPages(ctx context.Context, name string) (*Pages, error) {
	l := m.log(name, false)
	if l == nil {
		return nil, fmt.Errorf("log %s: %w", name, ErrUnknown)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ref != (Ref{}) {
		return m.Pages(ctx, l.ref.Name)
	}
	i := l.index.snapshot()
	return newPages(Ref{Name: LiveName(name), Path: memoryPath(LiveName(name)), Size: i.content.size}, i, bytes.NewReader(l.all), io.NopCloser(nil)), nil
}

// nameOfLog is as that of Dir.
func (m *Memory) nameOfLog(name string) string {
	if l := m.log(name, false); l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ref != (Ref{}) {
			return l.ref.Name
		}
	}
	return LiveName(name)
}

// memoryLog is a Log of Memory.
type memoryLog struct {
	store *Memory
	log   *liveMemory
	name  string
	ended error // guarded by log.mu
}

func (w *memoryLog) Path() string   { return memoryPath(LiveName(w.name)) }
func (w *memoryLog) Durable() int64 { return 0 }
func (w *memoryLog) Dropped() int64 { return 0 }

func (w *memoryLog) Received() int64 {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return w.log.index.size()
}

func (w *memoryLog) Append(p []byte) error {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.ended != nil {
		return fmt.Errorf("log: %w", w.ended)
	}
	w.log.all = append(w.log.all, p...)
	w.log.index.write(p)
	return nil
}

func (w *memoryLog) Sync() (int64, error) {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.ended != nil {
		return 0, fmt.Errorf("log: %w", w.ended)
	}
	return 0, nil
}

func (w *memoryLog) Finish(ctx context.Context) (Ref, error) {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.log.ref != (Ref{}) {
		return w.log.ref, nil
	}
	err := w.ended
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Ref{}, fmt.Errorf("log: %w", err)
	}
	ref, err := w.store.keep(w.log.all)
	if err == nil {
		w.log.ref, w.log.all, w.ended = ref, nil, ErrFinished
	}
	return ref, err
}

func (w *memoryLog) Close() error {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.ended == nil {
		w.ended, w.log.open = ErrClosed, false
	}
	return nil
}

// hasLog reports whether there is a log that is not finished.
func (m *Memory) hasLog(name string) bool {
	l := m.log(name, false)
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ref == (Ref{})
}

func (m *Memory) removeLog(name string) error {
	l := m.log(name, false)
	if l == nil || !m.hasLog(name) {
		return fmt.Errorf("log %s: %w", name, ErrUnknown)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		return fmt.Errorf("log %s: %w", name, ErrBusy)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.logs, name)
	return nil
}

func (m *Memory) heldLogs() (held []Held) {
	m.mu.RLock()
	logs := maps.Clone(m.logs)
	m.mu.RUnlock()
	for name, l := range logs {
		l.mu.Lock()
		if l.ref == (Ref{}) {
			held = append(held, Held{Name: LiveName(name), Size: int64(len(l.all))})
		}
		l.mu.Unlock()
	}
	return held
}
