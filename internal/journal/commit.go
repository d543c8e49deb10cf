package journal

// Appending. Callers make their entries in parallel; one goroutine gives them their places, writes the frames of all who wait
// with one system call, and syncs once. What a caller is answered is durable.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolresult/toolresult/internal/groupcommit"
)

const (
	// maxBatch is the largest number of appends that share a write.
	maxBatch = 256
	// smallBytes is the largest size of a small append, in bytes.
	smallBytes = 16 << 10
)

// Append is what one caller appends.
type Append struct {
	// Entries are appended together, in this order. None only waits for what was appended before.
	Entries []*Entry
	// Notice says that the append is recorded as long as anything is, also on a full disk.
	Notice bool
	// Meanwhile is called while the append waits; nil: nothing is. It is called in any case.
	Meanwhile func()
}

// Append gives entries their places and makes them durable, all or none. ctx bounds the wait until the journal takes them.
//
// Errors: ErrFull, ErrReadOnly, ErrUnavailable, ErrTooLarge, after each of which nothing was appended; ErrFailed; ErrClosed; that of ctx.
func (j *Journal) Append(ctx context.Context, a Append) error {
	p := &pending{entries: a.Entries, notice: a.Notice, done: make(chan struct{}), submitted: time.Now()}
	var err error
	for _, e := range a.Entries {
		p.size += frameSize(len(e.Data))
		if len(e.Data) > maxData {
			err = fmt.Errorf("an entry of %d bytes: %w", len(e.Data), ErrTooLarge)
		}
	}
	if err == nil {
		err = j.submit(ctx, p)
	}
	if a.Meanwhile != nil {
		a.Meanwhile()
	}
	if err != nil {
		return err
	}
	<-p.done
	return p.err
}

// submit hands an append to the goroutine that commits.
func (j *Journal) submit(ctx context.Context, p *pending) error {
	err := j.worker.Submit(ctx, p)
	if errors.Is(err, groupcommit.ErrClosed) {
		return ErrClosed
	}
	return err
}

// pending is an append that waits.
type pending struct {
	entries   []*Entry
	size      int64 // of its frames
	notice    bool
	rotate    bool // begins a new segment
	err       error
	done      chan struct{} // closed when err is final
	submitted time.Time
}

// writer has what the goroutine that commits uses again.
type writer struct {
	headers []byte
	parts   [][]byte
	frames  []header
}

// commit commits a batch, and ends the wait of its callers.
func (j *Journal) commit(batch []*pending) {
	began := time.Now()
	committed := j.commitRuns(batch)
	took := time.Since(began)
	if committed > 0 {
		j.took.Store(int64(took))
		if j.o.OnCommit != nil {
			j.o.OnCommit(committed, began.Sub(batch[0].submitted), took)
		}
	}
	for _, p := range batch {
		close(p.done)
	}
}

// commitRuns writes a batch, as many appends at a time as the segment has space for, and returns how many were committed.
func (j *Journal) commitRuns(batch []*pending) (committed int) {
	for len(batch) > 0 {
		if failure := j.failure.Load(); failure != nil {
			for _, p := range batch {
				p.err = *failure
			}
			return committed
		}
		n, size := 0, int64(0)
		active := j.active()
		for n < len(batch) && !batch[n].rotate && active.end+size+batch[n].size <= active.limit() {
			size += batch[n].size
			n++
		}
		if n == 0 {
			if p := batch[0]; p.rotate || p.size > 0 {
				if p.err = j.rotate(p); p.err != nil || p.rotate {
					batch = batch[1:]
				}
				continue
			}
		}
		run := batch[:max(n, 1)]
		batch = batch[len(run):]
		run = slices.DeleteFunc(slices.Clone(run), func(p *pending) bool {
			p.err = j.keeper.admit(p, active)
			return p.err != nil || len(p.entries) == 0
		})
		if len(run) == 0 {
			continue
		}
		err := j.writeRun(active, run)
		for _, p := range run {
			p.err = err
		}
		if err == nil {
			committed += len(run)
		}
	}
	return committed
}

// began returns when the first entry of the active segment was appended, as segment has it.
func (j *Journal) began() int64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.open[len(j.open)-1].began
}

// endWrites writes a frame without an entry, which says that what is before it was durable: then damage there is no torn end.
func (j *Journal) endWrites() error {
	g := j.active()
	if j.failure.Load() != nil || g.began == 0 || g.ended || g.end+headerSize > g.limit() {
		return nil
	}
	h := header{write: g.write + 1, start: uint32(g.end), stream: Temporary, last: true, ends: true, at: j.o.Now().UnixMilli()}
	b := make([]byte, headerSize)
	h.put(b, g.head.key)
	if _, err := g.file.WriteParts([][]byte{b}, g.end); err != nil {
		return err
	}
	return g.file.Sync()
}

// active returns the segment that is appended to.
func (j *Journal) active() *segment {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.open[len(j.open)-1]
}

// rotate begins the next segment, which has space for an append.
func (j *Journal) rotate(p *pending) error {
	active := j.active()
	if p.rotate && active.began == 0 {
		return nil // it is empty
	}
	if !p.rotate {
		if err := j.keeper.admit(p, active); err != nil {
			return err
		}
	}
	if err := j.keeper.begin(p.size + firstFrame + pageSize); err != nil {
		return classify(err)
	}
	wake(j.keeper.signal)
	return nil
}

// writeRun writes the frames of some appends to a segment and makes them durable: all, or it returns an error.
func (j *Journal) writeRun(g *segment, run []*pending) error {
	if !g.used {
		if err := j.writeHead(g); err != nil {
			return classify(err)
		}
	}
	g.write++
	ends := j.place(g, run)
	written, err := g.file.WriteParts(j.writer.parts, g.end)
	if err != nil {
		if written > 0 { // it must not be taken for durable later
			if _, erase := g.file.WriteParts([][]byte{zeros[:headerSize]}, g.end); erase != nil {
				return j.fail(errors.Join(err, erase))
			}
		}
		return classify(err)
	}
	err = g.file.Sync()
	if err == nil {
		err = g.file.Present(g.size)
	}
	if err == nil && j.o.Check != nil {
		err = j.o.Check()
	}
	if err != nil {
		return j.fail(err)
	}
	before := g.end
	j.publish(g, run, ends)
	_ = j.noteHeads(false) // best effort: it logs a failure
	if before <= g.soon() && g.end > g.soon() {
		wake(j.keeper.soon)
	}
	return nil
}

// writeHead writes the head of a segment that is used for the first time. The sync of its first frames makes it durable.
func (j *Journal) writeHead(g *segment) error {
	g.head = segmentHead{number: g.number, log: j.name}
	rand.Read(g.head.key[:]) // never fails: see crypto/rand
	j.mu.RLock()
	for s := Records; s < streamCount; s++ {
		g.head.tips[s] = j.streams[s].tip
	}
	j.mu.RUnlock()
	page := g.head.page()
	if _, err := g.file.WriteParts([][]byte{page}, 0); err != nil {
		return err
	}
	if _, err := g.file.WriteParts([][]byte{page}, g.limit()); err != nil {
		return err
	}
	g.used = true
	return nil
}

// place gives the entries of some appends their places and makes their frames, which are in the parts of writer then. It returns
// the new ends of the streams.
func (j *Journal) place(g *segment, run []*pending) (ends [streamCount]Tip) {
	for s := Records; s < streamCount; s++ {
		ends[s] = j.streams[s].tip // changed by this goroutine alone
	}
	w, at := &j.writer, j.o.Now().UnixMilli()
	w.parts, w.frames = w.parts[:0], w.frames[:0]
	for _, p := range run {
		for i, e := range p.entries {
			h := header{length: uint32(len(e.Data)), sum: e.sum, write: g.write, start: uint32(g.end), stream: e.Stream, last: i == len(p.entries)-1, at: at}
			if e.Stream != Temporary {
				e.place(j.name, ends[e.Stream], at)
				ends[e.Stream] = e.tip()
				h.number, h.previous, h.hash = e.Number, e.Previous, e.Hash
			}
			w.frames = append(w.frames, h)
		}
	}
	if need := len(w.frames) * headerSize; cap(w.headers) < need {
		w.headers = make([]byte, need)
	}
	w.headers = w.headers[:len(w.frames)*headerSize]
	n := 0
	for _, p := range run {
		for _, e := range p.entries {
			b := w.headers[n*headerSize:][:headerSize]
			w.frames[n].put(b, g.head.key)
			w.parts = append(w.parts, b, e.Data, zeros[:w.frames[n].size()-headerSize-int64(len(e.Data))])
			n++
		}
	}
	w.parts = slices.DeleteFunc(w.parts, func(p []byte) bool { return len(p) == 0 })
	return ends
}

// publish makes entries that are durable readable, and calls who follows.
func (j *Journal) publish(g *segment, run []*pending, ends [streamCount]Tip) {
	j.mu.Lock()
	for i := range j.writer.frames {
		h := &j.writer.frames[i]
		g.note(h, g.end)
		g.end += h.size()
	}
	for s := Records; s < streamCount; s++ {
		j.streams[s].tip = ends[s]
	}
	follow := j.follow
	j.mu.Unlock()
	for s := Records; s < streamCount; s++ {
		if follow[s] == nil {
			continue
		}
		var list []*Entry
		for _, p := range run {
			for _, e := range p.entries {
				if e.Stream == s {
					list = append(list, e)
				}
			}
		}
		if len(list) > 0 {
			follow[s](list)
		}
	}
}

// Rotate begins a new segment, so that what was appended is sealed, and waits until it is.
func (j *Journal) Rotate(ctx context.Context) error {
	p := &pending{rotate: true, done: make(chan struct{}), submitted: time.Now()}
	if err := j.submit(ctx, p); err != nil {
		return err
	}
	if <-p.done; p.err != nil {
		return p.err
	}
	if err := j.keeper.sealAll(ctx); err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	return nil
}
