package integration_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// chatModel is the scripted model behind an endpoint of chat completions. It holds every
// request against what a provider demands and against its own last answer.
type chatModel struct {
	t     *testing.T
	lint  pb.TransportServiceClient
	text  bool // calls are told as text
	paths map[string]string

	forgets bool // the sidecar forgets which outputs the model has seen, when it is killed

	mu      sync.Mutex
	turn    int               // which answer of the script is next
	broke   bool              // the last answer broke off
	sent    []json.RawMessage // the messages of the last request
	sizes   []int             // bytes of the messages, request by request
	changed []int             // turns after which earlier messages were others
}

// chatMessage is a message as a provider reads it.
type chatMessage struct {
	Role       string
	Content    content
	ToolCalls  []chatCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

type chatCall struct {
	ID, Type string
	Function struct{ Name, Arguments string }
}

// content is the texts of a message.
type content []string

func (c *content) UnmarshalJSON(text []byte) error {
	var whole *string
	if json.Unmarshal(text, &whole) == nil {
		if whole != nil {
			*c = content{*whole}
		}
		return nil
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type != "text" {
			return fmt.Errorf("a part is %q", p.Type)
		}
		*c = append(*c, p.Text)
	}
	return nil
}

func (m *chatModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.check(r); err != nil {
		m.t.Errorf("the request after turn %d: %v", m.turn, err)
		http.Error(w, "refused", http.StatusBadRequest)
		return
	}
	answer := scripted{says: finalAnswer}
	if m.turn < len(script) {
		answer = m.filled(m.turn)
	}
	breaks := answer.ends == endsBroken && !m.broke
	m.answer(w, answer, breaks)
	if m.broke = breaks; breaks {
		panic(http.ErrAbortHandler) // the connection is gone
	}
	m.turn++
}

// answered is how many turns the model has answered.
func (m *chatModel) answered() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.turn
}

// check says what is wrong with a request.
func (m *chatModel) check(r *http.Request) error {
	var request struct {
		Stream   bool
		Messages []json.RawMessage
		Tools    []json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return err
	}
	if !request.Stream || (len(request.Tools) == 0) != m.text {
		return fmt.Errorf("stream is %v, and there are %d tools", request.Stream, len(request.Tools))
	}
	var messages []chatMessage
	array := jsonText(request.Messages)
	if err := json.Unmarshal([]byte(array), &messages); err != nil {
		return err
	}
	resp, err := m.lint.LintTranscript(r.Context(), &pb.LintTranscriptRequest{Provider: pb.Provider_PROVIDER_OPENAI_CHAT, TranscriptJson: array})
	if err != nil || len(resp.GetFindings()) > 0 {
		return fmt.Errorf("lint finds %v, error %w", resp.GetFindings(), err)
	}
	before := len(m.sent)
	if err := m.checkEarlier(request.Messages, messages); err != nil {
		return err
	}
	if m.turn == 0 || m.broke {
		return checkPairs(messages)
	}
	return errors.Join(checkPairs(messages), m.checkLast(messages[before:]))
}

// checkEarlier holds the messages of the last request against those of this one: they are
// the same, byte for byte, or were compacted. Then nothing but results may be another.
func (m *chatModel) checkEarlier(raw []json.RawMessage, messages []chatMessage) error {
	first := m.turn == 0
	before := m.sent
	m.sent = raw
	if len(raw) < len(before) || m.broke && len(raw) != len(before) || first && len(raw) != 2 {
		return fmt.Errorf("%d messages, after %d", len(raw), len(before))
	}
	size, compacted := 0, false
	for i := range raw {
		size += len(raw[i])
		if i >= len(before) || bytes.Equal(raw[i], before[i]) {
			continue
		}
		compacted = true
		if role := messages[i].Role; role != "tool" && !(m.text && role == "user") {
			return fmt.Errorf("message %d of role %s changed:\n%s\n%s", i, role, before[i], raw[i])
		}
	}
	switch {
	case compacted && m.broke:
		return errors.New("asked again with other messages")
	case compacted && size >= m.sizes[len(m.sizes)-1]:
		return fmt.Errorf("%d bytes after a compaction, %d before", size, m.sizes[len(m.sizes)-1])
	case compacted:
		m.changed = append(m.changed, m.turn)
	}
	if !m.broke {
		m.sizes = append(m.sizes, size)
	}
	return nil
}

// checkPairs says where a call of an assistant is not answered directly behind it, once
// and in order, or where something else is.
func checkPairs(messages []chatMessage) error {
	for i := 0; i < len(messages); i++ {
		for _, c := range messages[i].ToolCalls {
			i++
			if i == len(messages) || messages[i].Role != "tool" || messages[i].ToolCallID != c.ID {
				return fmt.Errorf("message %d does not answer %s", i, c.ID)
			}
		}
		if i+1 < len(messages) && messages[i+1].Role == "tool" {
			return fmt.Errorf("message %d answers no call", i+1)
		}
	}
	return nil
}

// checkLast holds the messages of the last turn against the script.
func (m *chatModel) checkLast(messages []chatMessage) error {
	s := m.filled(m.turn - 1)
	if messages[0].Role != "assistant" {
		return fmt.Errorf("the first message of the turn is of %s", messages[0].Role)
	}
	results, notices, err := nativeTurn(messages, s)
	if m.text {
		results, notices, err = textTurn(messages, s)
	}
	if err != nil {
		return err
	}
	if len(results) != len(s.want) {
		return fmt.Errorf("%d results, want %d", len(results), len(s.want))
	}
	for i, want := range s.want {
		if !strings.Contains(results[i], want) && !(m.forgets && strings.HasPrefix(want, sameOutput)) {
			return fmt.Errorf("result %d has no %q:\n%s", i, want, results[i])
		}
		if path := regexp.MustCompile(`60000 lines.*all: (\S+)`).FindStringSubmatch(results[i]); path != nil {
			m.paths["ARTIFACT"] = path[1]
		}
	}
	if said := strings.Join(notices, "\n"); !strings.Contains(said, s.notice) || (said == "") != (s.notice == "") {
		return fmt.Errorf("the notices are %q, want %q", said, s.notice)
	}
	return nil
}

// nativeTurn takes a turn apart.
func nativeTurn(messages []chatMessage, s scripted) (results, notices []string, err error) {
	said, answers := messages[0], messages[1:]
	var calls []scriptedCall
	for _, c := range said.ToolCalls {
		calls = append(calls, scriptedCall{c.ID, c.Function.Name, c.Function.Arguments})
	}
	want := slices.Clone(s.complete())
	for i, c := range want {
		if len(c.id) > 40 && i < len(calls) {
			want[i].id = calls[i].id // the provider takes no more
		}
	}
	if diff := cmp.Diff(want, calls, cmp.AllowUnexported(scriptedCall{})); len(want)+len(calls) > 0 && diff != "" {
		return nil, nil, fmt.Errorf("the calls (-want +got):\n%s", diff)
	}
	if strings.Join(said.Content, "|") != s.says {
		return nil, nil, fmt.Errorf("the assistant says %q, want %q", said.Content, s.says)
	}
	for _, a := range answers {
		if a.Role != "tool" {
			notices = append(notices, a.Content...)
			continue
		}
		results, notices = append(results, a.Content[0]), append(notices, a.Content[1:]...)
	}
	return results, notices, nil
}

// textResult is a result in the text of a user.
var textResult = regexp.MustCompile(`(?s)^<tool_result>\n([^\n]*):\n(.*?)\n</tool_result>(?:\n\n|$)`)

// textTurn takes a turn apart whose calls and results are text.
func textTurn(messages []chatMessage, s scripted) (results, notices []string, err error) {
	if len(messages) != 2 || messages[1].Role != "user" || len(messages[0].ToolCalls) > 0 {
		return nil, nil, fmt.Errorf("the turn has %d messages: %+v", len(messages), messages)
	}
	if said := strings.Join(messages[0].Content, "|"); said != s.inText(s.ends == endsLength) {
		return nil, nil, fmt.Errorf("the assistant says %q", said)
	}
	notices = messages[1].Content
	if len(s.want) == 0 {
		return nil, notices, nil
	}
	text := notices[0]
	for i := 0; text != ""; i++ {
		found := textResult.FindStringSubmatch(text)
		if found == nil || i >= len(s.want) || found[1] != s.calls[i].name {
			return nil, nil, fmt.Errorf("no result %d in\n%s", i, text)
		}
		results, text = append(results, found[2]), text[len(found[0]):]
	}
	return results, notices[1:], nil
}

// filled is an answer of the script with ids and paths.
func (m *chatModel) filled(turn int) scripted {
	s := script[turn]
	s.calls = slices.Clone(s.calls)
	for i := range s.calls {
		c := &s.calls[i]
		for name, path := range m.paths {
			c.arguments = strings.ReplaceAll(c.arguments, name, path)
		}
		if c.id == "" {
			c.id = fmt.Sprintf("call_%d_%d", turn+1, i+1)
		}
	}
	return s
}

// inText is an answer whose calls are text; a partial one ends inside the last call.
func (s scripted) inText(partial bool) string {
	text := s.says
	for i, c := range s.calls {
		call := fmt.Sprintf("\n<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", c.name, c.arguments)
		if partial && i == len(s.calls)-1 {
			call = call[:len(call)/2]
		}
		text += call
	}
	return text
}

// answer sends an answer, or breaks off inside its last call, in pieces that are cut
// anywhere.
func (m *chatModel) answer(w http.ResponseWriter, s scripted, breaks bool) {
	partial := breaks || s.ends == endsLength
	var deltas []string
	if m.text {
		for _, piece := range pieces(s.inText(partial), 7) {
			deltas = append(deltas, `{"content":`+piece+`}`)
		}
	} else {
		deltas = s.deltas(partial, m.turn%2 == 0)
	}
	var body strings.Builder
	for _, d := range deltas {
		event(&body, d, "null")
	}
	if !breaks {
		event(&body, "{}", s.reason(m.text))
		body.WriteString("data: {\"choices\":[],\"usage\":{\"total_tokens\":1}}\n\ndata: [DONE]\n\n")
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for piece := range slices.Chunk([]byte(body.String()), 101) {
		_, _ = w.Write(piece) // where the client is gone, its exit code says so
		w.(http.Flusher).Flush()
	}
}

// event writes a chunk.
func event(body *strings.Builder, delta, reason string) {
	const chunk = `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`
	fmt.Fprintf(body, "data: "+chunk+"\n\n", delta, reason)
}

// reason is why an answer ends.

func (s scripted) reason(text bool) string {
	switch {
	case s.ends == endsLength:
		return `"length"`
	case len(s.calls) > 0 && !text:
		return `"tool_calls"`
	}
	return `"stop"`
}

// deltas are the parts of an answer whose calls are native: id and name in the first part
// of a call, its arguments in the others, one call after the other or all at once.
func (s scripted) deltas(partial, interleaved bool) []string {
	list := []string{`{"role":"assistant","content":""}`}
	for _, piece := range pieces(s.says, 7) {
		list = append(list, `{"content":`+piece+`}`)
	}
	var open [][]string // the parts of calls that are still to come
	for i, c := range s.calls {
		arguments := c.arguments
		if partial && i == len(s.calls)-1 {
			arguments = arguments[:len(arguments)/2]
		}
		first := `{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`
		parts := []string{fmt.Sprintf(first, i, c.id, c.name)}
		for _, piece := range pieces(arguments, 5) {
			parts = append(parts, fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, piece))
		}
		open = append(open, parts)
	}
	for len(open) > 0 {
		n := len(open[0])
		if interleaved {
			n = 1
		}
		list = append(list, open[0][:n]...)
		if rest := open[0][n:]; len(rest) > 0 {
			open = append(open, rest)
		}
		open = open[1:]
	}
	return list
}

// pieces are JSON strings of so many UTF-16 units each, as servers make them that cut
// between the halves of a surrogate pair.
func pieces(text string, units int) (list []string) {
	for chunk := range slices.Chunk(utf16.Encode([]rune(text)), units) {
		var piece strings.Builder
		for _, unit := range chunk {
			if unit < ' ' || unit > '~' || unit == '"' || unit == '\\' {
				fmt.Fprintf(&piece, `\u%04x`, unit)
			} else {
				piece.WriteByte(byte(unit))
			}
		}
		list = append(list, `"`+piece.String()+`"`)
	}
	return list
}

// jsonText is a value as JSON text, with its characters as they are.
func jsonText(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // of a test's own values
	}
	return strings.TrimSuffix(text.String(), "\n")
}
