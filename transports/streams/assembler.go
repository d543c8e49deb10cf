// Package streams assembles the answer of a model, with its tool calls, from the stream of a provider.
package streams

import (
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// Assembler reads the stream of one answer of a model. Its methods are called in order,
// by one goroutine.
type Assembler struct {
	header       *pb.AssembleHeader
	reader       reader
	framing      framing
	answer       answer
	form         byte   // of what came: 0, formBody or formEvent
	head         []byte // the beginning of what came
	findReceipts ReceiptFinder
}

// streamReader reads the events of one provider.
type reader interface {
	// event reads one event into the answer.
	event(o rawjson.Object, a *answer)
}

// streamReaderOf returns what reads the streams of a provider.
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

// NewAssembler returns an Assembler of a stream. find looks for text of receipts. The
// error is an *envelope.InvalidError.
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

const (
	formBody  = 'b'
	formEvent = 'e'
)

// Body takes the next bytes of the body of the response.
func (a *Assembler) Body(chunk []byte) error {
	if err := a.checkForm(formBody, "body"); err != nil {
		return err
	}
	a.recordHead(chunk)
	a.framing.write(chunk)
	return nil
}

// Event takes the next event of an SDK.
func (a *Assembler) Event(text string) error {
	if err := a.checkForm(formEvent, "event_json"); err != nil {
		return err
	}
	a.recordHead([]byte(text))
	a.read([]byte(text))
	return nil
}

// headBytes is how much is shown of what is no stream.
const headBytes = 80

func (a *Assembler) recordHead(chunk []byte) {
	a.head = append(a.head, chunk[:min(len(chunk), headBytes-len(a.head))]...)
}

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

// read reads one event. What comes behind one that is not the provider's is not read.
func (a *Assembler) read(event []byte) {
	if a.answer.end == pb.StreamEnd_STREAM_END_MALFORMED {
		return
	}
	if strings.TrimSpace(string(event)) == streamDone {
		a.answer.done = true
		return
	}
	o, err := rawjson.Parse(event)
	if err != nil {
		a.answer.setEnd(pb.StreamEnd_STREAM_END_MALFORMED, "an event "+err.Error())
		return
	}
	a.answer.events++
	if problem := eventError(o); problem != "" {
		a.answer.setEnd(pb.StreamEnd_STREAM_END_ERROR, problem)
		return
	}
	a.reader.event(o, &a.answer)
}

// Held is how many bytes are kept of what came: what the model said, and the event that
// is being read. What a stream has around them is not kept.
func (a *Assembler) Buffered() int { return a.answer.size() + a.framing.size() }

// errorIn is the message of an event that is an error, whoever's it is, or "".
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

// Finish returns what the model answered, when the stream has ended.
func (a *Assembler) Finish() *pb.AssembleToolCallsResponse {
	a.framing.close()
	ans := &a.answer
	switch {
	case ans.end != pb.StreamEnd_STREAM_END_UNSPECIFIED:
	case ans.done:
		ans.end = pb.StreamEnd_STREAM_END_COMPLETE
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
	var positions []int // of the calls that are complete, among all
	calls, incomplete := ans.partition(&positions)
	resp.Assistant = &pb.AssistantTurn{Content: content, ToolCalls: calls, ProviderBlocks: ans.providerBlocks(positions)}
	resp.Incomplete, resp.Notice = incomplete, incompleteNotice(incomplete, ans.end)
	resp.MarkerLeaks = findLeaks(calls, a.header.GetWritingTools(), a.findReceipts)
	resp.ToolCallsJson = string(dialect.ToolCallsJSON(calls))
	return resp
}
