package main

import (
	"github.com/spf13/cobra"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

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
