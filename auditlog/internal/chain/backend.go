package chain

import (
	"context"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Backend stores the rows of a log in a database. It composes what the parts of a log use of it: appending, reading,
// retention and status. One goroutine calls Commit; all other methods are safe for concurrent use.
type Backend interface {
	Committer
	RowReader
	RetentionReader
	Usage
}

// Committer appends rows and ends.
type Committer interface {
	// Commit seals the rows of appends after end, makes them durable, and returns the new end. It sets Err of an append
	// that fails alone. If it returns an error, none was stored.
	Commit(end Tip, at int64, appends []*Append) (Tip, error)
	// Stop ends a Commit that waits for something outside, such as a server. The log calls it before it closes.
	Stop()
	// Close releases the database. The log calls it after the last Commit.
	Close() error
}

// RowReader reads rows.
type RowReader interface {
	// Rows returns at most limit whole rows of this log with from <= Sequence <= until, ascending.
	Rows(ctx context.Context, from, until uint64, limit int) ([]*Row, error)
	// Request returns the whole rows of a request in the order of their parts, from every log of the database.
	Request(ctx context.Context, session, requestID string) ([]*Row, error)
	// Outlines returns at most limit rows that match q, without Canonical, Payload and Receipt, the newest first.
	Outlines(ctx context.Context, q auditlog.Query, limit int) ([]*Row, error)
}

// RetentionReader reads what retention deleted, and what it may delete next.
type RetentionReader interface {
	// Anchor returns the last row that was deleted; the zero Tip: none was. The chain goes on from its hash.
	Anchor(ctx context.Context) (Tip, error)
	// Marks returns the oldest rows, at most limit of them, with Sequence, At, Hash and Size alone.
	Marks(ctx context.Context, limit int) ([]*Row, error)
}

// Usage reports the space that a log uses. Its methods do not wait.
type Usage interface {
	// Size returns the number of rows, and the bytes that they take.
	Size() (records, bytes int64)
	// OnReserve reports whether the disk is full and the backend stores short appends alone.
	OnReserve() bool
}

// Append is the rows of one call, which are stored together or not at all.
type Append struct {
	Rows []*Row
	// Retired are the rows that are deleted in the same transaction; nil: none.
	Retired *Retired
	// Err is the reason why this append failed, while others of its batch were stored; nil: it was stored.
	Err error

	done      chan struct{} // closed when Err is final
	submitted time.Time
}

// Retired is the oldest Count rows, up to Last.
type Retired struct {
	Last  Tip
	Count int64
}

// IsNotice reports whether an append has rejections and retention alone: they are recorded as long as anything is.
func (a *Append) IsNotice() bool {
	for _, r := range a.Rows {
		if r.Kind != record.KindName(pb.AuditKind_AUDIT_KIND_REJECTION) && r.Kind != record.KindName(pb.AuditKind_AUDIT_KIND_RETENTION) {
			return false
		}
	}
	return true
}

// smallBytes is the largest size of a small append.
const smallBytes = 16 << 10

// IsSmall reports whether an append stores at most 16 KiB.
func (a *Append) IsSmall() bool {
	size := 0
	for _, r := range a.Rows {
		size += r.Parts.Size()
	}
	return size <= smallBytes
}
