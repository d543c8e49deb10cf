package streams

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// answer collects the answer of a model while it is received.
type answer struct {
	provider pb.Provider
	content  textBuffer
	calls    []*partialCall
	blocks   []placedBlock
	events   int
	done     bool // the stream had its last event
	end      pb.StreamEnd
	reason   string
}

// Ends of a stream, by short names.
const (
	complete    = pb.StreamEnd_STREAM_END_COMPLETE
	cutByLength = pb.StreamEnd_STREAM_END_LENGTH
	stopped     = pb.StreamEnd_STREAM_END_STOPPED
)

// partialCall is a call that is received in parts.
type partialCall struct {
	id, name  string
	arguments textBuffer
	custom    bool
	signature string
	closed    bool   // the provider sends nothing more of it
	raw       string // the call as the model wrote it; "" for a native call
	problem   string // why the call must not be made; "" if nothing is known
}

// placedBlock is a block that goes back to the provider, with its place in the answer: the number of calls before it.
type placedBlock struct {
	json   string
	before int
	first  bool // nothing precedes it, neither text nor a call
}

// size returns about how many bytes the answer holds.
func (a *answer) size() int {
	// Empty calls and blocks must count too: a stream of many is otherwise free.
	const each = 256 // bytes of a call or block beside its texts
	n := len(a.content.bytes)
	for _, c := range a.calls {
		n += each + len(c.arguments.bytes)
	}
	for _, b := range a.blocks {
		n += each + len(b.json)
	}
	return n
}

// newCall begins a call.
func (a *answer) newCall() *partialCall {
	c := &partialCall{}
	a.calls = append(a.calls, c)
	return c
}

// setArguments sets the arguments of a call that is received as a whole. nil is an empty object.
func (c *partialCall) setArguments(arguments json.RawMessage) {
	c.closed = true
	// Gemini and Ollama omit arguments that are empty.
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	c.arguments.appendJSON(arguments)
}

// addBlock keeps a block for the provider at the current place in the answer.
func (a *answer) addBlock(o rawjson.Object) { a.addBlockAt(o, a.position()) }

// position returns the current place in the answer.
func (a *answer) position() placedBlock {
	return placedBlock{before: len(a.calls), first: a.content.empty() && len(a.calls) == 0}
}

// addBlockAt keeps a block for the provider at a place. Providers send text that is not UTF-8; the messages of the
// answer must be, so it is replaced.
func (a *answer) addBlockAt(o rawjson.Object, at placedBlock) {
	if len(a.blocks) == dialect.MaxBlocks {
		a.setEnd(pb.StreamEnd_STREAM_END_MALFORMED, fmt.Sprintf("there are more than %d blocks", dialect.MaxBlocks))
		return
	}
	at.json = strings.ToValidUTF8(string(o.Raw()), "\ufffd")
	a.blocks = append(a.blocks, at)
}

// setEnd sets how the answer ended. Only the first call counts: providers follow an error with an ordinary end.
func (a *answer) setEnd(end pb.StreamEnd, reason string) {
	// An unspecified end is the state of a stream that goes on.
	if a.end == pb.StreamEnd_STREAM_END_UNSPECIFIED {
		a.end, a.reason = end, reason
	}
}

// partition returns the calls that are complete, whose indices it appends to positions, and those that are not.
func (a *answer) partition(positions *[]int) (calls []*pb.ParsedToolCall, incomplete []*pb.IncompleteToolCall) {
	for i, c := range a.calls {
		if problem := a.problem(i); problem != "" {
			incomplete = append(incomplete, c.incomplete(problem))
			continue
		}
		*positions = append(*positions, i)
		calls = append(calls, c.parsed())
	}
	return calls, incomplete
}

// problem returns a phrase that says why a call must not be made, or "". A JSON object has an end, so one that parses is
// complete even if the answer is cut off behind it; text of a custom tool, and arguments that have not begun, are not.
func (a *answer) problem(i int) string {
	c, last := a.calls[i], i == len(a.calls)-1
	// A stream that ended by itself, or by its limit of tokens, has closed all calls but perhaps the last.
	whole := a.end == pb.StreamEnd_STREAM_END_COMPLETE || a.end == pb.StreamEnd_STREAM_END_LENGTH
	server, tool := dialect.SplitName(c.name)
	switch {
	case c.problem != "":
		return c.problem
	case i >= dialect.MaxCalls:
		return fmt.Sprintf("an answer may have %d calls", dialect.MaxCalls)
	case len(server) > dialect.MaxNameBytes || len(tool) > dialect.MaxNameBytes:
		return fmt.Sprintf("the name has %d bytes, and its server and its tool may have %d each", len(c.name), dialect.MaxNameBytes)
	case len(c.id) > dialect.MaxIDBytes:
		return fmt.Sprintf("the id has %d bytes, and may have %d", len(c.id), dialect.MaxIDBytes)
	case !whole && !c.closed:
		return "the stream ended before the call did"
	case c.name == "":
		return "the call has no name"
	case last && a.end != pb.StreamEnd_STREAM_END_COMPLETE && (c.custom || c.arguments.empty()):
		return "the answer ended early, perhaps before the end of what is called with"
	case c.custom || c.arguments.empty():
		return ""
	case !c.arguments.valid():
		return "the arguments are not UTF-8"
	}
	return dialect.ArgumentsProblem(c.arguments.String())
}

// incomplete returns the call as one that must not be made.
func (c *partialCall) incomplete(problem string) *pb.IncompleteToolCall {
	return &pb.IncompleteToolCall{Name: c.name, Arguments: c.arguments.String(), Id: c.idOrNil(), Reason: problem}
}

// idOrNil returns the id, or nil if the provider has sent none.
func (c *partialCall) idOrNil() *string {
	if c.id == "" {
		return nil
	}
	return &c.id
}

// parsed returns a complete call. A native call gets a raw text in the form of "Native Tool Result Format".
func (c *partialCall) parsed() *pb.ParsedToolCall {
	p := &pb.ParsedToolCall{Arguments: c.arguments.String(), Raw: c.raw, Id: c.idOrNil(), Custom: c.custom}
	p.Server, p.Tool = dialect.SplitName(c.name)
	if p.GetArguments() == "" && !c.custom {
		p.Arguments = "{}"
	}
	if c.signature != "" {
		p.Signature = &c.signature
	}
	// Numbers keep their digits, because the arguments are copied as text.
	if c.raw == "" {
		arguments := json.RawMessage(p.GetArguments())
		if c.custom {
			arguments = rawjson.Quote(p.GetArguments())
		}
		p.Raw = string(rawjson.Object{}.WithText("name", c.name).With("arguments", arguments).Raw())
	}
	return p
}

// providerBlocks returns the blocks for the provider, each with the complete call that follows it. Positions are the
// indices of complete calls.
func (a *answer) providerBlocks(positions []int) []*pb.ProviderBlock {
	var list []*pb.ProviderBlock
	for _, b := range a.blocks {
		block := &pb.ProviderBlock{Provider: a.provider, BlockJson: b.json}
		// Positions are ascending, so the search finds how many complete calls precede the block.
		if !b.first {
			block.BeforeCall = new(uint32(sort.SearchInts(positions, b.before)))
		}
		list = append(list, block)
	}
	return list
}
