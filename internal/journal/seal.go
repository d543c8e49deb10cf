package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"syscall"
	"time"
)

// sealStream writes the sealed file of a stream's entries in a segment that are not sealed yet.
func (j *Journal) sealStream(ctx context.Context, g *segment, s Stream) error {
	places := g.places[s]
	j.mu.RLock()
	sealed, anchor := j.lastSealed(s), j.streams[s].anchor.Number
	j.mu.RUnlock()
	for len(places) > 0 && places[0].number <= max(sealed, anchor) {
		places = places[1:]
	}
	if len(places) == 0 {
		return nil
	}
	f := &sealedFile{stream: s}
	var entries []*Entry // of which all are read before the first is written, so that the name is known
	w := &window{file: g.file, limit: g.limit()}
	for _, p := range places {
		runtime.Gosched() // who appends goes first
		e, err := w.entry(p.offset, g.head.key), error(nil)
		if e == nil {
			e, err = g.readAgain(p.offset)
		}
		if errors.Is(err, ErrDamaged) || err == nil && (e.Stream != s || e.Number != p.number || !e.Holds(j.name)) {
			j.o.Logger.Error("an entry of the journal is damaged, and is not sealed", slog.String("stream", s.String()), slog.Uint64("number", p.number))
			continue
		}
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil
	}
	f.first, f.last = entries[0].Number, entries[len(entries)-1].Number
	if err := j.writeAll(ctx, f, entries); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.streams[s].sealed = append(j.streams[s].sealed, f)
	return nil
}

// readAgain reads a frame, if need be again: what the disk does not read then is damaged.
func (g *segment) readAgain(at int64) (e *Entry, err error) {
	for range readAttempts {
		if e, err = g.readFrame(at); !errors.Is(err, syscall.EIO) {
			return e, err
		}
		time.Sleep(readPause)
	}
	return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
}

const (
	// readAttempts is how often a frame is read that the disk does not read, and readPause the time between.
	readAttempts = 3
	readPause    = 10 * time.Millisecond
)

// writeSealed writes a sealed file of the entries that each adds, and sets its size.
func (j *Journal) writeSealed(ctx context.Context, f *sealedFile, each func(add func(*Entry) error) error) (err error) {
	f.size, err = j.disk.Write(f.name(), func(w io.Writer) error {
		s, err := newSealWriter(w, j.name)
		if err != nil {
			return err
		}
		err = each(func(e *Entry) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return s.add(e)
		})
		return errors.Join(err, s.finish())
	})
	return err
}

// writeAll writes a sealed file of entries, and sets its size.
func (j *Journal) writeAll(ctx context.Context, f *sealedFile, entries []*Entry) error {
	return j.writeSealed(ctx, f, func(add func(*Entry) error) error {
		for _, e := range entries {
			if err := add(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// adopt adds a sealed file behind those of a stream. before is the entry before its first one, which is the last one that retention deleted
// if there is no other file; last is its last one.
func (j *Journal) adopt(f *sealedFile, before, last Tip) {
	j.mu.Lock()
	defer j.mu.Unlock()
	st := &j.streams[f.stream]
	if len(st.sealed) == 0 {
		st.anchor = before
	}
	st.sealed, st.tip = append(st.sealed, f), last
}

// lastSealed returns the number of the last entry of a stream that is sealed. The caller holds j.mu.
func (j *Journal) lastSealed(s Stream) uint64 {
	if list := j.streams[s].sealed; len(list) > 0 {
		return list[len(list)-1].last
	}
	return 0
}
