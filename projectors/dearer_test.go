package projectors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/projectors/profile"
	"github.com/toolresult/toolresult/renderers"
)

// dearerLines are lines of output, with %d for a number.
var dearerLines = []string{
	"line %d of it\n", "\n", "  \n", "waiting\n", "Collecting package%d\n", "  Downloading package-%d.whl (1.2 MB)\n", "error: part %d is broken\n", "ok %d\n", "}\n",
	"src/dir%d/file.go\n", "src/a%d.go:12:\tfound()\n", "{\"level\":\"info\",\"n\":%d}\n", "10%%\r20%%\r30%%\rdone %d\n", "\x1b[31mred %d\x1b[0m\n",
	strings.Repeat("-", 72) + "\n", "== part %d " + strings.Repeat("=", 60) + "\n", strings.Repeat(" ", 90) + "%d\n", "step%d" + strings.Repeat(".", 50) + " ok\n",
	"remote: Counting objects: %d\n", "drwxr-xr-x 2 a a 4096 Nov 25 09:06 d%d\n",
}

// nested is elements in one another, each on a line of its own.
func nested(deep, indent int) string {
	var b strings.Builder
	for i := range 2 * deep {
		if i < deep {
			b.WriteString(strings.Repeat(" ", i*indent) + "<div>\n")
		} else {
			b.WriteString(strings.Repeat(" ", (2*deep-1-i)*indent) + "</div>\n")
		}
	}
	return b.String()
}

// padded is rows of two columns, the first of some width.
func padded(rows, width int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%-*s| %d\n", width, "", i*i)
	}
	return b.String()
}

// A receipt of a part of an output costs no more than that of all of it, or than all of it
// as it is where lines are folded, whatever the budget and the program.
func TestReceiptsCostNoMoreThanTheWhole(t *testing.T) {
	profiles := profile.BuiltIn()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		kinds := rapid.SliceOfN(rapid.SampledFrom(dearerLines), 1, 3).Draw(t, "kinds")
		for i := range rapid.IntRange(1, 80).Draw(t, "lines") {
			kind := kinds[i%len(kinds)]
			if strings.Contains(kind, "%d") {
				kind = fmt.Sprintf(kind, i)
			}
			b.WriteString(kind)
		}
		text := b.String()
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0: // one element in another; a token has 64 bytes at most
			text = nested(rapid.IntRange(1, 76).Draw(t, "deep"), rapid.SampledFrom([]int{1, 8, 12}).Draw(t, "indent"))
		case 1: // columns that are padded
			text = padded(rapid.IntRange(1, 400).Draw(t, "rows"), rapid.SampledFrom([]int{8, 60, 200}).Draw(t, "width"))
		}
		if rapid.Bool().Draw(t, "one JSON value") {
			text = `[` + strings.TrimSuffix(strings.Repeat(`{"id":1,"name":"x"},`, rapid.IntRange(1, 60).Draw(t, "objects")), ",") + `]`
		}
		out := &pb.CompleteToolOutput{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			ExitStatus: new(int32(0)), Stdout: inline(text),
			CommandLine: rapid.SampledFrom([]string{"", "pip install x", "git fetch", "ls -l", "grep -rn x .", "find ."}).Draw(t, "command"),
		}}}
		cost := func(budget envelope.Cost, with *profile.Set) (projectors.Projection, bool) {
			policy, rounds := ample(), 0
			policy.Budget = budget
			p, err := projectors.Command(with).Project(context.Background(), projectors.Input{Output: out, Policy: policy, Measure: measured(renderers.Command(), &rounds)}, memory.New())
			if _, short := errors.AsType[*envelope.ShortfallError](err); short {
				return p, false
			}
			if err != nil {
				t.Fatal(err)
			}
			return p, true
		}
		whole, _ := cost(envelope.Cost{Tokens: 1 << 20}, nil)
		most := max(whole.Receipt.Tokens, ample().Counter.Count("Process exited with code 0\nstdout:\n"+text))
		n := whole.Receipt.Tokens // a budget that is just enough for the whole, or any
		budget := rapid.OneOf(rapid.IntRange(20, 2*n+20), rapid.IntRange(n, n+n/3+20)).Draw(t, "budget")
		if part, ok := cost(envelope.Cost{Tokens: budget}, profiles); ok && part.Receipt.Tokens > most {
			t.Fatalf("%d tokens of %d with a budget of %d:\n%s\n\nThe whole is\n%s", part.Receipt.Tokens, most, budget, part.Receipt.Text, whole.Receipt.Text)
		}
	})
}

// A text whose tokens are long is shown whole wherever that fits, however many bytes it has.
func TestLongTextOfFewTokensIsShownWhole(t *testing.T) {
	for name, text := range map[string]string{"nested": nested(60, 8), "padded": padded(200, 200), "blank": strings.Repeat("\n", 80), "blank between": strings.Repeat("a\n"+strings.Repeat("\n", 60), 20)} {
		out := &pb.CompleteToolOutput{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			ExitStatus: new(int32(0)), Stdout: inline(text),
		}}}
		want := "Process exited with code 0\nstdout:\n" + text
		policy, rounds := ample(), 0
		policy.Budget = envelope.Cost{Tokens: policy.Counter.Count(want) + 4}
		p, err := projectors.Command(profile.BuiltIn()).Project(context.Background(), projectors.Input{Output: out, Policy: policy, Measure: measured(renderers.Command(), &rounds)}, memory.New())
		if err != nil {
			t.Fatal(err)
		}
		if p.Receipt.Text != strings.TrimSuffix(want, "\n") && p.Receipt.Text != want {
			t.Errorf("%s: %d bytes in %d tokens are shown in %d:\n%.300s", name, len(text), policy.Budget.Tokens, p.Receipt.Tokens, p.Receipt.Text)
		}
	}
}
