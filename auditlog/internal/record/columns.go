package record

import (
	"database/sql"
	"math"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The columns that people search by. Every table has them, in the same order and with the same comments.

// Columns repeat parts of a record for people and for queries. They are not hashed: a row is read from its messages, and
// then compared with its columns, so that altering one is found. Texts have no NUL.
type Columns struct {
	Kind, Method, CorrelationID, Session, Call, RequestID, RequestDigest string
	Part, Parts                                                          int64
	Tool, Family, Status, Code, Reason                                   string
	UID, PID                                                             sql.NullInt64
	Address                                                              string
	ElapsedUS, ReceiptTokens, Redactions, PayloadBytes, ArtifactCount    int64
}

// Column describes a column of the table of records.
type Column struct {
	Name string
	// Type is its type in SQL: TEXT, INTEGER or BLOB, NOT NULL or not.
	Type string
	// Comment says for people what it has. It is in the schema of every database; docs/reference/audit.md has the names.
	Comment string
}

// columns are in the order of Values and ScanTargets.
var columns = [...]Column{
	{"kind", "TEXT NOT NULL", "projection, rendering, compaction, refusal, retention or tool_call"},
	{"method", "TEXT NOT NULL", "such as /toolresult.v1.ToolResultService/Project"},
	{"correlation_id", "TEXT NOT NULL", "x-request-id of the call"},
	{"session", "TEXT NOT NULL", "empty: none"},
	{"call", "TEXT NOT NULL", "of the tool; empty: not said"},
	{"request_id", "TEXT NOT NULL", "by which the call may be repeated; empty: none"},
	{"request_digest", "TEXT NOT NULL", "of what was asked"},
	{"part", "INTEGER NOT NULL", "which output of a turn, from 1; 0: of none"},
	{"parts", "INTEGER NOT NULL", "how many outputs the turn had"},
	{"tool", "TEXT NOT NULL", "its name"},
	{"family", "TEXT NOT NULL", "of the result; error: the tool failed"},
	{"status", "TEXT NOT NULL", "success, error, or empty"},
	{"code", "TEXT NOT NULL", "status code of a refusal"},
	{"reason", "TEXT NOT NULL", "reason of a refusal"},
	{"uid", "INTEGER", "user of the process that called over a Unix socket"},
	{"pid", "INTEGER", "its process id when it connected"},
	{"address", "TEXT NOT NULL", "of who called over TCP"},
	{"elapsed_us", "INTEGER NOT NULL", "what the server needed, in microseconds"},
	{"receipt_tokens", "INTEGER NOT NULL", "what the receipt costs"},
	{"redactions", "INTEGER NOT NULL", "how many secrets were replaced"},
	{"payload_bytes", "INTEGER NOT NULL", "size of the complete output"},
	{"artifacts", "INTEGER NOT NULL", "how many rows of the table artifacts are of this record"},
}

// AllColumns returns the columns of the table of records, but for those that identify a record.
func AllColumns() []Column {
	return append(columns[:len(columns):len(columns)],
		Column{"receipt", "TEXT", "what the model read"},
		Column{"canonical", "BLOB", "toolresult.v1.CanonicalToolResult, protobuf"},
		Column{"payload", "BLOB", "toolresult.v1.AuditRecord with output, details and compacted, protobuf"},
		Column{"facts", "BLOB NOT NULL", "toolresult.v1.AuditRecord with all else, protobuf"},
		Column{"previous_hash", "BLOB NOT NULL", "hash of the record before"},
		Column{"hash", "BLOB NOT NULL", "of this record; docs/reference/audit.md says over what"})
}

// Searched returns the columns that repeat parts of a record.
func Searched() []Column { return columns[:] }

// ColumnNames returns the names of Columns, in the order of Values and ScanTargets.
func ColumnNames() []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// Values returns the values to store, in the order of ColumnNames.
func (c *Columns) Values() []any {
	return []any{c.Kind, c.Method, c.CorrelationID, c.Session, c.Call, c.RequestID, c.RequestDigest, c.Part, c.Parts,
		c.Tool, c.Family, c.Status, c.Code, c.Reason, c.UID, c.PID, c.Address, c.ElapsedUS, c.ReceiptTokens, c.Redactions,
		c.PayloadBytes, c.ArtifactCount}
}

// ScanTargets returns pointers to read the columns into, in the order of ColumnNames.
func (c *Columns) ScanTargets() []any {
	return []any{&c.Kind, &c.Method, &c.CorrelationID, &c.Session, &c.Call, &c.RequestID, &c.RequestDigest, &c.Part, &c.Parts,
		&c.Tool, &c.Family, &c.Status, &c.Code, &c.Reason, &c.UID, &c.PID, &c.Address, &c.ElapsedUS, &c.ReceiptTokens,
		&c.Redactions, &c.PayloadBytes, &c.ArtifactCount}
}

// NewColumns returns the columns of a record that names n artifacts.
func NewColumns(r *pb.AuditRecord, n int) Columns {
	c := Columns{
		Kind: KindName(r.GetKind()), Method: Text(r.GetMethod()), CorrelationID: Text(r.GetCorrelationId()),
		Session: Text(r.GetCall().GetSessionId()), Call: Text(r.GetCall().GetCallId()),
		RequestID: Text(r.GetRequestId()), RequestDigest: Text(r.GetRequestDigest()),
		Part: int64(r.GetPart()), Parts: int64(r.GetParts()),
		Tool: Text(r.GetToolName()), Family: Text(r.GetFamily()),
		Code: Text(r.GetRejection().GetCode()), Reason: Text(r.GetRejection().GetReason()),
		Address:       Text(r.GetCaller().GetAddress()),
		ElapsedUS:     max(0, r.GetElapsed().AsDuration().Microseconds()),
		ReceiptTokens: int64(r.GetReceipt().GetTokens()), ArtifactCount: int64(n),
	}
	if r.GetStatus() != pb.ToolStatus_TOOL_STATUS_UNSPECIFIED {
		c.Status = enumWord(r.GetStatus().String(), "TOOL_STATUS_")
	}
	if caller := r.GetCaller(); caller != nil {
		if caller.Uid != nil {
			c.UID = sql.NullInt64{Int64: int64(caller.GetUid()), Valid: true}
		}
		if caller.Pid != nil {
			c.PID = sql.NullInt64{Int64: int64(caller.GetPid()), Valid: true}
		}
	}
	for _, redaction := range r.GetRedactions() {
		c.Redactions = addClamped(c.Redactions, clamp(redaction.GetCount()))
	}
	for _, p := range r.GetPayloads() {
		c.PayloadBytes = addClamped(c.PayloadBytes, clamp(p.GetBytes()))
	}
	return c
}

// KindName returns the value of the column kind for a kind.
func KindName(k pb.AuditKind) string {
	if k == pb.AuditKind_AUDIT_KIND_REJECTION {
		return "refusal" // the word in the databases of every version
	}
	return enumWord(k.String(), "AUDIT_KIND_")
}

// enumWord returns the name of an enum's value as people write it: "AUDIT_KIND_TOOL_CALL" gives "tool_call".
func enumWord(name, prefix string) string { return strings.ToLower(strings.TrimPrefix(name, prefix)) }

// Text returns a text as columns have it: a NUL, which not every database keeps, becomes U+FFFD. Queries compare
// with the same form.
func Text(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// clamp returns a number as columns have it: at most 2^63-1.
func clamp(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// addClamped returns a+b, at most 2^63-1. Neither is negative.
func addClamped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
