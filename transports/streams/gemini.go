package streams

import (
	"cmp"
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// geminiStream reads the chunks of Gemini, in which a call is always whole. Its SDK for Python writes the names of
// members with underscores.
type geminiStream struct{}

// either returns the value of a member under one of its two names.
func either(o rawjson.Object, camel, snake string) json.RawMessage {
	if v := o.Get(camel); v != nil {
		return v
	}
	return o.Get(snake)
}

// event reads one chunk.
func (s geminiStream) event(o rawjson.Object, a *answer) {
	// A prompt that was blocked has no candidates.
	feedback, _ := rawjson.Split(either(o, "promptFeedback", "prompt_feedback"))
	if reason := rawjson.String(either(feedback, "blockReason", "block_reason")); reason != "" {
		a.setEnd(pb.StreamEnd_STREAM_END_STOPPED, reason)
	}
	for _, candidate := range o.Children("candidates") {
		if index := candidate.Get("index"); index != nil && string(index) != "0" {
			continue // another answer to the same question
		}
		for _, part := range candidate.Child("content").Children("parts") {
			s.part(part, a)
		}
		if reason := rawjson.String(either(candidate, "finishReason", "finish_reason")); reason != "" {
			a.setEnd(cmp.Or(geminiEnds[reason], stopped), reason)
		}
	}
}

// geminiEnds are the ends that finish reasons mean. All others are filters and malformed calls.
var geminiEnds = map[string]pb.StreamEnd{"STOP": complete, "MAX_TOKENS": cutByLength}

// part reads one part: a call, a thought, a signature or text.
func (geminiStream) part(o rawjson.Object, a *answer) {
	signature := rawjson.String(either(o, "thoughtSignature", "thought_signature"))
	function, err := rawjson.Split(either(o, "functionCall", "function_call"))
	switch {
	case err == nil:
		c := a.newCall()
		c.id, c.name, c.signature = function.Text("id"), function.Text("name"), signature
		c.setArguments(function.Get("args"))
		// Gemini may send arguments as a list of paths and values, which this version does not join.
		if either(function, "partialArgs", "partial_args") != nil || either(function, "willContinue", "will_continue") != nil {
			c.problem = "the arguments come in parts by path (partialArgs), which this version does not read"
		}
	case string(o.Get("thought")) == "true": // a summary of thoughts, which does not go back
	case signature != "" && o.Text("text") == "":
		a.addBlock(rawjson.Object{}.WithText("text", "").WithText("thoughtSignature", signature))
	default:
		a.content.appendJSON(o.Get("text"))
	}
}
