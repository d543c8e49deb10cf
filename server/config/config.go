// Package config is the configuration of the sidecar: what can be set, from where, and within which bounds.
//
// A value comes from four layers, each stronger than the one before: the default, a YAML file, the environment
// (TOOLRESULT_ and the key in upper case) and the flags (the key with hyphens). [Load] merges them and remembers
// the origin of every value, [Loaded.Validate] checks the bounds, [Loaded.Print] shows the result.
//
// Every setting is one row of one table (settings.go), which drives all four layers, validation, help texts and
// printing; a new setting is one field of [Config] and one row. Nothing here reads the process environment,
// opens a socket or writes a file; [Load] reads the configuration file, and
// [ReadToken] and [ReadKey] read what their names say.
package config

import (
	"time"
)

// MemoryStore is the value of [Config.Store] that keeps artifacts in memory; a directory of that name is
// written "./memory".
const MemoryStore = "memory"

// Values of [Config.Audit].
const (
	// AuditSQLite is the journal of the store, which SQLite indexes. The name is that of a time when it was a database.
	AuditSQLite = "sqlite"
	// AuditPostgres is a PostgreSQL database.
	AuditPostgres = "postgres"
	// AuditOff is no audit log.
	AuditOff = "off"
)

// Values of [Config.Redaction].
const (
	// RedactAll is registered values and what looks like a secret.
	RedactAll = "all"
	// RedactValues is registered values alone.
	RedactValues = "values"
)

// Config has every setting of `toolresult serve`. The key of a field is its name in the YAML file; its
// variable is TOOLRESULT_ and the key in upper case; its flag is -- and the key with hyphens. Use [Default] and
// [Load] to make one: the zero value is not valid.
type Config struct {
	// Socket (key "socket") is the path of the Unix socket: absolute, at most 107 bytes (103 on macOS), without control
	// characters. Default: $XDG_RUNTIME_DIR/toolresult/toolresult.sock; without an absolute XDG_RUNTIME_DIR,
	// toolresult-<uid>/toolresult.sock in the temporary directory.
	Socket string
	// AddressFile (key "address_file") is the path of a file that has, while the sidecar runs, the addresses at which it does
	// (docs/discovery.md): absolute, in a directory that only the sidecar's user can write. Default: empty, which is none.
	AddressFile string
	// AllowUIDs (key "allow_uids") are further users that may connect to the socket, each 0 to 4294967294; the
	// sidecar's own user always may. Default: none. In a variable or a flag they are separated by commas.
	AllowUIDs []int
	// AllowGroups (key "allow_groups") are groups whose members may connect to the socket, as far as its mode lets them: names of
	// /etc/group, or ids. Default: none. In a variable or a flag they are separated by commas.
	AllowGroups []string
	// TCP (key "tcp") is a literal loopback address and port, "127.0.0.1:0" or "[::1]:7001"; port 0 lets the
	// kernel choose. With TLSCert it may be any address. Default: empty, which is off. It needs a token.
	TCP string
	// TLSCert (key "tls_cert") is the path of a file with the certificate for TCP and those that lead to its root, in
	// PEM; the connections of TCP are TLS 1.3 then. Default: empty, which is none.
	TLSCert string
	// TLSKey (key "tls_key") is the path of the file with its private key in PEM, as [ReadKey] takes it. Default: empty.
	TLSKey string
	// TLSClientCA (key "tls_client_ca") is the path of a file with certificates in PEM: who calls over TCP must have a
	// certificate of one of these, beside the token. Default: empty, which asks for none.
	TLSClientCA string
	// Authorities (key "authorities") are the names and addresses, without ports, that calls over TCP may give as their
	// :authority besides the loopback ones and the address of TCP. Default: none. In a variable or a flag they are
	// separated by commas.
	Authorities []string
	// TokenFile (key "token_file") is the path of the file that holds the bearer token for TCP, as [ReadToken]
	// takes it. Default: empty, which is none. Not together with Token.
	TokenFile string
	// Token (key "token") is the bearer token for TCP, at least 16 printable ASCII bytes without spaces. It comes
	// from the variable TOOLRESULT_TOKEN only; as a flag or in the file it is rejected. Default: empty.
	Token Secret
	// Landlock (key "landlock") has the process give up, once it has opened what it needs, its right to every other file
	// and, unless there is an object store, to make connections over TCP. The start fails on a kernel that cannot do
	// that (Linux 6.7 can). Default: false.
	Landlock bool
	// Store (key "store") is the directory of artifacts and audit records, or [MemoryStore]; without control
	// characters. Default: $XDG_STATE_HOME/toolresult; without an absolute XDG_STATE_HOME,
	// $HOME/.local/state/toolresult; without an absolute HOME, toolresult-<uid>/state in the temporary directory.
	Store string
	// Volatile (key "volatile") answers without syncing artifacts to disk, so that a power cut may lose answered
	// calls. Default: false.
	Volatile bool
	// ObjectStore (key "object_store") is "s3://BUCKET/PREFIX?endpoint=URL&region=REGION", as
	// objectstore.ParseLocation takes it: where artifacts go from the store, which is then a spool and has to be a
	// directory. Default: empty, which is nowhere. Credentials are no part of it.
	ObjectStore string
	// CompressAfter (key "compress_after") is the age from which on an artifact may be compressed, 0s to 87600h, which
	// is ten years; 0s is never. ReadArtifact reads a compressed one as before, but there is no file at its path any
	// more for an agent to open by itself. Default: 0s. Here and below a duration is written as in Go,
	// "1m30s".
	CompressAfter time.Duration
	// SessionLease (key "session_lease") is how long a session needs its artifacts after each call that stores or reads one, 0s to
	// 8760h. Default: 168h.
	SessionLease time.Duration
	// KeepFor (key "keep_for") is how long an artifact is kept that no lease names, after it was put last, up to 87600h; 0s
	// keeps it for ever. Default: 720h.
	KeepFor time.Duration
	// StoreQuota (key "store_quota") bounds the artifacts of the store, in bytes as they were put. Artifacts that no lease
	// names are deleted to stay below it, the oldest first. Default: 0, which is as much as the disk has.
	StoreQuota int64
	// SessionQuota (key "session_quota") bounds those of one session. Default: 0, which is no bound of its own.
	SessionQuota int64
	// GCInterval (key "gc_interval") is how often garbage is collected, 1s to 168h; 0s is only when it is asked for.
	// Default: 1h.
	GCInterval time.Duration
	// Audit (key "audit") is where audit records go: [AuditSQLite], the journal of the store, which is in memory with a store in
	// memory; [AuditPostgres], the database of AuditDSN; [AuditOff], nowhere. Default: [AuditSQLite].
	Audit string
	// AuditDSN (key "audit_dsn") is the PostgreSQL database of audit records, as libpq has it:
	// "postgres://USER:PASSWORD@HOST/DATABASE". It may have a password, and so it comes from the variable
	// TOOLRESULT_AUDIT_DSN only; as a flag or in the file it is rejected. Default: empty.
	AuditDSN Secret
	// AuditKeepFor (key "audit_keep_for") is how long audit records are kept, up to 87600h; 0s keeps them for ever. What
	// they name is kept by KeepFor. Default: 2160h.
	AuditKeepFor time.Duration
	// Redaction (key "redaction") is what is replaced in outputs before anything else: [RedactAll] is registered values
	// and what looks like a secret, [RedactValues] registered values alone. Default: [RedactAll].
	Redaction string
	// Roots (key "roots") are directories whose files may be payloads, absolute. Default: none. In a variable or a flag
	// they are separated by commas.
	Roots []string
	// Families (key "families") are files with descriptor sets of custom families, such as buf
	// build or protoc write them. Default: none. In a variable or a flag they are separated by commas.
	Families []string
	// Profiles (key "profiles") are directories with command profiles of the operator (docs/reference/profiles.md), absolute. A
	// profile replaces the built-in one of its name, and that of an earlier directory. Default: none. In a variable or a
	// flag they are separated by commas.
	Profiles []string
	// ProjectProfiles (key "project_profiles") are directories with command profiles that come with the repositories
	// that agents work in, absolute and stronger than Profiles. They may not say what is shown to a reader: exit codes,
	// read and shape are rejected. Default: none.
	ProjectProfiles []string
	// Budgets (key "budgets") are what receipts may cost where their caller does not say, by tool and model: the first
	// that matches counts, and without one the default of the family. Default: none. In a variable or a flag they are
	// separated by commas.
	Budgets []Budget
	// LogLevel (key "log_level") is debug, info, warn or error. Default: info.
	LogLevel string
	// Metrics (key "metrics") is a literal loopback address and port, as TCP is, that Prometheus scrapes at /metrics; port
	// 0 lets the kernel choose. Default: empty, which is off.
	Metrics string
	// OTLPEndpoint (key "otlp_endpoint") is the URL of a collector that takes traces and metrics by gRPC,
	// "http://127.0.0.1:4317"; https is with TLS. Default: empty, which is off.
	OTLPEndpoint string
	// MaxMessageBytes (key "max_message_bytes") is the largest request message, in bytes, 64 KiB to 1 GiB. A message
	// is in memory up to three times while it is worked on. Default: 4 MiB. Here and below a size is a number of
	// bytes, or a number with KiB, MiB or GiB.
	MaxMessageBytes int
	// MaxInFlightBytes (key "max_in_flight_bytes") is the memory for the work of all calls at once, of which a call takes
	// eight times its message or more; at least MaxMessageBytes. Default: 64 MiB.
	MaxInFlightBytes int64
	// MaxConnections (key "max_connections") is the number of open connections, 1 to 10000. Default: 64.
	MaxConnections int
	// StreamIdle (key "stream_idle") is how long a stream may be without a message of its client, 1s to 24h.
	// Default: 5m.
	StreamIdle time.Duration
	// DrainDelay (key "drain_delay") is how long the sidecar says NOT_SERVING before it stops accepting, 0s to 1m.
	// Default: 0s.
	DrainDelay time.Duration
	// ShutdownTimeout (key "shutdown_timeout") is how long calls in flight may take to finish before they are cut,
	// 100ms to 10m. Default: 10s.
	ShutdownTimeout time.Duration
	// IdleExit (key "idle_exit") is after how long without a call the sidecar ends by itself, 1s to 168h; 0s is never. A call in
	// flight is one, also a stream that waits; an open connection is none. Checks of the health count for a while only
	// (docs/discovery.md). Default: 0s.
	IdleExit time.Duration
	// LogSync (key "log_sync") is after how long what was appended to a log is made durable, 0s to 1h; 0s: only when
	// the client asks for it. Default: 1s.
	LogSync time.Duration
}

// Default returns the configuration without file, variables or flags. From env, in the form of [os.Environ], it
// reads only XDG_RUNTIME_DIR, XDG_STATE_HOME, HOME and TMPDIR, which the default paths depend on.
func Default(env []string) Config {
	var c Config
	e := newEnvironment(env)
	for _, s := range settings() {
		s.assign(&c, s.initial(e))
	}
	return c
}

// BearerToken returns the token that TCP clients must present: the content of TokenFile if it is
// set, else Token, which is empty if there is none.
func (c Config) BearerToken() (Secret, error) {
	if c.TokenFile != "" {
		return ReadToken(c.TokenFile)
	}
	return c.Token, nil
}
