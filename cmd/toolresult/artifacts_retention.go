package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The commands of people who look after a store: list, verify, lease, gc. They do by hand what `serve` does by itself every
// gc_interval, and what a runtime does for its sessions (docs/reference/artifacts.md).

// artifactsListCommand returns `artifacts list`. It prints each page as it comes from the sidecar into one table, so that
// the columns of a session with thousands of artifacts are aligned throughout.
func artifactsListCommand() *cobra.Command {
	var t target
	var output string
	req := &pb.ListArtifactsRequest{PageSize: 1000}
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List the artifacts of a session, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.withConnection(cmd.Context(), func(c *connection) error {
				// The table is aligned as a whole, so it is printed when the last page is here; lines of JSON at once.
				table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
				visit := func(e *pb.ArtifactEntry) error { return printEntry(table, e) }
				if output == formJSON {
					visit = func(e *pb.ArtifactEntry) error { return printMessageLine(cmd.OutOrStdout(), e) }
				}
				return errors.Join(eachArtifact(cmd.Context(), c, req, visit), table.Flush())
			})
		},
	}
	t.flags(cmd.Flags())
	textOrJSON(cmd.Flags(), &output)
	cmd.Flags().StringVar(&req.SessionId, "session", "", "the session (default: what belongs to none)")
	cmd.Flags().StringVar(&req.CallId, "call", "", "one call of it (default: all)")
	return cmd
}

// eachArtifact calls visit for each artifact that is asked for, the newest first. An error of visit ends it.
func eachArtifact(ctx context.Context, c *connection, req *pb.ListArtifactsRequest, visit func(*pb.ArtifactEntry) error) error {
	for {
		resp, err := c.ListArtifacts(ctx, req)
		if err != nil {
			return err
		}
		for _, e := range resp.GetArtifacts() {
			if err := visit(e); err != nil {
				return err
			}
		}
		if req.PageToken = resp.GetNextPageToken(); req.GetPageToken() == "" {
			return nil
		}
	}
}

// printEntry prints the line of an artifact: time, size, call, path and state. Deleted ones stay in the list, with the
// reason, because a receipt may still name them.
func printEntry(w io.Writer, e *pb.ArtifactEntry) error {
	note := ""
	switch e.GetState() {
	case pb.ArtifactState_ARTIFACT_STATE_EXPIRED:
		note = "deleted at " + formatTime(e.GetDeletedAt()) + ": " + e.GetDeletionReason()
	case pb.ArtifactState_ARTIFACT_STATE_LIVE:
		note = "still written"
	}
	if e.GetPartial() {
		note = "cut off " + note
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", formatTime(e.GetStoredAt()), formatBytes(e.GetBytes()), cmp.Or(e.GetCallId(), "-"), e.GetPath(), note)
	return err
}

// artifactsVerifyCommand returns `artifacts verify`. The answer is a stream: each corrupt artifact when it is found, and the
// counts at the end. A stream that ends without counts was cut off, and proves nothing.
func artifactsVerifyCommand() *cobra.Command {
	var t target
	var output string
	cmd := &cobra.Command{
		Use: "verify [flags] [PATH...]", Short: "Compare artifacts, or all of them, with their digests",
		Long: "Reads artifacts from their first to their last byte and compares them with their digests. Prints those that are not\n" +
			"sound, with the reason, and exits with 1 if there are any.",
		RunE: func(cmd *cobra.Command, paths []string) error {
			return t.withConnection(cmd.Context(), func(c *connection) error {
				p := showProgress(cmd.Context(), takes("comparing "+artifactCount(cmd.Context(), c, paths)+" with their digests"))
				defer p.stop()
				call, err := c.VerifyArtifacts(cmd.Context(), &pb.VerifyArtifactsRequest{Paths: paths})
				if err != nil {
					return err
				}
				for {
					resp, err := call.Recv()
					if errors.Is(err, io.EOF) {
						return errors.New("the verification ended early")
					}
					if err != nil {
						return err
					}
					if err := printVerified(p.above(cmd.OutOrStdout()), output, resp); err != nil {
						return err
					}
					switch n := resp.GetCounts(); {
					case n.GetCorrupt() > 0:
						return exitError{1}
					case n != nil:
						return nil
					}
				}
			})
		},
	}
	t.flags(cmd.Flags())
	textOrJSON(cmd.Flags(), &output)
	return cmd
}

// artifactCount returns how many artifacts are to be verified, in words for progress.
func artifactCount(ctx context.Context, c *connection, paths []string) string {
	if len(paths) > 0 || !hasTerminal(ctx) {
		return fmt.Sprintf("%d artifacts", len(paths))
	}
	info, err := c.GetServerInfo(ctx, &pb.GetServerInfoRequest{})
	if err != nil {
		return "all artifacts" // the verification has the reason
	}
	return fmt.Sprintf("%d artifacts (%s)", info.GetStore().GetArtifacts(), formatBytes(info.GetStore().GetBytes()))
}

// printVerified prints a line for an artifact that is corrupt, or for the counts.
func printVerified(w io.Writer, output string, resp *pb.VerifyArtifactsResponse) error {
	if output == formJSON {
		return printMessageLine(w, resp)
	}
	if u := resp.GetCorrupt(); u != nil {
		return writeln(w, u.GetReason()+"  "+u.GetPath())
	}
	n := resp.GetCounts()
	return writeln(w, fmt.Sprintf("%d intact, %d corrupt, %s read", n.GetIntact(), n.GetCorrupt(), formatBytes(n.GetBytes())))
}

// artifactsLeaseCommand returns `artifacts lease`. A lease keeps the artifacts of a session from being deleted, whatever
// their age and the size of the store; a session that is over gives its lease back with 0s.
func artifactsLeaseCommand() *cobra.Command {
	var t target
	var output string
	cmd := &cobra.Command{
		Use: "lease [flags] SESSION DURATION", Short: "Say how long the artifacts of a session are needed; 0s ends it",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			// A duration and no time: clocks of client and sidecar may differ.
			d, err := time.ParseDuration(args[1])
			if err != nil || d < 0 {
				return fmt.Errorf("%q is no duration such as 24h", args[1])
			}
			return t.withConnection(cmd.Context(), func(c *connection) error {
				resp, err := c.LeaseSession(cmd.Context(), &pb.LeaseSessionRequest{SessionId: args[0], Duration: durationpb.New(d)})
				switch {
				case err != nil:
					return err
				case output == formJSON:
					return printJSON(cmd.OutOrStdout(), resp)
				}
				return writeln(cmd.OutOrStdout(), cmp.Or(formatTime(resp.GetLeasedUntil()), "no lease"))
			})
		},
	}
	t.flags(cmd.Flags())
	textOrJSON(cmd.Flags(), &output)
	return cmd
}

// maxCollection is the time limit of a collection. It is longer than the default deadline of calls, because a store of
// millions of artifacts on a slow disk takes minutes.
const maxCollection = time.Hour

// artifactsCollectCommand returns `artifacts gc`: one collection now, by the rules of the configuration. --dry-run answers
// the same and deletes nothing.
func artifactsCollectCommand() *cobra.Command {
	var t target
	var output string
	req := &pb.CollectGarbageRequest{}
	cmd := &cobra.Command{
		Use: "gc [flags]", Short: "Delete artifacts whose time is over", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.withConnection(cmd.Context(), func(c *connection) error {
				ctx, cancel := context.WithTimeout(cmd.Context(), maxCollection)
				defer cancel()
				p := showProgress(ctx, takes("collecting garbage"))
				resp, err := c.CollectGarbage(ctx, req)
				p.stop()
				if err != nil {
					return err
				}
				if output == formJSON {
					return printJSON(cmd.OutOrStdout(), resp)
				}
				// Paths may be cut at a number of them; the counts below are exact.
				for _, e := range resp.GetDeleted() {
					fmt.Fprintln(cmd.OutOrStdout(), e.GetPath())
				}
				return writeln(cmd.OutOrStdout(), fmt.Sprintf("%d deleted, %s; %d kept, %s", resp.GetDeletedArtifacts(),
					formatBytes(resp.GetDeletedBytes()), resp.GetKeptArtifacts(), formatBytes(resp.GetKeptBytes())))
			})
		},
	}
	t.flags(cmd.Flags())
	textOrJSON(cmd.Flags(), &output)
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "delete nothing, only say what would be")
	return cmd
}

// formatTime returns a time in RFC 3339, UTC; empty if there is none. Tables are compared and sorted as text, for which
// local time is no good.
func formatTime(t *timestamppb.Timestamp) string {
	if t == nil {
		return ""
	}
	return t.AsTime().Format(time.RFC3339)
}

// formatBytes returns a size in the largest binary unit of which there is at least one, such as "1.2 MiB"; sizes of 10 units
// or more are without a fraction.
func formatBytes(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	size, unit := float64(n), 0
	for size >= 1023.5 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	if unit == 0 || size >= 10 {
		return fmt.Sprintf("%.0f %s", size, units[unit])
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}
