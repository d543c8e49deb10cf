package dialect

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// Texts that stand where a transcript must have one and has none.
const (
	Unanswered = "Tool error: this call has no result. The run was interrupted; the tool may or may not have run."
	NoText     = "(no text)"
)

// message is one message of a transcript, of any provider. A provider's message may be
// several of these, and one of these several of a provider's.
type Message struct {
	Role     Role
	Blocks   []Block
	Original rawjson.Object  // what was read, for members that are not understood
	Source   json.RawMessage // what was read, until it is changed
	Flaw     string          // what is wrong with the members themselves
}

// role is who a message is from.
type Role int

const (
	RoleOther Role = iota // system, developer, or none of the conversation
	RoleUser
	RoleAssistant
	RoleTool // results; where a provider has no such role they are the user's
)

// block is a part of a message: text, a call, a result, media or, if it is none of
// these, something that only the provider understands.
type Block struct {
	Text     *string
	Call     *Call
	Result   *Result
	Media    *pb.Media
	Label    string         // of media that stand behind their result
	Original rawjson.Object // what was read
}

// call is a tool call as a provider has it.
type Call struct {
	ID, Name  string // no id: ""
	Arguments string // JSON text or, of a custom tool, any
	Custom    bool
	Signature string
}

// result is the answer to a call as a provider has it.
type Result struct {
	ID, Name string // of the call, as far as the provider has them here
	Text     string
	Failed   bool
	Custom   bool
	Media    []*pb.Media
}

func TextBlock(text string) Block { return Block{Text: &text} }
