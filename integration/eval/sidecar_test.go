package eval_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
)

// sidecar is a server in this process, on a socket, with a store on disk, so that paths are as long as usual ones.
type sidecar struct {
	pb.ToolResultServiceClient
	conn *grpc.ClientConn
	dir  string
	end  context.CancelFunc
	done chan error
}

func serve() (*sidecar, error) {
	dir, err := os.MkdirTemp("", "toolresult-eval")
	if err != nil {
		return nil, err
	}
	c := config.Default(nil)
	c.Socket, c.Store, c.Volatile = filepath.Join(dir, "run", "s"), filepath.Join(dir, "state"), true
	real, err := server.New(c, server.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	s := &sidecar{dir: dir, end: end, done: make(chan error, 1)}
	go func() { s.done <- real.Serve(ctx) }()
	if s.conn, err = grpc.NewClient(real.Addresses()[0], grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
		end()
		return nil, err
	}
	s.ToolResultServiceClient = pb.NewToolResultServiceClient(s.conn)
	return s, nil
}

func (s *sidecar) stop() {
	_ = s.conn.Close()
	s.end()
	<-s.done
	_ = os.RemoveAll(s.dir)
}

// receipt hands a document over as what a command printed.
func (s *sidecar) receipt(d *output, payload []byte, budget int) (*pb.Receipt, error) {
	command := &pb.CommandOutput{
		Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: d.ExitStatus, CommandLine: d.Command,
		CombinedOutput: &pb.Payload{Source: &pb.Payload_Inline{Inline: payload}},
	}
	resp, err := s.Project(context.Background(), &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: command},
		},
		Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{
			Budget: &pb.Budget{MaxTokens: uint32(budget)}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE,
		}},
	})
	if err != nil {
		return nil, err
	}
	if n := resp.GetReceipt().GetTokens(); int(n) > budget {
		return nil, fmt.Errorf("%d tokens, and %d are allowed", n, budget)
	}
	return resp.GetReceipt(), nil
}
