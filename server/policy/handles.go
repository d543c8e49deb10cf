package policy

import (
	"cmp"

	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
)

// handleForm returns the form in which receipts name artifacts: by their paths where a policy does not say.
func handleForm(check envelope.Checker, form pb.HandleForm) pb.HandleForm {
	switch form {
	case pb.HandleForm_HANDLE_FORM_UNSPECIFIED:
		return pb.HandleForm_HANDLE_FORM_PATH
	case pb.HandleForm_HANDLE_FORM_PATH, pb.HandleForm_HANDLE_FORM_CALL:
		return form
	}
	check.Fail("handles", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no form that this server knows")
	return pb.HandleForm_HANDLE_FORM_PATH
}

// Handle returns the function that names artifacts in receipts; nil: by their paths. A call of read_result, or of the tool that
// the policy names in its place, names an artifact by its name in the store, which is shorter than its path. An artifact that
// is not in this store keeps its path, because no call reads it.
func (c *Resolver) Handle(p *pb.RenderPolicy) func(path string) string {
	if p.GetHandles() != pb.HandleForm_HANDLE_FORM_CALL {
		return nil
	}
	tool := cmp.Or(p.GetReadTool(), envelope.ReadTool)
	return func(path string) string {
		name, err := c.artifact(path)
		if err != nil {
			return path
		}
		if _, ok := dir.ParseName(name); !ok { // a log that is still written
			name = path
		}
		return renderers.ToolHandle(tool, name)
	}
}

// CheckHandles checks that a request whose artifacts are named by calls has a session: a call reads the artifacts of one.
// field is where the request has its session.
func CheckHandles(check envelope.Checker, p *pb.RenderPolicy, field, session string) {
	if p.GetHandles() == pb.HandleForm_HANDLE_FORM_CALL && session == "" {
		check.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required where receipts name artifacts by calls of read_result")
	}
}
