package integration_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // so that the client can send gzip
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// wireFaults are group A: what comes in place of calls, and with them.
func wireFaults() []fault {
	silent, slow := unfinishedSetUps()
	return []fault{
		{id: "A01", what: "HTTP/1.1 comes to the socket", run: plainHTTP, alone: true},
		{id: "A02", what: "a connection says nothing", run: silent},
		{id: "A03", what: "a connection says one byte a second", run: slow},
		{id: "A06", what: "a call has 64 KiB of metadata", run: muchMetadata},
		{id: "A09", what: "the authority of a call over TCP is missing or foreign", run: foreignAuthority, alone: true},
		{id: "A10", what: "a method or a service is not known", run: unknownMethods},
		{id: "A11", what: "a compressor is not known", run: unknownCompressor},
		{id: "A12", what: "a message is a gzip bomb", run: gzipBomb},
		{id: "A13", what: "a message is broken gzip", run: brokenGzip},
		{id: "A14", what: "a message is no message", run: garbageMessages},
		{id: "A15", what: "a thousand connections come", run: manyConnections, alone: true},
		{id: "A16", what: "there is no descriptor left", run: noDescriptors, alone: true},
		{id: "A20", what: "every byte comes by itself, and connections are reset", run: badNetwork, alone: true},
		{id: "A21", what: "a client takes no answer", run: noAnswerTaken, alone: true},
	}
}

// untilClosed reads until a connection is closed, and returns what came and how long it took.
func untilClosed(t *testing.T, conn net.Conn) (answer []byte, took time.Duration) {
	t.Helper()
	began := time.Now()
	_ = conn.SetReadDeadline(began.Add(patience)) // a connection takes deadlines
	answer, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection is open after %v", patience)
	}
	return answer, time.Since(began)
}

func plainHTTP(t *testing.T, _ *sidecar) {
	s := startSidecar(t, launch{})
	s.project(t, completed(0, "")) // what is opened at the first use is open
	before := s.Descriptors(t)
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST " + pb.ToolResultService_Project_FullMethodName + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/grpc\r\nContent-Length: 5\r\n\r\n\x00\x00\x00\x00\x00",
	} {
		conn := dialRaw(t, "unix", s.Socket)
		if _, err := fmt.Fprint(conn, request); err != nil {
			t.Fatal(err)
		}
		if answer, _ := untilClosed(t, conn); bytes.HasPrefix(answer, []byte("HTTP/1")) {
			t.Errorf("the answer is %q", answer)
		}
	}
	s.wantSettled(t, before+1) // the connection of health
	wantNone(t, s.Log.String(), `"panic"`)
	waitFor(t, "the call of before to be logged", func() bool { return s.Log.Contains("ToolResultService") })
	if n := strings.Count(s.Log.String(), "ToolResultService"); n != 1 {
		t.Errorf("%d calls are in the log:\n%s", n, s.Log.String())
	}
}

// setUp is how long the server lets a connection be set up, as docs/reference/limits.md says.
const setUp = 5 * time.Second

// unfinishedSetUps are two cases that take as long as a set-up may take, and so share that time.
func unfinishedSetUps() (silent, slow func(*testing.T, *sidecar)) {
	var took [2]time.Duration
	var once sync.Once
	dropped := func(nth int) func(*testing.T, *sidecar) {
		return func(t *testing.T, s *sidecar) {
			once.Do(func() {
				var both sync.WaitGroup
				for i, say := range []string{"", http2.ClientPreface} {
					conn := dialRaw(t, "unix", s.Socket)
					go sayOneByteASecond(conn, say)
					both.Go(func() { _, took[i] = untilClosed(t, conn) })
				}
				both.Wait()
			})
			if took[nth] < setUp-time.Second {
				t.Errorf("it was dropped after %v", took[nth])
			}
		}
	}
	return dropped(0), dropped(1)
}

// sayOneByteASecond writes until the text is said or the connection is closed.
func sayOneByteASecond(conn net.Conn, text string) {
	for i := range len(text) {
		if _, err := conn.Write([]byte{text[i]}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// muchMetadata sends more than a client of gRPC would, which is told of the limit and refuses by itself.
func muchMetadata(t *testing.T, s *sidecar) {
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-much", strings.Repeat("m", 64<<10))
	if _, err := s.Project(ctx, completed(0, canary)); status.Code(err) != codes.Internal && status.Code(err) != codes.ResourceExhausted {
		t.Errorf("the answer is %v", err)
	}
	s.project(t, completed(0, "the connection lives"))

	f := dialFrames(t, "unix", s.Socket)
	much := strings.Repeat("m", 6<<10)
	f.begin(t, pb.ToolResultService_GetServerInfo_FullMethodName, "x-a", much, "x-b", much, "x-c", much)
	if e := f.answer(t); e.closed || e.reset == http2.ErrCodeNo || e.headers["grpc-status"] != "" {
		t.Errorf("18 KiB of headers: %+v", e)
	}
	f.begin(t, pb.ToolResultService_GetServerInfo_FullMethodName)
	f.message(0, nil, true)
	if e := f.answer(t); e.headers["grpc-status"] != "0" {
		t.Errorf("the next call of the connection: %+v", e)
	}
	f.begin(t, pb.ToolResultService_GetServerInfo_FullMethodName, "x-much", strings.Repeat("m", 64<<10))
	if e := f.answer(t); !e.closed {
		t.Errorf("a header of 64 KiB: %+v", e)
	}
}

func foreignAuthority(t *testing.T, _ *sidecar) {
	s := startTCP(t)
	permissionDenied := fmt.Sprint(int(codes.PermissionDenied))
	for name, c := range map[string]struct {
		headers []string
		want    string
	}{
		"a loopback name":              {nil, "0"},
		"another name":                 {[]string{":authority", "evil.example"}, permissionDenied},
		"a name that begins like ours": {[]string{":authority", "localhost.evil.example"}, permissionDenied},
		"a user before the name":       {[]string{":authority", "localhost@evil.example"}, permissionDenied},
		"all addresses":                {[]string{":authority", "0.0.0.0:80"}, permissionDenied},
		"none":                         {[]string{":authority", ""}, permissionDenied},
		"a host in its place":          {[]string{":authority", "", "host", "evil.example"}, permissionDenied},
		"a host beside it":             {[]string{":authority", "evil.example", "host", "localhost"}, permissionDenied},
	} {
		f := dialFrames(t, "tcp", s.TCP)
		f.begin(t, pb.ToolResultService_GetServerInfo_FullMethodName, append(c.headers, "authorization", "Bearer "+secret)...)
		f.message(0, nil, true)
		if e := f.answer(t); e.headers["grpc-status"] != c.want {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func unknownMethods(t *testing.T, s *sidecar) { _ = withUnknownMethod(t, s) }

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

// gzipBomb sends 64 MiB in some 64 KiB. The server unpacks no more of it than a message may have.
func gzipBomb(t *testing.T, s *sidecar) {
	before := s.memory(t, "VmHWM")
	_, err := s.Project(t.Context(), completed(0, strings.Repeat("\x00", 64<<20)), grpc.UseCompressor("gzip"))
	wantRefusal(t, err, codes.ResourceExhausted, "MESSAGE_TOO_LARGE", "")
	if grown := s.memory(t, "VmHWM") - before; grown > 2*5<<20 && !raceDetector { // about twice what the largest message may have
		t.Errorf("the peak of the memory grew by %d KiB", grown>>10)
	}
}

func brokenGzip(t *testing.T, s *sidecar) {
	message, err := proto.Marshal(completed(0, canary))
	if err != nil {
		t.Fatal(err)
	}
	var whole bytes.Buffer
	w := gzip.NewWriter(&whole)
	if _, err := w.Write(message); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	f := dialFrames(t, "unix", s.Socket)
	for name, c := range map[string]struct {
		encoding   string
		compressed byte
		message    []byte
		want       codes.Code
	}{
		"cut":                        {"gzip", 1, whole.Bytes()[:whole.Len()/2], codes.InvalidArgument},
		"followed by something":      {"gzip", 1, append(whole.Bytes(), canary...), codes.InvalidArgument},
		"whole":                      {"gzip", 1, whole.Bytes(), codes.OK},
		"of no encoding":             {"", 1, whole.Bytes(), codes.InvalidArgument},
		"of the identity":            {"identity", 1, whole.Bytes(), codes.InvalidArgument},
		"with a flag that is no one": {"", 7, message, codes.InvalidArgument},
		"not compressed":             {"", 0, message, codes.OK},
	} {
		f.begin(t, pb.ToolResultService_Project_FullMethodName, "grpc-encoding", c.encoding)
		f.message(c.compressed, c.message, true)
		e := f.answer(t)
		if e.headers["grpc-status"] != fmt.Sprint(int(c.want)) {
			t.Errorf("%s: %+v", name, e)
		}
		checkRefusalText(t, e.headers["grpc-message"])
		if details := e.headers["grpc-status-details-bin"]; (details != "") != (c.want != codes.OK) {
			t.Errorf("%s: the details are %q", name, details)
		}
	}
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
	codec := rawCodec{encoding.GetCodecV2(grpcproto.Name)}
	for name, raw := range map[string][]byte{
		"random bytes":               []byte("\xff\xff\xff\xff\x07\x00random"),
		"a length beyond the end":    {0x0a, 0xff, 0x01},
		"a string that is no UTF-8":  {0x0a, 0x03, 0x0a, 0x01, 0xff},
		"a group that is not closed": {0x0b},
	} {
		err := s.conn.Invoke(t.Context(), pb.ToolResultService_Project_FullMethodName, raw, &pb.ProjectResponse{}, grpc.ForceCodecV2(codec))
		if r := wantRefusal(t, err, codes.InvalidArgument, "MESSAGE_INVALID", ""); t.Failed() {
			t.Fatalf("%s: %+v", name, r)
		}
	}
}

// manyConnections opens as many connections as there may be, and a thousand more, all silent, on the socket and then over TCP: the
// oldest of them give way to newer ones, and those who make calls are not disturbed, new ones neither. Those over TCP take
// nothing from the socket.
func manyConnections(t *testing.T, _ *sidecar) {
	const limit, storm = 64, 1000 // the default, and the client's own connection is one of them
	s := startTCP(t)
	before := s.baseline(t)
	silent := s.silence(t, "unix", s.Socket, limit+storm)
	s.wantFew(t, before, limit)
	for _, conn := range silent[:len(silent)-limit] {
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Errorf("a connection that had to give way: %v", err)
			break
		}
	}
	next := dialFrames(t, "unix", s.Socket)
	if _, err := next.ReadFrame(); err != nil { // the server begins with its settings
		t.Errorf("a new connection: %v", err)
	}
	s.wantFew(t, before, limit)
	silent = append(silent, s.silence(t, "tcp", s.TCP, storm)...)
	next.begin(t, pb.ToolResultService_GetServerInfo_FullMethodName)
	next.message(0, nil, true)
	if e := next.answer(t); e.headers["grpc-status"] != "0" {
		t.Errorf("who waited on the socket: %+v", e)
	}
	for _, conn := range append(silent, next.conn) {
		_ = conn.Close()
	}
	s.wantSettled(t, before)
	wantServed(t, s)
}

// wantFew checks how many descriptors there are more than before: those of the connections, and of one that waits for its place.
func (s *sidecar) wantFew(t *testing.T, before, limit int) {
	t.Helper()
	if open := s.Descriptors(t) - before; open > limit+1 {
		t.Errorf("the sidecar has %d descriptors more than before, and may have %d", open, limit+1)
	}
}

// silence opens connections that say nothing. Meanwhile the owner is served, and so are new connections on the socket.
func (s *sidecar) silence(t *testing.T, network, address string, connections int) (list []net.Conn) {
	t.Helper()
	var opened sync.WaitGroup
	opened.Go(func() {
		for range connections {
			if conn, err := net.Dial(network, address); err != nil {
				t.Errorf("a silent connection: %v", err)
			} else {
				_ = conn.SetDeadline(time.Now().Add(patience)) // a connection takes deadlines
				list = append(list, conn)
			}
		}
	})
	for range 10 {
		s.project(t, completed(0, "an established connection works"))
		f := dialFrames(t, "unix", s.Socket)
		f.begin(t, pb.ToolResultService_GetServerInfo_FullMethodName)
		f.message(0, nil, true)
		if e := f.answer(t); e.headers["grpc-status"] != "0" {
			t.Errorf("a new connection while others say nothing: %+v", e)
		}
		_ = f.conn.Close()
	}
	opened.Wait()
	return list
}

// wantServed makes a call on a new connection.
func wantServed(t *testing.T, s *sidecar) {
	t.Helper()
	c := pb.NewToolResultServiceClient(dial(t, "unix://"+s.Socket))
	if _, err := c.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{}, grpc.WaitForReady(true)); err != nil {
		t.Errorf("a new connection: %v", err)
	}
}

// noDescriptors takes all descriptors of a sidecar with connections.
func noDescriptors(t *testing.T, _ *sidecar) {
	s := startSidecar(t, launch{})
	before := s.baseline(t)
	limit := before + 10
	limitOf(t, s, unix.RLIMIT_NOFILE, uint64(limit))
	var conns []net.Conn
	for range 40 {
		conns = append(conns, dialFrames(t, "unix", s.Socket).conn)
	}
	waitFor(t, "every descriptor to be taken", func() bool {
		for n := range limit {
			if _, err := os.Lstat(fmt.Sprintf("/proc/%d/fd/%d", s.PID(), n)); err != nil {
				return false
			}
		}
		return true
	})
	_, err := s.Project(t.Context(), completed(0, numbered(3000)))
	wantRefusal(t, err, codes.ResourceExhausted, "FD_LIMIT", "")
	s.project(t, completed(0, "what needs no store is served"))
	began := s.processorTime(t)
	time.Sleep(500 * time.Millisecond)
	if used := s.processorTime(t) - began; used > 250*time.Millisecond && !raceDetector {
		t.Errorf("half a second without descriptors cost %v of a processor", used)
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	// Connections that waited to be accepted may still take what the closed ones gave back, and end then.
	waitFor(t, "payloads to be stored again", func() bool {
		_, err := s.Project(t.Context(), completed(0, numbered(3000)))
		if err != nil {
			wantRefusal(t, err, codes.ResourceExhausted, "FD_LIMIT", "")
		}
		return err == nil
	})
	s.wantSettled(t, before)
	wantServed(t, s)
}

// noAnswerTaken makes calls whose answers nobody takes: the window of every stream is closed.
func noAnswerTaken(t *testing.T, _ *sidecar) {
	s := startSidecar(t, launch{Args: []string{"--stream-idle=1s", "--log-sync=0s"}})
	before := s.baseline(t)
	var conns []net.Conn
	for method, send := range map[string]func(*frames){
		pb.ToolResultService_ProjectStream_FullMethodName: func(f *frames) {
			f.send(t, headerOf(&pb.StreamHeader{Family: "command"}))
			f.send(t, chunkOf("stdout", numbered(4000)))
			for range 30 {
				f.send(t, snapshotOf(exited(0)))
			}
		},
		pb.ArtifactService_AppendLog_FullMethodName: func(f *frames) {
			f.send(t, &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Header{
				Header: &pb.LogHeader{Call: &pb.CallReference{SessionId: "s", CallId: "c"}},
			}})
			for range 1500 {
				f.send(t, &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Sync{Sync: &pb.LogSync{}}})
				time.Sleep(200 * time.Microsecond) // one answer stands for all wishes that were not begun
			}
			f.send(t, &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Finish{Finish: &pb.LogFinish{}}})
		},
		pb.ArtifactService_VerifyArtifacts_FullMethodName: func(f *frames) {
			var nowhere []string
			for i := range 2000 {
				nowhere = append(nowhere, fmt.Sprintf("%s/abc/%06x", s.Store, i))
			}
			f.send(t, &pb.VerifyArtifactsRequest{Paths: nowhere})
			_ = f.WriteData(f.last, true, nil) // the call waits for the end of its request
		},
	} {
		f := dialFrames(t, "unix", s.Socket, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		go func() { _, _ = io.Copy(io.Discard, f.conn) }() // it reads what comes, and gives no window
		f.begin(t, method)
		send(f)
		conns = append(conns, f.conn)
	}
	for _, name := range []string{"ProjectStream", "AppendLog", "VerifyArtifacts"} {
		waitFor(t, name+" to be given up", func() bool { return logsCall(s, name, "DeadlineExceeded") })
	}
	s.project(t, completed(0, "others are served"))
	s.wantSettled(t, before+len(conns))
	for _, conn := range conns {
		_ = conn.Close()
	}
	s.wantSettled(t, before)
	wantNoGoroutines(t, s)
}

// logsCall reports whether the log has a call that ended with a code.
func logsCall(s *sidecar, method, code string) bool {
	for line := range strings.Lines(s.Log.String()) {
		if strings.Contains(line, "/"+method) && strings.Contains(line, code) {
			return true
		}
	}
	return false
}
