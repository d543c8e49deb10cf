package integration_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// proxy stands between a client and a sidecar on TCP, and does to their bytes what networks do.
type proxy struct {
	address string
	// copies bytes from one side to the other, until it fails
	toServer, toClient func(dst, src *net.TCPConn)
}

// startProxy serves one connection after the other until the test ends.
func startProxy(t *testing.T, target string, toServer, toClient func(dst, src *net.TCPConn)) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{l.Addr().String(), toServer, toClient}
	var pipes sync.WaitGroup
	pipes.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				_ = client.Close()
				continue
			}
			pipes.Go(func() { p.connect(client.(*net.TCPConn), server.(*net.TCPConn)) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		pipes.Wait()
	})
	return p
}

// connect copies both ways, and closes both sides when one is done.
func (p *proxy) connect(client, server *net.TCPConn) {
	var both sync.WaitGroup
	for _, way := range []func(){
		func() { p.toServer(server, client) },
		func() { p.toClient(client, server) },
	} {
		both.Go(func() {
			way()
			_ = client.Close()
			_ = server.Close()
		})
	}
	both.Wait()
}

func asItIs(dst, src *net.TCPConn) { _, _ = io.Copy(dst, src) } // its end is that of the connection

// sliced sends every byte in a segment of its own, some time after the one before.
func sliced(pause time.Duration) func(dst, src *net.TCPConn) {
	return func(dst, src *net.TCPConn) {
		_ = dst.SetNoDelay(true) // so that no two of them share a segment
		b := make([]byte, 1)
		for {
			if _, err := src.Read(b); err != nil {
				return
			}
			if _, err := dst.Write(b); err != nil {
				return
			}
			time.Sleep(pause)
		}
	}
}

// resetAfter lets so many bytes through, and then resets both connections.
func resetAfter(n int64) func(dst, src *net.TCPConn) {
	return func(dst, src *net.TCPConn) {
		_, _ = io.CopyN(dst, src, n)
		_, _ = dst.SetLinger(0), src.SetLinger(0)
	}
}

// badNetwork slices a call, and resets connections in the middle of uploads.
func badNetwork(t *testing.T, _ *sidecar) {
	s := startTCP(t)
	before := s.baseline(t)
	through := func(p *proxy, call func(pb.ToolResultServiceClient)) {
		t.Helper()
		conn, err := grpc.NewClient(p.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		call(pb.NewToolResultServiceClient(conn))
		_ = conn.Close() // what it says is of no account
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secret)

	req := completed(3, numbered(5))
	want := s.project(t, req)
	through(startProxy(t, s.TCP, sliced(5*time.Millisecond), asItIs), func(c pb.ToolResultServiceClient) {
		if got, err := c.Project(ctx, req); err != nil || !proto.Equal(got, want) {
			t.Errorf("sliced: %v, %v", got, err)
		}
	})

	payload := numbered(3000)
	random := rand.New(rand.NewPCG(20, 1))
	served := 0
	for range 60 {
		ways := []func(dst, src *net.TCPConn){asItIs, asItIs}
		ways[random.IntN(2)] = resetAfter(random.Int64N(int64(len(payload)) * 5 / 4))
		through(startProxy(t, s.TCP, ways[0], ways[1]), func(c pb.ToolResultServiceClient) {
			answers, err := streams(ctx, &sidecar{ToolResultServiceClient: c},
				headerOf(&pb.StreamHeader{Family: "command"}), chunkOf("stdout", payload[:len(payload)/2]), chunkOf("stdout", payload[len(payload)/2:]), finishOf(exited(0)))
			switch code := status.Code(err); {
			case err == nil:
				served++
				kept := answers[0].GetResult().GetCanonical().GetCommand().GetArtifacts()
				if content, err := os.ReadFile(kept[0].GetPath()); err != nil || string(content) != payload {
					t.Errorf("what was answered has %d bytes of %d: %v", len(content), len(payload), err)
				}
			case code != codes.Unavailable && code != codes.Canceled && !errors.Is(err, io.EOF):
				t.Errorf("a call of a connection that was reset: %v", err)
			}
		})
	}
	if served == 0 || served == 60 {
		t.Errorf("%d of 60 calls were served: nothing was reset, or everything", served)
	}
	s.wantSettled(t, before)
	wantOnly(t, s, payload, numbered(2000))
}

// wantOnly checks that every artifact of a store is one of some contents, whole.
func wantOnly(t *testing.T, s *sidecar, contents ...string) {
	t.Helper()
	known := map[string]bool{}
	for _, content := range contents {
		known[content] = true
	}
	stored, err := filepath.Glob(filepath.Join(s.Store, "???", "*"))
	if err != nil || len(stored) == 0 {
		t.Fatalf("%d artifacts, error %v", len(stored), err)
	}
	for _, path := range stored {
		if content, err := os.ReadFile(path); err != nil || !known[string(content)] {
			t.Errorf("%s has %d bytes that nobody sent whole: %v", path, len(content), err)
		}
	}
}
