package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/renderers"
)

// fileLines generates the lines of a file: also giant ones, and ones that look
// like forms and numbers of ours.
func fileLines() *rapid.Generator[[]string] {
	line := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "}", "\treturn nil", "File text:", "To continue: read from line 9", `\`, "[…10:]", "7\tx",
			"é漢字", strings.Repeat("x", 300), strings.Repeat("wörd ", 900), "trailing  ",
		}),
		rapid.StringMatching(`[a-z(){} ]{0,60}`),
	)
	return rapid.Custom(func(t *rapid.T) []string {
		n := rapid.SampledFrom([]int{1, 2, 9, 60, 150}).Draw(t, "n")
		return rapid.SliceOfN(line, n, n).Draw(t, "lines")
	})
}

// What is shown of a file is one run of lines from its first one on, for any
// budget and policy; and every line that is shown, also after compaction, is the
// one of the file that its number says.
func TestFileIsShownWithoutAGap(t *testing.T) {
	h := newHarness(t)
	rapid.Check(t, func(t *rapid.T) {
		lines := fileLines().Draw(t, "lines")
		text := strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
		lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if text == "" {
			t.Skip("an empty file")
		}
		first := rapid.SampledFrom([]uint64{0, 1, 2, 95, 12345}).Draw(t, "first")
		offset := int(max(1, first)) - 1
		out := &pb.FileReadOutput{Path: "a.go", FirstLine: first, Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}}
		if rapid.Bool().Draw(t, "total") {
			out.TotalLines = new(uint64(offset + len(lines) + rapid.IntRange(0, 9).Draw(t, "more")))
		}
		resp, err := h.Project(t.Context(), &pb.ProjectRequest{Policy: servertest.Policies().Draw(t, "policy"), Output: &pb.CompleteToolOutput{
			ToolName: "Read", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_FileRead{FileRead: out},
		}})
		var shortfall *envelope.ShortfallError
		if errors.As(err, &shortfall) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		shown := checkNumbers(t, resp.GetReceipt().GetText(), lines, offset)
		for i, number := range shown {
			if number != offset+1+i {
				t.Fatalf("line %d is shown at place %d\n%s", number, i, resp.GetReceipt().GetText())
			}
		}
		checkContinue(t, resp.GetReceipt().GetText(), shown, len(shown) > 0 || len(lines) == 0, offset+1, max(offset+len(lines), int(out.GetTotalLines())))

		compacted := h.CompactOne(t, resp.GetCanonical(), pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, rapid.Uint32Range(16, 400).Draw(t, "n"))
		receipt := h.Only(t, resp.GetCanonical(), compacted).GetReceipt().GetText()
		checkContinue(t, receipt, checkNumbers(t, receipt, lines, offset), len(shown) > 0 || len(lines) == 0, offset+1, max(offset+len(lines), int(out.GetTotalLines())))
	})
}

// checkNumbers compares what is shown with the file, and returns the numbers of
// the lines.
func checkNumbers(t *rapid.T, receipt string, lines []string, offset int) (shown []int) {
	d, err := renderers.ParseReceipt(receipt)
	if err != nil {
		t.Fatalf("%v\n%s", err, receipt)
	}
	for _, s := range d.Sections {
		for i, p := range s.Body {
			if p.Mark != nil {
				continue
			}
			for j, text := range strings.Split(p.Text, "\n") {
				number := int(p.First) + j
				line := lines[number-1-offset]
				switch last := strings.Count(p.Text, "\n"); {
				case j == 0 && i > 0 && s.Body[i-1].Mark.Bytes > 0:
					if !strings.HasSuffix(line, text) {
						t.Fatalf("line %d ends otherwise\n%s", number, receipt)
					}
					if len(shown) > 0 && shown[len(shown)-1] == number {
						continue // its first part was there
					}
				case j == last && i+1 < len(s.Body) && s.Body[i+1].Mark.Bytes > 0 && s.Body[i+1].Mark.Next == 0:
					if !strings.HasPrefix(line, text) {
						t.Fatalf("line %d begins otherwise\n%s", number, receipt)
					}
				case text != line:
					t.Fatalf("line %d is %q, and %q is shown\n%s", number, line, text, receipt)
				}
				shown = append(shown, number)
			}
		}
	}
	return shown
}

// checkContinue compares the receipt's advice with the first line that is missing.
// Where a projection could show nothing, asking for it again would not help.
func checkContinue(t *rapid.T, receipt string, shown []int, helps bool, first, last int) {
	missing := first
	for _, number := range shown {
		if number != missing {
			break
		}
		missing++
	}
	want := ""
	if missing <= last && helps {
		want = fmt.Sprintf("To continue: read from line %d\n", missing)
	}
	if len(shown) > 0 && shown[len(shown)-1] > missing {
		want = fmt.Sprintf("To continue: read line%s %d", map[bool]string{true: "s", false: ""}[!slices.Contains(shown, missing+1)], missing)
	}
	if strings.Contains(receipt, "\nTo continue: ") != (want != "") || !strings.Contains(receipt, want) {
		t.Fatalf("%q is not said\n%s", want, receipt)
	}
}
