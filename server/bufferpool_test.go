package server

import (
	"context"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// counting counts what gRPC takes from a pool.
type counting struct {
	mem.BufferPool
	taken atomic.Int64
}

func (c *counting) Get(n int) *[]byte {
	c.taken.Add(1)
	return c.BufferPool.Get(n)
}

// The hook is experimental: this fails when gRPC no longer uses it.
func TestPoolIsUsed(t *testing.T) {
	pool := &counting{BufferPool: newBufferPool()}
	experimental.SetDefaultBufferPool(pool)
	g := grpc.NewServer()
	pb.RegisterToolResultServiceServer(g, &service{info: &pb.GetServerInfoResponse{Version: string(make([]byte, 100_000))}})
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = g.Serve(l) }()
	defer g.Stop()
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := pb.NewToolResultServiceClient(conn).GetServerInfo(context.Background(), &pb.GetServerInfoRequest{}); err != nil {
		t.Fatal(err)
	}
	if pool.taken.Load() == 0 {
		t.Error("gRPC takes its buffers elsewhere")
	}
}

func TestPoolGivesWhatWasAsked(t *testing.T) {
	p := newBufferPool()
	for _, n := range []int{0, 1, 255, 256, 257, 384, 385, 32 << 10, 32<<10 + 5, 1 << 20, 1<<20 + headroom, 1<<20 + headroom + 1, 8 << 20, 9 << 20, 70 << 20} {
		for range 3 {
			b := p.Get(n)
			if len(*b) != n {
				t.Fatalf("%d bytes in place of %d", len(*b), n)
			}
			if n > 256 && n < 8<<20 && cap(*b) > 2*n+headroom {
				t.Errorf("%d bytes take %d", n, cap(*b))
			}
			p.Put(b)
		}
	}
	foreign := make([]byte, 1000)
	p.Put(&foreign) // of another pool: left to the collector
}
