// Package streams assembles the answer of a model, with its calls of tools, from the stream of a provider. A stream may
// be cut anywhere and end at any byte: a call is returned as complete only if the provider said so, and everything else
// is returned as incomplete, with a notice for the model.
//
// assembler.go is the interface, framing.go cuts a body into events, a file for each provider reads its events into an
// answer (answer.go), and text_buffer.go joins texts that are cut inside of a character. text_calls.go finds calls in
// text, leaks.go text of receipts in calls that write files.
package streams

import (
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// Assembler reads the stream of one answer of a model. Call Body or Event for each part of the stream and Finish at its end,
// however it ended: a stream that broke off has an answer, too. It is not safe for concurrent use.
type Assembler struct {
	header       *pb.AssembleHeader
	reader       reader
	framing      framing
	answer       answer
	form         byte   // 0 before the first bytes, then formBody or formEvent
	head         []byte // the first bytes of the stream
	findReceipts ReceiptFinder
}

// reader reads the events of one provider.
type reader interface {
	// event reads one event into the answer. It ignores what it does not understand.
	event(o rawjson.Object, a *answer)
}

// newReader returns the reader for the streams of a provider, or nil for a provider that this version does not know.
func newReader(p pb.Provider) reader {
	switch p {
	case pb.Provider_PROVIDER_CHAT, pb.Provider_PROVIDER_OPENAI_CHAT, pb.Provider_PROVIDER_MISTRAL:
		return &chatStream{}
	case pb.Provider_PROVIDER_OPENAI_RESPONSES:
		return &responsesStream{items: map[string]*partialCall{}}
	case pb.Provider_PROVIDER_ANTHROPIC_MESSAGES:
		return &anthropicStream{blocks: map[string]*anthropicBlock{}}
	case pb.Provider_PROVIDER_GEMINI:
		return geminiStream{}
	case pb.Provider_PROVIDER_BEDROCK_CONVERSE:
		return &bedrockStream{blocks: map[string]*bedrockBlock{}}
	case pb.Provider_PROVIDER_OLLAMA:
		return ollamaStream{}
	}
	return nil
}

// maxWritingTools bounds AssembleHeader.writing_tools.
const maxWritingTools = 256

// NewAssembler returns an Assembler for one stream. findReceipts must not be nil. The error is an
// *envelope.InvalidError.
func NewAssembler(header *pb.AssembleHeader, find ReceiptFinder) (*Assembler, error) {
	c := envelope.NewChecker("header")
	dialect.CheckProvider(c, header.GetProvider())
	dialect.CheckFormat(c, header.GetFormat())
	dialect.CheckCount(c, "writing_tools", len(header.GetWritingTools()), maxWritingTools)
	if err := c.Err(); err != nil {
		return nil, err
	}
	a := &Assembler{header: header, reader: newReader(header.GetProvider()), findReceipts: find}
	a.answer.provider = header.GetProvider()
	a.framing.emit = a.read
	return a, nil
}

// Forms of a stream.
const (
	formBody  = 'b'
	formEvent = 'e'
)

// Body reads the next bytes of the body of a response. The chunk may be reused afterwards. The error is an
// *envelope.InvalidError.
func (a *Assembler) Body(chunk []byte) error {
	if err := a.checkForm(formBody, "body"); err != nil {
		return err
	}
	a.recordHead(chunk)
	a.framing.write(chunk)
	return nil
}

// Event reads the next event of a provider's SDK, as JSON. The error is an *envelope.InvalidError.
func (a *Assembler) Event(text string) error {
	if err := a.checkForm(formEvent, "event_json"); err != nil {
		return err
	}
	a.recordHead([]byte(text))
	a.read([]byte(text))
	return nil
}

// headBytes is the length of the beginning of a stream that its reason quotes.
const headBytes = 80

// recordHead keeps the first bytes, for the reason of a stream without events.
func (a *Assembler) recordHead(chunk []byte) {
	// Chunks may have any size; only the first bytes are kept.
	a.head = append(a.head, chunk[:min(len(chunk), headBytes-len(a.head))]...)
}

// checkForm reports a stream that mixes bodies and events, and a body of a provider whose streams are binary.
func (a *Assembler) checkForm(form byte, field string) error {
	c := envelope.NewChecker("")
	if a.form != 0 && a.form != form {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "a stream is either body or events")
	}
	if form == formBody && a.header.GetProvider() == pb.Provider_PROVIDER_BEDROCK_CONVERSE {
		c.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "the stream of Converse is not text; send its events")
	}
	a.form = form
	return c.Err()
}

// read reads one event. Nothing is read after an event that is not the provider's.
func (a *Assembler) read(event []byte) {
	if a.answer.end == pb.StreamEnd_STREAM_END_MALFORMED {
		return
	}
	if strings.TrimSpace(string(event)) == streamDone {
		a.answer.done = true
		return
	}
	// Values of o are slices of event, which framing has copied.
	o, err := rawjson.Parse(event)
	if err != nil {
		a.answer.setEnd(pb.StreamEnd_STREAM_END_MALFORMED, "an event "+err.Error())
		return
	}
	a.answer.events++
	// Gateways send errors in their own form in the middle of any provider's stream.
	if problem := eventError(o); problem != "" {
		a.answer.setEnd(pb.StreamEnd_STREAM_END_ERROR, problem)
		return
	}
	a.reader.event(o, &a.answer)
}

// Buffered returns about how many bytes the Assembler holds: the answer and the event that is being read, without the
// JSON around them. A caller bounds its memory by it.
func (a *Assembler) Buffered() int { return a.answer.size() + a.framing.size() }

// eventError returns the message of an event that is an error, of any provider, or "".
func eventError(o rawjson.Object) string {
	e := o.Get("error")
	if e == nil {
		return ""
	}
	if inside, err := rawjson.Split(e); err == nil && inside.Text("message") != "" {
		return inside.Text("message")
	}
	if text := rawjson.String(e); text != "" {
		return text
	}
	return strings.ToValidUTF8(string(e), "\ufffd")
}

// Finish returns the answer after the end of the stream. It must be called once.
//
// The end is the provider's: its reason, its error, or its last event. A stream without any of them is truncated, and
// bytes that hold no event are malformed.
func (a *Assembler) Finish() *pb.AssembleToolCallsResponse {
	a.framing.close()
	ans := &a.answer
	switch {
	case ans.end != pb.StreamEnd_STREAM_END_UNSPECIFIED:
	// [DONE] without a finish reason: servers that imitate OpenAI's omit the reason.
	case ans.done:
		ans.end = pb.StreamEnd_STREAM_END_COMPLETE
	// Not a stream at all: usually the HTML or text of a proxy.
	case len(a.head) > 0 && ans.events == 0:
		ans.end, ans.reason = pb.StreamEnd_STREAM_END_MALFORMED, fmt.Sprintf("there is no event in what begins with %q", a.head)
	default:
		ans.end = pb.StreamEnd_STREAM_END_TRUNCATED
	}
	resp := &pb.AssembleToolCallsResponse{End: ans.end, StopReason: ans.reason}
	content := ans.content.String()
	if a.header.GetFormat() == pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT {
		ans.readTextCalls(content)
	}
	var positions []int // indices of the complete calls among all
	calls, incomplete := ans.partition(&positions)
	resp.Assistant = &pb.AssistantTurn{Content: content, ToolCalls: calls, ProviderBlocks: ans.providerBlocks(positions)}
	resp.Incomplete, resp.Notice = incomplete, incompleteNotice(incomplete, ans.end)
	resp.MarkerLeaks = findLeaks(calls, a.header.GetWritingTools(), a.findReceipts)
	resp.ToolCallsJson = string(dialect.ToolCallsJSON(calls))
	return resp
}
