package compactor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The rest of a ladder, from any rung on, is the ladder of the result at that rung, with the
// same prices.
func TestRestOfTheLadder(t *testing.T) {
	var matter, list strings.Builder
	for i := range 200 {
		fmt.Fprintf(&matter, "reading testdata/in-%04d.txt\n", i)
		if i%3 == 0 {
			fmt.Fprintf(&matter, "parse_test.go:%d: error: unexpected token\n", i)
		}
		fmt.Fprintf(&list, "@@ -%d,3 +%d,9 @@\n+\tadded line %d\n", i, i, i)
	}
	var changes []*pb.FileChange
	for i := range 40 {
		changes = append(changes, &pb.FileChange{Path: fmt.Sprintf("src/a/long/path/file%d.go", i), Action: pb.FileChangeAction_FILE_CHANGE_ACTION_ADD})
	}
	ran := func(exit int32, stdout, stderr string) *pb.CanonicalToolResult {
		return &pb.CanonicalToolResult{ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s", Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: &exit, StdoutPreview: &stdout, StderrPreview: &stderr,
		}}}
	}
	for name, r := range map[string]*pb.CanonicalToolResult{
		"lines that matter among others": ran(1, matter.String(), ""),
		"lines that matter alike":        ran(0, matter.String(), "a warning\n"),
		"both streams":                   ran(1, list.String(), matter.String()),
		"a list": {ToolName: "Edit", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s", Result: &pb.CanonicalToolResult_FileMutation{FileMutation: &pb.FileMutationResult{
			Changes: changes, ChangesTotal: new(uint64(len(changes))), DiffPreview: new(list.String()),
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(envelope.Types{}, func([]byte) (string, string) { return "/store/3f8/a9c1e2", "blake3:" + strings.Repeat("0", 64) })
			if err != nil {
				t.Fatal(err)
			}
			ladder := func(r *pb.CanonicalToolResult) []step {
				l := c.decode(r)
				f := c.newFacts(&Entry{}, l)
				return (&Policy{Level: line, PreviewTokens: 16}).steps(&f, l)
			}
			all := ladder(r)
			if len(all) < 3 {
				t.Fatalf("%d steps", len(all))
			}
			for n, s := range all[:len(all)-1] {
				rest := ladder(c.Compact(r, s.to.target()).Result)
				if got, want := prices(rest), prices(all[n+1:]); got != want {
					t.Errorf("behind step %d: %s\nand in one go: %s", n+1, got, want)
				}
			}
		})
	}
}

func prices(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%v %d: %d for %d; ", s.to.level, s.to.previewTokens, s.loss, s.saved)
	}
	return b.String()
}

// Each step costs more per token than the one before; steps of equal price are one.
func TestHullIsConvex(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ losses, saves []int }{
		"dearer and dearer": {[]int{1, 2, 3}, []int{10, 10, 10}},
		"cheap at the end":  {[]int{5, 5, 0}, []int{10, 10, 10}},
		"equal":             {[]int{1, 2, 4}, []int{10, 20, 40}},
	} {
		var steps []step
		for i := range c.losses {
			steps = appendToHull(steps, step{to: rung{trimmed, 64 - i}, saved: c.saves[i], loss: c.losses[i]})
		}
		want := map[string]int{"dearer and dearer": 3, "cheap at the end": 1, "equal": 1}[name]
		if len(steps) != want || steps[len(steps)-1].to.previewTokens != 62 {
			t.Errorf("%s: %v", name, steps)
		}
		saved, loss := 0, 0
		for _, s := range steps {
			saved, loss = saved+s.saved, loss+s.loss
		}
		if saved != c.saves[0]+c.saves[1]+c.saves[2] || loss != c.losses[0]+c.losses[1]+c.losses[2] {
			t.Errorf("%s: %d tokens for %d", name, saved, loss)
		}
	}
}

func TestLaddersEndWhereTheResultMustStay(t *testing.T) {
	t.Parallel()
	leveled, plain := &schema{leveled: true}, &schema{}
	for name, c := range map[string]struct {
		policy Policy
		facts  facts
		want   string
	}{
		"to the end":        {Policy{Level: line, PreviewTokens: 32}, facts{schema: leveled}, "1024 512 256 128 64 32 handles line"},
		"to handles":        {Policy{Level: handles, PreviewTokens: 256}, facts{schema: leveled}, "1024 512 256 handles"},
		"to previews":       {Policy{Level: trimmed, PreviewTokens: 1024}, facts{schema: leveled}, "1024"},
		"an error":          {Policy{Level: line, PreviewTokens: 1024}, facts{schema: leveled, family: errorFamily}, "1024 handles"},
		"without a level":   {Policy{Level: line, PreviewTokens: 1024}, facts{schema: plain}, "1024 handles"},
		"an open failure":   {Policy{Level: line, PreviewTokens: 16, OpenFailure: 128}, facts{schema: leveled, relation: relation{open: true}}, "1024 512 256 128"},
		"a closed failure":  {Policy{Level: line, PreviewTokens: 512, OpenFailure: 512}, facts{schema: leveled}, "1024 512 handles line"},
		"open and no floor": {Policy{Level: handles, PreviewTokens: 512}, facts{schema: leveled, relation: relation{open: true}}, "1024 512 handles"},
	} {
		var got []string
		for _, r := range c.policy.rungs(&c.facts) {
			switch r.level {
			case trimmed:
				got = append(got, fmt.Sprint(r.previewTokens))
			case handles:
				got = append(got, "handles")
			default:
				got = append(got, "line")
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestWeightsFallWithAge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		relation relation
		want     int
	}{
		{relation{superseded: -1}, 65536}, {relation{superseded: -1, age: 1}, 32768}, {relation{superseded: -1, open: true}, 262144},
		{relation{superseded: 0}, 8192}, {relation{superseded: 3}, 8192}, {relation{superseded: -1, stale: true}, 8192}, {relation{age: 1 << 20}, 1},
	} {
		if got := (&facts{relation: c.relation}).weight(); got != c.want {
			t.Errorf("%+v: weight %d", c.relation, got)
		}
	}
}

// The estimate of a result counts its sections, the handles that show nothing, and everything of the messages inside it.
func TestEstimateCountsSections(t *testing.T) {
	t.Parallel()
	c, err := New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a line of the log\n", 30)
	stored := []*pb.ArtifactReference{{Path: "/a"}}
	report := func(r *pb.AgentReportResult) *pb.CanonicalToolResult {
		return &pb.CanonicalToolResult{Result: &pb.CanonicalToolResult_AgentReport{AgentReport: r}}
	}
	for name, w := range map[string]struct {
		result                         *pb.CanonicalToolResult
		texts, lists, sections, handle int
	}{
		"text":          {report(&pb.AgentReportResult{ReportPreview: &text}), 1, 0, 1, 0},
		"stored text":   {report(&pb.AgentReportResult{ReportPreview: new(""), ReportTruncated: true, ReportArtifact: new(uint32(0)), Artifacts: stored}), 0, 0, 1, 1},
		"no text":       {report(&pb.AgentReportResult{ReportPreview: new("")}), 0, 0, 1, 0},
		"list":          {report(&pb.AgentReportResult{OpenQuestions: []string{"a", "b"}, OpenQuestionsTotal: 2}), 0, 1, 1, 0},
		"stored list":   {report(&pb.AgentReportResult{OpenQuestionsTotal: 2, OpenQuestionsTruncated: true, OpenQuestionsArtifact: new(uint32(0)), Artifacts: stored}), 0, 0, 1, 1},
		"unstored list": {report(&pb.AgentReportResult{OpenQuestions: []string{"a"}, OpenQuestionsTotal: 2, OpenQuestionsTruncated: true}), 0, 0, 0, 0},
		"batch": {&pb.CanonicalToolResult{Result: &pb.CanonicalToolResult_CommandBatch{CommandBatch: &pb.CommandBatchResult{Items: []*pb.CommandBatchItem{
			{Result: &pb.CommandResult{StdoutPreview: &text}}, {}, {Result: &pb.CommandResult{StdoutPreview: &text, StderrPreview: &text}},
		}}}}, 3, 0, 3, 0},
	} {
		e := c.decode(w.result).estimate()
		if len(e.texts) != w.texts || len(e.lists) != w.lists || e.sections != w.sections || e.empty != w.handle {
			t.Errorf("%s: %d texts, %d lists, %d sections, %d handles", name, len(e.texts), len(e.lists), e.sections, e.empty)
		}
		all, score := e.at(Target{})
		one, least := e.at(Target{Level: line})
		few, _ := e.at(Target{Level: handles})
		if one > all || least > score {
			t.Errorf("%s: %d tokens, %d with handles, %d on one line", name, all, few, one)
		}
		if w.handle == 1 && (all != headerLine+handleTokens || few != all || one != lineTokens || least != 0 || score != headerLine*factScore) {
			t.Errorf("%s: %d tokens, %d with handles, %d on one line", name, all, few, one)
		}
	}
}

// The level of a result is the lowest of its parts.
func TestLevelIsThatOfTheLowestPart(t *testing.T) {
	t.Parallel()
	c, err := New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	batch := &pb.CommandBatchResult{CompactionLevel: trimmed, Items: []*pb.CommandBatchItem{{Result: &pb.CommandResult{}}, {Result: &pb.CommandResult{CompactionLevel: handles}}, {}}}
	r := &pb.CanonicalToolResult{Result: &pb.CanonicalToolResult_CommandBatch{CommandBatch: batch}}
	if got := c.Level(r); got != handles {
		t.Errorf("level %v", got)
	}
	batch.Items[1].Result = nil
	if got := c.Level(r); got != trimmed {
		t.Errorf("level %v", got)
	}
}
