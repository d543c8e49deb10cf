package chain

// How a record becomes a row. Its bytes are divided by what reads them: a list needs the facts alone, a person the text of
// the receipt, and the payload, which is nine tenths of most records, is compressed and read last.

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
	// maxKey bounds each text that is indexed, in bytes.
	maxKey = 1 << 10
)

// Row is a record as tables have it. Facts, Canonical, Receipt and Payload are the record, and hashed; Columns and
// Artifacts repeat parts of it.
type Row struct {
	// Log and Sequence identify the row.
	Log      string
	Sequence uint64
	// At is the time of recording, in milliseconds since 1970.
	At int64
	Columns
	// Artifacts are the artifacts that the record names, sorted. They are rows of a table of their own.
	Artifacts []string
	// Receipt is the text of the receipt. It is not valid if there is no receipt, or if its text has a NUL, which not
	// every database keeps: such a text is in Facts.
	Receipt sql.NullString
	// Canonical is the canonical result; nil: none, or an empty one, which is in Facts.
	Canonical []byte
	// Payload has output, details and compacted, compressed if that helps; nil: none.
	Payload []byte
	// Facts has all other fields.
	Facts []byte
	// Previous is the hash of the row before, Hash that of this one.
	Previous, Hash Hash

	// Size is the stored size in bytes. Only rows of [RetentionReader.Marks] have it.
	Size int64

	content Hash // of the record; only of rows made by NewRow
}

// StoredBytes returns the size of the record in the row, in bytes.
func (r *Row) StoredBytes() int {
	return len(r.Facts) + len(r.Canonical) + len(r.Payload) + len(r.Receipt.String)
}

// Numbers of the fields of AuditRecord that are not in Facts.
const (
	fieldLogID      protoreflect.FieldNumber = 1
	fieldSequence   protoreflect.FieldNumber = 2
	fieldRecordedAt protoreflect.FieldNumber = 3
	fieldDetails    protoreflect.FieldNumber = 24
	fieldOutput     protoreflect.FieldNumber = 27
	fieldCanonical  protoreflect.FieldNumber = 28
	fieldCompacted  protoreflect.FieldNumber = 30
	fieldPrevious   protoreflect.FieldNumber = 31
	fieldHash       protoreflect.FieldNumber = 32
)

// NewRow makes a row of a record. It ignores log_id, sequence, recorded_at and the hashes of the record: Seal gives them to
// the row. Errors: [auditlog.ErrInvalidRecord].
func NewRow(r *pb.AuditRecord) (*Row, error) {
	facts, heavy := splitRecord(r)
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
		if len(row.Canonical) == 0 { // not every database distinguishes zero bytes from NULL
			row.Canonical, facts.Canonical = nil, r.GetCanonical()
		}
	}
	if row.Facts, err = marshal(facts); err != nil {
		return nil, err
	}
	if row.Payload, err = marshal(heavy); err != nil {
		return nil, err
	}
	row.Payload = compress(row.Payload)
	row.Artifacts = artifactPaths(r)
	row.Columns = newColumns(r, len(row.Artifacts))
	for _, key := range append(slices.Clone(row.Artifacts), row.Session, row.Call, row.RequestID, row.Tool) {
		if len(key) > maxKey {
			return nil, fmt.Errorf("a name of %d bytes, bound %d: %w", len(key), maxKey, auditlog.ErrInvalidRecord)
		}
	}
	row.content = row.contentHash()
	return row, nil
}

// splitRecord divides a record into the messages that are stored: facts, and the heavy fields. Both share fields with r.
// The canonical result, and what Seal gives to a row, is in neither. Fields of later versions are facts.
func splitRecord(r *pb.AuditRecord) (facts, heavy *pb.AuditRecord) {
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

// withoutText returns a copy of a receipt without its text. Other fields are shared.
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

// marshal returns the bytes of a message: the same bytes for the same message, because they are hashed.
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

// artifactPaths returns the artifacts that a record names, sorted and each once: those of its payloads, and the paths in
// its canonical results.
func artifactPaths(r *pb.AuditRecord) (list []string) {
	add := func(name string) {
		if name != "" {
			list = append(list, columnText(name))
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

// eachReference calls add with the path of each reference to an artifact, at any depth of a message of any family.
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
