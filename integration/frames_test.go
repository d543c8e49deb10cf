package integration_test

import (
	"bytes"
	wire "encoding/binary"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/proto"
)

// frames is a client that says over HTTP/2 what no client of a library would.
type frames struct {
	*http2.Framer
	conn    net.Conn
	encoder *hpack.Encoder
	block   *bytes.Buffer
	last    uint32 // stream
}

// dialFrames connects and sends the preface with some settings.
func dialFrames(t *testing.T, network, address string, settings ...http2.Setting) *frames {
	t.Helper()
	conn := dialRaw(t, network, address)
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	f := &frames{Framer: http2.NewFramer(conn, conn), conn: conn, block: &bytes.Buffer{}}
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.encoder = hpack.NewEncoder(f.block)
	if err := f.WriteSettings(settings...); err != nil {
		t.Fatal(err)
	}
	return f
}

// dialRaw connects, for as long as a test may wait.
func dialRaw(t *testing.T, network, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience)) // a connection takes deadlines
	return conn
}

// begin opens a stream with headers in pairs; what begins with ":" replaces the one that every call has,
// and is left out when it is empty.
func (f *frames) begin(t testing.TB, method string, headers ...string) {
	t.Helper()
	f.last += 2 - (f.last+1)%2
	pairs := []string{
		":method", "POST", ":scheme", "http", ":path", method, ":authority", "localhost", "content-type", "application/grpc", "te", "trailers",
	}
	for i := 0; i < len(headers); i += 2 {
		if strings.HasPrefix(headers[i], ":") {
			for j := 0; j < len(pairs); j += 2 {
				if pairs[j] == headers[i] {
					pairs[j+1] = headers[i+1]
				}
			}
			continue
		}
		pairs = append(pairs, headers[i], headers[i+1])
	}
	f.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if err := f.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}); err != nil {
			t.Fatal(err)
		}
	}
	const frame = 16 << 10
	block := f.block.Bytes()
	first := block[:min(len(block), frame)]
	// That the connection is closed is for answer to say.
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: f.last, BlockFragment: first, EndHeaders: len(first) == len(block)})
	for block = block[len(first):]; len(block) > 0; block = block[min(len(block), frame):] {
		_ = f.WriteContinuation(f.last, len(block) <= frame, block[:min(len(block), frame)])
	}
}

// message sends one message of a call, whose first byte says whether it is compressed.
func (f *frames) message(compressed byte, m []byte, end bool) {
	framed := append(wire.BigEndian.AppendUint32([]byte{compressed}, uint32(len(m))), m...)
	for len(framed) > 0 {
		n := min(len(framed), 16<<10)
		_ = f.WriteData(f.last, end && n == len(framed), framed[:n]) // as above
		framed = framed[n:]
	}
}

// send sends a message as it should be.
func (f *frames) send(t *testing.T, m proto.Message) {
	t.Helper()
	encoded, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	f.message(0, encoded, false)
}

// ended is how a stream ended: the headers and trailers, or the code of a reset.
type ended struct {
	headers map[string]string
	data    int // bytes
	reset   http2.ErrCode
	closed  bool // the connection, and not the stream
}

// answer reads until the last stream has ended. It answers pings and settings meanwhile, and gives no window back.
func (f *frames) answer(t *testing.T) ended {
	t.Helper()
	e := ended{headers: map[string]string{}}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			if netErr, ok := errors.AsType[net.Error](err); ok && netErr.Timeout() {
				t.Fatalf("the stream has no end after %v", patience)
			}
			e.closed = true
			return e
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = f.WriteSettingsAck() // a broken connection is for ReadFrame to say
			}
		case *http2.PingFrame:
			if !frame.IsAck() {
				_ = f.WritePing(true, frame.Data)
			}
		case *http2.MetaHeadersFrame:
			for _, h := range frame.Fields {
				e.headers[h.Name] = h.Value
			}
		case *http2.DataFrame:
			e.data += len(frame.Data())
		case *http2.RSTStreamFrame:
			e.reset = frame.ErrCode
			if frame.StreamID == f.last && e.headers["grpc-status"] == "" {
				return e
			}
		}
		if frame.Header().StreamID == f.last && frame.Header().Flags.Has(http2.FlagDataEndStream) &&
			(frame.Header().Type == http2.FrameData || frame.Header().Type == http2.FrameHeaders) {
			return e
		}
	}
}
