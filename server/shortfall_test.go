package server_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestShortfall holds a rejected budget to what it says: the amount that it names is enough.
func TestShortfall(t *testing.T) {
	h := newHouse(t)
	h.eachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			out := h.outputOf(family).Draw(t, "output")
			budget := &pb.Budget{MaxTokens: rapid.Uint32Range(16, 80).Draw(t, "tokens")}
			policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: budget}}
			_, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy})
			short, ok := errors.AsType[*envelope.ShortfallError](err)
			if !ok {
				return
			}
			budget.MaxTokens = uint32(short.Needed)
			if _, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy}); err != nil {
				t.Fatalf("with %d tokens: %v", short.Needed, err)
			}
		})
	})
}
