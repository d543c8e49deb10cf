package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// projectedSession projects the output of three commands, and returns them as --output=json prints them.
func projectedSession(t testing.TB) string {
	t.Helper()
	var all strings.Builder
	for i := range 3 {
		all.WriteString(toolresult(t, "", "exec", "--output", "json", "--", "seq", fmt.Sprint(1000+i), "1300").want(0).out)
	}
	return all.String()
}

// TestCompactedSessionCanBeCompactedAgain compacts a session, and what that prints: nothing changes any more.
func TestCompactedSessionCanBeCompactedAgain(t *testing.T) {
	t.Parallel()
	session := projectedSession(t)
	once := toolresult(t, session, "compact", "--output", "json", "--preview-tokens", "20").want(0)
	if len(once.out) >= len(session) || strings.Count(once.out, `"canonical"`) != 3 || strings.Count(once.out, `"receipt"`) != 3 {
		t.Errorf("%d bytes of %d", len(once.out), len(session))
	}
	toolresult(t, once.out, "compact", "--output", "json", "--preview-tokens", "20").wantOut(once.out)
	receipts := toolresult(t, once.out, "compact", "--preview-tokens", "20").want(0)
	if n := strings.Count(receipts.out, "Process exited with code 0"); n != 3 {
		t.Errorf("%d receipts", n)
	}
}

func TestCompactPlans(t *testing.T) {
	t.Parallel()
	session := projectedSession(t)
	explained := toolresult(t, session, "compact", "--explain", "--level", "line", "--protect-turns", "0").
		want(0, "#  call  tool", "ExecCommand", "line", " → ", "; the first change is in 0")
	if strings.Contains(explained.out, " \n") {
		t.Errorf("spaces at the end of a line: %q", explained.out)
	}
	toolresult(t, session, "compact", "--dry-run").want(0, `"tokens_before"`)
	toolresult(t, session, "compact", "--dry-run", "--output", "textproto").want(0, "tokens_before:")
	toolresult(t, session, "compact", "--explain", "--total-tokens", "100000").want(0, "within the budget of 100000; nothing changes")
	toolresult(t, session, "compact", "--overview", "--level", "line").want(0)
}

func TestCompactMistakes(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		stdin string
		args  []string
	}{
		"--input xml":                                {"", []string{"--input", "xml"}},
		"--level low: trimmed, handles or line":      {"{}", []string{"--level", "low"}},
		"--cache-break always: never or when-needed": {"{}", []string{"--cache-break", "always"}},
		"--vocabulary latin: estimate, o":            {"{}", []string{"--vocabulary", "latin"}},
		"invalid character":                          {"what", nil},
		"result 0: ":                                 {`{"canonical": {}, "turn": "first"}`, nil},
		"proto":                                      {"no textproto", []string{"--input", "textproto"}},
		"is not known":                               {`{"no": "result"}`, nil},
	} {
		toolresult(t, c.stdin, append([]string{"compact"}, c.args...)...).want(codeFailed, "! "+want)
	}
}

func TestCompactionFlagsOverrideThePolicyOfTheInput(t *testing.T) {
	t.Parallel()
	apply := func(policy *pb.CompactionPolicy, args ...string) *pb.CompactionPolicy {
		var p compactionFlags
		var render policyFlags
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		render.renderFlags(set)
		p.flags(set)
		req := &pb.CompactRequest{Policy: policy}
		if err := errors.Join(set.Parse(args), p.apply(req, &render)); err != nil {
			t.Fatal(err)
		}
		return req.GetPolicy()
	}
	given := func() *pb.CompactionPolicy {
		return &pb.CompactionPolicy{PreviewTokens: 7, Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE, Cache: &pb.CachePolicy{CachedResults: 3},
			Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxLines: 9}}}
	}
	kept := apply(given(), "--protect-call", "a,b", "--protect-turns", "5")
	if kept.GetPreviewTokens() != 7 || kept.GetLevel() != pb.CompactionLevel_COMPACTION_LEVEL_LINE || kept.GetCache().GetCachedResults() != 3 ||
		kept.GetRender().GetBudget().GetMaxLines() != 9 || len(kept.GetProtect().GetCallIds()) != 2 || kept.GetProtect().GetLastTurns() != 5 {
		t.Errorf("%v", kept)
	}
	changed := apply(given(), "--preview-tokens", "0", "--level", "handles", "--cached-results", "0", "--max-lines", "4", "--cache-break", "never")
	if changed.GetPreviewTokens() != 0 || changed.GetLevel() != pb.CompactionLevel_COMPACTION_LEVEL_HANDLES || changed.GetCache().GetCachedResults() != 0 ||
		changed.GetRender().GetBudget().GetMaxLines() != 4 || changed.GetCache().GetCacheBreak() != pb.CacheBreak_CACHE_BREAK_NEVER {
		t.Errorf("%v", changed)
	}
	if level := apply(nil).GetLevel(); level != pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED {
		t.Errorf("the default is %v", level)
	}
	if level := apply(nil, "--total-tokens", "9").GetLevel(); level != 0 {
		t.Errorf("with a total the server decides, and not %v", level)
	}
}

func TestPlanInWords(t *testing.T) {
	t.Parallel()
	line := pb.CompactionLevel_COMPACTION_LEVEL_LINE
	for _, c := range []struct {
		r                      *pb.PlannedResult
		level, tokens, reasons string
	}{
		{&pb.PlannedResult{TokensBefore: 5, TokensAfter: 5}, "full", "5", ""},
		{&pb.PlannedResult{Level: line, Changed: true, TokensBefore: 50, TokensAfter: 5}, "line", "50 → 5", ""},
		{&pb.PlannedResult{Hold: pb.ResultHold_RESULT_HOLD_PROTECTED, OpenFailure: true}, "full", "0", "protected, open failure"},
		{&pb.PlannedResult{Hold: pb.ResultHold_RESULT_HOLD_CACHED, SupersededBy: new(uint32(0))}, "full", "0", "in the cache, superseded by 0"},
		{&pb.PlannedResult{Hold: pb.ResultHold_RESULT_HOLD_UNKNOWN}, "full", "0", "not known to this version"},
	} {
		if levelName(c.r) != c.level || tokenChange(c.r) != c.tokens || reasons(c.r) != c.reasons {
			t.Errorf("%v: %q, %q, %q", c.r, levelName(c.r), tokenChange(c.r), reasons(c.r))
		}
	}
	req := &pb.CompactRequest{Policy: &pb.CompactionPolicy{TotalTokens: 100}}
	for want, plan := range map[string]*pb.CompactionPlan{
		"9 → 9 tokens, within the budget of 100; nothing changes": {TokensBefore: 9, TokensAfter: 9, BudgetMet: true},
		"200 → 150 tokens, 50 more than the budget of 100; the first change is in 2, 7 cached tokens are invalidated": {
			TokensBefore: 200, TokensAfter: 150, ShortfallTokens: 50, FirstChanged: new(uint32(2)), CachedTokensInvalidated: 7},
	} {
		if got := summarizePlan(req, plan); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for text, want := range map[string]string{"a\tb": "a b", strings.Repeat("ü", 40): strings.Repeat("ü", 40), strings.Repeat("ü", 41): strings.Repeat("ü", 39) + "…"} {
		if got := tableCell(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestExplainNamesCodeAndReason(t *testing.T) {
	t.Parallel()
	if got := explain(errors.New("plain")); got != "plain" {
		t.Error(got)
	}
	err := fmt.Errorf("call: %w", status.Error(codes.NotFound, "no such thing"))
	if got := explain(err); !strings.HasPrefix(got, "NotFound: ") || !strings.Contains(got, "no such thing") {
		t.Error(got)
	}
	toolresult(t, "", "artifacts", "read", "/none").want(codeFailed, "! toolresult: ", "! [")
}
