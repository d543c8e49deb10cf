package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// message is one message of a transcript, of any provider. A provider's message may be
// several of these, and one of these several of a provider's.
type message struct {
	role   role
	blocks []block
	base   rawjson.Object  // what was read, for members that are not understood
	source json.RawMessage // what was read, until it is changed
	flaw   string          // what is wrong with the members themselves
}

// role is who a message is from.
type role int

const (
	roleOther role = iota // system, developer, or none of the conversation
	roleUser
	roleAssistant
	roleTool // results; where a provider has no such role they are the user's
)

// block is a part of a message: text, a call, a result, media or, if it is none of
// these, something that only the provider understands.
type block struct {
	text   *string
	call   *call
	result *result
	media  *pb.Media
	label  string         // of media that stand behind their result
	base   rawjson.Object // what was read
}

// call is a tool call as a provider has it.
type call struct {
	id, name  string // no id: ""
	arguments string // JSON text or, of a custom tool, any
	custom    bool
	signature string
}

// result is the answer to a call as a provider has it.
type result struct {
	id, name string // of the call, as far as the provider has them here
	text     string
	failed   bool
	custom   bool
	media    []*pb.Media
}

func textBlock(text string) block { return block{text: &text} }
