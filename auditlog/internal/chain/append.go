package chain

// Appending. Callers prepare their rows in parallel; one goroutine gives them their places in the chain, has the backend
// commit them, and moves the end. What a caller is answered is durable before the answer.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/groupcommit"
	"github.com/toolresult/toolresult/internal/journal"
)

// maxBatch is the largest number of appends in a transaction.
const maxBatch = 256

// Append implements [auditlog.Appender]. Rows are made, compressed and hashed by the caller's goroutine, so that the
// worker has only their places to add.
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
	if err := l.submit(ctx, a); err != nil {
		return auditlog.Head{}, err
	}
	for i, r := range records { // the worker does not touch them any more
		a.Rows[i].setPlace(r)
	}
	last := a.Rows[len(a.Rows)-1]
	return l.headAt(Tip{last.Sequence, last.Hash}), nil
}

// AppendWith implements [auditlog.Appender].
func (l *Log) AppendWith(ctx context.Context, with journal.Append, records ...*pb.AuditRecord) (auditlog.Head, error) {
	if l.o.Journal != nil {
		if err := l.o.Journal.Append(ctx, with); err != nil {
			return auditlog.Head{}, err
		}
	}
	return l.Append(ctx, records...)
}

// submit has the worker commit an append, and waits for it. Once the worker has taken the append a caller waits for its
// end, unless the backend is remote: then it may leave with the error of ctx, and the append goes on without it.
func (l *Log) submit(ctx context.Context, a *Append) error {
	a.done, a.submitted = make(chan struct{}), time.Now()
	if err := l.worker.Submit(ctx, a); errors.Is(err, groupcommit.ErrClosed) {
		return auditlog.ErrClosed
	} else if err != nil {
		return err
	}
	var abandoned <-chan struct{}
	if l.o.Remote {
		abandoned = ctx.Done()
	}
	select {
	case <-a.done:
		return a.Err
	case <-abandoned:
		return fmt.Errorf("whether the record was appended is not known: %w", ctx.Err())
	}
}

// flush waits until every append that the worker has taken is committed. A failed log has none.
func (l *Log) flush(ctx context.Context) error {
	if err := l.submit(ctx, &Append{}); err != nil && !errors.Is(err, auditlog.ErrFailed) {
		return err
	}
	return nil
}

// commitBatch commits the appends of a batch, and ends the wait of their callers.
func (l *Log) commitBatch(batch []*Append) {
	err := l.commit(batch)
	for _, a := range batch {
		if err != nil {
			a.Err = err
		}
		close(a.done)
	}
}

// commit stores a batch and moves the end. The head is recorded after the commit: a recorded head may be older than the
// log, and never newer.
func (l *Log) commit(batch []*Append) error {
	if failure := l.failure.Load(); failure != nil {
		return *failure
	}
	begin := time.Now()
	before := *l.end.Load()
	end, err := l.commitGuarded(before, batch)
	if err == nil {
		err = l.checkPresence()
	}
	l.noteFailure(err)
	if err != nil {
		return err
	}
	for _, a := range batch {
		l.noteFailure(a.Err)
	}
	took := time.Since(begin)
	l.lastCommit.Store(int64(took))
	if l.o.OnCommit != nil && end != before { // a flush, or a batch that failed, is no commit
		l.o.OnCommit(len(batch), begin.Sub(batch[0].submitted), took)
	}
	if end != before {
		l.end.Store(&end)
		l.heads.record(end)
	}
	return nil
}

// commitGuarded commits. A panic of the backend is an [auditlog.ErrFailed], because nothing is certain after it.
func (l *Log) commitGuarded(end Tip, batch []*Append) (_ Tip, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: panic: %v", auditlog.ErrFailed, p)
		}
	}()
	return l.o.Backend.Commit(end, l.o.Now().UnixMilli(), batch)
}

// checkPresence fails with [auditlog.ErrFailed] if the head file, or what Options.Check looks at, is not there any more.
func (l *Log) checkPresence() error {
	err := l.o.HeadFile.Check()
	if err == nil && l.o.Check != nil {
		err = l.o.Check()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", auditlog.ErrFailed, err)
	}
	return nil
}

// noteFailure keeps the first error after which the log takes no more records. Other errors pass.
func (l *Log) noteFailure(err error) {
	if errors.Is(err, auditlog.ErrFailed) && l.failure.CompareAndSwap(nil, &err) {
		l.o.Logger.Error("the audit log failed, and takes no more records", slog.Any("error", err))
	}
}
