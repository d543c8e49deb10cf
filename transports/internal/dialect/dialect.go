// Package dialect is the model of messages that all providers share, and the table and the JSON of each provider.
package dialect

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// dialect is what is particular to the messages of one provider: a table, and how its
// JSON is read and written. What is done with them is the same for all.
type Dialect struct {
	Provider pb.Provider
	Shape    Shape

	IDs      Pattern // of ids of calls
	Names    Pattern // of names of functions
	NeedsIDs bool    // a call without an id cannot be native
	NoIDs    bool    // calls have no ids; their results stand in their order

	Results         ResultPlace
	EmptyText       bool // text may be empty
	NeedsContent    bool // the model has said something, or made a call
	OrderedResults  bool // results stand in the order of their calls
	AlternatesRoles bool // user and assistant take turns
	UserFirst       bool // the first message is the user's
	NeedsBridge     bool // a user may not speak directly after a tool
	TextBlocks      bool // a message of a user may have several blocks of text
	Templated       bool // a chat template turns messages into text, so that its marks in tool text must be broken
	CustomTools     bool // custom tools are native
	TypedResults    bool // and their results are of another type than those of functions
	ErrorFlag       bool // a result that is an error has a flag
	Media           MediaPlace
	Shows           func(*pb.Media) bool
	Limits          Limits
}

// mediaPlace is where images and documents of a result stand.
type MediaPlace int

const (
	MediaAfter     MediaPlace = iota // behind all results of the turn
	MediaInside                      // in their result
	MediaInSuccess                   // in their result, if that is no error
)

// shape reads and writes the messages of a provider.
type Shape interface {
	// Read turns an object into a message. Whatever it does not understand it keeps.
	Read(rawjson.Object) Message
	// Write turns a message into objects. What was read and not changed is written as it
	// was.
	Write(Message) []rawjson.Object
}

// place is where a provider looks for the results of the calls of a message.
type ResultPlace int

const (
	ResultsFollow ResultPlace = iota // in the tool messages that follow directly
	ResultsNext                      // at the beginning of the next message
	ResultsAfter                     // anywhere behind the call
)

// dialects are all of them, by hand.
func All() []Dialect {
	return []Dialect{chat(), openAIChat(), openAIResponses(), anthropic(), gemini(), bedrock(), mistral(), ollama()}
}

// dialectOf returns the dialect of a provider.
func Lookup(p pb.Provider) (Dialect, bool) {
	for _, d := range All() {
		if d.Provider == p {
			return d, true
		}
	}
	return Dialect{}, false
}

// showsNothing is for providers whose messages are text.
func showsNothing(*pb.Media) bool { return false }
