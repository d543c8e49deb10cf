package sqlite

// Queries. Rows are read as they are, also those that somebody altered: package chain finds out. Every query uses an index
// of schema.go, and its text does not depend on values, so that it is prepared once.

import (
	"context"
	"math"
	"strings"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// Rows implements [chain.RowReader].
func (b *backend) Rows(ctx context.Context, from, until uint64, limit int) (rows []*chain.Row, err error) {
	first, last := chain.StoredRange(from, until)
	err = b.withReader(ctx, func(db *sqlitedb.DB) error {
		rows, err = b.rows(db, "r.sequence BETWEEN ? AND ? ORDER BY r.sequence LIMIT ?", first, last, limit)
		return err
	})
	return rows, err
}

// Request implements [chain.RowReader].
func (b *backend) Request(ctx context.Context, session, requestID string) (rows []*chain.Row, err error) {
	err = b.withReader(ctx, func(db *sqlitedb.DB) error {
		rows, err = b.rows(db, "r.session = ? AND r.request_id = ? AND r.request_id <> '' ORDER BY r.part", session, requestID)
		return err
	})
	return rows, err
}

// rows reads whole rows, and then the artifacts that they name.
func (b *backend) rows(db *sqlitedb.DB, condition string, args ...any) (rows []*chain.Row, err error) {
	err = db.Each("SELECT "+rowColumns()+" FROM records r WHERE "+condition, args, func(scan func(...any) error) error {
		s := &rowScanner{Row: &chain.Row{Log: b.name}}
		if err := scan(s.rowTargets()...); err != nil {
			return err
		}
		rows = append(rows, s.row())
		return nil
	})
	for i := 0; err == nil && i < len(rows); i++ {
		rows[i].Artifacts, err = artifactNames(db, rows[i].Sequence)
	}
	return rows, err
}

// artifactNames reads the artifacts that a row names.
func artifactNames(db *sqlitedb.DB, sequence uint64) (list []string, err error) {
	err = db.Each("SELECT artifact FROM artifacts WHERE sequence = ? ORDER BY artifact", []any{int64(sequence)}, func(scan func(...any) error) error {
		var name string
		err := scan(strict{&name})
		list = append(list, name)
		return err
	})
	return list, err
}

// Outlines implements [chain.RowReader].
func (b *backend) Outlines(ctx context.Context, q auditlog.Query, limit int) (rows []*chain.Row, err error) {
	statement, args := listQuery(q, limit)
	err = b.withReader(ctx, func(db *sqlitedb.DB) error {
		return db.Each(statement, args, func(scan func(...any) error) error {
			s := &rowScanner{Row: &chain.Row{Log: b.name}}
			if err := scan(s.outlineTargets()...); err != nil {
				return err
			}
			rows = append(rows, s.row())
			return nil
		})
	})
	return rows, err
}

// listQuery returns the statement of a list and its arguments. Fields of q that are not set are not in it, so that SQLite
// chooses the index that fits.
func listQuery(q auditlog.Query, limit int) (statement string, args []any) {
	from := "records r"
	var conditions []string
	where := func(condition string, arg any) {
		conditions = append(conditions, condition)
		args = append(args, arg)
	}
	if q.Artifact != "" {
		// CROSS JOIN fixes the order (sqlite.org/lang_select.html): few rows name an artifact, and many are in a session.
		from = "artifacts a CROSS JOIN records r ON r.sequence = a.sequence"
		where("a.artifact = ?", q.Artifact)
	}
	for _, c := range []struct{ column, value string }{
		{"session", q.Session}, {"call", q.Call}, {"request_id", q.RequestID}, {"tool", q.Tool},
	} {
		if c.value != "" {
			where("r."+c.column+" = ?", c.value)
			if c.column != "call" && c.column != "tool" {
				conditions = append(conditions, "r."+c.column+" <> ''") // the condition of the partial indices
			}
		}
	}
	if !q.From.IsZero() {
		where("r.recorded_at >= ?", chain.FormatTime(q.From.UnixMilli()))
	}
	if !q.Until.IsZero() {
		where("r.recorded_at < ?", chain.FormatTime(q.Until.UnixMilli()))
	}
	if q.Below > 0 {
		where("r.sequence < ?", int64(min(q.Below, math.MaxInt64)))
	}
	if len(q.Kinds) > 0 {
		places := make([]string, len(q.Kinds))
		for i, k := range q.Kinds {
			places[i] = "?"
			args = append(args, chain.KindName(k))
		}
		conditions = append(conditions, "r.kind IN ("+strings.Join(places, ", ")+")")
	}
	statement = "SELECT " + outlineColumns + " FROM " + from
	if len(conditions) > 0 {
		statement += " WHERE " + strings.Join(conditions, " AND ")
	}
	return statement + " ORDER BY r.sequence DESC LIMIT ?", append(args, limit)
}

// selectMarks reads the oldest rows with their sizes, but not their content.
const selectMarks = `SELECT sequence, recorded_at, hash,
	length(facts) + coalesce(length(canonical), 0) + coalesce(length(payload), 0) + coalesce(octet_length(receipt), 0)
	FROM records WHERE sequence > 0 ORDER BY sequence LIMIT ?`

// Marks implements [chain.RetentionReader].
func (b *backend) Marks(ctx context.Context, limit int) (rows []*chain.Row, err error) {
	err = b.withReader(ctx, func(db *sqlitedb.DB) error {
		return db.Each(selectMarks, []any{limit}, func(scan func(...any) error) error {
			s := &rowScanner{Row: &chain.Row{Log: b.name}}
			if err := scan(&s.Sequence, &s.at, &s.Hash, &s.Size); err != nil {
				return err
			}
			rows = append(rows, s.row())
			return nil
		})
	})
	return rows, err
}

// Anchor implements [chain.RetentionReader].
func (b *backend) Anchor(ctx context.Context) (t chain.Tip, err error) {
	err = b.withReader(ctx, func(db *sqlitedb.DB) error {
		_, err := db.Row("SELECT anchor_sequence, anchor_hash FROM log", nil, &t.Sequence, &t.Hash)
		return err
	})
	return t, err
}
