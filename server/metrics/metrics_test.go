package metrics_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/metrics"
)

// Kinds of redaction that callers named are not told by their names: they would be labels without a bound.
func TestCallersKindsAreCountedAsOne(t *testing.T) {
	p := &metrics.Projected{}
	for _, r := range []*pb.Redaction{{Kind: "rule", Count: 2}, {Kind: "my-database", Count: 3}, {Kind: "other", Count: 1}} {
		p.AddRedaction(map[string]bool{"rule": true}, r)
	}
	if diff := cmp.Diff(map[string]int64{"rule": 2, "registered": 4}, p.Redactions); diff != "" {
		t.Error(diff)
	}
}
