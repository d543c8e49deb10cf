package rpc_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/rpc"
)

// frameBytes is the size of a full frame of a message.
const frameBytes = 16 << 10

// patterned fills what gRPC takes from a pool with a pattern, and counts full frames.
type patterned struct {
	mem.BufferPool
	frames atomic.Int64 // taken by a transport
}

func (p *patterned) Get(n int) *[]byte {
	if n == frameBytes {
		p.frames.Add(1)
	}
	b := p.BufferPool.Get(n)
	for i := range *b {
		(*b)[i] = 0xaa
	}
	return b
}

// pool is the pool of gRPC in this process. gRPC keeps it in a variable without a lock.
var pool = &patterned{BufferPool: rpc.NewBufferPool()}

func TestMain(m *testing.M) {
	experimental.SetDefaultBufferPool(pool)
	os.Exit(m.Run())
}

// echo answers with the standard output of a command.
type echo struct {
	pb.UnimplementedToolResultServiceServer
}

// Project answers with the standard output of a command.
func (echo) Project(_ context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	return &pb.ProjectResponse{CanonicalJson: string(req.GetOutput().GetCommand().GetStdout().GetInline())}, nil
}

// The hook is experimental: this fails when gRPC no longer uses it. And the
// pool does not clear: this fails when anything is read that was not received.
func TestPoolIsUsedAndNothingOldIsRead(t *testing.T) {
	direct := echo{}
	before := pool.frames.Load()
	client := overSocket(t, direct)
	for _, size := range []int{0, 1, 100, 4000, 16 << 10, 31 << 10, 32<<10 + 5, 64 << 10, 1 << 20, 3 << 20} {
		payload := bytes.Repeat([]byte("a line of a log\n"), size/16+1)[:size]
		req := &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED,
				Stdout:      &pb.Payload{Source: &pb.Payload_Inline{Inline: payload}},
			}},
		}}
		want, err := direct.Project(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Project(t.Context(), req)
		if err != nil || !proto.Equal(want, got) {
			t.Errorf("%d bytes over the socket are answered otherwise, %v", size, err)
		}
	}
	if pool.frames.Load() == before {
		t.Error("the server reads into buffers from elsewhere")
	}
}

// overSocket serves a service on a socket and returns a client of it.
func overSocket(t *testing.T, s pb.ToolResultServiceServer) pb.ToolResultServiceClient {
	t.Helper()
	g := grpc.NewServer(rpc.BufferOptions()...)
	pb.RegisterToolResultServiceServer(g, s)
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = g.Serve(l) }()
	t.Cleanup(g.Stop)
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return pb.NewToolResultServiceClient(conn)
}

func TestPoolGivesWhatWasAsked(t *testing.T) {
	p := rpc.NewBufferPool()
	for _, n := range []int{0, 1, 255, 256, 257, 384, 385, 32 << 10, 32<<10 + 5, 1 << 20, 1<<20 + rpc.Headroom, 1<<20 + rpc.Headroom + 1, 8 << 20, 9 << 20, 70 << 20} {
		for range 3 {
			b := p.Get(n)
			if len(*b) != n {
				t.Fatalf("%d bytes in place of %d", len(*b), n)
			}
			if n > 256 && n < 8<<20 && cap(*b) > 2*n+rpc.Headroom {
				t.Errorf("%d bytes take %d", n, cap(*b))
			}
			p.Put(b)
		}
	}
	foreign := make([]byte, 1000)
	p.Put(&foreign) // of another pool: left to the collector
}
