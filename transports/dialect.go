package transports

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// dialect is what is particular to the messages of one provider: a table, and how its
// JSON is read and written. What is done with them is the same for all.
type dialect struct {
	provider pb.Provider
	shape    shape

	ids      pattern // of ids of calls
	names    pattern // of names of functions
	needsIDs bool    // a call without an id cannot be native
	noIDs    bool    // calls have no ids; their results stand in their order

	place      place
	blank      bool // text may be empty
	speaks     bool // the model has said something, or made a call
	ordered    bool // results stand in the order of their calls
	alternates bool // user and assistant take turns
	userFirst  bool // the first message is the user's
	bridge     bool // a user may not speak directly after a tool
	blocks     bool // a message of a user may have several blocks of text
	template   bool // a chat template turns messages into text, so that its marks in tool text must be broken
	custom     bool // custom tools are native
	typed      bool // and their results are of another type than those of functions
	flag       bool // a result that is an error has a flag
	media      mediaPlace
	shows      func(*pb.Media) bool
	limits     mediaLimits
}

// mediaPlace is where images and documents of a result stand.
type mediaPlace int

const (
	mediaBehind  mediaPlace = iota // behind all results of the turn
	mediaInside                    // in their result
	mediaInRight                   // in their result, if that is no error
)

// shape reads and writes the messages of a provider.
type shape interface {
	// read turns an object into a message. Whatever it does not understand it keeps.
	read(rawjson.Object) message
	// write turns a message into objects. What was read and not changed is written as it
	// was.
	write(message) []rawjson.Object
}

// place is where a provider looks for the results of the calls of a message.
type place int

const (
	placeFollowing place = iota // in the tool messages that follow directly
	placeNext                   // at the beginning of the next message
	placeAfter                  // anywhere behind the call
)

// dialects are all of them, by hand.
func dialects() []dialect {
	return []dialect{chat(), openAIChat(), openAIResponses(), anthropic(), gemini(), bedrock(), mistral(), ollama()}
}

// dialectOf returns the dialect of a provider.
func dialectOf(p pb.Provider) (dialect, bool) {
	for _, d := range dialects() {
		if d.provider == p {
			return d, true
		}
	}
	return dialect{}, false
}

// showsNothing is for providers whose messages are text.
func showsNothing(*pb.Media) bool { return false }
