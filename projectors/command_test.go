package projectors_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/projectors/profile"
	"github.com/toolresult/toolresult/tokens"
)

func project(t *testing.T, out *pb.CommandOutput) *pb.CommandResult {
	t.Helper()
	r, err := projectors.Command(profile.BuiltIn()).Project(context.Background(), projectors.Input{
		Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: out},
		},
		Policy:  projectors.Policy{Budget: envelope.Cost{Tokens: 1000}, LineBytes: 2000, HeadPercent: 25, Counter: tokens.Estimate()},
		Measure: func(*pb.CanonicalToolResult) (envelope.Receipt, error) { return envelope.Receipt{}, nil },
	}, memory.New())
	if err != nil {
		t.Fatal(err)
	}
	return r.Canonical.GetCommand()
}

// The raw code is never changed, and nothing is said of a code that is not
// certainly the program's.
func TestExitMeaning(t *testing.T) {
	const answer, failure = pb.ExitClass_EXIT_CLASS_ANSWER, pb.ExitClass_EXIT_CLASS_FAILURE
	for _, c := range []struct {
		line    string
		code    int32
		program string
		class   pb.ExitClass
	}{
		{"grep -rn x .", 1, "grep", answer},
		{"/usr/bin/grep x f", 1, "grep", answer},
		{"LC_ALL=C 'grep' x f 2>/dev/null", 1, "grep", answer},
		{"grep x missing", 2, "grep", failure},
		{"diff a b", 1, "diff", answer},
		{"diff a b", 2, "diff", failure},
		{"test -f x", 1, "test", answer},
		{"[ -f x ]", 1, "[", answer},
		{"[[ -f x ]]", 1, "[[", answer},
		{"git diff --exit-code", 1, "git diff", answer},
		{"git grep x", 1, "git grep", answer},
		{"nosuch --help", 127, "nosuch", failure},
		{"./script.sh", 126, "script.sh", failure},
		{"grep x f", 0, "", 0},
		{"go test ./...", 1, "", 0},
		{"git log", 1, "", 0},
		{"cat f | grep x", 1, "", 0}, // with pipefail it may be cat's
		{"cd d && grep x f", 1, "", 0},
		{"grep x f; true", 1, "", 0},
		{"! grep x f", 1, "", 0},
		{"grep x f &", 1, "", 0},
		{"$GREP x f", 1, "", 0},
		{"(grep x f)", 1, "", 0},
		{"grep 'unclosed", 1, "", 0},
		{"", 1, "", 0},
	} {
		r := project(t, &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: &c.code, CommandLine: c.line,
		})
		if r.GetExitStatus() != c.code {
			t.Errorf("%q: code %d became %d", c.line, c.code, r.GetExitStatus())
		}
		if m := r.GetExitMeaning(); m.GetProgram() != c.program || m.GetClass() != c.class || (m != nil) != (m.GetText() != "") {
			t.Errorf("%q, code %d: %v, want %q", c.line, c.code, m, c.program)
		}
	}
}

// Status 0 behind a pipe is stated as it is, and beside it that it says nothing of the commands before. What they print
// is ranked as of a failure.
func TestStatusOfPipelines(t *testing.T) {
	text := ""
	for i := range 400 {
		text += fmt.Sprintf("copying file %d to where it belongs\nwarning: file %d was there, a%s\n", i, i, strings.Repeat("b", i))
	}
	show := func(line string, code int32) *pb.CommandResult {
		stdout := &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
		return project(t, &pb.CommandOutput{ExitStatus: &code, CommandLine: line, Stdout: stdout})
	}
	for line, uncertain := range map[string]bool{
		"": false, "./run.sh": false, "set -o pipefail; ./run.sh | tail": false,
		"./run.sh 2>&1 | tail -300": true, "./run.sh; echo done": true, "out=$(./run.sh); echo \"$out\"": true,
	} {
		ended, failed := show(line, 0), show(line, 1)
		if ended.GetExitStatus() != 0 || ended.GetStatusUncertain() != uncertain || ended.GetExitMeaning() != nil || failed.GetStatusUncertain() {
			t.Errorf("%q: %v, %v", line, ended.GetStatusUncertain(), failed.GetStatusUncertain())
		}
		if same := ended.GetStdoutPreview() == failed.GetStdoutPreview(); same != uncertain {
			t.Errorf("%q: shown as of a failure: %v", line, same)
		}
	}
	if r := project(t, &pb.CommandOutput{CommandLine: "./run.sh | tail"}); r.GetStatusUncertain() {
		t.Error("a status that there is not is uncertain")
	}
}

// E14: two streams that are too large share the budget; a small one takes no
// more than it needs.
func TestStreamsShareFairly(t *testing.T) {
	lines := func(n int) *pb.Payload {
		var b []byte
		for i := range n { // letters, because lines that differ in numbers alone are like each other
			b = fmt.Appendf(b, "%c%c%c%c is a line of output\n", 'a'+i%17, 'a'+i%13, 'a'+i%7, 'a'+i%11)
		}
		return &pb.Payload{Source: &pb.Payload_Inline{Inline: b}}
	}
	shown := func(stdout, stderr int) (int64, int64) {
		r := project(t, &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, Stdout: lines(stdout), Stderr: lines(stderr),
		})
		return int64(r.GetStdoutSource().GetShownLines()), int64(r.GetStderrSource().GetShownLines())
	}
	if out, err := shown(5000, 5000); out < err-2 || err < out-2 || out < 50 {
		t.Errorf("equal streams show %d and %d lines", out, err)
	}
	if out, _ := shown(5000, 3); out < 140 {
		t.Errorf("beside a small stream only %d lines are shown", out)
	}
}

// In a batch the command line of an item is that of its result, too, where the
// result has none: what its exit code means and which of its lines are noise.
func TestBatchItemsHaveProfiles(t *testing.T) {
	noise := ""
	for i := range 60 {
		noise += fmt.Sprintf("   Compiling crate-%d v1.0.0\n", i)
	}
	const line = "cargo build"
	result := func(commandLine string) *pb.CommandOutput {
		return &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(101)), CommandLine: commandLine,
			Stderr: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(noise + "error: no space\nerror: could not compile\nend\n")}},
		}
	}
	r, err := projectors.CommandBatch(profile.BuiltIn()).Project(context.Background(), projectors.Input{
		Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommands", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: &pb.CommandBatchOutput{Items: []*pb.CommandBatchItemOutput{
				{Status: pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN, CommandLine: line, Result: result("")},
			}}},
		},
		Policy:  projectors.Policy{Budget: envelope.Cost{Tokens: 4000}, LineBytes: 2000, HeadPercent: 25, Counter: tokens.Estimate()},
		Measure: func(*pb.CanonicalToolResult) (envelope.Receipt, error) { return envelope.Receipt{}, nil },
	}, memory.New())
	if err != nil {
		t.Fatal(err)
	}
	got, want := r.Canonical.GetCommandBatch().GetItems()[0].GetResult().GetStderrPreview(), project(t, result(line)).GetStderrPreview()
	if got != want || got == "" || strings.Contains(got, "crate-3 ") {
		t.Errorf("in a batch is shown\n%s\nalone\n%s", got, want)
	}
}

// An exit status of 0 says nothing of what others wrote: errors in a log count in full.
func TestExitOfOthersOutput(t *testing.T) {
	log := strings.Repeat("served a page in some time\n", 3) + "error: the disk is gone\n"
	for i := range 400 {
		log += fmt.Sprintf("served page %[1]c%[1]c to %[1]c in some time\n", 'a'+i%26)
	}
	scores := map[string]uint32{}
	for _, line := range []string{"./serve", "docker logs web", "cat out.log", "journalctl -u web"} {
		r := project(t, &pb.CommandOutput{CommandLine: line, ExitStatus: new(int32(0)), Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(log)}}})
		for _, s := range r.GetStdoutSource().GetSegments() {
			if s.GetReason() == pb.KeepReason_KEEP_REASON_DIAGNOSTIC {
				scores[line] = max(scores[line], s.GetScore())
			}
		}
	}
	for line, score := range scores {
		if line != "./serve" && score < scores["./serve"]+20 {
			t.Errorf("%s: an error has score %d, and %d in the output of a program that succeeded", line, score, scores["./serve"])
		}
	}
	if len(scores) < 4 {
		t.Errorf("%v", scores)
	}
}
