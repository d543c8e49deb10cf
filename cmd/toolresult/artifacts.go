package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// `artifacts read` does by hand what the tool read_result does for a model: it reads what a receipt did not show, by the
// path that the receipt names. A selection is one of lines, tail, around, match and pointer; the sidecar evaluates it, so
// that a line out of a gigabyte costs no transfer of a gigabyte.

// artifactsCommand returns `artifacts`.
func artifactsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "artifacts", Short: "Read what receipts left out, and keep house"}
	cmd.AddCommand(artifactsReadCommand(), artifactsAppendCommand(), artifactsListCommand(), artifactsVerifyCommand(), artifactsLeaseCommand(), artifactsCollectCommand())
	return cmd
}

// artifactRead is one use of `artifacts read`.
type artifactRead struct {
	target target

	// The selection: at most one of these.
	lines   string  // FIRST-LAST; empty: not given
	tail    uint64  // number of last lines; 0: not given
	around  uint64  // number of a line, from 1; 0: not given
	match   string  // a regular expression (RE2); empty: not given
	pointer *string // a JSON pointer, of which "" is the whole value; nil: not given
	context uint32  // lines before and after around, or each match

	budget pb.ReadBudget // of one page; zero: every page is printed
	cursor string        // where to go on; empty: at the beginning
	follow bool          // wait for what is appended

	session string // whose artifacts are known; empty: those of all
	raw     bool   // before redaction, for the sidecar's own user alone
	output  string // text: the bytes; json: each page as the sidecar answered it
}

// followInterval is the time between two requests of `artifacts read --follow`: short for people who watch, and cheap for
// the sidecar, which answers a request without new bytes from memory.
const followInterval = 200 * time.Millisecond

// artifactsReadCommand returns `artifacts read`.
func artifactsReadCommand() *cobra.Command {
	var r artifactRead
	var pointer string
	cmd := &cobra.Command{
		Use: "read [flags] PATH", Short: "Print a part of an artifact, exactly as it was put",
		Long: "Prints a part of the artifact at a path that a receipt names: all of it, or what one of --lines, --tail, --around, " +
			"--match and --pointer selects.\n\nWithout --max-bytes, --max-lines and --cursor every page is printed; with one of them a single one, " +
			"and the cursor of the next on stderr.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("pointer") { // "" is a pointer, too
				r.pointer = &pointer
			}
			return r.run(cmd, args[0])
		},
	}
	r.target.flags(cmd.Flags())
	outputFlag(cmd.Flags(), &r.output, "(text is the bytes, json one page on each line, with its bytes in base64)", formText, formJSON)
	cmd.Flags().StringVar(&r.session, "session", "", "the session for which it is read; what is of others is not known then")
	cmd.Flags().BoolVar(&r.raw, "raw", false, "read the payload as the tool wrote it, before it was redacted")
	cmd.Flags().StringVar(&r.lines, "lines", "", "lines FIRST-LAST, from 1; either may be left out")
	cmd.Flags().Uint64Var(&r.tail, "tail", 0, "the last lines")
	cmd.Flags().Uint64Var(&r.around, "around", 0, "a line, and --context lines before and after it")
	cmd.Flags().StringVar(&r.match, "match", "", "lines that match a regular expression, and --context lines before and after each")
	cmd.Flags().StringVar(&pointer, "pointer", "", "the value of a JSON text at a JSON pointer (RFC 6901), such as /items/3/name")
	cmd.Flags().Uint32Var(&r.context, "context", 0, "lines before and after")
	cmd.Flags().Uint32Var(&r.budget.MaxBytes, "max-bytes", 0, "bytes of one page (default: all pages are printed)")
	cmd.Flags().Uint32Var(&r.budget.MaxLines, "max-lines", 0, "lines of one page (default: all pages are printed)")
	cmd.Flags().StringVar(&r.cursor, "cursor", "", "where to go on, as the page before said")
	cmd.Flags().BoolVar(&r.follow, "follow", false, "go on with what is appended to a log, until it is finished")
	cmd.MarkFlagsMutuallyExclusive("lines", "tail", "around", "match", "pointer")
	return cmd
}

// run prints all pages or, if a flag bounds a page, one and the cursor of the next. The cursor goes to standard error, so
// that standard output is the bytes of the artifact and nothing else; pages one after the other are the original bytes.
func (r *artifactRead) run(cmd *cobra.Command, path string) error {
	req, err := r.request(path)
	if err != nil {
		return err
	}
	// Nobody asked for pages: they are as large as one message may be, and each is printed when it is here.
	every := r.follow || r.budget.GetMaxBytes() == 0 && r.budget.GetMaxLines() == 0 && r.cursor == ""
	if every {
		req.Budget = &pb.ReadBudget{MaxBytes: cmp.Or(r.budget.GetMaxBytes(), 1<<20), MaxLines: cmp.Or(r.budget.GetMaxLines(), 1_000_000)}
	}
	return r.target.withConnection(cmd.Context(), func(c *connection) error {
		for {
			resp, err := c.ReadArtifact(cmd.Context(), req)
			if err != nil {
				return err
			}
			if err := r.print(cmd.OutOrStdout(), resp); err != nil {
				return err
			}
			// A live log is complete as far as it is written, and may go on: its cursor is that of the next append.
			waits := resp.GetComplete() && resp.GetLive()
			switch {
			case waits && r.follow:
				if err := pause(cmd.Context(), followInterval); err != nil {
					return err
				}
			case waits && !every:
				fmt.Fprintln(cmd.ErrOrStderr(), "toolresult: it is still written: --cursor", resp.GetNextPageToken())
				return nil
			case resp.GetComplete():
				return nil
			case !every:
				fmt.Fprintln(cmd.ErrOrStderr(), "toolresult: there is more: --cursor", resp.GetNextPageToken())
				return nil
			}
			req.PageToken = resp.GetNextPageToken()
		}
	})
}

// print prints a page.
func (r *artifactRead) print(w io.Writer, page *pb.ReadArtifactResponse) error {
	if r.output == formJSON {
		return printMessageLine(w, page)
	}
	_, err := w.Write(page.GetData())
	return err
}

// pause waits for d, or until ctx is done, and then returns its error: an interrupted --follow is no success.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// request returns the request for the first page. Without a selection it is the whole artifact; cobra has rejected two
// selections already.
func (r *artifactRead) request(path string) (*pb.ReadArtifactRequest, error) {
	req := &pb.ReadArtifactRequest{Path: path, Budget: &r.budget, PageToken: r.cursor, SessionId: r.session, Raw: r.raw}
	switch {
	case r.lines != "":
		lines, err := lineRange(r.lines)
		if err != nil {
			return nil, err
		}
		req.Selection = &pb.ReadArtifactRequest_Lines{Lines: lines}
	case r.tail > 0:
		req.Selection = &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: r.tail}}
	case r.around > 0:
		req.Selection = &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: r.around, Before: r.context, After: r.context}}
	case r.match != "":
		req.Selection = &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: r.match, Before: r.context, After: r.context}}
	case r.pointer != nil:
		req.Selection = &pb.ReadArtifactRequest_JsonPointer{JsonPointer: *r.pointer}
	}
	return req, nil
}

// lineRange reads FIRST-LAST, FIRST- or -LAST. Lines are numbered from 1, as in receipts; a side that is absent is 0, which
// stands for the beginning or the end.
func lineRange(text string) (*pb.LineRange, error) {
	first, last, ok := strings.Cut(text, "-")
	lines := &pb.LineRange{}
	var errs [2]error
	if first != "" {
		lines.First, errs[0] = strconv.ParseUint(first, 10, 64)
	}
	if last != "" {
		lines.Last, errs[1] = strconv.ParseUint(last, 10, 64)
	}
	if !ok || text == "-" || errs != [2]error{} {
		return nil, fmt.Errorf("--lines %q: FIRST-LAST, FIRST- or -LAST", text)
	}
	return lines, nil
}
