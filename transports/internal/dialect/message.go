package dialect

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// Texts for places where a transcript must have one and the caller has none.
const (
	Unanswered = "Tool error: this call has no result. The run was interrupted; the tool may or may not have run."
	NoText     = "(no text)"
)

// Message is one message of a transcript, of any provider. A provider's message may become several of these, and one of
// these several of a provider's.
type Message struct {
	Role     Role
	Blocks   []Block
	Original rawjson.Object  // as read, for members that are not understood; nil if the message was not read
	Source   json.RawMessage // the text of the message as read; nil once it was changed, or if it was not read
	Flaw     string          // a phrase for a flaw of its members, or ""
}

// Role says who a message is from.
type Role int

// Roles of messages.
const (
	RoleOther Role = iota // system, developer, or an item that nobody said
	RoleUser
	RoleAssistant
	RoleTool // results; in providers without such a role they are the user's
)

// Block is a part of a message. At most one of Text, Call, Result and Media is set. If none is, Original is something
// that only the provider understands.
type Block struct {
	Text     *string
	Call     *Call
	Result   *Result
	Media    *pb.Media
	Label    string         // of media that follow their result: the call that they belong to
	Original rawjson.Object // as read; nil if the block was not read
}

// Call is a tool call in the messages of a provider.
type Call struct {
	ID, Name  string // ID may be ""
	Arguments string // JSON text or, of a custom tool, any text
	Custom    bool
	Signature string
}

// Result is the answer to a call in the messages of a provider.
type Result struct {
	ID, Name string // of the call; "" if the provider's results do not have it
	Text     string
	Failed   bool
	Custom   bool
	Media    []*pb.Media
}

// TextBlock returns a block of text.
func TextBlock(text string) Block { return Block{Text: &text} }
