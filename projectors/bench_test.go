package projectors_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/projectors/profile"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// noStore is a sink that stores nothing.
type noStore struct{}

func (noStore) Put(context.Context, artifactstore.Blob) (artifactstore.Ref, error) {
	return artifactstore.Ref{Path: "artifacts/1fa0074a", Digest: "blake3:00"}, nil
}

// benchLog returns at most n bytes of a log in which many tools print. The same number gives the same log.
func benchLog(n int, number uint64) []byte {
	r, b := rand.New(rand.NewPCG(number, 1)), make([]byte, 0, n+512)
	word := func() string {
		return [...]string{"account", "batch", "cache", "digest", "engine", "filter", "gateway", "handler", "index", "journal", "ledger", "message"}[r.IntN(12)]
	}
	for kind := 0; ; {
		if r.IntN(30) == 0 {
			kind = r.IntN(5)
		}
		begin := len(b)
		switch kind {
		case 0:
			b = fmt.Appendf(b, "2026-11-21 09:14:%02d,%03d INFO  [%s-%d] com.example.%s: %s %s id=%08x latency_ms=%d\n", r.IntN(60), r.IntN(1000), word(), r.IntN(16), word(),
				word(), word(), r.Uint32(), r.IntN(2000))
		case 1:
			b = fmt.Appendf(b, "[%d/812] Building CXX object %s/CMakeFiles/%s_%s.dir/%s.cc.o\n", r.IntN(812), word(), word(), word(), word())
		case 2:
			b = fmt.Appendf(b, "%s/%s.go:%d:\t%s := %s.New(ctx, %s_%s)\n", word(), word(), r.IntN(900), word(), word(), word(), word())
		case 3:
			b = fmt.Appendf(b, "--- PASS: Test%s/%s_%d (0.%02ds)\n", word(), word(), r.IntN(99), r.IntN(99))
		default:
			b = fmt.Appendf(b, "  Downloading %s-%s-%d.%d.0-py3-none-any.whl (%d kB)\n", word(), word(), r.IntN(9), r.IntN(30), r.IntN(900))
		}
		if r.IntN(60) == 0 {
			b = fmt.Appendf(b, "src/%s/%s.cc:%d:3: error: '%s' was not declared\n", word(), word(), r.IntN(900), word())
		}
		if len(b) > n {
			return b[:begin]
		}
	}
}

// projectLog projects the output of a command with the defaults of the sidecar, redaction included.
func projectLog(ctx context.Context, command projectors.Projector, stdout []byte, budget int, counter tokens.Counter) (projectors.Projection, error) {
	redacted, _ := redact.Text(redact.Options{Patterns: redact.BuiltIn()}, stdout)
	renderer, policy := renderers.Command(), renderers.Policy{Counter: counter, Handle: func(string) string { return renderers.ToolHandle("read_result", "1fa0074a") }}
	return command.Project(ctx, projectors.Input{
		Output: &pb.CompleteToolOutput{
			ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				CommandLine: "./ci.sh", ExitStatus: new(int32(0)), Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: redacted}},
			}},
		},
		Policy:  projectors.Policy{Budget: envelope.Cost{Tokens: budget}, LineBytes: 2000, HeadPercent: 25, Counter: counter},
		Measure: func(r *pb.CanonicalToolResult) (envelope.Receipt, error) { return renderer.Render(r, policy) },
	}, noStore{})
}

// A call with a large output, without the transport and the store: redaction, projection and the receipt.
func BenchmarkProject(b *testing.B) {
	command, counter := projectors.Command(profile.BuiltIn()), tokens.Estimate()
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			var logs [16][]byte
			for i := range logs {
				logs[i] = benchLog(size, uint64(i))
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := projectLog(b.Context(), command, logs[i%len(logs)], 2000, counter); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
