package integration_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/redacttest"
)

// hiddenSecrets are a registered value, which an encoder escapes, and a token that is known by its pattern.
var hiddenSecrets = map[string]string{
	"value": "Tr0ub4dor&3<correct>horse", "token": "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ",
}

// hiddenCase is a secret that something hides.
type hiddenCase struct{ name, text string }

// hiddenCases are every so many of them, in the order of their names, and those that nothing hides.
func hiddenCases(every int) (some []hiddenCase) {
	var list []hiddenCase
	for kind, secret := range hiddenSecrets {
		for seam, text := range redacttest.Hidden(secret) {
			list = append(list, hiddenCase{kind + " with " + seam, text})
		}
	}
	slices.SortFunc(list, func(a, b hiddenCase) int { return strings.Compare(a.name, b.name) })
	for i, c := range list {
		if i%every == 0 || strings.HasSuffix(c.name, " nothing") {
			some = append(some, c)
		}
	}
	return some
}

// hiddenFamily makes the complete output of a family with a payload, and the text of the payload.
type hiddenFamily struct {
	name   string
	output func(*pb.Payload) *pb.CompleteToolOutput
	text   func(hiddenCase) string
}

func succeeded(out *pb.CompleteToolOutput) *pb.CompleteToolOutput {
	out.ToolName, out.Status = "SomeTool", pb.ToolStatus_TOOL_STATUS_SUCCESS
	return out
}

// hiddenFamilies read their payloads in different ways: as lines of a terminal, as a file, as they are, as a page, as JSON.
var hiddenFamilies = []hiddenFamily{
	{"command", func(p *pb.Payload) *pb.CompleteToolOutput {
		return succeeded(&pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{ExitStatus: new(int32(0)), Stdout: p}}})
	}, hiddenCase.lines},
	{"file_read", func(p *pb.Payload) *pb.CompleteToolOutput {
		return succeeded(&pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{Path: "notes.txt", Content: p}}})
	}, hiddenCase.lines},
	{"text", func(p *pb.Payload) *pb.CompleteToolOutput {
		return succeeded(&pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: p}}})
	}, hiddenCase.lines},
	{"web_fetch", func(p *pb.Payload) *pb.CompleteToolOutput {
		return succeeded(&pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_WebFetch{WebFetch: &pb.WebFetchOutput{
			Url: "https://example.org/", Status: 200, ContentType: "text/html", Body: p,
		}}})
	}, hiddenCase.page},
	{"external_mcp", func(p *pb.Payload) *pb.CompleteToolOutput {
		return succeeded(&pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ExternalMcp{ExternalMcp: &pb.ExternalMcpOutput{Server: "s", Result: p}}})
	}, hiddenCase.mcp},
}

// lines has the secret in a line, alone, and at the end. A text in another character set is all of the payload.
func (c hiddenCase) lines() string {
	if strings.HasPrefix(c.text, "\xff\xfe") {
		return c.text
	}
	return "case: " + c.name + "\nbefore " + c.text + " after\n" + c.text + "\nlast " + c.text + "\n"
}

func (c hiddenCase) page() string {
	if strings.HasPrefix(c.text, "\xff\xfe") {
		return c.text
	}
	return "<html><head><title>" + c.text + "</title></head><body><h1>case: " + c.name + "</h1><p>x " + c.text + " y</p><pre>" + c.text +
		"</pre><table><tr><td>" + c.text + "</td></tr></table></body></html>"
}

func (c hiddenCase) mcp() string {
	quoted, err := json.Marshal(strings.ToValidUTF8(c.lines(), "?"))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"structuredContent":{"a":%[1]s},"_meta":{"m":%[1]s}}`, quoted)
}

// request projects a payload of a case, and keeps all of it.
func (w *planting) request(out *pb.CompleteToolOutput, c hiddenCase) *pb.ProjectRequest {
	return &pb.ProjectRequest{
		Output: out, Call: w.reference(), Audit: &pb.AuditDetails{ToolInput: strings.ToValidUTF8(c.text, "?")},
		Policy: &pb.ProjectionPolicy{
			Segments: true, ArtifactPolicy: pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS, Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 20_000}},
		},
	}
}

// TestHiddenSecrets plants secrets that no plain search finds over the socket, by every way in and in the families that undo what
// hides them, and looks for them in all that leaves the process: answers, what every selection reads of every artifact, pages of
// read_result, the files of the store and of the audit log, its export, the log and the metrics.
func TestHiddenSecrets(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: TestSomeHiddenSecrets does the same with fewer; `make integration` runs it")
	}
	t.Parallel()
	if planted := plantHidden(t, hiddenCases(1)); planted < 5000 {
		t.Errorf("%d secrets were planted", planted)
	}
}

// TestSomeHiddenSecrets is TestHiddenSecrets with a few of the forms.
func TestSomeHiddenSecrets(t *testing.T) {
	t.Parallel()
	plantHidden(t, hiddenCases(60))
}

// plantHidden plants the cases, looks for their secrets, and returns how often it planted one.
func plantHidden(t *testing.T, cases []hiddenCase) (planted int) {
	t.Helper()
	w := newPlanting(t, nil)
	_, err := pb.NewAccessServiceClient(w.conn).RegisterSecrets(t.Context(), &pb.RegisterSecretsRequest{
		Secrets: []*pb.RegisteredSecret{{Name: "db", Value: []byte(hiddenSecrets["value"])}},
	})
	if err != nil {
		t.Fatal(err)
	}
	l := &look{seen: map[string]bool{}, leaks: map[string]int{}}
	for i, c := range cases {
		w.projectHidden(t, c)
		w.streamHidden(t, c)
		w.turnHidden(t, c)
		w.logHidden(t, c, i)
		l.at(t, w.heard.take())
	}
	read := w.readEveryWay(t, func() { l.at(t, w.heard.take()) })
	w.getRecords(t)
	w.searchHidden(t, l)
	for _, c := range cases {
		if !l.seen[c.name] && !strings.HasPrefix(c.text, "\xff\xfe") {
			t.Errorf("nothing that left has the case %q", c.name)
		}
	}
	t.Logf("%d cases, planted %d times; %d artifacts read in every way", len(cases), w.planted, read)
	return w.planted
}

// places counts what a text plants.
func (w *planting) places(c hiddenCase, text string) string {
	w.planted += max(1, strings.Count(text, c.text))
	return text
}

func (w *planting) projectHidden(t *testing.T, c hiddenCase) {
	t.Helper()
	for _, f := range hiddenFamilies {
		w.sow(t, w.request(f.output(inline(w.places(c, f.text(c)))), c))
	}
}

// streamHidden sends chunks that tear every secret, and asks for snapshots between them.
func (w *planting) streamHidden(t *testing.T, c hiddenCase) {
	t.Helper()
	for _, f := range hiddenFamilies {
		out := f.output(&pb.Payload{Source: &pb.Payload_Stream{Stream: "data"}})
		header := &pb.StreamHeader{Family: f.name, Streams: []string{"data"}, Call: w.reference(), Policy: w.request(nil, c).GetPolicy()}
		messages := []*pb.ProjectStreamRequest{headerOf(header)}
		for part := range slices.Chunk([]byte(w.places(c, f.text(c))), 13) {
			if messages = append(messages, chunkOf("data", string(part))); len(messages)%40 == 7 && f.name != "external_mcp" {
				messages = append(messages, snapshotOf(out))
			}
		}
		if _, err := streams(t.Context(), w.sidecar, append(messages, finishOf(out))...); err != nil {
			t.Fatalf("%s, %s: %v", f.name, c.name, err)
		}
	}
}

func (w *planting) turnHidden(t *testing.T, c hiddenCase) {
	t.Helper()
	turn := &pb.ProjectTurnRequest{TotalTokens: 60_000}
	for _, f := range hiddenFamilies {
		turn.Outputs = append(turn.Outputs, w.request(f.output(inline(w.places(c, f.text(c)))), c))
	}
	if _, err := w.ProjectTurn(t.Context(), turn); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
}

// logHidden writes a log in two calls, of which the first ends inside of the last secret, and reads it as it grows.
func (w *planting) logHidden(t *testing.T, c hiddenCase, i int) {
	t.Helper()
	text := w.places(c, c.lines())
	at := strings.LastIndex(text, c.text) + 1 + i%(len(c.text)-1)
	call := fmt.Sprintf("hidden-log-%d", i)
	var f *follower
	for k, part := range []string{text[:at], text[at:]} {
		a := appendTo(t.Context(), t, w.sidecar, call)
		if f == nil {
			f = follow(w.sidecar, a.first.GetPath())
		}
		a.send(t, logData(part[:len(part)/2]), logSync)
		if _, err := a.Recv(); err != nil {
			t.Fatal(err)
		}
		f.read(t)
		if a.send(t, logData(part[len(part)/2:])); k == 0 {
			err := a.CloseSend()
			for err == nil {
				_, err = a.Recv()
			}
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			w.selections(t, a.first.GetPath())
		} else {
			a.finish(t)
		}
	}
	if f.read(t); len(f.data) != len(text) {
		t.Errorf("%s: a log of %d bytes has %d", c.name, len(text), len(f.data))
	}
}

// readEveryWay reads every artifact of the session by every selection and by read_result, and returns their number.
func (w *planting) readEveryWay(t *testing.T, after func()) int {
	t.Helper()
	artifacts := pb.NewArtifactServiceClient(w.conn)
	n, req := 0, &pb.ListArtifactsRequest{SessionId: "session"}
	for {
		listed, err := artifacts.ListArtifacts(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range listed.GetArtifacts() {
			n++
			w.selections(t, a.GetPath())
			w.pagesOf(t, a.GetPath())
			after()
		}
		if req.PageToken = listed.GetNextPageToken(); req.PageToken == "" {
			return n
		}
	}
}

// selections reads an artifact by every selection there is.
func (w *planting) selections(t *testing.T, path string) {
	t.Helper()
	artifacts := pb.NewArtifactServiceClient(w.conn)
	for _, req := range []*pb.ReadArtifactRequest{
		{},
		{Budget: &pb.ReadBudget{MaxBytes: 700}},
		{Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 1, Last: 50}}},
		{Selection: &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: 1, End: 100_000}}},
		{Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 5}}},
		{Selection: &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: 2, Before: 3, After: 60}}},
		{Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "case|ghp|Tr0|horse|x", Before: 2, After: 60}}},
		{Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: "/content/0/text"}},
		{Selection: &pb.ReadArtifactRequest_JsonPointer{JsonPointer: "/structuredContent"}},
	} {
		req.Path = path
		for range 20 { // pages
			resp, err := artifacts.ReadArtifact(t.Context(), req)
			if err != nil {
				if req.GetSelection() == nil {
					t.Fatal(err)
				}
				break // such as a pointer into what is no JSON
			}
			if req.PageToken = resp.GetNextPageToken(); resp.GetComplete() {
				break
			}
		}
	}
}

// pagesOf reads an artifact by read_result, in all of its ways.
func (w *planting) pagesOf(t *testing.T, path string) {
	t.Helper()
	for _, arguments := range []map[string]any{
		{}, {"lines": "1-40"}, {"tail": 5}, {"match": "case|ghp|Tr0|horse|x", "context": 20}, {"pointer": "/content/0/text"}, {"pointer": "/structuredContent/a"},
	} {
		arguments["result"] = path
		text, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		_, err = pb.NewToolServiceClient(w.conn).CallTool(t.Context(), &pb.CallToolRequest{Name: "read_result", ArgumentsJson: string(text), Call: callOf("session", "")})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// getRecords reads all records whole.
func (w *planting) getRecords(t *testing.T) {
	t.Helper()
	audit, req := pb.NewAuditServiceClient(w.conn), &pb.ListRecordsRequest{}
	for {
		page, err := audit.ListRecords(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.GetRecords() {
			if _, err := audit.GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: r.GetSequence()}); err != nil {
				t.Fatal(err)
			}
		}
		if req.PageToken = page.GetNextPageToken(); req.PageToken == "" {
			return
		}
	}
}

// look has what was found in texts.
type look struct {
	seen        map[string]bool // cases, by their names
	leaks       map[string]int  // secrets, by the names of surfaces
	texts, size int
}

var caseName = regexp.MustCompile(`case: ((?:value|token) with [\w -]+)`)

// at looks at texts.
func (l *look) at(t *testing.T, list []surface) {
	t.Helper()
	for _, s := range list {
		l.texts, l.size = l.texts+1, l.size+len(s.text)
		for _, m := range caseName.FindAllSubmatch(s.text, -1) {
			l.seen[string(m[1])] = true
		}
		if at := hiddenIn(s.text); at >= 0 {
			if l.leaks[s.name]++; l.leaks[s.name] <= 2 {
				t.Errorf("%s: %.400q", s.name, s.text[max(0, at-200):])
			}
		}
	}
}

// searchHidden looks for the secrets in the files of the store and of the audit log, in its export, and in what was heard last.
// The payloads as the tool wrote them are left out: they have some.
func (w *planting) searchHidden(t *testing.T, l *look) {
	t.Helper()
	export, raw := w.exported(t)
	surfaces := append(w.heard.take(), surface{"audit export", []byte(export)}, surface{"log of the server", []byte(w.Log.String())}, surface{"metrics", scraped(t, w.Metrics)})
	for line := range strings.Lines(export) {
		var r pb.AuditRecord
		if err := protojson.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		surfaces = append(surfaces, surface{"exported record", []byte(bytesOf(t, &r))})
	}
	originals := w.stored(t, raw, &surfaces)
	l.at(t, surfaces)
	for name, n := range l.leaks {
		t.Errorf("%s has a secret %d times", name, n)
	}
	if !slices.ContainsFunc(originals, func(text []byte) bool { return hiddenIn(text) >= 0 }) {
		t.Errorf("none of %d originals has a secret: the search finds nothing", len(originals))
	}
	t.Logf("%d texts with %d bytes have no secret, %d originals are left out", l.texts, l.size, len(originals))
}

// hiddenIn returns where a text has a secret, plainly or escaped for a page, or where it shows the value on a terminal; -1 without
// one.
func hiddenIn(text []byte) int {
	for _, secret := range hiddenSecrets {
		for _, form := range []string{secret, html.EscapeString(secret)} {
			if at := bytes.Index(text, []byte(form)); at >= 0 {
				return at
			}
		}
	}
	if shown := redacttest.Visible(text); bytes.Contains(shown, []byte(hiddenSecrets["value"])) {
		return min(len(text)-1, bytes.Index(shown, []byte(hiddenSecrets["value"])))
	}
	return -1
}

// TestValueOverTwoCalls ends a call of AppendLog at every byte of a registered value: eight bytes of it in a row are nowhere
// in the log, while it grows and afterwards.
func TestValueOverTwoCalls(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--log-sync=1h"}})
	value := hiddenSecrets["value"]
	_, err := pb.NewAccessServiceClient(s.conn).RegisterSecrets(t.Context(), &pb.RegisterSecretsRequest{
		Secrets: []*pb.RegisteredSecret{{Name: "db", Value: []byte(value)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for at := 1; at < len(value); at++ {
		call, text := fmt.Sprintf("log-%d", at), "it is "+value+" and more\n"
		first := appendTo(t.Context(), t, s, call)
		first.send(t, logData(text[:6+at]))
		err := first.CloseSend()
		for err == nil {
			_, err = first.Recv()
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		between := follow(s, first.first.GetPath())
		between.read(t)
		second := appendTo(t.Context(), t, s, call)
		second.send(t, logData(text[6+at:]))
		whole, err := os.ReadFile(second.finish(t).GetArtifact().GetPath())
		if err != nil || len(whole) != len(text) || len(between.data) != 6+at {
			t.Fatalf("the log has %q and then %q: %v", between.data, whole, err)
		}
		for from := range len(value) - 7 {
			if run := value[from : from+8]; strings.Contains(between.data, run) || bytes.Contains(whole, []byte(run)) {
				t.Errorf("ended after %d bytes, the log shows %q: %q and %q", at, run, between.data, whole)
				break
			}
		}
	}
}
