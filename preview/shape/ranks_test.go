package shape

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/linerule"
)

var updateRanks = flag.Bool("update", false, "write the ranks in testdata/ranks again")

// reasonNames are the names of reasons in testdata/ranks.
var reasonNames = [...]string{
	0: "-", KeepHead: "head", KeepTail: "tail", KeepContext: "context", KeepError: "error", KeepFailure: "failure", KeepCrash: "crash", KeepDiagnostic: "diagnostic",
	KeepWarning: "warning", KeepSummary: "summary", KeepExit: "exit", KeepProfile: "profile", KeepStructure: "structure",
}

// TestRanksOfDocuments compares the rank of every line of the documents in testdata/ranks with the one written before it.
// A file begins with a line of options. Each further line is a line of a payload: its number, score, reason and turn, a bar,
// and its text. To add one, write "NUMBER|TEXT" and run the test with -update; read the difference.
func TestRanksOfDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/ranks/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := rankDocument(t, string(source))
			if *updateRanks {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := strings.Split(string(source), "\n")
			for i, line := range strings.Split(got, "\n") {
				if i >= len(want) || line != want[i] {
					t.Fatalf("line %d\n got %q\nwant %q", i+1, line, append(want, "")[min(i, len(want))])
				}
			}
			if len(got) != len(source) {
				t.Errorf("%d bytes, want %d", len(got), len(source))
			}
		})
	}
}

// rankDocument ranks a document of testdata/ranks and returns it with the ranks.
func rankDocument(t *testing.T, source string) string {
	options, rest, _ := strings.Cut(source, "\n")
	var numbers []int64
	var text strings.Builder
	for line := range strings.Lines(rest) {
		before, content, found := strings.Cut(line, "|")
		if !found { // the runs
			break
		}
		number, _, _ := strings.Cut(strings.TrimLeft(before, " ")+" ", " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
		text.WriteString(content)
	}
	list := linesOf(text.String())
	for i := range list {
		list[i].Number = numbers[i]
	}
	o := Options{Lines: numbers[len(numbers)-1]}
	var keep, fold, summary []string
	for option := range strings.FieldsSeq(options) {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "shape":
			o.Shape = Named(value)
		case "succeeded":
			o.Succeeded = true
		case "lines":
			o.Lines, _ = strconv.ParseInt(value, 10, 64)
		case "keep":
			keep = append(keep, value)
		case "fold":
			fold = append(fold, value)
		case "summary":
			summary = append(summary, value)
		default:
			t.Fatalf("option %s", option)
		}
	}
	if len(keep)+len(fold)+len(summary) > 0 {
		rules, err := linerule.New(keep, fold, summary)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			o.Verdicts = append(o.Verdicts, rules.Classify(list[i].Line.Text))
		}
	}
	runs := Rank(list, o)
	var b bytes.Buffer
	fmt.Fprintln(&b, options)
	for i := range list {
		r := &list[i]
		turn, folded := r.turn, " "
		if o.Shape.HasMiddle() || o.Shape == StackTrace || o.Shape == Prose {
			if r.turn&(1<<20-1) != i {
				t.Errorf("the turn of line %d has the place %d", r.Number, r.turn&(1<<20-1))
			}
			turn >>= 20 // the rest is the place in the list
		}
		if r.Folded {
			folded = "f"
		}
		fmt.Fprintf(&b, "%4d %3d %-10s %5d %s|%s\n", r.Number, r.Score, reasonNames[r.Reason], turn, folded, r.Line.Text)
	}
	for _, r := range runs {
		fmt.Fprintf(&b, "lines %d to %d are like line %d and end at byte %d\n", r.First, r.Last, r.Like, r.End)
	}
	return b.String()
}
