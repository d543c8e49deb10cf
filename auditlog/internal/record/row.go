package record

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Row is what tables have of a record, so that it is found. It repeats the record.
type Row struct {
	Columns
	// Artifacts are the artifacts that the record names. They are rows of a table of their own.
	Artifacts []string
}

// NewRow returns the row of a record. Errors: [auditlog.ErrInvalidRecord].
func NewRow(r *pb.AuditRecord) (*Row, error) {
	x := &Row{Artifacts: Artifacts(r)}
	x.Columns = NewColumns(r, len(x.Artifacts))
	return x, CheckKeys(&x.Columns, x.Artifacts)
}

// Row makes the row of a record of its parts. It reads no more of them than it needs.
func (p *Parts) Row() (*Row, error) {
	r, err := p.Outline()
	if err != nil {
		return nil, err
	}
	if p.Canonical != nil {
		r.Canonical = &pb.CanonicalToolResult{}
		if err := proto.Unmarshal(p.Canonical, r.GetCanonical()); err != nil {
			return nil, fmt.Errorf("%w: canonical: %w", ErrMessage, err)
		}
	}
	if p.HasCompacted() { // it may name artifacts
		if r, err = p.Join(); err != nil {
			return nil, err
		}
	}
	return NewRow(r)
}

// Difference names what of a row that was read is not as in another one; empty: nothing. Artifacts are in any order, because databases
// sort text differently.
func (x *Row) Difference(want *Row) string {
	if x.Columns != want.Columns {
		names, is, should := ColumnNames(), x.Values(), want.Values()
		for i, name := range names {
			if is[i] != should[i] {
				return "column " + name
			}
		}
	}
	sort := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	if !slices.Equal(sort(x.Artifacts), sort(want.Artifacts)) {
		return "list of artifacts"
	}
	return ""
}
