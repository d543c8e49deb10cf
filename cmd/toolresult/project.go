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

// The commands that call one RPC each: project, project-turn and render. They are for scripts and for trying the contract
// out; a runtime uses a client of its language. Their input is the message of the contract, and their output is what the
// next one reads: `project --output=json | render` prints the receipt again.

// rpcFlags are the flags of commands that call one RPC with data from standard input and a policy from flags.
type rpcFlags struct {
	target        target
	policy        policyFlags
	input, output string // forms of the data; see print.go
	family        string // of a result in the RFC's JSON; empty: found from its fields
}

// flags defines the flags, with the help texts of --input and --output.
func (c *rpcFlags) flags(cmd *cobra.Command, input, output string) {
	c.target.flags(cmd.Flags())
	cmd.Flags().StringVar(&c.input, "input", "json", input)
	outputFlag(cmd.Flags(), &c.output, output, receiptForms...)
}

// outputs is the help text of --output for canonical results.
const outputs = "(json has canonical results in the RFC's JSON)"

// projectCommand returns `project`: the RPC Project, of one output that is a single message. Output that is larger than one
// message goes through exec, or through ProjectStream.
func projectCommand() *cobra.Command {
	var c rpcFlags
	var ref callFlags
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
			if req.Call, err = ref.message(); err != nil {
				return err
			}
			return c.target.withConnection(cmd.Context(), func(conn *connection) error {
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
	ref.flags(cmd.Flags())
	return cmd
}

// projectTurnCommand returns `project-turn`: the RPC ProjectTurn. The policy is a part of the request, because the outputs
// of a turn may have several.
func projectTurnCommand() *cobra.Command {
	var c rpcFlags
	cmd := &cobra.Command{
		Use: "project-turn", Short: "Project the outputs of parallel calls within one budget", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := &pb.ProjectTurnRequest{}
			if err := c.read(cmd.InOrStdin(), req); err != nil {
				return err
			}
			return c.target.withConnection(cmd.Context(), func(conn *connection) error {
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

// renderCommand returns `render`: the RPC Render. It has two sources: a result from standard input, or the one that the
// audit log has of a call, with which a receipt can be made again under another policy long after the call.
func renderCommand() *cobra.Command {
	var c rpcFlags
	var ref callFlags
	cmd := &cobra.Command{
		Use: "render", Short: "Render a canonical result from stdin, or the one on record of a call", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req, err := c.toRender(cmd.InOrStdin(), &ref)
			if err != nil {
				return err
			}
			if req.Policy, err = c.policy.render(); err != nil {
				return err
			}
			return c.target.withConnection(cmd.Context(), func(conn *connection) error {
				resp, err := conn.Render(cmd.Context(), req)
				if err != nil {
					return err
				}
				return printMessage(cmd.OutOrStdout(), c.output, resp.GetReceipt().GetText(), resp)
			})
		},
	}
	c.flags(cmd, "form of the canonical result on stdin: json (the RFC's) or textproto", "")
	c.policy.renderFlags(cmd.Flags())
	cmd.Flags().StringVar(&c.family, "family", "", `family of "result" in the RFC's JSON, where its fields do not tell`)
	cmd.Flags().StringVar(&ref.session, "session", "", "session of the call whose result on record is rendered; stdin is not read")
	cmd.Flags().StringVar(&ref.call, "call", "", "the call; needs --session")
	return cmd
}

// toRender returns the request to render a result from standard input or, if a call is named, its result on record. Several
// results are a mistake rather than several receipts: compact prints those of a session.
func (c *rpcFlags) toRender(stdin io.Reader, ref *callFlags) (*pb.RenderRequest, error) {
	named, err := ref.message()
	if err != nil || named != nil {
		return &pb.RenderRequest{Call: named}, err
	}
	given, err := c.readResults(stdin)
	if err != nil {
		return nil, err
	}
	if n := len(given.req.GetEntries()); n != 1 {
		return nil, fmt.Errorf("stdin has %d canonical results, render takes one", n)
	}
	return renderRequest(given.req, 0, nil), nil
}

// read reads one message of protobuf, in the form of --input. Unknown fields are mistakes: a misspelt one would otherwise
// be a request that silently asks for something else.
func (c *rpcFlags) read(r io.Reader, into proto.Message) error {
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
