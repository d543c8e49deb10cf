package daily_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/tokens"
)

var update = flag.Bool("update", false, "write the table of commands in README.md")

// budget is the size of a receipt in tokens of o200k_base.
const budget = 1000

// The document has the table between these lines.
const (
	document = "README.md"
	begin    = "<!-- daily -->\n"
	end      = "<!-- /daily -->\n"
)

// binary is the path of the built sidecar.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(sidecartest.Main(m, &binary))
}

// TestReceiptsHaveWhatIsNeededNext asks for the receipt of every command: what its reader needs is in it, it fits its
// budget, and it costs no more than the output.
func TestReceiptsHaveWhatIsNeededNext(t *testing.T) {
	s := sidecartest.Start(t, sidecartest.Options{Binary: binary, Args: []string{"--log-level=error"}})
	service := pb.NewToolResultServiceClient(sidecartest.Dial(t, s.Target()))
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, c := range commands {
		t.Run(c.name, func(t *testing.T) {
			output := read(t, c.name)
			receipt := project(t, service, c, output)
			cost := counter.Count(strings.ToValidUTF8(string(output), "\uFFFD"))
			rows[c.name] = fmt.Sprintf("%s%d | %d |", rowStart(c), cost, receipt.GetTokens())
			check(t, c, receipt, cost)
		})
	}
	if *update {
		write(t, rows)
	}
}

// check fails for every promise that a receipt breaks.
func check(t *testing.T, c command, r *pb.Receipt, cost int) {
	t.Helper()
	if broken := broken(c, r, cost); broken != "" {
		t.Errorf("%s\n%s", broken, r.GetText())
	}
}

// broken says which promises a receipt breaks.
func broken(c command, r *pb.Receipt, cost int) string {
	var list []string
	if n := r.GetTokens(); n > budget || int(n) > cost {
		list = append(list, fmt.Sprintf("%d tokens for an output of %d, and %d are allowed", n, cost, budget))
	}
	for _, needle := range c.needles {
		if !strings.Contains(r.GetText(), needle) {
			list = append(list, fmt.Sprintf("a reader needs to know %s; the receipt has no %q", c.need, needle))
		}
	}
	return strings.Join(list, "\n")
}

// project asks for the receipt of an output that is one stream.
func project(t *testing.T, service pb.ToolResultServiceClient, c command, output []byte) *pb.Receipt {
	t.Helper()
	resp, err := service.Project(t.Context(), &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				ExitStatus: &c.exit, CommandLine: c.line, CombinedOutput: &pb.Payload{Source: &pb.Payload_Inline{Inline: output}},
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

// TestTableIsTrue checks the table itself: needles are in the outputs, no output is without a row, and the document has
// every row.
func TestTableIsTrue(t *testing.T) {
	page, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, c := range commands {
		output := string(read(t, c.name))
		for _, needle := range c.needles {
			if !strings.Contains(output, needle) {
				t.Errorf("%s: the output has no %q", c.name, needle)
			}
		}
		if !*update && !strings.Contains(string(page), rowStart(c)) {
			t.Errorf("%s has no row %q; write it with -update", document, rowStart(c))
		}
		files = append(files, filepath.Join("testdata", c.name+".txt"))
	}
	found, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	if !slices.Equal(files, found) {
		t.Errorf("outputs %q, and %q have a row", found, files)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	output, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// rowStart is the row of a command in the document, without its measures.
func rowStart(c command) string {
	return fmt.Sprintf("| `%s` | %d | %s | ", strings.ReplaceAll(c.line, "|", `\|`), c.exit, c.need)
}

// write writes the table of the document again.
func write(t *testing.T, rows map[string]string) {
	t.Helper()
	page, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no lines %q and %q", document, begin, end)
	}
	table := "\n| command | exit | what is needed next | tokens of the output | of the receipt |\n| --- | --- | --- | --- | --- |\n"
	for _, c := range commands {
		table += rows[c.name] + "\n"
	}
	if err := os.WriteFile(document, []byte(before+begin+table+"\n"+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
