package postgres

// Connections. The sender has one of its own, and those who read share a few.

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolresult/toolresult/auditlog"
)

// maxReaders is the largest number of connections that read.
const maxReaders = 4

// configure returns the parameters of every connection. The server ends a transaction that is left open, because this machine
// vanished, after 30 seconds.
func (l *Log) configure() (*pgconn.Config, error) {
	c, err := pgconn.ParseConfig(l.o.DSN)
	if err != nil {
		return nil, err
	}
	c.ConnectTimeout = l.o.Patience
	set := map[string]string{
		"application_name":                    "toolresult",
		"search_path":                         quote(l.o.Schema),
		"client_encoding":                     "UTF8",
		"bytea_output":                        "hex",
		"idle_in_transaction_session_timeout": "30s",
		"lock_timeout":                        "30s",
	}
	if l.o.Volatile {
		set["synchronous_commit"] = "off"
	} else {
		c.AfterConnect = requireDurable
	}
	for name, value := range set {
		c.RuntimeParams[name] = value
	}
	return c, nil
}

// quote returns a name as statements have it.
func quote(name string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(name, "\x00", ""), `"`, `""`) + `"`
}

// requireDurable makes commits wait until they are durable, if the server's default is weaker. It keeps stronger defaults,
// which wait for stand-by servers too.
func requireDurable(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')").Close()
}

// closeConn closes a connection; nil: there is none.
func closeConn(conn *pgconn.PgConn) {
	if conn == nil || conn.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server may be gone
}

// reading calls use with a connection that nobody else uses meanwhile. It fails at once while the server is away. Errors are those of
// package auditlog.
func (l *Log) reading(ctx context.Context, use func(ctx context.Context, conn *pgconn.PgConn) error) error {
	l.mu.Lock()
	away, closed := l.away, l.closed
	l.mu.Unlock()
	if closed {
		return auditlog.ErrClosed
	}
	if away != nil {
		return away
	}
	var conn *pgconn.PgConn
	select {
	case conn = <-l.readers:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { l.readers <- conn }()
	if away := l.isAway(); away != nil { // since it was looked at
		return away
	}
	err := l.tryReading(ctx, &conn, use)
	if conn == nil || conn.IsClosed() { // it was lost; another one may answer
		if ctx.Err() == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errFrozen) && conn != nil {
			conn = nil
			err = l.tryReading(ctx, &conn, use)
		}
		if err != nil && ctx.Err() == nil {
			l.setAway(classify(err))
		}
	}
	return classify(err)
}

// tryReading connects, if need be, and calls use.
func (l *Log) tryReading(ctx context.Context, conn **pgconn.PgConn, use func(ctx context.Context, conn *pgconn.PgConn) error) (err error) {
	if *conn == nil || (*conn).IsClosed() {
		if *conn, err = pgconn.ConnectConfig(ctx, l.config); err != nil {
			*conn = nil
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil { // of connecting, and not of the call
				err = fmt.Errorf("%w: %w: %v", auditlog.ErrUnavailable, errFrozen, err)
			}
			return err
		}
	}
	return l.watched(ctx, *conn, use)
}

// errFrozen means that the server takes connections and answers nothing.
var errFrozen = errors.New("the server takes connections and does not answer")

// watched calls use. While that takes long, it looks every now and then whether the server answers at all, on another connection, and ends
// use if it does not. So a query may take its time, and a server that is frozen costs twice Patience.
func (l *Log) watched(ctx context.Context, conn *pgconn.PgConn, use func(ctx context.Context, conn *pgconn.PgConn) error) error {
	within, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-within.Done():
				return
			case <-time.After(l.o.Patience):
			}
			if err := l.probe(within); err != nil && within.Err() == nil {
				cancel(fmt.Errorf("%w: %w: %w", auditlog.ErrUnavailable, errFrozen, err))
				return
			}
		}
	})
	err := use(within, conn)
	frozen := context.Cause(within)
	cancel(nil)
	watching.Wait()
	if err != nil && errors.Is(frozen, errFrozen) {
		return frozen
	}
	return err
}

// probe connects and asks something. An error that the server says is an answer.
func (l *Log) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.o.Patience)
	defer cancel()
	conn, err := pgconn.ConnectConfig(ctx, l.config)
	if err == nil {
		err = conn.Exec(ctx, "SELECT 1").Close()
		closeConn(conn)
	}
	if _, answered := errors.AsType[*pgconn.PgError](err); answered {
		return nil
	}
	return err
}

// query runs a statement with a connection that reads, and calls read for each row.
func (l *Log) query(ctx context.Context, statement string, args []any, read func(scan func(...any) error) error) error {
	return l.reading(ctx, func(ctx context.Context, conn *pgconn.PgConn) error { return query(ctx, conn, statement, args, read) })
}

// queryShort is query for what is answered at once: it waits for Patience.
func (l *Log) queryShort(ctx context.Context, statement string, args []any, read func(scan func(...any) error) error) error {
	within, cancel := context.WithTimeout(ctx, l.o.Patience)
	defer cancel()
	return l.slow(ctx, within, l.query(within, statement, args, read))
}

// slow returns the error of a query within a part of the time of ctx. If that was too short, the server counts as away.
func (l *Log) slow(ctx, within context.Context, err error) error {
	if err == nil || ctx.Err() != nil || within.Err() == nil {
		return err
	}
	err = fmt.Errorf("%w: it did not answer in time: %w", auditlog.ErrUnavailable, err)
	l.setAway(err)
	return err
}

// query runs a statement, and calls read, which may be nil, for each row.
func query(ctx context.Context, conn *pgconn.PgConn, statement string, args []any, read func(scan func(...any) error) error) error {
	p := encode(args)
	result := conn.ExecParams(ctx, statement, p.values, nil, p.formats, nil)
	var failed error
	for result.NextRow() {
		if failed == nil && read != nil {
			failed = read(func(targets ...any) error { return scan(result.Values(), targets) })
		}
	}
	_, err := result.Close()
	return errors.Join(err, failed)
}

// errEncoding means that the database cannot store every character.
var errEncoding = errors.New("its encoding must be UTF8")

// isMisconfigured reports whether an error is of a database that must be set up before anything can be sent to it: who may connect, its
// name, what is permitted.
func isMisconfigured(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, errEncoding) || ok && (strings.HasPrefix(e.Code, "28") || strings.HasPrefix(e.Code, "3D") || strings.HasPrefix(e.Code, "42"))
}

// params are the parameters of a statement: texts, but for bytes, which are sent as they are.
type params struct {
	values  [][]byte
	formats []int16
}

// encode returns parameters.
func encode(args []any) (p params) {
	p = params{make([][]byte, 0, len(args)), make([]int16, 0, len(args))}
	for _, arg := range args {
		value, format := []byte(nil), int16(0)
		switch v := arg.(type) {
		case []byte:
			value, format = v, 1
		case string:
			value = []byte(v)
		case int64:
			value = strconv.AppendInt(nil, v, 10)
		case sql.NullInt64:
			if v.Valid {
				value = strconv.AppendInt(nil, v.Int64, 10)
			}
		case sql.NullString:
			if v.Valid {
				value = []byte(v.String)
			}
		case time.Time:
			value = v.UTC().AppendFormat(nil, time.RFC3339Nano)
		default:
			panic(fmt.Sprintf("a parameter of type %T", arg)) // a mistake of this package
		}
		p.values, p.formats = append(p.values, value), append(p.formats, format)
	}
	return p
}

// errValue means that a column has what this program never writes.
var errValue = errors.New("a value of another type")

// scan reads the values of a row, which are texts.
func scan(values [][]byte, targets []any) error {
	for i, target := range targets {
		if err := scanOne(values[i], target); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// scanOne reads a value; nil is NULL.
func scanOne(value []byte, target any) (err error) {
	switch t := target.(type) {
	case *string:
		*t = string(value)
	case *int64:
		*t, err = strconv.ParseInt(string(value), 10, 64)
	case *bool:
		*t = string(value) == "t"
	case *sql.NullInt64:
		if *t = (sql.NullInt64{Valid: value != nil}); t.Valid {
			t.Int64, err = strconv.ParseInt(string(value), 10, 64)
		}
	case *sql.NullString:
		*t = sql.NullString{String: string(value), Valid: value != nil}
	case *[]byte:
		if *t = nil; value != nil {
			text, ok := strings.CutPrefix(string(value), `\x`)
			if !ok {
				return errValue
			}
			*t, err = hex.DecodeString(text)
		}
	default:
		panic(fmt.Sprintf("a target of type %T", target)) // a mistake of this package
	}
	return err
}

// classify wraps an error of the server with the error of package auditlog that it means. Those of package auditlog and of
// contexts pass. Codes of SQLSTATE: PostgreSQL, appendix A.
func classify(err error) error {
	for _, own := range []error{nil, auditlog.ErrReused, auditlog.ErrFailed, auditlog.ErrFull, auditlog.ErrReadOnly, auditlog.ErrVersion, auditlog.ErrUnknown,
		auditlog.ErrBroken, auditlog.ErrUnavailable, auditlog.ErrLocked, auditlog.ErrClosed, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, own) {
			return err
		}
	}
	sentinel := auditlog.ErrUnavailable // what has no code comes from the network
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch e.Code {
		case "23505": // unique_violation: another program wrote to the log
			sentinel = auditlog.ErrFailed
		case "53100": // disk_full
			sentinel = auditlog.ErrFull
		case "25006": // read_only_sql_transaction
			sentinel = auditlog.ErrReadOnly
		}
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}
