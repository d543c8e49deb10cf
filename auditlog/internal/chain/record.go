package chain

// How a row becomes a record again. Nothing of a row is believed: its hash, its messages and its columns must agree.

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Reasons why a row is inconsistent. Clients see them.
var (
	errHash    = errors.New("its hash is not that of its content")
	errMessage = errors.New("it cannot be read")
)

// Record reads the record of a whole row. It fails if the row is not as it was sealed, or if a column or an artifact does
// not repeat the record.
func (r *Row) Record() (*pb.AuditRecord, error) {
	if r.Hash != r.chainHash(r.contentHash()) {
		return nil, errHash
	}
	record, err := r.Outline()
	if err != nil {
		return nil, err
	}
	if r.Receipt.Valid {
		if record.Receipt == nil {
			return nil, fmt.Errorf("%w: a text of no receipt", errMessage)
		}
		record.Receipt.Text = r.Receipt.String
	} else if record.Receipt != nil { // its text is in Facts, and Outline omits it
		facts := &pb.AuditRecord{}
		if err := proto.Unmarshal(r.Facts, facts); err != nil {
			return nil, fmt.Errorf("%w: %w", errMessage, err)
		}
		record.Receipt = facts.GetReceipt()
	}
	if r.Canonical != nil {
		record.Canonical = &pb.CanonicalToolResult{}
		if err := proto.Unmarshal(r.Canonical, record.GetCanonical()); err != nil {
			return nil, fmt.Errorf("%w: canonical: %w", errMessage, err)
		}
	}
	if err := r.addPayload(record); err != nil {
		return nil, err
	}
	return record, r.compare(record)
}

// Outline reads the record of a row from its facts alone: without output, canonical, compacted, details and the text of
// the receipt. It does not check the hash.
func (r *Row) Outline() (*pb.AuditRecord, error) {
	record := &pb.AuditRecord{}
	if err := proto.Unmarshal(r.Facts, record); err != nil {
		return nil, fmt.Errorf("%w: %w", errMessage, err)
	}
	if record.Receipt != nil {
		record.Receipt.Text = ""
	}
	r.setPlace(record)
	return record, nil
}

// setPlace sets the fields of a record that Seal gave to its row.
func (r *Row) setPlace(record *pb.AuditRecord) {
	record.LogId, record.Sequence, record.RecordedAt = r.Log, r.Sequence, timestamppb.New(time.UnixMilli(r.At))
	record.PreviousHash, record.Hash = r.Previous.String(), r.Hash.String()
}

// addPayload reads the payload of a row, and sets its fields in the record.
func (r *Row) addPayload(record *pb.AuditRecord) error {
	if r.Payload == nil {
		return nil
	}
	b, err := decompress(r.Payload)
	if err != nil {
		return fmt.Errorf("%w: payload: %w", errMessage, err)
	}
	heavy := &pb.AuditRecord{}
	if err := proto.Unmarshal(b, heavy); err != nil {
		return fmt.Errorf("%w: payload: %w", errMessage, err)
	}
	heavy.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		record.ProtoReflect().Set(f, v)
		return true
	})
	return nil
}

// compare returns an error that names the column which does not repeat the record; nil: all do.
func (r *Row) compare(record *pb.AuditRecord) error {
	artifacts := artifactPaths(record)
	want := newColumns(record, len(artifacts))
	if want != r.Columns {
		names, is, should := ColumnNames(), r.Columns.Values(), want.Values()
		for i, name := range names {
			if is[i] != should[i] {
				return fmt.Errorf("its column %s was altered", name)
			}
		}
	}
	if !slices.Equal(artifacts, slices.Sorted(slices.Values(r.Artifacts))) { // databases sort text differently
		return errors.New("its rows in the table artifacts were altered")
	}
	return nil
}
