package integration_test

import (
	"bufio"
	"bytes"
	wire "encoding/binary"

	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// peakWhile returns by how much the anonymous memory of a sidecar grows while something is done.
func (s *sidecar) peakWhile(t *testing.T, do func()) int64 {
	t.Helper()
	before := s.memory(t, "RssAnon")
	var peak atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			peak.Store(max(peak.Load(), s.memory(t, "RssAnon")))
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	return peak.Load() - before
}

// TestBytewiseFramesInBoundedMemory sends messages in frames of one byte, in some calls at once: they are served, and take little more than
// their bytes: 30 MiB, and 170 without the copies.
func TestBytewiseFramesInBoundedMemory(t *testing.T) {
	needAlone(t)
	const calls, size = 4, 768 << 10
	s := startSidecar(t, launch{})
	for range 20 {
		s.project(t, completed(0, numbered(2000)))
	}
	message, err := proto.Marshal(completed(0, numbered(size / 8)[:size]))
	if err != nil {
		t.Fatal(err)
	}
	message = append(wire.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	f := dialFrames(t, "unix", s.Socket)
	var streams []uint32
	for range calls {
		f.begin(t, pb.ToolResultService_Project_FullMethodName)
		streams = append(streams, f.last)
	}
	served := make(chan int)
	go func() { served <- countServed(f, calls) }()
	grown := s.peakWhile(t, func() {
		w := bufio.NewWriterSize(f.conn, 64<<10)
		short := http2.NewFramer(w, nil)
		for i := range message {
			for _, id := range streams {
				if err := short.WriteData(id, i == len(message)-1, message[i:i+1]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if n := <-served; n != calls {
			t.Errorf("%d of %d calls are served", n, calls)
		}
	})
	t.Logf("%d MiB", grown>>20)
	if grown > 64<<20 {
		t.Errorf("%d messages of %d KiB take %d MiB", calls, size>>10, grown>>20)
	}
}

// countServed reads answers until so many calls have ended, and returns how many were served.
func countServed(f *frames, calls int) (served int) {
	for ended := 0; ended < calls; {
		frame, err := f.ReadFrame()
		if err != nil {
			return served
		}
		h, ok := frame.(*http2.MetaHeadersFrame)
		if !ok || !h.StreamEnded() {
			continue
		}
		ended++
		for _, field := range h.RegularFields() {
			if field.Name == "grpc-status" && field.Value == "0" {
				served++
			}
		}
	}
	return served
}

// TestBombsOfElementsAreNotDecoded sends messages of 4 MiB with empty elements, in some calls at once, which decode into some
// hundred times as much.
func TestBombsOfElementsAreNotDecoded(t *testing.T) {
	if raceDetector {
		t.Skip("skipped: the race detector takes memory of its own")
	}
	s := startSidecar(t, launch{})
	for range 20 {
		s.project(t, completed(0, numbered(2000)))
	}
	element := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), nil)
	bomb := bytes.Repeat(element, 4<<20/len(element)-10)
	codec := grpc.ForceCodecV2(rawCodec{encoding.GetCodecV2(grpcproto.Name)})
	grown := s.peakWhile(t, func() {
		done := make(chan error)
		for range 8 {
			go func() {
				done <- s.conn.Invoke(t.Context(), pb.ToolResultService_Compact_FullMethodName, bomb, &pb.CompactResponse{}, codec)
			}()
		}
		for range 8 {
			err := <-done
			if reason := refusalOf(t, err).reason; reason != "MESSAGE_TOO_LARGE" && reason != "IN_FLIGHT_BYTES" {
				t.Errorf("the answer is %v", err)
			}
		}
	})
	t.Logf("%d MiB", grown>>20)
	if grown > 192<<20 {
		t.Errorf("8 messages take %d MiB", grown>>20)
	}
}
