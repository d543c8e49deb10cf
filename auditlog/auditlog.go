// Package auditlog stores audit records: one for each call that was projected, rendered, compacted or rejected. Records
// are chained by hashes, and durable before the call is answered. The contract (audit.proto) specifies their fields;
// this package stores them, finds them again, and verifies their chain.
//
// Package local keeps a log in the journal of a store, package postgres in a database server. Both pass the suite of
// package audittest, which tests everything that this package promises.
package auditlog

import (
	"context"
	"errors"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// Errors of a log. They are returned wrapped; test for them with errors.Is.
var (
	// ErrUnknown means that the log has no record of that sequence: it was never assigned, or retention deleted it.
	ErrUnknown = errors.New("no such record")
	// ErrBroken means that a record is not what was appended, or is missing from the middle of the log.
	ErrBroken = errors.New("record does not hold")
	// ErrReused means that a record with the same session, request id and part exists already.
	ErrReused = errors.New("request id was used before")
	// ErrInvalidRecord means that no log stores such a record: too large, text that is not UTF-8, or a name over its bound.
	ErrInvalidRecord = errors.New("not a record that can be stored")
	// ErrFull means that no space is left. Nothing was appended; later records may be.
	ErrFull = errors.New("no room for the audit log")
	// ErrReadOnly means that nothing can be written. Reading goes on working.
	ErrReadOnly = errors.New("audit log is read-only")
	// ErrFailed means that a write failed in a way after which the state is uncertain. Whether the records of the first
	// call that failed were appended is known once the log is opened again; until then it takes no more.
	ErrFailed = errors.New("audit log failed, and takes nothing until it is opened again")
	// ErrUnavailable means that the database does not answer for now: its server, another program that has it locked, or its
	// disk. Nothing was appended.
	ErrUnavailable = errors.New("audit log does not answer")
	// ErrVersion means that another version made the log. Nothing was changed.
	ErrVersion = errors.New("audit log is of another version")
	// ErrLocked means that the log is open elsewhere.
	ErrLocked = errors.New("audit log is open elsewhere")
	// ErrClosed means that the log was closed before the call.
	ErrClosed = errors.New("audit log is closed")
)

// Log is an open audit log. Safe for concurrent use.
//
// It is the value that an opened log has; a consumer names the smaller interface that it needs.
type Log interface {
	Appender
	Reader
	Verifier
	Retainer
	// Status reports the state of the log without waiting.
	Status() Status
	// Close finishes what was begun, makes the head durable and closes the log. Later calls return the same error.
	Close() error
}

// Appender adds records to the end of a log.
type Appender interface {
	// Append assigns the records consecutive sequences and hashes, makes them durable together, and returns the head
	// after them: all or none. It sets log_id, sequence, recorded_at, previous_hash and hash of the records.
	//
	// ctx bounds the wait until the log takes the records. A log in a server may also return the error of ctx
	// afterwards; then only Find shows whether they were appended.
	//
	// Errors: ErrReused, ErrInvalidRecord, ErrFull, ErrReadOnly, ErrFailed, ErrUnavailable, ErrClosed.
	Append(ctx context.Context, records ...*pb.AuditRecord) (Head, error)
	// AppendWith is Append together with what else a call appends to the journal of its store. A log in the journal appends all of it
	// or nothing; one elsewhere has the journal go first.
	AppendWith(ctx context.Context, with journal.Append, records ...*pb.AuditRecord) (Head, error)
}

// Reader reads records by their sequence, by their request, or by a query.
type Reader interface {
	// Get reads a record. Errors: ErrUnknown, ErrBroken.
	Get(ctx context.Context, sequence uint64) (*pb.AuditRecord, error)
	// Find reads all records of a request in the order of their parts, from every log of the database; nil if there are
	// none. Errors: ErrBroken.
	Find(ctx context.Context, session, requestID string) ([]*pb.AuditRecord, error)
	// List reads the records that match q, the newest first, without output, canonical, compacted, details and the text
	// of the receipt. next is the value of Query.Below for the next page, or 0 after the last. A record that cannot be
	// read is omitted and logged.
	List(ctx context.Context, q Query) (records []*pb.AuditRecord, next uint64, err error)
}

// Verifier proves that a log is what was appended to it.
type Verifier interface {
	// Head returns the end of the log.
	Head(ctx context.Context) (Head, error)
	// Verify follows the chain from a sequence (0: the first record) to the head at the time of the call. It calls visit
	// for each inconsistency and goes on; an error of visit ends it. It compares every column, and every row of
	// artifacts, with the record that it repeats.
	Verify(ctx context.Context, from uint64, visit func(Inconsistency) error) (Verified, error)
}

// Retainer deletes old records.
type Retainer interface {
	// Retain deletes the oldest records, up to the first that was recorded at before or later. For up to 1,000 of
	// them, or 2 MiB, it appends one record of the deletion in the same transaction; the chain goes on from the hash of
	// the last that was deleted.
	Retain(ctx context.Context, before time.Time) (deleted int64, err error)
}

// OnCommit reports a transaction that appended records: the number of calls of Append in it, how long the first of them
// waited for it to begin, and how long it took with its sync. Appending waits for it to return.
type OnCommit func(calls int, waited, took time.Duration)

// Head is the end of a log. A caller who keeps one can prove later that the end of the log is missing.
type Head struct {
	// Log is the random name of the log, given when it was made.
	Log string
	// Sequence is that of the last record; 0: the log never had one.
	Sequence uint64
	// Hash is that of the last record, "blake3:" and 64 hex digits; all zeros if the log never had one.
	Hash string
}

// MaxPage is the largest number of records in a page of List.
const MaxPage = 1000

// Query selects the records to list. A record must match every field that is set.
type Query struct {
	// Session, Call, RequestID and Tool must be equal to those of the record; empty: any.
	Session, Call, RequestID, Tool string
	// Kinds are the kinds to list; empty: all.
	Kinds []pb.AuditKind
	// From is the earliest time of recording, and Until the first one that is too late; zero: no bound.
	From, Until time.Time
	// Artifact must be named by the record: as artifact of a payload, or by a path in its canonical results; empty: any.
	Artifact string
	// Below lists only records with a lower sequence; 0: from the head.
	Below uint64
	// Limit is the largest number of records to list, up to MaxPage; 0: 100.
	Limit int
}

// Inconsistency is a place at which the chain does not hold.
type Inconsistency struct {
	// Sequence is that of the record; of missing records, the first.
	Sequence uint64
	// Reason says in a few words what does not hold.
	Reason string
}

// Verified is the result of following the chain.
type Verified struct {
	// Intact and Inconsistent count records. Missing records are inconsistent, and each finding that is of no record, such as
	// another head than the one that was kept, counts as one.
	Intact, Inconsistent uint64
	// First is the first sequence that should exist; retention deleted those before.
	First uint64
	// Head is the end up to which the chain was followed.
	Head Head
	// Warnings say what the chain alone cannot show, such as that its recorded head is missing; nil: nothing.
	Warnings []string
}

// Status is the state of a log.
type Status struct {
	// Log is its name.
	Log string
	// Records is the number of records in it.
	Records int64
	// Bytes is the space that they take where they are stored.
	Bytes int64
	// Waiting is the number of calls of Append that the log has not begun.
	Waiting int
	// Unsent is the number of records that are here alone, and not in the database yet; of a log that is here, 0.
	Unsent int64
	// LastCommit is the duration of the last transaction.
	LastCommit time.Duration
	// Inconsistency says what was wrong when the log was opened, such as that its end is missing; empty: nothing. It
	// stays until the log is closed. It does not stop the log; Verify finds it too.
	Inconsistency string
	// Failure is the error after which the log takes no more records; nil: it takes them.
	Failure error
	// OnReserve means that the disk is full and the log uses its reserve: it records rejections, and for a while small
	// results.
	OnReserve bool
}
