package projectors

import (
	"context"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// AgentSpawn projects the start of a child agent. Its model is stated only if it is
// not the requested one.
func AgentSpawn() Projector {
	return declare("agent_spawn", func(_ context.Context, w *work) error {
		result := w.into.Interface().(*pb.AgentSpawnResult)
		result.ModelDifference = modelDifference(result.GetModelResolution())
		return nil
	})
}

// modelDifference states the resolved and the requested model where they differ; ""
// where the request was met.
func modelDifference(m *pb.ModelResolution) string {
	resolved, requested := m.GetResolvedModel(), m.GetRequested()
	if resolved == "" {
		resolved = "not known"
	}
	if m.GetResolvedProvider() != "" {
		resolved = m.GetResolvedProvider() + "/" + resolved
	}
	if requested == "" || requested == m.GetResolvedModel() || requested == resolved {
		return ""
	}
	switch m.GetResolutionStatus() { // a status that is not stated leaves the difference unexplained
	case pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_NORMALIZED:
		return resolved + ", for " + requested
	case pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_FALLBACK_USED:
		return resolved + ", a fallback for " + requested
	case pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_REJECTED:
		return resolved + "; " + requested + " was rejected"
	case pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_INHERITED, pb.ModelResolutionStatus_MODEL_RESOLUTION_STATUS_ACCEPTED:
		return ""
	}
	return resolved + ", asked for: " + requested
}
