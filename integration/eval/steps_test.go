package eval_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/tokens"
)

// TestSteps measures how much of what an agent used next is in what it reads.

var (
	recorded    = flag.String("steps", "../../../shared/steps", "folder with steps.jsonl and score.py")
	stepBudgets = flag.String("step-budgets", "500,1000,2000", "tokens of whole receipts of steps")
	stepMost    = flag.Bool("step-all", false, "score all steps, not only those over 2,000 tokens")
	stepForm    = flag.String("step-form", "text", "family of steps of an agent's own tools")
)

func TestSteps(t *testing.T) {
	// need
	steps, err := eval.ReadSteps(*recorded)
	if err != nil {
		t.Fatal(err)
	}
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	if !*stepMost {
		steps = slices.DeleteFunc(steps, func(s *eval.Step) bool { return s.Tokens <= 2000 })
	}
	s := serve(t)
	for b := range strings.SplitSeq(*stepBudgets, ",") {
		budget, _ := strconv.Atoi(b)
		for _, policy := range []string{"receipt", "headtail"} {
			folder := filepath.Join(*out, "steps", policy+"-"+b)
			_ = os.RemoveAll(folder)
			_ = os.MkdirAll(folder, 0o755)
			sum, n, used := map[string]float64{}, map[string]int{}, map[string]int{}
			for _, step := range steps {
				text := ""
				switch policy {
				case "receipt":
					r, err := s.stepReceipt(t, step, budget)
					if err != nil {
						t.Error(step.ID, err)
					}
					text = r
				default:
					text = eval.HeadAndTail(counter, strings.ToValidUTF8(step.Text, "\uFFFD"), budget)
				}
				_ = os.WriteFile(filepath.Join(folder, step.ID+".txt"), []byte(text), 0o644)
				kept := step.Kept(text)
				for _, g := range []string{"all", step.Kind} {
					sum[g] += kept
					n[g]++
					used[g] += counter.Count(text)
				}
			}
			keys := []string{}
			for k := range n {
				keys = append(keys, k)
			}
			slices.SortFunc(keys, cmp.Compare)
			line := fmt.Sprintf("%-9s %5d", policy, budget)
			for _, k := range keys {
				line += fmt.Sprintf("  %s(%d) %.1f in %d", k, n[k], 100*sum[k]/float64(n[k]), used[k]/n[k])
			}
			t.Log(line)
		}
	}
}

// stepReceipt returns the receipt of a step.
func (s *sidecar) stepReceipt(t *testing.T, step *eval.Step, budget int) (string, error) {
	policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{
		Budget: &pb.Budget{MaxTokens: uint32(budget)}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE,
	}}
	payload := &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(step.Text)}}
	printed := &pb.CompleteToolOutput{ToolName: cmp.Or(step.Tool, "bash"), Status: pb.ToolStatus_TOOL_STATUS_SUCCESS}
	if step.Tool != "" && *stepForm == "text" {
		printed.Result = &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: payload}}
	} else {
		c := &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: step.ExitStatus, CombinedOutput: payload,
		}
		if step.Tool == "" {
			c.CommandLine = step.Command
		}
		printed.Result = &pb.CompleteToolOutput_Command{Command: c}
	}
	resp, err := s.Project(t.Context(), &pb.ProjectRequest{Output: printed, Policy: policy})
	return resp.GetReceipt().GetText(), err
}
