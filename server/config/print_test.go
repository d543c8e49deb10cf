package config_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/server/config"
)

// sample is a configuration with all four origins, and the path of its file.
func sample(t *testing.T) (loaded *config.Loaded, path string) {
	t.Helper()
	path = written(t, "c.yaml", "store: 'yes'\nallow_uids: [1000, 1001]\nmax_message_bytes: 65537\n")
	return mustLoad(t, parsed(t, "--config", path, "--tcp=127.0.0.1:0", "--drain-delay=90s"),
		"TOOLRESULT_TOKEN="+secret, "TOOLRESULT_LOG_LEVEL=warn", "XDG_RUNTIME_DIR=/run/user/7"), path
}

const wantYAML = `socket: /run/user/7/toolresult/toolresult.sock # default
address_file: "" # default
allow_uids: [1000, 1001] # file PATH:2
allow_groups: [] # default
tcp: 127.0.0.1:0 # flag --tcp
tls_cert: "" # default
tls_key: "" # default
tls_client_ca: "" # default
authorities: [] # default
token_file: "" # default
# token: (set) # env TOOLRESULT_TOKEN
landlock: false # default
store: "yes" # file PATH:1
volatile: false # default
object_store: "" # default
session_lease: 168h # default
keep_for: 720h # default
store_quota: 0 # default
session_quota: 0 # default
gc_interval: 1h # default
audit: journal # default
# audit_dsn: "" # default
audit_keep_for: 2160h # default
redaction: all # default
roots: [] # default
families: [] # default
profiles: [] # default
project_profiles: [] # default
budgets: [] # default
log_level: warn # env TOOLRESULT_LOG_LEVEL
metrics: "" # default
otlp_endpoint: "" # default
max_message_bytes: 65537 # file PATH:3
max_in_flight_bytes: 64MiB # default
max_connections: 64 # default
stream_idle: 5m # default
drain_delay: 1m30s # flag --drain-delay
shutdown_timeout: 10s # default
idle_exit: 0s # default
log_sync: 1s # default
`

const wantJSON = `{
  "socket": {"value":"/run/user/7/toolresult/toolresult.sock","origin":"default"},
  "address_file": {"value":"","origin":"default"},
  "allow_uids": {"value":[1000,1001],"origin":"file PATH:2"},
  "allow_groups": {"value":[],"origin":"default"},
  "tcp": {"value":"127.0.0.1:0","origin":"flag --tcp"},
  "tls_cert": {"value":"","origin":"default"},
  "tls_key": {"value":"","origin":"default"},
  "tls_client_ca": {"value":"","origin":"default"},
  "authorities": {"value":[],"origin":"default"},
  "token_file": {"value":"","origin":"default"},
  "token": {"value":"(set)","origin":"env TOOLRESULT_TOKEN"},
  "landlock": {"value":false,"origin":"default"},
  "store": {"value":"yes","origin":"file PATH:1"},
  "volatile": {"value":false,"origin":"default"},
  "object_store": {"value":"","origin":"default"},
  "session_lease": {"value":"168h","origin":"default"},
  "keep_for": {"value":"720h","origin":"default"},
  "store_quota": {"value":0,"origin":"default"},
  "session_quota": {"value":0,"origin":"default"},
  "gc_interval": {"value":"1h","origin":"default"},
  "audit": {"value":"journal","origin":"default"},
  "audit_dsn": {"value":"","origin":"default"},
  "audit_keep_for": {"value":"2160h","origin":"default"},
  "redaction": {"value":"all","origin":"default"},
  "roots": {"value":[],"origin":"default"},
  "families": {"value":[],"origin":"default"},
  "profiles": {"value":[],"origin":"default"},
  "project_profiles": {"value":[],"origin":"default"},
  "budgets": {"value":[],"origin":"default"},
  "log_level": {"value":"warn","origin":"env TOOLRESULT_LOG_LEVEL"},
  "metrics": {"value":"","origin":"default"},
  "otlp_endpoint": {"value":"","origin":"default"},
  "max_message_bytes": {"value":65537,"origin":"file PATH:3"},
  "max_in_flight_bytes": {"value":67108864,"origin":"default"},
  "max_connections": {"value":64,"origin":"default"},
  "stream_idle": {"value":"5m","origin":"default"},
  "drain_delay": {"value":"1m30s","origin":"flag --drain-delay"},
  "shutdown_timeout": {"value":"10s","origin":"default"},
  "idle_exit": {"value":"0s","origin":"default"},
  "log_sync": {"value":"1s","origin":"default"}
}
`

func TestPrint(t *testing.T) {
	t.Parallel()
	loaded, path := sample(t)
	for format, want := range map[string]string{config.PrintYAML: wantYAML, config.PrintJSON: wantJSON} {
		for range 3 {
			var out strings.Builder
			if err := loaded.Print(&out, format); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(want, "PATH", path), out.String()); diff != "" {
				t.Fatalf("%s differs (-want +got):\n%s", format, diff)
			}
		}
	}
}

// TestPrintDefaultsAsJSON checks that nothing is null.
func TestPrintDefaultsAsJSON(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := mustLoad(t, nil).Print(&out, config.PrintJSON); err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(out.String())) || strings.Contains(out.String(), "null") {
		t.Error(out.String())
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestPrintFails(t *testing.T) {
	t.Parallel()
	loaded := mustLoad(t, nil)
	if err := loaded.Print(brokenWriter{}, config.PrintYAML); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	var out strings.Builder
	wantLines(t, loaded.Print(&out, "toml"), `print format "toml" is not one of yaml or json`)
	if out.Len() > 0 {
		t.Error("something was printed")
	}
}

// TestPrintedFileLoadsAgain prints any configuration as YAML and loads that as the file.
func TestPrintedFileLoadsAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.OneOf(rapid.String(),
			rapid.SampledFrom([]string{"", "yes", "~", "#", " a ", "a: b", "a #b", "\u0085\u2028", "!x", "1e3", "\x7f"}))
		env := []string{
			"TOOLRESULT_SOCKET=" + text.Draw(r, "socket"),
			"TOOLRESULT_STORE=" + text.Draw(r, "store"),
			"TOOLRESULT_FAMILIES=" + text.Draw(r, "families"),
			"TOOLRESULT_TCP=" + string(rapid.SliceOf(rapid.Byte()).Draw(r, "tcp")),
			"TOOLRESULT_DRAIN_DELAY=" + time.Duration(rapid.Int64().Draw(r, "delay")).String(),
			"TOOLRESULT_ALLOW_UIDS=" + rapid.StringMatching(`(-?[1-9]{1,5}(, ?[1-9]{1,5}){0,3})?`).Draw(r, "uids"),
			"TOOLRESULT_MAX_IN_FLIGHT_BYTES=" + rapid.StringMatching(`-?[1-9][0-9]{0,3}([KMG]iB)?`).Draw(r, "size"),
		}
		loaded, err := config.Load(nil, env)
		if err != nil {
			r.Fatal(err)
		}
		checkReload(r, loaded)
	})
}

// checkReload prints the configuration and loads what was printed.
func checkReload(t rapid.TB, loaded *config.Loaded) {
	t.Helper()
	var out strings.Builder
	if err := loaded.Print(&out, config.PrintYAML); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != reflect.TypeFor[config.Config]().NumField() {
		t.Fatalf("%d lines:\n%s", lines, out.String())
	}
	dir, err := os.MkdirTemp("", "config")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "printed.yaml")
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := config.Load(nil, []string{"TOOLRESULT_CONFIG=" + path})
	if err != nil {
		t.Fatalf("%v in:\n%s", err, out.String())
	}
	want := loaded.Config
	if len(want.AllowUIDs) == 0 {
		want.AllowUIDs, again.Config.AllowUIDs = nil, nil
	}
	if len(want.AllowGroups) == 0 {
		want.AllowGroups, again.Config.AllowGroups = nil, nil
	}
	if len(want.Roots) == 0 {
		want.Roots, again.Config.Roots = nil, nil
	}
	if len(want.Families) == 0 {
		want.Families, again.Config.Families = nil, nil
	}
	if diff := cmp.Diff(want, again.Config); diff != "" {
		t.Fatalf("differs (-want +got):\n%s", diff)
	}
}
