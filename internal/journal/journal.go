// Package journal is the truth of a store: an append-only log of entries, from which everything that indexes them can be made
// again. internal/journal/format.md specifies its files.
//
// An entry belongs to a stream, which is numbered from 1 and chained by hashes. An append of several entries is in the journal
// wholly or not at all, and one sync makes the appends of all callers who wait durable (group commit).
//
// New entries are in segments: files of a fixed size that were written with zeros before they are needed, so that a sync writes
// data alone. A segment that is full is sealed: the entries of each stream are compressed into a file of that stream, which never
// changes, and the segment is used again. Temporary entries are of no stream and are not sealed: they have bytes that are
// elsewhere too, and need a copy only until they are durable there.
package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/internal/groupcommit"
)

// Failures of a journal. They are wrapped; test for them with errors.Is.
var (
	// ErrFull means that the disk has no space. Nothing was appended; later appends may be.
	ErrFull = errors.New("no room for the journal")
	// ErrReadOnly means that nothing can be written. Reading goes on working.
	ErrReadOnly = errors.New("the journal is read-only")
	// ErrUnavailable means that the disk did not take a write. Nothing was appended, and the same append may succeed later.
	ErrUnavailable = errors.New("the disk did not take a write of the journal")
	// ErrTooLarge means that an entry has more data than one can be read with.
	ErrTooLarge = errors.New("too large for the journal")
	// ErrFailed means that a sync failed or that files vanished, after which nothing is certain. The journal takes nothing until
	// it is opened again.
	ErrFailed = errors.New("the journal failed, and takes nothing until it is opened again")
	// ErrVanished means that a file of the journal was deleted or replaced while it was open. It comes with ErrFailed.
	ErrVanished = errors.New("a file of the journal was deleted or replaced")
	// ErrLocked means that the journal is open elsewhere.
	ErrLocked = errors.New("the journal is open elsewhere")
	// ErrVersion means that another version made the journal. Nothing was changed.
	ErrVersion = errors.New("the journal is of another version")
	// ErrUnknown means that a stream never had an entry of that number.
	ErrUnknown = errors.New("no such entry")
	// ErrRetired means that retention deleted the entry.
	ErrRetired = errors.New("the entry was deleted by retention")
	// ErrDamaged means that the entry should be there and cannot be read as it was appended.
	ErrDamaged = errors.New("the entry is damaged or missing")
	// ErrClosed means that the journal was closed before the call.
	ErrClosed = errors.New("the journal is closed")
)

// Options configure a journal.
type Options struct {
	// Dir is the directory, which is made if it is not there; empty: in memory.
	Dir string
	// Name is the name of a new log; empty: a random one. A log that was made before has its own.
	Name string
	// Volatile omits syncs: a power cut may take the last entries.
	Volatile bool
	// SegmentSize is the size of a segment, in bytes; 0: 16 MiB. The first segments of a journal are smaller.
	SegmentSize int64
	// SealAfter is the age at which a segment is sealed that is not full; 0: never.
	SealAfter time.Duration
	// Now is the clock by which entries are dated; nil: that of the system.
	Now func() time.Time
	// Settle is called before temporary entries are given up. When it returns without an error, what all of them have that were
	// appended before is durable elsewhere. nil: nothing is to be done.
	Settle func(ctx context.Context) error
	// Logger receives errors for which no caller waits. Required.
	Logger *slog.Logger
	// OnCommit is called after each commit: the number of its appends, how long the first of them waited for it to begin, and how
	// long it took with its sync. Callers wait for it to return. nil: disabled.
	OnCommit func(appends int, waited, took time.Duration)
	// Check is asked after each commit whether what the entries are about is still there. If it fails, the journal fails; nil:
	// disabled.
	Check func() error

	disk disk // in the place of Dir; nil outside of tests
}

// Journal is an open journal. Safe for concurrent use.
type Journal struct {
	o    Options
	disk disk
	name string // of the log, random

	heads *headFile // nil: there is none
	isNew bool      // nothing says that there was ever an entry; false once a lost log was adopted

	suspect bool // see Suspect

	worker  *groupcommit.Worker[*pending]
	failure atomic.Pointer[error] // after which nothing is appended; nil: none
	took    atomic.Int64          // by the last commit, in nanoseconds
	writer  writer                // used by the goroutine of worker alone
	keeper  keeper                // prepares and seals segments
	cached  cached

	closing sync.Once
	closed  error // of Close

	mu      sync.RWMutex // guards the fields below
	streams [streamCount]streamState
	open    []*segment // ascending; the last one is appended to
	cut     Cut
	follow  [streamCount]func([]*Entry)
}

// streamState is one stream.
type streamState struct {
	anchor          Tip           // the last entry that retention deleted
	retiring        Tip           // the last entry that it is deleting
	found, recorded Tip           // see Found and Recorded
	tip             Tip           // the last entry
	sealed          []*sealedFile // ascending
}

// Cut is what was cut off the end when the journal was opened.
type Cut struct {
	Bytes int64 // from the last whole append on; 0: nothing
}

// Open opens a journal, and makes it if there is none. It reads the segments, which have a few MiB, and not the sealed files.
//
// Errors: ErrLocked, ErrVersion, ErrFull, ErrReadOnly.
func Open(o Options) (*Journal, error) {
	j, err := open(o)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", o.Dir, err)
	}
	return j, nil
}

// open is Open without the name in the error.
func open(o Options) (*Journal, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if len(o.Name) > maxName {
		return nil, fmt.Errorf("a name of %d bytes, more than %d", len(o.Name), maxName)
	}
	if o.SegmentSize == 0 {
		o.SegmentSize = defaultSegmentSize
	}
	j := &Journal{o: o, disk: o.disk}
	if j.disk == nil {
		var err error
		if j.disk, err = openDisk(o.Dir, o.Volatile); err != nil {
			return nil, classify(err)
		}
	}
	if err := j.recover(); err != nil {
		return nil, errors.Join(classify(err), j.closeFiles())
	}
	if o.Dir != "" {
		var err error
		if j.suspect, err = markOpen(o.Dir); err != nil {
			o.Logger.Warn("whether the machine was started meanwhile will not be known", slog.Any("error", err))
		}
		if !j.suspect {
			j.Settled() // by whoever closed it
		}
		j.makeHeads()
	}
	j.keeper.start(j)
	j.worker = groupcommit.Start(groupcommit.Options[*pending]{Commit: j.commit, MaxBatch: maxBatch})
	return j, nil
}

// Name returns the random name of the log, given when it was made.
func (j *Journal) Name() string { return j.name }

// Tip returns the last entry of a stream; the zero Tip: there was never one.
func (j *Journal) Tip(s Stream) Tip {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.streams[s].tip
}

// Anchor returns the last entry that retention deleted; the zero Tip: none.
func (j *Journal) Anchor(s Stream) Tip {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.streams[s].anchor
}

// Cut returns what was cut off the end when the journal was opened.
func (j *Journal) Cut() Cut { return j.cut }

// Follow has f called with the entries of a stream that are durable, in their order, before those who appended them are
// answered. Call it before the first append. f must not block.
func (j *Journal) Follow(s Stream, f func([]*Entry)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.follow[s] = f
}

// Advance lets a stream go on after an entry that somebody else knows and the journal has lost: no number is given twice, and
// the gap stays visible. Call it before the first append. An entry that the journal has changes nothing.
func (j *Journal) Advance(s Stream, t Tip) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t.Number > j.streams[s].tip.Number {
		j.streams[s].tip = t
	}
}

// Status is the state of a journal.
type Status struct {
	// Bytes is the space that its files take: segments as they are, also where they are empty.
	Bytes int64
	// Waiting is the number of appends that no commit has begun.
	Waiting int
	// LastCommit is the duration of the last commit.
	LastCommit time.Duration
	// Failure is the error after which the journal takes nothing; nil: it does.
	Failure error
	// OnReserve means that the disk is full, so that the journal takes notices, and for a while small appends, in the space that
	// it has.
	OnReserve bool
}

// Status returns the state of the journal without waiting.
func (j *Journal) Status() Status {
	s := Status{Waiting: j.worker.Waiting(), LastCommit: time.Duration(j.took.Load()), OnReserve: j.keeper.onReserve()}
	if failure := j.failure.Load(); failure != nil {
		s.Failure = *failure
	}
	j.mu.RLock()
	defer j.mu.RUnlock()
	for _, g := range j.open {
		s.Bytes += g.size
	}
	for i := range j.streams {
		for _, f := range j.streams[i].sealed {
			s.Bytes += f.size
		}
	}
	return s
}

// Close waits for the appends under way and closes the journal. Later calls of Append fail with ErrClosed. Only the first call has an effect.
func (j *Journal) Close() error {
	j.closing.Do(func() {
		j.worker.Close()
		j.keeper.stop()
		j.keeper.sealing.Lock() // for who seals, or retires, now
		defer j.keeper.sealing.Unlock()
		j.closed = errors.Join(j.endWrites(), j.closeHeads(), j.markClosed(), j.closeFiles())
	})
	return j.closed
}

// closeFiles closes the segments, and the directory with its lock last.
func (j *Journal) closeFiles() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	for _, g := range j.open {
		errs = append(errs, g.file.Close())
	}
	j.open = nil
	errs = append(errs, j.keeper.closeNext(), j.heads.close())
	return errors.Join(append(errs, j.disk.Close())...)
}

// fail keeps the first error after which nothing is appended.
func (j *Journal) fail(err error) error {
	if !errors.Is(err, ErrFailed) {
		err = fmt.Errorf("%w: %w", ErrFailed, err)
	}
	if j.failure.CompareAndSwap(nil, &err) {
		j.o.Logger.Error("the journal failed, and takes nothing more", slog.Any("error", err))
	}
	return *j.failure.Load()
}
