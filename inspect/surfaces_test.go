package inspect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/config"
)

// project projects an output, and returns its record.
func (s *site) project(req *pb.ProjectRequest) *pb.AuditRecord {
	s.t.Helper()
	if _, err := s.Project(context.Background(), req); err != nil {
		s.t.Fatal(err)
	}
	return s.newest()
}

// at returns the address of a record, or of what is below it.
func at(r *pb.AuditRecord, below string) string {
	return fmt.Sprintf("/records/%d%s", r.GetSequence(), below)
}

// inlined is a payload.
func inlined(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}

// TestLookingLeavesNoRecord looks at what is not there: a later record, and an artifact that was deleted. The log stays as it is.
func TestLookingLeavesNoRecord(t *testing.T) {
	s := newSite(t, func(c *config.Config) { c.SessionLease, c.KeepFor = 0, time.Nanosecond })
	s.run("one", "a", log(2500), 1)
	record := s.run("", "", log(2600), 1)
	if _, err := s.CollectGarbage(context.Background(), &pb.CollectGarbageRequest{}); err != nil {
		t.Fatal(err)
	}
	before := s.newest()
	if body := s.get("/records/1"); !strings.Contains(body, `id="later"`) || !strings.Contains(body, ">deleted<") {
		t.Errorf("the first record: %s", body)
	}
	if body := s.get(at(record, "")); !strings.Contains(body, ">deleted<") {
		t.Errorf("the second record: %s", body)
	}
	if body := s.get(at(before, "")); strings.Contains(body, `id="later"`) {
		t.Error("there is a later record than the last one")
	}
	for _, below := range []string{"", "/json", "/texts/0/lines?first=1&last=2"} {
		if code, body := s.ask(fmt.Sprintf("/records/%d%s", before.GetSequence()+1, below)); code != http.StatusNotFound {
			t.Errorf("%s: %d %s", below, code, body)
		}
	}
	if after := s.newest(); after.GetSequence() != before.GetSequence() {
		t.Errorf("the last record is %v", after)
	}
}

// TestPolicyOnRecordGivesItsReceipt tries nothing but what the record says, of calls whose receipts depend on more than their policy.
func TestPolicyOnRecordGivesItsReceipt(t *testing.T) {
	s := newSite(t)
	one := int32(1)
	failed := func(call, stdout string) *pb.ProjectRequest {
		return &pb.ProjectRequest{
			Call: &pb.CallReference{SessionId: "one", CallId: call},
			Output: &pb.CompleteToolOutput{ToolName: "Bash", Result: &pb.CompleteToolOutput_Command{
				Command: &pb.CommandOutput{ExitStatus: &one, Stdout: inlined(stdout)},
			}},
		}
	}
	byCall := failed("a", log(2500))
	byCall.Policy = &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Handles: pb.HandleForm_HANDLE_FORM_CALL}}
	records := map[string]*pb.AuditRecord{"handles by calls": s.project(byCall)}
	focus := &pb.SetSessionFocusRequest{SessionId: "one", Focus: "where is the quetzal <b>?"}
	if _, err := s.SetSessionFocus(context.Background(), focus); err != nil {
		t.Fatal(err)
	}
	found := failed("d", log(2800))
	found.Policy = &pb.ProjectionPolicy{Focus: "its nest"}
	records["focuses"] = s.project(found)
	page, _ := shown(t, s.get(at(records["focuses"], "")))
	for _, want := range []string{"where is the quetzal <b>?", "its nest"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q: %s", want, page)
		}
	}
	if _, err := s.ProjectTurn(context.Background(), &pb.ProjectTurnRequest{
		Outputs: []*pb.ProjectRequest{failed("b", log(2600)), failed("c", log(2700))}, TotalTokens: 900,
	}); err != nil {
		t.Fatal(err)
	}
	records["a share of a turn"] = s.newest()
	for name, record := range records {
		text, _ := shown(t, s.post(at(record, "/trial"), nil))
		if !strings.Contains(text, "The receipt is the same") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestStreamsInOrderCountOnce has two streams that are stored a third time, in the order of their arrival.
func TestStreamsInOrderCountOnce(t *testing.T) {
	s := newSite(t)
	call, err := s.ProjectStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	send := func(m *pb.ProjectStreamRequest) {
		if err := call.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{
		Family: "command", Streams: []string{"out", "err"}, KeepOrder: true,
	}}})
	all := 0
	for i := range 2000 {
		chunk := &pb.StreamChunk{Stream: []string{"out", "err"}[i%2], Data: fmt.Appendf(nil, "line %d of both streams\n", i)}
		all += len(chunk.Data)
		send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: chunk}})
	}
	code := int32(1)
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: &pb.CompleteToolOutput{
		ToolName: "Bash", Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			ExitStatus: &code, Stdout: &pb.Payload{Source: &pb.Payload_Stream{Stream: "out"}}, Stderr: &pb.Payload{Source: &pb.Payload_Stream{Stream: "err"}},
		}},
	}}}})
	if err := call.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := call.Recv(); err != nil {
		t.Fatal(err)
	}
	record := s.newest()
	if len(record.GetPayloads()) != 3 {
		t.Fatalf("the payloads are %v", record.GetPayloads())
	}
	text, _ := shown(t, s.get(at(record, "")))
	if want := fmt.Sprintf("complete output%d,%03d", all/1000, all%1000); !strings.Contains(text, want) {
		t.Errorf("there is no %q: %s", want, text)
	}
	if text, _ := shown(t, s.post(at(record, "/trial"), url.Values{"tokens": {"200"}})); !strings.Contains(text, "is not tried") {
		t.Errorf("the trial: %s", text)
	}
}

func TestTextOfAnErrorIsShown(t *testing.T) {
	s := newSite(t)
	record := s.project(&pb.ProjectRequest{Output: &pb.CompleteToolOutput{ToolName: "Fetch", Error: &pb.CompleteToolError{
		Kind: "tool_execution_failed", Message: inlined(log(3000)),
	}}})
	page := s.get(at(record, ""))
	if !strings.Contains(page, "<h3>error.message") || !showLines.MatchString(page) {
		t.Errorf("the page has no text of the error: %s", page)
	}
	lines, _ := shown(t, s.get(at(record, "/texts/0/lines?first=1000&last=1001")))
	if !strings.Contains(lines, "compiling unit 999 of the module") {
		t.Errorf("the lines are %s", lines)
	}
}

// TestHiddenCharactersAreShown has characters that nobody sees, or that change how others are shown, in what is no output of a command.
func TestHiddenCharactersAreShown(t *testing.T) {
	s := newSite(t)
	hidden := "pay\u202e\u2066x\u200b\U000e0041"
	record := s.project(&pb.ProjectRequest{Output: &pb.CompleteToolOutput{ToolName: "Bash", Result: &pb.CompleteToolOutput_Command{
		Command: &pb.CommandOutput{CommandLine: "echo '" + hidden + "'", Stdout: inlined("x\n")},
	}}})
	for _, below := range []string{"", "/json"} {
		body := s.get(at(record, below))
		if strings.ContainsAny(body, "\u202e\u2066\u200b\U000e0041") {
			t.Errorf("%q has them as they are: %q", below, body)
		}
	}
	if body := s.get(at(record, "/json")); !strings.Contains(body, `pay\u202e\u2066x\u200b\udb40\udc41`) {
		t.Errorf("they are not escaped: %s", body)
	}
}

func TestReadableFormIsNamed(t *testing.T) {
	s := newSite(t)
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := range 900 {
		fmt.Fprintf(&b, `{"id":%d,"nested":{"name":"item %d"}},`, i, i*i)
	}
	b.WriteString("1]}\n")
	record := s.run("one", "a", b.String(), 0)
	if text, _ := shown(t, s.get(at(record, ""))); !strings.Contains(text, "the tool wrote 1 line") {
		t.Errorf("it is called what the tool wrote: %s", text)
	}
}

// TestLineBeyondAPage has a line that is longer than what the page reads of an artifact.
func TestLineBeyondAPage(t *testing.T) {
	s := newSite(t)
	record := s.run("one", "a", strings.Repeat("short\n", 900)+strings.Repeat("long ", 200_000)+"\n"+strings.Repeat("short\n", 900), 0)
	text, _ := shown(t, s.get(at(record, "/texts/0/lines?first=901&last=905")))
	if !strings.Contains(text, "more bytes than the page reads") || strings.Contains(text, "further bytes") || !strings.Contains(text, "Show lines 902 to 905") {
		t.Errorf("the line is shown as %s", text)
	}
}

// TestPlanOfAnyLength has a session whose results fit into no message, some of them without an id of their own.
func TestPlanOfAnyLength(t *testing.T) {
	s := newSite(t, func(c *config.Config) { c.MaxMessageBytes = 64 << 10 })
	for i := range 24 {
		s.run("one", []string{fmt.Sprint("call_", i), "again"}[i%2], log(500+i), 1)
	}
	before := s.newest().GetSequence()
	text, _ := shown(t, s.get("/sessions/one/compaction?tokens=4000"))
	if rows := strings.Count(text, "Bash"); rows != 24 || !strings.Contains(text, "→") {
		t.Errorf("the plan has %d rows: %s", rows, text)
	}
	if after := s.newest().GetSequence(); after != before {
		t.Errorf("the plan is record %d", after)
	}
}

// TestSliderIsOfThePlan has more results than a list of records, and none among the last of these.
func TestSliderIsOfThePlan(t *testing.T) {
	s := newSite(t)
	var tokens uint32
	for i := range 30 {
		tokens += s.run("one", fmt.Sprint("call_", i), log(40+i), 0).GetReceipt().GetTokens()
	}
	for range 101 {
		_, err := s.Project(context.Background(), &pb.ProjectRequest{Call: &pb.CallReference{SessionId: "one"}, Output: &pb.CompleteToolOutput{ToolName: "no tool"}})
		if err == nil {
			t.Fatal("the call was not rejected")
		}
	}
	if page := s.get("/sessions/one"); !strings.Contains(page, fmt.Sprintf(`max="%d"`, tokens)) {
		t.Errorf("the slider does not end at %d tokens: %s", tokens, page)
	}
}
