package streams

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// readTextCalls reads the calls that a model without native calls writes as text: JSON objects between tags, as the
// templates of Hermes and Qwen have them. Text between calls stays text, and so does a tag that is only mentioned.
func (a *answer) readTextCalls(content string) {
	for {
		_, rest, found := strings.Cut(content, markup.CallOpen)
		if !found {
			return
		}
		content = rest
		// A call that is cut off is one too, so that the model learns that it was not made.
		if inside, closed, ok := textCall(rest); ok {
			c := a.newCall()
			c.closed = closed
			c.raw = markup.CallOpen + inside + markup.CallClose
			c.readText(strings.TrimSpace(inside))
			content = rest[len(inside):]
		}
	}
}

// textCall returns the text after an opening tag that is a call, and whether a closing tag follows. A JSON object is
// taken as a whole, because one of its strings may contain the closing tag. Other text is a call if its closing tag
// comes before the next opening tag.
func textCall(rest string) (inside string, closed, ok bool) {
	if isOpening(rest) {
		var value json.RawMessage
		// The decoder reads one value and says where it ends.
		dec := json.NewDecoder(strings.NewReader(rest))
		if dec.Decode(&value) == nil {
			end := int(dec.InputOffset())
			return rest[:end], strings.HasPrefix(strings.TrimLeft(rest[end:], " \t\r\n"), markup.CallClose), true
		}
	}
	inside, _, closed = strings.Cut(rest, markup.CallClose)
	return inside, closed, isOpening(rest) || closed && !strings.Contains(inside, markup.CallOpen)
}

// isOpening reports whether text begins like an object.
func isOpening(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") }

// nameMember matches the name in an object that is not complete.
var nameMember = regexp.MustCompile(`"name"\s*:\s*("(?:[^"\\]|\\.)*")`)

// readText reads the text of a call. A call that cannot be made keeps its text and, if it can be found, its name.
func (c *partialCall) readText(text string) {
	o, err := rawjson.Parse([]byte(text))
	if err != nil {
		c.arguments.bytes = []byte(text)
		if m := nameMember.FindStringSubmatch(text); m != nil {
			c.name = rawjson.String(json.RawMessage(m[1]))
		}
		c.problem = "the text of the call is no JSON object"
		if !c.closed {
			c.problem = "the text ended before the call did"
		}
		return
	}
	c.name = o.Text("name")
	c.arguments.appendJSON(o.Get("arguments"))
}
