package streams_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/turntest"
	"github.com/toolresult/toolresult/transports/streams"
	"github.com/toolresult/toolresult/transports/transcript"
)

var update = flag.Bool("update", false, "write golden files")

// stream is a fixture: the bytes that a provider sent.
type stream struct {
	provider pb.Provider
	text     bool // calls are text
	events   bool // one JSON object on each line instead of a body
	body     []byte
	golden   string
}

// fixtures returns all streams by folder and name.
func fixtures(t testing.TB) map[string]stream {
	t.Helper()
	files, err := filepath.Glob("../testdata/streams/*/*.*")
	if err != nil || len(files) < 100 {
		t.Fatalf("only %d files, %v", len(files), err)
	}
	all := map[string]stream{}
	for _, path := range files {
		ext := filepath.Ext(path)
		if ext == ".json" {
			continue
		}
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(path))
		s := stream{body: body, events: ext == ".events", golden: strings.TrimSuffix(path, ext) + ".json"}
		if s.text = folder == "text"; s.text {
			folder = "openai_chat"
		}
		s.provider = pb.Provider(pb.Provider_value["PROVIDER_"+strings.ToUpper(folder)])
		all[strings.TrimPrefix(strings.TrimSuffix(path, ext), "../testdata/streams/")] = s
	}
	return all
}

// assemble reads a stream cut at the given bytes.
func (s stream) assemble(t testing.TB, cuts ...int) *pb.AssembleToolCallsResponse {
	t.Helper()
	header := &pb.AssembleHeader{Provider: s.provider}
	if s.text {
		header.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
	}
	a, err := streams.NewAssembler(header, noReceipts)
	if err != nil {
		t.Fatal(err)
	}
	if s.events {
		for line := range bytes.Lines(s.body) {
			if err := a.Event(string(line)); err != nil {
				t.Fatal(err)
			}
		}
		return a.Finish()
	}
	rest, at := s.body, 0
	for _, cut := range append(cuts, len(s.body)) {
		if err := a.Body(rest[:cut-at]); err != nil {
			t.Fatal(err)
		}
		rest, at = rest[cut-at:], cut
	}
	return a.Finish()
}

// golden is the answer of a fixture in its golden file. Whether the provider's own SDK can read the stream is written
// by hand.
type golden struct {
	SDK            string        `json:"sdk"`
	End            string        `json:"end"`
	StopReason     string        `json:"stop_reason,omitempty"`
	Content        string        `json:"content"`
	ToolCalls      []goldenCall  `json:"tool_calls"`
	Notice         string        `json:"notice,omitempty"`
	Incomplete     []goldenPart  `json:"incomplete,omitempty"`
	ProviderBlocks []goldenBlock `json:"provider_blocks,omitempty"`
}

type goldenCall struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Input     string          `json:"input,omitempty"`
	Signature string          `json:"signature,omitempty"`
}

type goldenPart struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Reason    string `json:"reason"`
}

type goldenBlock struct {
	JSON       json.RawMessage `json:"json"`
	BeforeCall *uint32         `json:"before_call,omitempty"`
}

func describe(sdk string, resp *pb.AssembleToolCallsResponse) golden {
	g := golden{
		SDK: sdk, End: strings.TrimPrefix(resp.GetEnd().String(), "STREAM_END_"), StopReason: resp.GetStopReason(),
		Content: resp.GetAssistant().GetContent(), ToolCalls: []goldenCall{}, Notice: resp.GetNotice(),
	}
	for _, c := range resp.GetAssistant().GetToolCalls() {
		call := goldenCall{ID: c.GetId(), Name: dialect.JoinName(c.GetServer(), c.GetTool()), Signature: c.GetSignature()}
		if c.GetCustom() {
			call.Input = c.GetArguments()
		} else {
			call.Arguments = json.RawMessage(c.GetArguments())
		}
		g.ToolCalls = append(g.ToolCalls, call)
	}
	for _, c := range resp.GetIncomplete() {
		g.Incomplete = append(g.Incomplete, goldenPart{c.GetId(), c.GetName(), c.GetArguments(), c.GetReason()})
	}
	for _, b := range resp.GetAssistant().GetProviderBlocks() {
		g.ProviderBlocks = append(g.ProviderBlocks, goldenBlock{json.RawMessage(b.GetBlockJson()), b.BeforeCall})
	}
	return g
}

func TestStreams(t *testing.T) {
	t.Parallel()
	for name, s := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was, err := os.ReadFile(s.golden)
			if err != nil {
				t.Fatal(err)
			}
			var by golden
			if err := json.Unmarshal(was, &by); err != nil {
				t.Fatal(err)
			}
			var now bytes.Buffer
			enc := json.NewEncoder(&now)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(describe(by.SDK, s.assemble(t))); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(was), now.String()); diff != "" {
				if *update {
					err = os.WriteFile(s.golden, now.Bytes(), 0o644)
				}
				t.Errorf("(-golden +now), %v:\n%s", err, diff)
			}
		})
	}
}

// step returns how many bytes are from one cut to the next: 1, or about 5 with -short.
func step() int {
	if testing.Short() {
		return 1 + rand.IntN(9)
	}
	return 1
}

// TestStreamsCutAnywhere cuts every stream at every byte, and into single bytes.
func TestStreamsCutAnywhere(t *testing.T) {
	t.Parallel()
	for name, s := range fixtures(t) {
		if s.events {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := s.assemble(t)
			every := make([]int, len(s.body))
			for cut := range s.body {
				every[cut] = cut
			}
			for cut := 0; cut < len(s.body); cut += step() {
				wantEqual(t, want, s.assemble(t, cut), cut)
			}
			wantEqual(t, want, s.assemble(t, every...), -1)
		})
	}
}

// wantEqual compares the answers of a stream that is whole and one that is cut at a byte, or at every byte (-1).
func wantEqual(t *testing.T, want, got *pb.AssembleToolCallsResponse, cut int) {
	t.Helper()
	if !proto.Equal(want, got) {
		t.Fatalf("cut at byte %d:\n%s", cut, cmp.Diff(want, got, protocmp.Transform()))
	}
}

// TestStreamsBrokenOff ends every stream at every byte. A complete call is always one of the whole stream, and a stream
// with a missing call never ends as complete.
func TestStreamsBrokenOff(t *testing.T) {
	t.Parallel()
	for name, s := range fixtures(t) {
		if s.events {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := s.assemble(t)
			for end := 0; end < len(s.body); end += step() {
				part := stream{provider: s.provider, text: s.text, body: s.body[:end]}.assemble(t)
				if problem := notPartOf(part, whole); problem != "" {
					t.Fatalf("broken off at byte %d: %s:\n%v\nof\n%v", end, problem, part, whole)
				}
			}
		})
	}
}

func notPartOf(part, whole *pb.AssembleToolCallsResponse) string {
	calls, all := part.GetAssistant().GetToolCalls(), whole.GetAssistant().GetToolCalls()
	for _, c := range calls {
		known := false
		for _, w := range all {
			known = known || proto.Equal(c, w)
		}
		if !known {
			return "a call that the stream does not make"
		}
	}
	if part.GetEnd() != pb.StreamEnd_STREAM_END_COMPLETE {
		return ""
	}
	switch {
	case len(calls) < len(all):
		return "a call is missing, and the end is said to be complete"
	case !strings.HasPrefix(whole.GetAssistant().GetContent(), part.GetAssistant().GetContent()):
		return "another text"
	}
	return ""
}

// fuzzProvider reads any body as a provider's stream, whole and in two pieces.
func fuzzProvider(f *testing.F, provider pb.Provider, text bool) {
	for _, s := range fixtures(f) {
		if s.provider == provider && s.text == text {
			f.Add(s.body, uint16(len(s.body)/2))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, cut uint16) {
		s := stream{provider: provider, text: text, body: body, events: provider == pb.Provider_PROVIDER_BEDROCK_CONVERSE}
		resp := s.assemble(t)
		if !s.events {
			wantEqual(t, resp, s.assemble(t, min(int(cut), len(body))), int(cut))
		}
		sendBack(t, provider, resp)
	})
}

// sendBack encodes the answer of a stream: the encoder accepts whatever the assembler returns.
func sendBack(t *testing.T, provider pb.Provider, resp *pb.AssembleToolCallsResponse) {
	t.Helper()
	if !json.Valid([]byte(resp.GetToolCallsJson())) {
		t.Fatalf("no JSON: %s", resp.GetToolCallsJson())
	}
	if _, err := proto.Marshal(resp); err != nil {
		t.Fatal(err)
	}
	encoded, err := transports.EncodeTurn(&pb.EncodeTurnRequest{Provider: provider, Assistant: resp.GetAssistant()}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	messages := turntest.Array(append([]string{turntest.UserMessage(provider)}, encoded.GetMessagesJson()...))
	lint, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: messages})
	if err != nil || len(lint.GetFindings()) > 0 {
		t.Fatalf("%v, %v in %s", err, lint.GetFindings(), messages)
	}
}

func FuzzOpenAIChat(f *testing.F)      { fuzzProvider(f, pb.Provider_PROVIDER_OPENAI_CHAT, false) }
func FuzzOpenAIResponses(f *testing.F) { fuzzProvider(f, pb.Provider_PROVIDER_OPENAI_RESPONSES, false) }
func FuzzAnthropic(f *testing.F)       { fuzzProvider(f, pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, false) }
func FuzzGemini(f *testing.F)          { fuzzProvider(f, pb.Provider_PROVIDER_GEMINI, false) }
func FuzzBedrock(f *testing.F)         { fuzzProvider(f, pb.Provider_PROVIDER_BEDROCK_CONVERSE, false) }
func FuzzMistral(f *testing.F)         { fuzzProvider(f, pb.Provider_PROVIDER_MISTRAL, false) }
func FuzzOllama(f *testing.F)          { fuzzProvider(f, pb.Provider_PROVIDER_OLLAMA, false) }
func FuzzTextCalls(f *testing.F)       { fuzzProvider(f, pb.Provider_PROVIDER_OPENAI_CHAT, true) }
