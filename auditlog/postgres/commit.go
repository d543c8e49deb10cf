package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
)

const (
	// firstPause and longestPause are between attempts to reach the server.
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
	// maxAttempts is how often a transaction is tried that the server itself asks to be tried again.
	maxAttempts = 5
)

// errUnknown means that the connection was lost while the server committed.
var errUnknown = errors.New("the connection was lost during a commit")

// Commit is of [chain.Backend].
func (b *backend) Commit(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	next, err := b.commitTogether(end, at, appends)
	if errors.Is(err, auditlog.ErrReused) {
		next = end
		for _, a := range appends { // each alone: only those that fail are refused
			after, err := b.commitTogether(next, at, []*chain.Append{a})
			if a.Err = err; err == nil {
				next = after
			}
		}
		err = nil
	}
	if err != nil {
		return end, err
	}
	for _, a := range appends {
		b.note(a)
	}
	if time.Since(b.sized) > sizeEvery {
		b.remeasure()
	}
	return next, nil
}

func (b *backend) note(a *chain.Append) {
	if a.Err != nil {
		return
	}
	b.count.Add(int64(len(a.Rows)))
	if a.Retired != nil {
		b.count.Add(-a.Retired.Count)
	}
}

func (b *backend) remeasure() {
	ctx, cancel := b.bounded()
	defer cancel()
	if err := b.measure(ctx); err != nil {
		b.sized = time.Now() // not at once again
	}
}

// bounded is the time for one exchange with the server.
func (b *backend) bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 2*b.o.Patience)
}

// commitTogether does appends in one transaction: wholly or not at all, and never twice.
func (b *backend) commitTogether(end chain.Tip, at int64, appends []*chain.Append) (next chain.Tip, err error) {
	begin := time.Now()
	for attempt := 1; ; attempt++ {
		if err := b.reach(begin); err != nil {
			return end, err
		}
		next, err = b.try(end, at, appends)
		if errors.Is(err, errUnknown) {
			var committed bool
			if committed, err = b.resolve(end, next); committed || err != nil {
				return next, err
			}
			continue
		}
		switch {
		case err == nil:
			return next, nil
		case b.conn.IsClosed() && time.Since(begin) < b.o.Patience, attempt < maxAttempts && isTransient(err):
			continue // nothing was committed
		}
		return end, meaning(err)
	}
}

// isTransient reports whether the server wants a transaction to be tried again.
func isTransient(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "40P01" || e.Code == "40001")
}

// reach connects again, if need be, for as long as patience lasts.
func (b *backend) reach(since time.Time) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		ctx, cancel := b.bounded()
		err := b.connect(ctx)
		cancel()
		if err == nil {
			return nil
		}
		if time.Since(since) > b.o.Patience {
			return fmt.Errorf("%w: %w", auditlog.ErrUnavailable, err)
		}
		if !b.sleep(pause) {
			return auditlog.ErrClosed
		}
	}
}

// sleep reports false when the log is being closed.
func (b *backend) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-b.stop.Done():
		return false
	}
}

// try does a transaction in two exchanges: lock the row of the log, and then all else with the commit. An error other
// than errUnknown means that nothing was committed.
func (b *backend) try(end chain.Tip, at int64, appends []*chain.Append) (next chain.Tip, err error) {
	ctx, cancel := b.bounded()
	defer cancel()
	if _, err = b.lock(ctx, end); err != nil {
		b.rollBack(ctx)
		return end, err
	}
	batch := &pgx.Batch{}
	next = b.queue(batch, end, at, appends)
	err = b.send(ctx, batch)
	if err == nil {
		return next, nil
	}
	if _, answered := errors.AsType[*pgconn.PgError](err); !answered || b.conn.IsClosed() {
		_ = b.conn.Close(ctx) // it is lost already
		return next, fmt.Errorf("%w: %w", errUnknown, err)
	}
	b.rollBack(ctx)
	return end, err
}

func (b *backend) rollBack(ctx context.Context) {
	if b.conn.IsClosed() {
		return
	}
	if _, err := b.conn.Exec(ctx, "ROLLBACK"); err != nil {
		_ = b.conn.Close(ctx) // another connection is clean
	}
}

// lock begins a transaction and locks the row of the log, so that no other process can append to it, and compares it with
// the end that is known. The end of the row may be before that, if the server lost records; then the chain goes on
// from the end that was answered, as chain.Log does when it is opened.
func (b *backend) lock(ctx context.Context, end chain.Tip) (head chain.Tip, err error) {
	batch := &pgx.Batch{}
	batch.Queue("BEGIN")
	batch.Queue("SELECT writer, head_sequence, head_hash FROM logs WHERE name = $1 FOR UPDATE", b.name)
	results := b.conn.SendBatch(ctx, batch)
	_, err = results.Exec()
	var writer string
	if err == nil {
		err = results.QueryRow().Scan(&writer, &head.Sequence, &head.Hash)
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return head, fmt.Errorf("%w: its row is gone", auditlog.ErrFailed)
	case err != nil:
		return head, err
	case writer != b.writer:
		return head, fmt.Errorf("%w: another process took it over: %w", auditlog.ErrFailed, auditlog.ErrLocked)
	case head.Sequence > end.Sequence, head.Sequence == end.Sequence && head.Hash != end.Hash:
		return head, fmt.Errorf("%w: it has records that this process did not append", auditlog.ErrFailed)
	}
	return head, nil
}

// queue seals the rows of appends and queues all that stores them.
func (b *backend) queue(batch *pgx.Batch, end chain.Tip, at int64, appends []*chain.Append) chain.Tip {
	for _, a := range appends {
		if a.Retired != nil {
			last := int64(a.Retired.Last.Sequence)
			batch.Queue("DELETE FROM records WHERE log = $1 AND sequence <= $2", b.name, last)
			batch.Queue("DELETE FROM artifacts WHERE log = $1 AND sequence <= $2", b.name, last)
			batch.Queue("UPDATE logs SET anchor_sequence = $2, anchor_hash = $3 WHERE name = $1", b.name, last, a.Retired.Last.Hash[:])
		}
		for _, r := range a.Rows {
			end = r.Seal(b.name, end, at)
			batch.Queue(insertRecord, rowValues(r)...)
			for _, artifact := range r.Artifacts {
				batch.Queue("INSERT INTO artifacts VALUES ($1, $2, $3)", b.name, int64(r.Sequence), artifact)
			}
		}
	}
	batch.Queue("UPDATE logs SET head_sequence = $2, head_hash = $3 WHERE name = $1", b.name, int64(end.Sequence), end.Hash[:])
	batch.Queue("COMMIT")
	return end
}

var insertRecord = insert()

// send sends a batch that ends with a commit. The server does nothing after the first statement that fails; and to the
// commit of a transaction that failed it answers that it was rolled back, which is no error.
func (b *backend) send(ctx context.Context, batch *pgx.Batch) error {
	results := b.conn.SendBatch(ctx, batch)
	var tag pgconn.CommandTag
	var err error
	for i := 0; err == nil && i < batch.Len(); i++ {
		tag, err = results.Exec()
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	if err == nil && tag.String() != "COMMIT" {
		err = &pgconn.PgError{Severity: "ERROR", Message: "the commit was answered by " + tag.String()}
	}
	return err
}

// resolve finds out whether a commit was done whose answer was lost. The lost connection holds the lock of the row until
// the server has ended it, so what the row says once it can be locked is final. It goes on until the server answers or
// the log is closed.
func (b *backend) resolve(end, next chain.Tip) (committed bool, err error) {
	b.o.Logger.Warn("the connection to the audit log was lost during a commit", slog.Uint64("sequence", next.Sequence))
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		head, err := b.headOf()
		switch {
		case err == nil && head == next:
			b.o.Logger.Info("the commit was done", slog.Uint64("sequence", next.Sequence))
			return true, nil
		case err == nil && head.Sequence <= end.Sequence:
			b.o.Logger.Info("the commit was not done", slog.Uint64("sequence", next.Sequence))
			return false, nil
		case err == nil:
			return false, fmt.Errorf("%w: it has records that this process did not append", auditlog.ErrFailed)
		case errors.Is(err, auditlog.ErrFailed):
			return false, err
		}
		if !b.sleep(pause) {
			return false, fmt.Errorf("whether the records were appended is not known: %w", auditlog.ErrClosed)
		}
	}
}

// headOf reads the head of the log, when nobody else has its row.
func (b *backend) headOf() (head chain.Tip, err error) {
	ctx, cancel := b.bounded()
	defer cancel()
	if err := b.connect(ctx); err != nil {
		return head, err
	}
	var writer string
	err = b.conn.QueryRow(ctx, "SELECT writer, head_sequence, head_hash FROM logs WHERE name = $1 FOR UPDATE", b.name).Scan(&writer, &head.Sequence, &head.Hash)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return head, fmt.Errorf("%w: its row is gone", auditlog.ErrFailed)
	case err == nil && writer != b.writer:
		return head, fmt.Errorf("%w: another process took it over: %w", auditlog.ErrFailed, auditlog.ErrLocked)
	case err != nil:
		_ = b.conn.Close(ctx) // another one may answer
	}
	return head, err
}
