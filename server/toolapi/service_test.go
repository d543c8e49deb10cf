package toolapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/renderers"
)

// keep stores a text for a session, and returns its name.
func (d desk) keep(t servertest.Checking, session, text string) string {
	resp, err := d.Project(t.Context(), &pb.ProjectRequest{
		Output: &pb.CompleteToolOutput{ToolName: "Some", Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{
			Content: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}},
		}}},
		Call:   &pb.CallReference{SessionId: session},
		Policy: &pb.ProjectionPolicy{ArtifactPolicy: pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS, Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 200_000}}},
	})
	if err != nil || len(resp.GetCanonical().GetText().GetArtifacts()) != 1 {
		t.Fatalf("%v, %v", resp, err)
	}
	return strings.TrimPrefix(resp.GetCanonical().GetText().GetArtifacts()[0].GetPath(), "memory/")
}

// ask makes a call of read_result.
func (d desk) ask(t servertest.Checking, session string, policy *pb.RenderPolicy, arguments map[string]any) *pb.CallToolResponse {
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := d.tools.CallTool(t.Context(), &pb.CallToolRequest{
		Name: "read_result", ArgumentsJson: string(text), Call: &pb.CallReference{SessionId: session}, Policy: policy,
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	checkAnswer(t, resp)
	return resp
}

// checkAnswer checks that an answer is a valid result whose receipt can be read back.
func checkAnswer(t servertest.Checking, resp *pb.CallToolResponse) {
	if err := envelope.ValidateCanonical("", resp.GetCanonical(), nil); err != nil {
		t.Fatalf("%v in\n%v", err, resp.GetCanonical())
	}
	if _, err := renderers.ParseReceipt(resp.GetReceipt().GetText()); err != nil {
		t.Fatalf("%v in\n%s", err, resp.GetReceipt().GetText())
	}
}

// answers are pages from a call to its end.
func (d desk) answers(t servertest.Checking, policy *pb.RenderPolicy, arguments map[string]any) (pages []*pb.TextResult) {
	for {
		resp := d.ask(t, "s", policy, arguments)
		text := resp.GetCanonical().GetText()
		if text == nil {
			t.Fatalf("%v: %s", arguments, resp.GetReceipt().GetText())
		}
		if most := policy.GetBudget().GetMaxTokens(); most > 0 && resp.GetReceipt().GetTokens() > most {
			t.Fatalf("%d tokens of %d", resp.GetReceipt().GetTokens(), most)
		}
		pages = append(pages, text)
		if text.GetNextPage() == "" {
			return pages
		}
		if len(pages) > 100_000 {
			t.Fatalf("no end: %v", arguments)
		}
		arguments["page"] = text.GetNextPage()
	}
}

// drawText is text of lines of all sizes, and none.
func drawText() *rapid.Generator[string] {
	line := rapid.OneOf(
		rapid.StringMatching(`[a-z0-9 .:=/-]{0,60}`),
		rapid.SampledFrom([]string{"", "error: it broke", "Tool answered: lines 1-2 of 3", "Next page: 1-2-abcd", `\x`, "größe 漢字 😀", "\tindented", "[…3:]"}),
		rapid.Map(rapid.IntRange(100, 6000), func(n int) string { return strings.Repeat("wide 字 ", n/8) }),
	)
	return rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(line, 1, 60).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "ended") {
			text += "\n"
		}
		if text == "" {
			text = "x"
		}
		return text
	})
}

// TestPagesAreTheText holds the pages of any text, one after the other, to the text itself, in whole lines where a line fits
// a page.
func TestPagesAreTheText(t *testing.T) {
	d := newDesk(t)
	rapid.Check(t, func(t *rapid.T) {
		text := drawText().Draw(t, "text")
		name := d.keep(t, "s", text)
		all := lineEnds(text)
		policy := &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: rapid.Uint32Range(80, 1500).Draw(t, "tokens")}}
		if rapid.Bool().Draw(t, "few lines") {
			policy.Budget.MaxLines = rapid.Uint32Range(4, 20).Draw(t, "most lines")
		}
		arguments, want := map[string]any{"result": name}, text
		first, last := 1, len(all)
		switch rapid.IntRange(0, 2).Draw(t, "selection") {
		case 1:
			first = rapid.IntRange(1, len(all)).Draw(t, "first")
			last = rapid.IntRange(first, len(all)).Draw(t, "last")
			arguments["lines"] = fmt.Sprintf("%d-%d", first, last)
		case 2:
			first = rapid.IntRange(1, len(all)).Draw(t, "tail")
			arguments["tail"] = len(all) - first + 1
		}
		want = text[start(all, first):all[last-1]]
		var got strings.Builder
		at := start(all, first)
		for _, p := range d.answers(t, policy, arguments) {
			if rapid.Bool().Draw(t, "page alone") { // which is enough
				delete(arguments, "lines")
				delete(arguments, "tail")
			}
			checkPlace(t, p, all, at)
			got.WriteString(p.GetContentPreview())
			at += len(p.GetContentPreview())
		}
		if got.String() != want {
			t.Fatalf("%d bytes in pages, want %d", got.Len(), len(want))
		}
	})
}

// lineEnds are the offsets just after each line.
func lineEnds(text string) (ends []int) {
	for i := range len(text) {
		if text[i] == '\n' || i == len(text)-1 {
			ends = append(ends, i+1)
		}
	}
	return ends
}

func start(ends []int, line int) int {
	if line == 1 {
		return 0
	}
	return ends[line-2]
}

// checkPlace checks what a page says of its place, which begins at an offset.
func checkPlace(t *rapid.T, p *pb.TextResult, ends []int, at int) {
	end := at + len(p.GetContentPreview())
	first, last := int(p.GetFirstLine()), int(p.GetLastLine())
	if int(p.GetTotalLines()) != len(ends) || first < 1 || last < first || start(ends, first) > at || ends[first-1] <= at || ends[last-1] < end || start(ends, last) >= end {
		t.Fatalf("bytes %d to %d are said to be lines %d-%d of %d", at, end, first, last, p.GetTotalLines())
	}
	from, to := 0, 0
	if start(ends, first) != at {
		from = at
	}
	if ends[last-1] != end {
		to = end
		if first != last {
			t.Fatalf("a page of lines %d-%d ends inside of a line", first, last)
		}
	}
	if int(p.GetFromByte()) != from || int(p.GetToByte()) != to {
		t.Fatalf("bytes %d to %d are said to be from %d to %d", at, end, p.GetFromByte(), p.GetToByte())
	}
}

// TestPagesShowEveryByte holds pages of any bytes to the visible form of the bytes.
func TestPagesShowEveryByte(t *testing.T) {
	d := newDesk(t)
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"plain words\n", "\x1b[31mred\x1b[0m\n", "\xff\xfe\n", "\x00\n", "10%\r20%\r30%\n", "é\u200bx\n", "tags\U000e0041\n"})
		lines := rapid.SliceOfN(piece, 1, 80).Draw(t, "lines")
		text := strings.Repeat("plain words\n", 9*len(lines)) + strings.Join(lines, "") // so that it is no binary
		var want, got strings.Builder
		for _, line := range strings.SplitAfter(text, "\n") {
			want.WriteString(preview.Page([]byte(line)).Text)
		}
		policy := &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: rapid.Uint32Range(150, 700).Draw(t, "tokens")}}
		for _, p := range d.answers(t, policy, map[string]any{"result": d.keep(t, "s", text)}) {
			got.WriteString(p.GetContentPreview())
		}
		if got.String() != want.String() {
			t.Fatalf("%q, want %q", got.String(), want.String())
		}
	})
}

// TestMatchesAreFound holds pages of a match to all lines that match, once and at their places.
func TestMatchesAreFound(t *testing.T) {
	d := newDesk(t)
	pattern := regexp.MustCompile(`e+r|字`)
	rapid.Check(t, func(t *rapid.T) {
		text := drawText().Draw(t, "text")
		policy := &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: rapid.Uint32Range(200, 1500).Draw(t, "tokens")}}
		pages := d.answers(t, policy, map[string]any{"result": d.keep(t, "s", text), "match": pattern.String()})
		var got []string
		for _, p := range pages {
			if !p.GetNoMatch() {
				got = append(got, strings.Split(strings.TrimSuffix(p.GetContentPreview(), "\n"), "\n")...)
			}
		}
		for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if !pattern.MatchString(line) {
				continue
			}
			if len(got) == 0 || !strings.HasPrefix(line, got[0]) {
				t.Fatalf("%.80q does not come next in %.200q", line, got)
			}
			got = got[1:]
		}
		if len(got) > 0 {
			t.Fatalf("%.80q was not asked for", got)
		}
	})
}

// TestReadReceipts has the texts that a model reads.
func TestReadReceipts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var b strings.Builder
	for i := range 812 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	long := d.keep(t, "s", b.String())
	value := d.keep(t, "s", `{"items":[{"name":"a"},{"name":"b"}]}`+"\n")
	giant := d.keep(t, "s", strings.Repeat("wide ", 40_000))
	deep := d.keep(t, "s", "first\n"+strings.Repeat("wide ", 400_000)+"the needle is here "+strings.Repeat("wide ", 4_000)+"\nlast\n")
	small := &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 60}}
	for _, c := range []struct {
		arguments map[string]any
		policy    *pb.RenderPolicy
		want      string // a regular expression
	}{
		{map[string]any{"result": long, "lines": "120-122"}, nil, `Tool answered: lines 120-122 of 812\nTool output:\nline 120\nline 121\nline 122`},
		{map[string]any{"result": long, "tail": 1}, nil, `Tool answered: lines 812-812 of 812\nTool output:\nline 812`},
		{map[string]any{"result": long}, small, `Tool answered: lines 1-[\d]+ of 812\nNext page: \w+-\w+-[0-9a-f]{4}\nTool output:\nline 1\n(?s:.*)`},
		{map[string]any{"result": long, "match": "^line 8$"}, nil, `Tool output: 1 of 812 lines; all: memory/` + long + `\n\[…8:\]\nline 8\n\[…\]`},
		{map[string]any{"result": deep, "match": "needle"}, nil,
			`Tool answered\nNext page: \S+\nTool output: 1 of 3 lines, 2020031 bytes; all: memory/` + deep +
				`\n\[…2:\]\n\[…2: \d+ bytes\]\n[wide ]+the needle is here [wide ]+\n\[…\d+ bytes\]\n\n\[…\]` +
				`\n\[end: Tool answered; Tool output in full: memory/` + deep + `\]`},
		{map[string]any{"result": long, "match": "nowhere"}, nil, `Tool answered with no match: lines 1-812 of 812`},
		{map[string]any{"result": value, "pointer": "/items/1/name"}, nil, `Tool answered: lines 1-1 of 1, from byte 31, up to byte 34\nTool output:\n"b"`},
		{map[string]any{"result": giant}, small, `Tool answered: lines 1-1 of 1, up to byte \d+\nNext page: \S+\nTool output:\nwide [wide ]+`},

		{map[string]any{"result": "00000000"}, nil, `Tool error artifact_not_found: this session has no result "00000000"; it has \w{8}, \w{8}, \w{8}, \w{8}\nTo recover: .*`},
		{map[string]any{"result": "/etc/passwd"}, nil, `Tool error artifact_not_found: this session has no result "/etc/passwd"; it has .*\nTo recover: .*`},
		{map[string]any{"result": long, "lines": "900-"}, nil, `Tool error invalid_tool_input: the result has 812 lines\nTo recover: .*`},
		{map[string]any{"result": long, "page": "2"}, nil, `Tool error invalid_tool_input: page "2" is none of this result: copy what stands behind "Next page:" .* the result has 812 lines\nTo recover: .*`},
		{map[string]any{"result": long, "pointer": "/a"}, nil, `Tool error invalid_tool_input: the result is not JSON .*: read it by lines or match\nTo recover: .*`},
		{map[string]any{"result": value, "pointer": "/a"}, nil, `Tool error invalid_tool_input: the result has no value at this pointer.*\nTo recover: .*`},
		{map[string]any{"result": long, "match": "("}, nil, `Tool error invalid_pattern: match "\(" is no regular expression: missing closing \).*\nTo recover: .*`},
	} {
		resp := d.ask(t, "s", c.policy, c.arguments)
		if !regexp.MustCompile(`^` + c.want + `$`).MatchString(resp.GetReceipt().GetText()) {
			t.Errorf("%v:\n%s\nwant\n%s", c.arguments, resp.GetReceipt().GetText(), c.want)
		}
		failed := strings.HasPrefix(c.want, "Tool error")
		if want := map[bool]pb.ToolStatus{true: pb.ToolStatus_TOOL_STATUS_ERROR, false: pb.ToolStatus_TOOL_STATUS_SUCCESS}[failed]; resp.GetCanonical().GetStatus() != want {
			t.Errorf("%v: status %v", c.arguments, resp.GetCanonical().GetStatus())
		}
	}
}

// TestPageTokensBelong holds page tokens to the result, the pattern and the lines that they are of.
func TestPageTokensBelong(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	one, other := d.keep(t, "s", strings.Repeat("some line\n", 900)), d.keep(t, "s", strings.Repeat("another line\n", 900))
	small := &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 200}}
	run := d.ask(t, "s", small, map[string]any{"result": one, "lines": "5-800"}).GetCanonical().GetText().GetNextPage()
	match := d.ask(t, "s", small, map[string]any{"result": one, "match": "line"}).GetCanonical().GetText().GetNextPage()
	for i, c := range []struct {
		arguments map[string]any
		good      bool
	}{
		{map[string]any{"result": one, "lines": "5-800", "page": run}, true},
		{map[string]any{"result": one, "page": run}, true},
		{map[string]any{"result": one, "match": "line", "page": match}, true},
		{map[string]any{"result": one, "lines": "5-700", "page": run}, false},
		{map[string]any{"result": one, "tail": 3, "page": run}, false},
		{map[string]any{"result": one, "match": "line", "page": run}, false},
		{map[string]any{"result": other, "page": run}, false},
		{map[string]any{"result": one, "page": match}, false},
		{map[string]any{"result": one, "match": "other", "page": match}, false},
		{map[string]any{"result": other, "match": "line", "page": match}, false},
		{map[string]any{"result": one, "page": run[:len(run)-1]}, false},
	} {
		resp := d.ask(t, "s", small, c.arguments)
		if good := resp.GetCanonical().GetStatus() == pb.ToolStatus_TOOL_STATUS_SUCCESS; good != c.good {
			t.Errorf("%d: %s", i, resp.GetReceipt().GetText())
		}
	}
}

// TestReadIsOfItsSession holds calls to the results of their own session, and to what only the runtime can do wrong.
func TestReadIsOfItsSession(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	own, foreign := d.keep(t, "s", "own text"), d.keep(t, "other", "foreign text")
	for _, handle := range []string{foreign, "memory/" + foreign, foreign[:2] + "00/" + foreign[2:], `read_result(result="` + foreign + `")`} {
		resp := d.ask(t, "s", nil, map[string]any{"result": handle})
		if resp.GetCanonical().GetError().GetKind() != "artifact_not_found" || strings.Contains(resp.GetReceipt().GetText(), "foreign text") {
			t.Errorf("%s: %s", handle, resp.GetReceipt().GetText())
		}
	}
	for want, req := range map[string]*pb.CallToolRequest{
		"session_id":         {Name: "read_result", ArgumentsJson: `{"result":"` + own + `"}`},
		"name":               {Call: &pb.CallReference{SessionId: "s"}},
		"GetToolDefinitions": {Name: "write_result", Call: &pb.CallReference{SessionId: "s"}},
		"max_tokens":         {Name: "read_result", Call: &pb.CallReference{SessionId: "s"}, Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 1}}},
		"canonical_form":     {Name: "read_result", Call: &pb.CallReference{SessionId: "s"}, CanonicalForm: 99},
		"budget":             {Name: "read_result", ArgumentsJson: `{"result":"` + own + `"}`, Call: &pb.CallReference{SessionId: "s"}, Policy: &pb.RenderPolicy{Budget: &pb.Budget{MaxBytes: 64, MaxLines: 2}}},
	} {
		resp, err := d.tools.CallTool(t.Context(), req)
		if err == nil || resp != nil {
			t.Errorf("%s: %v", want, resp)
			continue
		}
		if st := status.Convert(servertest.ToStatus(err)); st.Code() != codes.InvalidArgument || !strings.Contains(st.Message(), want) {
			t.Errorf("%s: %v", want, st)
		}
	}
}

// TestReadInTheFormAskedFor checks the RFC's JSON of an answer.
func TestReadInTheFormAskedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	resp, err := d.tools.CallTool(t.Context(), &pb.CallToolRequest{
		Name: "read_result", ArgumentsJson: `{"result":"` + d.keep(t, "s", "a\nb\n") + `","lines":2}`, Call: &pb.CallReference{SessionId: "s"},
		CanonicalForm: pb.CanonicalForm_CANONICAL_FORM_JSON,
	})
	const want = `{"tool_name":"read_result","status":"success","summary_text":"Tool answered: lines 2-2 of 2","result":`
	if err != nil || resp.GetCanonical() != nil || !strings.HasPrefix(resp.GetCanonicalJson(), want) {
		t.Errorf("%v, %v", resp, err)
	}
}

// TestPagesAreNotCutAgain projects the receipts of pages, as a runtime does that hands everything to Project.
func TestPagesAreNotCutAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	name := d.keep(t, "s", strings.Repeat("some words of a line, and an error\n", 2000))
	page := d.ask(t, "s", &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 9000}}, map[string]any{"result": name})
	if n := page.GetReceipt().GetTokens(); n < 8500 {
		t.Fatalf("a page has %d tokens", n)
	}
	inline := &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(page.GetReceipt().GetText())}}
	lines := strings.Count(page.GetReceipt().GetText(), "\n")
	for family, out := range map[string]*pb.CompleteToolOutput{
		"text":    {Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: inline}}},
		"command": {Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{Stdout: inline, ExitStatus: proto.Int32(0)}}},
	} {
		for _, tool := range []string{"read_result", "other"} {
			out.ToolName = tool
			resp, err := d.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 500}}}})
			if err != nil {
				t.Fatal(err)
			}
			whole := strings.Count(resp.GetReceipt().GetText(), "\n") >= lines && !strings.Contains(resp.GetReceipt().GetText(), "\n[…")
			if whole != (tool == "read_result") {
				t.Errorf("%s of %s: whole %t, %d tokens", family, tool, whole, resp.GetReceipt().GetTokens())
			}
			turn, err := d.ProjectTurn(t.Context(), &pb.ProjectTurnRequest{
				TotalTokens: 12_000, Outputs: []*pb.ProjectRequest{{Output: out}, {Output: proto.CloneOf(out)}},
			})
			if err != nil || turn.GetTokens() > 12_000 {
				t.Fatalf("%d tokens, %v", turn.GetTokens(), err)
			}
		}
	}
}

// TestCallsAreOnRecord checks the record of a call.
func TestCallsAreOnRecord(t *testing.T) {
	t.Parallel()
	a := servertest.NewArchive(t)
	d := deskOf(a)
	name := d.keep(t, "s", strings.Repeat("some words of a line\n", 900))
	for _, arguments := range []map[string]any{{"result": name}, {"result": name, "match": "words", "lines": ""}, {"result": "00000000"}} {
		resp := d.ask(t, "s", &pb.RenderPolicy{Handles: pb.HandleForm_HANDLE_FORM_CALL}, arguments)
		r := a.Last(t, 1)[0]
		text, _ := json.Marshal(arguments)
		if r.GetKind() != pb.AuditKind_AUDIT_KIND_TOOL_CALL || r.GetToolName() != "read_result" || r.GetDetails().GetToolInput() != string(text) ||
			r.GetCall().GetSessionId() != "s" || !proto.Equal(r.GetCanonical(), resp.GetCanonical()) || !proto.Equal(r.GetReceipt(), resp.GetReceipt()) {
			t.Errorf("%v", r)
		}
		servertest.CheckHolds(t, a.Verify(t, r))
	}
}
