package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// auditVerifyCommand returns `audit verify`. Whoever can write to the log could write a new chain with it; a head that was
// kept elsewhere shows that, because no chain that was written anew contains it.
func auditVerifyCommand() *cobra.Command {
	var t target
	var head, output string
	var all bool
	cmd := &cobra.Command{
		Use: "verify [flags] [SEQUENCE...]", Short: "Prove that records are what was answered, and that none is missing",
		Long: "With sequences: makes the canonical result and the receipt of each record again, from the stored complete output, and\n" +
			"compares them byte for byte. Without: follows the chain of the log from end to end; with --all both.\n" +
			"Prints what differs or cannot be compared, and exits with 1 if anything differs. A warning, such as that the head\n" +
			"outside of the log is missing, changes no exit code.",
		RunE: func(cmd *cobra.Command, args []string) error {
			v := &verification{ctx: cmd.Context(), out: cmd.OutOrStdout(), output: output}
			p := showProgress(cmd.Context(), v.progress)
			defer p.stop()
			v.out = p.above(v.out)
			return t.withConnection(cmd.Context(), func(c *connection) error {
				v.connection = c
				if err := v.run(args, head, all); err != nil {
					return err
				}
				if v.inconsistent > 0 {
					return exitError{1}
				}
				return nil
			})
		},
	}
	t.flags(cmd.Flags())
	cmd.Flags().StringVar(&head, "head", "", `a head that was kept, as the trailer of an answer has it: "LOG SEQUENCE HASH"`)
	cmd.Flags().BoolVar(&all, "all", false, "make every result again, too")
	outputFlag(cmd.Flags(), &output, "(json has one finding on each line, the counts of the log last)", formText, formJSON)
	return cmd
}

// verification is one use of `audit verify`. It goes on after an inconsistency, so that one run names all of them, and it
// ends with the first error, such as a record that does not exist: then nothing is proved.
type verification struct {
	*connection
	ctx          context.Context // of the command
	out          io.Writer       // gets a line for each record, and one for the log
	output       string          // text or json
	all          bool            // every record is made again after the chain
	inconsistent int             // records that differ from what was answered, or do not follow in the chain
	done, total  atomic.Int64    // records that were made again, and that are to be
	newest       atomic.Uint64   // sequence of the newest record; 0: not known
}

// progress returns how far the verification is.
func (v *verification) progress(took time.Duration) string {
	if total := v.total.Load(); total > 0 {
		return fmt.Sprintf("%d of %d records are made again, %s", v.done.Load(), total, took)
	}
	if newest := v.newest.Load(); newest > 0 {
		return takes(fmt.Sprintf("following the chain of records up to %d", newest))(took)
	}
	return takes("following the chain of records")(took)
}

// run verifies the records that are named or, if none is, the chain; with all, then every record. The chain goes first: in
// a log that was altered the records prove nothing.
func (v *verification) run(args []string, head string, all bool) error {
	v.total.Store(int64(len(args)))
	for _, arg := range args {
		sequence, err := parseSequence(arg)
		if err != nil {
			return err
		}
		if err := v.record(sequence); err != nil {
			return err
		}
	}
	if len(args) > 0 {
		return nil
	}
	v.all = all
	if hasTerminal(v.ctx) {
		if resp, err := v.ListRecords(v.ctx, &pb.ListRecordsRequest{PageSize: 1}); err == nil && len(resp.GetRecords()) > 0 { // else it is not known
			v.newest.Store(resp.GetRecords()[0].GetSequence())
		}
	}
	if err := v.log(head); err != nil || !all {
		return err
	}
	var s recordFilter
	return s.each(v.ctx, v.connection, func(r *pb.AuditRecord) error { return v.record(r.GetSequence()) })
}

// record has the sidecar make a result again, and prints whether the record holds. A record holds incompletely when its
// complete output was deleted since, or when a newer renderer writes receipts otherwise: nothing contradictory was found,
// and not everything could be compared.
func (v *verification) record(sequence uint64) error {
	resp, err := v.VerifyRecord(v.ctx, &pb.VerifyRecordRequest{Sequence: sequence})
	if err != nil {
		return err
	}
	v.done.Add(1)
	if !resp.GetHolds() {
		v.inconsistent++
	}
	if v.output == formJSON {
		return printValueLine(v.out, newVerifiedRecord(sequence, resp))
	}
	verdict := "holds"
	switch {
	case !resp.GetHolds():
		verdict = "DIFFERS"
	case !resp.GetComplete():
		verdict = "holds, as far as it can be compared"
	}
	fmt.Fprintf(v.out, "record %d: %s\n", sequence, verdict)
	// Comparisons that found nothing have no text; they are counted by holds alone.
	for _, f := range resp.GetFindings() {
		if f.GetText() != "" {
			fmt.Fprintf(v.out, "  %s: %s: %s\n", f.GetSubject(), strings.ToLower(strings.TrimPrefix(f.GetVerdict().String(), "VERDICT_")), f.GetText())
		}
	}
	return nil
}

// log verifies the chain, and that the record of a head that was kept is in it, and prints what does not hold. The last line
// has the present head, in the form that --head takes, to be kept for the next time.
func (v *verification) log(head string) error {
	req := &pb.VerifyLogRequest{}
	if head != "" {
		parts := strings.Fields(head)
		if len(parts) != 3 {
			return fmt.Errorf("--head %q: LOG SEQUENCE HASH", head)
		}
		sequence, err := parseSequence(parts[1])
		if err != nil {
			return err
		}
		// The id of the log is for people: a head of another log has another hash at its sequence.
		req.HeadSequence, req.HeadHash = sequence, parts[2]
	}
	call, err := v.VerifyLog(v.ctx, req)
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
		v.inconsistent += int(resp.GetVerified().GetInconsistent())
		if n := resp.GetVerified(); n != nil && v.all {
			v.total.Store(int64(n.GetIntact() + n.GetInconsistent()))
		}
		if err := v.print(resp); err != nil || resp.GetVerified() != nil {
			return err
		}
	}
}

// print prints a record that does not hold, or the counts.
func (v *verification) print(resp *pb.VerifyLogResponse) error {
	if v.output == formJSON {
		return printMessageLine(v.out, resp)
	}
	if b := resp.GetInconsistent(); b != nil && b.GetSequence() == 0 { // it is of no record
		return writeln(v.out, b.GetReason())
	} else if b != nil {
		return writeln(v.out, fmt.Sprintf("record %d: %s", b.GetSequence(), b.GetReason()))
	}
	n := resp.GetVerified()
	for _, warning := range n.GetWarnings() {
		if err := writeln(v.out, "warning: "+warning); err != nil {
			return err
		}
	}
	return writeln(v.out, fmt.Sprintf("%d records hold, %d do not; head: %s %d %s", n.GetIntact(), n.GetInconsistent(), n.GetLogId(), n.GetHeadSequence(), n.GetHeadHash()))
}

// verifiedRecord is a line of `audit verify --output json` about a record that was made again.
type verifiedRecord struct {
	Record struct {
		Sequence string          `json:"sequence"` // a number, as messages of the contract have it
		Holds    bool            `json:"holds"`    // nothing differs; what cannot be compared does not count
		Complete bool            `json:"complete"` // everything could be compared
		Findings []recordFinding `json:"findings"`
	} `json:"record"`
}

// recordFinding is one comparison.
type recordFinding struct {
	Subject string `json:"subject"` // what was compared
	Verdict string `json:"verdict"` // a name of the enum Verdict
	Text    string `json:"text"`    // the first difference, or why it cannot be compared
}

// newVerifiedRecord returns what is printed of an answer.
func newVerifiedRecord(sequence uint64, resp *pb.VerifyRecordResponse) (v verifiedRecord) {
	v.Record.Sequence, v.Record.Holds, v.Record.Complete = strconv.FormatUint(sequence, 10), resp.GetHolds(), resp.GetComplete()
	v.Record.Findings = []recordFinding{}
	for _, f := range resp.GetFindings() {
		v.Record.Findings = append(v.Record.Findings, recordFinding{f.GetSubject(), f.GetVerdict().String(), f.GetText()})
	}
	return v
}
