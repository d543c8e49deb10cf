package postgres

// Queries, with connections of the pool: they need neither the lock of a log nor its worker. They see what is committed.

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
	"github.com/toolresult/toolresult/auditlog/internal/record"
)

// Rows implements [chain.RowReader].
func (b *backend) Rows(ctx context.Context, from, until uint64, limit int) ([]*chain.Row, error) {
	first, last := chain.StoredRange(from, until)
	return b.rows(ctx, "r.log = $1 AND r.sequence BETWEEN $2 AND $3 ORDER BY r.sequence LIMIT $4", b.name, first, last, limit)
}

// Request implements [chain.RowReader]. A unique index has each request once, in whichever log.
func (b *backend) Request(ctx context.Context, session, requestID string) ([]*chain.Row, error) {
	return b.rows(ctx, "r.session = $1 AND r.request_id = $2 AND r.request_id <> '' ORDER BY r.part", session, requestID)
}

// rows reads whole rows, with the artifacts that they name.
func (b *backend) rows(ctx context.Context, condition string, args ...any) (list []*chain.Row, err error) {
	err = b.each(ctx, "SELECT ARRAY(SELECT artifact FROM artifacts a WHERE a.log = r.log AND a.sequence = r.sequence), "+rowColumns()+
		" FROM records r WHERE "+condition, args, func(rows pgx.Rows) error {
		s := &rowScanner{Row: &chain.Row{}}
		err := rows.Scan(append([]any{&s.Artifacts}, s.rowTargets()...)...)
		list = append(list, s.row())
		return err
	})
	return list, err
}

// each runs a query with a connection of the pool, and calls read for each row.
func (b *backend) each(ctx context.Context, query string, args []any, read func(pgx.Rows) error) error {
	rows, err := b.pool.Query(ctx, query, args...)
	if err != nil && b.stop.Err() != nil { // the pool is closed, or about to be
		return auditlog.ErrClosed
	}
	if err != nil {
		return classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return classify(err)
		}
	}
	return classify(rows.Err())
}

// Outlines implements [chain.RowReader].
func (b *backend) Outlines(ctx context.Context, q auditlog.Query, limit int) (list []*chain.Row, err error) {
	query, args := b.listQuery(q, limit)
	err = b.each(ctx, query, args, func(rows pgx.Rows) error {
		s := &rowScanner{Row: &chain.Row{}}
		err := rows.Scan(s.outlineTargets()...)
		list = append(list, s.row())
		return err
	})
	return list, err
}

// listQuery returns the statement of a list and its arguments. Fields of q that are not set are not in it.
func (b *backend) listQuery(q auditlog.Query, limit int) (query string, args []any) {
	var conditions []string
	where := func(condition string, arg any) {
		args = append(args, arg)
		conditions = append(conditions, fmt.Sprintf(condition, len(args)))
	}
	where("r.log = $%d", b.name)
	if q.Artifact != "" {
		where("EXISTS (SELECT 1 FROM artifacts a WHERE a.log = r.log AND a.sequence = r.sequence AND a.artifact = $%d)", q.Artifact)
	}
	for _, c := range []struct{ condition, value string }{
		{"r.session = $%d AND r.session <> ''", q.Session}, {"r.call = $%d", q.Call},
		{"r.request_id = $%d AND r.request_id <> ''", q.RequestID}, {"r.tool = $%d", q.Tool},
	} {
		if c.value != "" {
			where(c.condition, c.value)
		}
	}
	if !q.From.IsZero() {
		where("r.recorded_at >= date_trunc('milliseconds', $%d::timestamptz)", q.From)
	}
	if !q.Until.IsZero() {
		where("r.recorded_at < date_trunc('milliseconds', $%d::timestamptz)", q.Until)
	}
	if q.Below > 0 {
		where("r.sequence < $%d", int64(min(q.Below, math.MaxInt64)))
	}
	if len(q.Kinds) > 0 {
		words := make([]string, len(q.Kinds))
		for i, k := range q.Kinds {
			words[i] = record.KindName(k)
		}
		where("r.kind = ANY($%d)", words)
	}
	return "SELECT " + outlineColumns + " FROM records r WHERE " + strings.Join(conditions, " AND ") +
		fmt.Sprintf(" ORDER BY r.sequence DESC LIMIT %d", limit), args
}

// selectMarks reads the oldest rows with their sizes, but not their content.
const selectMarks = `SELECT sequence, recorded_at, hash,
	octet_length(facts) + coalesce(octet_length(canonical), 0) + coalesce(octet_length(payload), 0) + coalesce(octet_length(receipt), 0)
	FROM records WHERE log = $1 AND sequence > 0 ORDER BY sequence LIMIT $2`

// Marks implements [chain.RetentionReader].
func (b *backend) Marks(ctx context.Context, limit int) (list []*chain.Row, err error) {
	err = b.each(ctx, selectMarks, []any{b.name, limit}, func(rows pgx.Rows) error {
		s := &rowScanner{Row: &chain.Row{Log: b.name}}
		err := rows.Scan(&s.Sequence, &s.at, &s.Hash, &s.Bytes)
		list = append(list, s.row())
		return err
	})
	return list, err
}

// Anchor implements [chain.RetentionReader].
func (b *backend) Anchor(ctx context.Context) (t chain.Tip, err error) {
	err = b.each(ctx, "SELECT anchor_sequence, anchor_hash FROM logs WHERE name = $1", []any{b.name}, func(rows pgx.Rows) error {
		return rows.Scan(&t.Sequence, &t.Hash)
	})
	return t, err
}
