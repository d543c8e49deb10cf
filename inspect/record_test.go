package inspect_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"google.golang.org/protobuf/proto"
)

func TestHostileOutputIsText(t *testing.T) {
	s := newSite(t)
	hostile := "<script>alert(1)</script>\n</pre></div><img src=x onerror=alert(2)>\n\u202Egnirts\u202C\u2066 \u200B\n" +
		"\x1b]0;title\x07\x1b[31mred\x1b[0m\x00\x08\n{{.Token}} &lt; &amp;lt;\n\xff\xfe invalid\n" + strings.Repeat("x", 1<<20) + "\n"
	s.run("a/b:c", "<b>", hostile, 0)
	s.run("a/b:c", "two", hostile+log(3000), 2)
	plain, _ := shown(t, s.get("/records/1"))
	for _, path := range []string{"/", "/records", "/sessions/" + url.PathEscape("a/b:c"), "/records/1", "/records/2", "/records/2/texts/0/lines?first=1&last=6"} {
		page := s.get(path)
		_, elements := shown(t, page)
		if scripts := elements["script"]; scripts != 2 && scripts != 0 || elements["img"] > 0 || elements["b"] > 200 {
			t.Errorf("%s has elements of the tool's: %v", path, elements)
		}
		if strings.ContainsAny(page, "\u202E\u202C\u2066\u200B\x1b\x00\x08") {
			t.Errorf("%s has characters that change how others are shown", path)
		}
		if len(page) > 1<<20 {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
	if !strings.Contains(plain, "<script>alert(1)</script>") && !strings.Contains(plain, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Errorf("the line of the tool is not shown:\n%.2000s", plain)
	}
}

var (
	keptLine  = regexp.MustCompile(`<span class="no">(\d+)</span><span class="tx">(.*?)</span></span>`)
	showLines = regexp.MustCompile(`hx-get="/[A-Z2-7]+(/records/\d+/texts/\d+/lines\?first=\d+&amp;last=\d+)"`)
)

// TestKeptAndCutLinesAreTheOutput reads every line of an output from the page: those that were kept as they are drawn, and those that
// were cut as its buttons show them.
func TestKeptAndCutLinesAreTheOutput(t *testing.T) {
	s := newSite(t)
	output := log(2500)
	s.run("one", "a", output, 1)
	var want []string
	for line := range strings.Lines(output) {
		want = append(want, strings.TrimSuffix(line, "\n"))
	}
	got := make([]string, len(want)+1)
	read := func(page string) {
		for _, m := range keptLine.FindAllStringSubmatch(page, -1) {
			number, err := strconv.Atoi(m[1])
			if err != nil || number < 1 || number > len(want) {
				t.Fatalf("line %q", m[1])
			}
			if got[number] != "" {
				t.Errorf("line %d is shown twice", number)
			}
			got[number] = m[2]
		}
	}
	page := s.get("/records/1")
	page = page[:strings.Index(page, `id="canonical"`)]
	read(page)
	cuts := showLines.FindAllStringSubmatch(page, -1)
	if len(cuts) < 2 {
		t.Fatalf("%d cuts can be read:\n%s", len(cuts), page)
	}
	for len(cuts) > 0 {
		more := s.get(strings.ReplaceAll(cuts[0][1], "&amp;", "&"))
		read(more)
		cuts = append(cuts[1:], showLines.FindAllStringSubmatch(more, -1)...)
	}
	for i, line := range want {
		if got[i+1] != line {
			t.Fatalf("line %d is shown as %q, and is %q", i+1, got[i+1], line)
		}
	}
}

func TestReasonsAndSizesAreShown(t *testing.T) {
	s := newSite(t)
	s.run("one", "a", log(2500), 1)
	whole, err := s.GetRecord(context.Background(), &pb.GetRecordRequest{Sequence: 1})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := shown(t, s.get("/records/1"))
	receipt := whole.GetRecord().GetReceipt()
	for _, want := range []string{
		"make a", "diagnostic", "head", "tail", "omitted for the budget", fmt.Sprint(len(log(2500)))[:3],
		"Process exited with code 1", `"exit_status": 1`, strconv.Itoa(int(receipt.GetTokens()))[1:],
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestPolicyIsTriedElsewhere(t *testing.T) {
	for name, lines := range map[string]int{"inline": 2500, "streamed": 120_000} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.run("one", "a", log(lines/10), 1)
			if lines > 10_000 {
				s.stream(log(lines))
			}
			before, storeBefore := s.newest(), s.store()
			page := s.post(fmt.Sprintf("/records/%d/trial", before.GetSequence()), url.Values{"tokens": {"400"}})
			text, _ := shown(t, page)
			tokens := regexp.MustCompile(`([\d,]+) → ([\d,]+) tokens`).FindStringSubmatch(text)
			if tokens == nil {
				t.Fatalf("no comparison: %s", text)
			}
			if n, err := strconv.Atoi(strings.ReplaceAll(tokens[2], ",", "")); err != nil || n > 400 || n < 100 {
				t.Errorf("the receipt of the policy has %s tokens", tokens[2])
			}
			if after := s.newest(); !proto.Equal(before, after) || s.store() != storeBefore {
				t.Errorf("the trial left a trace: %v", after)
			}
			same, _ := shown(t, s.post(fmt.Sprintf("/records/%d/trial", before.GetSequence()), nil))
			if !strings.Contains(same, "The receipt is the same") {
				t.Errorf("the policy on record gives another receipt: %s", same)
			}
		})
	}
}

// store returns the state of the store in words.
func (s *site) store() string {
	info, err := s.GetServerInfo(context.Background(), &pb.GetServerInfoRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprint(info.GetStore().GetArtifacts(), " ", info.GetStore().GetBytes())
}

// stream projects the output of a command that is too large for one message.
func (s *site) stream(stdout string) {
	s.t.Helper()
	call, err := s.ProjectStream(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	send := func(m *pb.ProjectStreamRequest) {
		if err := call.Send(m); err != nil {
			s.t.Fatal(err)
		}
	}
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command", Streams: []string{"stdout"}}}})
	for b := range bytes.Lines([]byte(stdout)) {
		send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: b}}})
	}
	code := int32(1)
	send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: &pb.CompleteToolOutput{
		ToolName: "Bash", Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			ExitStatus: &code, Stdout: &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
		}},
	}}}})
	if err := call.CloseSend(); err != nil {
		s.t.Fatal(err)
	}
	if _, err := call.Recv(); err != nil {
		s.t.Fatal(err)
	}
}

func TestRecordIsVerified(t *testing.T) {
	s := newSite(t)
	s.run("one", "a", log(2500), 1)
	for _, path := range []string{"/records/1/verification", "/verification"} {
		if text, _ := shown(t, s.post(path, nil)); !strings.Contains(text, "hold") || strings.Contains(text, "differs") {
			t.Errorf("%s: %s", path, text)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	s := newSite(t)
	s.run("one", "a", "text\n", 0)
	for path, want := range map[string]int{
		"/records/x": http.StatusBadRequest, "/records/0": http.StatusBadRequest, "/records/99": http.StatusNotFound, "/nothing": http.StatusNotFound,
		"/records/1/texts/7/lines?first=1&last=2": http.StatusBadRequest, "/records/1/texts/0/lines?first=1&last=2": http.StatusBadRequest,
		"/sessions/one/compaction?tokens=3": http.StatusBadRequest, "/records?session=%00": http.StatusBadRequest, "/records?session=%ff": http.StatusBadRequest, "/sessions/%ff": http.StatusBadRequest, "/records?kind=nonsense": http.StatusBadRequest, "/static/../inspect.go": http.StatusForbidden,
	} {
		if code, body := s.ask(path); code != want || !strings.Contains(body, "<h1>") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}
