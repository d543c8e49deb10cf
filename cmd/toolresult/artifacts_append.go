package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// A log is an artifact that grows. `artifacts append` writes one from a pipe, for a command that runs for hours: its output
// can be read from the first byte on, and what was written before a crash stays. AppendLog is a stream in both directions.
// The first answer has the path, later ones say how much is durable, and the last has the artifact.

// logAppend is one use of `artifacts append`.
type logAppend struct {
	target target
	call   pb.CallReference // the call that the log belongs to
	name   string           // of the log among those of the call; empty: it has one
	sent   atomic.Int64     // bytes
	output string           // text: nothing but the path on stderr; json: the last answer, with the artifact
}

// artifactsAppendCommand returns `artifacts append`.
func artifactsAppendCommand() *cobra.Command {
	var a logAppend
	cmd := &cobra.Command{
		Use: "append --session S --call C", Short: "Write standard input to a log that can be read while it grows",
		Long: "Copies standard input to the log of a call until it ends, and then makes an artifact of the log. The path of the log is " +
			"printed on stderr at once; `artifacts read --follow PATH` shows what comes. What is killed before the end of its input leaves " +
			"the log as it is, and a later use goes on with it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := showProgress(cmd.Context(), func(took time.Duration) string {
				return fmt.Sprintf("%s are written, %s", formatBytes(uint64(a.sent.Load())), took)
			})
			defer p.stop()
			return a.target.withConnection(cmd.Context(), func(c *connection) error {
				return a.run(cmd.Context(), c, cmd.InOrStdin(), cmd.OutOrStdout(), p.above(cmd.ErrOrStderr()))
			})
		},
	}
	a.target.flags(cmd.Flags())
	outputFlag(cmd.Flags(), &a.output, "(json is the answer with the artifact, on stdout)", formText, formJSON)
	cmd.Flags().StringVar(&a.call.SessionId, "session", "", "session of the call")
	cmd.Flags().StringVar(&a.call.CallId, "call", "", "call that the log belongs to")
	cmd.Flags().StringVar(&a.name, "name", "", "name of the log, when the call has several")
	for _, name := range []string{"session", "call"} {
		_ = cmd.MarkFlagRequired(name) // it fails only without the flag
	}
	return cmd
}

// run copies in to the log and finishes it. Answers are received meanwhile: one of them may say that the log failed. Its
// return cancels the call, which ends the copying, but not a read that waits for input: the process ends then.
func (a *logAppend) run(ctx context.Context, c *connection, in io.Reader, stdout, stderr io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	call, err := c.AppendLog(ctx)
	if err != nil {
		return err
	}
	header := &pb.LogHeader{Call: &a.call, Name: a.name}
	if err := call.Send(&pb.AppendLogRequest{Message: &pb.AppendLogRequest_Header{Header: header}}); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first, err := call.Recv()
	if err != nil {
		return err
	}
	fmt.Fprintln(stderr, first.GetPath())
	// Answers must be received while data is sent: a server whose answers nobody reads stops reading requests.
	copied := make(chan error, 1)
	go func() { copied <- a.copy(call, in) }()
	for {
		answer, err := call.Recv()
		switch {
		case errors.Is(err, io.EOF): // the server has ended the call; copy knows why
			return <-copied
		case err != nil:
			return err
		case answer.GetArtifact() != nil && a.output == formJSON:
			return printJSON(stdout, answer)
		case answer.GetArtifact() != nil:
			return nil
		}
	}
}

// copy sends the input while it is read, and finishes the log at its end. If reading fails, the log stays unfinished, because
// an artifact of half the input would look like all of it; a later use goes on where this one ended.
func (a *logAppend) copy(call pb.ArtifactService_AppendLogClient, in io.Reader) error {
	for {
		buf := make([]byte, chunkBytes) // the message keeps it until it is sent
		n, err := in.Read(buf)
		if n > 0 {
			if err := call.Send(&pb.AppendLogRequest{Message: &pb.AppendLogRequest_Data{Data: buf[:n]}}); err != nil {
				return nil // the answer says why
			}
			a.sent.Add(int64(n))
		}
		switch {
		case errors.Is(err, io.EOF):
			if err := call.Send(&pb.AppendLogRequest{Message: &pb.AppendLogRequest_Finish{Finish: &pb.LogFinish{}}}); err != nil {
				return nil // likewise
			}
			return call.CloseSend()
		case err != nil:
			return errors.Join(err, call.CloseSend()) // the log stays as it is
		}
	}
}
