package families_test

import (
	"context"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/policy"
)

// bare is what Project and Compact do between the transport and the catalog: it checks,
// projects, fits and renders as they do, into a store that its caller empties. So that
// a hundred million calls need no disk.
type bare struct {
	registry  *families.Registry
	policies  *policy.Resolver
	compactor *compactor.Compactor
	ctx       context.Context // of the test
}

// Newbare returns a bare for the families of a registry.
func newBare(t testing.TB, r *families.Registry) *bare {
	c, err := compactor.New(r.Types(), func(payload []byte) (path, digest string) {
		ref := memory.New().RefFor(payload)
		return ref.Path, ref.Digest
	})
	if err != nil {
		t.Fatal(err)
	}
	return &bare{r, policy.NewResolver(memory.New().Resolve), c, t.Context()}
}

// received has the streams of a request.
type received struct {
	Streams   map[string]projectors.Stream
	InOrder   projectors.InOrder
	Unchanged *pb.OutputUnchanged
}

// Project is Project's, without the catalog.
func (b *bare) Project(req *pb.ProjectRequest, from received, sink artifactstore.Sink) (*pb.CanonicalToolResult, renderers.Receipt, error) {
	out := req.GetOutput()
	if err := envelope.ValidateComplete(out); err != nil {
		return nil, renderers.Receipt{}, err
	}
	family, err := b.registry.ForOutput(out)
	if err != nil {
		return nil, renderers.Receipt{}, err
	}
	policy, err := b.policies.Projection(req.GetPolicy(), req.GetOutput().GetToolName(), family.Tokens)
	if err != nil {
		return nil, renderers.Receipt{}, err
	}
	in := projectors.Input{Output: out, Policy: policy.Policy, Streams: from.Streams, InOrder: from.InOrder, Unchanged: from.Unchanged}
	made, err := family.Project(b.ctx, in, nil, sink)
	return made.Canonical, made.Receipt, err
}

// Compact brings one result to a target, and puts what that needs.
func (b *bare) Compact(r *pb.CanonicalToolResult, to compactor.Target, policy renderers.Policy, sink artifactstore.Sink) (*pb.CanonicalToolResult, renderers.Receipt, error) {
	compacted := b.compactor.Compact(r, to)
	for _, need := range compacted.Needs {
		if _, err := sink.Put(b.ctx, artifactstore.BytesBlob(need.Content)); err != nil {
			return nil, renderers.Receipt{}, err
		}
	}
	receipt, err := b.registry.ForResult(r).Renderer.Render(compacted.Result, policy)
	return compacted.Result, receipt, err
}

// Rules are what is known of the lines of a program.
func (b *bare) Rules(commandLine string) *linerule.Rules {
	return b.registry.ByName("command").LineRules(commandLine)
}
