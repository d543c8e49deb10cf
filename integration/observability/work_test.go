package observability_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// startBusySidecar starts a sidecar with everything on that is measured: an object store that is away, and a collector that takes
// nothing.
func startBusySidecar(t *testing.T) *sidecartest.Sidecar {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nothing := grpc.NewServer() // it serves no service of a collector, which is final: nothing is tried again
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = nothing.Serve(l)
	}()
	t.Cleanup(func() {
		nothing.Stop()
		<-done
	})
	return sidecartest.Start(t, sidecartest.Options{
		Binary: binary,
		Args: []string{
			"--metrics=127.0.0.1:0", "--otlp-endpoint=http://" + l.Addr().String(), "--object-store=s3://bucket/p?endpoint=http://127.0.0.1:1",
			"--store-quota=1GiB",
		},
		Env: []string{"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "OTEL_METRIC_EXPORT_INTERVAL=200"},
	})
}

// work makes calls of every kind that is measured.
func work(t *testing.T, s *sidecartest.Sidecar) {
	t.Helper()
	conn := sidecartest.Dial(t, s.Target())
	client, artifacts := pb.NewToolResultServiceClient(conn), pb.NewArtifactServiceClient(conn)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var loud strings.Builder // of which more lines matter than fit
	for i := range 4000 {
		fmt.Fprintf(&loud, "error: step %d failed\nline %d of some output\n", i, i)
	}
	loud.WriteString("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzEXAMPLEKEY\n")
	resp, err := client.Project(ctx, &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{
			Command: &pb.CommandOutput{ExitStatus: new(int32(1)), Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(loud.String())}}},
		}},
		Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 400}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE}},
	})
	must(err)
	_, err = artifacts.ReadArtifact(ctx, &pb.ReadArtifactRequest{
		Path: resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath(), Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 2}},
		Budget: &pb.ReadBudget{MaxBytes: 4096, MaxLines: 10},
	})
	must(err)
	_, err = client.Compact(ctx, &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: resp.GetCanonical()}}},
		Policy: &pb.CompactionPolicy{
			Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE, Render: &pb.RenderPolicy{TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE},
		},
	})
	must(err)
	if _, err := client.Project(ctx, &pb.ProjectRequest{}); err == nil {
		t.Fatal("a request without an output was served")
	}
}
