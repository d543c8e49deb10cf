package chain

// How a row becomes a record again. Nothing of a row is believed: its hash, its messages and its columns must agree.

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// errHash is why a row is inconsistent. Clients see it.
var errHash = errors.New("its hash is not that of its content")

// Record reads the record of a whole row. It fails if the row is not as it was sealed, or if a column or an artifact does
// not repeat the record.
func (r *Row) Record() (*pb.AuditRecord, error) {
	if r.Hash != r.chainHash(r.contentHash()) {
		return nil, errHash
	}
	record, err := r.Join()
	if err != nil {
		return nil, err
	}
	r.setPlace(record)
	return record, r.compare(record)
}

// Outline reads the record of a row from its facts alone: without output, canonical, compacted, details and the text of
// the receipt. It does not check the hash.
func (r *Row) Outline() (*pb.AuditRecord, error) {
	record, err := r.Parts.Outline()
	if err != nil {
		return nil, err
	}
	r.setPlace(record)
	return record, nil
}

// setPlace sets the fields of a record that Seal gave to its row.
func (r *Row) setPlace(record *pb.AuditRecord) {
	record.LogId, record.Sequence, record.RecordedAt = r.Log, r.Sequence, timestamppb.New(time.UnixMilli(r.At))
	record.PreviousHash, record.Hash = r.Previous.String(), r.Hash.String()
}

// compare returns an error that names the column which does not repeat the record; nil: all do.
func (r *Row) compare(got *pb.AuditRecord) error {
	artifacts := record.Artifacts(got)
	want := record.NewColumns(got, len(artifacts))
	if want != r.Columns {
		names, is, should := record.ColumnNames(), r.Columns.Values(), want.Values()
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
