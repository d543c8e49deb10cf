// Package record divides an audit record into the parts that are stored and reads it back from them.
//
// Its bytes are divided by what reads them: a list needs the facts alone, a person the text of the receipt, and the payload, which
// is nine tenths of most records, is read last.
package record

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
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

// ErrMessage means that a part is not what Split made.
var ErrMessage = errors.New("it cannot be read")

// Parts are the parts of a record. log_id, sequence, recorded_at and the hashes, which a log gives it, are in none.
type Parts struct {
	// Facts has all fields that are in no other part.
	Facts []byte
	// Canonical is the canonical result; nil: none, or an empty one, which is in Facts.
	Canonical []byte
	// Receipt is the text of the receipt. It is not valid if there is no receipt, or if its text has a NUL, which not
	// every database keeps: such a text is in Facts.
	Receipt sql.NullString
	// Payload has output, details and compacted; nil: none.
	Payload []byte
}

// Size returns the size of all parts, in bytes.
func (p *Parts) Size() int {
	return len(p.Facts) + len(p.Canonical) + len(p.Payload) + len(p.Receipt.String)
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

// Split returns the parts of a record. Fields that a log gives it are ignored. Errors: [auditlog.ErrInvalidRecord].
func Split(r *pb.AuditRecord) (p Parts, err error) {
	facts, heavy := splitRecord(r)
	if text := r.GetReceipt().GetText(); r.GetReceipt() != nil && !strings.Contains(text, "\x00") {
		p.Receipt = sql.NullString{String: text, Valid: true}
		facts.Receipt = withoutText(r.GetReceipt())
	}
	if !utf8.ValidString(r.GetReceipt().GetText()) {
		return p, fmt.Errorf("a receipt that is not UTF-8: %w", auditlog.ErrInvalidRecord)
	}
	if r.GetCanonical() != nil {
		if p.Canonical, err = marshal(r.GetCanonical()); err != nil {
			return p, err
		}
		if len(p.Canonical) == 0 { // not every database distinguishes zero bytes from NULL
			p.Canonical, facts.Canonical = nil, r.GetCanonical()
		}
	}
	if p.Facts, err = marshal(facts); err != nil {
		return p, err
	}
	if p.Payload, err = marshal(heavy); len(p.Payload) == 0 {
		p.Payload = nil
	}
	return p, err
}

// CheckKeys fails if a text that is indexed is too long. Errors: [auditlog.ErrInvalidRecord].
func CheckKeys(c *Columns, artifacts []string) error {
	for _, key := range append(slices.Clone(artifacts), c.Session, c.Call, c.RequestID, c.Tool) {
		if len(key) > maxKey {
			return fmt.Errorf("a name of %d bytes, bound %d: %w", len(key), maxKey, auditlog.ErrInvalidRecord)
		}
	}
	return nil
}

// splitRecord divides a record into the messages that are stored: facts, and the heavy fields. Both share fields with r.
// The canonical result, and what a log gives to a record, is in neither. Fields of later versions are facts.
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

// Encode returns the parts as bytes: facts, canonical, receipt and payload. Before each are a byte that says whether it is there, and
// its length as 8 bytes, big-endian.
func (p *Parts) Encode() []byte {
	b := make([]byte, 0, p.Size()+4*partHead)
	part := func(content []byte, present bool) {
		head := byte(0)
		if present {
			head = 1
		}
		b = append(binary.BigEndian.AppendUint64(append(b, head), uint64(len(content))), content...)
	}
	part(p.Facts, true)
	part(p.Canonical, p.Canonical != nil)
	part([]byte(p.Receipt.String), p.Receipt.Valid)
	part(p.Payload, p.Payload != nil)
	return b
}

// partHead is the size of what is before each part, in bytes.
const partHead = 9

// Decode reads what Encode returned. The parts share its memory.
func Decode(b []byte) (p Parts, err error) {
	part := func() (content []byte, present bool) {
		if len(b) < partHead {
			err = ErrMessage
			return nil, false
		}
		present = b[0] == 1
		length := binary.BigEndian.Uint64(b[1:])
		if b = b[partHead:]; length > uint64(len(b)) {
			err = ErrMessage
			return nil, false
		}
		content, b = b[:length:length], b[length:]
		return content, present
	}
	optional := func() []byte {
		if content, present := part(); present {
			return content
		}
		return nil
	}
	p.Facts, _ = part()
	p.Canonical = optional()
	receipt, valid := part()
	p.Receipt = sql.NullString{String: string(receipt), Valid: valid}
	p.Payload = optional()
	if len(b) > 0 {
		err = ErrMessage
	}
	return p, err
}

// Join reads the record of parts.
func (p *Parts) Join() (*pb.AuditRecord, error) {
	record, err := p.Outline()
	if err != nil {
		return nil, err
	}
	if p.Receipt.Valid {
		if record.Receipt == nil {
			return nil, fmt.Errorf("%w: a text of no receipt", ErrMessage)
		}
		record.Receipt.Text = p.Receipt.String
	} else if record.Receipt != nil { // its text is in Facts, and Outline omits it
		facts := &pb.AuditRecord{}
		if err := proto.Unmarshal(p.Facts, facts); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMessage, err)
		}
		record.Receipt = facts.GetReceipt()
	}
	if p.Canonical != nil {
		record.Canonical = &pb.CanonicalToolResult{}
		if err := proto.Unmarshal(p.Canonical, record.GetCanonical()); err != nil {
			return nil, fmt.Errorf("%w: canonical: %w", ErrMessage, err)
		}
	}
	return record, p.addPayload(record)
}

// Outline reads the record of the facts alone: without output, canonical, compacted, details and the text of the receipt.
func (p *Parts) Outline() (*pb.AuditRecord, error) {
	record := &pb.AuditRecord{}
	if err := proto.Unmarshal(p.Facts, record); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	if record.Receipt != nil {
		record.Receipt.Text = ""
	}
	return record, nil
}

// HasCompacted reports whether the payload has compacted results, or may have.
func (p *Parts) HasCompacted() bool {
	for b := p.Payload; len(b) > 0; {
		number, _, n := protowire.ConsumeField(b)
		if n < 0 || protoreflect.FieldNumber(number) == fieldCompacted {
			return true
		}
		b = b[n:]
	}
	return false
}

// addPayload reads the payload, and sets its fields in the record.
func (p *Parts) addPayload(record *pb.AuditRecord) error {
	if p.Payload == nil {
		return nil
	}
	heavy := &pb.AuditRecord{}
	if err := proto.Unmarshal(p.Payload, heavy); err != nil {
		return fmt.Errorf("%w: payload: %w", ErrMessage, err)
	}
	heavy.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		record.ProtoReflect().Set(f, v)
		return true
	})
	return nil
}
