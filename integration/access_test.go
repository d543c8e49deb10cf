package integration_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionalphapb "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/identity"
)

// accessProvocations have the refusals of those who may not call.
func accessProvocations() []provocation {
	const invalid = "INVALID_ARGUMENT"
	issueOf := func(session string) provoke {
		return func(t *testing.T, s *sidecar) error {
			_, err := pb.NewAccessServiceClient(s.conn).IssueSessionToken(t.Context(), &pb.IssueSessionTokenRequest{SessionId: session})
			return err
		}
	}
	return []provocation{
		{listed{"IssueSessionToken", invalid, "FIELD_MISSING"}, "session_id", issueOf("")},
		{listed{"IssueSessionToken", invalid, "FIELD_TOO_LONG"}, "session_id", issueOf(strings.Repeat("x", 129))},
		{listed{"IssueSessionToken", invalid, "NAME_INVALID"}, "session_id", issueOf("a b")},
		{listed{"IssueSessionToken", invalid, "FIELD_OUT_OF_BOUNDS"}, "lifetime", func(t *testing.T, s *sidecar) error {
			_, err := pb.NewAccessServiceClient(s.conn).IssueSessionToken(t.Context(), &pb.IssueSessionTokenRequest{SessionId: "s", Lifetime: durationpb.New(time.Millisecond)})
			return err
		}},
		{listed{"IssueSessionToken", "PERMISSION_DENIED", "METHOD_NOT_ALLOWED"}, "", issuedWhileConfined},
		{listed{"RevokeSessionTokens", invalid, "FIELD_MISSING"}, "session_id", revokeOf("", "")},
		{listed{"RevokeSessionTokens", invalid, "FIELD_TOO_LONG"}, "token_id", revokeOf("", strings.Repeat("x", 65))},
		{listed{"RevokeSessionTokens", invalid, "NAME_INVALID"}, "session_id", revokeOf("a b", "")},
		{listed{"RevokeSessionTokens", "NOT_FOUND", "TOKEN_UNKNOWN"}, "", revokeOf("a", "00000000-1")},
		{listed{"RevokeSessionTokens", "PERMISSION_DENIED", "METHOD_NOT_ALLOWED"}, "", func(t *testing.T, s *sidecar) error {
			_, err := pb.NewAccessServiceClient(s.conn).RevokeSessionTokens(confinedTo(t, s, "a"), &pb.RevokeSessionTokensRequest{SessionId: "a"})
			return err
		}},
		{listed{"RevokeSessionTokens", "RESOURCE_EXHAUSTED", "QUOTA_SESSION"}, "", revokedTooOften},
		{listed{"any", "UNAUTHENTICATED", "TOKEN_EXPIRED"}, "", withRevokedToken},
		{listed{"ReadArtifact", invalid, "NAME_INVALID"}, "session_id", readOf(&pb.ReadArtifactRequest{SessionId: "a b"}, someArtifact)},
		{listed{"ReadArtifact", "PERMISSION_DENIED", "RAW_NOT_ALLOWED"}, "", rawWhileConfined},
		{listed{"any", "PERMISSION_DENIED", "SESSION_MISMATCH"}, "", whileConfined},
		{listed{"any", "PERMISSION_DENIED", "METHOD_NOT_ALLOWED"}, "", issuedWhileConfined},
		{listed{"any", "UNAUTHENTICATED", "TOKEN_BACKOFF"}, "", withManyWrongTokens},
	}
}

// revokeOf takes tokens back.
func revokeOf(session, id string) provoke {
	return func(t *testing.T, s *sidecar) error {
		_, err := pb.NewAccessServiceClient(s.conn).RevokeSessionTokens(t.Context(), &pb.RevokeSessionTokensRequest{SessionId: session, TokenId: id})
		return err
	}
}

// revokedTooOften takes the tokens of more sessions back than are remembered.
func revokedTooOften(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{}) // its own: it is full afterwards
	for i := range identity.MaxRevoked {
		if err := revokeOf(fmt.Sprintf("s%d", i), "")(t, s); err != nil {
			t.Fatal(err)
		}
	}
	return revokeOf("another", "")(t, s)
}

// withRevokedToken calls with a token that is good, and that is taken back then. Another of the same session that is issued later
// is good.
func withRevokedToken(t *testing.T, s *sidecar) error {
	ctx := confinedTo(t, s, "revoked")
	if _, err := s.GetServerInfo(ctx, &pb.GetServerInfoRequest{}); err != nil {
		t.Errorf("before: %v", err)
	}
	if err := revokeOf("revoked", "")(t, s); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GetServerInfo(confinedTo(t, s, "revoked"), &pb.GetServerInfoRequest{}); err != nil {
		t.Errorf("a later one: %v", err)
	}
	_, err := s.GetServerInfo(ctx, &pb.GetServerInfoRequest{})
	return err
}

func issuedWhileConfined(t *testing.T, s *sidecar) error {
	_, err := pb.NewAccessServiceClient(s.conn).IssueSessionToken(confinedTo(t, s, "a"), &pb.IssueSessionTokenRequest{SessionId: "a"})
	return err
}

func rawWhileConfined(t *testing.T, s *sidecar) error {
	_, err := pb.NewArtifactServiceClient(s.conn).ReadArtifact(confinedTo(t, s, "a"), &pb.ReadArtifactRequest{Path: canary, Raw: true})
	return err
}

func whileConfined(t *testing.T, s *sidecar) error {
	req := completed(0, canary)
	req.Call = callOf("b", "call")
	_, err := s.Project(confinedTo(t, s, "a"), req)
	return err
}

// withManyWrongTokens sends wrong tokens until even the right one has to wait, while a connection that had it goes on.
func withManyWrongTokens(t *testing.T, _ *sidecar) error {
	s := startTCP(t)
	right := bearing(t.Context(), secret)
	known := pb.NewToolResultServiceClient(dial(t, s.TCP))
	if _, err := known.GetServerInfo(right, &pb.GetServerInfoRequest{}); err != nil {
		t.Fatal(err)
	}
	unknown := pb.NewToolResultServiceClient(dial(t, s.TCP))
	for range 40 {
		_, err := unknown.GetServerInfo(bearing(t.Context(), secret+canary), &pb.GetServerInfoRequest{})
		if r := refusalOf(t, err); r.code != codes.Unauthenticated || r.reason != "TOKEN_INVALID" && r.reason != "TOKEN_BACKOFF" {
			t.Fatal(err)
		}
	}
	if _, err := known.GetServerInfo(right, &pb.GetServerInfoRequest{}); err != nil {
		t.Errorf("who had the right token before: %v", err)
	}
	if _, err := pb.NewToolResultServiceClient(dial(t, s.TCP)).GetServerInfo(right, &pb.GetServerInfoRequest{}); err != nil {
		t.Errorf("the right token on a new connection: %v", err)
	}
	if _, err := s.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{}); err != nil {
		t.Errorf("the socket: %v", err)
	}
	wantNone(t, s.Log.String(), secret)
	_, err := unknown.GetServerInfo(bearing(t.Context(), secret+canary), &pb.GetServerInfoRequest{})
	return err
}

// allMethods are the methods of every service that a sidecar has, and whether a confined caller may call them.
func allMethods() map[string]bool {
	forAll := map[string]bool{
		pb.ArtifactService_VerifyArtifacts_FullMethodName: true, pb.ArtifactService_CollectGarbage_FullMethodName: true,
		pb.AccessService_IssueSessionToken_FullMethodName:                      true,
		pb.AccessService_RevokeSessionTokens_FullMethodName:                    true,
		reflectionpb.ServerReflection_ServerReflectionInfo_FullMethodName:      true,
		reflectionalphapb.ServerReflection_ServerReflectionInfo_FullMethodName: true,
	}
	list := map[string]bool{}
	for _, d := range []grpc.ServiceDesc{
		pb.ToolResultService_ServiceDesc, pb.ArtifactService_ServiceDesc, pb.TransportService_ServiceDesc, pb.AccessService_ServiceDesc,
		pb.ToolService_ServiceDesc,
		healthpb.Health_ServiceDesc, reflectionpb.ServerReflection_ServiceDesc, reflectionalphapb.ServerReflection_ServiceDesc,
	} {
		for _, m := range d.Methods {
			list["/"+d.ServiceName+"/"+m.MethodName] = false
		}
		for _, m := range d.Streams {
			list["/"+d.ServiceName+"/"+m.StreamName] = false
		}
	}
	for method := range list {
		list[method] = !forAll[method]
	}
	return list
}

// ask calls a method with a message that says nothing, and returns how it was refused, if it was.
func ask(t *testing.T, conn *grpc.ClientConn, token, method string) (reason string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(bearing(t.Context(), token), patience)
	defer cancel()
	call, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err == nil {
		_ = call.SendMsg(&emptypb.Empty{}) // io.EOF when the call has ended before: RecvMsg says why
		_ = call.CloseSend()
		err = call.RecvMsg(&emptypb.Empty{})
	}
	for _, r := range []string{"TOKEN_MISSING", "TOKEN_INVALID", "AUTHORITY_NOT_ALLOWED", "METHOD_NOT_ALLOWED"} {
		if err != nil && strings.Contains(explainStatus(err), r) {
			return r
		}
	}
	return ""
}

// TestWhoMayCallWhat calls every method of every service as every kind of caller.
func TestWhoMayCallWhat(t *testing.T) {
	t.Parallel()
	s := startTCP(t)
	remote := dial(t, s.TCP)
	session := issue(t, s.conn, "a")
	for method, confined := range allMethods() {
		notConfined := "METHOD_NOT_ALLOWED"
		if confined {
			notConfined = ""
		}
		nobody := "TOKEN_MISSING"
		if method == healthpb.Health_Check_FullMethodName { // of the server as a whole
			nobody = ""
		}
		for _, c := range []struct {
			who, token string
			conn       *grpc.ClientConn
			want       string
		}{
			{"own user", "", s.conn, ""},
			{"own user in a session", session, s.conn, notConfined},
			{"nobody", "", remote, nobody},
			{"token", secret, remote, ""},
			{"session", session, remote, notConfined},
		} {
			if got := ask(t, c.conn, c.token, method); got != c.want {
				t.Errorf("%s calls %s: refused with %q, want %q", c.who, method, got, c.want)
			}
		}
	}
}

// TestHealthForNobody is all that is answered without a token: whether the server serves.
func TestHealthForNobody(t *testing.T) {
	t.Parallel()
	s := startTCP(t)
	health := healthpb.NewHealthClient(dial(t, s.TCP))
	for _, authority := range []string{"", "probe.example"} {
		h := health
		if authority != "" {
			h = healthpb.NewHealthClient(dial(t, s.TCP, grpc.WithAuthority(authority)))
		}
		resp, err := h.Check(t.Context(), &healthpb.HealthCheckRequest{})
		if err != nil || resp.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("authority %q: %v, %v", authority, resp, err)
		}
	}
	for _, service := range []string{"toolresult.v1.ToolResultService", "nothing"} {
		_, err := health.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
		wantRefusal(t, err, codes.Unauthenticated, "TOKEN_MISSING", "")
	}
	_, err := health.List(t.Context(), &healthpb.HealthListRequest{})
	wantRefusal(t, err, codes.Unauthenticated, "TOKEN_MISSING", "")
	watch, err := health.Watch(t.Context(), &healthpb.HealthCheckRequest{})
	if err == nil {
		_, err = watch.Recv()
	}
	wantRefusal(t, err, codes.Unauthenticated, "TOKEN_MISSING", "")
	if resp, err := health.Check(bearing(t.Context(), secret), &healthpb.HealthCheckRequest{Service: "toolresult.v1.AccessService"}); err != nil {
		t.Error(resp, err)
	}
	err = dial(t, s.TCP).Invoke(bearing(t.Context(), secret), "/grpc.channelz.v1.Channelz/GetServers", &emptypb.Empty{}, &emptypb.Empty{})
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("channelz: %v", err)
	}
}

// TestAuthorities calls under the names that an operator allowed, and under none.
func TestAuthorities(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--tcp", "127.0.0.1:0", "--token-file", tokenFile(t, 0o600), "--authorities", "sidecar.example,192.0.2.7"}})
	for authority, want := range map[string]bool{
		"sidecar.example": true, "SIDECAR.example:443": true, "192.0.2.7:1": true, "localhost": true, "[::1]": true,
		"example": false, "x.sidecar.example": false, "sidecar.example.": false, "192.0.2.8": false,
	} {
		_, err := pb.NewToolResultServiceClient(dial(t, s.TCP, grpc.WithAuthority(authority))).GetServerInfo(bearing(t.Context(), secret), &pb.GetServerInfoRequest{})
		if want && err != nil {
			t.Errorf("%s: %v", authority, err)
		} else if !want {
			wantRefusal(t, err, codes.PermissionDenied, "AUTHORITY_NOT_ALLOWED", "")
		}
	}
	for name, fields := range map[string][]string{
		"none": nil, "a host instead": {"host", "evil.example"}, "a host that is ours instead": {"host", "192.0.2.8"},
	} {
		if got := rawCall(t, s.TCP, fields); got == "0" {
			t.Errorf("authority %s: the call was served", name)
		}
	}
	if got := rawCall(t, s.TCP, []string{":authority", "localhost"}); got != "0" {
		t.Errorf("a call by hand: status %q", got)
	}
}

// rawCall makes a call of GetServerInfo with some header fields for its authority, and returns its grpc-status; "" when
// the server refused it otherwise.
func rawCall(t *testing.T, address string, authority []string) (grpcStatus string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	var block strings.Builder
	encoder := hpack.NewEncoder(&block)
	fields := append([]string{":method", "POST", ":scheme", "http", ":path", pb.ToolResultService_GetServerInfo_FullMethodName}, authority...)
	fields = append(fields, "content-type", "application/grpc", "te", "trailers", "authorization", "Bearer "+secret)
	for i := 0; i < len(fields); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = framer.WriteSettings()
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte(block.String()), EndHeaders: true})
	_ = framer.WriteData(1, true, make([]byte, 5))
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return ""
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			for _, f := range frame.Fields {
				if f.Name == "grpc-status" {
					return f.Value
				}
			}
		case *http2.RSTStreamFrame, *http2.GoAwayFrame:
			return ""
		}
	}
}

// TestSocketPaths has sockets that must not be served, and what is no stale socket.
func TestSocketPaths(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	taken := filepath.Join(dir, "private", "taken")
	if err := os.Mkdir(filepath.Dir(taken), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Dir(taken), link); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, "long", strings.Repeat("x", 107-len(dir)-len("/long/")))
	for name, c := range map[string]struct{ socket, want string }{
		"108 bytes":                     {long + "x", "is 108 bytes long"},
		"a newline":                     {dir + "/new\nline/s", "control character"},
		"not absolute":                  {"run/s", "not an absolute path"},
		"a directory others can enter":  {open + "/s", "mode 0777 lets other users in"},
		"a directory that is a link":    {link + "/s", "is no directory"},
		"something that is no socket":   {taken, "something that is no socket has this name"},
		"a directory for every program": {"/tmp/s-of-a-test", "directory /tmp"},
	} {
		t.Run(name, func(t *testing.T) {
			stderr := refusedStart(t, launch{Socket: c.socket})
			wantIn(t, stderr, c.want)
			if strings.Count(stderr, "\n") > 1 {
				t.Errorf("the refusal has several lines: %q", stderr)
			}
		})
	}
	if kept, err := os.ReadFile(taken); err != nil || string(kept) != "mine" {
		t.Errorf("the file has %q, %v", kept, err)
	}
	startSidecar(t, launch{Socket: long}).project(t, completed(0, "107 bytes"))
}

// TestOtherUsersAreNamed lets an allowed user call, and one that is not: the log names them, and neither may read what
// was redacted.
func TestOtherUsersAreNamed(t *testing.T) {
	t.Parallel()
	legTool(t, "setpriv")
	program := executable(t)
	s := startSidecar(t, launch{Args: []string{"--allow-uids=65534"}})
	openUp(t, s)
	as := func(uid string, args ...string) ran {
		t.Helper()
		return run(t, os.Environ(), nil, "setpriv", append([]string{"--reuid=" + uid, "--regid=" + uid, "--clear-groups", program}, args...)...)
	}
	if r := as("65534", "info", "--server", "unix://"+s.Socket); r.code != 0 {
		t.Errorf("an allowed user: %s", r.stderr)
	}
	waitFor(t, "the caller in the log", func() bool { return strings.Contains(s.Log.String(), "uid 65534, pid ") })
	if r := as("65533", "info", "--server", "unix://"+s.Socket); r.code == 0 {
		t.Error("another user was served")
	}
	waitFor(t, "the refused user in the log", func() bool { return strings.Contains(s.Log.String(), "uid\":65533") })
	path := s.project(t, completed(0, numbered(2000))).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	if r := as("65534", "artifacts", "read", "--server", "unix://"+s.Socket, "--tail=1", path); r.code != 0 {
		t.Errorf("an allowed user reads: %s", r.stderr)
	}
	if r := as("65534", "artifacts", "read", "--server", "unix://"+s.Socket, "--raw", path); !strings.Contains(r.stderr, "RAW_NOT_ALLOWED") {
		t.Errorf("an allowed user reads raw: %s%s", r.stdout, r.stderr)
	}
}

// TestSessionTokenOnTheCommandLine makes a token and uses it, as an operator would.
func TestSessionTokenOnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	env, at := environment(t), "--server=unix://"+s.Socket
	req := completed(0, numbered(2000))
	req.Call = callOf("a", "call")
	path := s.project(t, req).GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	token := func(session string) string {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(mustCLI(t, env, nil, "session-token", at, session)), 0o600); err != nil {
			t.Fatal(err)
		}
		return "--session-token-file=" + file
	}
	if got := mustCLI(t, env, nil, "artifacts", "read", at, token("a"), "--lines=1-1", path); got != "line ab 9\n" {
		t.Errorf("its session reads %q", got)
	}
	if r := cli(t, env, nil, "artifacts", "read", at, token("b"), path); r.code != 125 || !strings.Contains(r.stderr, "ARTIFACT_NOT_FOUND") {
		t.Errorf("another session: %s%s", r.stdout, r.stderr)
	}
	if r := cli(t, env, nil, "artifacts", "read", at, "--session=b", path); r.code != 125 || !strings.Contains(r.stderr, "ARTIFACT_NOT_FOUND") {
		t.Errorf("for another session: %s%s", r.stdout, r.stderr)
	}
	if r := cli(t, env, nil, "session-token", at, token("a"), "a"); r.code != 125 || !strings.Contains(r.stderr, "METHOD_NOT_ALLOWED") {
		t.Errorf("a confined caller: %s%s", r.stdout, r.stderr)
	}
}

// explainStatus is a status with its details as text.
func explainStatus(err error) string {
	st := status.Convert(err)
	text := st.Code().String() + " " + st.Message()
	for _, d := range st.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			text += " " + info.GetReason()
		}
	}
	return text
}
