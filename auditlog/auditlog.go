// Package auditlog keeps what was projected, rendered and answered: one record for each call, chained by hashes,
// durable before the call is answered. What is in a record is said by the contract (audit.proto); this room
// stores records, finds them again, and follows their chain.
//
// Package sqlite keeps a log in a file or in memory, package postgres in a database server. Both pass the suite of
// package audittest.
package auditlog

import (
	"context"
	"errors"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The failures of a log. They arrive wrapped; test for them with errors.Is.
var (
	// ErrUnknown means that the log has no record of that sequence: it was never given, or deleted by retention.
	ErrUnknown = errors.New("no such record")
	// ErrBroken means that a record is not what was appended, or is missing from the middle of the log.
	ErrBroken = errors.New("record does not hold")
	// ErrReused means that there is a record with the same session, request id and part already.
	ErrReused = errors.New("request id was used before")
	// ErrRecord means that no log takes such a record: too large, a text that is not UTF-8, or a name over its bound.
	ErrRecord = errors.New("not a record that can be stored")
	// ErrFull means that there is no room. Nothing was appended, and later records may be.
	ErrFull = errors.New("no room for the audit log")
	// ErrReadOnly means that nothing can be written. Reading goes on working.
	ErrReadOnly = errors.New("audit log is read-only")
	// ErrPoisoned means that writing failed in a way after which nothing is certain. Whether the records of the call
	// that failed first were appended is known once the log is opened again; until then it takes no more.
	ErrPoisoned = errors.New("audit log failed, and takes nothing until it is opened again")
	// ErrUnavailable means that the database server does not answer. Nothing was appended.
	ErrUnavailable = errors.New("audit log does not answer")
	// ErrTooNew means that a later version made the log. Nothing was touched.
	ErrTooNew = errors.New("audit log is of a later version")
	// ErrLocked means that the log is open elsewhere.
	ErrLocked = errors.New("audit log is open elsewhere")
	// ErrClosed means that the log was closed before the call.
	ErrClosed = errors.New("audit log is closed")
)

// Log is an audit log. All methods may be called at once.
type Log interface {
	// Append gives the records consecutive sequences and hashes, makes them durable together, and returns the head
	// after them: all or none. It fills log_id, sequence, recorded_at, previous_hash and hash of the records.
	//
	// ctx bounds the wait until the log takes the records; a log that is kept by a server may also end with the error
	// of ctx after that, and then only Find tells whether they were appended. Errors: ErrReused, ErrRecord, ErrFull,
	// ErrReadOnly, ErrPoisoned, ErrUnavailable, ErrClosed.
	Append(ctx context.Context, records ...*pb.AuditRecord) (Head, error)
	// Get reads a record. Errors: ErrUnknown, ErrBroken.
	Get(ctx context.Context, sequence uint64) (*pb.AuditRecord, error)
	// Find reads all records of a request in the order of their parts, whichever log of the database has them; nil
	// when there are none. Errors: ErrBroken.
	Find(ctx context.Context, session, requestID string) ([]*pb.AuditRecord, error)
	// List reads the records for which all holds that q says, the newest first, without output, canonical, compacted,
	// details and the text of the receipt. next is where to go on (Query.Below), or 0. A record that cannot be read is
	// left out, and the logger is told.
	List(ctx context.Context, q Query) (records []*pb.AuditRecord, next uint64, err error)
	// Head is the end of the log.
	Head(ctx context.Context) (Head, error)
	// Verify follows the chain from a sequence on (0: from the first record) to the head at the time of the call. It
	// calls visit for each place that does not hold, and goes on; an error of visit ends it. Every column and every
	// row of artifacts is compared with the record that it repeats.
	Verify(ctx context.Context, from uint64, visit func(Broken) error) (Verified, error)
	// Retain deletes the oldest records, up to the first that was recorded at before or later. For up to 1,000 of
	// them, or 2 MiB, it appends one record of what it deleted, in the same transaction; the chain goes on from the
	// hash of the last.
	Retain(ctx context.Context, before time.Time) (deleted int64, err error)
	// Status says how the log is, without waiting.
	Status() Status
	// Close ends what is under way, makes the head durable and closes the log.
	Close() error
}

// OnCommit is told of every transaction that appended: how many calls of Append it took, how long the first of them
// waited for it, and how long it took with its sync. It is called where records wait, and must not keep them waiting.
type OnCommit func(calls int, waited, took time.Duration)

// Head is the end of a log. Who keeps it can prove later that the end of the log is missing.
type Head struct {
	// Log is the random name that the log was given when it was made.
	Log string
	// Sequence of the last record; 0: there was none yet.
	Sequence uint64
	// Hash of the last record, "blake3:" and 64 hex digits; zeros when there was none yet.
	Hash string
}

// MaxPage is how many records a page of List has at most.
const MaxPage = 1000

// Query says which records to list. All that is set must hold.
type Query struct {
	Session, Call, RequestID, Tool string
	// Kinds are the kinds to list; empty: all.
	Kinds []pb.AuditKind
	// From is the earliest time of recording; Until is after the latest.
	From, Until time.Time
	// Artifact is one that the record names: as artifact of a payload, or by a path in its canonical results.
	Artifact string
	// Below lists only records with a lower sequence; 0: from the head.
	Below uint64
	// Limit is how many records to list, at most MaxPage; 0: 100.
	Limit int
}

// Broken is a place where the chain does not hold.
type Broken struct {
	Sequence uint64
	// Why, in a few words.
	Why string
}

// Verified is what following the chain came to.
type Verified struct {
	// Sound and Broken count records; records that are missing are broken.
	Sound, Broken uint64
	// First is the first sequence that there should be; those before were deleted by retention.
	First uint64
	// Head is the end that was followed to.
	Head Head
}

// Status says how a log is.
type Status struct {
	// Log is its name.
	Log string
	// Records that it has.
	Records int64
	// Bytes that they take where they are kept.
	Bytes int64
	// Waiting is how many calls of Append wait to be taken.
	Waiting int
	// LastCommit is how long the last transaction took.
	LastCommit time.Duration
	// Doubt says what was found when the log was opened that should not be, such as that its end is missing. It stays
	// until the log is closed, and Verify finds it too.
	Doubt string
	// Failure is why the log takes no more records, or nil.
	Failure error
	// Lean means that the log is out of room, and lives on its reserve: refusals are recorded, and small results for a while.
	Lean bool
}
