package server

import (
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
)

// handle returns how receipts name artifacts under a policy; nil: by their paths. A call of read_result names an artifact
// by its name in the store, which is shorter than its path. What is not of this store keeps its path: no call reads it.
func (s *service) handle(p *pb.RenderPolicy) func(path string) string {
	if p.GetHandles() != pb.HandleForm_HANDLE_FORM_CALL {
		return nil
	}
	return func(path string) string {
		name, err := s.store.Resolve(path)
		if err != nil {
			return path
		}
		if _, ok := dir.ParseName(name); !ok { // a log that is still written
			name = path
		}
		return renderers.CallHandle(name)
	}
}

// forPage is the policy of an output of a tool: a page of read_result is shown whole, whatever its budget. It was fitted
// to one when it was made, and what was read back must not be cut again.
func forPage(p projectionPolicy, tool string) projectionPolicy {
	if tool == envelope.ReadTool {
		p.Budget, p.LineBytes, p.limit = envelope.Cost{Tokens: maxTokens}, maxLineBytes, maxTokens
	}
	return p
}

// checkHandles checks that artifacts which are named by calls have a session: a call reads the artifacts of one.
func checkHandles(check envelope.Checker, p *pb.RenderPolicy, field, session string) {
	if p.GetHandles() == pb.HandleForm_HANDLE_FORM_CALL && session == "" {
		check.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required where receipts name artifacts by calls of read_result")
	}
}
