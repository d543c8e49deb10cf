package salience

import "slices"

// servers are the logs of servers and applications, which run for days and say most of the time that all is well.
func servers() []Rule {
	return slices.Concat(logLevels(), databases(), webServers(), orchestrators(), mailAndAccess(), pluginLoaders())
}

// logLevels are the levels of loggers that say an error, wherever they are in a line: log4j, logback, java.util.logging,
// Python, zap, zerolog, pino (by number), slog, logfmt, syslog, nginx, Apache, MongoDB and glog.
func logLevels() []Rule {
	rules := slices.Concat(
		say(Error, 88, 0, `"level":"fatal"`, `"level":60,`, `"s":"F"`), // a record is a line
		say(Error, 88, 2, "level=fatal", "level=panic", "[emerg]", ":emerg]", "[alert]", ":alert]", "[FATAL]"),
		say(Error, 92, 1, ":emerg : ", ":alert : "), // dmesg --decode
		say(Error, 84, 1, ":crit  : "),
		say(Error, 76, 0, ":err   : "),
		say(Warning, 52, 0, ":warn  : "),
		say(Error, 84, 1, "[crit]", ":crit]", "[CRITICAL]", "level=critical"),
		say(Error, 80, 0, `"level":"critical"`, `"level":"error"`, `"level": "error"`, `"level":50,`, `"s":"E"`, `"severity":"ERROR"`, `"severity": "ERROR"`),
		say(Error, 80, 1, "level=error", "lvl=eror", ":error]", "[SEVERE]", "<Error>", "/ERROR]", " ERROR]"),
		say(Warning, 52, 0, `"level":"warn`, `"level":40,`, `"s":"W"`, `"severity":"WARN`),
	)
	for _, level := range []struct {
		name  string
		score uint8
	}{{"ERROR", 78}, {"SEVERE", 82}, {"FATAL", 88}, {"PANIC", 88}, {"EMERG", 88}, {"CRITICAL", 84}, {"CRIT", 84}, {"ALERT", 84}} {
		rules = append(rules, Rule{Literal: level.name, Place: Word, Reason: Error, Score: level.score, After: 2, only: behindTime})
	}
	rules = append(rules, Rule{Literal: "SEVERE: ", Place: First, Reason: Error, Score: 84, After: 6})
	for _, ending := range []string{".go:", ".cc:", ".cpp:"} { // E0102 03:04:05.678901 1 pool.go:138] closed
		rules = append(rules, Rule{Literal: ending, Reason: Error, Score: 76, After: 1, only: glogError})
	}
	return rules
}

// databases are PostgreSQL, MySQL and MariaDB, Oracle, Redis and SQLite.
func databases() []Rule {
	return slices.Concat(
		say(Error, 92, 3, "FATAL:  ", "PANIC:  ", "deadlock detected", "Deadlock found", "mysqld got signal", "REDIS BUG REPORT", "crashed by signal", "database disk image is malformed"),
		say(Error, 88, 3, "ERROR:  ", "terminated by signal ", "[ERROR] [MY-", "Lock wait timeout exceeded", "too many clients", "Too many connections",
			"remaining connection slots", "not properly shut down"),
		say(Error, 84, 2, " violates ", "duplicate key", "Duplicate entry ", "detected deadlock while", "Can't save in background", "MISCONF ", "OOM command not allowed"),
		say(Error, 74, 0, "DETAIL:  "),
		say(Error, 64, 0, "HINT:  ", "STATEMENT:  ", "CONTEXT:  "),
		[]Rule{{Literal: "ORA-", Place: Word, Next: "0123", Reason: Error, Score: 82, After: 1}},
	)
}

// webServers are nginx, Apache, HAProxy and gunicorn, and what the network says to any server.
func webServers() []Rule {
	return slices.Concat(
		say(Error, 88, 1, "ddress already in use", "bind() to ", "host not found in upstream", "connect() failed (", "upstream prematurely closed", "no live upstreams",
			"upstream timed out", "worker_connections are not enough", "WORKER TIMEOUT", "has no server available"),
		say(Error, 86, 1, "certificate verify failed", "certificate has expired", "x509: ", "too many open files", "EADDRINUSE", "ENOSPC"),
		say(Error, 80, 1, "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EACCES", "TLS handshake error", "access forbidden by rule", "too large body", "client denied by server"),
	)
}

// orchestrators are Docker, Kubernetes and systemd.
func orchestrators() []Rule {
	return say(Error, 88, 1, "Back-off restarting", "ImagePullBackOff", "ErrImagePull", "FailedScheduling", "FailedMount", "Liveness probe failed", "Readiness probe failed",
		"Insufficient memory", "Insufficient cpu", "oci runtime error", "OCI runtime create failed")
}

// mailAndAccess are Postfix, sshd, PAM, sudo, SELinux and AppArmor.
func mailAndAccess() []Rule {
	return slices.Concat(
		say(Error, 88, 0, "status=bounced", "Relay access denied", " reject: ", "avc:  denied", `apparmor="DENIED"`, "NOT in sudoers", "incorrect password attempt"),
		say(Error, 86, 0, "authentication failure", "authentication failed", "Failed password for", "Invalid user ", "BREAK-IN ATTEMPT", "res=failed"),
		say(Error, 80, 0, "status=deferred", "type=AVC "),
	)
}

// pluginLoaders are those of Bukkit, Paper, Forge, Fabric and Quilt, and what these game servers say when they cannot go on.
func pluginLoaders() []Rule {
	return slices.Concat(
		list(Error, 92, 1, "Could not load '", "Error occurred while enabling", "Error occurred while disabling", "Could not pass event"), // and the exception on the next line
		say(Error, 92, 1, "UnknownDependencyException",
			"InvalidPluginException", "InvalidDescriptionException", "UnsupportedClassVersionError", "missing dependency plugins", "nsupported class file major version"),
		say(Error, 93, 8, "mandatory dependencies", "Incompatible mods found", "mods are incompatible", "Mod resolution failed", "Mixin apply failed", "Mixin apply for mod",
			"Mod Loading has failed", "failed to load correctly", "Minecraft Crash Report"),
		say(Error, 90, 0, ", which is missing!", "wrong version is present"),
		list(Error, 92, 1, "FAILED TO BIND TO PORT", "Encountered an unexpected exception"),
		say(Error, 92, 4, "server has stopped responding", "single server tick took"),
		say(Error, 86, 1, "Perhaps a server is already running", "Ambiguous plugin name", "Failed to load chunk", "Couldn't load chunk", "is in the wrong location", "Duplicate mod",
			"agree to the EULA"),
		say(Warning, 56, 0, "Can't keep up!"),
	)
}
