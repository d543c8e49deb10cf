package pipeline_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/redaction"
)

// Design properties 1 to 7 and 9, for every family and any tool bytes.
func TestProjection(t *testing.T) {
	h := newHarness(t)
	h.EachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			req, resp := h.ProjectAny(t, family, servertest.Policies().Draw(t, "policy"))
			servertest.CheckBudget(t, resp.GetReceipt(), req.GetPolicy().GetRender().GetBudget())
			h.CheckCanonical(t, resp.GetCanonical())
			h.CheckReceipt(t, resp)
			h.checkStored(t, req.GetOutput(), resp.GetCanonical())
			again, err := h.Project(t.Context(), req)
			if err != nil || !proto.Equal(resp, again) {
				t.Fatalf("a second call answers differently: %v\n%s", err, cmp.Diff(resp, again, protocmp.Transform()))
			}
		})
	})
}

// checkStored reads every artifact back: it holds bytes that were given, or what
// its digest says, or a list line by line.
func (h harness) checkStored(t *rapid.T, out *pb.CompleteToolOutput, c *pb.CanonicalToolResult) {
	known := map[string]bool{}
	out, err := redaction.NewPass(h.Redacting).Redact(context.Background(), out, h.family(out), nil)
	if err != nil {
		t.Fatal(err)
	}
	collect(out.ProtoReflect(), known)
	if t := h.Types[out.GetCustom().GetType()]; t != nil {
		collect(t.Read(envelope.NewChecker(""), out.GetCustom()), known)
	}
	for _, m := range h.Opened(c) {
		collect(m, known)
		servertest.EachPath(m, func(path string) {
			if content := servertest.ReadBack(t, h.Store, path); !known[digest(content)] {
				t.Fatalf("%s holds %d bytes that nobody gave: %.200q of\n%v", path, len(content), content, c)
			}
		})
	}
}

// family is that of an output.
func (h harness) family(out *pb.CompleteToolOutput) *families.Family {
	name := envelope.Family(out)
	if out.GetCustom() != nil {
		name = out.GetCustom().GetType()
	}
	for i := range h.Families {
		if h.Families[i].Name == name {
			return &h.Families[i]
		}
	}
	return &families.Family{}
}

func digest(content []byte) string { return fmt.Sprintf("blake3:%x", blake3.Sum256(content)) }

// collect gathers the digests of every bytes field and list of a message, and
// the digests that it states.
func collect(m protoreflect.Message, into map[string]bool) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList():
			into[digest(envelope.ListText(f, v.List()))] = f.Kind() != protoreflect.BytesKind
			for i := range v.List().Len() {
				if f.Message() != nil {
					collect(v.List().Get(i).Message(), into)
				}
			}
		case f.Kind() == protoreflect.BytesKind:
			into[digest(v.Bytes())] = true
		case f.Name() == "digest":
			into[v.String()] = true
		case f.Message() != nil:
			collect(v.Message(), into)
		}
		return true
	})
}

// Render of what Project answered gives the same receipt.
func TestRenderRepeatsTheReceipt(t *testing.T) {
	h := newHarness(t)
	h.EachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			req, resp := h.ProjectAny(t, family, servertest.Policies().Draw(t, "policy"))
			rendered, err := h.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}, Policy: req.GetPolicy().GetRender()})
			if err != nil || !proto.Equal(rendered.GetReceipt(), resp.GetReceipt()) {
				t.Fatalf("%v\n%s", err, cmp.Diff(resp.GetReceipt(), rendered.GetReceipt(), protocmp.Transform()))
			}
		})
	})
}

// A family whose outputs the generator hardly ever gets right would be covered in
// name only.
func TestEveryFamilyIsGenerated(t *testing.T) {
	h := newHarness(t)
	h.EachFamily(t, func(t *testing.T, family string) {
		const tries = 60
		served := 0
		for seed := range tries {
			out := h.OutputOf(family).Example(seed)
			if _, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: &pb.ProjectionPolicy{
				Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 20_000}},
			}}); err == nil {
				served++
			}
		}
		if served < tries/5 {
			t.Errorf("%d of %d generated outputs are served", served, tries)
		}
	})
}
