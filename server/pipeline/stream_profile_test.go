package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// planOf is a long plan of terraform, with one line in the middle that only the
// profile of the program knows to matter.
func planOf(t *rapid.T) string {
	var b strings.Builder
	resource := func(i int) {
		fmt.Fprintf(&b, "      + tag_%d = \"value in words, number %d\"\n", i, i*i)
	}
	at := rapid.IntRange(1000, 4000).Draw(t, "at")
	for i := range 5000 {
		if i == at {
			b.WriteString("  # aws_db_instance.main must be replaced\n")
		}
		resource(i)
	}
	return b.String()
}

// Design property 8, for what profiles keep: it is looked for while a stream
// comes, by the command line of its header.
func TestProfilesReachStreams(t *testing.T) {
	h := newHarness(t)
	policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 400}}}
	rapid.Check(t, func(t *rapid.T) {
		out := servertest.Completed()
		command := out.GetCommand()
		command.CommandLine, command.Stderr = "terraform plan", nil
		command.Stdout = &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(planOf(t))}}
		want, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy})
		if err != nil {
			t.Fatal(err)
		}
		answers, err := h.Stream(t.Context(), h.requestsOf(t, "command", out, policy))
		if err != nil || len(answers) != 1 || !proto.Equal(want, answers[0].GetResult()) {
			t.Fatalf("the stream gives something else: %v, error %v", answers, err)
		}
		if !strings.Contains(want.GetReceipt().GetText(), "\n  # aws_db_instance.main must be replaced\n") {
			t.Fatalf("what is replaced is not said:\n%s", want.GetReceipt().GetText())
		}
	})
}
