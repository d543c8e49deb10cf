package rpc

import (
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// codec is gRPC's own, but for two things: the bytes of a chunk are not copied out
// of the buffers that the transport read them into, and memory is reserved for a large
// answer until the transport has sent it. On the wire nothing differs.
// docs/adr/0013 says why.
type codec struct{ encoding.CodecV2 }

// NewCodec returns the codec of servers that receive streams.
func NewCodec() codec { return codec{encoding.GetCodecV2(grpcproto.Name)} }

// Unmarshal decodes a message. A ChunkMessage may keep references to data; everything else is copied out of it.
func (c codec) Unmarshal(data mem.BufferSlice, m any) error {
	chunk, ok := m.(*ChunkMessage)
	if !ok {
		return c.CodecV2.Unmarshal(data, m)
	}
	if chunk.keepChunk(data) {
		return nil
	}
	return c.CodecV2.Unmarshal(data, chunk.ProjectStreamRequest)
}

// ChunkMessage is a message of a ProjectStream call, decoded by codec or by any
// other. Its owner must free it.
type ChunkMessage struct {
	*pb.ProjectStreamRequest
	kept   bool            // the data of its chunk is in frames, and not in the message
	frames mem.BufferSlice // which the transport read
}

// Receive waits for the next message of a call.
func Receive(call grpc.ServerStream) (*ChunkMessage, error) {
	m := &ChunkMessage{ProjectStreamRequest: &pb.ProjectStreamRequest{}}
	return m, call.RecvMsg(m)
}

// Free gives the frames back to the transport. It may be called more than once.
func (m *ChunkMessage) Free() {
	m.frames.Free()
	m.frames, m.kept = nil, false
}

// Parts are the bytes of its chunk, which are gone when it is freed.
func (m *ChunkMessage) Parts() [][]byte {
	if !m.kept {
		return [][]byte{m.GetChunk().GetData()}
	}
	parts := make([][]byte, len(m.frames))
	for i, f := range m.frames {
		parts[i] = f.ReadOnlyData()
	}
	return parts
}

// keepChunk decodes a message that is a chunk as every encoder writes it, and keeps
// its bytes where they are. It reports false, and does nothing, for all others.
func (m *ChunkMessage) keepChunk(data mem.BufferSlice) bool {
	layout, ok := readChunk(data)
	if !ok {
		return false
	}
	m.Message = &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: layout.stream, Offset: layout.offset}}
	m.frames, m.kept = view(data, layout.from, layout.to), true
	return true
}

// view takes references to the bytes from one offset to another.
func view(data mem.BufferSlice, from, to int) (s mem.BufferSlice) {
	start := 0
	for _, b := range data {
		n := b.Len()
		if first, last := max(from-start, 0), min(to-start, n); first < last {
			s = append(s, b.Slice(first, last))
		}
		start += n
	}
	return s
}

// Numbers of the fields of the messages that are read here.
const (
	requestChunk = 2
	chunkStream  = 1
	chunkData    = 2
	chunkOffset  = 3
)

// chunkLayout says where the bytes of a chunk are in its message.
type chunkLayout struct {
	stream   string
	from, to int
	offset   *uint64
}

// readChunk finds the layout of a message that is a chunk and nothing else, with
// each of its fields at most once and in their order, and with what comes before
// its data in the first buffer.
func readChunk(data mem.BufferSlice) (l chunkLayout, ok bool) {
	if len(data) == 0 {
		return l, false
	}
	total := data.Len()
	h := header{first: data[0].ReadOnlyData()}
	if !h.tag(requestChunk, protowire.BytesType) || h.length() != total-h.at {
		return l, false
	}
	if h.tag(chunkStream, protowire.BytesType) {
		l.stream, ok = h.text()
		if !ok {
			return l, false
		}
	}
	l.from, l.to = h.at, h.at
	if h.tag(chunkData, protowire.BytesType) {
		n := h.length()
		if n < 0 || n > total-h.at {
			return l, false
		}
		l.from, l.to = h.at, h.at+n
	}
	if h.bad {
		return l, false
	}
	if l.to == total {
		return l, true
	}
	return l, l.readOffset(data, total)
}

// maxOffset is how many bytes the field of an offset takes at most.
const maxOffset = 1 + 10

// readOffset reads what comes after the data.
func (l *chunkLayout) readOffset(data mem.BufferSlice, total int) bool {
	if total-l.to > maxOffset {
		return false
	}
	rest := make([]byte, 0, maxOffset)
	start := 0
	for _, b := range data {
		if from := max(l.to-start, 0); from < b.Len() {
			rest = append(rest, b.ReadOnlyData()[from:]...)
		}
		start += b.Len()
	}
	h := header{first: rest}
	if !h.tag(chunkOffset, protowire.VarintType) {
		return false
	}
	offset := h.varint()
	l.offset = &offset
	return !h.bad && h.at == len(rest)
}

// header reads fields at the start of a buffer.
type header struct {
	first []byte
	at    int
	bad   bool // something was not there, or was no field
}

// tag takes a field's tag, if that is what comes.
func (h *header) tag(number protowire.Number, wire protowire.Type) bool {
	tag := byte(protowire.EncodeTag(number, wire))
	if h.at >= len(h.first) || h.first[h.at] != tag {
		return false
	}
	h.at++
	return true
}

// varint takes a number. Without one it returns 0 and sets bad.
func (h *header) varint() uint64 {
	v, n := protowire.ConsumeVarint(h.first[h.at:])
	if n < 0 {
		h.bad = true
		return 0
	}
	h.at += n
	return v
}

// length takes a length, and returns -1 if there is none.
func (h *header) length() int {
	v := h.varint()
	if h.bad || v > 1<<31-1 {
		return -1
	}
	return int(v)
}

// text takes a string, which must be UTF-8 as in every message of proto3.
func (h *header) text() (string, bool) {
	n := h.length()
	if n < 0 || n > len(h.first)-h.at || !utf8.Valid(h.first[h.at:h.at+n]) {
		return "", false
	}
	h.at += n
	return string(h.first[h.at-n : h.at]), true
}
