package rpc

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	gzipcodec "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/rpc/rpctest"
)

// wire is a transport with the bytes of a call, as a client sent them.
type wire struct {
	*bytes.Reader
	compression string
	pool        *rpctest.LentBuffers
}

func (w *wire) Method() string       { return pb.ToolResultService_Render_FullMethodName }
func (w *wire) RecvCompress() string { return w.compression }

func (w *wire) ReadMessageHeader(header []byte) error {
	_, err := io.ReadFull(w.Reader, header)
	return err
}

func (w *wire) Read(n int) (mem.BufferSlice, error) {
	text := make([]byte, n)
	if k, err := io.ReadFull(w.Reader, text); err != nil {
		if k == 0 && n > 0 {
			err = io.ErrUnexpectedEOF // the header was there
		}
		return nil, err
	}
	return mem.BufferSlice{mem.Copy(text, w.pool)}, nil
}

// frame is a message as gRPC sends it: whether it is compressed, its length, its bytes.
func frame(flag byte, message []byte) []byte {
	n := len(message)
	return append([]byte{flag, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, message...)
}

// zipped compresses a message.
func zipped(t testing.TB, message []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(message); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestMessagesAreRead has bytes of calls, and what a client is answered. All buffers of the transport go back.
func TestMessagesAreRead(t *testing.T) {
	t.Parallel()
	named := func(size int) []byte {
		text, err := proto.Marshal(&pb.CallReference{SessionId: strings.Repeat("s", size-3)})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const limit = 203 // two bytes of length
	good := named(limit)
	join := func(list ...[]byte) []byte { return bytes.Join(list, nil) }
	for name, c := range map[string]struct {
		sent        []byte
		compression string
		one         bool
		reason      string // of the error; "": received
		message     string
	}{
		"good":                 {frame(0, good), "", true, "", ""},
		"empty":                {frame(0, nil), "", true, "", ""},
		"compressed":           {frame(1, zipped(t, good)), gzipcodec.Name, true, "", ""},
		"nothing":              {nil, "", true, "MESSAGE_INVALID", "the call has no message"},
		"two":                  {join(frame(0, good), frame(0, good)), "", true, "MESSAGE_INVALID", "the call has more than one message"},
		"one, and a part":      {join(frame(0, good), []byte{0, 0}), "", true, "MESSAGE_INVALID", "the message is cut off"},
		"cut off in the head":  {[]byte{0, 0, 0}, "", true, "MESSAGE_INVALID", "the message is cut off"},
		"cut off":              {frame(0, good)[:100], "", false, "MESSAGE_INVALID", "the message is cut off"},
		"too large":            {frame(0, named(limit+1)), "", true, "MESSAGE_TOO_LARGE", "the message has 204 bytes, at most 203 are allowed"},
		"4 GiB":                {[]byte{0, 255, 255, 255, 255}, "", true, "MESSAGE_TOO_LARGE", "the message has 4294967295 bytes, at most 203 are allowed"},
		"256 in each place":    {[]byte{0, 1, 2, 3, 4}, "", true, "MESSAGE_TOO_LARGE", "the message has 16909060 bytes, at most 203 are allowed"},
		"unpacked too large":   {frame(1, zipped(t, bytes.Repeat([]byte("x"), 100<<10))), gzipcodec.Name, true, "MESSAGE_TOO_LARGE", "the message is unpacked to more than 203 bytes"},
		"one byte too large":   {frame(1, zipped(t, named(limit+1))), gzipcodec.Name, true, "MESSAGE_TOO_LARGE", "the message is unpacked to more than 203 bytes"},
		"compressed, not said": {frame(1, zipped(t, good)), "", true, "MESSAGE_INVALID", "the message is compressed, and the call does not say how"},
		"no gzip":              {frame(1, good), gzipcodec.Name, true, "MESSAGE_INVALID", "the message cannot be decompressed"},
		"gzip cut off":         {frame(1, zipped(t, good)[:40]), gzipcodec.Name, true, "MESSAGE_INVALID", "the message cannot be decompressed"},
		"another form":         {frame(2, good), "", true, "MESSAGE_INVALID", "the message is in no form that gRPC knows"},
		"no protobuf":          {frame(0, []byte{0xff}), "", true, "MESSAGE_INVALID", "the message cannot be decoded: "},
		"no UTF-8":             {frame(0, []byte{0x0a, 1, 0xff}), "", true, "MESSAGE_INVALID", "the message cannot be decoded: "},
	} {
		w := &wire{bytes.NewReader(c.sent), c.compression, &rpctest.LentBuffers{}}
		m := &messages{frames: w, codec: NewCodec(), limit: limit, one: c.one}
		got := &pb.CallReference{}
		err := m.receive(got)
		if c.reason == "" {
			want := &pb.CallReference{}
			if name != "empty" {
				_ = proto.Unmarshal(good, want) // it was marshalled here
			}
			if err != nil || !proto.Equal(got, want) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		} else if r, ok := errors.AsType[*apierror.StatusError](err); !ok || apierror.ReasonName(r.Reason) != c.reason || !strings.HasPrefix(r.Message, c.message) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(c.message, "decoded") && (strings.Contains(err.Error(), "proto:") || strings.HasSuffix(err.Error(), ": ")) {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.pool.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStreamsAreReadToTheirEnd reads messages one by one; io.EOF is the end, and no error of the client.
func TestStreamsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	w := &wire{bytes.NewReader(append(frame(0, []byte{0x0a, 1, 'a'}), frame(0, []byte{0x0a, 1, 'b'})...)), "", &rpctest.LentBuffers{}}
	m := &messages{frames: w, codec: NewCodec(), limit: 10}
	for _, want := range []string{"a", "b"} {
		got := &pb.CallReference{}
		if err := m.receive(got); err != nil || got.GetSessionId() != want {
			t.Errorf("%v, %v", got, err)
		}
	}
	if err := m.receive(&pb.CallReference{}); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	if err := cutOff(io.ErrClosedPipe); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("an error of the transport: %v", err)
	}
}

// framed is a transport whose bytes come in frames of some sizes, over and over, as gRPC gives them: each in a buffer of its own.
type framed struct {
	*wire
	sizes  []int
	at     int // of sizes
	left   int // of the frame
	widest int // buffers of a read
}

func (f *framed) Read(n int) (data mem.BufferSlice, err error) {
	for n > 0 {
		if f.left == 0 {
			f.left = f.sizes[f.at%len(f.sizes)]
			f.at++
		}
		next, err := f.wire.Read(min(n, f.left))
		if err != nil {
			data.Free()
			return nil, err
		}
		data = append(data, next...)
		n -= next.Len()
		f.left -= next.Len()
	}
	f.widest = max(f.widest, len(data))
	return data, nil
}

// TestShortFramesCostLittle receives a message in frames of any sizes. However short they are, there are no more buffers than
// there are pieces and KiB, and no more are read at once than a piece has bytes.
func TestShortFramesCostLittle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, 3), rapid.IntRange(1, 20_000)), 1, 9).Draw(t, "sizes")
		text := []byte(strings.Repeat("0123456789", rapid.IntRange(0, 20_000).Draw(t, "tens")))
		f := &framed{wire: &wire{bytes.NewReader(text), "", &rpctest.LentBuffers{}}, sizes: sizes}
		m := &messages{frames: f}
		data, err := m.readAll(len(text))
		if err != nil || !bytes.Equal(data.Materialize(), text) {
			t.Fatalf("%d of %d bytes, %v", data.Len(), len(text), err)
		}
		if limit := 2 + 2*len(text)/piece + len(text)/short; len(data) > limit || f.widest > piece {
			t.Fatalf("%d bytes are in %d buffers, %d may be; %d were read at once", len(text), len(data), limit, f.widest)
		}
		data.Free()
		if err := f.pool.Check(); err != nil {
			t.Fatal(err)
		}
		if _, err := m.readAll(1); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("at the end: %v", err)
		}
	})
}

// stalled is a transport whose client stops in the middle of a message, until the call ends.
type stalled struct {
	*wire
	ended chan struct{}
}

func (s stalled) Read(n int) (mem.BufferSlice, error) {
	if s.Len() < n {
		<-s.ended
		return nil, io.ErrUnexpectedEOF
	}
	return s.wire.Read(n)
}

// TestStalledMessageGivesUp has a client that stops in the middle of a message: the call ends, and others get its memory.
func TestStalledMessageGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		whole := frame(0, make([]byte, 100<<10))
		s := stalled{&wire{bytes.NewReader(whole[:60<<10]), "", &rpctest.LentBuffers{}}, make(chan struct{})}
		m := &messages{frames: s, codec: NewCodec(), ctx: t.Context(), memory: admission.NewMemory(1 << 20), limit: 1 << 20, one: true, unary: true}
		began := time.Now()
		if err := m.receive(&pb.CallReference{}); !errors.Is(err, apierror.ErrIdle) || time.Since(began) != stallTime {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if m.memory.Reserved() == 0 {
			t.Error("no memory was reserved")
		}
		if m.done(); m.memory.Reserved() != 0 {
			t.Errorf("%d bytes stay reserved", m.memory.Reserved())
		}
		close(s.ended)
		synctest.Wait()
		if err := s.pool.Check(); err != nil {
			t.Error(err)
		}
	})
}

// halfOpen is a transport whose client does not say that it has sent all, until the call ends.
type halfOpen struct {
	*wire
	ended chan struct{}
}

func (h halfOpen) ReadMessageHeader(header []byte) error {
	if h.Len() == 0 {
		<-h.ended
		return io.EOF
	}
	return h.wire.ReadMessageHeader(header)
}

// TestHalfOpenCallHoldsLittle has a client that sends its message and does not say that it has sent all: no memory is reserved for a
// small one, and of a large one not that of the work on it. The call ends.
func TestHalfOpenCallHoldsLittle(t *testing.T) {
	t.Parallel()
	for size, most := range map[int]int64{100: 0, 100 << 10: 201 << 10} {
		synctest.Test(t, func(t *testing.T) {
			message, err := proto.Marshal(&pb.CallReference{SessionId: strings.Repeat("x", size)})
			if err != nil {
				t.Fatal(err)
			}
			h := halfOpen{&wire{bytes.NewReader(frame(0, message)), "", &rpctest.LentBuffers{}}, make(chan struct{})}
			m := &messages{frames: h, codec: NewCodec(), ctx: t.Context(), memory: admission.NewMemory(64 << 20), limit: 4 << 20, one: true, unary: true}
			began := time.Now()
			go func() {
				synctest.Wait() // for the client
				if got := m.memory.Reserved(); got > most {
					t.Errorf("%d bytes: %d are reserved", size, got)
				}
			}()
			if err := m.receive(&pb.CallReference{}); !errors.Is(err, apierror.ErrIdle) || time.Since(began) != stallTime {
				t.Errorf("%d bytes: %v after %v", size, err, time.Since(began))
			}
			m.close()
			close(h.ended)
			synctest.Wait()
			if err := h.pool.Check(); err != nil || m.memory.Reserved() != 0 {
				t.Errorf("%v; %d bytes stay reserved", err, m.memory.Reserved())
			}
		})
	}
}

// TestSecondMessageIsNotRead: no memory is reserved for it.
func TestSecondMessageIsNotRead(t *testing.T) {
	t.Parallel()
	second := frame(0, make([]byte, 1<<20))
	w := &wire{bytes.NewReader(append(frame(0, nil), second...)), "", &rpctest.LentBuffers{}}
	m := &messages{frames: w, codec: NewCodec(), ctx: t.Context(), memory: admission.NewMemory(64 << 20), limit: 4 << 20, one: true, unary: true}
	if err := m.receive(&pb.CallReference{}); err == nil || !strings.Contains(err.Error(), "more than one message") || w.Len() != 1<<20 {
		t.Errorf("%v; %d bytes are left", err, w.Len())
	}
	m.close()
}

// slow is a transport whose client sends something every few seconds.
type slow struct{ *wire }

func (s slow) Read(n int) (mem.BufferSlice, error) {
	time.Sleep(stallTime - time.Second)
	return s.wire.Read(n)
}

// TestSlowMessageGivesUp has a client that is never silent for long, and takes minutes for a message: others get its memory.
func TestSlowMessageGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 20
		s := slow{&wire{bytes.NewReader(frame(0, make([]byte, size))), "", &rpctest.LentBuffers{}}}
		m := &messages{frames: s, codec: NewCodec(), ctx: t.Context(), memory: admission.NewMemory(64 << 20), limit: 4 << 20, one: true, unary: true}
		began := time.Now()
		err := m.receive(&pb.CallReference{})
		if took := time.Since(began); !errors.Is(err, apierror.ErrIdle) || took < stallTime || took > 2*stallTime+size/slowest*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		m.close()
		if err := s.pool.Check(); err != nil || m.memory.Reserved() != 0 {
			t.Errorf("%v; %d bytes stay reserved", err, m.memory.Reserved())
		}
	})
}

// TestStalledStreamGivesUp has the same client in a call that waits in a limit: it is that limit which ends the call.
func TestStalledStreamGivesUp(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			whole := frame(0, make([]byte, 100<<10))
			s := stalled{&wire{bytes.NewReader(whole[:60<<10]), "", &rpctest.LentBuffers{}}, make(chan struct{})}
			m := &messages{frames: s, codec: NewCodec(), ctx: t.Context(), memory: admission.NewMemory(1 << 20), limit: 1 << 20}
			limit := NewLimit(context.WithValue(t.Context(), messagesKey{}, m), wait)
			began := time.Now()
			err := limit.Run(func() error { return limit.Wait(func() error { return m.receive(&pb.CallReference{}) }) })
			if !errors.Is(err, apierror.ErrIdle) || time.Since(began) != min(wait, stallTime) {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			m.close()
			close(s.ended)
			synctest.Wait()
			if err := s.pool.Check(); err != nil || m.memory.Reserved() != 0 {
				t.Errorf("%v; %d bytes stay reserved", err, m.memory.Reserved())
			}
		})
	}
}

// TestWorkMayWaitForLongerThanAClient has a message that is there, and waits for its memory for longer than a client may stall.
func TestWorkMayWaitForLongerThanAClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{bytes.NewReader(frame(0, make([]byte, 100<<10))), "", &rpctest.LentBuffers{}}
		m := &messages{frames: w, codec: NewCodec(), ctx: t.Context(), memory: admission.NewMemory(1 << 20), limit: 1 << 20}
		limit := NewLimit(context.WithValue(t.Context(), messagesKey{}, m), time.Hour)
		err := limit.Run(func() error {
			return limit.Wait(func() error {
				data, err := m.read()
				data.Free()
				time.Sleep(2 * stallTime)
				return err
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestEndedCallHoldsNothing ends a call whose message waits for memory: what it gets later is given back.
func TestEndedCallHoldsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory := admission.NewMemory(1 << 20)
		others, err := memory.Message(t.Context(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		w := &wire{bytes.NewReader(frame(0, make([]byte, 100<<10))), "", &rpctest.LentBuffers{}}
		m := &messages{frames: w, codec: NewCodec(), ctx: t.Context(), memory: memory, limit: 1 << 20}
		limit := NewLimit(context.WithValue(t.Context(), messagesKey{}, m), time.Second)
		err = limit.Run(func() error { return limit.Wait(func() error { return m.receive(&pb.CallReference{}) }) })
		if !errors.Is(err, apierror.ErrIdle) {
			t.Error(err)
		}
		m.close()
		others()
		synctest.Wait()
		if memory.Reserved() != 0 {
			t.Errorf("%d bytes stay reserved", memory.Reserved())
		}
	})
}

// FuzzReceive gives any bytes to a call. Every error is one that a client can read, and no buffer is lost.
func FuzzReceive(f *testing.F) {
	message := []byte{0x0a, 1, 'a'}
	for _, seed := range [][]byte{nil, frame(0, message), frame(1, zipped(f, message)), frame(1, message), {0, 0, 0, 0, 9}, {1, 0, 0, 0, 0}} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, sent []byte, one bool) {
		w := &wire{bytes.NewReader(sent), gzipcodec.Name, &rpctest.LentBuffers{}}
		m := &messages{frames: w, codec: NewCodec(), limit: 100, one: one}
		for {
			err := m.receive(&pb.CallReference{})
			if err == nil && !one {
				continue
			}
			if r, ok := errors.AsType[*apierror.StatusError](err); err != nil && !ok && !errors.Is(err, io.EOF) || ok && (r.Message == "" || r.Code == codes.OK) {
				t.Fatalf("%v", err)
			}
			break
		}
		if err := w.pool.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// rawCodec sends bytes as they are.
type rawCodec struct{ encoding.CodecV2 }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (rawCodec) Unmarshal(mem.BufferSlice, any) error { return nil }
func (rawCodec) Name() string                         { return "proto" }

// TestMessagesOverASocket sends messages to a server: those that it cannot read have a status with a reason, pass all
// interceptors, and do not reach the service.
func TestMessagesOverASocket(t *testing.T) {
	t.Parallel()
	s := serve(t)
	tool := strings.Repeat("x", 100)
	s.service.render = func(_ context.Context, req *pb.RenderRequest) error {
		if req.GetCanonical().GetToolName() != tool {
			t.Errorf("received %v", req)
		}
		return nil
	}
	req := &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: &pb.CanonicalToolResult{ToolName: tool}}}
	for _, o := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzipcodec.Name)}} {
		if _, err := s.client.Render(t.Context(), req, o...); err != nil {
			t.Error(err)
		}
	}
	s.take()
	render := pb.ToolResultService_Render_FullMethodName
	for name, c := range map[string]struct {
		sent   []byte
		reason string
	}{
		"no protobuf": {[]byte{0xff}, "MESSAGE_INVALID"}, "too large": {make([]byte, maxMessage+1), "MESSAGE_TOO_LARGE"},
	} {
		err := s.conn.Invoke(t.Context(), render, c.sent, nil, grpc.ForceCodecV2(rawCodec{}))
		if reason, _ := reasonOf(err); reason != c.reason {
			t.Errorf("%s: %v", name, err)
		}
		if _, calls, rejected := s.take(); len(calls) != 1 || len(rejected) != 1 || !strings.HasPrefix(rejected[0], "Render "+c.reason) {
			t.Errorf("%s: reported %q, recorded %q", name, calls, rejected)
		}
	}
	call, err := s.conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, render)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(call.CloseSend(), call.RecvMsg(&pb.RenderResponse{}))
	if err == nil {
		t.Error("a call without a message is served")
	}
	s.service.stream = func(call grpc.ServerStream) error {
		for {
			m, err := Receive(call)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if string(bytes.Join(m.Parts(), nil)) != tool {
				t.Errorf("received %v", m)
			}
			m.Free()
			m.Free()
		}
	}
	stream, err := s.client.ProjectStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := stream.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Data: []byte(tool)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream: %v", err)
	}
}
