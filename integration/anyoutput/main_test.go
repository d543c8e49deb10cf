package anyoutput_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var (
	cases   = flag.Int("anyoutput.cases", 4000, "how many cases to run")
	from    = flag.Int("anyoutput.from", 0, "number of the first case")
	seed    = flag.Uint64("anyoutput.seed", 1, "seed of all cases")
	workers = flag.Int("anyoutput.workers", 2, "calls at the same time")
	ledger  = flag.String("anyoutput.ledger", "", "file that a line with the counts is appended to")
)

// binary is the sidecar that is attacked.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "toolresult")
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/toolresult").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s\n%v\n", out, err)
		return 1
	}
	return m.Run()
}

// sidecar is a running binary.
type sidecar struct {
	pb.ToolResultServiceClient
	artifacts pb.ArtifactServiceClient
}

// start runs the binary with a store in memory, and stops it when the test ends.
func start(t *testing.T, args ...string) *sidecar {
	t.Helper()
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, append([]string{"serve", "--socket", socket, "--store=memory", "--audit=off", "--max-message-bytes=64MiB", "--max-in-flight-bytes=1GiB"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	var log strings.Builder
	cmd.Stderr = &log
	t.Cleanup(func() {
		if strings.Contains(log.String(), "panic") {
			t.Errorf("the sidecar's log:\n%.20000s", log.String())
		}
	})
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the sidecar does not start: %v\n%s", err, log.String())
	}
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &sidecar{pb.NewToolResultServiceClient(conn), pb.NewArtifactServiceClient(conn)}
}
