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
		newSpec(spec[string]{
			about: about{key: "socket", help: "path of the Unix socket, absolute",
				initialText: "$XDG_RUNTIME_DIR/toolresult/toolresult.sock, else in the temporary directory"},
			kind: path, field: func(c *Config) *string { return &c.Socket },
			from: defaultSocket, rules: []rule[string]{printable(), socketPath()},
		}),
		newSpec(spec[string]{
			about: about{key: "address_file", initialText: "none",
				help: "file that has the addresses of the sidecar while it runs, absolute"},
			kind: path, field: func(c *Config) *string { return &c.AddressFile },
			rules: []rule[string]{printable(), emptyOrAbsolute()},
		}),
		newSpec(spec[[]int]{
			about: about{key: "allow_uids", initialText: "none",
				help: "ids of further users that may connect to the socket, with commas between them"},
			kind: listKind(), field: func(c *Config) *[]int { return &c.AllowUIDs },
			rules: []rule[[]int]{userIDs()},
		}),
		newSpec(spec[[]string]{
			about: about{key: "allow_groups", initialText: "none",
				help: "groups whose members may connect to the socket, by name or id, with commas between them"},
			kind: namesKind(), field: func(c *Config) *[]string { return &c.AllowGroups },
			rules: []rule[[]string]{eachGroup()},
		}),
		newSpec(spec[string]{
			about: about{key: "tcp", initialText: "off",
				help: "also listen on this loopback address and port, such as 127.0.0.1:0; needs a token"},
			kind: address, field: func(c *Config) *string { return &c.TCP },
			rules: []rule[string]{loopback(), tokenForTCP()},
		}),
		newSpec(spec[string]{
			about: about{key: "tls_cert", initialText: "none",
				help: "file with the certificate for TCP in PEM; tcp may be any address then"},
			kind: path, field: func(c *Config) *string { return &c.TLSCert },
			rules: []rule[string]{printable(), completeTLS()},
		}),
		newSpec(spec[string]{
			about: about{key: "tls_key", initialText: "none",
				help: "file with its private key, readable by its owner alone"},
			kind: path, field: func(c *Config) *string { return &c.TLSKey },
			rules: []rule[string]{printable(), withCertificate()},
		}),
		newSpec(spec[string]{
			about: about{key: "tls_client_ca", initialText: "none",
				help: "file with the certificates that sign those of callers over TCP, who need one then"},
			kind: path, field: func(c *Config) *string { return &c.TLSClientCA },
			rules: []rule[string]{printable(), withCertificate()},
		}),
		newSpec(spec[[]string]{
			about: about{key: "authorities", initialText: "none",
				help: "names that calls over TCP may give as their :authority besides loopback, with commas between them"},
			kind: namesKind(), field: func(c *Config) *[]string { return &c.Authorities },
			rules: []rule[[]string]{eachHost()},
		}),
	}
}

// tokenSettings are for the token of TCP, from a file or a variable, and for the rights of the process itself.
func tokenSettings() []setting {
	return []setting{
		newSpec(spec[string]{
			about: about{key: "token_file", initialText: "none",
				help: "file with the bearer token for TCP, readable by its owner alone"},
			kind: textKind[string]("path"), field: func(c *Config) *string { return &c.TokenFile },
			rules: []rule[string]{printable(), oneToken()},
		}),
		newSpec(spec[Secret]{
			about: about{key: "token", secret: true, file: "token_file", initialText: "none",
				help: "bearer token for TCP, from the variable TOOLRESULT_TOKEN only"},
			kind: textKind[Secret]("token"), field: func(c *Config) *Secret { return &c.Token },
			rules: []rule[Secret]{goodToken()},
		}),
		newSpec(spec[bool]{
			about: about{key: "landlock", initialText: "off",
				help: "give up the right to all files but those that are needed; needs Linux 6.7 with Landlock"},
			kind: boolKind(), field: func(c *Config) *bool { return &c.Landlock },
		}),
	}
}

// storeSettings are for where artifacts are stored.
func storeSettings() []setting {
	duration := durationKind()
	return []setting{
		newSpec(spec[string]{
			about: about{key: "store", help: "directory of artifacts and audit records, or the word memory",
				initialText: "$XDG_STATE_HOME/toolresult, else ~/.local/state/toolresult"},
			kind: textKind[string]("path"), field: func(c *Config) *string { return &c.Store },
			from: defaultStore, rules: []rule[string]{notEmpty(), printable()},
		}),
		newSpec(spec[bool]{
			about: about{key: "volatile", initialText: "off",
				help: "answer without syncing artifacts to disk; a power cut may lose answered calls"},
			kind: boolKind(), field: func(c *Config) *bool { return &c.Volatile },
		}),
		newSpec(spec[string]{
			about: about{key: "object_store", initialText: "none",
				help: "where artifacts go from the store, s3://BUCKET/PREFIX?endpoint=URL&region=REGION; " +
					"credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE"},
			kind: textKind[string]("URL"), field: func(c *Config) *string { return &c.ObjectStore },
			rules: []rule[string]{objectLocation()},
		}),
		newSpec(spec[time.Duration]{
			about: about{key: "compress_after", initialText: "0s, never",
				help: "age from which on an artifact may be compressed; its path is no file then"},
			kind: duration, field: func(c *Config) *time.Duration { return &c.CompressAfter },
			rules: []rule[time.Duration]{between(duration, 0, 87600*time.Hour)},
		}),
	}
}

// keepSettings are for how long artifacts are kept, and how many.
func keepSettings() []setting {
	duration, size := durationKind(), sizeKind[int64]()
	return []setting{
		newSpec(spec[time.Duration]{
			about: about{key: "session_lease", help: "how long a session needs its artifacts after each call"},
			kind:  duration, field: func(c *Config) *time.Duration { return &c.SessionLease }, value: 7 * 24 * time.Hour,
			rules: []rule[time.Duration]{between(duration, 0, 365*24*time.Hour)},
		}),
		newSpec(spec[time.Duration]{
			about: about{key: "keep_for", help: "how long artifacts are kept that no lease names; 0s is for ever"},
			kind:  duration, field: func(c *Config) *time.Duration { return &c.KeepFor }, value: 30 * 24 * time.Hour,
			rules: []rule[time.Duration]{between(duration, 0, 10*365*24*time.Hour)},
		}),
		newSpec(spec[int64]{
			about: about{key: "store_quota", help: "bytes of all artifacts", initialText: "as much as the disk has"},
			kind:  size, field: func(c *Config) *int64 { return &c.StoreQuota }, rules: []rule[int64]{notNegative()},
		}),
		newSpec(spec[int64]{
			about: about{key: "session_quota", help: "bytes of the artifacts of one session", initialText: "none of its own"},
			kind:  size, field: func(c *Config) *int64 { return &c.SessionQuota }, rules: []rule[int64]{notNegative()},
		}),
		newSpec(spec[time.Duration]{
			about: about{key: "gc_interval", help: "how often artifacts are deleted whose time is over; 0s is never"},
			kind:  duration, field: func(c *Config) *time.Duration { return &c.GCInterval }, value: time.Hour,
			rules: []rule[time.Duration]{zeroOr(duration, time.Second, 7*24*time.Hour)},
		}),
	}
}

// auditSettings are for the audit log.
func auditSettings() []setting {
	word, duration := textKind[string]("word"), durationKind()
	return []setting{
		newSpec(spec[string]{
			about: about{key: "audit", help: "where audit records go: the journal of the store, a database, or nowhere"},
			kind:  word, field: func(c *Config) *string { return &c.Audit }, value: AuditSQLite,
			rules: []rule[string]{oneOf(AuditSQLite, AuditPostgres, AuditOff), dsnForPostgres()},
		}),
		newSpec(spec[Secret]{
			about: about{key: "audit_dsn", secret: true, initialText: "none",
				help: "PostgreSQL database of audit records, from the variable TOOLRESULT_AUDIT_DSN only"},
			kind: textKind[Secret]("URL"), field: func(c *Config) *Secret { return &c.AuditDSN },
		}),
		newSpec(spec[time.Duration]{
			about: about{key: "audit_keep_for", help: "how long audit records are kept; 0s is for ever"},
			kind:  duration, field: func(c *Config) *time.Duration { return &c.AuditKeepFor }, value: 90 * 24 * time.Hour,
			rules: []rule[time.Duration]{between(duration, 0, 10*365*24*time.Hour)},
		}),
		newSpec(spec[string]{
			about: about{key: "redaction", help: "what is replaced in outputs: registered values and what looks like a secret, or the values alone"},
			kind:  word, field: func(c *Config) *string { return &c.Redaction }, value: RedactAll,
			rules: []rule[string]{oneOf(RedactAll, RedactValues)},
		}),
	}
}

// inputSettings are for outputs of tools: secrets, files, families, profiles, budgets.
func inputSettings() []setting {
	return []setting{
		newSpec(spec[[]string]{
			about: about{key: "roots", initialText: "none",
				help: "directories whose files may be payloads, absolute, with commas between them"},
			kind: pathsKind(), field: func(c *Config) *[]string { return &c.Roots },
			rules: []rule[[]string]{eachPrintable(), eachAbsolute()},
		}),
		newSpec(spec[[]string]{
			about: about{key: "families", initialText: "none",
				help: "files with descriptor sets of families of your own, with commas between them"},
			kind: pathsKind(), field: func(c *Config) *[]string { return &c.Families },
			rules: []rule[[]string]{eachPrintable()},
		}),
		newSpec(spec[[]string]{
			about: about{key: "profiles", initialText: "none",
				help: "directories with command profiles of yours, absolute, the later the stronger, with commas between them"},
			kind: pathsKind(), field: func(c *Config) *[]string { return &c.Profiles },
			rules: []rule[[]string]{eachPrintable(), eachAbsolute()},
		}),
		newSpec(spec[[]string]{
			about: about{key: "project_profiles", initialText: "none",
				help: "the same for profiles that come with the repositories that agents work in, and may say less"},
			kind: pathsKind(), field: func(c *Config) *[]string { return &c.ProjectProfiles },
			rules: []rule[[]string]{eachPrintable(), eachAbsolute()},
		}),
		newSpec(spec[[]Budget]{
			about: about{key: "budgets", initialText: "none",
				help: "tokens of receipts whose caller sets none, TOOL=TOKENS or TOOL@MODEL=TOKENS with patterns of the shell, the first that matches, with commas between them"},
			kind: budgetsKind(), field: func(c *Config) *[]Budget { return &c.Budgets },
			rules: []rule[[]Budget]{goodBudgets()},
		}),
	}
}

// logSettings are for the log of the process.
func logSettings() []setting {
	word := textKind[string]("word")
	return []setting{
		newSpec(spec[string]{
			about: about{key: "log_level", help: "least level that is logged"},
			kind:  word, field: func(c *Config) *string { return &c.LogLevel }, value: "info",
			rules: []rule[string]{oneOf("debug", "info", "warn", "error")},
		}),
	}
}

// telemetrySettings are for metrics and traces. All of them are off by default.
func telemetrySettings() []setting {
	return []setting{
		newSpec(spec[string]{
			about: about{key: "metrics", initialText: "off",
				help: "serve metrics for Prometheus on this loopback address and port, such as 127.0.0.1:9464"},
			kind: textKind[string]("address"), field: func(c *Config) *string { return &c.Metrics },
			rules: []rule[string]{loopback()},
		}),
		newSpec(spec[string]{
			about: about{key: "otlp_endpoint", initialText: "off",
				help: "send traces and metrics to this collector by gRPC, such as http://127.0.0.1:4317"},
			kind: textKind[string]("URL"), field: func(c *Config) *string { return &c.OTLPEndpoint },
			rules: []rule[string]{collector()},
		}),
	}
}

// limitSettings bound the memory and the connections of the process (docs/reference/limits.md has the arithmetic).
func limitSettings() []setting {
	count, size, largeSize := countKind(), sizeKind[int](), sizeKind[int64]()
	return []setting{
		newSpec(spec[int]{
			about: about{key: "max_message_bytes", help: "largest request message"},
			kind:  size, field: func(c *Config) *int { return &c.MaxMessageBytes }, value: 4 << 20,
			rules: []rule[int]{between(size, 64<<10, 1<<30)},
		}),
		newSpec(spec[int64]{
			about: about{key: "max_in_flight_bytes", help: "memory for the work of all calls at once"},
			kind:  largeSize, field: func(c *Config) *int64 { return &c.MaxInFlightBytes }, value: 64 << 20,
			rules: []rule[int64]{atLeastOneMessage(largeSize)},
		}),
		newSpec(spec[int]{
			about: about{key: "max_connections", help: "open connections"},
			kind:  count, field: func(c *Config) *int { return &c.MaxConnections }, value: 64,
			rules: []rule[int]{between(count, 1, 10_000)},
		}),
	}
}

// timeSettings bound the time of calls and of a shutdown.
func timeSettings() []setting {
	duration := durationKind()
	return []setting{
		newSpec(spec[time.Duration]{
			about: about{key: "stream_idle", help: "time that a stream may be without a message of its client"},
			kind:  duration, field: func(c *Config) *time.Duration { return &c.StreamIdle },
			value: 5 * time.Minute,
			rules: []rule[time.Duration]{between(duration, time.Second, 24*time.Hour)},
		}),
		newSpec(spec[time.Duration]{
			about: about{key: "drain_delay", help: "time to say NOT_SERVING before the sidecar stops accepting",
				initialText: "0s"},
			kind: duration, field: func(c *Config) *time.Duration { return &c.DrainDelay },
			rules: []rule[time.Duration]{between(duration, 0, time.Minute)},
		}),
		newSpec(spec[time.Duration]{
			about: about{key: "shutdown_timeout", help: "time for calls in flight to finish before they are cut"},
			kind:  duration, field: func(c *Config) *time.Duration { return &c.ShutdownTimeout },
			value: 10 * time.Second,
			rules: []rule[time.Duration]{between(duration, 100*time.Millisecond, 10*time.Minute)},
		}),
		newSpec(spec[time.Duration]{
			about: about{key: "idle_exit", initialText: "0s, never", help: "time without calls after which the sidecar ends"},
			kind:  duration, field: func(c *Config) *time.Duration { return &c.IdleExit },
			rules: []rule[time.Duration]{zeroOr(duration, time.Second, 7*24*time.Hour)},
		}),
		newSpec(spec[time.Duration]{
			about: about{key: "log_sync", help: "after how long appends to a log are made durable; 0s: only on request"},
			kind:  duration, field: func(c *Config) *time.Duration { return &c.LogSync },
			value: time.Second,
			rules: []rule[time.Duration]{between(duration, 0, time.Hour)},
		}),
	}
}
