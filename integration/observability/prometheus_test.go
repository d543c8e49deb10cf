package observability_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// prometheus is a running server of Prometheus.
type prometheus struct{ url string }

// serverConfig is the configuration of a server that scrapes one sidecar each second.
const serverConfig = `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
  - job_name: toolresult
    static_configs: [{targets: [%q]}]
`

// startPrometheus starts a server with some rules that scrapes a target. It ends with the test.
func startPrometheus(t *testing.T, rules, target string) *prometheus {
	t.Helper()
	rules, err := filepath.Abs(rules)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, serverConfig, rules, target), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "config", file)
	address := freeAddress(t)
	log := &sidecartest.Output{}
	cmd := exec.Command("prometheus", "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	p := &prometheus{"http://" + address}
	sidecartest.WaitFor(t, "Prometheus to be ready", func() bool {
		resp, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return p
}

// freeAddress returns an address of loopback at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// sample is a result of a query.
type sample struct {
	Metric map[string]string
	Value  [2]any // time and value, which is a text
}

// get returns the data of an answer of the API.
func (p *prometheus) get(path string, query url.Values, into any) error {
	resp, err := http.Get(p.url + path + "?" + query.Encode())
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s: %s", answer.Status, answer.Error)
	}
	return json.Unmarshal(answer.Data, into)
}

// query evaluates an expression now.
func (p *prometheus) query(expression string) ([]sample, error) {
	var data struct{ Result []sample }
	err := p.get("/api/v1/query", url.Values{"query": {expression}}, &data)
	return data.Result, err
}

// promtool runs promtool, which must find nothing wrong.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("promtool", args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %q: %v\n%s", args, err, out)
	}
}
