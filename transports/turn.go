// This file encodes a turn. EncodeTurn checks the request (check.go), gives calls ids and names that the provider accepts,
// decides whether the turn is native or text, and writes the messages of the model, of the results and of the user. Whatever
// differs from the request is noted in the answer.

package transports

import (
	"fmt"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// errorPrefix begins the text of a result that is an error, for providers without a flag.
const errorPrefix = "Tool error: "

// EncodeTurn returns the messages of one turn for a provider. Canonical results are valid messages, each with its
// receipt. loader reads their artifacts, which become at most mediaBytes bytes of base64 in the messages; with a nil
// loader no artifact is shown. The errors are *envelope.InvalidError, and those of loader.
//
// The turn is native if the provider can match every result with its call, and text otherwise: never a mixture. A call
// without a result gets an error as its result, because providers reject a call that has none.
//
// The same turn always has the same bytes, so that a provider's cache of the transcript holds from turn to turn.
func EncodeTurn(req *pb.EncodeTurnRequest, loader Loader, mediaBytes int) (*pb.EncodeTurnResponse, error) {
	d, results, err := checkTurn(req)
	if err != nil {
		return nil, err
	}
	e := encoder{dialect: d, turn: req, results: results, loader: loader, mediaBytes: mediaBytes, resp: &pb.EncodeTurnResponse{}}
	e.assignIDs()
	e.resp.Native = e.isNative()
	switch {
	case req.Assistant == nil:
		e.writeUser(dialect.Message{})
	case e.resp.GetNative():
		e.writeNative()
	default:
		e.writeText()
	}
	if e.err != nil {
		return nil, e.err
	}
	return e.resp, nil
}

// encoder encodes one turn. Its fields below loader are spent while media are shown: the order in which results are encoded
// decides which media are within the limits.
type encoder struct {
	dialect dialect.Dialect
	turn    *pb.EncodeTurnRequest
	results []*pb.TurnResult // one for each call; nil if it has none
	calls   []dialect.Call   // as the provider has them
	notices []string         // descriptions of media that are not shown
	resp    *pb.EncodeTurnResponse

	loader            Loader
	mediaBytes        int // bytes of base64 that may still be loaded
	images, documents int // shown so far
	err               error
}

// parsed returns the calls of the model.
func (e *encoder) parsed() []*pb.ParsedToolCall { return e.turn.GetAssistant().GetToolCalls() }

// addNote reports a change of a call or, for index -1, of the turn.
func (e *encoder) addNote(change pb.TurnChange, call int, format string, args ...any) {
	n := &pb.TurnNote{Change: change, Detail: fmt.Sprintf(format, args...)}
	if call >= 0 {
		n.Call = new(uint32(call))
	}
	e.resp.Changes = append(e.resp.Changes, n)
}

// assignIDs gives each call an id and a name that the provider accepts. The same ones always get the same replacement,
// so that the transcript keeps its bytes from turn to turn.
func (e *encoder) assignIDs() {
	used := map[string]bool{}
	for i, p := range e.parsed() {
		c := dialect.Call{Name: dialect.JoinName(p.GetServer(), p.GetTool()), Arguments: p.GetArguments(), Custom: p.GetCustom(), Signature: p.GetSignature()}
		if name := e.dialect.Names.FunctionName(c.Name); name != c.Name {
			e.addNote(pb.TurnChange_TURN_CHANGE_NAME, i, "%q became %q", c.Name, name)
			c.Name = name
		}
		if id := p.GetId(); id != "" && !e.dialect.NoIDs {
			if c.ID = e.dialect.IDs.UniqueID(id, used); c.ID != id {
				e.addNote(pb.TurnChange_TURN_CHANGE_ID, i, "%q became %q", id, c.ID)
			}
		}
		// Some models send nothing for a function without parameters; providers want an object.
		if c.Arguments == "" && !c.Custom {
			c.Arguments = "{}"
		}
		e.calls = append(e.calls, c)
		e.resp.Calls = append(e.resp.Calls, &pb.EncodedCall{Id: c.ID, Name: c.Name})
	}
}

// isNative reports whether the provider can match results with calls. A turn is native or text as a
// whole (docs/adr/0038).
func (e *encoder) isNative() bool {
	if e.turn.GetFormat() == pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT {
		return false
	}
	for i, c := range e.calls {
		switch {
		case c.ID == "" && e.dialect.NeedsIDs:
			e.addNote(pb.TurnChange_TURN_CHANGE_TEXT, i, "the call has no id")
			return false
		case e.isText(i):
			e.addNote(pb.TurnChange_TURN_CHANGE_TEXT, i, "the call is a part of what the model said")
			return false
		}
	}
	return true
}

// isText reports whether a call is a part of the model's text. A native call beside it would repeat it.
func (e *encoder) isText(i int) bool {
	p := e.parsed()[i]
	return p.GetId() == "" && p.GetRaw() != "" && strings.Contains(e.turn.GetAssistant().GetContent(), p.GetRaw())
}

// writeNative writes the model's message with its calls, and the message that answers them: results first, because most
// providers require it, then media that are not in their results, then notices.
func (e *encoder) writeNative() {
	e.write(dialect.Message{Role: dialect.RoleAssistant, Blocks: e.assistantBlocks()})
	m := dialect.Message{Role: dialect.RoleTool}
	var following []dialect.Block
	for i := range e.calls {
		r, media := e.encodeResult(i)
		m.Blocks = append(m.Blocks, dialect.Block{Result: r})
		following = append(following, media...)
	}
	m.Blocks = append(m.Blocks, following...)
	for _, notice := range e.allNotices() {
		m.Blocks = append(m.Blocks, dialect.TextBlock(notice))
	}
	// Notices without calls are the user's: there is nothing that a tool could answer.
	if len(e.calls) == 0 {
		m.Role = dialect.RoleUser
	}
	e.writeUser(m)
}

// writeUser writes the message that follows the model's, and the text of the user: in the same message if the provider
// has results in messages of the user, otherwise in a message of its own.
func (e *encoder) writeUser(m dialect.Message) {
	text := e.turn.GetUserText()
	if text != "" && len(m.Blocks) > 0 && (e.dialect.Results == dialect.ResultsNext || m.Role == dialect.RoleUser && e.dialect.TextBlocks) {
		m.Blocks = append(m.Blocks, dialect.TextBlock(text))
		text = ""
	}
	if len(m.Blocks) > 0 {
		e.write(m)
	}
	if text == "" {
		return
	}
	// Mistral rejects a message of the user behind a result, so one of the model is put between them.
	if m.Role == dialect.RoleTool && e.dialect.NeedsBridge {
		e.write(dialect.Message{Role: dialect.RoleAssistant, Blocks: []dialect.Block{dialect.TextBlock(dialect.NoText)}})
	}
	e.write(dialect.Message{Role: dialect.RoleUser, Blocks: []dialect.Block{dialect.TextBlock(text)}})
}

// assistantBlocks returns the blocks of the model's message: its text, its calls, and the provider's own blocks in
// their places.
func (e *encoder) assistantBlocks() []dialect.Block {
	given := e.turn.GetAssistant()
	blocks := e.providerBlocks(-1)
	if text := given.GetContent(); e.hasText(text) {
		blocks = append(blocks, dialect.TextBlock(text))
	} else if text != "" && (len(e.calls) > 0 || len(blocks) > 0) {
		e.addNote(pb.TurnChange_TURN_CHANGE_EMPTY, -1, "text that is white space alone was left out")
	}
	for i, c := range e.calls {
		// A custom tool takes any text. As a function its text is one argument.
		if c.Custom && !e.dialect.CustomTools {
			e.addNote(pb.TurnChange_TURN_CHANGE_CUSTOM, i, "%s became a function with the argument \"input\"", c.Name)
			c.Custom, c.Arguments = false, string(rawjson.Object{}.WithText("input", c.Arguments).Raw())
		}
		blocks = append(append(blocks, e.providerBlocks(i)...), dialect.Block{Call: &c})
	}
	blocks = append(blocks, e.providerBlocks(len(e.calls))...)
	// A message must have content, and the next one needs it before itself where roles take turns.
	if len(blocks) == 0 {
		e.addNote(pb.TurnChange_TURN_CHANGE_EMPTY, -1, "the model said nothing")
		blocks = []dialect.Block{dialect.TextBlock(dialect.NoText)}
	}
	return blocks
}

// hasText reports whether a text is enough for a block. Most providers reject a text of white space.
func (e *encoder) hasText(text string) bool {
	if e.dialect.EmptyText {
		return text != ""
	}
	return strings.TrimSpace(text) != ""
}

// providerBlocks returns the provider's own blocks before a call or, for -1, before the text. Another
// provider's blocks are omitted.
func (e *encoder) providerBlocks(before int) []dialect.Block {
	var blocks []dialect.Block
	for _, b := range e.turn.GetAssistant().GetProviderBlocks() {
		// Blocks without a place precede the text; those behind all calls have the number of calls as theirs.
		place := -1
		if b.BeforeCall != nil {
			place = int(b.GetBeforeCall())
		}
		if place != before {
			continue
		}
		if b.GetProvider() != e.dialect.Provider {
			e.addNote(pb.TurnChange_TURN_CHANGE_PROVIDER_BLOCK, -1, "a block of %v was left out", b.GetProvider())
			continue
		}
		o, _ := rawjson.Parse([]byte(b.GetBlockJson())) // checked by checkTurn
		blocks = append(blocks, dialect.Block{Original: o})
	}
	return blocks
}

// encodeResult returns the result of a call, and the media that follow all results.
func (e *encoder) encodeResult(i int) (*dialect.Result, []dialect.Block) {
	c := e.calls[i]
	r := &dialect.Result{ID: c.ID, Name: c.Name, Custom: c.Custom && e.dialect.CustomTools}
	r.Text, r.Failed = e.resultText(i)
	if e.dialect.Templated {
		r.Text = e.breakMarks(i, r.Text)
	}
	var following []dialect.Block
	for _, m := range e.shownMedia(i) {
		if e.dialect.Media == dialect.MediaInside || e.dialect.Media == dialect.MediaInSuccess && !r.Failed {
			r.Media = append(r.Media, m)
		} else {
			following = append(following, dialect.Block{Media: m, Label: dialect.MediaKind(m) + " of " + e.callLabel(i)})
		}
	}
	return r, following
}

// shownMedia returns the media of a result that the provider shows: those that the caller gave, then those of the
// canonical result. All others are described in words.
func (e *encoder) shownMedia(i int) []*pb.Media {
	var list []*pb.Media
	given := e.results[i].GetMedia()
	for _, m := range given {
		if why := e.mediaProblem(m); why != "" {
			e.omitMedia(i, m, uint64(len(m.GetData())), why)
		} else {
			list = append(list, m)
		}
	}
	// The first error of the loader ends the turn; media behind it are not loaded.
	for _, o := range listArtifactMedia(e.results[i].GetCanonical()) {
		if e.err != nil || o.isGiven(given) {
			continue
		}
		var why string
		if why, e.err = e.loadMedia(&o); why != "" {
			e.omitMedia(i, o.media, o.bytes, why)
		} else {
			list = append(list, o.media)
		}
	}
	return list
}

// mediaProblem returns the reason why media that were given are not shown, or "".
func (e *encoder) mediaProblem(m *pb.Media) string {
	isImage := dialect.MediaKind(m) == "Image"
	switch {
	case !e.resp.GetNative() || !e.dialect.Shows(m):
		return mediaNotShown
	case len(m.GetData()) > e.dialect.Limits.Of(isImage).Bytes:
		return mediaTooLarge
	case !e.countMedia(isImage):
		return mediaTooMany
	}
	return ""
}

// breakMarks returns the text of a result without marks of a chat template.
func (e *encoder) breakMarks(i int, text string) string {
	broken := markup.Break(text)
	if broken != text {
		e.addNote(pb.TurnChange_TURN_CHANGE_MARKS, i, "what looks like a tag or a control token has a backslash")
	}
	return broken
}

// resultText returns the text of a result for the model, and whether it is an error.
func (e *encoder) resultText(i int) (text string, failed bool) {
	given := e.results[i]
	if given == nil {
		e.addNote(pb.TurnChange_TURN_CHANGE_UNANSWERED, i, "the call of %s has no result", e.calls[i].Name)
		return dialect.Unanswered, true
	}
	failed = given.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR
	if r := given.GetCanonical(); r != nil {
		return given.GetReceipt().GetText(), r.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR
	}
	text = given.GetText()
	// A receipt says itself that it is an error. Text of the caller's may not.
	if failed && (!e.dialect.ErrorFlag || !e.resp.GetNative()) {
		text = errorPrefix + text
	}
	return text, failed
}

// callLabel names a call to the model.
func (e *encoder) callLabel(i int) string {
	if id := e.calls[i].ID; id != "" {
		return e.calls[i].Name + " (" + id + ")"
	}
	return e.calls[i].Name
}

// omitMedia describes media that are not shown to the caller, and in a notice to the model.
func (e *encoder) omitMedia(i int, m *pb.Media, size uint64, why string) {
	words := describeOmitted(m, e.callLabel(i), size, why)
	e.addNote(pb.TurnChange_TURN_CHANGE_MEDIA, i, "%s", words)
	e.notices = append(e.notices, words)
}

// allNotices returns the descriptions of omitted media, then the notices of the turn, without marks.
func (e *encoder) allNotices() []string {
	list := append(e.notices, e.turn.GetNotices()...)
	for i := range list {
		list[i] = markup.Break(list[i])
	}
	return list
}

// write appends a message in the provider's JSON.
func (e *encoder) write(m dialect.Message) {
	for _, o := range e.dialect.Shape.Write(m) {
		e.resp.MessagesJson = append(e.resp.MessagesJson, string(o.Raw()))
		if e.dialect.Provider == pb.Provider_PROVIDER_CHAT {
			typed, _ := dialect.ParseChatMessage(o.Raw()) // it was written just now
			e.resp.ChatMessages = append(e.resp.ChatMessages, typed)
		}
	}
}
