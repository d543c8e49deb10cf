// Package postgres keeps an audit log in a PostgreSQL database, which several sidecars may share: each has a log and
// a chain of its own there, and request ids are unique over all of them, so that a call that is repeated at
// another sidecar is found.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
)

// Options say where a log is and how it is kept.
type Options struct {
	// DSN names the server and the database, as a URL or as words; what it leaves out comes from the environment
	// (PGHOST and others). Required.
	DSN string
	// Schema that has the tables; empty: toolresult. It is made if it is not there.
	Schema string
	// Head is the file that keeps the head on this machine, and with it the name of the log: without it a new log is
	// begun each time.
	Head string
	// Volatile does not wait until the server has made records durable.
	Volatile bool
	// Patience is how long a server that does not answer is waited for before records are refused; 0: 5 seconds. Records
	// of which it is not known whether they were appended are waited for as long as the caller waits.
	Patience time.Duration
	// Now is the clock; nil: the system's.
	Now func() time.Time
	// Logger is told of what goes wrong where nobody waits for an answer. Required.
	Logger *slog.Logger
	// OnCommit is told of transactions; nil: nobody is.
	OnCommit auditlog.OnCommit
}

const (
	defaultSchema   = "toolresult"
	defaultPatience = 5 * time.Second
	// readers is how many connections read at once, beside the one that writes.
	readers = 4
	// sizeEvery is how often the server is asked for the size of the tables.
	sizeEvery = time.Minute
)

// backend is the database.
type backend struct {
	o      Options
	config *pgx.ConnConfig
	name   string
	writer string // this process, at the row of the log
	conn   *pgx.Conn
	pool   *pgxpool.Pool
	stop   context.Context //nolint:containedctx // until the log is closed
	cancel context.CancelFunc
	count  atomic.Int64
	bytes  atomic.Int64
	sized  time.Time
}

// Open opens a log, and makes it and the tables if there are none. It takes the log over from another process that has it
// open, which is then refused.
//
// Errors: auditlog.ErrLocked, ErrTooNew, ErrUnavailable, ErrReadOnly, ErrFull.
func Open(ctx context.Context, o Options) (auditlog.Log, error) {
	if o.Schema == "" {
		o.Schema = defaultSchema
	}
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	config, err := pgx.ParseConfig(o.DSN)
	if err != nil {
		return nil, fmt.Errorf("audit log: the name of the database: %w", err) // without its password
	}
	log, err := openLog(ctx, o, config)
	if err != nil {
		return nil, fmt.Errorf("audit log in database %s: %w", config.Database, meaning(err))
	}
	return log, nil
}

func openLog(ctx context.Context, o Options, config *pgx.ConnConfig) (auditlog.Log, error) {
	b := &backend{o: o, config: config, writer: chain.NewName()}
	b.stop, b.cancel = context.WithCancel(context.Background())
	c := chain.Options{Backend: b, Remote: true, Now: o.Now, Logger: o.Logger, OnCommit: o.OnCommit}
	var err error
	if o.Head != "" {
		c.Witness, c.Found, c.Damaged, err = chain.OpenWitness(o.Head)
	}
	if err == nil {
		err = b.open(ctx, &c)
	}
	if err != nil {
		err = errors.Join(err, b.Close())
		if c.Witness != nil {
			err = errors.Join(err, c.Witness.Close())
		}
		return nil, err
	}
	return chain.New(c)
}

func (b *backend) open(ctx context.Context, c *chain.Options) error {
	b.configure()
	if err := b.connect(ctx); err != nil {
		return err
	}
	if err := b.prepareTables(ctx); err != nil {
		return err
	}
	name := chain.NewName()
	if c.Found != nil {
		name = c.Found.Log
	}
	var err error
	if c.Name, c.End, err = b.begin(ctx, name); err != nil {
		return err
	}
	b.name = c.Name
	pool, err := pgxpool.ParseConfig("")
	if err != nil {
		return err
	}
	pool.ConnConfig, pool.MaxConns = b.config.Copy(), readers
	if b.pool, err = pgxpool.NewWithConfig(ctx, pool); err != nil {
		return err
	}
	return b.measure(ctx)
}

// configure says how every connection is to be used. One that is left in the middle of a transaction, because this
// machine vanished, is ended by the server.
func (b *backend) configure() {
	b.config.ConnectTimeout = b.o.Patience
	set := map[string]string{
		"application_name":                    "toolresult",
		"search_path":                         pgx.Identifier{b.o.Schema}.Sanitize(),
		"client_encoding":                     "UTF8",
		"idle_in_transaction_session_timeout": "30s",
		"lock_timeout":                        "30s",
	}
	if b.o.Volatile {
		set["synchronous_commit"] = "off"
	}
	for name, value := range set {
		b.config.RuntimeParams[name] = value
	}
	if !b.o.Volatile {
		b.config.AfterConnect = durable
	}
}

// durable has commits wait until they are durable, also where the server's default is another. Defaults that
// wait for more are left.
func durable(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')").Close()
}

// connect opens the connection that writes.
func (b *backend) connect(ctx context.Context) (err error) {
	if b.conn != nil && !b.conn.IsClosed() {
		return nil
	}
	b.conn, err = pgx.ConnectConfig(ctx, b.config)
	if err != nil {
		b.conn = nil
	}
	return err
}

// prepareTables makes the tables, or looks whether they are those of this version. Of several that start at once, one
// makes them.
func (b *backend) prepareTables(ctx context.Context) error {
	var encoding string
	if err := b.conn.QueryRow(ctx, "SELECT current_setting('server_encoding')").Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("its encoding is %s, and must be UTF8", encoding)
	}
	if version, err := b.version(ctx); err != nil || version == schemaVersion {
		return err
	}
	return pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('toolresult audit log ' || $1, 0))", b.o.Schema); err != nil {
			return err
		}
		if version, err := b.version(ctx); err != nil || version == schemaVersion {
			return err // another made them
		}
		statements := "CREATE SCHEMA IF NOT EXISTS " + pgx.Identifier{b.o.Schema}.Sanitize() + ";" + schema() +
			fmt.Sprintf("INSERT INTO version VALUES (%d)", schemaVersion)
		_, err := tx.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

// version is that of the tables; 0: there are none.
func (b *backend) version(ctx context.Context) (version int, err error) {
	var there bool
	err = b.conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", pgx.Identifier{b.o.Schema, "version"}.Sanitize()).Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	if err := b.conn.QueryRow(ctx, "SELECT version FROM version", pgx.QueryExecModeSimpleProtocol).Scan(&version); err != nil {
		return 0, err
	}
	if version > schemaVersion {
		return 0, fmt.Errorf("version %d, this program knows %d: %w", version, schemaVersion, auditlog.ErrTooNew)
	}
	return version, nil
}

// begin makes a new log, or takes over an old one, and returns the end of its chain.
func (b *backend) begin(ctx context.Context, name string) (_ string, end chain.Tip, err error) {
	err = pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO logs VALUES ($1, '', 0, $2, 0, $2) ON CONFLICT DO NOTHING", name, end.Hash[:])
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE logs SET writer = $2 WHERE name = $1", name, b.writer); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, "SELECT anchor_sequence, anchor_hash FROM logs WHERE name = $1", name).Scan(&end.Sequence, &end.Hash)
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, "SELECT sequence, hash FROM records WHERE log = $1 ORDER BY sequence DESC LIMIT 1", name).Scan(&end.Sequence, &end.Hash)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return name, end, err
}

// measure asks how much there is.
func (b *backend) measure(ctx context.Context) error {
	var count, bytes int64
	err := b.conn.QueryRow(ctx, "SELECT count(*) FROM records WHERE log = $1", b.name).Scan(&count)
	if err == nil {
		err = b.conn.QueryRow(ctx, "SELECT pg_total_relation_size('records') + pg_total_relation_size('artifacts')").Scan(&bytes)
	}
	b.count.Store(count)
	b.bytes.Store(bytes)
	b.sized = time.Now()
	return err
}

// Size is of [chain.Backend]. The bytes are those of all logs, and up to a minute old.
func (b *backend) Size() (records, bytes int64) { return b.count.Load(), b.bytes.Load() }

// Lean is of [chain.Backend].
func (b *backend) Lean() bool { return false }

// Stop is of [chain.Backend].
func (b *backend) Stop() { b.cancel() }

// Close is of [chain.Backend].
func (b *backend) Close() (err error) {
	b.cancel()
	if b.pool != nil {
		b.pool.Close()
	}
	if b.conn != nil && !b.conn.IsClosed() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = b.conn.Close(ctx) // the server may be gone
	}
	return nil
}

// meaning says what an error of the server means for a log.
func meaning(err error) error {
	for _, own := range []error{nil, auditlog.ErrReused, auditlog.ErrFailed, auditlog.ErrFull, auditlog.ErrReadOnly, auditlog.ErrTooNew,
		auditlog.ErrUnavailable, auditlog.ErrLocked, auditlog.ErrClosed, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, own) {
			return err
		}
	}
	sentinel := auditlog.ErrUnavailable
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case e.Code == "23505" && e.ConstraintName == "records_by_request":
			sentinel = auditlog.ErrReused
		case e.Code == "23505": // somebody else writes to the log
			sentinel = auditlog.ErrFailed
		case e.Code == "53100":
			sentinel = auditlog.ErrFull
		case e.Code == "25006":
			sentinel = auditlog.ErrReadOnly
		}
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}
