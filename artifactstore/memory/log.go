package memory

// Logs in memory. The state of a log outlives its writers and is shared with readers, which keep the bytes and the index
// as they were: both only grow.
//
// Locks are taken in one order: that of a log before that of the store. Finish holds the first while it stores the
// artifact under the second, so that no reader sees a moment in which there is neither a log nor an artifact.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"sync"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
)

// OpenLog implements [artifactstore.Logs]. The path of the Log is a label that cannot be opened.
func (m *Store) OpenLog(ctx context.Context, name string) (artifactstore.Log, error) {
	if err := artifactstore.CheckLogName(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("log %s: %w", name, err)
	}
	l := m.log(name, true)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ref != (artifactstore.Ref{}): // it opens again, and rejects appends
		return artifactstore.NewFinishedLog(pathFor(artifactstore.LiveName(name)), l.ref, false), nil
	case l.open:
		return nil, fmt.Errorf("log %s: %w", name, artifactstore.ErrBusy)
	}
	l.open = true
	return &logWriter{store: m, log: l, name: name}, nil
}

// log returns the state of a log, or nil if there is none and create is false. Its lock is taken before that of the store.
func (m *Store) log(name string, create bool) *liveLog {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.logs[name] == nil && create {
		m.logs[name] = &liveLog{}
	}
	return m.logs[name]
}

// liveLog is the state of a log.
type liveLog struct {
	mu    sync.Mutex
	open  bool
	all   []byte // existing bytes never change
	index blockindex.Builder
	ref   artifactstore.Ref // of the artifact, once it is finished
}

// logPages opens a log as it is now, or the artifact that it has become.
func (m *Store) logPages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	l := m.log(name, false)
	if l == nil {
		return nil, fmt.Errorf("log %s: %w", name, artifactstore.ErrUnknown)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ref != (artifactstore.Ref{}) {
		return m.Pages(ctx, l.ref.Name)
	}
	i := l.index.Snapshot()
	return artifactstore.NewPages(artifactstore.Ref{Name: artifactstore.LiveName(name), Path: pathFor(artifactstore.LiveName(name)), Size: i.Content.Size}, i, bytes.NewReader(l.all), io.NopCloser(nil)), nil
}

// resolveLog returns the name under which Pages reads a log: that of its artifact if it is finished.
func (m *Store) resolveLog(name string) string {
	if l := m.log(name, false); l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ref != (artifactstore.Ref{}) {
			return l.ref.Name
		}
	}
	return artifactstore.LiveName(name)
}

// logWriter implements [artifactstore.Log]. One writer at a time exists for a log; a closed or finished one stays
// behind with the reason in ended.
type logWriter struct {
	store *Store
	log   *liveLog
	name  string
	ended error // guarded by log.mu
}

// Path, Durable and Dropped implement [artifactstore.LogState]. Nothing is ever durable here, or dropped after a crash.
func (w *logWriter) Path() string   { return pathFor(artifactstore.LiveName(w.name)) }
func (w *logWriter) Durable() int64 { return 0 }
func (w *logWriter) Dropped() int64 { return 0 }

// Received implements [artifactstore.LogState].
func (w *logWriter) Received() int64 {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return w.log.index.Size()
}

// Append implements [artifactstore.Log]. Bytes that a reader has are not touched: they are before the end of the slice.
func (w *logWriter) Append(p []byte) error {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.ended != nil {
		return fmt.Errorf("log: %w", w.ended)
	}
	w.log.all = append(w.log.all, p...)
	w.log.index.Add(p)
	return nil
}

// Sync implements [artifactstore.Log]. There is nothing to sync; it fails as Append does.
func (w *logWriter) Sync() (int64, error) {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.ended != nil {
		return 0, fmt.Errorf("log: %w", w.ended)
	}
	return 0, nil
}

// Finish implements [artifactstore.Log]. The artifact takes the bytes of the log over.
func (w *logWriter) Finish(ctx context.Context) (artifactstore.Ref, error) {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.log.ref != (artifactstore.Ref{}) {
		return w.log.ref, nil
	}
	err := w.ended
	if err == nil { // an artifact that is finished is returned whatever the context says
		err = ctx.Err()
	}
	if err != nil {
		return artifactstore.Ref{}, fmt.Errorf("log: %w", err)
	}
	ref, err := w.store.keep(w.log.all)
	if err == nil {
		w.log.ref, w.log.all, w.ended = ref, nil, artifactstore.ErrFinished
	}
	return ref, err
}

// Close implements [artifactstore.Log]. It never fails.
func (w *logWriter) Close() error {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.ended == nil {
		w.ended, w.log.open = artifactstore.ErrClosed, false
	}
	return nil
}

// hasLog reports whether there is a log that is not finished. One that is finished is found under the name of its
// artifact.
func (m *Store) hasLog(name string) bool {
	l := m.log(name, false)
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ref == (artifactstore.Ref{})
}

// removeLog removes a log that is not finished and not open. Readers that have it open keep what they see.
func (m *Store) removeLog(name string) error {
	l := m.log(name, false)
	if l == nil || !m.hasLog(name) {
		return fmt.Errorf("log %s: %w", name, artifactstore.ErrUnknown)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		return fmt.Errorf("log %s: %w", name, artifactstore.ErrBusy)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.logs, name)
	return nil
}

// liveLogs returns the logs that are not finished.
func (m *Store) liveLogs() (list []artifactstore.StoredArtifact) {
	m.mu.RLock()
	logs := maps.Clone(m.logs)
	m.mu.RUnlock()
	for name, l := range logs {
		l.mu.Lock()
		if l.ref == (artifactstore.Ref{}) {
			list = append(list, artifactstore.StoredArtifact{Name: artifactstore.LiveName(name), Size: int64(len(l.all))})
		}
		l.mu.Unlock()
	}
	return list
}
