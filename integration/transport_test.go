package integration_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func (s *sidecar) transport() pb.TransportServiceClient { return pb.NewTransportServiceClient(s.conn) }

// transportData is what the room of transports is tested with.
const transportData = "../transports/testdata"

// encoded encodes a turn of the room's for a provider.
func (s *sidecar) encoded(t *testing.T, name string, provider pb.Provider) *pb.EncodeTurnResponse {
	t.Helper()
	req := &pb.EncodeTurnRequest{}
	if err := protojson.Unmarshal(readFile(t, filepath.Join(transportData, "turns", name, "request.json")), req); err != nil {
		t.Fatal(err)
	}
	req.Provider = provider
	resp, err := s.transport().EncodeTurn(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// assembled sends a stream as it is cut. A server that refuses it says why at the end.
func (s *sidecar) assembled(t *testing.T, messages ...*pb.AssembleToolCallsRequest) (*pb.AssembleToolCallsResponse, error) {
	t.Helper()
	call, err := s.transport().AssembleToolCalls(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if call.Send(m) != nil {
			break
		}
	}
	return call.CloseAndRecv()
}

func assembleHeader(h *pb.AssembleHeader) *pb.AssembleToolCallsRequest {
	return &pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Header{Header: h}}
}

func responseBody(text string) *pb.AssembleToolCallsRequest {
	return &pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Body{Body: []byte(text)}}
}

func eventOf(text string) *pb.AssembleToolCallsRequest {
	return &pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_EventJson{EventJson: text}}
}

// TestTransport sends a turn round: a stream to calls, calls and receipts to messages,
// messages to the linter, for every provider whose stream is text.
func TestTransport(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	for name, provider := range map[string]pb.Provider{
		"openai_chat/parallel-interleaved": pb.Provider_PROVIDER_OPENAI_CHAT, "openai_responses/reasoning": pb.Provider_PROVIDER_OPENAI_RESPONSES,
		"anthropic_messages/thinking": pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, "gemini/signature": pb.Provider_PROVIDER_GEMINI,
		"mistral/parallel": pb.Provider_PROVIDER_MISTRAL, "ollama/parallel": pb.Provider_PROVIDER_OLLAMA,
	} {
		t.Run(name, func(t *testing.T) {
			body := string(readFile(t, filepath.Join(transportData, "streams", name+".body")))
			answer, err := s.assembled(t, assembleHeader(&pb.AssembleHeader{Provider: provider}), responseBody(body[:len(body)/3]), responseBody(body[len(body)/3:]))
			if err != nil || answer.GetEnd() != pb.StreamEnd_STREAM_END_COMPLETE || len(answer.GetAssistant().GetToolCalls()) == 0 {
				t.Fatalf("%v, %v", answer, err)
			}
			req := &pb.EncodeTurnRequest{Provider: provider, Assistant: answer.GetAssistant()}
			for range answer.GetAssistant().GetToolCalls() {
				resp := s.project(t, completed(1, "main.go:7: undefined: x\n"))
				req.Results = append(req.Results, &pb.TurnResult{
					Content: &pb.TurnResult_Canonical{Canonical: resp.GetCanonical()}, Receipt: resp.GetReceipt(),
				})
			}
			encoded, err := s.transport().EncodeTurn(t.Context(), req)
			if err != nil || !encoded.GetNative() {
				t.Fatalf("%v, %v", encoded, err)
			}
			first := `{"role":"user","content":"Go."}`
			if provider == pb.Provider_PROVIDER_GEMINI {
				first = `{"role":"user","parts":[{"text":"Go."}]}`
			}
			transcript := "[" + strings.Join(append([]string{first}, encoded.GetMessagesJson()...), ",") + "]"
			lint, err := s.transport().LintTranscript(t.Context(), &pb.LintTranscriptRequest{Provider: provider, TranscriptJson: transcript})
			if err != nil || lint.GetTotal() != 0 {
				t.Errorf("%v, %v in %s", lint, err, transcript)
			}
			for _, m := range encoded.GetMessagesJson() {
				if strings.Contains(m, "undefined: x") {
					return
				}
			}
			t.Errorf("the receipt is not in %v", encoded.GetMessagesJson())
		})
	}
}

// TestChatMessages compares the typed messages with their JSON, and with what the
// document "Native Tool Result Format" wants.
func TestChatMessages(t *testing.T) {
	t.Parallel()
	resp := startSidecar(t, launch{}).encoded(t, "one-call", pb.Provider_PROVIDER_CHAT)
	want := []string{
		`{"role":"assistant","content":"I list the sources.","tool_calls":[{"id":"call_Ab1","type":"function","function":{"name":"shell___run","arguments":"{\"command\":\"ls src/runtime\"}"}}]}`,
		`{"role":"tool","tool_call_id":"call_Ab1","content":"Process exited with code 0\nstdout:\nsrc/runtime/turn.rs\nsrc/runtime/lifecycle.rs"}`,
	}
	if got := resp.GetMessagesJson(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	for i, m := range resp.GetChatMessages() {
		parsed := &pb.ChatMessage{}
		if err := protojson.Unmarshal([]byte(resp.GetMessagesJson()[i]), parsed); err != nil || !proto.Equal(parsed, m) {
			t.Errorf("message %d is %v and, in JSON, %v (%v)", i, m, parsed, err)
		}
	}
}

// TestMarkerLeak warns of a call that writes what was left out of a receipt.
func TestMarkerLeak(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	arguments := `{"path": "a.go", "content": "package a\n// […9121:]\n"}`
	quoted, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	body := `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"fs___NAME","arguments":` + string(quoted) +
		`}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	for tool, warned := range map[string]int{"write_file": 1, "read_file": 0, "put": 0} {
		resp, err := s.assembled(t, assembleHeader(&pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}), responseBody(strings.ReplaceAll(body, "NAME", tool)))
		if err != nil || len(resp.GetMarkerLeaks()) != warned || len(resp.GetAssistant().GetToolCalls()) != 1 {
			t.Errorf("%s: %v, %v", tool, resp, err)
		}
	}
	resp, err := s.assembled(t, assembleHeader(&pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT, WritingTools: []string{"fs___put"}}),
		responseBody(strings.ReplaceAll(body, "NAME", "put")))
	if err != nil || len(resp.GetMarkerLeaks()) != 1 {
		t.Fatalf("%v, %v", resp, err)
	}
	if leak := resp.GetMarkerLeaks()[0]; leak.GetPointer() != "/content" || leak.GetLine() != 2 || leak.GetForm() != "[…" {
		t.Errorf("%v", leak)
	}
}

// TestLongAnswer reads an answer whose stream is far larger than a message may be, and
// whose text is not.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--max-message-bytes=64KiB"}})
	chunk := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word "}}]}` + "\n\n"
	messages := []*pb.AssembleToolCallsRequest{assembleHeader(&pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT})}
	for range 50 {
		messages = append(messages, responseBody(strings.Repeat(chunk, 100)))
	}
	resp, err := s.assembled(t, append(messages, responseBody("data: [DONE]\n\n"))...)
	if err != nil || len(resp.GetAssistant().GetContent()) != 5*50*100 || resp.GetEnd() != pb.StreamEnd_STREAM_END_COMPLETE {
		t.Errorf("%d bytes, %v, %v", len(resp.GetAssistant().GetContent()), resp.GetEnd(), err)
	}
}

// TestTransportCommands uses the service from the command line.
func TestTransportCommands(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	run := func(stdin []byte, args ...string) ran {
		t.Helper()
		return cli(t, environment(t), bytes.NewReader(stdin), append(append([]string{"transport"}, args...), "--server", "unix://"+s.Socket)...)
	}
	turn := readFile(t, filepath.Join(transportData, "turns", "interrupted", "request.json"))
	encoded := run(turn, "encode", "--provider", "gemini")
	want := strings.Trim(strings.ReplaceAll(string(readFile(t, filepath.Join(transportData, "turns", "interrupted", "gemini.json"))), ",\n", "\n"), "[]\n")
	if encoded.code != 0 || strings.TrimSpace(encoded.stdout) != want || !strings.Contains(encoded.stderr, "the call of shell___run has no result") {
		t.Errorf("%+v", encoded)
	}
	body := readFile(t, filepath.Join(transportData, "streams", "anthropic_messages", "parallel.body"))
	whole, half := run(body, "assemble", "--provider", "anthropic-messages"), run(body[:len(body)/2], "assemble", "--provider", "anthropic-messages")
	if whole.code != 0 || !strings.Contains(whole.stdout, `"STREAM_END_COMPLETE"`) || half.code != 1 || !strings.Contains(half.stdout, `"STREAM_END_TRUNCATED"`) {
		t.Errorf("%+v\n%+v", whole, half)
	}
	broken := []byte(`[{"role":"user","content":"Go."},{"role":"tool","tool_call_id":"c1","content":"lost"}]`)
	found, mended := run(broken, "lint", "--provider", "openai-chat"), run(broken, "lint", "--provider", "openai-chat", "--repair")
	if found.code != 1 || found.stdout != "message 1: orphan_result: c1 no call is answered by this result\n" {
		t.Errorf("%+v", found)
	}
	if mended.code != 0 || mended.stderr != found.stdout || !strings.HasPrefix(mended.stdout, `[{"role":"user","content":"Go."},{"role":"user"`) {
		t.Errorf("%+v", mended)
	}
	if unknown := run(nil, "lint", "--provider", "nobody"); unknown.code != 125 || !strings.Contains(unknown.stderr, "openai-responses, anthropic-messages") {
		t.Errorf("%+v", unknown)
	}
}

// transportProvocations make a sidecar refuse calls of the TransportService.
func transportProvocations() []provocation {
	header := assembleHeader(&pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT})
	list := []provocation{
		{listed{"AssembleToolCalls", "INVALID_ARGUMENT", "STREAM_ORDER"}, "message", assembleOf(responseBody("x"))},
		{listed{"AssembleToolCalls", "INVALID_ARGUMENT", "STREAM_ORDER"}, "message", assembleOf(header, header)},
		{listed{"AssembleToolCalls", "INVALID_ARGUMENT", "STREAM_ORDER"}, "message", assembleOf()},
		{listed{"AssembleToolCalls", "INVALID_ARGUMENT", "FIELD_MISSING"}, "header.provider", assembleOf(assembleHeader(&pb.AssembleHeader{}))},
		{listed{"AssembleToolCalls", "INVALID_ARGUMENT", "ENUM_UNKNOWN"}, "header.provider", assembleOf(assembleHeader(&pb.AssembleHeader{Provider: 99}))},
		{listed{"AssembleToolCalls", "INVALID_ARGUMENT", "FIELD_OUT_OF_BOUNDS"}, "event_json", assembleOf(header, responseBody("x"), eventOf("{}"))},
		{listed{"AssembleToolCalls", "RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE"}, "", withLongAnswer},
		{listed{"AssembleToolCalls", "DEADLINE_EXCEEDED", "STREAM_IDLE"}, "", whileModelIsSilent},
		{listed{"LintTranscript", "INVALID_ARGUMENT", "FIELD_MISSING"}, "transcript_json", lintOf(pb.Provider_PROVIDER_GEMINI, "")},
		{listed{"LintTranscript", "INVALID_ARGUMENT", "FIELD_TOO_LONG"}, "transcript_json", lintOf(pb.Provider_PROVIDER_CHAT, "["+strings.Repeat("[],", 1<<17)+"[]]")},
		{listed{"LintTranscript", "INVALID_ARGUMENT", "ENUM_UNKNOWN"}, "provider", lintOf(99, "[]")},
		{listed{"LintTranscript", "INVALID_ARGUMENT", "JSON_INVALID"}, "transcript_json[1]", lintOf(pb.Provider_PROVIDER_CHAT, `[{"role":"user"},7]`)},
	}
	list = append(list, provocation{listed{"EncodeTurn", "UNAVAILABLE", "OBJECT_STORE_UNAVAILABLE"}, "", withoutItsImage})
	for reason, c := range invalidTurns() {
		list = append(list, provocation{listed{"EncodeTurn", "INVALID_ARGUMENT", reason}, c.field, func(t *testing.T, s *sidecar) error {
			_, err := s.transport().EncodeTurn(t.Context(), c.turn)
			return err
		}})
	}
	return list
}

type invalidTurn struct {
	field string
	turn  *pb.EncodeTurnRequest
}

// invalidTurns has a turn for each reason to refuse one.
func invalidTurns() map[string]invalidTurn {
	turn := func(change func(*pb.EncodeTurnRequest)) *pb.EncodeTurnRequest {
		req := &pb.EncodeTurnRequest{
			Provider:  pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
			Assistant: &pb.AssistantTurn{ToolCalls: []*pb.ParsedToolCall{{Tool: "read", Arguments: "{}", Id: proto.String("c1")}}},
			Results:   []*pb.TurnResult{{Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Content: &pb.TurnResult_Text{Text: "ok"}}},
		}
		change(req)
		return req
	}
	arguments := func(text string) *pb.EncodeTurnRequest {
		return turn(func(r *pb.EncodeTurnRequest) { r.Assistant.ToolCalls[0].Arguments = text })
	}
	turns := map[string]invalidTurn{
		"FIELD_MISSING":       {"results[0].content", turn(func(r *pb.EncodeTurnRequest) { r.Results[0].Content = nil })},
		"FIELD_TOO_LONG":      {"assistant.tool_calls[0].tool", turn(func(r *pb.EncodeTurnRequest) { r.Assistant.ToolCalls[0].Tool = strings.Repeat("x", 129) })},
		"FIELD_OUT_OF_BOUNDS": {"results[1]", turn(func(r *pb.EncodeTurnRequest) { r.Results = append(r.Results, r.Results[0]) })},
		"NAME_INVALID": {"results[0].media[0].name", turn(func(r *pb.EncodeTurnRequest) {
			r.Results[0].Media = []*pb.Media{{MediaType: "image/png", Source: &pb.Media_Data{Data: []byte("x")}, Name: "a\nb"}}
		})},
		"ENUM_UNKNOWN":       {"provider", turn(func(r *pb.EncodeTurnRequest) { r.Provider = 99 })},
		"JSON_INVALID":       {"assistant.tool_calls[0].arguments", arguments(`[1]`)},
		"JSON_TOO_DEEP":      {"assistant.tool_calls[0].arguments", arguments(`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`)},
		"JSON_DUPLICATE_KEY": {"assistant.tool_calls[0].arguments", arguments(`{"a":1,"a":2}`)},
	}
	for reason, c := range invalidCanonicals() {
		if _, other := turns[reason]; other || c.policy != nil {
			continue
		}
		turns[reason] = invalidTurn{prefixed("results[0].canonical", c.field), turn(func(r *pb.EncodeTurnRequest) {
			r.Results[0] = &pb.TurnResult{Content: &pb.TurnResult_Canonical{Canonical: c.result}}
		})}
	}
	large := canonicalCommand(func(c *pb.CommandResult) { c.StdoutPreview = new(numbered(10_000)) })
	turns["BUDGET_TOO_SMALL"] = invalidTurn{"results[0].canonical", turn(func(r *pb.EncodeTurnRequest) {
		r.Results[0] = &pb.TurnResult{Content: &pb.TurnResult_Canonical{Canonical: large}}
	})}
	return turns
}

// withoutItsImage is a turn with an image that is in an object store that does not answer.
func withoutItsImage(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{
		Args: []string{"--object-store=s3://bucket/p?endpoint=http://127.0.0.1:1"},
		Env:  []string{"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test"},
	})
	seen := &pb.CanonicalToolResult{
		ToolName: "View", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "image viewed",
		Result: &pb.CanonicalToolResult_ImageView{ImageView: &pb.ImageViewResult{Image: &pb.ImageReference{
			MediaType: "image/png", Bytes: 70, ImageArtifact: new(uint32(0)),
			Artifacts: []*pb.ArtifactReference{{Path: "s3://bucket/p/" + strings.Repeat("0", 32)}},
		}}},
	}
	_, err := s.transport().EncodeTurn(t.Context(), &pb.EncodeTurnRequest{
		Provider:  pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		Assistant: &pb.AssistantTurn{ToolCalls: []*pb.ParsedToolCall{{Tool: "View", Id: proto.String("c1")}}},
		Results:   []*pb.TurnResult{{Content: &pb.TurnResult_Canonical{Canonical: seen}}},
	})
	return err
}

func assembleOf(messages ...*pb.AssembleToolCallsRequest) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		_, err := s.assembled(t, messages...)
		return err
	}
}

func lintOf(provider pb.Provider, transcript string) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		_, err := s.transport().LintTranscript(t.Context(), &pb.LintTranscriptRequest{Provider: provider, TranscriptJson: transcript})
		return err
	}
}

// withLongAnswer sends an event that never ends.
func withLongAnswer(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{Args: []string{"--max-message-bytes=64KiB"}})
	messages := []*pb.AssembleToolCallsRequest{assembleHeader(&pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT})}
	for range 10 {
		messages = append(messages, responseBody("data: "+strings.Repeat("x", 20<<10)))
	}
	_, err := s.assembled(t, messages...)
	return err
}

// whileModelIsSilent sends a header and nothing else.
func whileModelIsSilent(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{Args: []string{"--stream-idle=1s"}})
	call, err := s.transport().AssembleToolCalls(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Send(assembleHeader(&pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT})); err != nil {
		t.Fatal(err)
	}
	err = call.RecvMsg(&pb.AssembleToolCallsResponse{})
	if err == nil {
		err = errors.New("an answer came")
	}
	return err
}
