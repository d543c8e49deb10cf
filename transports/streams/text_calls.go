package streams

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// readTextCalls reads calls that a model without native ones writes as text: a JSON
// object between tags, as Hermes and Qwen do. What stands between them stays text, and so
// does a tag that is only spoken of.
func (a *answer) readTextCalls(content string) {
	for {
		_, rest, found := strings.Cut(content, markup.CallOpen)
		if !found {
			return
		}
		content = rest
		if inside, closed, ok := textCall(rest); ok {
			c := a.newCall()
			c.closed = closed
			c.raw = markup.CallOpen + inside + markup.CallClose
			c.readText(strings.TrimSpace(inside))
			content = rest[len(inside):]
		}
	}
}

// textCall returns what stands behind an opening tag, and whether a closing one follows.
// A JSON object is taken as a whole: a closing tag in one of its strings is none. Anything
// else is a call if its closing tag comes before another opening one.
func textCall(rest string) (inside string, closed, ok bool) {
	if isOpening(rest) {
		var value json.RawMessage
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

// nameMember is the name in an object that is not whole.
var nameMember = regexp.MustCompile(`"name"\s*:\s*("(?:[^"\\]|\\.)*")`)

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
