package config

import (
	"slices"
	"time"
)

// settings is the table: every setting once, in the order of the fields of Config, which is also the order of
// help and of print.
func settings() []setting {
	return slices.Concat(accessSettings(), tokenSettings(), storeSettings(), keepSettings(), auditSettings(), inputSettings(), logSettings(),
		telemetrySettings(), limitSettings(), timeSettings())
}

// accessSettings are for who may connect, and from where.
func accessSettings() []setting {
	path, address := textKind[string]("path"), textKind[string]("address")
	return []setting{
		computed(path, func(c *Config) *string { return &c.Socket }, defaultSocket,
			about{key: "socket", initialText: "$XDG_RUNTIME_DIR/toolresult/toolresult.sock, else in the temporary directory",
				help: "path of the Unix socket, absolute"},
			printable, socketPath),
		row(path, func(c *Config) *string { return &c.AddressFile }, "",
			about{key: "address_file", initialText: "none",
				help: "file that has the addresses of the sidecar while it runs, absolute"},
			printable, emptyOrAbsolute),
		row(listKind(), func(c *Config) *[]int { return &c.AllowUIDs }, nil,
			about{key: "allow_uids", initialText: "none",
				help: "ids of further users that may connect to the socket, with commas between " +
					"them"},
			userIDs),
		row(namesKind(), func(c *Config) *[]string { return &c.AllowGroups }, nil,
			about{key: "allow_groups", initialText: "none",
				help: "groups whose members may connect to the socket, by name or id, with " +
					"commas between them"},
			eachGroup),
		row(address, func(c *Config) *string { return &c.TCP }, "",
			about{key: "tcp", initialText: "off",
				help: "also listen on this loopback address and port, such as 127.0.0.1:0; needs " +
					"a token"},
			loopback, tokenForTCP),
		row(path, func(c *Config) *string { return &c.TLSCert }, "",
			about{key: "tls_cert", initialText: "none",
				help: "file with the certificate for TCP in PEM; tcp may be any address then"},
			printable, completeTLS),
		row(path, func(c *Config) *string { return &c.TLSKey }, "",
			about{key: "tls_key", initialText: "none",
				help: "file with its private key, readable by its owner alone"},
			printable, withCertificate),
		row(path, func(c *Config) *string { return &c.TLSClientCA }, "",
			about{key: "tls_client_ca", initialText: "none",
				help: "file with the certificates that sign those of callers over TCP, who need " +
					"one then"},
			printable, withCertificate),
		row(namesKind(), func(c *Config) *[]string { return &c.Authorities }, nil,
			about{key: "authorities", initialText: "none",
				help: "names that calls over TCP may give as their :authority besides loopback, " +
					"with commas between them"},
			eachHost),
	}
}

// tokenSettings are for the token of TCP, from a file or a variable, and for the rights of the process itself.
func tokenSettings() []setting {
	return []setting{
		row(textKind[string]("path"), func(c *Config) *string { return &c.TokenFile }, "",
			about{key: "token_file", initialText: "none",
				help: "file with the bearer token for TCP, readable by its owner alone"},
			printable, oneToken),
		row(textKind[Secret]("token"), func(c *Config) *Secret { return &c.Token }, "",
			about{key: "token", secret: true, file: "token_file", initialText: "none",
				help: "bearer token for TCP, from the variable TOOLRESULT_TOKEN only"},
			goodToken),
		row(boolKind(), func(c *Config) *bool { return &c.Landlock }, false,
			about{key: "landlock", initialText: "off",
				help: "give up the right to all files but those that are needed; needs Linux 6.7 " +
					"with Landlock"}),
	}
}

// storeSettings are for where artifacts are stored.
func storeSettings() []setting {
	return []setting{
		computed(textKind[string]("path"), func(c *Config) *string { return &c.Store }, defaultStore,
			about{key: "store", initialText: "$XDG_STATE_HOME/toolresult, else ~/.local/state/toolresult",
				help: "directory of artifacts and audit records, or the word memory"},
			notEmpty, printable),
		row(boolKind(), func(c *Config) *bool { return &c.Volatile }, false,
			about{key: "volatile", initialText: "off",
				help: "answer without syncing artifacts to disk; a power cut may lose answered " +
					"calls"}),
		row(textKind[string]("URL"), func(c *Config) *string { return &c.ObjectStore }, "",
			about{key: "object_store", initialText: "none",
				help: "where artifacts go from the store, " +
					"s3://BUCKET/PREFIX?endpoint=URL&region=REGION; credentials come from " +
					"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE"},
			objectLocation),
	}
}

// keepSettings are for how long artifacts are kept, and how many.
func keepSettings() []setting {
	duration, size := durationKind(), sizeKind[int64]()
	return []setting{
		row(duration, func(c *Config) *time.Duration { return &c.SessionLease }, 7*24*time.Hour,
			about{key: "session_lease",
				help: "how long a session needs its artifacts after each call"}).
			within(between(duration, 0, 365*24*time.Hour)),
		row(duration, func(c *Config) *time.Duration { return &c.KeepFor }, 30*24*time.Hour,
			about{key: "keep_for",
				help: "how long artifacts are kept that no lease names; 0s is for ever"}).
			within(between(duration, 0, 10*365*24*time.Hour)),
		row(size, func(c *Config) *int64 { return &c.StoreQuota }, 0,
			about{key: "store_quota", initialText: "as much as the disk has",
				help: "bytes of all artifacts"},
			notNegative),
		row(size, func(c *Config) *int64 { return &c.SessionQuota }, 0,
			about{key: "session_quota", initialText: "none of its own",
				help: "bytes of the artifacts of one session"},
			notNegative),
		row(duration, func(c *Config) *time.Duration { return &c.GCInterval }, time.Hour,
			about{key: "gc_interval",
				help: "how often artifacts are deleted whose time is over; 0s is never"}).
			within(zeroOr(duration, time.Second, 7*24*time.Hour)),
	}
}

// auditSettings are for the audit log.
func auditSettings() []setting {
	word, duration := textKind[string]("word"), durationKind()
	return []setting{
		row(word, func(c *Config) *string { return &c.Audit }, AuditJournal,
			about{key: "audit",
				help: "where audit records go: the journal of the store, a database, or nowhere"},
			dsnForPostgres).
			within(oneOf(AuditJournal, AuditPostgres, AuditOff)),
		row(textKind[Secret]("URL"), func(c *Config) *Secret { return &c.AuditDSN }, "",
			about{key: "audit_dsn", secret: true, initialText: "none",
				help: "PostgreSQL database of audit records, from the variable " +
					"TOOLRESULT_AUDIT_DSN only"}),
		row(duration, func(c *Config) *time.Duration { return &c.AuditKeepFor }, 90*24*time.Hour,
			about{key: "audit_keep_for", help: "how long audit records are kept; 0s is for ever"}).
			within(between(duration, 0, 10*365*24*time.Hour)),
		row(word, func(c *Config) *string { return &c.Redaction }, RedactAll,
			about{key: "redaction",
				help: "what is replaced in outputs: registered values and what looks like a " +
					"secret, or the values alone"}).
			within(oneOf(RedactAll, RedactValues)),
	}
}

// inputSettings are for outputs of tools: secrets, files, families, profiles, budgets.
func inputSettings() []setting {
	return []setting{
		row(pathsKind(), func(c *Config) *[]string { return &c.Roots }, nil,
			about{key: "roots", initialText: "none",
				help: "directories whose files may be payloads, absolute, with commas between " +
					"them"},
			eachPrintable, eachAbsolute),
		row(pathsKind(), func(c *Config) *[]string { return &c.Families }, nil,
			about{key: "families", initialText: "none",
				help: "files with descriptor sets of families of your own, with commas between " +
					"them"},
			eachPrintable),
		row(pathsKind(), func(c *Config) *[]string { return &c.Profiles }, nil,
			about{key: "profiles", initialText: "none",
				help: "directories with command profiles of yours, absolute, the later the " +
					"stronger, with commas between them"},
			eachPrintable, eachAbsolute),
		row(pathsKind(), func(c *Config) *[]string { return &c.ProjectProfiles }, nil,
			about{key: "project_profiles", initialText: "none",
				help: "the same for profiles that come with the repositories that agents work " +
					"in, and may say less"},
			eachPrintable, eachAbsolute),
		row(budgetsKind(), func(c *Config) *[]Budget { return &c.Budgets }, nil,
			about{key: "budgets", initialText: "none",
				help: "tokens of receipts whose caller sets none, TOOL=TOKENS or " +
					"TOOL@MODEL=TOKENS with patterns of the shell, the first that matches, with " +
					"commas between them"}).
			within(goodBudgets()),
	}
}

// logSettings are for the log of the process.
func logSettings() []setting {
	word := textKind[string]("word")
	return []setting{
		row(word, func(c *Config) *string { return &c.LogLevel }, "info",
			about{key: "log_level", help: "least level that is logged"}).
			within(oneOf("debug", "info", "warn", "error")),
	}
}

// telemetrySettings are for metrics and traces. All of them are off by default.
func telemetrySettings() []setting {
	return []setting{
		row(textKind[string]("address"), func(c *Config) *string { return &c.Metrics }, "",
			about{key: "metrics", initialText: "off",
				help: "serve metrics for Prometheus on this loopback address and port, such as " +
					"127.0.0.1:9464"},
			loopback),
		row(textKind[string]("URL"), func(c *Config) *string { return &c.OTLPEndpoint }, "",
			about{key: "otlp_endpoint", initialText: "off",
				help: "send traces and metrics to this collector by gRPC, such as " +
					"http://127.0.0.1:4317"},
			collector),
	}
}

// limitSettings bound the memory and the connections of the process (docs/reference/limits.md has the arithmetic).
func limitSettings() []setting {
	count, size, largeSize := countKind(), sizeKind[int](), sizeKind[int64]()
	return []setting{
		row(size, func(c *Config) *int { return &c.MaxMessageBytes }, 4<<20,
			about{key: "max_message_bytes", help: "largest request message"}).
			within(between(size, 64<<10, 1<<30)),
		row(largeSize, func(c *Config) *int64 { return &c.MaxInFlightBytes }, 64<<20,
			about{key: "max_in_flight_bytes", help: "memory for the work of all calls at once"}).
			within(atLeastOneMessage(largeSize)),
		row(count, func(c *Config) *int { return &c.MaxConnections }, 64,
			about{key: "max_connections", help: "open connections"}).
			within(between(count, 1, 10_000)),
	}
}

// timeSettings bound the time of calls and of a shutdown.
func timeSettings() []setting {
	duration := durationKind()
	return []setting{
		row(duration, func(c *Config) *time.Duration { return &c.StreamIdle }, 5*time.Minute,
			about{key: "stream_idle",
				help: "time that a stream may be without a message of its client"}).
			within(between(duration, time.Second, 24*time.Hour)),
		row(duration, func(c *Config) *time.Duration { return &c.DrainDelay }, 0,
			about{key: "drain_delay", initialText: "0s",
				help: "time to say NOT_SERVING before the sidecar stops accepting"}).
			within(between(duration, 0, time.Minute)),
		row(duration, func(c *Config) *time.Duration { return &c.ShutdownTimeout }, 10*time.Second,
			about{key: "shutdown_timeout",
				help: "time for calls in flight to finish before they are cut"}).
			within(between(duration, 100*time.Millisecond, 10*time.Minute)),
		row(duration, func(c *Config) *time.Duration { return &c.IdleExit }, 0,
			about{key: "idle_exit", initialText: "0s, never",
				help: "time without calls after which the sidecar ends"}).
			within(zeroOr(duration, time.Second, 7*24*time.Hour)),
		row(duration, func(c *Config) *time.Duration { return &c.LogSync }, time.Second,
			about{key: "log_sync",
				help: "after how long appends to a log are made durable; 0s: only on request"}).
			within(between(duration, 0, time.Hour)),
	}
}
