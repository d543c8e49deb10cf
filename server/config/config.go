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

	"github.com/toolresult/toolresult/internal/sidecar"
)

// MemoryStore is the value of [Config.Store] that keeps artifacts in memory; a directory of that name is
// written "./memory".
const MemoryStore = "memory"

// Values of [Config.Audit].
const (
	// AuditJournal is the journal of the store.
	AuditJournal = "journal"
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
// variable is TOOLRESULT_ and the key in upper case; its flag is -- and the key with hyphens. The help text
// has bounds and default. In a variable or a flag the elements of a list are separated by commas, a duration
// is "1m30s" as in Go, and a size is a number of bytes, or a number with KiB, MiB or GiB. Use [Default] and
// [Load] to make one: the zero value is not valid.
type Config struct {
	Socket           string        // absolute path of the Unix socket, at most 107 bytes (103 on macOS)
	AddressFile      string        // absolute path of the file with the addresses (docs/discovery.md); empty: none
	AllowUIDs        []int         // further users that may connect to the socket
	AllowGroups      []string      // groups whose members may, by name or id, as far as the mode of the socket lets them
	TCP              string        // loopback address and port, with TLSCert any; port 0: of the kernel's choice; empty: off
	TLSCert          string        // file with the certificate for TCP and those that lead to its root, in PEM; empty: no TLS
	TLSKey           string        // file with its private key in PEM, as [ReadKey] takes it
	TLSClientCA      string        // file with certificates in PEM: callers over TCP need one of these; empty: none
	Authorities      []string      // names and addresses that calls over TCP may give as :authority besides loopback and TCP
	TokenFile        string        // file with the bearer token for TCP, as [ReadToken] takes it; not with Token
	Token            Secret        // the token itself, from the variable TOOLRESULT_TOKEN only
	Landlock         bool          // give up the right to all other files, and mostly to connections over TCP (Linux 6.7)
	Store            string        // directory of artifacts and audit records, or [MemoryStore]
	Volatile         bool          // answer without syncing: a power cut may lose answered calls
	ObjectStore      string        // where artifacts go from the store, as objectstore.ParseLocation takes it; empty: nowhere
	SessionLease     time.Duration // how long a session needs its artifacts after each call that stores or reads one
	KeepFor          time.Duration // how long an artifact without a lease is kept after its last put; 0: for ever
	StoreQuota       int64         // bytes of all artifacts, as they were put; 0: as much as the disk has
	SessionQuota     int64         // bytes of the artifacts of one session; 0: no bound of its own
	GCInterval       time.Duration // between collections of garbage; 0: only on request
	Audit            string        // [AuditJournal], [AuditPostgres] or [AuditOff]
	AuditDSN         Secret        // database of [AuditPostgres], from the variable TOOLRESULT_AUDIT_DSN only
	AuditKeepFor     time.Duration // how long audit records are kept; 0: for ever
	Redaction        string        // [RedactAll] or [RedactValues]: what is replaced in outputs
	Roots            []string      // absolute directories whose files may be payloads
	Families         []string      // files with descriptor sets of custom families, as buf build writes them
	Profiles         []string      // absolute directories of command profiles (docs/reference/profiles.md)
	ProjectProfiles  []string      // the same of repositories; stronger, without exit codes, read and shape
	Budgets          []Budget      // of receipts whose caller sets none; the first that matches counts
	LogLevel         string        // debug, info, warn or error
	Metrics          string        // address that Prometheus scrapes at /metrics, as TCP; empty: off
	OTLPEndpoint     string        // URL of a collector of traces and metrics by gRPC; https: with TLS; empty: off
	MaxMessageBytes  int           // of a request, which is in memory up to three times
	MaxInFlightBytes int64         // of the work of all calls at once, eight times their messages or more
	MaxConnections   int           // open connections of a listener
	StreamIdle       time.Duration // how long a stream may be without a message of its client
	DrainDelay       time.Duration // how long health says NOT_SERVING before the sidecar stops accepting
	ShutdownTimeout  time.Duration // how long calls in flight may take to finish before they are cut
	IdleExit         time.Duration // without a call, until the sidecar ends (docs/discovery.md); 0: never
	LogSync          time.Duration // until appends to a log are durable; 0: only on request
}

// Default returns the configuration without file, variables or flags. From env, in the form of [os.Environ], it
// reads only XDG_RUNTIME_DIR, XDG_STATE_HOME, HOME and TMPDIR, which the default paths depend on.
func Default(env []string) Config {
	var c Config
	e := sidecar.NewEnvironment(env)
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
