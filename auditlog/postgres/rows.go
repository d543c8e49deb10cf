package postgres

// Records as rows. A row has the parts of a record as they are in the journal, and its hashes; what else it has repeats the record.

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// row is a record as the tables have it.
type row struct {
	log      string
	sequence int64
	at       int64 // milliseconds since 1970
	record.Row
	record.Parts
	previous, hash []byte
}

// newRow returns the row of an entry.
func newRow(log string, e *journal.Entry) (*row, error) {
	parts, err := record.Decode(e.Data)
	if err != nil {
		return nil, err
	}
	x, err := parts.Row()
	if err != nil {
		return nil, err
	}
	return &row{log: log, sequence: int64(e.Number), at: e.At, Row: *x, Parts: parts, previous: e.Previous[:], hash: e.Hash[:]}, nil
}

// outlineColumns are the columns of a list, in the order of outlineTargets. The server keeps microseconds.
const outlineColumns = "r.log, r.sequence, (extract(epoch FROM r.recorded_at) * 1000000)::bigint, r.facts, r.previous_hash, r.hash"

// rowColumns are all columns, in the order of rowTargets. Artifacts are a JSON array.
var rowColumns = outlineColumns + ", r.receipt, r.canonical, r.payload, " +
	"(SELECT json_agg(artifact) FROM artifacts a WHERE a.log = r.log AND a.sequence = r.sequence), r." + strings.Join(record.ColumnNames(), ", r.")

// insertRow is the statement that stores a row, with the parameters of values.
var insertRow = func() string {
	names := append([]string{"log", "sequence", "recorded_at", "facts", "previous_hash", "hash", "receipt", "canonical", "payload"}, record.ColumnNames()...)
	places := make([]string, len(names))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	return "INSERT INTO records (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(places, ", ") + ")"
}()

// insertArtifacts is the statement that stores the artifacts of a row, of which its last parameter is a JSON array.
const insertArtifacts = "INSERT INTO artifacts SELECT $1::text, $2::bigint, json_array_elements_text($3::json)"

// values returns the parameters of insertRow.
func (x *row) values() params {
	return encode(append([]any{x.log, x.sequence, time.UnixMilli(x.at), x.Facts, x.previous, x.hash, x.Receipt, x.Canonical, x.Payload}, x.Values()...))
}

// scanOutline reads outlineColumns.
func (x *row) scanOutline(scan func(...any) error) error {
	err := scan(x.outlineTargets()...)
	x.setTime()
	return err
}

// outlineTargets returns pointers to read outlineColumns into.
func (x *row) outlineTargets() []any {
	return []any{&x.log, &x.sequence, &x.at, &x.Facts, &x.previous, &x.hash}
}

// artifacts returns the parameters of insertArtifacts.
func (x *row) artifacts() params {
	list, err := json.Marshal(x.Artifacts)
	if err != nil {
		panic(err) // texts have a form in JSON
	}
	return encode([]any{x.log, x.sequence, string(list)})
}

// scanRow reads rowColumns.
func (x *row) scanRow(scan func(...any) error) error {
	var artifacts sql.NullString
	err := scan(append(append(x.outlineTargets(), &x.Receipt, &x.Canonical, &x.Payload, &artifacts), x.ScanTargets()...)...)
	if err == nil && artifacts.Valid {
		err = json.Unmarshal([]byte(artifacts.String), &x.Artifacts)
	}
	x.setTime()
	return err
}

// setTime makes milliseconds of the time that was read. The hash covers milliseconds, so a time that is not whole was altered: it becomes
// one that no row has.
func (x *row) setTime() {
	if x.at%1000 != 0 {
		x.at = -1000
	}
	x.at /= 1000
}

// place sets the fields of a record that the log gives it.
func (x *row) place(r *pb.AuditRecord) {
	r.LogId, r.Sequence, r.RecordedAt = x.log, uint64(max(x.sequence, 0)), timestamppb.New(time.UnixMilli(x.at))
	r.PreviousHash, r.Hash = hashOf(x.previous).String(), hashOf(x.hash).String()
}

// hashOf returns a hash that was read. One that is no hash becomes the zero hash, which no record has.
func hashOf(b []byte) (h journal.Hash) {
	if len(b) == len(h) {
		copy(h[:], b)
	}
	return h
}

// errHash is why a row is not what was stored. Clients see it.
var errHash = errors.New("its hash is not that of its content")

// record reads the record of a whole row. Nothing of a row is believed: its hash, its messages and its columns must agree.
func (x *row) record() (*pb.AuditRecord, error) {
	e := journal.Entry{
		Stream: journal.Records, Number: uint64(x.sequence), At: x.at, Data: x.Encode(), Previous: hashOf(x.previous), Hash: hashOf(x.hash),
	}
	if !e.Holds(x.log) {
		return nil, errHash
	}
	r, err := x.Join()
	if err != nil {
		return nil, err
	}
	want, err := record.NewRow(r)
	if err != nil {
		return nil, err
	}
	if what := x.Difference(want); what != "" {
		return nil, fmt.Errorf("its %s was altered", what)
	}
	x.place(r)
	return r, nil
}

// broken is record with the error of a caller.
func (x *row) broken() (*pb.AuditRecord, error) {
	r, err := x.record()
	if err != nil {
		return nil, fmt.Errorf("record %d: %w: %w", x.sequence, auditlog.ErrBroken, err)
	}
	return r, nil
}

// rows reads whole rows.
func (l *Log) rows(ctx context.Context, condition string, args ...any) (list []*row, err error) {
	err = l.query(ctx, "SELECT "+rowColumns+" FROM records r WHERE "+condition, args, func(scan func(...any) error) error {
		x := &row{}
		err := x.scanRow(scan)
		list = append(list, x)
		return err
	})
	return list, err
}

// stored returns a sequence as the server has it, which is signed. No log reaches 2^63-1.
func stored(sequence uint64) int64 { return int64(min(sequence, math.MaxInt64)) }
