package integration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/config"
)

const sessionsDir = "testdata/sessions"

// TestGoldenSessions compacts whole sessions and compares what a person who goes on
// with them would read. A session is a directory:
//
//	calls.txt          its calls, oldest first: directories of testdata with a request
//	session.textproto  a CompactRequest without results; every call is a turn of its own
//	plan.txt           what toolresult compact --explain prints
//	receipts.txt       the receipts after compaction
//	overview.txt       the receipt over those that are not shown whole any more
//
// ledger and build were recorded from real commands with record.sh. The store is in
// memory: its paths, and so the tokens, are the same in every run.
func TestGoldenSessions(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Store: config.MemoryStore})
	sessions, err := filepath.Glob(filepath.Join(sessionsDir, "*", "session.textproto"))
	if err != nil || len(sessions) < 6 {
		t.Fatalf("%d sessions, error %v", len(sessions), err)
	}
	if *update {
		t.Error("-update fails on purpose: review the diff, and run without it")
	}
	for _, path := range sessions {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) { goldenSession(t, s, dir) })
	}
}

func goldenSession(t *testing.T, s *sidecar, dir string) {
	t.Parallel()
	req := readSession(t, s, dir)
	resp, err := s.Compact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	var receipts strings.Builder
	for i, e := range req.GetEntries() {
		fmt.Fprintf(&receipts, "=== %s %s\n%s\n\n", e.GetCallId(), e.GetCanonical().GetToolName(), s.receiptAfter(t, req, resp, i))
	}
	compare(t, filepath.Join(dir, "receipts.txt"), receipts.String())
	compare(t, filepath.Join(dir, "overview.txt"), resp.GetOverview().GetText()+"\n")

	stdin, err := prototext.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	plan := mustCLI(t, environment(t), strings.NewReader(string(stdin)),
		"compact", "--server", "unix://"+s.Socket, "--input=textproto", "--explain")
	compare(t, filepath.Join(dir, "plan.txt"), plan)
}

// readSession projects the calls of a session, each for itself.
func readSession(t *testing.T, s *sidecar, dir string) *pb.CompactRequest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "session.textproto"))
	if err != nil {
		t.Fatal(err)
	}
	req := fromText(t, string(text), &pb.CompactRequest{})
	calls, err := os.ReadFile(filepath.Join(dir, "calls.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, call := range strings.Fields(string(calls)) {
		one := readRequest(t, filepath.Join("testdata", call, "request.textproto"))
		one.Call = nil
		req.Entries = append(req.Entries, &pb.CompactEntry{
			Result: &pb.CompactEntry_Canonical{Canonical: s.project(t, one).GetCanonical()},
			CallId: fmt.Sprintf("call_%02d", i+1), Turn: uint32(i + 1), PrecedingTokens: 60,
		})
	}
	return req
}

// receiptAfter is the receipt of an entry after a compaction, which answers those that changed.
func (s *sidecar) receiptAfter(t *testing.T, req *pb.CompactRequest, resp *pb.CompactResponse, i int) string {
	t.Helper()
	for _, r := range resp.GetResults() {
		if int(r.GetIndex()) == i {
			return r.GetReceipt().GetText()
		}
	}
	rendered, err := s.Render(t.Context(), &pb.RenderRequest{
		Result: &pb.RenderRequest_Canonical{Canonical: req.GetEntries()[i].GetCanonical()},
		Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 200_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return rendered.GetReceipt().GetText()
}

// What project prints as JSON, compact takes, one value after the other, with what the
// runtime knows of the calls beside it.
func TestCompactReadsSessions(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Store: config.MemoryStore})
	env, at := environment(t), "--server=unix://"+s.Socket
	var session strings.Builder
	for i, name := range []string{"03", "05", "10"} {
		out, err := prototext.Marshal(readRequest(t, filepath.Join(sessionsDir, "ledger", name, "request.textproto")).GetOutput())
		if err != nil {
			t.Fatal(err)
		}
		var value map[string]any
		if err := json.Unmarshal([]byte(mustCLI(t, env, strings.NewReader(string(out)), "project", at, "--input=textproto", "--output=json")), &value); err != nil {
			t.Fatal(err)
		}
		value["call_id"], value["turn"] = "call_"+name, i+1
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		session.Write(text)
	}
	run := func(args ...string) string {
		return mustCLI(t, env, strings.NewReader(session.String()), append([]string{"compact", at}, args...)...)
	}
	wantIn(t, run("--explain", "--total-tokens=600", "--protect-call=call_03"), "call_05", "superseded by 2", "protected", "within the budget of 600")
	wantIn(t, run("--explain", "--total-tokens=600", "--cached-results=3"), "in the cache", "more than the budget of 600; nothing changes")
	wantIn(t, run("--dry-run", "--total-tokens=600"), `"tokens_after"`, `"budget_met": true`)
	wantIn(t, run("--level=line"), "Superseded: by call call_10, 1 result later")
	wantIn(t, run("--level=line", "--overview"), "Earlier tool results: ", "ran go test -v ./...: exit code 1; stdout: memory/")
	pipedTwice(t, env, at, session.String())

	r := cli(t, env, strings.NewReader(session.String()), "compact", at, "--cache-break=often")
	if r.code != 125 || !strings.Contains(r.stderr, `--cache-break often: never or when-needed`) {
		t.Errorf("exit code %d, %s", r.code, r.stderr)
	}
}

// pipedTwice checks that what compact prints as JSON is the whole session, and compacts to itself.
func pipedTwice(t *testing.T, env []string, at, session string) {
	t.Helper()
	args := []string{"compact", at, "--output=json", "--total-tokens=600", "--protect-call=call_03"}
	once := mustCLI(t, env, strings.NewReader(session), args...)
	if twice := mustCLI(t, env, strings.NewReader(once), args...); twice != once {
		t.Errorf("compacted again:\n%s\nwas\n%s", twice, once)
	}
	var calls []string
	for dec := json.NewDecoder(strings.NewReader(once)); dec.More(); {
		var value struct {
			CallID    string `json:"call_id"`
			Canonical json.RawMessage
			Receipt   struct{ Text string }
		}
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if value.Canonical == nil || value.Receipt.Text == "" {
			t.Errorf("call %s has no result or no receipt", value.CallID)
		}
		calls = append(calls, value.CallID)
	}
	if strings.Join(calls, " ") != "call_03 call_05 call_10" {
		t.Errorf("the session has the calls %v", calls)
	}
}
