package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// geminiStream reads the chunks of Gemini, in which a call is always whole. Its SDK for
// Python writes the names of members with underscores.
type geminiStream struct{}

// either is the value of a member under one of its two names.
func either(o object, camel, snake string) json.RawMessage {
	if v := o.get(camel); v != nil {
		return v
	}
	return o.get(snake)
}

func (s geminiStream) event(o object, a *answer) {
	feedback, _ := split(either(o, "promptFeedback", "prompt_feedback"))
	if reason := stringOf(either(feedback, "blockReason", "block_reason")); reason != "" {
		a.finish(pb.StreamEnd_STREAM_END_STOPPED, reason)
	}
	for _, candidate := range o.children("candidates") {
		if index := candidate.get("index"); index != nil && string(index) != "0" {
			continue // other answers to the same question
		}
		for _, part := range candidate.child(keyContent).children("parts") {
			s.part(part, a)
		}
		if reason := stringOf(either(candidate, "finishReason", "finish_reason")); reason != "" {
			a.finish(geminiEnd(reason), reason)
		}
	}
}

func geminiEnd(reason string) pb.StreamEnd {
	switch reason {
	case "STOP":
		return pb.StreamEnd_STREAM_END_COMPLETE
	case "MAX_TOKENS":
		return pb.StreamEnd_STREAM_END_LENGTH
	}
	return pb.StreamEnd_STREAM_END_STOPPED
}

func (geminiStream) part(o object, a *answer) {
	signature := stringOf(either(o, "thoughtSignature", "thought_signature"))
	function, err := split(either(o, "functionCall", "function_call"))
	switch {
	case err == nil:
		c := a.call()
		c.id, c.name, c.signature = function.text("id"), function.text(keyName), signature
		c.whole(function.get("args"))
		if either(function, "partialArgs", "partial_args") != nil || either(function, "willContinue", "will_continue") != nil {
			c.problem = "the arguments come in parts by path (partialArgs), which this version does not read"
		}
	case string(o.get("thought")) == "true": // a summary, which does not go back
	case signature != "" && o.text(keyText) == "":
		a.keep(object{}.withText(keyText, "").withText("thoughtSignature", signature))
	default:
		a.content.add(o.get(keyText))
	}
}
