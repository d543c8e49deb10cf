package eval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// sidecar is a process of the built binary with a store on disk, so that paths are as long as usual ones.
type sidecar struct {
	*sidecartest.Sidecar
	pb.ToolResultServiceClient
	conn *grpc.ClientConn
	dir  string
}

// serve builds and starts a sidecar.
func serve() (*sidecar, error) {
	dir, err := os.MkdirTemp("", "toolresult-eval")
	if err != nil {
		return nil, err
	}
	s := &sidecar{dir: dir}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *sidecar) start() error {
	binary, err := sidecartest.Build(s.dir)
	if err != nil {
		return err
	}
	s.Sidecar, err = sidecartest.Serve(sidecartest.Options{
		Binary: binary, Home: s.dir, Socket: filepath.Join(s.dir, "run", "s"), Store: filepath.Join(s.dir, "state"),
		Args: []string{"--log-level=error", "--volatile"},
	})
	if err != nil {
		return err
	}
	if s.conn, err = grpc.NewClient(s.Target(), grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
		return errors.Join(err, s.Stop())
	}
	s.ToolResultServiceClient = pb.NewToolResultServiceClient(s.conn)
	return nil
}

func (s *sidecar) stop() error {
	return errors.Join(s.conn.Close(), s.Stop(), os.RemoveAll(s.dir))
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
