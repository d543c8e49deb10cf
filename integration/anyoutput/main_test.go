package anyoutput_test

import (
	"flag"
	"os"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/server/config"
)

var (
	cases   = flag.Int("anyoutput.cases", 4000, "how many cases to run; a tenth with -short")
	from    = flag.Int("anyoutput.from", 0, "number of the first case")
	seed    = flag.Uint64("anyoutput.seed", 1, "seed of all cases")
	workers = flag.Int("anyoutput.workers", 2, "calls at the same time")
	ledger  = flag.String("anyoutput.ledger", "", "file that a line with the counts is appended to")
)

// binary is the sidecar that is attacked.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		*cases /= 10
	}
	os.Exit(sidecartest.Main(m, &binary))
}

// sidecar is a running binary.
type sidecar struct {
	pb.ToolResultServiceClient
	artifacts pb.ArtifactServiceClient
}

// start runs the binary with a store in memory, and stops it when the test ends.
func start(t *testing.T, args ...string) *sidecar {
	t.Helper()
	s := sidecartest.Start(t, sidecartest.Options{Binary: binary, Store: config.MemoryStore, Args: append([]string{
		"--log-level=info", "--audit=off", "--max-message-bytes=64MiB", "--max-in-flight-bytes=1GiB",
	}, args...)})
	t.Cleanup(func() {
		if s.Log.Contains("panic") {
			t.Errorf("the sidecar's log:\n%.20000s", s.Log)
		}
	})
	conn := sidecartest.Dial(t, s.Target())
	return &sidecar{pb.NewToolResultServiceClient(conn), pb.NewArtifactServiceClient(conn)}
}
