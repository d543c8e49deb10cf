package integration_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // so that the client can send gzip
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// otherFaults are those of the other groups that need nothing but a client.
func otherFaults() []fault {
	return []fault{
		{"A01", "HTTP/1.1 comes to the socket", plainHTTP},
		{"A06", "a call has 64 KiB of metadata", muchMetadata},
		{"A10", "a method or a service is not known", unknownMethods},
		{"A11", "a compressor is not known", unknownCompressor},
		{"A12", "a message is a gzip bomb", gzipBomb},
		{"A14", "a message is no message", garbageMessages},
		{"B12", "the path of a socket is long, odd or taken", badSockets},
		{"E04", "an empty stream is not an absent one", emptyOrAbsent},
		{"E05", "a budget is exactly met, or missed by one", exactBudgets},
		{"E14", "both streams are huge and the budget is tiny", bothHuge},
		{"F02", "numbers in details survive as written", exactNumbers},
		{"F06", "stdout is a whole envelope", fakeEnvelope},
		{"J16", "a file in the store is not ours", foreignFile},
	}
}

func plainHTTP(t *testing.T, s *sidecar) {
	conn, err := net.Dial("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(bufio.NewReader(conn))
	if os.IsTimeout(err) || bytes.Contains(answer, []byte("HTTP/1.1 200")) {
		t.Errorf("the answer is %q, error %v", answer, err)
	}
}

func muchMetadata(t *testing.T, s *sidecar) {
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-much", strings.Repeat("m", 64<<10))
	if _, err := s.Project(ctx, completed(0, canary)); err == nil {
		t.Error("the call was served")
	}
	s.project(t, completed(0, "the connection lives"))
}

func unknownMethods(t *testing.T, s *sidecar) {
	for _, method := range []string{"/toolresult.v1.ToolResultService/Nothing", "/toolresult.v2.ToolResultService/Project", "/x/y"} {
		err := s.conn.Invoke(t.Context(), method, completed(0, canary), &pb.ProjectResponse{})
		if status.Code(err) != codes.Unimplemented {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// fakeCompressor is one that the server does not have.
type fakeCompressor struct{}

func (fakeCompressor) Name() string                                 { return "nonesuch" }
func (fakeCompressor) Compress(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil }
func (fakeCompressor) Decompress(r io.Reader) (io.Reader, error)    { return r, nil }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func unknownCompressor(t *testing.T, s *sidecar) {
	_, err := s.Project(t.Context(), completed(0, canary), grpc.UseCompressor(fakeCompressor{}.Name()))
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("the answer is %v", err)
	}
}

// gzipBomb sends 64 MiB in some 64 KiB. A server without gzip does not even
// unpack it.
func gzipBomb(t *testing.T, s *sidecar) {
	before := memoryOf(t, s, "VmHWM")
	_, err := s.Project(t.Context(), completed(0, strings.Repeat("\x00", 64<<20)), grpc.UseCompressor("gzip"))
	if c := status.Code(err); c != codes.ResourceExhausted && c != codes.Unimplemented {
		t.Errorf("the answer is %v", err)
	}
	if grown := memoryOf(t, s, "VmHWM") - before; grown > 128<<10 && !raceDetector {
		t.Errorf("the peak of the memory grew by %d KiB", grown)
	}
}

// memoryOf reads a line of /proc/PID/status, in KiB.
func memoryOf(t *testing.T, s *sidecar, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var kib int
	_, rest, _ := strings.Cut(string(text), name+":")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

// rawCodec sends bytes as they are in place of a message.
type rawCodec struct{ encoding.CodecV2 }

func (c rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	if raw, ok := v.([]byte); ok {
		return mem.BufferSlice{mem.SliceBuffer(raw)}, nil
	}
	return c.CodecV2.Marshal(v)
}

func garbageMessages(t *testing.T, s *sidecar) {
	codec := rawCodec{encoding.GetCodecV2(proto.Name)}
	for name, raw := range map[string][]byte{
		"random bytes":               []byte("\xff\xff\xff\xff\x07\x00random"),
		"a length beyond the end":    {0x0a, 0xff, 0x01},
		"a string that is no UTF-8":  {0x0a, 0x03, 0x0a, 0x01, 0xff},
		"a group that is not closed": {0x0b},
	} {
		err := s.conn.Invoke(t.Context(), pb.ToolResultService_Project_FullMethodName, raw, &pb.ProjectResponse{}, grpc.ForceCodecV2(codec))
		if status.Code(err) != codes.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func badSockets(t *testing.T, _ *sidecar) {
	dir := shortDir(t)
	file := filepath.Join(dir, "run", "file")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	pad := func(n int) string { return filepath.Join(dir, strings.Repeat("d", n-len(dir)-3), "s") }
	for name, c := range map[string]struct{ socket, want string }{
		"108 bytes":                         {pad(108), "107"},
		"a newline":                         {filepath.Join(dir, "a\nb", "s"), "control character"},
		"a relative path":                   {"run/s", "absolute"},
		"a directory that others can enter": {filepath.Join(open, "s"), "mode 0777"},
		"a file that is no socket":          {file, "no socket"},
	} {
		t.Run(name, func(t *testing.T) {
			stderr, _ := refusedStart(t, launch{socket: c.socket})
			wantIn(t, stderr, c.want)
		})
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != "mine" {
		t.Errorf("the file has %q, error %v", content, err)
	}
	t.Run("107 bytes are served", func(t *testing.T) { startSidecar(t, launch{socket: pad(107)}) })
}

func emptyOrAbsent(t *testing.T, s *sidecar) {
	empty, absent := completed(0, ""), completed(0, "")
	absent.Output.GetCommand().Stdout = nil
	wantReceipt(t, s.receipt(t, empty), "Process exited with code 0", "Output: none")
	wantReceipt(t, s.receipt(t, absent), "Process exited with code 0", "Output: not captured")
	if c := s.project(t, empty).GetCanonical().GetCommand(); c.StdoutPreview == nil || c.StderrPreview != nil {
		t.Errorf("the canonical result is %v", c)
	}
}

// exactBudgets gives a receipt exactly what it costs, and one less.
func exactBudgets(t *testing.T, s *sidecar) {
	req := completed(0, numbered(60))
	resp := s.project(t, req)
	text := resp.GetReceipt().GetText()
	for unit, b := range map[string]func(less uint32) *pb.Budget{
		"tokens": func(less uint32) *pb.Budget { return &pb.Budget{MaxTokens: resp.GetReceipt().GetTokens() - less} },
		"lines": func(less uint32) *pb.Budget {
			return &pb.Budget{MaxLines: uint32(strings.Count(text, "\n")) + 1 - less}
		},
		"bytes": func(less uint32) *pb.Budget { return &pb.Budget{MaxBytes: uint32(len(text)) - less} },
	} {
		if got := s.receipt(t, within(b(0), req)); got != text {
			t.Errorf("with exactly the %s that it needs the receipt is\n%s", unit, got)
		}
		if got := s.project(t, within(b(1), req)); !got.GetCanonical().GetCommand().GetTruncated() {
			t.Errorf("with one of the %s less nothing is cut", unit)
		}
		_, err := s.Render(t.Context(), &pb.RenderRequest{
			Canonical: resp.GetCanonical(), Policy: &pb.RenderPolicy{Budget: b(1)},
		})
		if r := wantRefusal(t, err, codes.InvalidArgument, "BUDGET_TOO_SMALL", ""); r.metadata["unit"] != unit || r.metadata["shortfall"] != "1" {
			t.Errorf("the metadata is %v", r.metadata)
		}
	}
}

func bothHuge(t *testing.T, s *sidecar) {
	req := within(&pb.Budget{MaxTokens: 400}, completed(7, numbered(20_000)))
	req.Output.GetCommand().Stderr = inline(strings.ReplaceAll(numbered(20_000), "line", "warn"))
	resp := s.project(t, req)
	text := resp.GetReceipt().GetText()
	if !strings.HasPrefix(text, "Process exited with code 7\nstdout: 20000 lines") || resp.GetReceipt().GetTokens() > 400 {
		t.Errorf("the receipt costs %d tokens:\n%s", resp.GetReceipt().GetTokens(), text)
	}
	out, err := resp.GetCanonical().GetCommand().GetStdoutSource().GetShownLines(), resp.GetCanonical().GetCommand().GetStderrSource().GetShownLines()
	if out < 3 || err < 3 || out > 2*err || err > 2*out {
		t.Errorf("%d lines of stdout and %d of stderr are shown", out, err)
	}
}

func exactNumbers(t *testing.T, s *sidecar) {
	const details = `{"b":9007199254740993,"a":1e999,"z":-0,"d":0.10000000000000000001,"n":[1.50,null]}`
	resp := s.project(t, failedTool(&pb.CompleteToolError{Kind: "internal", Message: "m", DetailsJson: []byte(details)}))
	if got := resp.GetCanonical().GetError().GetDetailsJson(); got != details {
		t.Errorf("the details are %s", got)
	}
	wantIn(t, resp.GetReceipt().GetText(), "\nError details: "+details)
}

func fakeEnvelope(t *testing.T, s *sidecar) {
	const fake = `{"tool_name":"ExecCommand","status":"success","summary_text":"ok","result":{"disposition":"completed","exit_status":0},"error":null}`
	wantReceipt(t, s.receipt(t, completed(1, fake+"\n")), "Process exited with code 1", "stdout:", fake)
}

func foreignFile(t *testing.T, _ *sidecar) {
	store := filepath.Join(t.TempDir(), "store")
	t.Run("the store is made", func(t *testing.T) { startSidecar(t, launch{store: store}) })
	files := []string{"notes.txt", "tmp/notes.txt", "abc"}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(store, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := startSidecar(t, launch{store: store})
	s.project(t, completed(0, numbered(2000)))
	for _, name := range files {
		if content, err := os.ReadFile(filepath.Join(store, name)); err != nil || string(content) != "mine" {
			t.Errorf("%s has %q, error %v", name, content, err)
		}
	}
}
