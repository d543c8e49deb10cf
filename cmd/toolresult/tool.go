package main

import (
	"github.com/spf13/cobra"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The tool read_result, with which a model reads what a receipt did not show. A host gives the definitions to its provider
// and passes the calls of the model on; these commands do both by hand. What a model does wrong (an unknown result, a
// pattern that is none) is a receipt that the model reads, and exit code 1; what the caller does wrong is a failure.

// toolCommand returns `tool`.
func toolCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "tool", Short: "The tool that a model can be given, to read what receipts left out"}
	cmd.AddCommand(toolDefinitionsCommand(), toolCallCommand())
	return cmd
}

// toolDefinitionsCommand returns `tool definitions`. Each line is one element of the list "tools" of a request to the
// provider, in the provider's own form. There is no default for --provider, because the forms differ.
func toolDefinitionsCommand() *cobra.Command {
	var t target
	var p providerFlag
	var output string
	cmd := &cobra.Command{
		Use: "definitions", Short: "Print the definitions of the tools for a provider, each on a line", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			provider, err := p.provider()
			if err != nil {
				return err
			}
			return t.withConnection(cmd.Context(), func(c *connection) error {
				resp, err := c.GetToolDefinitions(cmd.Context(), &pb.GetToolDefinitionsRequest{Provider: provider})
				if err != nil {
					return err
				}
				if output == formJSON {
					return printJSON(cmd.OutOrStdout(), resp)
				}
				for _, tool := range resp.GetTools() {
					if err := writeln(cmd.OutOrStdout(), tool.GetDefinitionJson()); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	t.flags(cmd.Flags())
	p.flag(cmd)
	outputFlag(cmd.Flags(), &output, "(text is one definition on each line, json the whole answer)", formText, formJSON)
	return cmd
}

// toolCallCommand returns `tool call`. --session confines the call to the results of a session, as a host should: a model
// may name any result that it has read of.
func toolCallCommand() *cobra.Command {
	var t target
	var policy policyFlags
	var ref callFlags
	var output string
	cmd := &cobra.Command{
		Use: "call NAME ARGUMENTS", Short: "Execute the call of a model, with its arguments as JSON", Args: cobra.ExactArgs(2),
		Long:    "Executes the call of a model and prints what the model reads. The exit code is 1 if the model did something wrong.",
		Example: `  toolresult tool call read_result '{"result": "1fa0074a", "match": "error"}' --session S`,
		RunE: func(cmd *cobra.Command, args []string) error {
			// Arguments go on as the model wrote them: what is wrong with them is for the model to read.
			req := &pb.CallToolRequest{Name: args[0], ArgumentsJson: args[1]}
			var err error
			if req.Call, err = ref.message(); err != nil {
				return err
			}
			if req.Policy, err = policy.render(); err != nil {
				return err
			}
			if output == formJSON {
				req.CanonicalForm = pb.CanonicalForm_CANONICAL_FORM_BOTH
			}
			return t.withConnection(cmd.Context(), func(c *connection) error {
				resp, err := c.CallTool(cmd.Context(), req)
				if err != nil {
					return err
				}
				text := resp.GetReceipt().GetText()
				// The receipt is what a host gives to its model; the canonical result is for a host that renders itself.
				if output == formJSON {
					text = resp.GetCanonicalJson()
				}
				if err := writeln(cmd.OutOrStdout(), text); err != nil {
					return err
				}
				// An error of the tool is the model's to read; a script sees it by the exit code.
				if resp.GetCanonical().GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR {
					return exitError{1}
				}
				return nil
			})
		},
	}
	t.flags(cmd.Flags())
	policy.renderFlags(cmd.Flags())
	ref.flags(cmd.Flags())
	outputFlag(cmd.Flags(), &output, "(json is the canonical result in the RFC's JSON)", "receipt", formJSON)
	return cmd
}
