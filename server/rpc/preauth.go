package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/credentials"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/server/identity"
)

// gRPC takes 100 KiB for a connection before its first call, and a window of a MiB for each call. So it does not see a connection
// before the headers of the first call are there and their caller is known: Preauth reads until then, and gRPC gets all of it
// again. A caller who is not known is answered here, and the connection ends: a client connects anew for its next call.

// HeaderBytes bounds the headers of a call, as they are unpacked.
const HeaderBytes = 16 << 10

// Settings returns the settings of HTTP/2 that the server says: those of gRPC with the same options, which says them again.
func Settings(streams, window uint32) []http2.Setting {
	return []http2.Setting{
		{ID: http2.SettingMaxFrameSize, Val: maxFrame}, {ID: http2.SettingMaxConcurrentStreams, Val: streams},
		{ID: http2.SettingInitialWindowSize, Val: window}, {ID: http2.SettingMaxHeaderListSize, Val: HeaderBytes},
	}
}

// PendingTime bounds the time from the accept to the headers of the first call.
const PendingTime = 15 * time.Second

// Bounds of what a pending connection sends. PendingBytes bounds all of it.
const (
	pendingFrames = 64              // to the end of the headers of a call: clients send 3 to 8
	maxFrame      = 16 << 10        // bytes of a frame, which HTTP/2 has everybody allow
	headerTable   = 4096            // bytes of fields that headers refer to, likewise
	readAhead     = 4 << 10         // bytes
	probeBytes    = 256             // of the message of a probe
	lingerTime    = 1 * time.Second // for which one may read its answer
	answerWindow  = 64              // bytes that the answer of a probe takes
)

// Preauth decides whether gRPC gets a connection.
type Preauth struct {
	Credentials credentials.TransportCredentials // of the peer
	Calls       *Interceptors
	Health      healthpb.HealthServer // of the server as a whole, which is anybody's to ask
	Settings    []http2.Setting       // those of gRPC, which says them again
	SetUp       time.Duration         // from the accept to the first frame
	Time        time.Duration         // from the accept to the headers of the first call
}

// errUnknownCaller means that a caller is not known and has its answer.
var errUnknownCaller = errors.New("the first call is not of a known caller")

// Authenticate reads a connection to the headers of its first call. It returns the connection of a known caller, which begins with all
// that was read; others are answered. A panic ends this connection alone.
func (p Preauth) Authenticate(conn net.Conn) (known net.Conn, err error) {
	defer func() {
		if v := recover(); v != nil {
			known, err = nil, p.Calls.panicked(context.Background(), v)
		}
	}()
	began := time.Now()
	if err := conn.SetDeadline(began.Add(p.SetUp)); err != nil {
		return nil, err
	}
	secure, auth, err := p.Credentials.ServerHandshake(conn)
	if err != nil {
		return nil, err
	}
	v := newFrameConn(secure)
	if err := v.begin(p.Settings); err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(began.Add(p.Time)); err != nil {
		return nil, err
	}
	first, err := v.call()
	if err != nil {
		return nil, err
	}
	identified, err := p.receive(v, auth, first)
	if err != nil {
		return nil, err
	}
	if identified {
		return &replayConn{Conn: secure, read: v.read.taken, auth: auth}, nil
	}
	v.linger(began.Add(p.Time))
	return nil, errUnknownCaller
}

// receive finds out who makes a call, and answers one who is not known.
func (p Preauth) receive(v *frameConn, auth credentials.AuthInfo, first *call) (identified bool, err error) {
	ctx := peer.NewContext(context.Background(), &peer.Peer{Addr: v.RemoteAddr(), LocalAddr: v.LocalAddr(), AuthInfo: auth})
	ctx = metadata.NewIncomingContext(ctx, first.metadata())
	who := p.Calls.Authenticator.Identify(ctx)
	if who.Rejected == nil {
		return true, nil
	}
	ctx = identity.NewContext(ctx, who)
	if first.method() == healthpb.Health_Check_FullMethodName && v.probes(first.stream) {
		return false, p.probe(ctx, v, first.stream)
	}
	id := p.Calls.reject(ctx, first.method(), who.Rejected)
	return false, v.reject(first.stream, id, who.Rejected.GRPCStatus())
}

// probe answers what the health of the server as a whole is.
func (p Preauth) probe(ctx context.Context, v *frameConn, stream uint32) error {
	began := time.Now()
	ctx = identity.WithRequestID(ctx, p.Calls.requestIDOf(ctx))
	health, err := p.Health.Check(ctx, &healthpb.HealthCheckRequest{})
	p.Calls.finished(ctx, healthpb.Health_Check_FullMethodName, err, time.Since(began))
	if err != nil {
		return err
	}
	message, err := proto.Marshal(health)
	if err != nil {
		return err
	}
	return v.answer(stream, message)
}

// frameConn is a connection whose frames are read and kept.
type frameConn struct {
	net.Conn
	reader *bufio.Reader // through read
	framer *http2.Framer // that reads it, and writes to out
	frames int           // that were read
	out    bytes.Buffer
	read   *recordingReader
	window uint32 // of the client for an answer
	ended  bool   // the client has sent all of its call
}

// newFrameConn returns the frameConn of a connection.
func newFrameConn(conn net.Conn) *frameConn {
	kept := &recordingReader{Reader: conn}
	v := &frameConn{Conn: conn, read: kept, reader: bufio.NewReaderSize(kept, readAhead), window: 65535}
	v.framer = http2.NewFramer(&v.out, v.reader)
	v.framer.SetMaxReadFrameSize(maxFrame)
	return v
}

// frame reads the next frame.
func (v *frameConn) frame() (http2.Frame, error) {
	if v.frames++; v.frames > pendingFrames {
		return nil, errors.New("too many frames before the first call of a known caller")
	}
	return v.framer.ReadFrame()
}

// recordingReader keeps what is read.
type recordingReader struct {
	io.Reader
	taken []byte
	drop  bool // it is not needed any more
}

// Read reads and keeps.
func (k *recordingReader) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	if !k.drop {
		k.taken = append(k.taken, p[:n]...)
	}
	return n, err
}

// send writes what was put together.
func (v *frameConn) send() error {
	_, err := v.out.WriteTo(v.Conn)
	return err
}

// begin exchanges the beginnings of HTTP/2: the server says its settings at once, because clients wait for them. Those of the
// client are confirmed by gRPC, if it gets the connection.
func (v *frameConn) begin(settings []http2.Setting) error {
	if err := errors.Join(v.framer.WriteSettings(settings...), v.send()); err != nil {
		return err
	}
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(v.reader, preface); err != nil {
		return err
	}
	if string(preface) != http2.ClientPreface {
		return errors.New("a connection does not begin with HTTP/2")
	}
	frame, err := v.frame()
	if err != nil {
		return err
	}
	s, ok := frame.(*http2.SettingsFrame)
	if !ok || s.IsAck() {
		return errors.New("a connection does not begin with its settings")
	}
	v.take(s)
	return nil
}

// take takes what settings say of answers.
func (v *frameConn) take(s *http2.SettingsFrame) {
	if n, ok := s.Value(http2.SettingInitialWindowSize); ok {
		v.window = n
	}
}

// call is the beginning of a call.
type call struct {
	stream uint32
	fields []hpack.HeaderField // as many as HeaderBytes has; gRPC rejects a call with more
	size   uint32
}

// add takes a field.
func (c *call) add(f hpack.HeaderField) {
	if c.size += f.Size(); c.size <= HeaderBytes {
		c.fields = append(c.fields, f)
	}
}

// method returns the method that is called.
func (c *call) method() string {
	for _, f := range c.fields {
		if f.Name == ":path" {
			return f.Value
		}
	}
	return ""
}

// metadata returns the metadata of a call, as gRPC has it.
func (c *call) metadata() metadata.MD {
	md := metadata.MD{}
	for _, f := range c.fields {
		md[f.Name] = append(md[f.Name], f.Value)
	}
	if host := md["host"]; len(md[":authority"]) == 0 && host != nil {
		md[":authority"] = host
	}
	return md
}

// call reads to the headers of the first call.
func (v *frameConn) call() (*call, error) {
	c := &call{}
	decoder := hpack.NewDecoder(headerTable, c.add)
	decoder.SetMaxStringLength(HeaderBytes)
	for {
		frame, err := v.frame()
		if err != nil {
			return nil, err
		}
		block, last := []byte(nil), false
		switch f := frame.(type) {
		case *http2.HeadersFrame:
			v.ended, c.stream = f.StreamEnded(), f.StreamID
			block, last = f.HeaderBlockFragment(), f.HeadersEnded()
		case *http2.ContinuationFrame:
			block, last = f.HeaderBlockFragment(), f.HeadersEnded()
		case *http2.SettingsFrame:
			v.take(f)
		case *http2.WindowUpdateFrame, *http2.PingFrame, *http2.PriorityFrame, *http2.UnknownFrame: // for gRPC
		default:
			return nil, fmt.Errorf("a connection begins with %v", f.Header().Type)
		}
		if _, err := decoder.Write(block); err != nil {
			return nil, err
		}
		decoder.SetEmitEnabled(c.size <= HeaderBytes)
		if last {
			return c, decoder.Close()
		}
	}
}

// probes reads the message of a call to the health service, and reports whether it asks for the server as a whole.
func (v *frameConn) probes(stream uint32) bool {
	v.read.drop = true
	var message []byte
	for !v.ended && len(message) <= probeBytes {
		frame, err := v.frame()
		if err != nil {
			return false
		}
		if data, ok := frame.(*http2.DataFrame); ok && data.StreamID == stream {
			message = append(message, data.Data()...)
			v.ended = data.StreamEnded()
		}
	}
	return asksForAll(message) && v.window >= answerWindow
}

// asksForAll reports whether a message, with the head that gRPC gives it, asks for the health of the server as a whole.
func asksForAll(message []byte) bool {
	var req healthpb.HealthCheckRequest
	if len(message) < 5 || !bytes.Equal(message[:5], []byte{0, 0, 0, 0, byte(len(message) - 5)}) || len(message) > probeBytes {
		return false
	}
	return proto.Unmarshal(message[5:], &req) == nil && req.GetService() == ""
}

// answer sends a message as the answer of a call.
func (v *frameConn) answer(stream uint32, message []byte) error {
	return errors.Join(
		v.writeHeaders(stream, false, ":status", "200", "content-type", "application/grpc"),
		v.framer.WriteData(stream, false, append([]byte{0, 0, 0, 0, byte(len(message))}, message...)),
		v.writeHeaders(stream, true, "grpc-status", "0", "grpc-message", ""),
		v.leave(stream))
}

// reject sends a status as the answer of a call.
func (v *frameConn) reject(stream uint32, id string, why *status.Status) error {
	details, err := proto.Marshal(why.Proto())
	if err != nil {
		return err
	}
	return errors.Join(v.writeHeaders(stream, true,
		":status", "200", "content-type", "application/grpc", RequestIDHeader, id,
		"grpc-status", strconv.Itoa(int(why.Code())), "grpc-message", percentEncoded(why.Message()),
		"grpc-status-details-bin", base64.RawStdEncoding.EncodeToString(details),
	), v.leave(stream))
}

// leave says that nothing more is read after a call, and sends all.
func (v *frameConn) leave(stream uint32) error {
	var err error
	if !v.ended {
		err = v.framer.WriteRSTStream(stream, http2.ErrCodeNo)
	}
	return errors.Join(err, v.framer.WriteGoAway(stream, http2.ErrCodeNo, nil), v.send())
}

// writeHeaders writes headers in pairs. None of them is remembered by the encoding.
func (v *frameConn) writeHeaders(stream uint32, last bool, pairs ...string) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	encoder.SetMaxDynamicTableSize(0)
	for i := 0; i < len(pairs); i += 2 {
		if err := encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}); err != nil {
			return err
		}
	}
	return v.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndStream: last, EndHeaders: true})
}

// linger reads until the client closes the connection, for a short time and at most until last: what is not read when a connection
// is closed takes the answer away from its reader.
func (v *frameConn) linger(last time.Time) {
	if limit := time.Now().Add(lingerTime); limit.Before(last) {
		last = limit
	}
	if v.SetReadDeadline(last) != nil {
		return
	}
	rest := make([]byte, readAhead)
	for {
		if _, err := v.Conn.Read(rest); err != nil {
			return
		}
	}
}

// percentEncoded encodes what a header cannot have, as gRPC does.
func percentEncoded(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// replayConn is a connection whose first bytes were read before.
type replayConn struct {
	net.Conn
	read []byte
	auth credentials.AuthInfo
}

// Read reads what was read before, and then on.
func (c *replayConn) Read(p []byte) (int, error) {
	if len(c.read) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.read)
	if c.read = c.read[n:]; len(c.read) == 0 {
		c.read = nil
	}
	return n, nil
}

// AuthInfo returns who is at the other end.
func (c *replayConn) AuthInfo() credentials.AuthInfo { return c.auth }
