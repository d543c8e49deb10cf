package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/internal/sidecar"
	"github.com/toolresult/toolresult/server/config"
)

// valid is a configuration at its defaults, whatever the environment of the test.
func valid() config.Config {
	return config.Default([]string{"HOME=/home/x", "XDG_RUNTIME_DIR=/run/user/7"})
}

// TestValidateRejects changes one value at a time. The message wanted is whole.
func TestValidateRejects(t *testing.T) {
	t.Parallel()
	const (
		name      = "names a host, and a name may resolve to any address; write 127.0.0.1:PORT or [::1]:PORT"
		collector = "is not of the form http://HOST:PORT or https://HOST:PORT"
		address   = "is not an address and a port; write 127.0.0.1:PORT or [::1]:PORT"
		loopback  = "is not a loopback address, so other machines might reach it; write 127.0.0.1:PORT or [::1]:PORT, or set tls_cert and tls_key"
	)
	long := "/" + strings.Repeat("x", sidecar.MaxSocketPath)
	tcp := func(v string) func(*config.Config) {
		return func(c *config.Config) { c.TCP, c.Token = v, secret }
	}
	for _, c := range []struct {
		change func(c *config.Config)
		want   string
	}{
		{func(c *config.Config) { c.Socket = "" }, `socket = "": is not an absolute path`},
		{func(c *config.Config) { c.Socket = "run/x" }, `socket = "run/x": is not an absolute path`},
		{func(c *config.Config) { c.Profiles = []string{"/a", "b"} }, `profiles = "/a,b": has a path that is not absolute`},
		{func(c *config.Config) { c.ProjectProfiles = []string{""} }, `project_profiles = "": has an empty path`},
		{func(c *config.Config) { c.Budgets = []config.Budget{{Tool: "Bash", Tokens: 15}} }, `budgets = "Bash=15": has an element out of bounds: 16 to 200000`},
		{func(c *config.Config) { c.Budgets = []config.Budget{{Tool: "Bash", Tokens: 200_001}} }, `budgets = "Bash=200001": has an element out of bounds: 16 to 200000`},
		{func(c *config.Config) { c.Budgets = []config.Budget{{Tool: "B[a", Tokens: 16}} }, `budgets = "B[a=16": has an element whose tool or model is no pattern: printable ASCII without spaces, commas and, in a tool, @ and =`},
		{func(c *config.Config) { c.Budgets = []config.Budget{{Tool: "a", Model: "b c", Tokens: 16}} }, `budgets = "a@b c=16": has an element whose tool or model is no pattern: printable ASCII without spaces, commas and, in a tool, @ and =`},
		{func(c *config.Config) { c.Budgets = []config.Budget{{Tokens: 16}} }, `budgets = "=16": has an element whose tool or model is no pattern: printable ASCII without spaces, commas and, in a tool, @ and =`},
		{func(c *config.Config) { c.Socket = "@x" }, `socket = "@x": is not an absolute path`},
		{func(c *config.Config) { c.Socket = "/run/" }, `socket = "/run/": is a directory, not the path of a socket in one`},
		{func(c *config.Config) { c.Socket = long }, `socket = "` + long + `": is ` + fmt.Sprint(len(long)) + ` bytes long; the kernel takes at most ` + fmt.Sprint(sidecar.MaxSocketPath)},
		{func(c *config.Config) { c.Socket = "/a\nb" }, `socket = "/a\nb": holds a control character`},
		{func(c *config.Config) { c.Socket = "/a\x00" }, `socket = "/a\x00": holds a control character`},
		{func(c *config.Config) { c.AllowGroups = []string{"staff", "a:b"} }, `allow_groups = "staff,a:b": "a:b" is no name of a group`},
		{func(c *config.Config) { c.AllowUIDs = []int{0, -1} }, `allow_uids = "0,-1": -1 is not a user id: 0 to 4294967294`},
		{func(c *config.Config) { c.AllowUIDs = []int{4294967295} }, `allow_uids = "4294967295": 4294967295 is not a user id: 0 to 4294967294`},
		{tcp("localhost:80"), `tcp = "localhost:80": ` + name},
		{tcp("sidecar.example:80"), `tcp = "sidecar.example:80": ` + name},
		{tcp("0.0.0.0:80"), `tcp = "0.0.0.0:80": ` + loopback},
		{tcp("[::]:80"), `tcp = "[::]:80": ` + loopback},
		{tcp("192.168.1.1:80"), `tcp = "192.168.1.1:80": ` + loopback},
		{tcp("[::1%lo]:80"), `tcp = "[::1%lo]:80": ` + loopback},
		{tcp(":80"), `tcp = ":80": ` + address},
		{tcp("127.0.0.1"), `tcp = "127.0.0.1": ` + address},
		{tcp("127.0.0.1:http"), `tcp = "127.0.0.1:http": ` + address},
		{tcp("127.0.0.1:65536"), `tcp = "127.0.0.1:65536": ` + address},
		{func(c *config.Config) { c.TCP = "127.0.0.1:0" },
			`tcp = "127.0.0.1:0": needs a bearer token: set token_file or the variable TOOLRESULT_TOKEN`},
		{func(c *config.Config) { c.TokenFile, c.Token = "/t", secret },
			`token_file = "/t": is set together with the variable TOOLRESULT_TOKEN; keep one of them`},
		{func(c *config.Config) { c.TLSCert = "/c" }, `tls_cert = "/c": needs its private key: set tls_key`},
		{func(c *config.Config) { c.TLSCert, c.TLSKey = "/c", "/k" }, `tls_cert = "/c": is for TCP, and tcp is off`},
		{func(c *config.Config) { c.TLSKey = "/k" }, `tls_key = "/k": needs a certificate: set tls_cert`},
		{func(c *config.Config) { c.TLSClientCA = "/ca" }, `tls_client_ca = "/ca": needs a certificate: set tls_cert`},
		{func(c *config.Config) { c.TCP, c.TLSCert, c.TLSKey = "192.0.2.1:7001", "/c", "/k" },
			`tcp = "192.0.2.1:7001": needs a bearer token: set token_file or the variable TOOLRESULT_TOKEN`},
		{func(c *config.Config) { c.Authorities = []string{"a.example", "b.example:80"} },
			`authorities = "a.example,b.example:80": has an element that is neither a host name nor an address, without a port`},
		{func(c *config.Config) { c.Authorities = []string{"*.example"} },
			`authorities = "*.example": has an element that is neither a host name nor an address, without a port`},
		{func(c *config.Config) { c.TokenFile = "/\x1b" }, `token_file = "/\x1b": holds a control character`},
		{func(c *config.Config) { c.Token = "fifteen-bytes-0" }, `token = (hidden): is 15 bytes long; at least 16 are needed`},
		{func(c *config.Config) { c.Token = "sixteen bytes 01" },
			`token = (hidden): holds a space, a control character or a byte that is not ASCII, at position 7; no call can carry it`},
		{func(c *config.Config) { c.Token = config.Secret(strings.Repeat("x", 4097)) }, `token = (hidden): is longer than 4096 bytes`},
		{func(c *config.Config) { c.Families = []string{"/a", ""} }, `families = "/a,": has an empty path`},
		{func(c *config.Config) { c.Families = []string{"/a\n"} }, `families = "/a\n": holds a control character`},
		{func(c *config.Config) { c.Store = "" }, `store = "": is empty`},
		{func(c *config.Config) { c.Store = "a\tb" }, `store = "a\tb": holds a control character`},
		{func(c *config.Config) { c.ObjectStore = "https://b" },
			`object_store = "https://b": is not of the form s3://BUCKET/PREFIX?endpoint=URL&region=REGION`},
		{func(c *config.Config) { c.ObjectStore, c.Store = "s3://bucket", config.MemoryStore },
			`object_store = "s3://bucket": needs a directory as its spool, and the store is in memory`},
		{func(c *config.Config) { c.Audit = "mysql" }, `audit = "mysql": is not one of journal, postgres or off`},
		{func(c *config.Config) { c.Audit = config.AuditPostgres },
			`audit = "postgres": needs a database: set the variable TOOLRESULT_AUDIT_DSN`},
		{func(c *config.Config) { c.AuditDSN = "postgres:///audit" },
			`audit = "journal": is set together with the variable TOOLRESULT_AUDIT_DSN, which is for postgres alone`},
		{func(c *config.Config) { c.AuditKeepFor = -1 }, `audit_keep_for = "-1ns": is out of bounds: 0s to 87600h`},
		{func(c *config.Config) { c.Redaction = "off" }, `redaction = "off": is not one of all or values`},
		{func(c *config.Config) { c.LogLevel = "trace" }, `log_level = "trace": is not one of debug, info, warn or error`},
		{func(c *config.Config) { c.LogLevel = "INFO" }, `log_level = "INFO": is not one of debug, info, warn or error`},
		{func(c *config.Config) { c.Metrics = "0.0.0.0:9464" }, `metrics = "0.0.0.0:9464": ` + loopback},
		{func(c *config.Config) { c.Metrics = "localhost:9464" }, `metrics = "localhost:9464": ` + name},
		{func(c *config.Config) { c.OTLPEndpoint = "127.0.0.1:4317" }, `otlp_endpoint = "127.0.0.1:4317": ` + collector},
		{func(c *config.Config) { c.OTLPEndpoint = "http://127.0.0.1" }, `otlp_endpoint = "http://127.0.0.1": ` + collector},
		{func(c *config.Config) { c.OTLPEndpoint = "http://127.0.0.1:4317/v1" }, `otlp_endpoint = "http://127.0.0.1:4317/v1": ` + collector},
		{func(c *config.Config) { c.OTLPEndpoint = "http://u:p@h:1" }, `otlp_endpoint = "http://u:p@h:1": ` + collector},
		{func(c *config.Config) { c.MaxMessageBytes = 65535 }, `max_message_bytes = "65535": is out of bounds: 64KiB to 1GiB`},
		{func(c *config.Config) { c.MaxMessageBytes = 1<<30 + 1; c.MaxInFlightBytes = 1 << 31 },
			`max_message_bytes = "1073741825": is out of bounds: 64KiB to 1GiB`},
		{func(c *config.Config) { c.MaxInFlightBytes = 4<<20 - 1 },
			`max_in_flight_bytes = "4194303": is below max_message_bytes, which is 4MiB`},
		{func(c *config.Config) { c.MaxConnections = 0 }, `max_connections = "0": is out of bounds: 1 to 10000`},
		{func(c *config.Config) { c.MaxConnections = 10001 }, `max_connections = "10001": is out of bounds: 1 to 10000`},
		{func(c *config.Config) { c.StreamIdle = 0 }, `stream_idle = "0s": is out of bounds: 1s to 24h`},
		{func(c *config.Config) { c.StreamIdle = 25 * time.Hour }, `stream_idle = "25h": is out of bounds: 1s to 24h`},
		{func(c *config.Config) { c.DrainDelay = -1 }, `drain_delay = "-1ns": is out of bounds: 0s to 1m`},
		{func(c *config.Config) { c.DrainDelay = 61 * time.Second }, `drain_delay = "1m1s": is out of bounds: 0s to 1m`},
		{func(c *config.Config) { c.ShutdownTimeout = 0 }, `shutdown_timeout = "0s": is out of bounds: 100ms to 10m`},
		{func(c *config.Config) { c.ShutdownTimeout = time.Hour }, `shutdown_timeout = "1h": is out of bounds: 100ms to 10m`},
		{func(c *config.Config) { c.IdleExit = time.Millisecond }, `idle_exit = "1ms": is out of bounds: 0s, or 1s to 168h`},
		{func(c *config.Config) { c.IdleExit = 169 * time.Hour }, `idle_exit = "169h": is out of bounds: 0s, or 1s to 168h`},
		{func(c *config.Config) { c.AddressFile = "address" }, `address_file = "address": is not an absolute path`},
		{func(c *config.Config) { c.AddressFile = "/run/" }, `address_file = "/run/": is a directory, not the path of a file in one`},
		{func(c *config.Config) { c.AddressFile = "/a\nb" }, `address_file = "/a\nb": holds a control character`},
		{func(c *config.Config) { c.LogSync = -1 }, `log_sync = "-1ns": is out of bounds: 0s to 1h`},
		{func(c *config.Config) { c.LogSync = 2 * time.Hour }, `log_sync = "2h": is out of bounds: 0s to 1h`},
	} {
		changed := valid()
		c.change(&changed)
		wantLines(t, config.Validate(changed), c.want)
	}
}

// TestValidateAccepts goes to the bounds.
func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	for i, change := range []func(c *config.Config){
		func(*config.Config) {},
		func(c *config.Config) { c.Socket = "/" + strings.Repeat("x", 106) },
		func(c *config.Config) { c.AllowUIDs = []int{0, 4294967294} },
		func(c *config.Config) { c.TCP, c.Token = "127.0.0.1:0", "sixteen-bytes-01" },
		func(c *config.Config) { c.TCP, c.TokenFile = "127.8.9.1:65535", "relative/token" },
		func(c *config.Config) { c.TCP, c.TokenFile = "[::1]:1", "/t" },
		func(c *config.Config) { c.TCP, c.Token, c.TLSCert, c.TLSKey = "0.0.0.0:1", secret, "/c", "/k" },
		func(c *config.Config) {
			c.Authorities = []string{"localhost", "192.0.2.1", "2001:db8::1", "x-1.Example"}
		},
		func(c *config.Config) { c.Token = config.Secret(strings.Repeat("x", 4096)) },
		func(c *config.Config) { c.Store = "./memory" },
		func(c *config.Config) { c.Audit, c.AuditDSN = config.AuditPostgres, "postgres:///audit" },
		func(c *config.Config) { c.Audit, c.AuditKeepFor, c.Redaction = config.AuditOff, 0, config.RedactValues },
		func(c *config.Config) { c.Metrics, c.OTLPEndpoint = "127.0.0.1:0", "http://[::1]:4317" },
		func(c *config.Config) { c.MaxMessageBytes = 1 << 30; c.MaxInFlightBytes = 1 << 30 },
		func(c *config.Config) { c.MaxMessageBytes = 64 << 10; c.MaxConnections = 10000 },
		func(c *config.Config) { c.DrainDelay = time.Minute },
		func(c *config.Config) { c.StreamIdle = time.Second },
		func(c *config.Config) { c.ShutdownTimeout = 10 * time.Minute },
	} {
		changed := valid()
		change(&changed)
		if err := config.Validate(changed); err != nil {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

// TestValidateZero checks that the zero value is rejected with every reason at once.
func TestValidateZero(t *testing.T) {
	t.Parallel()
	err := config.Validate(config.Config{})
	if err == nil || strings.Count(err.Error(), "\n") != 8 {
		t.Error(err)
	}
}

func TestValidateNamesTheOrigin(t *testing.T) {
	t.Parallel()
	path := written(t, "c.yaml", "\nmax_connections: 0\n")
	loaded := mustLoad(t, parsed(t, "--config", path, "--tcp=localhost:1"), "TOOLRESULT_TOKEN=short",
		"XDG_RUNTIME_DIR=/"+strings.Repeat("r", 100))
	wantLines(t, loaded.Validate(),
		`socket = "/`+strings.Repeat("r", 100)+`/toolresult/toolresult.sock": is 128 bytes long; the kernel takes at most `+fmt.Sprint(sidecar.MaxSocketPath)+` (from default)`,
		`tcp = "localhost:1": names a host, and a name may resolve to any address; write 127.0.0.1:PORT or [::1]:PORT (from flag --tcp)`,
		`token = (hidden): is 5 bytes long; at least 16 are needed (from env TOOLRESULT_TOKEN)`,
		`max_connections = "0": is out of bounds: 1 to 10000 (from file `+path+`:2)`,
	)
}
