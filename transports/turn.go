package transports

import (
	"fmt"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// Bounds of a turn, as transport.proto states them.
const (
	maxCalls       = 64
	maxBlocks      = 1024
	maxMedia       = 16
	maxNotices     = 16
	maxNoticeBytes = 4096
	maxIDBytes     = 256
	maxNameBytes   = 128
)

// Texts that are put where there is none.
const (
	unanswered = "Tool error: this call has no result. The run was interrupted; the tool may or may not have run."
	noText     = "(no text)"
	errorBegin = "Tool error: "
)

// EncodeTurn makes the messages of one turn for a provider. Canonical results are messages, valid, and with their
// receipts. What they name in the store is read by loader (nil: there is no store, and nothing of it is shown) and takes
// at most room bytes of the messages. The errors are *envelope.InvalidError, and those of loader.
func EncodeTurn(req *pb.EncodeTurnRequest, loader Loader, room int) (*pb.EncodeTurnResponse, error) {
	d, results, err := checkTurn(req)
	if err != nil {
		return nil, err
	}
	e := encoder{dialect: d, turn: req, results: results, loader: loader, room: room, resp: &pb.EncodeTurnResponse{}}
	e.identify()
	e.resp.Native = e.native()
	switch {
	case req.Assistant == nil:
		e.writeUser(message{})
	case e.resp.GetNative():
		e.writeNative()
	default:
		e.writeText()
	}
	if e.failed != nil {
		return nil, e.failed
	}
	return e.resp, nil
}

// encoder makes the messages of one turn.
type encoder struct {
	dialect dialect
	turn    *pb.EncodeTurnRequest
	results []*pb.TurnResult // one for each call; nil: there is none
	calls   []call           // as the provider has them
	notices []string         // what was given otherwise than as text, in words
	resp    *pb.EncodeTurnResponse

	loader            Loader
	room              int // bytes of messages that what is loaded may take yet
	images, documents int // so far
	failed            error
}

func (e *encoder) parsed() []*pb.ParsedToolCall { return e.turn.GetAssistant().GetToolCalls() }

// note tells of a change of a call or, for -1, of the turn.
func (e *encoder) note(change pb.TurnChange, at int, format string, args ...any) {
	n := &pb.TurnNote{Change: change, Detail: fmt.Sprintf(format, args...)}
	if at >= 0 {
		n.Call = new(uint32(at))
	}
	e.resp.Changes = append(e.resp.Changes, n)
}

// identify makes ids and names that the provider takes. The same ones always become the
// same, so that the prefix of a transcript stays as it is from turn to turn.
func (e *encoder) identify() {
	used := map[string]bool{}
	for i, p := range e.parsed() {
		c := call{name: JoinName(p.GetServer(), p.GetTool()), arguments: p.GetArguments(), custom: p.GetCustom(), signature: p.GetSignature()}
		if name := e.dialect.names.name(c.name); name != c.name {
			e.note(pb.TurnChange_TURN_CHANGE_NAME, i, "%q became %q", c.name, name)
			c.name = name
		}
		if id := p.GetId(); id != "" && !e.dialect.noIDs {
			if c.id = e.dialect.ids.unused(id, used); c.id != id {
				e.note(pb.TurnChange_TURN_CHANGE_ID, i, "%q became %q", id, c.id)
			}
		}
		if c.arguments == "" && !c.custom {
			c.arguments = "{}"
		}
		e.calls = append(e.calls, c)
		e.resp.Calls = append(e.resp.Calls, &pb.EncodedCall{Id: c.id, Name: c.name})
	}
}

// native reports whether the provider can tell which result belongs to which call.
func (e *encoder) native() bool {
	if e.turn.GetFormat() == pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT {
		return false
	}
	for i, c := range e.calls {
		switch {
		case c.id == "" && e.dialect.needsIDs:
			e.note(pb.TurnChange_TURN_CHANGE_TEXT, i, "the call has no id")
			return false
		case e.isText(i):
			e.note(pb.TurnChange_TURN_CHANGE_TEXT, i, "the call is a part of what the model said")
			return false
		}
	}
	return true
}

// isText reports whether a call is text of the model. To say it natively as well would be
// to say it twice.
func (e *encoder) isText(i int) bool {
	p := e.parsed()[i]
	return p.GetId() == "" && p.GetRaw() != "" && strings.Contains(e.turn.GetAssistant().GetContent(), p.GetRaw())
}

func (e *encoder) writeNative() {
	e.write(message{role: roleAssistant, blocks: e.assistantBlocks()})
	m := message{role: roleTool}
	var behind []block
	for i := range e.calls {
		r, media := e.result(i)
		m.blocks = append(m.blocks, block{result: r})
		behind = append(behind, media...)
	}
	m.blocks = append(m.blocks, behind...)
	for _, notice := range e.allNotices() {
		m.blocks = append(m.blocks, textBlock(notice))
	}
	if len(e.calls) == 0 {
		m.role = roleUser
	}
	e.writeUser(m)
}

// writeUser writes what stands behind the model's answer, and what the user says behind
// that: in the same message, where results are the user's, and otherwise in another.
func (e *encoder) writeUser(m message) {
	said := e.turn.GetUserText()
	if said != "" && len(m.blocks) > 0 && (e.dialect.place == placeNext || m.role == roleUser && e.dialect.blocks) {
		m.blocks = append(m.blocks, textBlock(said))
		said = ""
	}
	if len(m.blocks) > 0 {
		e.write(m)
	}
	if said == "" {
		return
	}
	if m.role == roleTool && e.dialect.bridge {
		e.write(message{role: roleAssistant, blocks: []block{textBlock(noText)}})
	}
	e.write(message{role: roleUser, blocks: []block{textBlock(said)}})
}

// assistantBlocks is what the model said, and its calls.
func (e *encoder) assistantBlocks() []block {
	given := e.turn.GetAssistant()
	blocks := e.providerBlocks(nil)
	if text := given.GetContent(); e.says(text) {
		blocks = append(blocks, textBlock(text))
	} else if text != "" && (len(e.calls) > 0 || len(blocks) > 0) {
		e.note(pb.TurnChange_TURN_CHANGE_EMPTY, -1, "text that is white space alone was left out")
	}
	for i, c := range e.calls {
		if c.custom && !e.dialect.custom {
			e.note(pb.TurnChange_TURN_CHANGE_CUSTOM, i, "%s became a function with the argument \"input\"", c.name)
			c.custom, c.arguments = false, string(rawjson.Object{}.WithText("input", c.arguments).Raw())
		}
		blocks = append(append(blocks, e.providerBlocks(new(uint32(i)))...), block{call: &c})
	}
	blocks = append(blocks, e.providerBlocks(new(uint32(len(e.calls))))...)
	if len(blocks) == 0 {
		e.note(pb.TurnChange_TURN_CHANGE_EMPTY, -1, "the model said nothing")
		blocks = []block{textBlock(noText)}
	}
	return blocks
}

// says reports whether text is enough for the provider to be a block.
func (e *encoder) says(text string) bool {
	if e.dialect.blank {
		return text != ""
	}
	return strings.TrimSpace(text) != ""
}

// providerBlocks are those that stand before a call or, for nil, before the content.
func (e *encoder) providerBlocks(before *uint32) []block {
	var blocks []block
	for _, b := range e.turn.GetAssistant().GetProviderBlocks() {
		if (b.BeforeCall == nil) != (before == nil) || b.GetBeforeCall() != fromPointer(before) {
			continue
		}
		if b.GetProvider() != e.dialect.provider {
			e.note(pb.TurnChange_TURN_CHANGE_PROVIDER_BLOCK, -1, "a block of %v was left out", b.GetProvider())
			continue
		}
		o, _ := rawjson.Parse([]byte(b.GetBlockJson())) // checked
		blocks = append(blocks, block{base: o})
	}
	return blocks
}

func fromPointer(n *uint32) uint32 {
	if n == nil {
		return 0
	}
	return *n
}

// result is the answer to a call, and media that stand behind all answers.
func (e *encoder) result(i int) (*result, []block) {
	c := e.calls[i]
	r := &result{id: c.id, name: c.name, custom: c.custom && e.dialect.custom}
	r.text, r.failed = e.text(i)
	if e.dialect.template {
		r.text = e.withoutMarks(i, r.text)
	}
	var behind []block
	for _, m := range e.shown(i) {
		if e.dialect.media == mediaInside || e.dialect.media == mediaInRight && !r.failed {
			r.media = append(r.media, m)
		} else {
			behind = append(behind, block{media: m, label: kindOf(m) + " of " + e.ofCall(i)})
		}
	}
	return r, behind
}

// shown are the media of a result that the provider shows: those that were given, and behind them those of the canonical
// result itself. The others are said in words.
func (e *encoder) shown(i int) []*pb.Media {
	var list []*pb.Media
	given := e.results[i].GetMedia()
	for _, m := range given {
		if why := e.unfit(m); why != "" {
			e.unshown(i, m, uint64(len(m.GetData())), why)
		} else {
			list = append(list, m)
		}
	}
	for _, o := range ownMedia(e.results[i].GetCanonical()) {
		if e.failed != nil || o.among(given) {
			continue
		}
		var why string
		if why, e.failed = e.load(&o); why != "" {
			e.unshown(i, o.media, o.bytes, why)
		} else {
			list = append(list, o.media)
		}
	}
	return list
}

// unfit says why media that were given are not shown; "" when they are.
func (e *encoder) unfit(m *pb.Media) string {
	isImage := kindOf(m) == "Image"
	switch {
	case !e.resp.GetNative() || !e.dialect.shows(m):
		return notShown
	case len(m.GetData()) > e.dialect.limits.one(isImage):
		return tooLarge
	case !e.count(isImage):
		return tooMany
	}
	return ""
}

// withoutMarks is text of a result that cannot be taken for anything else.
func (e *encoder) withoutMarks(i int, text string) string {
	broken := markup.Break(text)
	if broken != text {
		e.note(pb.TurnChange_TURN_CHANGE_MARKS, i, "what looks like a tag or a control token has a backslash")
	}
	return broken
}

// text is what the model reads of a result, and whether it is an error.
func (e *encoder) text(i int) (text string, failed bool) {
	given := e.results[i]
	if given == nil {
		e.note(pb.TurnChange_TURN_CHANGE_UNANSWERED, i, "the call of %s has no result", e.calls[i].name)
		return unanswered, true
	}
	failed = given.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR
	if r := given.GetCanonical(); r != nil {
		return given.GetReceipt().GetText(), r.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR
	}
	text = given.GetText()
	if failed && (!e.dialect.flag || !e.resp.GetNative()) {
		text = errorBegin + text
	}
	return text, failed
}

// ofCall names a call to the model.
func (e *encoder) ofCall(i int) string {
	if id := e.calls[i].id; id != "" {
		return e.calls[i].name + " (" + id + ")"
	}
	return e.calls[i].name
}

func (e *encoder) unshown(i int, m *pb.Media, size uint64, why string) {
	words := unshown(m, e.ofCall(i), size, why)
	e.note(pb.TurnChange_TURN_CHANGE_MEDIA, i, "%s", words)
	e.notices = append(e.notices, words)
}

// allNotices are those of the turn, behind those that stand for media. None can be taken
// for a result.
func (e *encoder) allNotices() []string {
	list := append(e.notices, e.turn.GetNotices()...)
	for i := range list {
		list[i] = markup.Break(list[i])
	}
	return list
}

func (e *encoder) write(m message) {
	for _, o := range e.dialect.shape.write(m) {
		e.resp.MessagesJson = append(e.resp.MessagesJson, string(o.Raw()))
		if e.dialect.provider == pb.Provider_PROVIDER_CHAT {
			typed, _ := ParseChatMessage(o.Raw()) // it was written just now
			e.resp.ChatMessages = append(e.resp.ChatMessages, typed)
		}
	}
}
