package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/compactstream"
)

// The flags of a compaction, and its plan in words. What the flags say goes on top of the policy that the input may have, so
// that a recorded request can be tried with one thing changed. compact_session.go reads and prints the results themselves.
//
// A plan can be looked at in two ways before anything is stored: --dry-run prints it as data, --explain as a table, with a
// line for each result that says what happens to it and why.

// compactCommand returns `compact`. All results are printed, those that did not change as they were read, so that the
// output is the session again, and the input of the next compaction.
func compactCommand() *cobra.Command {
	var c rpcFlags
	var p compactionFlags
	cmd := &cobra.Command{
		Use: "compact", Short: "Compact the canonical results of a session from stdin, oldest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			given, err := c.readResults(cmd.InOrStdin())
			if err != nil {
				return err
			}
			req := given.req
			if err := p.apply(req, &c.policy); err != nil {
				return err
			}
			if c.output == "json" {
				req.CanonicalForm = pb.CanonicalForm_CANONICAL_FORM_JSON
			}
			return c.target.withConnection(cmd.Context(), func(conn *connection) error {
				resp, err := compactstream.Request(cmd.Context(), conn, req)
				switch {
				case err != nil:
					return err
				// A plan for people, a plan for programs, one receipt over everything, or the session itself.
				case p.explain && c.output != formJSON:
					return explainPlan(cmd.OutOrStdout(), given, resp.GetPlan())
				case req.GetDryRun():
					return printMessage(cmd.OutOrStdout(), p.form(c.output), "", resp.GetPlan())
				case p.overview:
					return printMessage(cmd.OutOrStdout(), c.output, resp.GetOverview().GetText(), resp.GetOverview())
				}
				return given.print(cmd.Context(), cmd.OutOrStdout(), conn, c.output, resp)
			})
		},
	}
	c.flags(cmd, "form of the results on stdin: json (one value after the other: the RFC's, or what --output=json prints, "+
		"with call_id, turn, subject and preceding_tokens beside canonical, or without canonical for the result on record of call_id) "+
		"or textproto (a CompactRequest)", "of all results, also of those that did not change: "+outputs)
	c.policy.renderFlags(cmd.Flags())
	p.flags(cmd.Flags())
	cmd.Flags().StringVar(&c.family, "family", "", `family of "result" in the RFC's JSON, where its fields do not tell`)
	return cmd
}

// compactionFlags are a CompactionPolicy as flags. A flag that is not given leaves the policy of the input.
type compactionFlags struct {
	given           *pflag.FlagSet // knows which flags were given
	level, onBreak  string         // names of a CompactionLevel and of a CacheBreak
	session         string         // that artifacts of the compaction belong to; empty: none
	total, preview  uint32         // tokens of all receipts, and of each preview at level trimmed
	turns           uint32         // last turns that stay
	calls           []string       // calls that stay
	cached          uint32         // results in the cache
	dryRun, explain bool           // print the plan, as data or as a table
	overview        bool           // print one receipt over everything that is not shown whole
}

// flags defines the flags.
func (p *compactionFlags) flags(fs *pflag.FlagSet) {
	p.given = fs
	fs.StringVar(&p.level, "level", "", "lowest level: "+listed(levelChoice.names())+" (default: line with --total-tokens, trimmed without)")
	fs.Uint32Var(&p.total, "total-tokens", 0, "tokens of all receipts together; results go only as low as it takes (default: all go to the level)")
	fs.Uint32Var(&p.preview, "preview-tokens", 0, "tokens that each preview may keep at level trimmed (default: 256)")
	fs.Uint32Var(&p.turns, "protect-turns", 0, "how many of the last turns stay as they are")
	fs.StringSliceVar(&p.calls, "protect-call", nil, "ids of calls whose results stay as they are")
	fs.Uint32Var(&p.cached, "cached-results", 0, "how many results, from the first one on, are in the provider's cache")
	fs.StringVar(&p.onBreak, "cache-break", "", "whether these may change: "+listed(cacheBreakChoice.names())+" (default: never)")
	fs.StringVar(&p.session, "session", "", "session that what is stored belongs to")
	fs.BoolVar(&p.dryRun, "dry-run", false, "print the plan alone, and store nothing")
	fs.BoolVar(&p.overview, "overview", false, "print one short receipt over the results that are not shown whole any more")
	fs.BoolVar(&p.explain, "explain", false, "print the plan as a table, and store nothing")
}

// form returns the form in which to print a plan, which has no receipt.
func (p *compactionFlags) form(output string) string {
	if output == "receipt" {
		return "json"
	}
	return output
}

// apply sets the fields of a request for which flags were given, and the defaults of the command. The render policy is
// replaced as a whole: budgets of two sources that are mixed would be a budget that nobody asked for.
func (p *compactionFlags) apply(req *pb.CompactRequest, render *policyFlags) (err error) {
	req.Policy = cmp.Or(req.Policy, &pb.CompactionPolicy{})
	policy := req.Policy
	if policy.Render == nil || p.given.Changed("max-tokens") || p.given.Changed("max-lines") || p.given.Changed("max-bytes") || p.given.Changed("vocabulary") {
		if policy.Render, err = render.render(); err != nil {
			return err
		}
	}
	setGiven(p.given, "total-tokens", &policy.TotalTokens, p.total)
	setGiven(p.given, "preview-tokens", &policy.PreviewTokens, p.preview)
	setGiven(p.given, "session", &req.SessionId, p.session)
	req.DryRun = req.DryRun || p.dryRun || p.explain
	// Without a budget a level is required. The default is the mildest; with a budget the sidecar goes as low as it must.
	if p.level == "" && policy.Level == 0 && policy.TotalTokens == 0 {
		p.level = "trimmed"
	}
	if p.level != "" {
		n, err := levelChoice.number(p.level)
		if err != nil {
			return err
		}
		policy.Level = pb.CompactionLevel(n)
	}
	policy.Protect = cmp.Or(policy.Protect, &pb.ProtectionPolicy{})
	setGiven(p.given, "protect-turns", &policy.Protect.LastTurns, p.turns)
	setGiven(p.given, "protect-call", &policy.Protect.CallIds, p.calls)
	policy.Cache = cmp.Or(policy.Cache, &pb.CachePolicy{})
	setGiven(p.given, "cached-results", &policy.Cache.CachedResults, p.cached)
	if p.onBreak != "" {
		n, err := cacheBreakChoice.number(p.onBreak)
		policy.Cache.CacheBreak = pb.CacheBreak(n)
		return err
	}
	return nil
}

// setGiven sets a field of a message if its flag was given, to 0 too: a flag can take back what the input says.
func setGiven[T any](given *pflag.FlagSet, flag string, field *T, value T) {
	if given.Changed(flag) {
		*field = value
	}
}

// explainPlan prints a plan as a table, a line for each result, and its summary. The table is written to memory first,
// because tabwriter pads the last column too, and lines that end in spaces are a nuisance in a document.
func explainPlan(w io.Writer, given *compactInput, plan *pb.CompactionPlan) error {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "#\tcall\ttool\tabout\tlevel\ttokens\twhy")
	for i, r := range plan.GetResults() {
		fmt.Fprintln(table, strings.Join([]string{
			strconv.Itoa(i), given.req.GetEntries()[i].GetCallId(), given.toolName(i), tableCell(r.GetSubject()), levelName(r), tokenChange(r), reasons(r),
		}, "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if err := writeln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return writeln(w, "\n"+summarizePlan(given.req, plan))
}

// widestColumn is the largest number of characters of a subject in the table.
const widestColumn = 40

// tableCell returns a text for the table: without tabs, which separate its columns, and cut at widestColumn. Subjects are
// one line already.
func tableCell(text string) string {
	runes := []rune(strings.ReplaceAll(text, "\t", " "))
	if len(runes) > widestColumn {
		return string(runes[:widestColumn-1]) + "…"
	}
	return string(runes)
}

// levelName returns the level of a result after the compaction, by the name that --level has for it.
func levelName(r *pb.PlannedResult) string {
	if r.GetLevel() == pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED {
		return "full"
	}
	return strings.ToLower(strings.TrimPrefix(r.GetLevel().String(), "COMPACTION_LEVEL_"))
}

// tokenChange returns the tokens of a result, before and after if it changes.
func tokenChange(r *pb.PlannedResult) string {
	if !r.GetChanged() {
		return strconv.Itoa(int(r.GetTokensBefore()))
	}
	return fmt.Sprintf("%d → %d", r.GetTokensBefore(), r.GetTokensAfter())
}

// reasons returns the properties of a result that decided about it: why it may not change, or why it went sooner or later
// than others. Empty: its age and its size decided.
func reasons(r *pb.PlannedResult) string {
	var list []string
	switch r.GetHold() {
	case pb.ResultHold_RESULT_HOLD_PROTECTED:
		list = append(list, "protected")
	case pb.ResultHold_RESULT_HOLD_CACHED:
		list = append(list, "in the cache")
	case pb.ResultHold_RESULT_HOLD_UNKNOWN:
		list = append(list, "not known to this version")
	case pb.ResultHold_RESULT_HOLD_UNSPECIFIED:
	}
	if r.GetOpenFailure() {
		list = append(list, "open failure")
	}
	if r.SupersededBy != nil {
		list = append(list, fmt.Sprintf("superseded by %d", r.GetSupersededBy()))
	}
	return strings.Join(list, ", ")
}

// summarizePlan returns the line below the table: tokens, budget and the first change, from which on the provider's cache is
// lost.
func summarizePlan(req *pb.CompactRequest, plan *pb.CompactionPlan) string {
	text := fmt.Sprintf("%d → %d tokens", plan.GetTokensBefore(), plan.GetTokensAfter())
	if budget := req.GetPolicy().GetTotalTokens(); budget > 0 && plan.GetBudgetMet() {
		text += fmt.Sprintf(", within the budget of %d", budget)
	} else if budget > 0 {
		text += fmt.Sprintf(", %d more than the budget of %d", plan.GetShortfallTokens(), budget)
	}
	if plan.FirstChanged == nil {
		return text + "; nothing changes"
	}
	return text + fmt.Sprintf("; the first change is in %d, %d cached tokens are invalidated", plan.GetFirstChanged(), plan.GetCachedTokensInvalidated())
}
