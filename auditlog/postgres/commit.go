package postgres

// Appending to a log whose server may vanish at any moment.
//
// A commit is two exchanges: lock and check the row of the log, then insert, update the head and COMMIT. An error before
// the COMMIT was sent, or an answer of the server, says for certain that nothing was committed, and the transaction may be
// repeated. If the connection is lost in between, the outcome is unknown: resolve reads it from the head in the row of the
// log, so that nothing is appended twice and nothing is acknowledged that is not there.

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
	// firstPause and longestPause bound the pause between attempts to connect. It doubles from one to the other.
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
	// maxAttempts is the number of attempts at a transaction that the server asks to repeat.
	maxAttempts = 5
)

// errUnknownOutcome means that the connection was lost while the server committed.
var errUnknownOutcome = errors.New("the connection was lost during a commit")

// Commit implements [chain.Committer].
func (b *backend) Commit(end chain.Tip, at int64, appends []*chain.Append) (chain.Tip, error) {
	next, err := b.commitTogether(end, at, appends)
	if errors.Is(err, auditlog.ErrReused) {
		next = end
		// Which of them used an id is not said, so all are tried again.
		for _, a := range appends { // each in a transaction of its own, so that only those with a used id fail
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
		b.noteSize(a)
	}
	if time.Since(b.sized) > sizeInterval { // the size of a large table takes milliseconds
		b.remeasure()
	}
	return next, nil
}

// noteSize counts the rows of an append, unless it failed.
func (b *backend) noteSize(a *chain.Append) {
	if a.Err != nil {
		return
	}
	b.count.Add(int64(len(a.Rows)))
	if a.Retired != nil {
		b.count.Add(-a.Retired.Count)
	}
}

// remeasure measures again. If that fails, the old sizes stay for another interval.
func (b *backend) remeasure() {
	ctx, cancel := b.exchangeContext()
	defer cancel()
	if err := b.measure(ctx); err != nil {
		b.sized = time.Now()
	}
}

// exchangeContext returns a context with the time for one exchange with the server.
func (b *backend) exchangeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 2*b.o.Patience)
}

// commitTogether commits appends in one transaction: all or none, and never twice, also if the connection is lost.
func (b *backend) commitTogether(end chain.Tip, at int64, appends []*chain.Append) (next chain.Tip, err error) {
	begin := time.Now()
	for attempt := 1; ; attempt++ {
		if err := b.reconnect(begin); err != nil {
			return end, err
		}
		next, err = b.tryCommit(end, at, appends)
		if errors.Is(err, errUnknownOutcome) {
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
		return end, classify(err)
	}
}

// isTransient reports whether the server asks to repeat a transaction: a deadlock, or a serialization failure.
func isTransient(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "40P01" || e.Code == "40001")
}

// reconnect connects unless the connection is open. It tries until Patience has passed since the given time.
func (b *backend) reconnect(since time.Time) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		ctx, cancel := b.exchangeContext()
		err := b.connect(ctx)
		cancel()
		if err == nil {
			return nil
		}
		if time.Since(since) > b.o.Patience {
			return fmt.Errorf("%w: %w", auditlog.ErrUnavailable, err)
		}
		if !b.sleep(pause) { // the log closes
			return auditlog.ErrClosed
		}
	}
}

// sleep pauses, and reports false if the log closes.
func (b *backend) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-b.stop.Done():
		return false
	}
}

// tryCommit does a transaction in two exchanges: lock the row of the log, and then all else with the commit. An error other
// than errUnknownOutcome means that nothing was committed.
func (b *backend) tryCommit(end chain.Tip, at int64, appends []*chain.Append) (next chain.Tip, err error) {
	ctx, cancel := b.exchangeContext()
	defer cancel()
	if err = b.lock(ctx, end); err != nil {
		b.rollBack(ctx)
		return end, err
	}
	batch := &pgx.Batch{}
	next = b.queue(batch, end, at, appends)
	err = b.send(ctx, batch)
	if err == nil {
		return next, nil
	}
	// An error that the server answers comes before a commit. Without an answer, or after a fatal one, nobody knows.
	if _, answered := errors.AsType[*pgconn.PgError](err); !answered || b.conn.IsClosed() {
		_ = b.conn.Close(ctx) // it is lost already
		return next, fmt.Errorf("%w: %w", errUnknownOutcome, err)
	}
	b.rollBack(ctx)
	return end, err
}

// rollBack ends a transaction that failed, or the connection.
func (b *backend) rollBack(ctx context.Context) {
	if b.conn.IsClosed() {
		return
	}
	if _, err := b.conn.Exec(ctx, "ROLLBACK"); err != nil {
		_ = b.conn.Close(ctx) // another connection is clean
	}
}

// lock begins a transaction, locks the row of the log, so that no other process can append to it, and checks the row. Its
// head may be before end, if the server lost records: then the chain goes on from the end that was answered, as chain.Log
// does when it opens.
func (b *backend) lock(ctx context.Context, end chain.Tip) error {
	var head chain.Tip
	batch := &pgx.Batch{}
	batch.Queue("BEGIN")
	batch.Queue("SELECT writer, head_sequence, head_hash FROM logs WHERE name = $1 FOR UPDATE", b.name)
	results := b.conn.SendBatch(ctx, batch)
	_, err := results.Exec()
	var writer string
	if err == nil {
		err = results.QueryRow().Scan(&writer, &head.Sequence, &head.Hash)
	}
	if closed := results.Close(); err == nil { // what was not read before shows here
		err = closed
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: its row is gone", auditlog.ErrFailed)
	case err != nil:
		return err
	case writer != b.writer:
		return fmt.Errorf("%w: another process took it over: %w", auditlog.ErrFailed, auditlog.ErrLocked)
	case head.Sequence > end.Sequence, head.Sequence == end.Sequence && head.Hash != end.Hash:
		return fmt.Errorf("%w: it has records that this process did not append", auditlog.ErrFailed)
	}
	return nil
}

// queue seals the rows of appends, queues the statements that store them and the commit, and returns the new end.
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

// insertRecord is the statement of each append. It is made once, so that the connection finds it prepared.
var insertRecord = insert()

// send sends a batch that ends with a commit. The server does nothing after the first statement that fails; and to the
// commit of a transaction that failed it answers that it was rolled back, which is no error.
func (b *backend) send(ctx context.Context, batch *pgx.Batch) error {
	results := b.conn.SendBatch(ctx, batch)
	var tag pgconn.CommandTag
	var err error
	for i := 0; err == nil && i < batch.Len(); i++ { // the tag of the last one is that of the commit
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

// resolve finds out whether the commit from end to next was done, after its answer was lost. The lost connection holds the
// lock of the row until the server has ended it, so the content of the row is final once it can be locked. It goes on until
// the server answers or the log closes.
func (b *backend) resolve(end, next chain.Tip) (committed bool, err error) {
	b.o.Logger.Warn("the connection to the audit log was lost during a commit", slog.Uint64("sequence", next.Sequence))
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		head, err := b.readHead()
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

// readHead reads the head of the log once no other transaction holds its row.
func (b *backend) readHead() (head chain.Tip, err error) {
	ctx, cancel := b.exchangeContext()
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
