package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// call is what the commands that call one RPC share: data from stdin, policy
// from flags.
type call struct {
	target        target
	policy        policyFlags
	input, output string
	family        string
}

func (c *call) flags(cmd *cobra.Command, input, output string) {
	c.target.flags(cmd.Flags())
	cmd.Flags().StringVar(&c.input, "input", "json", input)
	cmd.Flags().StringVar(&c.output, "output", "receipt", output)
}

const outputs = "receipt, json (canonical results in the RFC's JSON) or textproto"

func projectCommand() *cobra.Command {
	var c call
	var of reference
	cmd := &cobra.Command{
		Use: "project", Short: "Project a complete tool output from stdin", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := &pb.ProjectRequest{Output: &pb.CompleteToolOutput{}}
			if err := c.read(cmd.InOrStdin(), req.GetOutput()); err != nil {
				return err
			}
			var err error
			if req.Policy, err = c.policy.projection(); err != nil {
				return err
			}
			if req.Call, err = of.message(); err != nil {
				return err
			}
			return c.target.with(cmd.Context(), func(conn *connection) error {
				resp, err := conn.Project(cmd.Context(), req)
				if err != nil {
					return err
				}
				return printProjection(cmd.OutOrStdout(), c.output, resp)
			})
		},
	}
	c.flags(cmd, "form of the CompleteToolOutput on stdin: json (protobuf's) or textproto", outputs)
	c.policy.flags(cmd.Flags())
	of.flags(cmd.Flags())
	return cmd
}

func projectTurnCommand() *cobra.Command {
	var c call
	cmd := &cobra.Command{
		Use: "project-turn", Short: "Project the outputs of parallel calls within one budget", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := &pb.ProjectTurnRequest{}
			if err := c.read(cmd.InOrStdin(), req); err != nil {
				return err
			}
			return c.target.with(cmd.Context(), func(conn *connection) error {
				resp, err := conn.ProjectTurn(cmd.Context(), req)
				if err != nil {
					return err
				}
				return printAll(cmd.OutOrStdout(), c.output, resp, resp.GetResults())
			})
		},
	}
	c.flags(cmd, "form of the ProjectTurnRequest on stdin: json (protobuf's) or textproto", outputs)
	return cmd
}

func renderCommand() *cobra.Command {
	var c call
	var of reference
	cmd := &cobra.Command{
		Use: "render", Short: "Render a canonical result from stdin, or the one on record of a call", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req, err := c.toRender(cmd.InOrStdin(), &of)
			if err != nil {
				return err
			}
			if req.Policy, err = c.policy.render(); err != nil {
				return err
			}
			return c.target.with(cmd.Context(), func(conn *connection) error {
				resp, err := conn.Render(cmd.Context(), req)
				if err != nil {
					return err
				}
				return printMessage(cmd.OutOrStdout(), c.output, resp.GetReceipt().GetText(), resp)
			})
		},
	}
	c.flags(cmd, "form of the canonical result on stdin: json (the RFC's) or textproto", "receipt, json or textproto")
	c.policy.renderFlags(cmd.Flags())
	cmd.Flags().StringVar(&c.family, "family", "", `family of "result" in the RFC's JSON, where its fields do not tell`)
	cmd.Flags().StringVar(&of.session, "session", "", "session of the call whose result on record is rendered; stdin is not read")
	cmd.Flags().StringVar(&of.call, "call", "", "the call; needs --session")
	return cmd
}

// toRender reads a result from stdin, or names the call whose result is on record.
func (c *call) toRender(stdin io.Reader, of *reference) (*pb.RenderRequest, error) {
	named, err := of.message()
	if err != nil || named != nil {
		return &pb.RenderRequest{Call: named}, err
	}
	given, err := c.session(stdin)
	if err != nil {
		return nil, err
	}
	if n := len(given.req.GetEntries()); n != 1 {
		return nil, fmt.Errorf("stdin has %d canonical results, render takes one", n)
	}
	return renderOf(given.req, 0, nil), nil
}

// read reads one message of protobuf from stdin.
func (c *call) read(r io.Reader, into proto.Message) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	switch c.input {
	case "json":
		return protojson.Unmarshal(text, into)
	case "textproto":
		return prototext.Unmarshal(text, into)
	}
	return fmt.Errorf("--input %s: json or textproto", c.input)
}
