package chain

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

// What can be wrong with a row.
var (
	errHash    = errors.New("its hash is not that of its content")
	errMessage = errors.New("it cannot be read")
)

// Record reads a whole row, and fails if it is not as it was sealed.
func (r *Row) Record() (*pb.AuditRecord, error) {
	if r.Hash != r.chained(r.contentHash()) {
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
	} else if record.Receipt != nil { // Outline left out the text
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

// Outline reads a record without what is heavy in it, and without its hash being compared.
func (r *Row) Outline() (*pb.AuditRecord, error) {
	record := &pb.AuditRecord{}
	if err := proto.Unmarshal(r.Facts, record); err != nil {
		return nil, fmt.Errorf("%w: %w", errMessage, err)
	}
	if record.Receipt != nil {
		record.Receipt.Text = ""
	}
	r.label(record)
	return record, nil
}

// label says in a record which place it has.
func (r *Row) label(record *pb.AuditRecord) {
	record.LogId, record.Sequence, record.RecordedAt = r.Log, r.Sequence, timestamppb.New(time.UnixMilli(r.At))
	record.PreviousHash, record.Hash = r.Previous.String(), r.Hash.String()
}

func (r *Row) addPayload(record *pb.AuditRecord) error {
	if r.Payload == nil {
		return nil
	}
	b, err := unpack(r.Payload)
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

// compare says which column does not repeat what the record says.
func (r *Row) compare(record *pb.AuditRecord) error {
	artifacts := artifactsOf(record)
	want := columnsOf(record, len(artifacts))
	if want != r.Columns {
		names, is, should := ColumnNames(), r.Columns.Values(), want.Values()
		for i, name := range names {
			if is[i] != should[i] {
				return fmt.Errorf("its column %s was altered", name)
			}
		}
	}
	if !slices.Equal(artifacts, slices.Sorted(slices.Values(r.Artifacts))) { // databases sort as they like
		return errors.New("its rows in the table artifacts were altered")
	}
	return nil
}
