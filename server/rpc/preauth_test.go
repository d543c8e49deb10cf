package rpc

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	spb "google.golang.org/genproto/googleapis/rpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/identity"
)

const goodToken = "Bearer a-token-that-is-right"

// newPreauth returns a Preauth for callers over TCP, and what it reports.
func newPreauth() (Preauth, *observed) {
	o := &observed{}
	calls := NewInterceptors(Options{
		Logger: slog.New(slog.NewTextHandler(o, nil)), Metrics: o, Rejections: o,
		Authenticator: identity.NewAuthenticator(strings.TrimPrefix(goodToken, "Bearer "), nil),
	})
	return Preauth{
		Credentials: identity.PeerCredentials{}, Calls: calls, Health: health.NewServer(), Settings: Settings(64, 1<<20),
		SetUp: 5 * time.Second, Time: PendingTime,
	}, o
}

// script writes what a client sends.
type script struct {
	bytes.Buffer
	*http2.Framer
}

// say begins a connection with the settings of a client.
func say(settings ...http2.Setting) *script {
	s := &script{}
	s.Framer = http2.NewFramer(&s.Buffer, nil)
	s.AllowIllegalWrites = true
	s.WriteString(http2.ClientPreface)
	_ = s.WriteSettings(settings...) // to a buffer, as all below
	return s
}

// block returns headers in pairs, of a call beside them.
func block(method string, pairs ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	pairs = append([]string{":method", "POST", ":path", method, ":authority", "localhost", "content-type", "application/grpc"}, pairs...)
	for i := 0; i < len(pairs); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return b.Bytes()
}

// call begins a call.
func (s *script) call(method string, pairs ...string) *script {
	_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block(method, pairs...), EndHeaders: true})
	return s
}

// data ends a call with bytes.
func (s *script) data(b []byte) *script {
	_ = s.WriteData(1, true, b)
	return s
}

// exchange is what a client saw.
type exchange struct {
	in      net.Conn // nil: it is not known
	all     []byte   // that the one inside reads
	headers map[string]string
	data    []byte
	frames  []http2.FrameType
	took    time.Duration
	unsent  error // nil: all was read
}

// send authenticates a client that sends bytes and reads what comes until the connection ends. Inside a bubble.
func send(t *testing.T, d Preauth, sent []byte) (v exchange, err error) {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	answer, written := make(chan []byte), make(chan error, 1)
	go func() {
		_, err := client.Write(sent)
		written <- err
	}()
	go func() {
		all, _ := io.ReadAll(client)
		answer <- all
	}()
	began := time.Now()
	v.in, err = d.Authenticate(server)
	v.took = time.Since(began)
	if v.in != nil {
		_ = v.in.SetReadDeadline(time.Now().Add(time.Second))
		v.all, _ = io.ReadAll(v.in)
	}
	_ = server.Close()
	v.read(t, <-answer)
	v.unsent = <-written
	return v, err
}

// read takes the frames of an answer.
func (v *exchange) read(t *testing.T, answer []byte) {
	t.Helper()
	f := http2.NewFramer(nil, bytes.NewReader(answer))
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	v.headers = map[string]string{}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Errorf("the answer: %v", err)
			}
			return
		}
		v.frames = append(v.frames, frame.Header().Type)
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			for _, field := range frame.Fields {
				v.headers[field.Name] = field.Value
			}
		case *http2.DataFrame:
			v.data = append(v.data, frame.Data()...)
		}
	}
}

// TestPreauthAnswersUnknownCallers: a caller who is not known gets the status that gRPC would send, with its details; it is reported and
// recorded, and the connection ends. What comes of the message meanwhile is read and dropped: closed with bytes that were not read,
// a connection would lose the answer.
func TestPreauthAnswersUnknownCallers(t *testing.T) {
	t.Parallel()
	project := pb.ToolResultService_Project_FullMethodName
	check := healthpb.Health_Check_FullMethodName
	named, err := proto.Marshal(&healthpb.HealthCheckRequest{Service: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		sent   []byte
		code   codes.Code
		reason string
	}{
		"no token":             {say().call(project).Bytes(), codes.Unauthenticated, "TOKEN_MISSING"},
		"a wrong token":        {say().call(project, "authorization", "Bearer 100%").Bytes(), codes.Unauthenticated, "TOKEN_INVALID"},
		"two tokens":           {say().call(project, "authorization", goodToken, "authorization", goodToken).Bytes(), codes.Unauthenticated, "TOKEN_INVALID"},
		"another name":         {say().call(project, ":authority", "evil.example", "authorization", goodToken).Bytes(), codes.PermissionDenied, "AUTHORITY_NOT_ALLOWED"},
		"a message, too":       {say().call(project).data(make([]byte, 9000)).Bytes(), codes.Unauthenticated, "TOKEN_MISSING"},
		"the health of one":    {say().call(check).data(frame(0, named)).Bytes(), codes.Unauthenticated, "TOKEN_MISSING"},
		"much of the health":   {say().call(check).data(make([]byte, 9000)).Bytes(), codes.Unauthenticated, "TOKEN_MISSING"},
		"health, compressed":   {say().call(check).data(frame(1, nil)).Bytes(), codes.Unauthenticated, "TOKEN_MISSING"},
		"health of no message": {say().call(check).data(nil).Bytes(), codes.Unauthenticated, "TOKEN_MISSING"},
		"health, no window":    {say(http2.Setting{ID: http2.SettingInitialWindowSize}).call(check).data(frame(0, nil)).Bytes(), codes.Unauthenticated, "TOKEN_MISSING"},
		"a token beyond":       {say().call(project, "x", strings.Repeat("x", 1+HeaderBytes/2), "y", strings.Repeat("y", 1+HeaderBytes/2), "authorization", goodToken).Bytes(), codes.Unauthenticated, "TOKEN_MISSING"},
	} {
		synctest.Test(t, func(t *testing.T) {
			d, o := newPreauth()
			v, err := send(t, d, c.sent)
			d.Calls.Wait()
			if !errors.Is(err, errUnknownCaller) || v.in != nil || v.took > 2*time.Second || v.unsent != nil {
				t.Errorf("%s: %v after %v; the client: %v", name, err, v.took, v.unsent)
			}
			raw, _ := base64.RawStdEncoding.DecodeString(v.headers["grpc-status-details-bin"])
			var whole spb.Status
			if err := proto.Unmarshal(raw, &whole); err != nil || whole.GetCode() != int32(c.code) || !strings.Contains(whole.String(), c.reason) {
				t.Errorf("%s: the details are %v, %v", name, &whole, err)
			}
			if v.headers["grpc-status"] != strconv.Itoa(int(c.code)) || v.headers["grpc-message"] != percentEncoded(whole.GetMessage()) || v.headers[RequestIDHeader] == "" {
				t.Errorf("%s: %v", name, v.headers)
			}
			if v.frames[0] != http2.FrameSettings || v.frames[len(v.frames)-1] != http2.FrameGoAway {
				t.Errorf("%s: the frames are %v", name, v.frames)
			}
			if len(o.calls) != 1 || !strings.HasSuffix(o.calls[0], c.code.String()) || len(o.rejected) != 1 || !strings.Contains(o.rejected[0], c.reason) {
				t.Errorf("%s: reported %q, recorded %q", name, o.calls, o.rejected)
			}
		})
	}
}

// TestPreauthAnswersProbes: anybody may ask for the health of the server as a whole, by any name.
func TestPreauthAnswersProbes(t *testing.T) {
	t.Parallel()
	check := healthpb.Health_Check_FullMethodName
	empty, ended := frame(0, nil), say()
	_ = ended.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block(check, ":authority", "x"), EndHeaders: true})
	_ = ended.WriteData(1, false, empty[:2])
	_ = ended.WriteData(1, true, empty[2:])
	for name, sent := range map[string][]byte{
		"at once": say().call(check).data(empty).Bytes(), "in parts, of another name": ended.Bytes(),
		"with an empty name": say().call(check).data(frame(0, []byte{0x0a, 0})).Bytes(),
	} {
		synctest.Test(t, func(t *testing.T) {
			d, o := newPreauth()
			v, err := send(t, d, sent)
			var answer healthpb.HealthCheckResponse
			if !errors.Is(err, errUnknownCaller) || v.headers["grpc-status"] != "0" || len(v.data) < 5 || proto.Unmarshal(v.data[5:], &answer) != nil ||
				answer.GetStatus() != healthpb.HealthCheckResponse_SERVING || !slices.Equal(o.calls, []string{"Check OK"}) {
				t.Errorf("%s: %v, %+v, %q", name, err, v, o.calls)
			}
		})
	}
}

// TestPreauthPassesOnAllBytes: gRPC reads what a known caller sent from the first byte on, whatever comes between and after, and however
// the headers are cut.
func TestPreauthPassesOnAllBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := say()
		for range rapid.IntRange(0, 20).Draw(r, "frames") {
			_ = rapid.SampledFrom([]func() error{
				func() error { return s.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 20}) },
				func() error { return s.WriteSettingsAck() },
				func() error { return s.WritePing(false, [8]byte{1}) },
				func() error { return s.WriteWindowUpdate(0, 1<<20) },
				func() error { return s.WritePriority(3, http2.PriorityParam{Weight: 1}) },
				func() error { return s.WriteRawFrame(0x77, 0, 0, make([]byte, 100)) },
			}).Draw(r, "frame")()
		}
		headers := block(pb.ToolResultService_Project_FullMethodName, "x", strings.Repeat("x", rapid.IntRange(0, 12_000).Draw(r, "text")), "authorization", goodToken)
		cut := rapid.IntRange(0, len(headers)).Draw(r, "cut")
		_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers[:cut], PadLength: 9})
		_ = s.WriteContinuation(1, true, headers[cut:])
		s.data(rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(r, "data"))
		sent := slices.Clone(s.Bytes())
		synctest.Test(t, func(t *testing.T) {
			d, o := newPreauth()
			v, err := send(t, d, sent)
			if err != nil || !bytes.Equal(v.all, sent) {
				r.Fatalf("%d of %d bytes, %v", len(v.all), len(sent), err)
			}
			if !slices.Equal(v.frames, []http2.FrameType{http2.FrameSettings}) || len(o.calls)+len(o.rejected) > 0 {
				r.Fatalf("the client was sent %v", v.frames)
			}
			if auth := v.in.(identity.Identified).AuthInfo(); auth == nil || auth.AuthType() != "none" {
				r.Fatalf("the caller is %v", auth)
			}
		})
	})
}

// TestPreauthReadsLittle: whatever a client sends before the headers of a call, it is answered with nothing but settings, and what is read
// is bounded in frames; one that sends nothing is given little time.
func TestPreauthReadsLittle(t *testing.T) {
	t.Parallel()
	many := func(frame func(s *script) error) []byte {
		s := say()
		for range 10_000 {
			_ = frame(s)
		}
		return s.Bytes()
	}
	continued := func(block []byte) []byte {
		s := say()
		_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x83}})
		for range 10_000 {
			_ = s.WriteContinuation(1, false, block)
		}
		return s.Bytes()
	}
	larger := func() []byte {
		s := say()
		_ = s.WriteRawFrame(0x77, 0, 0, make([]byte, maxFrame+1))
		return s.Bytes()
	}
	for name, c := range map[string]struct {
		sent []byte
		took time.Duration
	}{
		"nothing":                   {nil, 5 * time.Second},
		"half a beginning":          {[]byte(http2.ClientPreface[:9]), 5 * time.Second},
		"HTTP/1":                    {[]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), 0},
		"no settings":               {append([]byte(http2.ClientPreface), say().call("/x").Bytes()[len(http2.ClientPreface)+9:]...), 0},
		"no call":                   {say().Bytes(), PendingTime},
		"settings without end":      {many(func(s *script) error { return s.WriteSettings() }), 0},
		"pings without end":         {many(func(s *script) error { return s.WritePing(false, [8]byte{}) }), 0},
		"priorities without end":    {many(func(s *script) error { return s.WritePriority(1, http2.PriorityParam{}) }), 0},
		"windows without end":       {many(func(s *script) error { return s.WriteWindowUpdate(0, 1) }), 0},
		"unknown frames":            {many(func(s *script) error { return s.WriteRawFrame(0x77, 0, 0, nil) }), 0},
		"data of no call":           {say().data(nil).Bytes(), 0},
		"a reset of no call":        {many(func(s *script) error { return s.WriteRSTStream(1, http2.ErrCodeCancel) }), 0},
		"a goodbye":                 {many(func(s *script) error { return s.WriteGoAway(0, http2.ErrCodeNo, nil) }), 0},
		"empty headers without end": {continued(nil), 0},
		"headers without end":       {continued([]byte{0x83, 0x83, 0x83, 0x83}), 0},
		"a large frame":             {larger(), 0},
		"no headers at all":         {continued([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			d, o := newPreauth()
			v, err := send(t, d, c.sent)
			if err == nil || errors.Is(err, errUnknownCaller) || v.took != c.took || !slices.Equal(v.frames, []http2.FrameType{http2.FrameSettings}) || len(o.calls) > 0 {
				t.Errorf("%s: %v after %v; the answer is %v", name, err, v.took, v.frames)
			}
		})
	}
}

// brokenHealth fails in a way that nothing foresees.
type brokenHealth struct{ healthpb.HealthServer }

func (brokenHealth) Check(context.Context, *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	panic("broken")
}

// TestPreauthSurvivesPanics: a panic ends the connection that it happens on, and is in the log.
func TestPreauthSurvivesPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, o := newPreauth()
		p.Health = brokenHealth{}
		v, err := send(t, p, say().call(healthpb.Health_Check_FullMethodName).data(make([]byte, 5)).Bytes())
		if v.in != nil || status.Code(err) != codes.Internal || !strings.Contains(o.log.String(), "preauth_test.go") {
			t.Errorf("%v, %v; the log:\n%s", v.in, err, &o.log)
		}
		if v, err := send(t, p, say().call("/x", "authorization", goodToken).data(nil).Bytes()); v.in == nil {
			t.Errorf("the next connection: %v", err)
		}
	})
}

// FuzzPreauth authenticates clients that send any bytes. Who is known has sent the token.
func FuzzPreauth(f *testing.F) {
	f.Add(say().call("/x", "authorization", goodToken).Bytes())
	f.Add(say().call(healthpb.Health_Check_FullMethodName).data(frame(0, nil)).Bytes())
	f.Add(say().call("/x").data(nil).Bytes())
	f.Fuzz(func(t *testing.T, sent []byte) {
		d, _ := newPreauth()
		client, server := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		go func() { _, _ = client.Write(sent); _ = client.Close() }()
		in, err := d.Authenticate(server)
		if (in == nil) == (err == nil) {
			t.Fatalf("%v, %v", in, err)
		}
		_ = client.Close()
		_ = server.Close()
		d.Calls.Wait()
	})
}
