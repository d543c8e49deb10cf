package postgres

// The sender. It sends what is in the journal and not in the database, on a goroutine and with a connection of its own.
//
// Each transaction locks the row of the log, checks that it is as the last one left it, and writes the rows with the new end. Whatever
// becomes of the connection, the row says how far the database is: the sender reads it again, and goes on from there. A server that lost
// its last transactions, as a stand-by server may that takes over, gets them again from the journal, if that has them still.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/internal/journal"
)

const (
	// maxRows and maxBytes bound the records of a transaction. A single one may have more bytes.
	maxRows  = 512
	maxBytes = 4 << 20
	// firstPause and longestPause bound the pause between attempts. It doubles from one to the other.
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
	// exchangeTime is the time for a transaction, before the connection counts as lost.
	exchangeTime = time.Minute
	// sizeInterval is the time between two queries for the size of the tables.
	sizeInterval = time.Minute
	// keptTime is after how long the journal gives up what was sent, if it was less than Options.Kept. It gives up what it had the time
	// before, and so has the newest for a while: repeated calls find it without the database, and a database may lose it.
	keptTime = time.Hour
)

// sender is used by one goroutine, after open.
type sender struct {
	conn  *pgconn.PgConn
	known bool      // the row of the log was read
	sized time.Time // when the tables were measured

	passed int64     // bytes that were sent since given
	given  time.Time // when records were given up
	until  uint64    // up to which they are given up the next time
}

// open connects for the first time, and returns the last record in the database.
func (s *sender) open(ctx context.Context, l *Log) (journal.Tip, error) {
	s.given = time.Now()
	if err := s.connect(ctx, l); err != nil {
		return journal.Tip{}, err
	}
	return l.lastSent(), nil
}

// close closes the connection.
func (s *sender) close() {
	closeConn(s.conn)
	s.conn = nil
}

// send sends until the log closes.
func (l *Log) send() {
	defer close(l.ended)
	defer l.sender.close()
	for pause := firstPause; ; {
		some, err := l.sender.sendAll(l)
		if l.stop.Err() != nil {
			return
		}
		if errors.Is(err, auditlog.ErrFailed) || errors.Is(err, auditlog.ErrVersion) {
			l.fail(fmt.Errorf("%w: %w", auditlog.ErrFailed, err))
			return
		}
		l.setAway(err)
		if some || err == nil {
			pause = firstPause
		}
		var again <-chan time.Time
		if err != nil {
			again = time.After(pause)
			pause = min(2*pause, longestPause)
		}
		for woken := false; !woken; {
			select {
			case <-l.stop.Done():
				return
			case <-again:
				woken = true
			case <-l.wake:
				woken = err == nil // otherwise it waits for the pause
			}
		}
	}
}

// sendAll sends until nothing is left, and reports whether anything was sent. Errors are those of package auditlog.
func (s *sender) sendAll(l *Log) (some bool, err error) {
	for {
		ctx, cancel := context.WithTimeout(l.stop, exchangeTime)
		more, err := s.sendSome(ctx, l)
		cancel()
		if err != nil {
			s.close()
			return some, classify(err)
		}
		if !more {
			return some, nil
		}
		some = true
		l.setAway(nil)
		s.giveUp(l)
	}
}

// sendSome sends the next records in one transaction, and reports whether there were any.
func (s *sender) sendSome(ctx context.Context, l *Log) (bool, error) {
	if s.conn == nil || s.conn.IsClosed() {
		if err := s.connect(ctx, l); err != nil {
			return false, err
		}
	}
	b, err := l.next(ctx)
	if err != nil {
		return false, fmt.Errorf("%w: the journal: %w", auditlog.ErrUnavailable, err)
	}
	if b.end == l.lastSent() {
		if l.isAway() != nil { // somebody says so
			return false, s.conn.Ping(ctx)
		}
		return false, nil
	}
	began := time.Now()
	if err := s.transfer(ctx, l, b); err != nil {
		return false, err
	}
	l.note(func() {
		if l.sent, l.pending = b.end, max(0, l.pending-b.bytes); l.sent.Number >= l.journal.Tip(journal.Records).Number {
			l.pending = 0
		}
	})
	s.passed += b.bytes
	if l.o.OnCommit != nil && len(b.rows) > 0 {
		l.o.OnCommit(len(b.rows), max(0, began.Sub(time.UnixMilli(b.rows[0].at))), time.Since(began))
	}
	if time.Since(s.sized) > sizeInterval { // the size of a large table takes milliseconds
		s.measure(ctx, l)
	}
	return true, nil
}

// batch is what one transaction sends.
type batch struct {
	rows  []*row
	bytes int64
	end   journal.Tip // the last record after it
}

// errEnough ends reading.
var errEnough = errors.New("enough")

// next reads the records that are sent next. Those that are corrupt in the journal are passed over: they are missing in the database.
func (l *Log) next(ctx context.Context) (b batch, err error) {
	b.end = l.lastSent()
	err = l.journal.Each(ctx, journal.Records, b.end.Number+1, func(e *journal.Entry) error {
		x, err := newRow(l.name, e)
		if err != nil { // it was appended so; its row is missing
			l.o.Logger.Error("a record of the journal cannot be read, and is not sent", slog.Uint64("sequence", e.Number), slog.Any("error", err))
		} else {
			b.rows = append(b.rows, x)
		}
		b.bytes += int64(len(e.Data))
		b.end = journal.Tip{Number: e.Number, Hash: e.Hash}
		if len(b.rows) == maxRows || b.bytes > maxBytes {
			return errEnough
		}
		return nil
	}, func(d journal.Damage) error {
		l.o.Logger.Error("records of the journal are corrupt, and are not sent", slog.Uint64("first", d.First), slog.Uint64("last", d.Last), slog.String("why", d.Reason))
		if b.end = (journal.Tip{Number: d.Last}); d.Last == l.journal.Tip(journal.Records).Number {
			b.end = l.journal.Tip(journal.Records)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return b, err
}

// names of prepared statements.
const (
	rowStatement       = "row"
	artifactsStatement = "artifacts"
)

// transfer writes rows, and the end after them, in one transaction.
func (s *sender) transfer(ctx context.Context, l *Log, b batch) error {
	if err := s.conn.Exec(ctx, "BEGIN").Close(); err != nil {
		return err
	}
	head, err := s.lock(ctx, l)
	if err != nil {
		return err
	}
	if head != l.lastSent() {
		return errors.New("the row of the log was changed") // another connection reads it again
	}
	all := &pgconn.Batch{}
	for _, x := range b.rows {
		p := x.values()
		all.ExecPrepared(rowStatement, p.values, p.formats, nil)
		if len(x.Artifacts) > 0 {
			p := x.artifacts()
			all.ExecPrepared(artifactsStatement, p.values, p.formats, nil)
		}
	}
	p := encode([]any{l.name, stored(b.end.Number), b.end.Hash[:]})
	all.ExecParams("UPDATE logs SET head_sequence = $2, head_hash = $3 WHERE name = $1", p.values, nil, p.formats, nil)
	if err := s.conn.ExecBatch(ctx, all).Close(); err != nil {
		return err
	}
	return commit(ctx, s.conn)
}

// lock locks the row of the log until the transaction ends, checks the writer, and returns the last record.
func (s *sender) lock(ctx context.Context, l *Log) (head journal.Tip, err error) {
	var writer string
	var sequence, anchor int64
	var hash []byte
	found := false
	err = query(ctx, s.conn, "SELECT writer, head_sequence, head_hash, anchor_sequence FROM logs WHERE name = $1 FOR UPDATE", []any{l.name}, func(scan func(...any) error) error {
		found = true
		return scan(&writer, &sequence, &hash, &anchor)
	})
	switch {
	case err != nil:
		return head, err
	case !found:
		return head, fmt.Errorf("%w: its row is gone", auditlog.ErrFailed)
	case writer != l.writer:
		return head, fmt.Errorf("%w: another process took it over: %w", auditlog.ErrFailed, auditlog.ErrLocked)
	}
	l.note(func() { l.anchor = uint64(max(anchor, 0)) })
	return journal.Tip{Number: uint64(max(sequence, 0)), Hash: hashOf(hash)}, nil
}

// connect connects, and reads how far the database is. The first time it makes the tables and takes the log over.
func (s *sender) connect(ctx context.Context, l *Log) (err error) {
	if s.conn, err = pgconn.ConnectConfig(ctx, l.config); err != nil {
		s.conn = nil
		return classify(err)
	}
	if !s.known {
		err = l.prepareTables(ctx, s.conn)
	}
	if err == nil {
		_, err = s.conn.Prepare(ctx, rowStatement, insertRow, nil)
	}
	if err == nil {
		_, err = s.conn.Prepare(ctx, artifactsStatement, insertArtifacts, nil)
	}
	if err == nil {
		err = s.begin(ctx, l)
	}
	if err != nil {
		s.close()
		return classify(err)
	}
	return nil
}

// begin reads the row of the log. The lock of a transaction that was lost is waited for, so that what it did is final.
func (s *sender) begin(ctx context.Context, l *Log) error {
	var head journal.Tip
	err := transaction(ctx, s.conn, func() (err error) {
		if !s.known {
			if err := s.takeOver(ctx, l); err != nil {
				return err
			}
		}
		head, err = s.lock(ctx, l)
		if err == nil && !s.known {
			err = s.checkEnd(ctx, l, head)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.compare(l, head); err != nil {
		return err
	}
	if !s.known {
		s.measure(ctx, l)
	}
	s.known, s.until = true, max(s.until, head.Number)
	l.note(func() { l.sent = head })
	return nil
}

// takeOver makes this process the writer of the log, which it makes if there is none.
func (s *sender) takeOver(ctx context.Context, l *Log) error {
	anchor := l.journal.Anchor(journal.Records) // what a local log deleted
	err := query(ctx, s.conn, "INSERT INTO logs VALUES ($1, '', $2, $3, $2, $3) ON CONFLICT DO NOTHING", []any{l.name, stored(anchor.Number), anchor.Hash[:]}, nil)
	if err != nil {
		return err
	}
	return query(ctx, s.conn, "UPDATE logs SET writer = $2 WHERE name = $1", []any{l.name, l.writer}, nil)
}

// checkEnd reports records that are missing from the end of the table.
func (s *sender) checkEnd(ctx context.Context, l *Log, head journal.Tip) error {
	var last int64
	err := query(ctx, s.conn, "SELECT greatest(coalesce(max(r.sequence), 0), l.anchor_sequence) FROM logs l LEFT JOIN records r ON r.log = l.name WHERE l.name = $1 GROUP BY l.anchor_sequence",
		[]any{l.name}, func(scan func(...any) error) error { return scan(&last) })
	if err == nil && uint64(last) < head.Number {
		l.report(uint64(last)+1, missingRecords(uint64(last)+1, head.Number))
	}
	return err
}

// compare compares the last record in the database with the journal. What does not agree when the log is opened is reported, and is no reason
// to stop: whoever can alter the database could stop every sidecar. Later it means that somebody else sends to the log.
func (s *sender) compare(l *Log, head journal.Tip) error {
	tip, anchor := l.journal.Tip(journal.Records), l.journal.Anchor(journal.Records).Number
	if head.Number < anchor {
		l.report(head.Number+1, "the database and the journal have lost "+missingNames(head.Number+1, anchor))
	}
	same := head == tip || head.Number == 0
	if !same && head.Number <= tip.Number {
		e, err := l.journal.Get(journal.Records, head.Number)
		same = err != nil || e.Hash == head.Hash // what it does not have it does not prove
	}
	switch {
	case same:
		return nil
	case head.Number > tip.Number && !s.known && l.local == nil:
		return nil // the log goes on from there
	case head.Number > tip.Number || s.known:
		return fmt.Errorf("%w: it has records that are not in the journal", auditlog.ErrFailed)
	}
	reason := "its hash in the database is not that of the journal"
	l.report(head.Number, fmt.Sprintf("record %d: %s", head.Number, reason))
	l.note(func() { l.conflict = &auditlog.Inconsistency{Sequence: head.Number, Reason: reason} })
	return nil
}

// measure queries the size of the tables. If that fails, the old size stays for another interval.
func (s *sender) measure(ctx context.Context, l *Log) {
	s.sized = time.Now()
	var bytes int64
	err := query(ctx, s.conn, "SELECT pg_total_relation_size('records') + pg_total_relation_size('artifacts')", nil, func(scan func(...any) error) error { return scan(&bytes) })
	if err == nil {
		l.note(func() { l.bytes = bytes })
	}
}

// giveUp lets the journal give up records that were sent a while ago.
func (s *sender) giveUp(l *Log) {
	if s.passed < l.o.Kept && time.Since(s.given) < keptTime {
		return
	}
	if err := l.local.GiveUp(l.stop, s.until); err != nil && l.stop.Err() == nil {
		l.o.Logger.Warn("records that were sent are still in the journal", slog.Any("error", err))
	}
	s.passed, s.given, s.until = 0, time.Now(), l.lastSent().Number
}
