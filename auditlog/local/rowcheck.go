package local

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/auditlog/internal/record"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// rowReader reads the rows of the index beside the records of the journal, in the same order.
type rowReader struct {
	ctx  context.Context // of one verification
	log  *Log
	next uint64 // sequence from which rows are read next
	rows []storedRow
	done bool // there are no more
}

// storedRow is a row as the index has it.
type storedRow struct {
	sequence uint64
	at       int64
	record.Row
}

// rowBatch is the number of rows that are read at a time.
const rowBatch = 512

// newRowReader returns a reader of the rows from a sequence on.
func (l *Log) newRowReader(ctx context.Context, from uint64) (*rowReader, error) {
	r := &rowReader{ctx: ctx, log: l, next: from}
	return r, r.fill()
}

// fill reads the next rows, if none are left.
func (r *rowReader) fill() error {
	if len(r.rows) > 0 || r.done {
		return nil
	}
	byNumber := map[uint64]int{}
	err := r.log.index.Read(r.ctx, func(db *sqlitedb.DB) error {
		query := "SELECT sequence, recorded_at, " + strings.Join(indexed(record.ColumnNames()), ", ") + " FROM records WHERE sequence >= ? ORDER BY sequence LIMIT ?"
		err := db.Each(query, []any{int64(min(r.next, 1<<63-1)), rowBatch}, func(scan func(...any) error) error {
			var s storedRow
			err := scan(append([]any{&s.sequence, &s.at}, indexed(s.ScanTargets())...)...)
			byNumber[s.sequence] = len(r.rows)
			r.rows = append(r.rows, s)
			return err
		})
		if err != nil || len(r.rows) == 0 {
			return err
		}
		last := r.rows[len(r.rows)-1].sequence
		return db.Each("SELECT sequence, artifact FROM artifacts WHERE sequence BETWEEN ? AND ?", []any{int64(r.rows[0].sequence), int64(last)}, func(scan func(...any) error) error {
			var sequence uint64
			var artifact string
			err := scan(&sequence, &artifact)
			if i, ok := byNumber[sequence]; ok {
				r.rows[i].Artifacts = append(r.rows[i].Artifacts, artifact)
			}
			return err
		})
	})
	if err != nil {
		return classify(err)
	}
	if r.done = len(r.rows) == 0; !r.done {
		r.next = r.rows[len(r.rows)-1].sequence + 1
	}
	return nil
}

// differs returns what the index has of a record that is not as in the journal; empty: nothing.
func (r *rowReader) differs(e *journal.Entry) string {
	want, err := readRow(e)
	if err != nil {
		return fmt.Sprint(err)
	}
	for {
		if err := r.fill(); err != nil {
			return fmt.Sprintf("the index cannot be read: %v", err)
		}
		if len(r.rows) == 0 || r.rows[0].sequence >= e.Number {
			break
		}
		r.rows = r.rows[1:] // of a record that is missing from the journal, which is reported
	}
	if len(r.rows) == 0 || r.rows[0].sequence != e.Number {
		return "it is not in the index"
	}
	got := &r.rows[0]
	r.rows = r.rows[1:]
	got.RequestDigest = want.RequestDigest // the index does not have it
	if got.at != e.At {
		return "its time in the index was altered"
	}
	if what := got.Difference(want); what != "" {
		return "its " + what + " in the index was altered"
	}
	return ""
}

// rest reports rows behind the head, which are of no record.
func (r *rowReader) rest(v *verification) error {
	if err := r.fill(); err != nil {
		return err
	}
	for _, s := range r.rows {
		if s.sequence > r.log.journal.Tip(journal.Records).Number {
			return v.report(s.sequence, "it is in the index, behind the head", 1)
		}
	}
	return nil
}
