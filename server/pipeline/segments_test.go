package pipeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// An answer has segments when they are asked for. Without them it is valid, and has the same
// receipt.
func TestAnswerWithoutSegments(t *testing.T) {
	h := newHarness(t)
	h.EachFamily(t, func(t *testing.T, family string) {
		had := 0
		rapid.Check(t, func(t *rapid.T) {
			policy := servertest.Policies().Draw(t, "policy")
			policy.Segments = true
			req, full := h.ProjectAny(t, family, policy)
			asked := proto.CloneOf(req)
			asked.Policy.Segments = false
			lean, err := h.Project(t.Context(), asked)
			if err != nil {
				t.Fatal(err)
			}
			had += h.segments(full.GetCanonical())
			if n := h.segments(lean.GetCanonical()); n > 0 {
				t.Fatalf("%d segments that nobody asked for", n)
			}
			want := proto.CloneOf(full)
			h.Types.WithoutSegments(want.GetCanonical())
			if diff := cmp.Diff(want, lean, protocmp.Transform()); diff != "" {
				t.Fatalf("without segments (+) it is another answer:\n%s", diff)
			}
			h.CheckCanonical(t, lean.GetCanonical())
			for _, r := range []*pb.CanonicalToolResult{full.GetCanonical(), lean.GetCanonical()} {
				got, err := h.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: r}, Policy: policy.GetRender()})
				if err != nil || got.GetReceipt().GetText() != full.GetReceipt().GetText() {
					t.Fatalf("%v\n%s", err, cmp.Diff(full.GetReceipt().GetText(), got.GetReceipt().GetText()))
				}
			}
		})
		if longTexts[family] && had == 0 && !testing.Short() {
			t.Error("no result had segments")
		}
	})
}

// longTexts are some families whose generated outputs have large fields.
var longTexts = map[string]bool{"command": true, "command_batch": true, "file_read": true, "acme.v1.DeployResult": true}

// segments counts the segments of a result.
func (h harness) segments(c *pb.CanonicalToolResult) (n int) {
	for _, m := range h.Opened(c) {
		servertest.EachMessage(m, func(m protoreflect.Message) {
			if m.Descriptor().Name() == "Segment" {
				n++
			}
		})
	}
	return n
}
