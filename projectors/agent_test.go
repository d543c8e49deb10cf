package projectors_test

import (
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
)

// A model that got what it asked for needs no line.
func TestModelDifference(t *testing.T) {
	const inherited, accepted, normalized, fallback, rejected = pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_INHERITED,
		pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_ACCEPTED, pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_NORMALIZED,
		pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_FALLBACK_USED, pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_REJECTED
	for _, c := range []struct {
		requested, provider, resolved string
		status                        pb.ModelResolutionStatus
		want                          string
	}{
		{"", "acme", "big-1", inherited, ""},
		{"big", "acme", "big-1", accepted, ""},
		{"acme/big-1", "acme", "big-1", normalized, ""},
		{"big-1", "acme", "big-1", fallback, ""},
		{"big", "acme", "big-1", normalized, "acme/big-1, for big"},
		{"big", "", "small-1", fallback, "small-1, a fallback for big"},
		{"huge", "acme", "small-1", rejected, "acme/small-1; huge was rejected"},
		{"huge", "", "", rejected, "not known; huge was rejected"},
		{"huge", "acme", "small-1", 9, "acme/small-1, asked for: huge"},
	} {
		r, _, err := projection(t.Context(), projectors.AgentSpawn(), &pb.CompleteToolOutput{
			Result: &pb.CompleteToolOutput_AgentSpawn{AgentSpawn: &pb.AgentSpawnOutput{
				ChildAgentId: "agent_1",
				ModelResolution: &pb.ModelResolution{
					Requested: c.requested, ResolvedProvider: c.provider, ResolvedModel: c.resolved, ResolutionStatus: c.status,
				},
			}},
		})
		if got := r.GetAgentSpawn().GetModelDifference(); err != nil || got != c.want {
			t.Errorf("%s, %s/%s, %v: %q, %v; want %q", c.requested, c.provider, c.resolved, c.status, got, err, c.want)
		}
	}
}
