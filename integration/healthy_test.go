package integration_test

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc/codes"
)

// healthyMetric is the gauge on which the alert ToolresultUnhealthy depends.
const healthyMetric = "toolresult_healthy"

// TestFailedJournalIsScraped deletes the file of the journal under a running sidecar. All projections are rejected from then on with a
// code that is also ordinary, and the gauge says that a new start is needed.
func TestFailedJournalIsScraped(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{metricsOn, "--volatile"}})
	defer s.Kill() // it may not end in order any more
	s.project(t, completed(0, "x\n"))
	if n, ok := samples(t, s.scrape(t))[healthyMetric]; !ok || n != 1 {
		t.Errorf("while all is well: %v, %v", n, ok)
	}
	if err := os.Remove(filepath.Join(s.Store, "journal", "segments", "0000000001.segment")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := s.Project(t.Context(), completed(0, "x\n"))
		wantRefusal(t, err, codes.FailedPrecondition, "AUDIT_LOG_FAILED", "")
		if n, ok := samples(t, s.scrape(t))[healthyMetric]; !ok || n != 0 {
			t.Errorf("when the journal has failed: %v, %v", n, ok)
		}
	}
}

// TestLostStoreIsScraped takes the store away while nobody calls: the gauge says so before a call fails.
func TestLostStoreIsScraped(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{metricsOn, "--volatile"}})
	defer s.Kill()
	if err := os.Rename(s.Store, s.Store+"-2"); err != nil {
		t.Fatal(err)
	}
	if n, ok := samples(t, s.scrape(t))[healthyMetric]; !ok || n != 0 {
		t.Errorf("%v, %v", n, ok)
	}
}

// TestEndInOrderIsSentAsNoFault has a sidecar that sends its metrics, also the last ones at its end: nobody is alerted by them.
func TestEndInOrderIsSentAsNoFault(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	s := startSidecar(t, launch{Args: []string{"--otlp-endpoint", c.url}, Env: []string{"OTEL_METRIC_EXPORT_INTERVAL=50"}})
	s.project(t, completed(0, "x\n"))
	waitFor(t, "the health to be sent", func() bool { return len(c.healthy()) > 0 })
	if code := s.Terminate(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, n := range c.healthy() {
		if n != 1 {
			t.Errorf("it sent %v", c.healthy())
			break
		}
	}
}

// healthy returns what the gauge was, in the order of exports.
func (c *collector) healthy() (list []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.metrics {
		for _, of := range r.GetResourceMetrics() {
			for _, scope := range of.GetScopeMetrics() {
				for _, m := range scope.GetMetrics() {
					if m.GetName() != "toolresult.healthy" {
						continue
					}
					for _, point := range m.GetGauge().GetDataPoints() {
						list = append(list, point.GetAsInt())
					}
				}
			}
		}
	}
	return list
}
