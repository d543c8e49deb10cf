package transports

import (
	"encoding/json"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// The text fallback is for models without native calls, and for calls that a provider cannot match with results. Tags
// separate the results, so marks that a tool wrote are broken (package markup), and no tool can close its own result.

// writeText writes the text fallback: the text of the model, and the results as text of one message of the user.
// Source: "Native Tool Result Format".
func (e *encoder) writeText() {
	text := e.turn.GetAssistant().GetContent()
	if strings.TrimSpace(text) == "" {
		text = e.callsAsText()
		e.addNote(pb.TurnChange_TURN_CHANGE_EMPTY, -1, "the model said nothing; its calls stand as text")
	}
	// Reasoning and its signatures belong to native calls; in text they would be an error.
	if n := len(e.turn.GetAssistant().GetProviderBlocks()); n > 0 {
		e.addNote(pb.TurnChange_TURN_CHANGE_PROVIDER_BLOCK, -1, "blocks of a provider were left out of a turn that is text: %d", n)
	}
	e.write(dialect.Message{Role: dialect.RoleAssistant, Blocks: []dialect.Block{dialect.TextBlock(text)}})

	var results []string
	for i := range e.calls {
		text, _ := e.resultText(i)
		e.shownMedia(i) // shows none, and describes all in words
		results = append(results, markup.Result(e.calls[i].Name, e.breakMarks(i, text)))
	}
	user := dialect.Message{Role: dialect.RoleUser}
	if len(results) > 0 {
		user.Blocks = append(user.Blocks, dialect.TextBlock(strings.Join(results, "\n\n")))
	}
	for _, notice := range e.allNotices() {
		user.Blocks = append(user.Blocks, dialect.TextBlock(notice))
	}
	e.writeUser(user)
}

// callsAsText writes the calls of a message that has no text: as the model wrote them or, if they were native, in the
// form that package streams reads.
func (e *encoder) callsAsText() string {
	var texts []string
	for i, p := range e.parsed() {
		text := p.GetRaw()
		// Raw is the model's own text only if its calls were text. Native calls are written in the same form.
		if !strings.Contains(text, markup.CallOpen) {
			arguments := json.RawMessage(e.calls[i].Arguments)
			if e.calls[i].Custom {
				arguments = rawjson.Quote(e.calls[i].Arguments)
			}
			text = markup.CallOpen + "\n" + string(rawjson.Object{}.WithText("name", e.calls[i].Name).With("arguments", arguments).Raw()) + "\n" + markup.CallClose
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return dialect.NoText
	}
	return strings.Join(texts, "\n")
}
