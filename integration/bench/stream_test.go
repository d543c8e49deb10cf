package bench_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
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

// shapes are a chunk of each kind of stream.
func shapes() map[string][]byte {
	var log bytes.Buffer
	for i := 0; log.Len() < streamChunk; i++ {
		fmt.Fprintf(&log, "2026-11-21T09:14:%02dZ worker %d: compiled module %d of 4096 without a warning\n", i%60, i%8, i)
	}
	noise := make([]byte, streamChunk)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(noise)
	return map[string][]byte{
		"log":         log.Bytes()[:streamChunk],
		"one line":    bytes.Repeat([]byte("x"), streamChunk),
		"empty lines": bytes.Repeat([]byte("\n"), streamChunk),
		"binary":      noise,
	}
}

// BenchmarkStream sends streams to the sidecar, through a stock gRPC stream into a
// file, and through a raw socket into a file, in turns. It reports the ratios of the
// median times, and the peak memory of the sidecar's process over its idle one.
func BenchmarkStream(b *testing.B) {
	total := streamBytes(b)
	for name, chunk := range shapes() {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			ours := startSidecar(b, dir)
			idle := peak(b, ours.pid)
			stock, raw := stockReceiver(b, dir), rawReceiver(b, dir)
			b.SetBytes(total)
			var times [3][]float64
			for b.Loop() {
				for i, send := range []func(*testing.B, []byte, int64){ours.send, stock, raw} {
					begin := time.Now()
					send(b, chunk, total)
					times[i] = append(times[i], time.Since(begin).Seconds())
				}
			}
			b.ReportMetric(median(times[0])/median(times[2]), "x/raw")
			b.ReportMetric(median(times[0])/median(times[1]), "x/stock")
			b.ReportMetric(float64(peak(b, ours.pid)-idle)/1024, "MiB-over-idle")
		})
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

func startSidecar(b *testing.B, dir string) side {
	b.Helper()
	socket := filepath.Join(dir, "s", "ours")
	return dial(b, socket, exec.Command(binary, "serve", "--log-level=warn", "--socket", socket, "--store", filepath.Join(dir, "store"), "--volatile"))
}

// send streams a command's output, and removes what was stored.
func (s side) send(b *testing.B, chunk []byte, total int64) {
	call, err := s.ProjectStream(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	send := func(m *pb.ProjectStreamRequest) {
		if err := call.Send(m); err != nil {
			b.Fatal(err)
		}
	}
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command"}}})
	m := &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: chunk}}}
	for sent := int64(0); sent < total; sent += int64(len(chunk)) {
		send(m)
	}
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED,
			Stdout:      &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
		}},
	}}}})
	answer, err := call.Recv()
	if err != nil {
		b.Fatal(err)
	}
	for _, a := range answer.GetResult().GetCanonical().GetCommand().GetArtifacts() {
		_ = os.Remove(a.GetPath())
	}
}

// stockReceiver writes the chunks of a stock gRPC stream to a file, in a process of
// its own.
func stockReceiver(b *testing.B, dir string) func(*testing.B, []byte, int64) {
	b.Helper()
	socket := filepath.Join(dir, "stock")
	if err := os.WriteFile(socket+".reply", nil, 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), stockSocket+"="+socket)
	s := dial(b, socket, cmd)
	return func(b *testing.B, chunk []byte, total int64) {
		s.send(b, chunk, total)
	}
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
			return call.Send(&pb.ProjectStreamResponse{})
		}
		if _, err := f.Write(m.GetChunk().GetData()); err != nil {
			return err
		}
	}
}

// rawReceiver copies from a socket to a file, in a process of its own.
func rawReceiver(b *testing.B, dir string) func(*testing.B, []byte, int64) {
	b.Helper()
	socket := filepath.Join(dir, "raw")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rawSocket+"="+socket)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return func(b *testing.B, chunk []byte, total int64) {
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
		if _, err := conn.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
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
	_, err = conn.Write([]byte{1})
	return err
}
