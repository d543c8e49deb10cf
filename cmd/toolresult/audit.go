package main

// The commands of the audit log: list, show, export; verify and salvage are in files of their own.
//
// They call the AuditService of a running sidecar, or of an embedded one that opens the same log. verify has two
// halves: the chain of hashes shows that no record was altered or removed, and making a result again from its stored
// complete output shows that the record has what was answered.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// auditCommand returns `audit`.
func auditCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "See what the model saw, and prove it"}
	cmd.AddCommand(auditListCommand(), auditShowCommand(), auditVerifyCommand(), auditExportCommand(), auditSalvageCommand())
	return cmd
}

// recordFilter selects records by flags. Conditions add up: a record must meet all of them. list shows the last 50 records,
// because a log has millions; export writes all of them.
type recordFilter struct {
	req   pb.ListRecordsRequest // with the flags that are its fields
	kinds []string              // names of kinds; empty: all
	since time.Duration         // before now; 0: from the beginning of the log
	limit int                   // number of records; 0: all
}

// flags defines the flags, with the default of --limit.
func (s *recordFilter) flags(fs *pflag.FlagSet, limit int) {
	fs.StringVar(&s.req.SessionId, "session", "", "of this session")
	fs.StringVar(&s.req.CallId, "call", "", "of this call")
	fs.StringVar(&s.req.RequestId, "request", "", "with this request id")
	fs.StringVar(&s.req.ToolName, "tool", "", "of this tool")
	fs.StringVar(&s.req.Artifact, "artifact", "", "that name the artifact at this path")
	fs.StringSliceVar(&s.kinds, "kind", nil, "of these kinds: "+strings.Join(kindNames(), ", "))
	fs.DurationVar(&s.since, "since", 0, "of the last time, such as 24h")
	fs.IntVar(&s.limit, "limit", limit, "at most so many; 0: all")
}

// kindNames returns the names of all kinds of records, in the order of the contract.
func kindNames() (names []string) {
	for number := int32(1); ; number++ {
		name, ok := pb.AuditKind_name[number]
		if !ok {
			return names
		}
		names = append(names, kindName(name))
	}
}

// kindName returns the name of a kind: "AUDIT_KIND_TOOL_CALL" gives "tool_call".
func kindName(name string) string { return strings.ToLower(strings.TrimPrefix(name, "AUDIT_KIND_")) }

// each calls visit for each record that is selected, the newest first. An error of visit ends it. Pages have at most 1,000
// records, and the last one no more than --limit leaves; records that are written meanwhile are newer than the first page,
// and do not move the others.
func (s *recordFilter) each(ctx context.Context, c *connection, visit func(*pb.AuditRecord) error) error {
	for _, name := range s.kinds {
		kind, ok := pb.AuditKind_value["AUDIT_KIND_"+strings.ToUpper(name)]
		if !ok {
			return fmt.Errorf("--kind %s: one of %s", name, strings.Join(kindNames(), ", "))
		}
		s.req.Kinds = append(s.req.Kinds, pb.AuditKind(kind))
	}
	if s.since > 0 {
		s.req.FromTime = timestamppb.New(time.Now().Add(-s.since))
	}
	for left := s.limit; ; { // records that --limit leaves
		s.req.PageSize = 1000
		if s.limit > 0 {
			s.req.PageSize = uint32(min(left, 1000))
		}
		resp, err := c.ListRecords(ctx, &s.req)
		if err != nil {
			return err
		}
		for _, r := range resp.GetRecords() {
			if err := visit(r); err != nil {
				return err
			}
		}
		left -= len(resp.GetRecords())
		if s.req.PageToken = resp.GetNextPageToken(); s.req.GetPageToken() == "" || s.limit > 0 && left <= 0 {
			return nil
		}
	}
}

// auditListCommand returns `audit list`. The first column is the sequence, by which the other commands name a record.
func auditListCommand() *cobra.Command {
	var t target
	var s recordFilter
	var output string
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List audit records, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.withConnection(cmd.Context(), func(c *connection) error {
				table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
				err := s.each(cmd.Context(), c, func(r *pb.AuditRecord) error {
					if output == formJSON {
						return printRecord(cmd.OutOrStdout(), r)
					}
					_, err := fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", r.GetSequence(), formatTime(r.GetRecordedAt()), kindName(r.GetKind().String()),
						cmp.Or(r.GetCall().GetSessionId(), "-"), cmp.Or(r.GetCall().GetCallId(), "-"), cmp.Or(r.GetToolName(), "-"), recordNote(r))
					return err
				})
				return errors.Join(err, table.Flush())
			})
		},
	}
	t.flags(cmd.Flags())
	s.flags(cmd.Flags(), 50)
	outputFlag(cmd.Flags(), &output, "(json has one record in short on each line)", formText, formJSON)
	return cmd
}

// recordNote returns the last column of a list: tokens and secrets of a result, the reason of a rejection, or the records
// that retention deleted. Deleted records leave one of their own, so that the chain has no gap that is not explained.
func recordNote(r *pb.AuditRecord) string {
	switch r.GetKind() {
	case pb.AuditKind_AUDIT_KIND_REJECTION:
		return r.GetRejection().GetCode() + " " + r.GetRejection().GetReason()
	case pb.AuditKind_AUDIT_KIND_RETENTION:
		return fmt.Sprintf("deleted %d to %d", r.GetRetention().GetFirst(), r.GetRetention().GetLast())
	}
	note := fmt.Sprintf("%d tokens", r.GetReceipt().GetTokens())
	secrets := uint64(0)
	for _, redaction := range r.GetRedactions() {
		secrets += redaction.GetCount()
	}
	if secrets > 0 {
		note += fmt.Sprintf(", %d redacted", secrets)
	}
	return note
}

// auditShowCommand returns `audit show`. Its form "receipt" prints the bytes that the model read, as the record has them,
// and not a receipt that is made again: that is what verify compares.
func auditShowCommand() *cobra.Command {
	var t target
	var form string
	cmd := &cobra.Command{
		Use: "show [flags] SEQUENCE", Short: "Print a record: the receipt that the model read, or all of it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sequence, err := parseSequence(args[0])
			if err != nil {
				return err
			}
			return t.withConnection(cmd.Context(), func(c *connection) error {
				resp, err := c.GetRecord(cmd.Context(), &pb.GetRecordRequest{Sequence: sequence})
				if err != nil {
					return err
				}
				return printMessage(cmd.OutOrStdout(), form, resp.GetRecord().GetReceipt().GetText(), resp.GetRecord())
			})
		},
	}
	t.flags(cmd.Flags())
	outputFlag(cmd.Flags(), &form, "", formJSON, "receipt", "textproto")
	return cmd
}

// parseSequence reads the sequence of a record, a number from 1. Sequences are never used twice, not even after retention.
func parseSequence(text string) (uint64, error) {
	sequence, err := strconv.ParseUint(text, 10, 64)
	if err != nil || sequence == 0 {
		return 0, fmt.Errorf("%q is no sequence, a number from 1 on", text)
	}
	return sequence, nil
}

// auditExportCommand returns `audit export`. ListRecords answers with records in short, so that each is fetched whole. One
// object on each line (JSON Lines) can be cut, compressed and read by anything.
func auditExportCommand() *cobra.Command {
	var t target
	var s recordFilter
	cmd := &cobra.Command{
		Use: "export [flags]", Short: "Print records whole, one JSON object on each line, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.withConnection(cmd.Context(), func(c *connection) error {
				return s.each(cmd.Context(), c, func(r *pb.AuditRecord) error {
					resp, err := c.GetRecord(cmd.Context(), &pb.GetRecordRequest{Sequence: r.GetSequence()})
					if err != nil {
						return err
					}
					return printRecord(cmd.OutOrStdout(), resp.GetRecord())
				})
			})
		},
	}
	t.flags(cmd.Flags())
	s.flags(cmd.Flags(), 0)
	var output string
	outputFlag(cmd.Flags(), &output, "", formJSON)
	return cmd
}

// printRecord prints a record as JSON on one line, without the fields that have no value: most of a record's have none.
func printRecord(w io.Writer, r *pb.AuditRecord) error {
	return printLine(w, r, protojson.MarshalOptions{UseProtoNames: true})
}
