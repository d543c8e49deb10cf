// Package chain is what the logs have in common: how a record becomes a row of a table and is read from it again,
// how rows are chained by hashes, how a chain is followed, and the head that is kept outside of the table.
package chain

import (
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Bounds of a record.
const (
	// maxRecord bounds each of the three messages that a record is stored as, in bytes.
	maxRecord = 64 << 20
	// maxKey bounds the texts that are indexed, in bytes.
	maxKey = 1 << 10
)

// Row is a record as a table has it.
type Row struct {
	Log      string
	Sequence uint64
	// At is when it was recorded, in milliseconds since 1970.
	At int64
	Columns
	// Artifacts that the record names, sorted; a table of their own has them.
	Artifacts []string
	// Receipt is the text of the receipt. Not valid: there is no receipt, or its text has a NUL, which not every
	// database keeps in a text, and is in Facts.
	Receipt sql.NullString
	// Canonical is the canonical result; nil: none.
	Canonical []byte
	// Payload are output, details and compacted, compressed where that helps; nil: none.
	Payload []byte
	// Facts are all other fields.
	Facts []byte
	// Previous is the hash of the row before, Hash that of this one.
	Previous, Hash Hash

	// Size of what is stored, in bytes; only of marks.
	Size int64

	content Hash // of the four parts above, if it was computed
}

// Columns are the columns that repeat something of the record, so that people and queries see it. Texts have no NUL.
type Columns struct {
	Kind, Method, CorrelationID, Session, Call, RequestID, RequestDigest string
	Part, Parts                                                          int64
	Tool, Family, Status, Code, Reason                                   string
	UID, PID                                                             sql.NullInt64
	Address                                                              string
	ElapsedUS, ReceiptTokens, Redactions, PayloadBytes, ArtifactCount    int64
}

// Column is a column of the table of records.
type Column struct {
	Name string
	// Type is as in SQL: TEXT or INTEGER, NOT NULL or not.
	Type string
	// Says what it has, for people.
	Says string
}

// columns are in the order of Values and Places.
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

// AllColumns are the columns of the table of records, beside those that name a record.
func AllColumns() []Column {
	return append(columns[:len(columns):len(columns)],
		Column{"receipt", "TEXT", "what the model read"},
		Column{"canonical", "BLOB", "toolresult.v1.CanonicalToolResult, protobuf"},
		Column{"payload", "BLOB", "toolresult.v1.AuditRecord with output, details and compacted, protobuf; zstd when it begins with 28 B5 2F FD"},
		Column{"facts", "BLOB NOT NULL", "toolresult.v1.AuditRecord with all else, protobuf"},
		Column{"previous_hash", "BLOB NOT NULL", "hash of the record before"},
		Column{"hash", "BLOB NOT NULL", "of this record; docs/audit.md says over what"})
}

// ColumnNames are the names of Columns, in the order of Values and Places.
func ColumnNames() []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// Values are what is stored in the columns.
func (c *Columns) Values() []any {
	return []any{c.Kind, c.Method, c.CorrelationID, c.Session, c.Call, c.RequestID, c.RequestDigest, c.Part, c.Parts,
		c.Tool, c.Family, c.Status, c.Code, c.Reason, c.UID, c.PID, c.Address, c.ElapsedUS, c.ReceiptTokens, c.Redactions,
		c.PayloadBytes, c.ArtifactCount}
}

// Places are where the columns are read into.
func (c *Columns) Places() []any {
	return []any{&c.Kind, &c.Method, &c.CorrelationID, &c.Session, &c.Call, &c.RequestID, &c.RequestDigest, &c.Part, &c.Parts,
		&c.Tool, &c.Family, &c.Status, &c.Code, &c.Reason, &c.UID, &c.PID, &c.Address, &c.ElapsedUS, &c.ReceiptTokens,
		&c.Redactions, &c.PayloadBytes, &c.ArtifactCount}
}

// Numbers of fields of AuditRecord that are not among the facts.
const (
	fieldLogID      protoreflect.FieldNumber = 1
	fieldSequence   protoreflect.FieldNumber = 2
	fieldRecordedAt protoreflect.FieldNumber = 3
	fieldDetails    protoreflect.FieldNumber = 24
	fieldOutput     protoreflect.FieldNumber = 27
	fieldCanonical  protoreflect.FieldNumber = 28
	fieldReceipt    protoreflect.FieldNumber = 29
	fieldCompacted  protoreflect.FieldNumber = 30
	fieldPrevious   protoreflect.FieldNumber = 31
	fieldHash       protoreflect.FieldNumber = 32
)

// NewRow makes a row of a record. What the log gives a record comes with Seal.
func NewRow(r *pb.AuditRecord) (*Row, error) {
	facts, heavy := divide(r)
	row := &Row{}
	if text := r.GetReceipt().GetText(); r.GetReceipt() != nil && !strings.Contains(text, "\x00") {
		row.Receipt = sql.NullString{String: text, Valid: true}
		facts.Receipt = withoutText(r.GetReceipt())
	}
	if !utf8.ValidString(r.GetReceipt().GetText()) {
		return nil, fmt.Errorf("a receipt that is not UTF-8: %w", auditlog.ErrInvalidRecord)
	}
	var err error
	if r.GetCanonical() != nil {
		if row.Canonical, err = marshal(r.GetCanonical()); err != nil {
			return nil, err
		}
		if len(row.Canonical) == 0 { // not every database tells no bytes from none
			row.Canonical, facts.Canonical = nil, r.GetCanonical()
		}
	}
	if row.Facts, err = marshal(facts); err != nil {
		return nil, err
	}
	if row.Payload, err = marshal(heavy); err != nil {
		return nil, err
	}
	row.Payload = pack(row.Payload)
	row.Artifacts = artifactsOf(r)
	row.Columns = columnsOf(r, len(row.Artifacts))
	for _, key := range append(slices.Clone(row.Artifacts), row.Session, row.Call, row.RequestID, row.Tool) {
		if len(key) > maxKey {
			return nil, fmt.Errorf("a name of %d bytes, bound %d: %w", len(key), maxKey, auditlog.ErrInvalidRecord)
		}
	}
	row.content = row.contentHash()
	return row, nil
}

// divide returns the facts of a record, which share everything with it but the receipt, and what is heavy in it.
func divide(r *pb.AuditRecord) (facts, heavy *pb.AuditRecord) {
	facts, heavy = &pb.AuditRecord{}, &pb.AuditRecord{}
	from := r.ProtoReflect()
	from.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch f.Number() {
		case fieldLogID, fieldSequence, fieldRecordedAt, fieldPrevious, fieldHash, fieldCanonical:
		case fieldDetails, fieldOutput, fieldCompacted:
			heavy.ProtoReflect().Set(f, v)
		default:
			facts.ProtoReflect().Set(f, v)
		}
		return true
	})
	facts.ProtoReflect().SetUnknown(from.GetUnknown())
	return facts, heavy
}

// withoutText returns a receipt without its text.
func withoutText(r *pb.Receipt) *pb.Receipt {
	bare := &pb.Receipt{}
	from := r.ProtoReflect()
	from.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.Name() != "text" {
			bare.ProtoReflect().Set(f, v)
		}
		return true
	})
	bare.ProtoReflect().SetUnknown(from.GetUnknown())
	return bare
}

// marshal makes the bytes of a message, the same for the same message.
func marshal(m proto.Message) ([]byte, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", auditlog.ErrInvalidRecord, err)
	}
	if len(b) > maxRecord {
		return nil, fmt.Errorf("%d bytes, bound %d: %w", len(b), maxRecord, auditlog.ErrInvalidRecord)
	}
	return b, nil
}

// columnsOf is what the columns repeat of a record.
func columnsOf(r *pb.AuditRecord, artifacts int) Columns {
	c := Columns{
		Kind: KindWord(r.GetKind()), Method: plain(r.GetMethod()), CorrelationID: plain(r.GetCorrelationId()),
		Session: plain(r.GetCall().GetSessionId()), Call: plain(r.GetCall().GetCallId()),
		RequestID: plain(r.GetRequestId()), RequestDigest: plain(r.GetRequestDigest()),
		Part: int64(r.GetPart()), Parts: int64(r.GetParts()),
		Tool: plain(r.GetToolName()), Family: plain(r.GetFamily()),
		Code: plain(r.GetRejection().GetCode()), Reason: plain(r.GetRejection().GetReason()),
		Address: plain(r.GetCaller().GetAddress()), ElapsedUS: bounded(uint64(max(0, r.GetElapsed().AsDuration().Microseconds()))),
		ReceiptTokens: int64(r.GetReceipt().GetTokens()), ArtifactCount: int64(artifacts),
	}
	if r.GetStatus() != pb.ToolStatus_TOOL_STATUS_UNSPECIFIED {
		c.Status = word(r.GetStatus().String(), "TOOL_STATUS_")
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
		c.Redactions = sum(c.Redactions, bounded(redaction.GetCount()))
	}
	for _, p := range r.GetPayloads() {
		c.PayloadBytes = sum(c.PayloadBytes, bounded(p.GetBytes()))
	}
	return c
}

// KindWord is how the column kind names a kind.
func KindWord(k pb.AuditKind) string {
	if k == pb.AuditKind_AUDIT_KIND_REJECTION {
		return "refusal" // as the rows of earlier logs have it
	}
	return word(k.String(), "AUDIT_KIND_")
}

// word is the name of a value of an enum as people write it.
func word(name, prefix string) string { return strings.ToLower(strings.TrimPrefix(name, prefix)) }

// plain is a text as a column has it: not every database keeps a NUL in a text.
func plain(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// Plain is a text as a query compares it with a column.
func Plain(text string) string { return plain(text) }

func bounded(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// artifactsOf returns the artifacts that a record names: those of its payloads, and the paths in its canonical results.
func artifactsOf(r *pb.AuditRecord) (list []string) {
	add := func(name string) {
		if name != "" {
			list = append(list, plain(name))
		}
	}
	for _, p := range r.GetPayloads() {
		add(p.GetArtifact())
		add(p.GetOriginalArtifact())
	}
	if r.GetCanonical() != nil {
		eachReference(r.GetCanonical().ProtoReflect(), add)
	}
	for _, c := range r.GetCompacted() {
		eachReference(c.ProtoReflect(), add)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// eachReference calls add for the path of each reference to an artifact in a message.
func eachReference(m protoreflect.Message, add func(path string)) {
	if ref, ok := m.Interface().(*pb.ArtifactReference); ok {
		add(ref.GetPath())
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsMap():
			if f.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					eachReference(v.Message(), add)
					return true
				})
			}
		case f.IsList():
			for i := range v.List().Len() {
				eachReference(v.List().Get(i).Message(), add)
			}
		default:
			eachReference(v.Message(), add)
		}
		return true
	})
}

// Time is a time as a record has it: RFC 3339 in UTC with milliseconds. It sorts as text.
func Time(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// ParseTime reads what Time wrote.
func ParseTime(text string) (ms int64, err error) {
	t, err := time.Parse("2006-01-02T15:04:05.000Z", text)
	return t.UnixMilli(), err
}
