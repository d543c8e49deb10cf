package chain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/groupcommit"
)

const (
	// maxBatch is how many appends share a transaction at most.
	maxBatch = 256
	// defaultPage is how many records List has when nothing is said.
	defaultPage = 100
)

// Backend keeps the rows of a log. Commit is called by one goroutine, everything else by any.
type Backend interface {
	// Commit seals the rows of appends after end, makes them durable, and returns the new end. It sets Err of an append
	// that is refused alone; with an error, nothing was done.
	Commit(end Tip, at int64, appends []*Append) (Tip, error)
	// Rows returns whole rows of this log with sequences from from to until, ascending.
	Rows(ctx context.Context, from, until uint64, limit int) ([]*Row, error)
	// Request returns the whole rows of a request, in the order of their parts.
	Request(ctx context.Context, session, requestID string) ([]*Row, error)
	// Outlines returns rows without Canonical, Payload and Receipt, the newest first.
	Outlines(ctx context.Context, q auditlog.Query, limit int) ([]*Row, error)
	// Marks returns the oldest rows: only Sequence, At, Hash and Size.
	Marks(ctx context.Context, limit int) ([]*Row, error)
	// Anchor is the last row that was deleted.
	Anchor(ctx context.Context) (Tip, error)
	// Size is how many rows there are, and how many bytes they take. It does not wait.
	Size() (records, bytes int64)
	// Lean reports whether only what is short is taken. It does not wait.
	Lean() bool
	// Stop is called when the log is to be closed. A Commit that waits for something ends.
	Stop()
	// Close is called after the last Commit.
	Close() error
}

// Append is what one call appends.
type Append struct {
	Rows []*Row
	// Retired are the rows that are deleted in the same transaction; nil: none.
	Retired *Retired
	// Err is why this append was refused, while others were done.
	Err error

	done  chan struct{}
	given time.Time // to the clerk
}

// Retired is what an append deletes: Count rows up to Last.
type Retired struct {
	Last  Tip
	Count int64
}

// IsNotice reports whether an append has nothing but refusals and retention: what is recorded as long as anything is.
func (a *Append) IsNotice() bool {
	for _, r := range a.Rows {
		if r.Kind != KindWord(pb.AuditKind_AUDIT_KIND_REJECTION) && r.Kind != KindWord(pb.AuditKind_AUDIT_KIND_RETENTION) {
			return false
		}
	}
	return true
}

// smallBytes is how much a small append has at most.
const smallBytes = 16 << 10

// IsSmall reports whether an append has little to write.
func (a *Append) IsSmall() bool {
	size := 0
	for _, r := range a.Rows {
		size += len(r.Facts) + len(r.Canonical) + len(r.Payload) + len(r.Receipt.String)
	}
	return size <= smallBytes
}

// Options are what a log is made of.
type Options struct {
	Backend Backend
	// Name of the log.
	Name string
	// End is the last row that the backend has, or the anchor.
	End Tip
	// Witness keeps the head outside; nil: nobody does.
	Witness *Witness
	// Found is what the witness said when it was opened, Damaged that it could not be read.
	Found   *Testimony
	Damaged bool
	// Remote means that the backend may take long for what it began, and that a call may leave.
	Remote bool
	Now    func() time.Time
	Logger *slog.Logger
	// OnCommit is [auditlog.OnCommit]; nil: nobody is told.
	OnCommit auditlog.OnCommit
}

// Log is a log over a backend.
type Log struct {
	o        Options
	clerk    *groupcommit.Worker[*Append]
	end      atomic.Pointer[Tip]
	last     atomic.Int64 // duration of the last commit
	failure  atomic.Pointer[error]
	retiring sync.Mutex
	doubt    string
	broken   *auditlog.Broken // what Verify cannot find in the rows
	witness  bool             // the last write failed
	close    func() error
}

var _ auditlog.Log = (*Log)(nil)

// NewName makes a random name of a log.
func NewName() string { return strings.ToLower(rand.Text()) }

// New starts a log. It takes over backend and witness, also when it fails.
func New(o Options) (*Log, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Log{o: o}
	if err := l.judge(); err != nil {
		return nil, errors.Join(err, l.closeAll())
	}
	l.clerk = groupcommit.Start(groupcommit.Options[*Append]{Commit: l.do, MaxBatch: maxBatch})
	l.close = sync.OnceValue(func() error {
		l.o.Backend.Stop()
		l.clerk.Close()
		return l.closeAll()
	})
	return l, nil
}

func (l *Log) closeAll() error {
	err := l.o.Backend.Close()
	if l.o.Witness != nil {
		err = errors.Join(err, l.o.Witness.Close())
	}
	return err
}

// judge compares the end of the log with the head that was kept outside. What does not agree is evidence: it is said
// and kept, and stops nobody. When the end is missing the chain goes on from the head, so that no sequence
// that was answered stands for two records, and the gap stays to be seen.
func (l *Log) judge() error {
	end := l.o.End
	found := l.o.Found
	switch {
	case l.o.Witness == nil:
	case l.o.Damaged:
		l.doubt = "the head that was kept outside cannot be read"
	case found == nil && end.Sequence > 0:
		l.doubt = "no head was kept outside"
	case found == nil:
	case found.Log != l.o.Name:
		l.contradict(fmt.Sprintf("the head that was kept outside is of another log: %s", *found))
	case found.Sequence > end.Sequence:
		l.doubt = missing(end.Sequence+1, found.Sequence)
		end = found.Tip
	default:
		if err := l.compareHead(*found); err != nil {
			return err
		}
	}
	if l.doubt != "" {
		l.o.Logger.Error("the audit log is not what it was", slog.String("log", l.o.Name), slog.String("why", l.doubt))
	}
	if err := l.prepareWitness(end); err != nil {
		return err
	}
	l.end.Store(&end)
	return nil
}

func missing(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("record %d is missing", first)
	}
	return fmt.Sprintf("records %d to %d are missing", first, last)
}

// compareHead looks whether the log still has the head that was kept outside, unless retention deleted it.
func (l *Log) compareHead(found Testimony) error {
	if found.Sequence == 0 {
		return nil
	}
	rows, err := l.o.Backend.Rows(context.Background(), found.Sequence, found.Sequence, 1)
	if err != nil {
		return err
	}
	if len(rows) == 1 && rows[0].Hash != found.Hash {
		l.contradict(fmt.Sprintf("its hash is not that of the head that was kept outside: %s", found))
	}
	return nil
}

func (l *Log) contradict(why string) {
	l.doubt = fmt.Sprintf("record %d: %s", l.o.Found.Sequence, why)
	l.broken = &auditlog.Broken{Sequence: l.o.Found.Sequence, Why: why}
}

// prepareWitness writes the head into both slots, so that later heads need no room, and makes them durable: a power cut
// must not leave a log with records and no head, which looks as if somebody had taken it away.
func (l *Log) prepareWitness(end Tip) error {
	if l.o.Witness == nil {
		return nil
	}
	if l.broken != nil || l.o.Damaged {
		path, err := l.o.Witness.SetAside()
		if err != nil {
			return fmt.Errorf("the head that was kept outside: %w", err)
		}
		l.o.Logger.Error("the head that was kept outside was set aside", slog.String("path", path))
	}
	l.testify(end)
	l.testify(end)
	if err := l.o.Witness.Sync(); err != nil && !l.witness {
		l.o.Logger.Warn("the head of the audit log is not durable", slog.Any("error", err))
	}
	return nil
}

// testify writes the head outside. A failure loses no record, so it is said and no more.
func (l *Log) testify(end Tip) {
	if l.o.Witness == nil {
		return
	}
	err := l.o.Witness.Write(Testimony{l.o.Name, end})
	if err != nil && !l.witness {
		l.o.Logger.Warn("the head of the audit log could not be kept outside", slog.Any("error", err))
	}
	l.witness = err != nil
}

// Append is of [auditlog.Log].
func (l *Log) Append(ctx context.Context, records ...*pb.AuditRecord) (auditlog.Head, error) {
	a := &Append{Rows: make([]*Row, len(records))}
	for i, r := range records {
		row, err := NewRow(r)
		if err != nil {
			return auditlog.Head{}, fmt.Errorf("record %d of %d: %w", i+1, len(records), err)
		}
		a.Rows[i] = row
	}
	if len(records) == 0 {
		return l.Head(ctx)
	}
	if err := l.append(ctx, a); err != nil {
		return auditlog.Head{}, err
	}
	for i, r := range records {
		a.Rows[i].label(r)
	}
	last := a.Rows[len(a.Rows)-1]
	return l.head(Tip{last.Sequence, last.Hash}), nil
}

// append has the clerk append, and waits for it.
func (l *Log) append(ctx context.Context, a *Append) error {
	a.done, a.given = make(chan struct{}), time.Now()
	if err := l.clerk.Submit(ctx, a); errors.Is(err, groupcommit.ErrClosed) {
		return auditlog.ErrClosed
	} else if err != nil {
		return err
	}
	var left <-chan struct{}
	if l.o.Remote {
		left = ctx.Done()
	}
	select {
	case <-a.done:
		return a.Err
	case <-left:
		return fmt.Errorf("whether the record was appended is not known: %w", ctx.Err())
	}
}

// do does the appends of a batch.
func (l *Log) do(batch []*Append) {
	err := l.commit(batch)
	for _, a := range batch {
		if err != nil {
			a.Err = err
		}
		close(a.done)
	}
}

func (l *Log) commit(batch []*Append) error {
	if failure := l.failure.Load(); failure != nil {
		return *failure
	}
	begin := time.Now()
	before := *l.end.Load()
	end, err := l.guarded(before, batch)
	l.poison(err)
	if err != nil {
		return err
	}
	for _, a := range batch {
		l.poison(a.Err)
	}
	took := time.Since(begin)
	l.last.Store(int64(took))
	if l.o.OnCommit != nil && end != before {
		l.o.OnCommit(len(batch), begin.Sub(batch[0].given), took)
	}
	if end != before {
		l.end.Store(&end)
		l.testify(end)
	}
	return nil
}

// poison remembers an error after which nothing is certain.
func (l *Log) poison(err error) {
	if errors.Is(err, auditlog.ErrPoisoned) && l.failure.CompareAndSwap(nil, &err) {
		l.o.Logger.Error("the audit log failed, and takes no more records", slog.Any("error", err))
	}
}

// guarded commits. After a panic nothing is certain any more.
func (l *Log) guarded(end Tip, batch []*Append) (_ Tip, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: panic: %v", auditlog.ErrPoisoned, p)
		}
	}()
	return l.o.Backend.Commit(end, l.o.Now().UnixMilli(), batch)
}

// settled waits until the clerk has done what it had begun.
func (l *Log) settled(ctx context.Context) error {
	if err := l.append(ctx, &Append{}); err != nil && !errors.Is(err, auditlog.ErrPoisoned) {
		return err
	}
	return nil
}

// Get is of [auditlog.Log].
func (l *Log) Get(ctx context.Context, sequence uint64) (*pb.AuditRecord, error) {
	rows, err := l.o.Backend.Rows(ctx, sequence, sequence, 1)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, l.absent(ctx, sequence)
	}
	return recordOf(rows[0])
}

// absent says why a record is not there: it never was, retention deleted it, or it is missing.
func (l *Log) absent(ctx context.Context, sequence uint64) error {
	anchor, err := l.o.Backend.Anchor(ctx)
	if err != nil {
		return err
	}
	if sequence <= anchor.Sequence || sequence > l.end.Load().Sequence {
		return fmt.Errorf("record %d: %w", sequence, auditlog.ErrUnknown)
	}
	return fmt.Errorf("record %d is missing: %w", sequence, auditlog.ErrBroken)
}

func recordOf(r *Row) (*pb.AuditRecord, error) {
	record, err := r.Record()
	if err != nil {
		return nil, fmt.Errorf("record %d: %w: %w", r.Sequence, auditlog.ErrBroken, err)
	}
	return record, nil
}

// Find is of [auditlog.Log].
func (l *Log) Find(ctx context.Context, session, requestID string) (list []*pb.AuditRecord, err error) {
	if requestID == "" {
		return nil, nil
	}
	rows, err := l.o.Backend.Request(ctx, plain(session), plain(requestID))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		record, err := recordOf(r)
		if err != nil {
			return nil, err
		}
		list = append(list, record)
	}
	return list, nil
}

// List is of [auditlog.Log].
func (l *Log) List(ctx context.Context, q auditlog.Query) (list []*pb.AuditRecord, next uint64, err error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	limit = min(limit, auditlog.MaxPage)
	q.Session, q.Call, q.RequestID, q.Tool, q.Artifact = plain(q.Session), plain(q.Call), plain(q.RequestID), plain(q.Tool), plain(q.Artifact)
	rows, err := l.o.Backend.Outlines(ctx, q, limit+1)
	if err != nil {
		return nil, 0, err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		next = rows[limit-1].Sequence
	}
	for _, r := range rows {
		record, err := r.Outline()
		if err != nil {
			l.o.Logger.ErrorContext(ctx, "a record of the audit log cannot be listed", slog.Uint64("sequence", r.Sequence), slog.Any("error", err))
			continue
		}
		list = append(list, record)
	}
	return list, next, nil
}

// Head is of [auditlog.Log].
func (l *Log) Head(context.Context) (auditlog.Head, error) { return l.head(*l.end.Load()), nil }

func (l *Log) head(t Tip) auditlog.Head {
	return auditlog.Head{Log: l.o.Name, Sequence: t.Sequence, Hash: t.Hash.String()}
}

// Status is of [auditlog.Log].
func (l *Log) Status() auditlog.Status {
	s := auditlog.Status{Log: l.o.Name, Waiting: l.clerk.Waiting(), LastCommit: time.Duration(l.last.Load()), Doubt: l.doubt, Lean: l.o.Backend.Lean()}
	s.Records, s.Bytes = l.o.Backend.Size()
	if failure := l.failure.Load(); failure != nil {
		s.Failure = *failure
	}
	return s
}

// Close is of [auditlog.Log].
func (l *Log) Close() error { return l.close() }
