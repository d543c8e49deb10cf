// Package observability_test checks what is in packaging/observability, the dashboard for Grafana and the alerting rules, against a
// running sidecar that a real Prometheus scrapes.
package observability_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

const (
	dashboardFile = "../../packaging/observability/dashboard.json"
	rulesFile     = "../../packaging/observability/alerts.yaml"
	rulesTests    = "../../packaging/observability/alerts_test.yaml"
)

var binary string

func TestMain(m *testing.M) { os.Exit(sidecartest.Main(m, &binary)) }

// needPrometheus is for tests that need the programs of Prometheus.
func needPrometheus(t *testing.T) {
	t.Helper()
	for _, program := range []string{"prometheus", "promtool"} {
		_, err := exec.LookPath(program)
		sidecartest.Need(t, err == nil, "it needs "+program+" (the package prometheus of Debian)")
	}
}

// panel is a panel of a dashboard.
type panel struct {
	ID          int
	Type, Title string
	GridPos     struct{ H, W, X, Y int }
	Targets     []struct{ Expr, LegendFormat string }
}

// panels returns those of the dashboard.
func panels(t *testing.T) []panel {
	t.Helper()
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels     []panel
		Templating struct {
			List []struct{ Name string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var variables []string
	for _, v := range dashboard.Templating.List {
		variables = append(variables, v.Name)
	}
	if !slices.Equal(variables, []string{"datasource", "job", "instance"}) || len(dashboard.Panels) < 20 {
		t.Errorf("variables %q, and %d panels", variables, len(dashboard.Panels))
	}
	return dashboard.Panels
}

// expression returns a query of the dashboard as Grafana sends it: with everything selected, and the smallest interval.
func expression(query string) string {
	return strings.NewReplacer("$__rate_interval", "1m", "$job", ".*", "$instance", ".*").Replace(query)
}

// alert is one rule of the rules.
type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

// alerts returns those of the rules.
func alerts(t *testing.T) []alert {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct{ Rules []alert }
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Groups[0].Rules
}

// metricNames are the names of metrics in an expression. up is made by Prometheus.
var metricNames = regexp.MustCompile(`\b(?:toolresult|process|go)_[a-z0-9_]+`)

// missing returns the metrics of an expression that a scrape does not have.
func missing(expression, scrape string) (names []string) {
	for _, name := range metricNames.FindAllString(expression, -1) {
		if !strings.Contains(scrape, "\n"+name+"{") && !strings.Contains(scrape, "\n"+name+" ") {
			names = append(names, name)
		}
	}
	return names
}

// TestRules runs the tests of the alerting rules, and makes sure that each rule has some.
func TestRules(t *testing.T) {
	t.Parallel()
	needPrometheus(t)
	promtool(t, "check", "rules", rulesFile)
	promtool(t, "test", "rules", rulesTests)
	tests, err := os.ReadFile(rulesTests)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range alerts(t) {
		// One that it fires, one that it does not fire yet, and one that it never does.
		if n := strings.Count(string(tests), "alertname: "+a.Alert+"\n"); n < 3 {
			t.Errorf("%s has %d tests", a.Alert, n)
		}
		if a.For == "" || a.Annotations["summary"] == "" || a.Annotations["description"] == "" || !slices.Contains([]string{"critical", "warning"}, a.Labels["severity"]) {
			t.Errorf("%s is incomplete: %+v", a.Alert, a)
		}
	}
}

// TestWrongRulesAreFound gives promtool rules of which one never fires: the tests of rules can fail.
func TestWrongRulesAreFound(t *testing.T) {
	t.Parallel()
	needPrometheus(t)
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile(rulesTests)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"alerts.yaml": strings.Replace(string(text), "toolresult_queue_length) > 100", "toolresult_queue_length) > 101", 1), "alerts_test.yaml": string(tests),
	} {
		if err := os.WriteFile(dir+"/"+name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("promtool", "test", "rules", dir+"/alerts_test.yaml").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "ToolresultRecordsWait") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPanelsAreApart has the places of panels, and the texts that Grafana shows.
func TestPanelsAreApart(t *testing.T) {
	t.Parallel()
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range panels(t) {
		if p.Title == "" || ids[p.ID] || p.GridPos.X+p.GridPos.W > 24 || (p.Type != "row" && len(p.Targets) == 0) {
			t.Errorf("%+v", p)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s is on %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// scrape returns what Prometheus scrapes of a sidecar.
func scrape(t *testing.T, s *sidecartest.Sidecar) string {
	t.Helper()
	resp, err := http.Get(s.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, err)
	}
	return "\n" + string(text)
}

// TestDashboardAndRules has a sidecar do everything that is measured, and a Prometheus scrape it. Every metric that a panel or an
// alert names is scraped, and every expression gives something.
func TestDashboardAndRules(t *testing.T) {
	t.Parallel()
	needPrometheus(t)
	s := startBusySidecar(t)
	work(t, s)
	p := startPrometheus(t, rulesFile, strings.TrimSuffix(strings.TrimPrefix(s.Metrics, "http://"), "/metrics"))
	work(t, s) // so that counters grow between two scrapes
	sidecartest.WaitFor(t, "three scrapes", func() bool {
		found, err := p.query(`count_over_time(toolresult_compactions_total[1m]) >= 3`)
		return err == nil && len(found) == 1
	})
	text := scrape(t, s)
	check := exec.Command("promtool", "check", "metrics")
	check.Stdin = strings.NewReader(text[1:])
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	for _, panel := range panels(t) {
		for _, target := range panel.Targets {
			checkExpression(t, p, text, panel.Title, expression(target.Expr), true)
			if strings.Contains(target.LegendFormat, "{{") {
				checkLegend(t, p, panel.Title, expression(target.Expr), target.LegendFormat)
			}
		}
	}
	for _, a := range alerts(t) {
		checkExpression(t, p, text, a.Alert, a.Expr, false)
	}
	checkRules(t, p)
}

// checkExpression fails the test unless a scrape has the metrics of an expression, and Prometheus evaluates it, to something if it has
// to.
func checkExpression(t *testing.T, p *prometheus, scrape, owner, expression string, something bool) {
	t.Helper()
	if names := missing(expression, scrape); len(names) > 0 {
		t.Errorf("%s: not scraped: %q", owner, names)
	}
	found, err := p.query(expression)
	if err != nil || something && len(found) == 0 {
		t.Errorf("%s: %d results, %v of\n%s", owner, len(found), err, expression)
	}
}

// checkLegend fails the test unless results have the labels that the legend names.
func checkLegend(t *testing.T, p *prometheus, owner, expression, legend string) {
	t.Helper()
	found, _ := p.query(expression) // checkExpression has its error
	for _, m := range regexp.MustCompile(`{{(\w+)}}`).FindAllStringSubmatch(legend, -1) {
		for _, s := range found {
			if s.Metric[m[1]] == "" {
				t.Errorf("%s: no label %s, but %q", owner, m[1], slices.Sorted(maps.Keys(s.Metric)))
			}
		}
	}
}

// checkRules fails the test unless Prometheus has evaluated all rules without an error.
func checkRules(t *testing.T, p *prometheus) {
	t.Helper()
	var data struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	evaluated := func() (list []string) {
		if err := p.get("/api/v1/rules", nil, &data); err != nil {
			t.Fatal(err)
		}
		for _, r := range data.Groups[0].Rules {
			if r.Health != "unknown" {
				list = append(list, fmt.Sprint(r.Name, " ", r.Health, r.LastError))
			}
		}
		return list
	}
	var want []string
	for _, a := range alerts(t) {
		want = append(want, a.Alert+" ok")
	}
	sidecartest.WaitFor(t, "rules to be evaluated", func() bool { return len(evaluated()) == len(want) })
	if got := evaluated(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestMissingMetricsAreFound has a name that only begins like a metric that is scraped.
func TestMissingMetricsAreFound(t *testing.T) {
	t.Parallel()
	const text = "\n# TYPE toolresult_a_total counter\ntoolresult_a_total 1\ntoolresult_b{x=\"y\"} 2\n"
	if got := missing(`rate(toolresult_a_total[1m]) + toolresult_b{x="z"} / up`, text); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if got := missing(`rate(toolresult_a[1m]) + toolresult_bb + go_threads`, text); !slices.Equal(got, []string{"toolresult_a", "toolresult_bb", "go_threads"}) {
		t.Errorf("%q", got)
	}
}
