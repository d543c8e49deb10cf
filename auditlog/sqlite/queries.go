package sqlite

import (
	"context"
	"math"
	"strings"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// Rows is of [chain.Backend].
func (b *backend) Rows(ctx context.Context, from, until uint64, limit int) (rows []*chain.Row, err error) {
	err = b.read(ctx, func(db *sqlitedb.DB) error {
		rows, err = b.rows(db, "r.sequence BETWEEN ? AND ? ORDER BY r.sequence LIMIT ?", signed(from), signed(until), limit)
		return err
	})
	return rows, err
}

// Request is of [chain.Backend].
func (b *backend) Request(ctx context.Context, session, requestID string) (rows []*chain.Row, err error) {
	err = b.read(ctx, func(db *sqlitedb.DB) error {
		rows, err = b.rows(db, "r.session = ? AND r.request_id = ? AND r.request_id <> '' ORDER BY r.part", session, requestID)
		return err
	})
	return rows, err
}

// signed is a sequence as SQLite has it.
func signed(sequence uint64) int64 { return int64(min(sequence, math.MaxInt64)) }

// rows reads whole rows, and then which artifacts they name.
func (b *backend) rows(db *sqlitedb.DB, condition string, args ...any) (rows []*chain.Row, err error) {
	err = db.Each("SELECT "+rowColumns()+" FROM records r WHERE "+condition, args, func(scan func(...any) error) error {
		s := &scanned{Row: &chain.Row{Log: b.name}}
		if err := scan(s.rowPlaces()...); err != nil {
			return err
		}
		rows = append(rows, s.done())
		return nil
	})
	for i := 0; err == nil && i < len(rows); i++ {
		rows[i].Artifacts, err = artifactsOf(db, rows[i].Sequence)
	}
	return rows, err
}

func artifactsOf(db *sqlitedb.DB, sequence uint64) (list []string, err error) {
	err = db.Each("SELECT artifact FROM artifacts WHERE sequence = ? ORDER BY artifact", []any{signed(sequence)}, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		list = append(list, name)
		return err
	})
	return list, err
}

// Outlines is of [chain.Backend].
func (b *backend) Outlines(ctx context.Context, q auditlog.Query, limit int) (rows []*chain.Row, err error) {
	query, args := listing(q, limit)
	err = b.read(ctx, func(db *sqlitedb.DB) error {
		return db.Each(query, args, func(scan func(...any) error) error {
			s := &scanned{Row: &chain.Row{Log: b.name}}
			if err := scan(s.outlinePlaces()...); err != nil {
				return err
			}
			rows = append(rows, s.done())
			return nil
		})
	})
	return rows, err
}

// listing is the statement of a list. Only what is asked for is in it, so that SQLite takes the index that fits.
func listing(q auditlog.Query, limit int) (query string, args []any) {
	from := "records r"
	var conditions []string
	where := func(condition string, arg any) {
		conditions = append(conditions, condition)
		args = append(args, arg)
	}
	if q.Artifact != "" {
		from = "artifacts a CROSS JOIN records r ON r.sequence = a.sequence"
		where("a.artifact = ?", q.Artifact)
	}
	for _, c := range []struct{ column, value string }{
		{"session", q.Session}, {"call", q.Call}, {"request_id", q.RequestID}, {"tool", q.Tool},
	} {
		if c.value != "" {
			where("r."+c.column+" = ?", c.value)
			if c.column != "call" && c.column != "tool" {
				conditions = append(conditions, "r."+c.column+" <> ''") // the indices are of these
			}
		}
	}
	if !q.From.IsZero() {
		where("r.recorded_at >= ?", chain.Time(q.From.UnixMilli()))
	}
	if !q.Until.IsZero() {
		where("r.recorded_at < ?", chain.Time(q.Until.UnixMilli()))
	}
	if q.Below > 0 {
		where("r.sequence < ?", signed(q.Below))
	}
	if len(q.Kinds) > 0 {
		places := make([]string, len(q.Kinds))
		for i, k := range q.Kinds {
			places[i] = "?"
			args = append(args, chain.KindWord(k))
		}
		conditions = append(conditions, "r.kind IN ("+strings.Join(places, ", ")+")")
	}
	query = "SELECT " + outlineColumns() + " FROM " + from
	if len(conditions) > 0 {
		query += " WHERE " + strings.Join(conditions, " AND ")
	}
	return query + " ORDER BY r.sequence DESC LIMIT ?", append(args, limit)
}

const marks = `SELECT sequence, recorded_at, hash,
	length(facts) + coalesce(length(canonical), 0) + coalesce(length(payload), 0) + coalesce(octet_length(receipt), 0)
	FROM records ORDER BY sequence LIMIT ?`

// Marks is of [chain.Backend].
func (b *backend) Marks(ctx context.Context, limit int) (rows []*chain.Row, err error) {
	err = b.read(ctx, func(db *sqlitedb.DB) error {
		return db.Each(marks, []any{limit}, func(scan func(...any) error) error {
			s := &scanned{Row: &chain.Row{Log: b.name}}
			if err := scan(&s.Sequence, &s.at, &s.Hash, &s.Size); err != nil {
				return err
			}
			rows = append(rows, s.done())
			return nil
		})
	})
	return rows, err
}

// Anchor is of [chain.Backend].
func (b *backend) Anchor(ctx context.Context) (t chain.Tip, err error) {
	err = b.read(ctx, func(db *sqlitedb.DB) error {
		_, err := db.Row("SELECT anchor_sequence, anchor_hash FROM log", nil, &t.Sequence, &t.Hash)
		return err
	})
	return t, err
}
