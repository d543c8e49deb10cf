package integration_test

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// strangersMemory is what the peak of the sidecar's memory may grow by. The strangers themselves take some five MiB, and on an
// idle machine the peak grows by 10 to 60: the rest is space that the garbage collector takes before it collects, and on a
// busy machine it collects late. Without a gate, the messages of 24 connections alone take more than a gigabyte.
const strangersMemory = 384 << 20

// floods are what strangers send over TCP, on a connection of their own each.
func floods() map[string]func(t *testing.T, address string) {
	return map[string]func(t *testing.T, address string){
		"silence": func(_ *testing.T, address string) {
			if conn, err := net.Dial("tcp", address); err == nil {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}
		},
		"messages without a token": func(t *testing.T, address string) {
			flood(t, address, func(f *frames) error {
				f.begin(t, pb.ToolResultService_Project_FullMethodName)
				return body(f)
			})
		},
		"a large message to the health of all": func(t *testing.T, address string) {
			flood(t, address, func(f *frames) error {
				f.begin(t, "/grpc.health.v1.Health/Check")
				return body(f)
			})
		},
		"calls without end": func(t *testing.T, address string) {
			flood(t, address, func(f *frames) error {
				for {
					f.begin(t, pb.ToolResultService_ProjectStream_FullMethodName)
					if err := f.WritePing(true, [8]byte{}); err != nil { // begin does not say that the connection is closed
						return err
					}
				}
			})
		},
		"empty CONTINUATION frames": func(t *testing.T, address string) {
			flood(t, address, func(f *frames) error {
				if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x83}}); err != nil {
					return err
				}
				for {
					if err := f.WriteContinuation(1, false, nil); err != nil {
						return err
					}
				}
			})
		},
	}
}

// flood sends until the connection ends.
func flood(t *testing.T, address string, send func(*frames) error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	f := &frames{Framer: http2.NewFramer(conn, conn), conn: conn, block: &bytes.Buffer{}}
	f.encoder = hpack.NewEncoder(f.block)
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil || f.WriteSettings() != nil {
		return
	}
	go func() { _, _ = io.Copy(io.Discard, conn) }()
	_ = send(f)
}

// body sends a message of just under 4 MiB on the last stream, and goes on.
func body(f *frames) error {
	data := append([]byte{0, 0, 0x3f, 0, 0}, make([]byte, 16<<10-5)...)
	for {
		if err := f.WriteData(f.last, false, data); err != nil {
			return err
		}
	}
}

// TestStrangersCostLittle floods the TCP listener from 96 connections at a time, each replaced as soon as it ends: the sidecar's
// memory stays as it is, and its owner on the socket is always served.
func TestStrangersCostLittle(t *testing.T) {
	if raceDetector {
		t.Skip("skipped: the race detector takes memory of its own")
	}
	s := startTCP(t)
	for range 20 {
		s.project(t, completed(0, numbered(2000)))
	}
	before := s.memory(t, "VmHWM")
	var over atomic.Bool
	var wait sync.WaitGroup
	var conns atomic.Int64
	for range 96 / len(floods()) {
		for _, attack := range floods() {
			wait.Go(func() {
				for !over.Load() {
					attack(t, s.TCP)
					conns.Add(1)
				}
			})
		}
	}
	served := 0
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); served++ {
		s.project(t, completed(0, "the owner is served"))
	}
	over.Store(true)
	cost := s.memory(t, "VmHWM") - before
	s.Terminate() // ends those who are silent
	wait.Wait()
	t.Logf("%d connections, %d calls of the owner, %d KiB", conns.Load(), served, cost>>10)
	if cost > strangersMemory {
		t.Errorf("strangers take %d MiB", cost>>20)
	}
}

// TestRightTokenIsServedAmongStrangers: while others send nothing, or wrong tokens, who has the right one is served over TCP.
func TestRightTokenIsServedAmongStrangers(t *testing.T) {
	t.Parallel()
	s := startTCP(t)
	for range 100 {
		dialRaw(t, "tcp", s.TCP)
		_, err := pb.NewToolResultServiceClient(dial(t, s.TCP)).GetServerInfo(bearing(t.Context(), "wrong"), &pb.GetServerInfoRequest{})
		if err == nil {
			t.Fatal("a wrong token is served")
		}
	}
	if _, err := pb.NewToolResultServiceClient(dial(t, s.TCP)).GetServerInfo(bearing(t.Context(), secret), &pb.GetServerInfoRequest{}); err != nil {
		t.Error(err)
	}
}
