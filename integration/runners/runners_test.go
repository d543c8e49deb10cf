package runners_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/preview/textscan"
)

// binary is the path of the built sidecar.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(sidecartest.Main(m, &binary))
}

// lacks are the needles that receipts do not have yet, by run and budget in tokens. One that is there must leave the list.
var lacks = map[string]map[uint32][]string{
	"jest-v":    {500: {"src/cart.js:5", `"plum"`}},
	"jest":      {500: {"src/cart.js:5"}},
	"vitest":    {500: {"cart.test.mjs:3"}},
	"ctest-v":   {500: {"gtest.cc:8: Failure"}},
	"ctest-out": {500: {"gtest.cc:8: Failure"}},
}

// TestReceiptsOfRunnersHaveWhatFailed asks for the receipt of each run at two budgets.
func TestReceiptsOfRunnersHaveWhatFailed(t *testing.T) {
	s := sidecartest.Start(t, sidecartest.Options{Binary: binary, Args: []string{"--log-level=error"}})
	service := pb.NewToolResultServiceClient(sidecartest.Dial(t, s.Target()))
	for _, r := range runs {
		t.Run(r.name, func(t *testing.T) {
			for _, budget := range []uint32{500, 1000} {
				receipt := project(t, service, r, budget)
				if n := receipt.GetTokens(); n > budget {
					t.Errorf("%d tokens, and %d are allowed", n, budget)
				}
				check(t, r, budget, receipt.GetText())
			}
		})
	}
}

// check fails for every needle that a receipt lacks and that is not known to be lacking, and for the opposite.
func check(t *testing.T, r run, budget uint32, receipt string) {
	t.Helper()
	known := map[string]bool{}
	for _, needle := range lacks[r.name][budget] {
		known[needle] = true
	}
	for _, needle := range r.needles {
		if has := strings.Contains(receipt, needle); has == known[needle] {
			t.Errorf("at %d tokens %q is there: %v\n%s", budget, needle, has, receipt)
		}
	}
}

// project asks for the receipt of an output that is one stream.
func project(t *testing.T, service pb.ToolResultServiceClient, r run, budget uint32) *pb.Receipt {
	t.Helper()
	resp, err := service.Project(t.Context(), &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				ExitStatus: &r.exit, CommandLine: r.line, CombinedOutput: &pb.Payload{Source: &pb.Payload_Inline{Inline: read(t, r)}},
			}},
		},
		Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{
			Budget: &pb.Budget{MaxTokens: budget}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.GetReceipt()
}

// read returns the output of a run.
func read(t *testing.T, r run) []byte {
	t.Helper()
	output, err := os.ReadFile(filepath.Join("testdata", r.name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// TestRunsHaveTheirOutput checks the table: needles are in the outputs but for their colours, and no output is without a
// row.
func TestRunsHaveTheirOutput(t *testing.T) {
	for _, r := range runs {
		output := string(textscan.WithoutEscapes(read(t, r)))
		for _, needle := range r.needles {
			if !strings.Contains(output, needle) {
				t.Errorf("%s: the output has no %q", r.name, needle)
			}
		}
	}
	if files, err := filepath.Glob("testdata/*"); err != nil || len(files) != len(runs) {
		t.Errorf("%d outputs and %d rows (%v)", len(files), len(runs), err)
	}
}
