package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/server/config"
)

// TestFileIsRejectedWithItsLines gives each file the lines that Load answers with; PATH stands for the path.
func TestFileIsRejectedWithItsLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		want    []string // each followed by PATH:LINE in wantRefused
		lines   []string
	}{
		"unknown key":       {"a: 1\nmax_connection: 3", []string{"a: is no setting", "max_connection: is no setting; did you mean max_connections?"}, []string{"1", "2"}},
		"camel case":        {"logLevel: debug", []string{"logLevel: is no setting; did you mean log_level?"}, []string{"1"}},
		"hyphens":           {"log-level: debug", []string{"log-level: is no setting; did you mean log_level?"}, []string{"1"}},
		"beginning of one":  {"shutdown: 1s", []string{"shutdown: is no setting; did you mean shutdown_timeout?"}, []string{"1"}},
		"empty key":         {`"": 1`, []string{`"": is no setting`}, []string{"1"}},
		"key with newline":  {`"a\nb": 1`, []string{`"a\nb": is no setting`}, []string{"1"}},
		"merge key":         {"<<: {store: memory}", []string{"<<: is no setting"}, []string{"1"}},
		"no value":          {"socket:", []string{"socket: wants text (quote it), but has no value"}, []string{"1"}},
		"number for text":   {"store: 7", []string{"store: wants text (quote it), not an integer"}, []string{"1"}},
		"date for text":     {"store: 2026-01-01", []string{"store: wants text (quote it), not a date"}, []string{"1"}},
		"text for bool":     {`volatile: "true"`, []string{"volatile: wants true or false, not text"}, []string{"1"}},
		"text for integer":  {`max_connections: "8"`, []string{"max_connections: wants an integer, not text"}, []string{"1"}},
		"float for integer": {"max_connections: 1.5", []string{"max_connections: wants an integer, not a number with a point or an exponent"}, []string{"1"}},
		"huge integer":      {"max_connections: 18446744073709551615", []string{`max_connections = "18446744073709551615": is not an integer`}, []string{"1"}},
		"bool for size":     {"max_message_bytes: true", []string{"max_message_bytes: wants a size such as 65536 or 4MiB, not true or false"}, []string{"1"}},
		"wrong unit":        {"max_message_bytes: 4MB", []string{`max_message_bytes = "4MB": is not a number of bytes, nor one with KiB, MiB or GiB`}, []string{"1"}},
		"no unit":           {"\n\ndrain_delay: 5", []string{`drain_delay = "5": is not a duration with a unit, such as 30s or 1m30s`}, []string{"3"}},
		"mapping":           {"drain_delay: {}", []string{"drain_delay: wants a duration such as 30s, not a mapping"}, []string{"1"}},
		"not a list":        {"allow_uids: 1", []string{"allow_uids: wants a list of integers, not an integer"}, []string{"1"}},
		"other list":        {"allow_uids: [1, root]", []string{"allow_uids: wants a list of integers, not this list"}, []string{"1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := written(t, "c.yaml", c.content)
			want := make([]string, len(c.want))
			for i := range c.want {
				want[i] = c.want[i] + " (from file " + path + ":" + c.lines[i] + ")"
			}
			_, err := config.Load(parsed(t, "--config", path), nil)
			wantLines(t, err, want...)
		})
	}
}

func TestFileNotYAML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"syntax":           {"socket: /a\nstore: [", "line 2: did not find expected node content"},
		"tab":              {"socket: /a\n\tstore: x", "line 2: found a tab character that violates indentation"},
		"duplicate":        {"socket: /a\nstore: b\nsocket: /c", `line 3: mapping key "socket" already defined at line 1`},
		"list":             {"\n- socket", `line 2: wanted lines of the form "key: value"`},
		"text":             {secret, `line 1: wanted lines of the form "key: value"`},
		"two documents":    {"store: memory\n---\nstore: x", "line 2: a second document begins; one is wanted"},
		"control":          {"store: \x01", "control characters are not allowed"},
		"unknown anchor":   {"store: *x", `unknown anchor 'x' referenced`},
		"key is a mapping": {"? {a: b}\n: c", "line 1: cannot unmarshal !!map into string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := written(t, "c.yaml", c.content)
			_, err := config.Load(parsed(t, "--config", path), nil)
			wantLines(t, err, "file "+path+": not valid YAML: "+c.want)
		})
	}
}

func TestFileUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.yaml")
	_, err := config.Load(parsed(t, "--config", missing), nil)
	wantLines(t, err, "configuration file: open "+missing+": no such file or directory (from flag --config)")
	_, err = config.Load(nil, []string{"TOOLRESULT_CONFIG=" + dir})
	wantLines(t, err, "configuration file: read "+dir+": is a directory (from env TOOLRESULT_CONFIG)")
}

func TestFileWithNothingInIt(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "# nothing\n", "---\n", "~\n", "{}\n"} {
		loaded := mustLoad(t, parsed(t, "--config", written(t, "c.yaml", content)))
		if err := loaded.Validate(); err != nil {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// TestOriginOnOneLine names a file whose path would break the lines of print.
func TestOriginOnOneLine(t *testing.T) {
	t.Parallel()
	path := written(t, "a\nb.yaml", "store: memory\n")
	got := mustLoad(t, parsed(t, "--config", path)).Origin("store")
	if want := `file "` + filepath.Dir(path) + `/a\nb.yaml":1`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestUnknownVariablesAreRejected(t *testing.T) {
	t.Parallel()
	_, err := config.Load(nil, []string{
		"TOOLRESULT_MAX_CONECTIONS=" + secret, "TOOLRESULT_max_connections=1", "TOOLRESULT_CONFIGURATION=x",
		"TOOLRESULT_=1", "TOOLRESULT_DRAIN_DELAY=5", "TOOLRESULT_ALLOW_UIDS=1;2", "OTHER=1", "no equals sign",
	})
	wantLines(t, err,
		"TOOLRESULT_: is no setting (from the environment)",
		`allow_uids = "1;2": is not a list of integers with commas between them (from env TOOLRESULT_ALLOW_UIDS)`,
		"TOOLRESULT_CONFIGURATION: is no setting (from the environment)",
		`drain_delay = "5": is not a duration with a unit, such as 30s or 1m30s (from env TOOLRESULT_DRAIN_DELAY)`,
		"TOOLRESULT_MAX_CONECTIONS: is no setting; did you mean TOOLRESULT_MAX_CONNECTIONS? (from the environment)",
		"TOOLRESULT_max_connections: is no setting; did you mean TOOLRESULT_MAX_CONNECTIONS? (from the environment)",
	)
}

// TestVariablesOfClientsAreNoSettings sets what clients alone read: a sidecar that one of them starts inherits it.
func TestVariablesOfClientsAreNoSettings(t *testing.T) {
	t.Parallel()
	mustLoad(t, nil, "TOOLRESULT_ADDRESS=unix:///run/s", "TOOLRESULT_BINARY=/usr/bin/toolresult", "TOOLRESULT_PATIENCE=1s", "TOOLRESULT_SHELL=/bin/sh", "TOOLRESULT_MAX_TOKENS=900", "TOOLRESULT_RAW=1")
}

// TestKubernetesServiceLinks sets what a pod gets beside a Service named toolresult or toolresult-sidecar.
func TestKubernetesServiceLinks(t *testing.T) {
	t.Parallel()
	mustLoad(t, nil,
		"TOOLRESULT_SERVICE_HOST=10.0.0.1", "TOOLRESULT_SERVICE_PORT=80", "TOOLRESULT_SERVICE_PORT_GRPC=80",
		"TOOLRESULT_PORT=tcp://10.0.0.1:80", "TOOLRESULT_PORT_80_TCP=tcp://10.0.0.1:80",
		"TOOLRESULT_PORT_80_TCP_PROTO=tcp", "TOOLRESULT_PORT_80_TCP_PORT=80", "TOOLRESULT_PORT_80_TCP_ADDR=10.0.0.1",
		"TOOLRESULT_SIDECAR_SERVICE_HOST=10.0.0.1", "TOOLRESULT_SIDECAR_PORT_80_TCP_ADDR=10.0.0.1")
}

// FuzzFile loads any file: it fails with a message or gives values that print and load again.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		"", "store: memory", "allow_uids: [1]\nmax_message_bytes: 4MiB", "a: &x 1\nsocket: *x", "? [a]\n: b",
		"socket: !!binary AAECAw==", "<<: {a: b}", "---\n...\n---", "%YAML 1.1\n---\nstore: \"\\u0085\"", "&a socket: /x\n*a : y",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		loaded, err := config.Load(nil, []string{"TOOLRESULT_CONFIG=" + path})
		if err != nil {
			return
		}
		checkReload(t, loaded)
	})
}
