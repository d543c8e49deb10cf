// Package postgres keeps an audit log in a PostgreSQL database, which several sidecars may share. Each has a log and a
// chain of its own there. Request ids are unique over all of them, so that a call that is repeated at another sidecar is
// found.
//
// One process appends to a log: the one that opened it last. It has written its random name into the row of the log, and
// every transaction locks and checks that row (commit.go).
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
	"github.com/toolresult/toolresult/internal/journal"
)

// Options configure a log.
type Options struct {
	// DSN names the server and the database, as a URL or as keywords. The environment (PGHOST and others) completes it.
	// Required.
	DSN string
	// Schema is the schema of the tables; empty: toolresult. It is made if there is none.
	Schema string
	// Head is the path of the head file on this machine, which also has the name of the log; empty: none, and each Open
	// begins a new log.
	Head string
	// Journal has what is appended together with records, before them; nil: nothing is.
	Journal *journal.Journal
	// Volatile does not wait until the server has made records durable.
	Volatile bool
	// Patience is the time for which the log waits for a server that does not answer before it rejects records; 0: 5
	// seconds. Records that may have been appended are waited for as long as the caller waits.
	Patience time.Duration
	// Now is the clock; nil: that of the system.
	Now func() time.Time
	// Logger receives errors for which no caller waits. Required.
	Logger *slog.Logger
	// OnCommit is called after each transaction that appended; nil: disabled.
	OnCommit auditlog.OnCommit
	// Check is asked after each transaction that appended, whether what the records are about is still there. If it fails,
	// the log fails; nil: disabled.
	Check func() error
}

const (
	defaultSchema   = "toolresult"
	defaultPatience = 5 * time.Second
	// readers is the largest number of connections that read, beside the one that writes.
	readers = 4
	// sizeInterval is the time between two queries for the size of the tables.
	sizeInterval = time.Minute
)

// backend stores the rows of a log in a PostgreSQL database. The worker of the log uses conn, readers use pool.
type backend struct {
	o      Options
	config *pgx.ConnConfig
	name   string // of the log
	writer string // random name of this process, in the row of the log
	conn   *pgx.Conn
	pool   *pgxpool.Pool
	stop   context.Context //nolint:containedctx // done when the log closes
	cancel context.CancelFunc
	count  atomic.Int64 // rows of this log
	bytes  atomic.Int64 // size of the tables
	sized  time.Time    // when bytes was measured
}

var _ chain.Backend = (*backend)(nil)

// Open opens a log, and makes it and the tables if there are none. It takes the log over from another process that has it
// open: appends of that process fail from then on.
//
// Errors: [auditlog.ErrLocked], ErrTooNew, ErrUnavailable, ErrReadOnly, ErrFull.
func Open(ctx context.Context, o Options) (auditlog.Log, error) {
	if o.Schema == "" {
		o.Schema = defaultSchema
	}
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	config, err := pgx.ParseConfig(o.DSN)
	if err != nil {
		return nil, fmt.Errorf("audit log: the name of the database: %w", err) // pgx removes the password
	}
	log, err := openLog(ctx, o, config)
	if err != nil {
		return nil, fmt.Errorf("audit log in database %s: %w", config.Database, classify(err))
	}
	return log, nil
}

// openLog takes the lock of the head file, if there is one, before it connects. After an error everything is closed.
func openLog(ctx context.Context, o Options, config *pgx.ConnConfig) (auditlog.Log, error) {
	b := &backend{o: o, config: config, writer: chain.NewName()}
	b.stop, b.cancel = context.WithCancel(context.Background())
	c := chain.Options{Backend: b, Remote: true, Now: o.Now, Logger: o.Logger, OnCommit: o.OnCommit, Check: o.Check, Journal: o.Journal}
	var err error
	if o.Head != "" {
		c.HeadFile, err = chain.OpenHeadFile(o.Head)
	}
	if err == nil {
		err = b.open(ctx, &c)
	}
	if err != nil {
		err = errors.Join(err, b.Close())
		if c.HeadFile != nil {
			err = errors.Join(err, c.HeadFile.Close())
		}
		return nil, err
	}
	return chain.New(c)
}

// open connects, and sets the name and the end of the log.
func (b *backend) open(ctx context.Context, c *chain.Options) error {
	b.configure()
	// The connection that writes comes first: without it there is nothing to read.
	if err := b.connect(ctx); err != nil {
		return err
	}
	if err := b.prepareTables(ctx); err != nil {
		return err
	}
	var err error
	c.Name = c.HeadFile.LogName()
	if c.End, err = b.takeOver(ctx, c.Name); err != nil {
		return err
	}
	b.name = c.Name
	pool, err := pgxpool.ParseConfig("")
	if err != nil {
		return err
	}
	// The pool connects when it is first needed, with the same parameters.
	pool.ConnConfig, pool.MaxConns = b.config.Copy(), readers
	if b.pool, err = pgxpool.NewWithConfig(ctx, pool); err != nil {
		return err
	}
	return b.measure(ctx)
}

// configure sets the parameters of every connection. The server ends a transaction that is left open, because this machine
// vanished, after 30 seconds.
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
		b.config.AfterConnect = requireDurable
	}
}

// requireDurable makes commits wait until they are durable, if the server's default is weaker. It keeps stronger defaults,
// which wait for stand-by servers too.
func requireDurable(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')").Close()
}

// connect opens the connection that writes, unless it is open.
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

// prepareTables makes the tables, or checks that they have a version that this program knows. Of several sidecars that start
// together, one makes them: an advisory lock serializes them.
func (b *backend) prepareTables(ctx context.Context) error {
	var encoding string
	if err := b.conn.QueryRow(ctx, "SELECT current_setting('server_encoding')").Scan(&encoding); err != nil {
		return err
	}
	// Another encoding cannot store every character, and a record would be lost for one of them.
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

// version returns the version of the tables; 0: there are none. Errors: ErrTooNew.
func (b *backend) version(ctx context.Context) (version int, err error) {
	var exists bool
	err = b.conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", pgx.Identifier{b.o.Schema, "version"}.Sanitize()).Scan(&exists)
	if err != nil || !exists {
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

// takeOver makes this process the writer of a log, which it makes if there is none, and returns the end of its chain.
func (b *backend) takeOver(ctx context.Context, name string) (end chain.Tip, err error) {
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
		if errors.Is(err, pgx.ErrNoRows) { // the chain begins at the anchor
			return nil
		}
		return err
	})
	return end, err
}

// measure queries the number of rows and the size of the tables.
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

// Size implements [chain.Usage]. The bytes are those of all logs, and up to a minute old.
func (b *backend) Size() (records, bytes int64) { return b.count.Load(), b.bytes.Load() }

// OnReserve implements [chain.Usage]. A server has no reserve.
func (b *backend) OnReserve() bool { return false }

// Stop implements [chain.Committer]. A Commit that waits for the server ends with ErrClosed.
func (b *backend) Stop() { b.cancel() }

// Close implements [chain.Committer]. It never fails: what was answered is durable.
func (b *backend) Close() (err error) {
	b.cancel()
	if b.pool != nil { // it waits for readers, whose queries end with the context of their callers
		b.pool.Close()
	}
	if b.conn != nil && !b.conn.IsClosed() { // the server frees the lock of the row at once
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = b.conn.Close(ctx) // the server may be gone
	}
	return nil
}

// classify wraps an error of the server with the error of package auditlog that it means. Those of package auditlog and of
// contexts pass. Codes of SQLSTATE: PostgreSQL, appendix A.
func classify(err error) error {
	for _, own := range []error{nil, auditlog.ErrReused, auditlog.ErrFailed, auditlog.ErrFull, auditlog.ErrReadOnly, auditlog.ErrTooNew,
		auditlog.ErrUnavailable, auditlog.ErrLocked, auditlog.ErrClosed, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, own) {
			return err
		}
	}
	sentinel := auditlog.ErrUnavailable // what has no code comes from the network
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case e.Code == "23505" && e.ConstraintName == "records_by_request":
			sentinel = auditlog.ErrReused
		case e.Code == "23505": // another program wrote to the log
			sentinel = auditlog.ErrFailed
		case e.Code == "53100": // disk_full
			sentinel = auditlog.ErrFull
		case e.Code == "25006": // read_only_sql_transaction
			sentinel = auditlog.ErrReadOnly
		}
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}
