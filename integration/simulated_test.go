package integration_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// simulated is the calls of one task, one after the other.
type simulated struct {
	name  string
	calls []*pb.CompleteToolOutput
}

// simulatedSessions are two that were recorded from real commands, and three that are made.
func simulatedSessions(t *testing.T) []simulated {
	return []simulated{
		{"recorded: a small module", append(goldenCalls(t, "ledger"), goldenCalls(t, "build")...)},
		{"recorded: work on this repository", recorded(t, "testdata/simulation/work.jsonl")},
		{"made: 500 calls of mending and testing", mending(500)},
		{"made: 300 calls of reading", reading(300)},
		{"made: 150 calls with long logs", longLogs(150)},
	}
}

// recorded reads a session: one command in a line.
func recorded(t *testing.T, path string) (calls []*pb.CompleteToolOutput) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c struct {
			Command        string
			Exit           int32
			Stdout, Stderr string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, executed(c.Command, c.Exit, c.Stdout, c.Stderr))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return calls
}

// goldenCalls are the calls of a golden session.
func goldenCalls(t *testing.T, name string) (calls []*pb.CompleteToolOutput) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(sessionsDir, name, "[0-9]*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no calls of %s, error %v", name, err)
	}
	for _, dir := range dirs {
		calls = append(calls, readRequest(t, filepath.Join(dir, "request.textproto")).GetOutput())
	}
	return calls
}

// The made sessions are drawn from a fixed seed.

func mending(n int) (calls []*pb.CompleteToolOutput) {
	r := rand.New(rand.NewPCG(1, 1))
	for len(calls) < n {
		file, room := fmt.Sprintf("src/part%02d.go", r.IntN(14)), r.IntN(6)
		run := fmt.Sprintf("go test ./room%d/...", room)
		calls = append(calls, executed(run, 1, testLog(r, 60+r.IntN(400), 1+r.IntN(4)), ""))
		for range 1 + r.IntN(3) {
			calls = append(calls, fileRead(r, file), executed("edit "+file, 0, "", ""))
			if r.IntN(3) == 0 {
				calls = append(calls, executed(run, 1, testLog(r, 60+r.IntN(400), 1), ""))
			}
		}
		if r.IntN(8) > 0 { // one failure in eight stays open
			calls = append(calls, executed(run, 0, testLog(r, 60+r.IntN(200), 0), ""))
		}
	}
	return calls[:n]
}

func reading(n int) (calls []*pb.CompleteToolOutput) {
	r := rand.New(rand.NewPCG(2, 2))
	for i := range n {
		if i%5 == 4 {
			calls = append(calls, executed(fmt.Sprintf("grep -rn word%d .", i), 0, matches(r, 5+r.IntN(80)), ""))
			continue
		}
		calls = append(calls, fileRead(r, fmt.Sprintf("src/part%03d.go", r.IntN(n))))
	}
	return calls
}

func longLogs(n int) (calls []*pb.CompleteToolOutput) {
	r := rand.New(rand.NewPCG(3, 3))
	for i := range n {
		failures := 0
		if i%10 == 7 {
			failures = 2
		}
		calls = append(calls, executed(fmt.Sprintf("make step%d", i), int32(min(1, failures)), testLog(r, 1500, failures), ""))
	}
	return calls
}

var words = strings.Fields("lease renew table index cache store write read open close path file line token budget limit queue order retry page")

func sentence(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = words[r.IntN(len(words))]
	}
	return strings.Join(list, " ")
}

func testLog(r *rand.Rand, lines, failures int) string {
	var b strings.Builder
	for i := range lines {
		if failures > 0 && i%(lines/(failures+1)+1) == lines/(failures+2) {
			fmt.Fprintf(&b, "--- FAIL: Test%s%d (0.0%ds)\n    %s_test.go:%d: got %d, want %d\n",
				words[r.IntN(len(words))], i, r.IntN(9), words[r.IntN(len(words))], r.IntN(400), r.IntN(90), r.IntN(90))
		}
		fmt.Fprintf(&b, "=== step %d: %s in %d ms\n", i, sentence(r, 4+r.IntN(6)), r.IntN(900))
	}
	return b.String()
}

func matches(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "src/part%02d.go:%d:\t%s\n", r.IntN(40), r.IntN(900), sentence(r, 6))
	}
	return b.String()
}

func fileRead(r *rand.Rand, path string) *pb.CompleteToolOutput {
	var b strings.Builder
	lines := 60 + r.IntN(240)
	for range lines {
		fmt.Fprintf(&b, "\t%s := %s(%d) // %s\n", words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(99), sentence(r, r.IntN(5)))
	}
	return &pb.CompleteToolOutput{
		ToolName: "Read", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "read",
		Result: &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{
			Path: path, TotalLines: new(uint64(lines)), Content: payloadOf(b.String()),
		}},
	}
}

func executed(line string, exit int32, stdout, stderr string) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "ran",
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: &exit, CommandLine: line,
			Stdout: payloadOf(stdout), Stderr: payloadOf(stderr),
		}},
	}
}

func payloadOf(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}
