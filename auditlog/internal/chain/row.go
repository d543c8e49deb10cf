package chain

// How a record becomes a row.

import (
	"fmt"
	"math"
	"time"

	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Row is a record as tables have it. Its parts are the record, and hashed; Columns and Artifacts repeat parts of it.
type Row struct {
	// Log and Sequence identify the row.
	Log      string
	Sequence uint64
	// At is the time of recording, in milliseconds since 1970.
	At int64
	record.Columns
	// Artifacts are the artifacts that the record names, sorted. They are rows of a table of their own.
	Artifacts []string
	record.Parts
	// Previous is the hash of the row before, Hash that of this one.
	Previous, Hash Hash

	// Bytes is the stored size. Only rows of [RetentionReader.Marks] have it.
	Bytes int64

	content Hash // of the record; only of rows made by NewRow
}

// NewRow makes a row of a record. It ignores log_id, sequence, recorded_at and the hashes of the record: Seal gives them to
// the row. Errors: [auditlog.ErrInvalidRecord].
func NewRow(r *pb.AuditRecord) (row *Row, err error) {
	row = &Row{Artifacts: record.Artifacts(r)}
	if row.Parts, err = record.Split(r); err != nil {
		return nil, err
	}
	row.Payload = record.Compress(row.Payload)
	row.Columns = record.NewColumns(r, len(row.Artifacts))
	if err := record.CheckKeys(&row.Columns, row.Artifacts); err != nil {
		return nil, err
	}
	row.content = row.contentHash()
	return row, nil
}

// StoredRange returns a range of sequences as databases have them, which is signed. It ends at 2^63-1, which no log reaches, and
// from 0 on it has all rows, also those that somebody inserted with a sequence that no log gives.
func StoredRange(from, until uint64) (first, last int64) {
	first, last = int64(min(from, math.MaxInt64)), int64(min(until, math.MaxInt64))
	if from == 0 {
		first = math.MinInt64
	}
	return first, last
}

// StoredSequence scans a sequence; one that no log gives becomes 0.
type StoredSequence struct{ Target *uint64 }

// Scan implements [database/sql.Scanner].
func (s StoredSequence) Scan(value any) error {
	n, _ := value.(int64)
	*s.Target = uint64(max(n, 0))
	return nil
}

// timeLayout is RFC 3339 in UTC with milliseconds. Such times sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime returns a time in milliseconds since 1970 as text in RFC 3339, UTC.
func FormatTime(ms int64) string { return time.UnixMilli(ms).UTC().Format(timeLayout) }

// ParseTime reads the text of FormatTime.
func ParseTime(text string) (ms int64, err error) {
	t, err := time.Parse(timeLayout, text)
	if ms = t.UnixMilli(); err == nil && FormatTime(ms) != text { // such as with a comma
		err = fmt.Errorf("%q is not as times are written", text)
	}
	return ms, err
}
