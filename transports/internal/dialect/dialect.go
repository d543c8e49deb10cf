// Package dialect has the model of messages that all providers share, and for each provider its dialect: a table of
// rules, and a reader and a writer of its JSON. The encoder of turns, the linter and the repair of transcripts work on
// the model and ask the table, so that they agree on what a provider accepts (docs/adr/0023).
//
// Most providers use one of two shapes: flat, whose results are messages, and blocked, whose results are blocks of a
// message of the user. What a reader does not understand it keeps, and a writer writes it back.
package dialect

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// Dialect describes the messages of one provider. Its fields are rules from the provider's reference or its error
// messages, or what its models and servers were seen to need; the file of a provider names its sources.
type Dialect struct {
	Provider pb.Provider
	Shape    Shape

	IDs      Pattern // allowed ids of calls
	Names    Pattern // allowed names of functions
	NeedsIDs bool    // a call without an id cannot be native
	NoIDs    bool    // calls have no ids; results are matched by name and order

	Results         ResultPlace
	EmptyText       bool // a text, or a message of the user, may be empty
	NeedsContent    bool // a message of the model must have text or a call
	OrderedResults  bool // results must have the order of their calls
	AlternatesRoles bool // two messages of the user, or of the model, may not follow each other
	UserFirst       bool // the first message may not be the model's
	NeedsBridge     bool // a message of the user may not follow a result directly
	TextBlocks      bool // a message of the user may have several texts
	Templated       bool // a chat template turns messages into text, so marks in a tool's text must be broken
	CustomTools     bool // custom tools are native
	TypedResults    bool // results of custom tools have a type of their own
	ErrorFlag       bool // a result has a flag for errors
	Media           MediaPlace
	Shows           func(*pb.Media) bool
	Limits          Limits
}

// MediaPlace says where a turn has the images and documents of a result.
type MediaPlace int

// Places of media.
const (
	MediaAfter     MediaPlace = iota // after all results of the turn
	MediaInside                      // in their result
	MediaInSuccess                   // in their result unless that is an error, otherwise after all results
)

// Shape reads and writes the messages of a provider.
type Shape interface {
	// Read turns an object into a message and keeps the members that it does not understand.
	Read(rawjson.Object) Message
	// Write turns a message into objects. Blocks that were read and not changed are written as they were.
	Write(Message) []rawjson.Object
}

// ResultPlace says where a provider looks for the results of the calls of a message.
type ResultPlace int

// Places of results.
const (
	ResultsFollow ResultPlace = iota // in the messages of tools that follow directly
	ResultsNext                      // in the first blocks of the next message
	ResultsAfter                     // anywhere after the call
)

// All lists the dialects in the order of docs/reference/transports.md.
func All() []Dialect {
	return []Dialect{chat(), openAIChat(), openAIResponses(), anthropic(), gemini(), bedrock(), mistral(), ollama()}
}

// Lookup returns the dialect of a provider, and false for a provider that this version does not know.
func Lookup(p pb.Provider) (Dialect, bool) {
	for _, d := range All() {
		if d.Provider == p {
			return d, true
		}
	}
	return Dialect{}, false
}

// showsNothing is the Shows of providers whose messages are text alone.
func showsNothing(*pb.Media) bool { return false }
