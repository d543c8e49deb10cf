package transports

import (
	"fmt"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// errorBegin begins the text of a result that is an error, for providers without a flag.
const errorPrefix = "Tool error: "

// EncodeTurn makes the messages of one turn for a provider. Canonical results are messages, valid, and with their
// receipts. What they name in the store is read by loader (nil: there is no store, and nothing of it is shown) and takes
// at most room bytes of the messages. The errors are *envelope.InvalidError, and those of loader.
func EncodeTurn(req *pb.EncodeTurnRequest, loader Loader, room int) (*pb.EncodeTurnResponse, error) {
	d, results, err := checkTurn(req)
	if err != nil {
		return nil, err
	}
	e := encoder{dialect: d, turn: req, results: results, loader: loader, mediaBytes: room, resp: &pb.EncodeTurnResponse{}}
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

// encoder makes the messages of one turn.
type encoder struct {
	dialect dialect.Dialect
	turn    *pb.EncodeTurnRequest
	results []*pb.TurnResult // one for each call; nil: there is none
	calls   []dialect.Call   // as the provider has them
	notices []string         // what was given otherwise than as text, in words
	resp    *pb.EncodeTurnResponse

	loader            Loader
	mediaBytes        int // bytes of messages that what is loaded may take yet
	images, documents int // so far
	err               error
}

func (e *encoder) parsed() []*pb.ParsedToolCall { return e.turn.GetAssistant().GetToolCalls() }

// note tells of a change of a call or, for -1, of the turn.
func (e *encoder) addNote(change pb.TurnChange, at int, format string, args ...any) {
	n := &pb.TurnNote{Change: change, Detail: fmt.Sprintf(format, args...)}
	if at >= 0 {
		n.Call = new(uint32(at))
	}
	e.resp.Changes = append(e.resp.Changes, n)
}

// identify makes ids and names that the provider takes. The same ones always become the
// same, so that the prefix of a transcript stays as it is from turn to turn.
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
		if c.Arguments == "" && !c.Custom {
			c.Arguments = "{}"
		}
		e.calls = append(e.calls, c)
		e.resp.Calls = append(e.resp.Calls, &pb.EncodedCall{Id: c.ID, Name: c.Name})
	}
}

// native reports whether the provider can tell which result belongs to which call.
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

// isText reports whether a call is text of the model. To say it natively as well would be
// to say it twice.
func (e *encoder) isText(i int) bool {
	p := e.parsed()[i]
	return p.GetId() == "" && p.GetRaw() != "" && strings.Contains(e.turn.GetAssistant().GetContent(), p.GetRaw())
}

func (e *encoder) writeNative() {
	e.write(dialect.Message{Role: dialect.RoleAssistant, Blocks: e.assistantBlocks()})
	m := dialect.Message{Role: dialect.RoleTool}
	var behind []dialect.Block
	for i := range e.calls {
		r, media := e.encodeResult(i)
		m.Blocks = append(m.Blocks, dialect.Block{Result: r})
		behind = append(behind, media...)
	}
	m.Blocks = append(m.Blocks, behind...)
	for _, notice := range e.allNotices() {
		m.Blocks = append(m.Blocks, dialect.TextBlock(notice))
	}
	if len(e.calls) == 0 {
		m.Role = dialect.RoleUser
	}
	e.writeUser(m)
}

// writeUser writes what stands behind the model's answer, and what the user says behind
// that: in the same message, where results are the user's, and otherwise in another.
func (e *encoder) writeUser(m dialect.Message) {
	said := e.turn.GetUserText()
	if said != "" && len(m.Blocks) > 0 && (e.dialect.Results == dialect.ResultsNext || m.Role == dialect.RoleUser && e.dialect.TextBlocks) {
		m.Blocks = append(m.Blocks, dialect.TextBlock(said))
		said = ""
	}
	if len(m.Blocks) > 0 {
		e.write(m)
	}
	if said == "" {
		return
	}
	if m.Role == dialect.RoleTool && e.dialect.NeedsBridge {
		e.write(dialect.Message{Role: dialect.RoleAssistant, Blocks: []dialect.Block{dialect.TextBlock(dialect.NoText)}})
	}
	e.write(dialect.Message{Role: dialect.RoleUser, Blocks: []dialect.Block{dialect.TextBlock(said)}})
}

// assistantBlocks is what the model said, and its calls.
func (e *encoder) assistantBlocks() []dialect.Block {
	given := e.turn.GetAssistant()
	blocks := e.providerBlocks(nil)
	if text := given.GetContent(); e.hasText(text) {
		blocks = append(blocks, dialect.TextBlock(text))
	} else if text != "" && (len(e.calls) > 0 || len(blocks) > 0) {
		e.addNote(pb.TurnChange_TURN_CHANGE_EMPTY, -1, "text that is white space alone was left out")
	}
	for i, c := range e.calls {
		if c.Custom && !e.dialect.CustomTools {
			e.addNote(pb.TurnChange_TURN_CHANGE_CUSTOM, i, "%s became a function with the argument \"input\"", c.Name)
			c.Custom, c.Arguments = false, string(rawjson.Object{}.WithText("input", c.Arguments).Raw())
		}
		blocks = append(append(blocks, e.providerBlocks(new(uint32(i)))...), dialect.Block{Call: &c})
	}
	blocks = append(blocks, e.providerBlocks(new(uint32(len(e.calls))))...)
	if len(blocks) == 0 {
		e.addNote(pb.TurnChange_TURN_CHANGE_EMPTY, -1, "the model said nothing")
		blocks = []dialect.Block{dialect.TextBlock(dialect.NoText)}
	}
	return blocks
}

// says reports whether text is enough for the provider to be a block.
func (e *encoder) hasText(text string) bool {
	if e.dialect.EmptyText {
		return text != ""
	}
	return strings.TrimSpace(text) != ""
}

// providerBlocks are those that stand before a call or, for nil, before the content.
func (e *encoder) providerBlocks(before *uint32) []dialect.Block {
	var blocks []dialect.Block
	for _, b := range e.turn.GetAssistant().GetProviderBlocks() {
		if (b.BeforeCall == nil) != (before == nil) || b.GetBeforeCall() != fromPointer(before) {
			continue
		}
		if b.GetProvider() != e.dialect.Provider {
			e.addNote(pb.TurnChange_TURN_CHANGE_PROVIDER_BLOCK, -1, "a block of %v was left out", b.GetProvider())
			continue
		}
		o, _ := rawjson.Parse([]byte(b.GetBlockJson())) // checked
		blocks = append(blocks, dialect.Block{Original: o})
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
func (e *encoder) encodeResult(i int) (*dialect.Result, []dialect.Block) {
	c := e.calls[i]
	r := &dialect.Result{ID: c.ID, Name: c.Name, Custom: c.Custom && e.dialect.CustomTools}
	r.Text, r.Failed = e.resultText(i)
	if e.dialect.Templated {
		r.Text = e.breakMarks(i, r.Text)
	}
	var behind []dialect.Block
	for _, m := range e.shownMedia(i) {
		if e.dialect.Media == dialect.MediaInside || e.dialect.Media == dialect.MediaInSuccess && !r.Failed {
			r.Media = append(r.Media, m)
		} else {
			behind = append(behind, dialect.Block{Media: m, Label: dialect.MediaKind(m) + " of " + e.callLabel(i)})
		}
	}
	return r, behind
}

// shown are the media of a result that the provider shows: those that were given, and behind them those of the canonical
// result itself. The others are said in words.
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

// unfit says why media that were given are not shown; "" when they are.
func (e *encoder) mediaProblem(m *pb.Media) string {
	isImage := dialect.MediaKind(m) == "Image"
	switch {
	case !e.resp.GetNative() || !e.dialect.Shows(m):
		return mediaNotShown
	case len(m.GetData()) > e.dialect.Limits.MaxBytes(isImage):
		return mediaTooLarge
	case !e.countMedia(isImage):
		return mediaTooMany
	}
	return ""
}

// withoutMarks is text of a result that cannot be taken for anything else.
func (e *encoder) breakMarks(i int, text string) string {
	broken := markup.Break(text)
	if broken != text {
		e.addNote(pb.TurnChange_TURN_CHANGE_MARKS, i, "what looks like a tag or a control token has a backslash")
	}
	return broken
}

// text is what the model reads of a result, and whether it is an error.
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
	if failed && (!e.dialect.ErrorFlag || !e.resp.GetNative()) {
		text = errorPrefix + text
	}
	return text, failed
}

// ofCall names a call to the model.
func (e *encoder) callLabel(i int) string {
	if id := e.calls[i].ID; id != "" {
		return e.calls[i].Name + " (" + id + ")"
	}
	return e.calls[i].Name
}

func (e *encoder) omitMedia(i int, m *pb.Media, size uint64, why string) {
	words := describeOmitted(m, e.callLabel(i), size, why)
	e.addNote(pb.TurnChange_TURN_CHANGE_MEDIA, i, "%s", words)
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

func (e *encoder) write(m dialect.Message) {
	for _, o := range e.dialect.Shape.Write(m) {
		e.resp.MessagesJson = append(e.resp.MessagesJson, string(o.Raw()))
		if e.dialect.Provider == pb.Provider_PROVIDER_CHAT {
			typed, _ := dialect.ParseChatMessage(o.Raw()) // it was written just now
			e.resp.ChatMessages = append(e.resp.ChatMessages, typed)
		}
	}
}
