package toolresult

import (
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Result is the projection of one output.
type Result struct {
	// Receipt is the text for the model.
	Receipt string
	// Tokens is what the receipt costs.
	Tokens int
	// Family is the family of the result, such as "text"; "error" for a tool that failed.
	Family string
	// Failed is whether the tool could not do its work.
	Failed bool
	// Canonical is the canonical result, for the runtime to keep.
	Canonical *pb.CanonicalToolResult
	// Artifacts are the paths that the canonical result names, each once, for [Client.Read].
	Artifacts []string
	// Response is the whole answer.
	Response *pb.ProjectResponse
}

// newResult returns the result of an answer.
func newResult(r *pb.ProjectResponse) *Result {
	return &Result{
		Receipt: r.GetReceipt().GetText(), Tokens: int(r.GetReceipt().GetTokens()), Family: r.GetFamily(),
		Failed: r.GetCanonical().GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR, Canonical: r.GetCanonical(),
		Artifacts: Artifacts(r.GetCanonical()), Response: r,
	}
}

// Artifacts returns the paths that a canonical result names, each once, for [Client.Read].
func Artifacts(canonical *pb.CanonicalToolResult) []string {
	var paths []string
	visit(canonical.ProtoReflect(), func(ref *pb.ArtifactReference) {
		if ref.GetPath() != "" && !slices.Contains(paths, ref.GetPath()) {
			paths = append(paths, ref.GetPath())
		}
	})
	return paths
}

// visit calls found for the messages of a type in m, in the order of the fields. It does not look
// into the messages that it found.
func visit[M proto.Message](m protoreflect.Message, found func(M)) {
	if one, ok := m.Interface().(M); ok {
		found(one)
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.Message() == nil || f.IsMap() || !m.Has(f):
		case f.IsList():
			for n := range m.Get(f).List().Len() {
				visit(m.Get(f).List().Get(n).Message(), found)
			}
		default:
			visit(m.Get(f).Message(), found)
		}
	}
}
