package families

import (
	"context"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
)

// Project makes the canonical result and the receipt of an output. handle names artifacts in the receipt; nil: by their
// paths. What the result leaves out is put into sink.
func (f *Family) Project(ctx context.Context, in projectors.Input, handle func(path string) string, sink artifactstore.Sink) (projectors.Projection, error) {
	policy := renderers.Policy{Counter: in.Policy.Counter, Handle: handle}
	in.Rules = f.LineRules(in.Output.GetCommand().GetCommandLine())
	in.Measure = func(r *pb.CanonicalToolResult) (renderers.Receipt, error) { return f.Renderer.Render(r, policy) }
	if custom, ok := f.Renderer.(*renderers.CustomRenderer); ok {
		in.MeasurePayload = func(m protoreflect.Message) (renderers.Receipt, error) { return custom.RenderPayload(m, policy) }
	}
	return f.Projector.Project(ctx, in, sink)
}
