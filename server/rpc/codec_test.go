package rpc

import (
	"bytes"
	"math"
	"testing"

	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/rpc/rpctest"
)

// framesOf cuts a message into frames: each cut is the size of one, in 64 bytes.
func framesOf(message, cuts []byte, pool mem.BufferPool) (frames mem.BufferSlice) {
	for _, c := range cuts {
		n := min(int(c)*64+1, len(message))
		frames, message = append(frames, mem.Copy(message[:n], pool)), message[n:]
	}
	return append(frames, mem.Copy(message, pool))
}

// chunkOf is the encoding of a message with one chunk.
func chunkOf(c *pb.StreamChunk) []byte {
	b, err := proto.Marshal(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: c}})
	if err != nil {
		panic(err)
	}
	return b
}

// What is a chunk as encoders write it is decoded without a copy.
func TestChunksAreKept(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 16<<10)
	for name, c := range map[string]*pb.StreamChunk{
		"all":       {Stream: "stdout", Data: data, Offset: new(uint64(1 << 40))},
		"far":       {Stream: "stdout", Data: data, Offset: new(uint64(math.MaxUint64))},
		"a stream":  {Stream: "stdout"},
		"no stream": {Data: data},
		"no data":   {Stream: "stdout", Offset: new(uint64(0))},
		"nothing":   {},
	} {
		message := chunkOf(c)
		pool := &rpctest.LentBuffers{}
		frames := framesOf(message, bytes.Repeat([]byte{255}, 9), pool)
		m := &ChunkMessage{ProjectStreamRequest: &pb.ProjectStreamRequest{}}
		if err := NewCodec().Unmarshal(frames, m); err != nil {
			t.Fatal(err)
		}
		frames.Free()
		if !m.kept {
			t.Errorf("%s: the bytes of the chunk were copied", name)
		}
		if got := bytes.Join(m.Parts(), nil); !bytes.Equal(got, c.GetData()) {
			t.Errorf("%s: %d bytes in place of %d", name, len(got), len(c.GetData()))
		}
		m.Free()
		if err := pool.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoFrameIsEmpty keeps chunks whose data begins or ends with a frame, or is empty: no reference is taken for no byte.
func TestNoFrameIsEmpty(t *testing.T) {
	for _, c := range []struct {
		head, data, tail string // of a message with the stream "s"
		frames           int
	}{
		{"\x12\x08\x0a\x01s\x12\x03", "abc", "", 1}, {"\x12\x05\x0a\x01s\x12\x00", "", "", 0}, {"\x12\x02\x12\x00", "", "", 0},
		{"\x12\x0a\x0a\x01s\x12\x03", "abc", "\x18\x05", 1},
	} {
		pool := &rpctest.LentBuffers{}
		data := mem.BufferSlice{mem.Copy([]byte(c.head), pool)}
		if c.data != "" {
			data = append(data, mem.Copy([]byte(c.data), pool))
		}
		if c.tail != "" {
			data = append(data, mem.Copy([]byte(c.tail), pool))
		}
		m := &ChunkMessage{ProjectStreamRequest: &pb.ProjectStreamRequest{}}
		if !m.keepChunk(data) || len(m.frames) != c.frames || string(bytes.Join(m.Parts(), nil)) != c.data {
			t.Errorf("%q: kept %v, %d frames", c.head, m.kept, len(m.frames))
		}
		data.Free()
		m.Free()
		if err := pool.Check(); err != nil {
			t.Error(err)
		}
	}
}

// FuzzDecodesAsStock gives the same bytes, in any frames, to our codec and to the stock
// one: both reject them, or both decode the same message.
func FuzzDecodesAsStock(f *testing.F) {
	whole := chunkOf(&pb.StreamChunk{Stream: "stdout", Data: bytes.Repeat([]byte("data\n"), 500), Offset: new(uint64(300))})
	empty := chunkOf(&pb.StreamChunk{})
	reversed := protowire.AppendVarint(protowire.AppendTag(nil, chunkOffset, protowire.VarintType), 7)
	reversed = protowire.AppendBytes(protowire.AppendTag(reversed, chunkStream, protowire.BytesType), []byte("s"))
	reversed = protowire.AppendBytes(protowire.AppendTag(nil, requestChunk, protowire.BytesType), reversed)
	finish, err := proto.Marshal(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{}}})
	if err != nil {
		f.Fatal(err)
	}
	for _, message := range [][]byte{
		whole, whole[:len(whole)-1], empty, reversed, finish, nil,
		append(bytes.Clone(whole), empty...),               // merged
		append(bytes.Clone(whole), finish...),              // the last one counts
		append(bytes.Clone(whole), 0x78, 1),                // an unknown field
		{0x12, 0x80, 0x00},                                 // a long way to say 0
		{0x92, 0x00, 0x00},                                 // a long tag
		{0x12, 0x02, 0x12, 0x00}, {0x12, 0x02, 0x12, 0x01}, // no data, and less than said
		{0x12, 0x04, 0x0a, 0x02, 0xff, 0xfe},                  // not UTF-8
		{0x12, 0x06, 0x12, 0x01, 'a', 0x12, 0x01, 'b'},        // data twice
		{0x12, 0x04, 0x18, 0x01, 0x18, 0x02},                  // the offset twice
		{0x12, 0x03, 0x1a, 0x01, 'x'}, {0x12, 0x02, 0x10, 01}, // of another wire type
	} {
		f.Add(message, []byte{})
		f.Add(message, []byte{0})
		f.Add(message, []byte{9, 0, 200})
	}
	stock := encoding.GetCodecV2(grpcproto.Name)
	f.Fuzz(func(t *testing.T, message, cuts []byte) {
		pool := &rpctest.LentBuffers{}
		frames := framesOf(message, cuts, pool)
		want := &pb.ProjectStreamRequest{}
		wantErr := stock.Unmarshal(frames, want)
		got := &ChunkMessage{ProjectStreamRequest: &pb.ProjectStreamRequest{}}
		gotErr := NewCodec().Unmarshal(frames, got)
		frames.Free()
		if (wantErr == nil) != (gotErr == nil) {
			t.Fatalf("stock: %v, ours: %v", wantErr, gotErr)
		}
		if got.kept {
			got.GetChunk().Data = bytes.Join(got.Parts(), nil)
		}
		got.Free()
		if wantErr == nil && !proto.Equal(want, got.ProjectStreamRequest) {
			t.Fatalf("stock: %v, ours: %v", want, got.ProjectStreamRequest)
		}
		if err := pool.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
