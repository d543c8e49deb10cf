package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The TransportService by hand: encode makes messages of a turn, assemble reads the stream of a response, lint checks and
// repairs a transcript. They are pipes between curl, jq and a provider, and a way to see what a runtime would send. None of
// them calls a provider.

// transportCommand returns `transport`.
func transportCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "transport", Short: "Make messages for a provider of models, read its streams, check transcripts"}
	cmd.AddCommand(transportEncodeCommand(), transportAssembleCommand(), transportLintCommand())
	return cmd
}

// providerFlag is the flag --provider, such as "openai-chat".
type providerFlag struct{ name string }

// flag defines the flag.
func (p *providerFlag) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.name, "provider", "", "whose messages: "+strings.Join(providerNames(), ", "))
}

// providerNames returns the names of all providers, in the order of the contract. Their numbers have no gaps.
func providerNames() []string {
	var names []string
	for n := int32(1); pb.Provider_name[n] != ""; n++ {
		names = append(names, strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(pb.Provider_name[n], "PROVIDER_"), "_", "-")))
	}
	return names
}

// provider returns the provider, which the beginning of its name suffices to name; unspecified if the flag is not given. A
// whole name precedes the longer ones that begin with it, and a beginning of several names none.
func (p *providerFlag) provider() (pb.Provider, error) {
	if p.name == "" {
		return pb.Provider_PROVIDER_UNSPECIFIED, nil
	}
	var found []string
	for _, name := range providerNames() {
		if name == p.name {
			found = []string{name}
			break
		}
		if strings.HasPrefix(name, p.name) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("--provider %s: %s", p.name, strings.Join(providerNames(), ", "))
	}
	return pb.Provider(pb.Provider_value["PROVIDER_"+strings.ToUpper(strings.ReplaceAll(found[0], "-", "_"))]), nil
}

// transportEncodeCommand returns `transport encode`. --provider takes precedence over the provider of the request, so that
// one recorded turn can be looked at for all of them. Changes go to standard error: a name that was replaced, media that are
// described in words.
func transportEncodeCommand() *cobra.Command {
	var c rpcFlags
	var p providerFlag
	cmd := &cobra.Command{
		Use: "encode", Short: "Print the messages of one turn, each on a line", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := &pb.EncodeTurnRequest{}
			if err := c.read(cmd.InOrStdin(), req); err != nil {
				return err
			}
			provider, err := p.provider()
			if err != nil {
				return err
			}
			if p.name != "" {
				req.Provider = provider
			}
			return c.target.withConnection(cmd.Context(), func(conn *connection) error {
				resp, err := conn.EncodeTurn(cmd.Context(), req)
				if err != nil {
					return err
				}
				// Changes are not in the messages, and a runtime would log them.
				for _, note := range resp.GetChanges() {
					fmt.Fprintln(cmd.ErrOrStderr(), "changed:", note.GetDetail())
				}
				return printMessage(cmd.OutOrStdout(), c.output, strings.Join(resp.GetMessagesJson(), "\n"), resp)
			})
		},
	}
	c.flags(cmd, "form of the EncodeTurnRequest on stdin: json (protobuf's) or textproto", "(receipt is the messages alone)")
	p.flag(cmd)
	return cmd
}

// bodyChunk is the largest size of a chunk of a response's body, in bytes. A chunk is sent as soon as it is read, so that it
// is usually one event.
const bodyChunk = 32 << 10

// transportAssembleCommand returns `transport assemble`. What it prints is what a runtime acts on: whole calls alone, the
// incomplete ones with their reasons, and a notice for the model. A stream that broke off is an answer, with exit code 1.
func transportAssembleCommand() *cobra.Command {
	var t target
	var p providerFlag
	var text bool
	var output string
	cmd := &cobra.Command{
		Use: "assemble", Short: "Print what the body of a streamed response says, from stdin", Args: cobra.NoArgs,
		Long: "Reads the body of a streamed response from stdin, such as curl -N prints it, and prints the calls of the model as JSON.\n\n" +
			"The exit code is 1 if the stream is not complete, or a call is not.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			provider, err := p.provider()
			if err != nil {
				return err
			}
			header := &pb.AssembleHeader{Provider: provider}
			if text {
				header.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
			}
			return t.withConnection(cmd.Context(), func(conn *connection) error {
				stream, err := conn.AssembleToolCalls(cmd.Context())
				if err != nil {
					return err
				}
				resp, err := assemble(stream, header, cmd.InOrStdin())
				if err != nil {
					return err
				}
				if err := printJSON(cmd.OutOrStdout(), resp); err != nil {
					return err
				}
				if resp.GetEnd() != pb.StreamEnd_STREAM_END_COMPLETE || len(resp.GetIncomplete()) > 0 {
					return exitError{1}
				}
				return nil
			})
		},
	}
	t.flags(cmd.Flags())
	p.flag(cmd)
	outputFlag(cmd.Flags(), &output, "", formJSON)
	cmd.Flags().BoolVar(&text, "text", false, "calls are text between <tool_call> and </tool_call>")
	return cmd
}

// assemble sends the body of a response while it is read, and returns the answer. Bytes are passed on as they are, cut
// anywhere: the sidecar reads lines and events out of them, in whatever pieces they come.
func assemble(stream pb.TransportService_AssembleToolCallsClient, header *pb.AssembleHeader, body io.Reader) (*pb.AssembleToolCallsResponse, error) {
	// The message is sent before the next chunk is read into the buffer, so one buffer suffices.
	m := &pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Header{Header: header}}
	chunk := make([]byte, bodyChunk)
	for {
		if err := stream.Send(m); err != nil {
			return stream.CloseAndRecv() // which returns the reason
		}
		n, err := body.Read(chunk)
		if n == 0 && err != nil {
			if !errors.Is(err, io.EOF) {
				return nil, err
			}
			return stream.CloseAndRecv()
		}
		m = &pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Body{Body: chunk[:n]}}
	}
}

// transportLintCommand returns `transport lint`. Output and exit codes are those of a linter: nothing and 0 if all is well,
// a line for each finding and 1 if not. With --repair it is a filter, whose output can be sent to the provider.
func transportLintCommand() *cobra.Command {
	var t target
	var p providerFlag
	var repair bool
	var output string
	cmd := &cobra.Command{
		Use: "lint", Short: "Say what a provider would refuse in an array of messages from stdin", Args: cobra.NoArgs,
		Long: "Reads a JSON array of messages from stdin and prints what the provider would refuse, each on a line; the exit code is 1 if there is " +
			"anything.\n\nWith --repair the repaired array is printed, what was found goes to stderr, and the exit code is 0.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			provider, err := p.provider()
			if err != nil {
				return err
			}
			transcript, err := io.ReadAll(cmd.InOrStdin())
			if err != nil {
				return err
			}
			return t.withConnection(cmd.Context(), func(conn *connection) error {
				resp, err := conn.LintTranscript(cmd.Context(), &pb.LintTranscriptRequest{Provider: provider, TranscriptJson: string(transcript), Repair: repair})
				if err != nil {
					return err
				}
				if output == formJSON {
					return printLint(cmd.OutOrStdout(), resp)
				}
				return printFindings(cmd.OutOrStdout(), cmd.ErrOrStderr(), resp)
			})
		},
	}
	t.flags(cmd.Flags())
	p.flag(cmd)
	textOrJSON(cmd.Flags(), &output)
	cmd.Flags().BoolVar(&repair, "repair", false, "print the repaired messages")
	return cmd
}

// printLint prints the answer as JSON, with the exit code of printFindings.
func printLint(w io.Writer, resp *pb.LintTranscriptResponse) error {
	if err := printJSON(w, resp); err != nil {
		return err
	}
	if resp.RepairedJson == nil && resp.GetTotal() > 0 {
		return exitError{1}
	}
	return nil
}

// printFindings prints the findings and, if they were asked for, the repaired messages. Findings without repair are exit
// code 1; beside repaired messages, which may be piped on, they go to stderr. Each line begins with the index of the message
// from 0, as the provider's own errors name it.
func printFindings(stdout, stderr io.Writer, resp *pb.LintTranscriptResponse) error {
	out := stdout
	if resp.RepairedJson != nil {
		out = stderr
	}
	for _, f := range resp.GetFindings() {
		rule := strings.ToLower(strings.TrimPrefix(f.GetRule().String(), "TRANSCRIPT_RULE_"))
		if _, err := fmt.Fprintf(out, "message %d: %s: %s\n", f.GetMessage(), rule, strings.TrimSpace(f.GetCallId()+" "+f.GetDetail())); err != nil {
			return err
		}
	}
	switch {
	case resp.RepairedJson != nil:
		return writeln(stdout, resp.GetRepairedJson())
	case resp.GetTotal() > 0:
		return exitError{1}
	}
	return nil
}
