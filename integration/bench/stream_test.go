package bench_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/rpc"
)

// streamBytes is the size of one stream, 1 GiB unless BENCH_STREAM_MIB says
// another number of MiB.
func streamBytes(b *testing.B) int64 {
	b.Helper()
	mib := int64(1024)
	if text := os.Getenv("BENCH_STREAM_MIB"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		mib = n
	}
	return mib << 20
}

// streamChunk is the size of a chunk, in bytes.
const streamChunk = 256 << 10

// shapes are a chunk of each kind of stream. In a log one line in fifty matters, and
// of warnings each may.
func shapes() map[string][]byte {
	var log, warnings bytes.Buffer
	for i := 0; warnings.Len() < streamChunk; i++ {
		if i%50 == 0 {
			fmt.Fprintf(&log, "2026-11-21T09:14:%02dZ worker %d: error: module %d was not found\n", i%60, i%8, i)
		}
		fmt.Fprintf(&log, "2026-11-21T09:14:%02dZ worker %d: compiled module %d of 4096 in the usual time\n", i%60, i%8, i)
		fmt.Fprintf(&warnings, "2026-11-21T09:14:%02dZ worker %d: compiled module %d of 4096 without a warning\n", i%60, i%8, i)
	}
	noise := make([]byte, streamChunk)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(noise)
	return map[string][]byte{
		"log":         log.Bytes()[:streamChunk],
		"warnings":    warnings.Bytes()[:streamChunk],
		"one line":    bytes.Repeat([]byte("x"), streamChunk),
		"empty lines": bytes.Repeat([]byte("\n"), streamChunk),
		"binary":      noise,
	}
}

// sender sends a stream of chunks, and says how long it took to be answered.
type sender func(b *testing.B, chunk []byte, total int64) time.Duration

// BenchmarkStream sends streams to the sidecar, through a stock gRPC stream into a
// file, and through a raw socket into a file, in turns. It reports the ratios of the
// median times. Our client is a Go client with our buffer pool, as that of the command
// line; the stock one knows nothing of us. Both sides sync what they wrote, or neither.
func BenchmarkStream(b *testing.B) {
	for _, mode := range []struct {
		name     string
		volatile bool
	}{{"volatile", true}, {"durable", false}} {
		for name, chunk := range shapes() {
			b.Run(mode.name+"/"+name, func(b *testing.B) { turns(b, chunk, mode.volatile) })
		}
	}
}

func turns(b *testing.B, chunk []byte, volatile bool) {
	total := streamBytes(b)
	dir := b.TempDir()
	ours := startSidecar(b, dir, fmt.Sprintf("--volatile=%v", volatile))
	senders := []sender{withOurPool(ours.send), ours.send, stockReceiver(b, dir, volatile), rawReceiver(b, dir, volatile)}
	b.SetBytes(total)
	var used time.Duration
	times := make([][]float64, len(senders))
	for b.Loop() {
		for _, i := range rand.Perm(len(senders)) { // who comes after whom matters: one frees the memory that the next takes
			before := cpuTime(b, ours.pid)
			times[i] = append(times[i], senders[i](b, chunk, total).Seconds())
			used += cpuTime(b, ours.pid) - before
		}
	}
	raw := median(times[3])
	b.ReportMetric(median(times[0])/raw, "x/raw")
	b.ReportMetric(median(times[1])/raw, "x/raw-stock-client")
	b.ReportMetric(median(times[2])/raw, "stock-x/raw")
	b.ReportMetric(median(times[1])/median(times[2]), "x/stock")
	b.ReportMetric(used.Seconds()/float64(2*len(times[0]))/float64(total)*(1<<30), "cpu-s/GiB")
	b.ReportMetric(raw, "raw-s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStreamChunks compares sizes of chunks, for our client and a stock one, with
// chunks of 256 KiB of our client.
func BenchmarkStreamChunks(b *testing.B) {
	total := streamBytes(b)
	ours := startSidecar(b, b.TempDir(), "--volatile=true")
	log := bytes.Repeat(shapes()["log"], 4)
	sizes := []int{16 << 10, 31 << 10, 32 << 10, 64 << 10, 256 << 10, 1023 << 10}
	var base []float64
	times := make([][2][]float64, len(sizes))
	pooled := withOurPool(ours.send)
	for b.Loop() {
		base = append(base, pooled(b, log[:streamChunk], total).Seconds())
		for i, n := range sizes {
			times[i][0] = append(times[i][0], pooled(b, log[:n], total).Seconds())
			times[i][1] = append(times[i][1], ours.send(b, log[:n], total).Seconds())
		}
	}
	for i, n := range sizes {
		b.ReportMetric(median(times[i][0])/median(base), fmt.Sprintf("x-ours-%dK", n>>10))
		b.ReportMetric(median(times[i][1])/median(base), fmt.Sprintf("x-stock-%dK", n>>10))
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStreamMemory reports the peak memory of the sidecar's process over its idle
// one, for one stream and for eight at once.
func BenchmarkStreamMemory(b *testing.B) {
	total := streamBytes(b)
	for _, streams := range []int{1, 8} {
		for name, chunk := range shapes() {
			b.Run(fmt.Sprintf("%s/streams=%d", name, streams), func(b *testing.B) {
				ours := startSidecar(b, b.TempDir(), "--volatile=true")
				ours.send(b, chunk[:100], 100) // what every process of ours has after a call
				idle := peak(b, ours.pid)
				for b.Loop() {
					var wait sync.WaitGroup
					for range streams {
						wait.Go(func() { ours.send(b, chunk, total) })
					}
					wait.Wait()
				}
				b.ReportMetric(float64(peak(b, ours.pid)-idle)/1024, "MiB-over-idle")
				b.ReportMetric(float64(idle)/1024, "MiB-idle")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// withOurPool sends with the pool that rpc.UseBufferPool installs. Nothing else of
// this process calls anybody meanwhile.
func withOurPool(send sender) sender {
	stock := mem.DefaultBufferPool()
	rpc.UseBufferPool()
	ours := mem.DefaultBufferPool()
	experimental.SetDefaultBufferPool(stock)
	return func(b *testing.B, chunk []byte, total int64) time.Duration {
		experimental.SetDefaultBufferPool(ours)
		defer experimental.SetDefaultBufferPool(stock)
		return send(b, chunk, total)
	}
}

// peak is the largest resident memory of a process so far, in KiB.
func peak(b *testing.B, pid int) int64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	n, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// sent makes the content of every stream its own.
var sent atomic.Int64

// send streams a command's output, and removes what was stored.
func (s side) send(b *testing.B, chunk []byte, total int64) time.Duration {
	begin := time.Now()
	call, err := s.ProjectStream(b.Context())
	if err != nil {
		b.Error(err)
		return 0
	}
	send := func(m *pb.ProjectStreamRequest) {
		if err := call.Send(m); err != nil {
			b.Error(err)
		}
	}
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command"}}})
	m := &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: chunk}}}
	for sent := int64(0); sent < total && !b.Failed(); sent += int64(len(chunk)) {
		send(m)
	}
	last := fmt.Appendf(nil, "the end of stream %d", sent.Add(1))
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Data: last}}})
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED,
			Stdout:      &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
		}},
	}}}})
	answer, err := call.Recv()
	if err != nil {
		b.Error(err)
		return 0
	}
	took := time.Since(begin)
	for _, a := range answer.GetResult().GetCanonical().GetCommand().GetArtifacts() {
		_ = os.Remove(a.GetPath())
	}
	_, _ = call.Recv() // the end
	return took
}

// stockReceiver writes the chunks of a stock gRPC stream to a file, in a process of
// its own.
func stockReceiver(b *testing.B, dir string, volatile bool) sender {
	b.Helper()
	socket := filepath.Join(dir, "stock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), stockSocket+"="+socket, fmt.Sprintf("%s=%v", syncFile, !volatile))
	return dial(b, socket, cmd).send
}

// syncFile says whether the receivers of this test binary sync their files.
const syncFile = "TOOLRESULT_BENCH_SYNC"

func syncIfAsked(f *os.File) error {
	if os.Getenv(syncFile) != "true" {
		return nil
	}
	return f.Sync()
}

// ProjectStream of the stock server writes what it gets to a file, and no more.
func (s stock) ProjectStream(call grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse]) error {
	f, err := os.CreateTemp("", "stock")
	if err != nil {
		return err
	}
	defer f.Close()
	defer os.Remove(f.Name())
	for {
		m, err := call.Recv()
		if err != nil {
			return err
		}
		if m.GetFinish() != nil {
			if err := syncIfAsked(f); err != nil {
				return err
			}
			return call.Send(&pb.ProjectStreamResponse{})
		}
		if _, err := f.Write(m.GetChunk().GetData()); err != nil {
			return err
		}
	}
}

// rawReceiver copies from a socket to a file, in a process of its own.
func rawReceiver(b *testing.B, dir string, volatile bool) sender {
	b.Helper()
	socket := filepath.Join(dir, "raw")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rawSocket+"="+socket, fmt.Sprintf("%s=%v", syncFile, !volatile))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return func(b *testing.B, chunk []byte, total int64) time.Duration {
		begin := time.Now()
		var conn *net.UnixConn
		for i := 0; ; i++ {
			c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
			if err == nil {
				conn = c
				break
			}
			if i > 500 {
				b.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		defer conn.Close()
		for sent := int64(0); sent < total; sent += int64(len(chunk)) {
			if _, err := conn.Write(chunk); err != nil {
				b.Fatal(err)
			}
		}
		_ = conn.CloseWrite()
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
		took := time.Since(begin)
		_, _ = conn.Read(make([]byte, 1)) // the end
		return took
	}
}

// rawSocket makes this test binary a raw receiver on the socket of that name.
const rawSocket = "TOOLRESULT_BENCH_RAW"

func serveRaw(socket string) error {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		if err := receive(conn); err != nil {
			return err
		}
	}
}

func receive(conn net.Conn) error {
	defer conn.Close()
	f, err := os.CreateTemp("", "raw")
	if err != nil {
		return err
	}
	defer f.Close()
	defer os.Remove(f.Name())
	if _, err := io.CopyBuffer(struct{ io.Writer }{f}, struct{ io.Reader }{conn}, make([]byte, streamChunk)); err != nil {
		return err
	}
	if err := syncIfAsked(f); err != nil {
		return err
	}
	_, err = conn.Write([]byte{1})
	return err
}
