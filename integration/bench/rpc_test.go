package bench_test

import (
	"bytes"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// rounds is how often the two sides are measured in turns.
const rounds = 9

// stockSocket makes this test binary a stock server on the socket that the environment variable names.
const stockSocket = "TOOLRESULT_BENCH_STOCK"

var binary string

func TestMain(m *testing.M) {
	if socket := os.Getenv(stockSocket); socket != "" {
		if err := serveStock(socket); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if socket := os.Getenv(rawSocket); socket != "" {
		if err := serveRaw(socket); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		os.Exit(m.Run()) // nothing needs the binary
	}
	os.Exit(sidecartest.Main(m, &binary))
}

// stock takes streams, and nothing else.
type stock struct {
	pb.UnimplementedToolResultServiceServer
}

func serveStock(socket string) error {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	g := grpc.NewServer()
	pb.RegisterToolResultServiceServer(g, stock{})
	return g.Serve(l)
}

// side is one of the two servers.
type side struct {
	pb.ToolResultServiceClient
	pid int
}

// startSidecar starts the sidecar with its socket and its store in a directory.
func startSidecar(b *testing.B, dir string, flags ...string) side {
	b.Helper()
	s := sidecartest.Start(b, sidecartest.Options{
		Binary: binary, Home: dir, Socket: filepath.Join(dir, "s", "ours"), Store: filepath.Join(dir, "store"),
		Args: append([]string{"--log-level=warn"}, flags...),
	})
	return side{pb.NewToolResultServiceClient(sidecartest.Dial(b, s.Target())), s.PID()}
}

// dial starts one of the servers of this test binary, and connects to it.
func dial(b *testing.B, socket string, cmd *exec.Cmd) side {
	b.Helper()
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for i := 0; ; i++ {
		c, err := net.Dial("unix", socket)
		if err == nil {
			_ = c.Close()
			break
		}
		if i > 500 {
			b.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return side{pb.NewToolResultServiceClient(conn), cmd.Process.Pid}
}

// logOf is text of a build and test log, of about n bytes; seed makes it fresh
// content, so that an artifact is really written.
func logOf(n, seed int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "=== RUN   TestParse/case_%d_%d\n", seed, i)
		case 1:
			fmt.Fprintf(&b, "    parse_test.go:%d: reading /work/src/internal/parse/testdata/in-%04d.txt\n", 40+i%300, i)
		case 2:
			fmt.Fprintf(&b, "--- PASS: TestParse/case_%d_%d (0.0%ds)\n", seed, i, i%9)
		case 3:
			b.WriteString("go: downloading golang.org/x/text v0.43.0\n")
		case 4:
			b.WriteString("warning: unused variable: `config` (2 of 17 checks, hash 9f3ac1e)\n")
		}
	}
	return b.Bytes()[:n]
}

// Commands with a profile, whose noise is left out even where it would fit, and
// without one.
const known, unknown = "go test ./...", "./check.sh"

func request(command string, stdout []byte) *pb.ProjectRequest {
	return &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)), CommandLine: command,
			Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: stdout}},
		}},
	}}
}

// measured is one round of one side.
type measured struct{ p50, cpu float64 } // microseconds, and server CPU microseconds a call

// burst makes n calls from some callers.
func (s side) burst(b *testing.B, callers, n int, next func(i int) *pb.ProjectRequest) measured {
	b.Helper()
	times := make([]float64, n)
	cpu := cpuTime(b, s.pid)
	var wait sync.WaitGroup
	for c := range callers {
		wait.Go(func() {
			for i := c; i < n; i += callers {
				req := next(i)
				start := time.Now()
				if _, err := s.Project(b.Context(), req); err != nil {
					b.Error(err)
					return
				}
				times[i] = float64(time.Since(start).Microseconds())
			}
		})
	}
	wait.Wait()
	used := cpuTime(b, s.pid) - cpu
	slices.Sort(times)
	return measured{times[n/2], float64(used.Microseconds()) / float64(n)}
}

// cpuTime is the CPU time that a process has used, from /proc.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// compare measures both sides in turns and reports the median ratios.
func compare(b *testing.B, ours, floor side, callers, calls int, next func(i int) *pb.ProjectRequest) {
	b.Helper()
	floor.burst(b, callers, calls, next) // warm up
	ours.burst(b, callers, calls, next)
	var latency, cpu, base, own []float64
	for b.Loop() {
		for range rounds {
			f := floor.burst(b, callers, calls, next)
			o := ours.burst(b, callers, calls, next)
			latency = append(latency, o.p50/f.p50)
			cpu = append(cpu, o.cpu/f.cpu)
			base, own = append(base, f.p50), append(own, o.p50)
		}
	}
	b.ReportMetric(median(latency), "p50/floor")
	b.ReportMetric(median(cpu), "cpu/floor")
	b.ReportMetric(median(base), "floor-us")
	b.ReportMetric(median(own), "ours-us")
	b.ReportMetric(0, "ns/op")
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}
