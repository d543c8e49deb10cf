package integration_test

import (
	"context"
	wire "encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// secret is the token of these tests.
const secret = "0123456789abcdef-of-a-test"

// startTCP starts a sidecar that serves TCP too.
func startTCP(t *testing.T) *sidecar {
	t.Helper()
	return startSidecar(t, launch{Args: []string{"--tcp", "127.0.0.1:0", "--token-file", tokenFile(t, 0o600)}})
}

func tokenFile(t testing.TB, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// overTCP calls every RPC over TCP with some metadata. All of them must give the
// same answer; it returns one.
func overTCP(t *testing.T, s *sidecar, authorization []string, options ...grpc.DialOption) error {
	t.Helper()
	c := pb.NewToolResultServiceClient(dial(t, s.TCP, options...))
	ctx := t.Context()
	for _, a := range authorization {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", a)
	}
	info := withStatus(func() error { _, err := c.GetServerInfo(ctx, &pb.GetServerInfoRequest{}); return err })
	projected := withStatus(func() error { _, err := c.Project(ctx, completed(0, canary)); return err })
	rendered := withStatus(func() error {
		_, err := c.Render(ctx, &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: canonicalCommand(unchanged)}})
		return err
	})
	compacted := withStatus(func() error {
		_, err := c.Compact(ctx, &pb.CompactRequest{Policy: &pb.CompactionPolicy{Level: handles}})
		return err
	})
	for _, err := range []error{projected, rendered, compacted} {
		if status.Code(err) != status.Code(info) {
			t.Errorf("one RPC answers %v, another %v", info, err)
		}
	}
	return projected
}

// withStatus makes a call again whose status gRPC lost: it may, when a stream ends while its message is sent (grpc-go, issue 7230).
func withStatus(call func() error) error {
	err := call()
	for try := 0; errors.Is(err, io.EOF) && try < 3; try++ {
		err = call()
	}
	return err
}

func withoutToken(t *testing.T, _ *sidecar) error { return overTCP(t, startTCP(t), nil) }

func withWrongToken(t *testing.T, _ *sidecar) error {
	s := startTCP(t)
	if err := overTCP(t, s, []string{"Bearer " + secret}); err != nil {
		t.Errorf("the right token: %v", err)
	}
	var last error
	for _, wrong := range [][]string{
		{"Bearer " + secret[1:]}, {"Bearer "}, {secret}, {"Basic " + secret}, {"Bearer " + secret, "Bearer " + secret},
		{"Bearer " + secret + canary},
	} {
		last = overTCP(t, s, wrong)
		wantRefusal(t, last, codes.Unauthenticated, "TOKEN_INVALID", "")
	}
	if strings.Contains(s.Log.String(), secret[1:]) {
		t.Error("the log has the token")
	}
	return last
}

func withForeignAuthority(t *testing.T, _ *sidecar) error {
	s := startTCP(t)
	for _, good := range []string{"localhost", "127.0.0.1", "[::1]:7001", "localhost:1"} {
		if err := overTCP(t, s, []string{"Bearer " + secret}, grpc.WithAuthority(good)); err != nil {
			t.Errorf("authority %s: %v", good, err)
		}
	}
	for _, bad := range []string{"localhost.evil.example", "192.0.2.1", "127.0.0.1.evil.example:80"} {
		err := overTCP(t, s, []string{"Bearer " + secret}, grpc.WithAuthority(bad))
		wantRefusal(t, err, codes.PermissionDenied, "AUTHORITY_NOT_ALLOWED", "")
	}
	return overTCP(t, s, []string{"Bearer " + secret}, grpc.WithAuthority("evil.example"))
}

// withLargeMessage sends messages over the limit, some of them far over it, also in streams and packed.
func withLargeMessage(t *testing.T, s *sidecar) error {
	const limit = 4 << 20
	if _, err := s.Project(t.Context(), completed(0, strings.Repeat("x", limit-64))); err != nil {
		t.Errorf("just below the limit: %v", err)
	}
	for _, size := range []int{limit, 6 << 20, 100 << 20} {
		output := strings.Repeat(canary, size/len(canary)+1)
		_, unary := s.Project(t.Context(), completed(0, output))
		_, stream := streams(t.Context(), s, headerOf(&pb.StreamHeader{Family: "command"}), chunkOf("stdout", output))
		for _, err := range []error{unary, stream} {
			r := wantRefusal(t, err, codes.ResourceExhausted, "MESSAGE_TOO_LARGE", "")
			if n, err := strconv.Atoi(r.metadata["size"]); err != nil || n < size || n > size+1024 || r.metadata["limit"] != strconv.Itoa(limit) {
				t.Errorf("the metadata of a message of %d bytes is %v", size, r.metadata)
			}
		}
	}
	_, err := s.Project(t.Context(), completed(0, strings.Repeat("x", limit)), grpc.UseCompressor("gzip"))
	if r := wantRefusal(t, err, codes.ResourceExhausted, "MESSAGE_TOO_LARGE", ""); r.metadata["limit"] != strconv.Itoa(limit) {
		t.Errorf("the metadata of a packed message is %v", r.metadata)
	}
	return err
}

// withBrokenText sends a request with a string that is no UTF-8, which gRPC cannot decode, to a unary and to a
// streaming method.
func withBrokenText(t *testing.T, s *sidecar) error {
	raw := []byte{0x0a, 0x03, 0x0a, 0x01, 0xff} // of both requests: the first string of the first field
	codec := grpc.ForceCodecV2(rawCodec{encoding.GetCodecV2(grpcproto.Name)})
	stream, err := s.conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true},
		pb.ToolResultService_ProjectStream_FullMethodName, codec)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.SendMsg(raw); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, stream.RecvMsg(&pb.ProjectStreamResponse{}), codes.InvalidArgument, "MESSAGE_INVALID", "")
	err = s.conn.Invoke(t.Context(), pb.ToolResultService_Project_FullMethodName, raw, &pb.ProjectResponse{}, codec)
	if r := refusalOf(t, err); !strings.Contains(r.message, "UTF-8") {
		t.Errorf("the refusal does not say why: %s", r.message)
	}
	return err
}

// withUnknownMethod calls methods that there are not, unary and streaming, and one of a service that there is not.
func withUnknownMethod(t *testing.T, s *sidecar) (err error) {
	for _, method := range []string{"/toolresult.v1.ToolResultService/Nothing", "/toolresult.v2.ToolResultService/Project", "/x/" + canary} {
		err = s.conn.Invoke(t.Context(), method, completed(0, canary), &pb.ProjectResponse{})
		wantRefusal(t, err, codes.Unimplemented, "METHOD_UNKNOWN", "")
		stream, err := s.conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
		if err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, stream.RecvMsg(&pb.ProjectResponse{}), codes.Unimplemented, "METHOD_UNKNOWN", "")
	}
	return err
}

// TestStandardServicesSayWhy calls the health service in a way that it refuses.
func TestStandardServicesSayWhy(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	_, err := healthpb.NewHealthClient(s.conn).Check(t.Context(), &healthpb.HealthCheckRequest{Service: "nothing"})
	wantRefusal(t, err, codes.NotFound, "SERVICE_UNKNOWN", "")
}

// TestRefusedMessagesAreRecorded looks for the audit records of messages that were not taken.
func TestRefusedMessagesAreRecorded(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	withBrokenText(t, s)
	withUnknownMethod(t, s)
	records, err := pb.NewAuditServiceClient(s.conn).ListRecords(t.Context(), &pb.ListRecordsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]int{}
	for _, r := range records.GetRecords() {
		reasons[r.GetMethod()+" "+r.GetRejection().GetReason()]++
	}
	want := map[string]int{
		pb.ToolResultService_Project_FullMethodName + " MESSAGE_INVALID": 1, pb.ToolResultService_ProjectStream_FullMethodName + " MESSAGE_INVALID": 1,
		"unknown METHOD_UNKNOWN": 6,
	}
	if !maps.Equal(reasons, want) {
		t.Errorf("the records are of %v, want %v", reasons, want)
	}
}

// withManyBytes calls while another client's unfinished message holds the memory of all messages.
func withManyBytes(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{Args: []string{"--max-message-bytes=1MiB", "--max-in-flight-bytes=1MiB"}})
	req := completed(0, strings.Repeat(canary+"\n", 1000<<10/(len(canary)+1)))
	f := dialFrames(t, "unix", s.Socket)
	f.begin(t, pb.ToolResultService_Project_FullMethodName)
	half := make([]byte, 16<<10)
	wire.BigEndian.PutUint32(half[1:], uint32(proto.Size(req)))
	if err := f.WriteData(f.last, false, half); err != nil {
		t.Fatal(err)
	}
	var rejected error
	waitFor(t, "a call to be rejected", func() bool { // the message above may come after the first call
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // it waits for half of that
		defer cancel()
		_, rejected = s.Project(ctx, req)
		return status.Code(rejected) == codes.ResourceExhausted
	})
	_ = f.conn.Close()
	waitFor(t, "a call alone to be served", func() bool {
		_, err := s.Project(t.Context(), req)
		return err == nil
	})
	return rejected
}

// whileSilent sends a header and a chunk and then nothing, and needs no deadline to
// be answered.
func whileSilent(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{Args: []string{"--stream-idle=1s"}})
	call, err := s.ProjectStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command"}), chunkOf("stdout", canary)} {
		_ = call.Send(m) // Recv says why
	}
	_, err = call.Recv()
	wantNoTemp(t, s)
	return err
}

// whileDraining calls a sidecar that has been told to end.
func whileDraining(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{Args: []string{"--drain-delay=1s"}})
	s.project(t, completed(0, "before"))
	s.Signal(syscall.SIGTERM)
	var err error
	waitFor(t, "calls to be refused", func() bool {
		_, err = s.Project(t.Context(), completed(0, canary))
		return err != nil
	})
	_, other := pb.NewToolResultServiceClient(dial(t, "unix://"+s.Socket)).GetServerInfo(
		context.WithoutCancel(t.Context()), &pb.GetServerInfoRequest{})
	wantRefusal(t, other, codes.Unavailable, "DRAINING", "")
	return err
}
