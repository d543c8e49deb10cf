package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/toolresult/toolresult/server/config"
)

const secret = "correct-horse-battery-staple"

// parsed returns a flag set of ours after the arguments.
func parsed(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.Flags(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return set
}

// written returns the path of a new file with the content.
func written(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mustLoad loads what has to be right.
func mustLoad(t *testing.T, set *pflag.FlagSet, env ...string) *config.Loaded {
	t.Helper()
	loaded, err := config.Load(set, env)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// wantLines compares the lines of an error.
func wantLines(t *testing.T, err error, want ...string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if diff := cmp.Diff(want, strings.Split(got, "\n")); diff != "" {
		t.Errorf("error differs (-want +got):\n%s", diff)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	env := []string{"XDG_RUNTIME_DIR=/run/user/7", "XDG_STATE_HOME=/state", "HOME=/home/x"}
	want := config.Config{
		Socket: "/run/user/7/toolresult/toolresult.sock", Store: "/state/toolresult",
		SessionLease: 7 * 24 * time.Hour, KeepFor: 30 * 24 * time.Hour, GCInterval: time.Hour,
		Audit: "journal", AuditKeepFor: 90 * 24 * time.Hour, Redaction: "all",
		LogLevel:        "info",
		MaxMessageBytes: 4194304, MaxInFlightBytes: 67108864, MaxConnections: 64,
		StreamIdle: 5 * time.Minute, ShutdownTimeout: 10 * time.Second,
		LogSync: time.Second,
	}
	if diff := cmp.Diff(want, config.Default(env)); diff != "" {
		t.Errorf("Default differs (-want +got):\n%s", diff)
	}
	loaded := mustLoad(t, nil, env...)
	if diff := cmp.Diff(want, loaded.Config); diff != "" {
		t.Errorf("Load without layers differs (-want +got):\n%s", diff)
	}
	if err := loaded.Validate(); err != nil {
		t.Error(err)
	}
	if err := config.Validate(config.Default(os.Environ())); err != nil {
		t.Error("here:", err)
	}
}

func TestDefaultPaths(t *testing.T) {
	t.Parallel()
	own := fmt.Sprintf("toolresult-%d", os.Getuid())
	for _, c := range []struct{ env, socket, store string }{
		{"", "/tmp/" + own + "/toolresult.sock", "/tmp/" + own + "/state"},
		{"TMPDIR=/var/tmp", "/var/tmp/" + own + "/toolresult.sock", "/var/tmp/" + own + "/state"},
		{"TMPDIR=relative", "/tmp/" + own + "/toolresult.sock", "/tmp/" + own + "/state"},
		{"XDG_RUNTIME_DIR=/r", "/r/toolresult/toolresult.sock", "/tmp/" + own + "/state"},
		{"XDG_RUNTIME_DIR=r", "/tmp/" + own + "/toolresult.sock", "/tmp/" + own + "/state"},
		{"XDG_STATE_HOME=/s HOME=/h", "/tmp/" + own + "/toolresult.sock", "/s/toolresult"},
		{"XDG_STATE_HOME=s HOME=/h", "/tmp/" + own + "/toolresult.sock", "/h/.local/state/toolresult"},
		{"HOME=/h HOME=/last", "/tmp/" + own + "/toolresult.sock", "/last/.local/state/toolresult"},
	} {
		got := config.Default(strings.Fields(c.env))
		if got.Socket != c.socket || got.Store != c.store {
			t.Errorf("%q: socket %q, store %q; want %q, %q", c.env, got.Socket, got.Store, c.socket, c.store)
		}
	}
}

// TestLayers sets max_connections in one more layer each time.
func TestLayers(t *testing.T) {
	t.Parallel()
	path := written(t, "c.yaml", "# limits\nmax_connections: 2\n")
	variable := "TOOLRESULT_MAX_CONNECTIONS=3"
	for _, c := range []struct {
		args, env []string
		want      int
		origin    string
	}{
		{nil, nil, 64, "default"},
		{[]string{"--config", path}, nil, 2, "file " + path + ":2"},
		{nil, []string{"TOOLRESULT_CONFIG=" + path}, 2, "file " + path + ":2"},
		{[]string{"--config="}, []string{"TOOLRESULT_CONFIG=" + path}, 64, "default"},
		{nil, []string{variable}, 3, "env TOOLRESULT_MAX_CONNECTIONS"},
		{[]string{"--config", path}, []string{variable}, 3, "env TOOLRESULT_MAX_CONNECTIONS"},
		{[]string{"--config", path}, []string{"TOOLRESULT_MAX_CONNECTIONS="}, 2, "file " + path + ":2"},
		{[]string{"--config", path, "--max-connections=9", "--max-connections=4"}, []string{variable}, 4, "flag --max-connections"},
	} {
		loaded := mustLoad(t, parsed(t, c.args...), c.env...)
		if got, origin := loaded.Config.MaxConnections, loaded.Origin("max_connections"); got != c.want || origin != c.origin {
			t.Errorf("%v %v: %d from %q, want %d from %q", c.args, c.env, got, origin, c.want, c.origin)
		}
		if origin := loaded.Origin("max_message_bytes"); origin != "default" {
			t.Errorf("max_message_bytes from %q", origin)
		}
	}
	if got := mustLoad(t, parsed(t, "--config", path)).File; got != path {
		t.Errorf("File is %q", got)
	}
	if got := mustLoad(t, nil).Origin("nothing"); got != "" {
		t.Errorf("a key that is no setting has origin %q", got)
	}
}

// full is a configuration in which no value is a default.
func full() config.Config {
	return config.Config{
		Socket: "/run/x.sock", AddressFile: "/run/address", AllowUIDs: []int{1000, 1001}, AllowGroups: []string{"staff", "50"}, TCP: "192.0.2.1:7001", TLSCert: "/c", TLSKey: "/k", TLSClientCA: "/ca",
		Authorities: []string{"a.example", "::1"}, TokenFile: "/etc/token", Landlock: true,
		Store: "/s", Volatile: true, ObjectStore: "s3://bucket/p?region=x",
		SessionLease: time.Hour, KeepFor: 2 * time.Hour, StoreQuota: 1 << 40, SessionQuota: 1 << 30, GCInterval: time.Minute,
		Audit: "off", AuditKeepFor: 3 * time.Hour, Redaction: "values",
		Roots: []string{"/w", "/x y"}, Families: []string{"/a.binpb", "b c.binpb"}, Profiles: []string{"/p"},
		ProjectProfiles: []string{"/w/.toolresult", "/q"},
		Budgets:         []config.Budget{{Tool: "mcp:*", Model: "claude-*@2025", Tokens: 4000}, {Tool: "Bash", Tokens: 900}}, LogLevel: "debug",
		Metrics: "127.0.0.1:9464", OTLPEndpoint: "https://collector:4317",
		MaxMessageBytes: 65536, MaxInFlightBytes: 1 << 30, MaxConnections: 10000,
		StreamIdle: 24 * time.Hour, DrainDelay: time.Minute, ShutdownTimeout: 90 * time.Second,
		IdleExit: 30 * time.Minute, LogSync: 2 * time.Second,
	}
}

// TestEverySetting gives every setting in each layer and expects the same configuration.
func TestEverySetting(t *testing.T) {
	t.Parallel()
	const file = `
socket: /run/x.sock
address_file: /run/address
allow_uids: [1000, 1001]
allow_groups: [staff, "50"]
tcp: "192.0.2.1:7001"
tls_cert: /c
tls_key: /k
tls_client_ca: /ca
authorities: [a.example, "::1"]
token_file: /etc/token
landlock: true
store: /s
volatile: true
object_store: s3://bucket/p?region=x
session_lease: 1h
keep_for: 2h
store_quota: 1024GiB
session_quota: 1GiB
gc_interval: 1m
audit: off
audit_keep_for: 3h
redaction: values
roots: [/w, "/x y"]
families: [/a.binpb, "b c.binpb"]
profiles: [/p]
project_profiles: [/w/.toolresult, /q]
budgets: ["mcp:*@claude-*@2025=4000", Bash=900]
log_level: debug
metrics: 127.0.0.1:9464
otlp_endpoint: https://collector:4317
max_message_bytes: 65536
max_in_flight_bytes: 1GiB
max_connections: 10_000
stream_idle: 24h
drain_delay: 60s
shutdown_timeout: 1m30s
idle_exit: 30m
log_sync: 2s
`
	values := [][2]string{
		{"socket", "/run/x.sock"}, {"address_file", "/run/address"}, {"allow_uids", "1000, 1001"}, {"allow_groups", "staff,50"}, {"tcp", "192.0.2.1:7001"},
		{"tls_cert", "/c"}, {"tls_key", "/k"}, {"tls_client_ca", "/ca"}, {"authorities", "a.example,::1"},
		{"token_file", "/etc/token"}, {"landlock", "1"}, {"store", "/s"}, {"volatile", "true"},
		{"object_store", "s3://bucket/p?region=x"}, {"session_lease", "60m"}, {"keep_for", "120m"},
		{"store_quota", "1024 GiB"}, {"session_quota", "1073741824"}, {"gc_interval", "60s"}, {"audit", "off"}, {"audit_keep_for", "180m"}, {"redaction", "values"}, {"roots", "/w,/x y"}, {"families", "/a.binpb,b c.binpb"}, {"profiles", "/p"}, {"project_profiles", "/w/.toolresult,/q"}, {"budgets", "mcp:*@claude-*@2025=4000, Bash = 900"}, {"log_level", "debug"},
		{"metrics", "127.0.0.1:9464"}, {"otlp_endpoint", "https://collector:4317"}, {"max_message_bytes", "64KiB"},
		{"max_in_flight_bytes", "1024 MiB"}, {"max_connections", "10000"},
		{"stream_idle", "1440m"}, {"drain_delay", "1m"}, {"shutdown_timeout", "90s"}, {"idle_exit", "0.5h"},
		{"log_sync", "2000ms"},
	}
	var env, args []string
	for _, v := range values {
		env = append(env, "TOOLRESULT_"+strings.ToUpper(v[0])+"="+v[1])
		args = append(args, "--"+strings.ReplaceAll(v[0], "_", "-")+"="+v[1])
	}
	for name, loaded := range map[string]*config.Loaded{
		"file":  mustLoad(t, parsed(t, "--config", written(t, "c.yaml", file))),
		"env":   mustLoad(t, nil, env...),
		"flags": mustLoad(t, parsed(t, args...)),
	} {
		if diff := cmp.Diff(full(), loaded.Config); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", name, diff)
		}
		if err := loaded.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestListsAreCleared(t *testing.T) {
	t.Parallel()
	path := written(t, "c.yaml", "allow_uids: [5]\n")
	loaded := mustLoad(t, parsed(t, "--allow-uids="), "TOOLRESULT_CONFIG="+path)
	if got := loaded.Config.AllowUIDs; len(got) != 0 || loaded.Origin("allow_uids") != "flag --allow-uids" {
		t.Errorf("%v from %q", got, loaded.Origin("allow_uids"))
	}
	if got := mustLoad(t, nil, "TOOLRESULT_ALLOW_UIDS=7").Config.AllowUIDs; !cmp.Equal(got, []int{7}) {
		t.Errorf("one uid: %v", got)
	}
}

func TestBoolFlagWithoutValue(t *testing.T) {
	t.Parallel()
	if !mustLoad(t, parsed(t, "--volatile")).Config.Volatile {
		t.Error("--volatile alone is not true")
	}
}

// TestFlagsOfOthers loads from a set that has only some flags, as a client command may have.
func TestFlagsOfOthers(t *testing.T) {
	t.Parallel()
	set := pflag.NewFlagSet("read", pflag.ContinueOnError)
	set.String("socket", "", "")
	set.String("max-connections", "", "")
	if err := set.Parse([]string{"--socket=/x", "--max-connections=many"}); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(set, nil)
	wantLines(t, err, `max_connections = "many": is not an integer (from flag --max-connections)`)
}

func TestFlagOfWrongForm(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"--max-connections=x":                        "is not an integer",
		"--drain-delay=5":                            "is not a duration",
		"--volatile=maybe":                           "is neither true nor false",
		"--allow-uids=1,x":                           "is not a list of integers",
		"--max-message-bytes=1":                      "",
		"--max-message-bytes=4MB":                    "is not a number of bytes",
		"--max-message-bytes=MiB":                    "is not a number of bytes",
		"--max-message-bytes=9223372036854775807KiB": "is too large",
		"--max-in-flight-bytes=8589934592GiB":        "is too large",
		"--max-in-flight-bytes=-1":                   "",
	} {
		set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		config.Flags(set)
		err := set.Parse([]string{arg})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
}

// TestFlagHelp checks that help says kind, bounds and default of each setting, and hides --token.
func TestFlagHelp(t *testing.T) {
	t.Parallel()
	set := parsed(t)
	usage := set.FlagUsages()
	for _, want := range []string{
		"--config string", "(default none)",
		"--max-connections integer", "open connections; 1 to 10000 (default 64)",
		"largest request message; 64KiB to 1GiB (default 4MiB)",
		"1s to 24h (default 5m)", "0s to 1m (default 0s)",
		"debug, info, warn or error (default info)",
		"(default $XDG_STATE_HOME/toolresult, else ~/.local/state/toolresult)",
		"--volatile ", "(default off)",
	} {
		if !strings.Contains(usage, want) {
			t.Errorf("help has no %q in:\n%s", want, usage)
		}
	}
	if strings.Contains(usage, "--token ") {
		t.Error("help shows --token")
	}
	set.VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(usage, "--"+f.Name+" ") && !f.Hidden {
			t.Errorf("no help for %s", f.Name)
		}
	})
}

func TestTokenComesFromTheEnvironmentAlone(t *testing.T) {
	t.Parallel()
	loaded := mustLoad(t, nil, "TOOLRESULT_TOKEN="+secret)
	if string(loaded.Config.Token) != secret || loaded.Origin("token") != "env TOOLRESULT_TOKEN" {
		t.Errorf("token from %q", loaded.Origin("token"))
	}
	for _, args := range [][]string{{"--token=" + secret}, {"--token", secret}, {"--token="}} {
		_, err := config.Load(parsed(t, args...), nil)
		wantLines(t, err, "token = (hidden): must not be a flag, because other users can read the command line; "+
			"use --token-file or the variable TOOLRESULT_TOKEN (from flag --token)")
	}
	path := written(t, "c.yaml", "token: "+secret+"\n")
	_, err := config.Load(parsed(t, "--config", path), nil)
	wantLines(t, err, "token: must not be in a configuration file; use token_file or the variable TOOLRESULT_TOKEN "+
		"(from file "+path+":1)")
}

// TestSecretStaysHidden prints a configuration in every way that comes to mind.
func TestSecretStaysHidden(t *testing.T) {
	t.Parallel()
	c := config.Config{Token: secret, LogLevel: "debug"}
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for _, terminal := range []bool{true, false} {
		config.NewLogger(config.LogLevel(c), &log, terminal).Info("start", "config", c, "token", c.Token)
	}
	all := fmt.Sprintf("%v %+v %#v %s %q ", c, c, c, c.Token, c.Token) + string(asJSON) + log.String() +
		fmt.Sprint(config.Validate(c))
	if strings.Contains(all, secret) {
		t.Errorf("secret shown in: %s", all)
	}
	if !strings.Contains(all, "(set)") {
		t.Errorf("no mask in: %s", all)
	}
	if got := config.Secret("").String(); got != "" {
		t.Errorf("the empty secret prints as %q", got)
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level    string
		terminal bool
		want     string
	}{
		{"debug", true, "level=DEBUG msg=hello"},
		{"debug", false, `"level":"DEBUG","msg":"hello"`},
		{"info", true, ""},
		{"unknown", true, ""},
	} {
		var out strings.Builder
		given := config.Config{LogLevel: c.level}
		config.NewLogger(config.LogLevel(given), &out, c.terminal).Debug("hello")
		if got := out.String(); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
