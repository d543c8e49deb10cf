package dialect

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// anthropic returns the dialect of Anthropic's Messages. The results of all calls are the first blocks of the next
// message; a text is never empty, and a result that is an error has text alone. Patterns are those of its API
// reference.
func anthropic() Dialect {
	return Dialect{
		Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		Shape: blocked{
			list: "content", assistant: "assistant",
			readText: anthropicText, writeText: textPart,
			readCall: readToolUse, writeCall: writeToolUse,
			readTool: readAnthropicResult, writeTool: writeAnthropicResult, writeMedia: anthropicMedia,
		},
		IDs: Pattern{min: 1, max: MaxIDBytes, other: word}, Names: Pattern{min: 1, max: 128, other: word}, NeedsIDs: true,
		Results: ResultsNext, UserFirst: true, TextBlocks: true, ErrorFlag: true, Media: MediaInSuccess, Shows: anthropicShows, Limits: anthropicLimits,
	}
}

// anthropicText reads a block of text; nil for other blocks.
func anthropicText(o rawjson.Object) *string {
	if o.Text("type") != "text" {
		return nil
	}
	return new(o.Text("text"))
}

// readToolUse reads a call; nil for other blocks.
func readToolUse(o rawjson.Object) *Call {
	if o.Text("type") != "tool_use" {
		return nil
	}
	return &Call{ID: o.Text("id"), Name: o.Text("name"), Arguments: string(o.Get("input"))}
}

// writeToolUse writes a call. Its input is a JSON object, not a string.
func writeToolUse(base rawjson.Object, c Call) rawjson.Object {
	return base.WithText("type", "tool_use").WithText("id", c.ID).WithText("name", c.Name).With("input", rawjson.Compact(c.Arguments))
}

// readAnthropicResult reads a result; nil for other blocks.
func readAnthropicResult(o rawjson.Object) *Result {
	if o.Text("type") != "tool_result" {
		return nil
	}
	return &Result{ID: o.Text("tool_use_id"), Text: firstText(o.Get("content")), Failed: string(o.Get("is_error")) == "true"}
}

// writeAnthropicResult writes a result. One that was read keeps its content and its flag.
func writeAnthropicResult(base rawjson.Object, r Result) rawjson.Object {
	o := base.WithText("type", "tool_result").WithText("tool_use_id", r.ID)
	if base != nil {
		return o
	}
	o = o.WithText("content", r.Text)
	if len(r.Media) > 0 {
		content := []rawjson.Object{textPart(r.Text)}
		for _, m := range r.Media {
			content = append(content, anthropicMedia(m))
		}
		o = o.WithList("content", content)
	}
	if r.Failed {
		o = o.With("is_error", json.RawMessage("true"))
	}
	return o
}

// anthropicShows reports whether media can be a block: images and PDF, from any source.
func anthropicShows(m *pb.Media) bool { return isImage(m) || isPDF(m) }

// anthropicMedia writes media as a block. The name of a document becomes its title.
func anthropicMedia(m *pb.Media) rawjson.Object {
	source := rawjson.Object{}
	switch {
	case m.GetUrl() != "":
		source = source.WithText("type", "url").WithText("url", m.GetUrl())
	case m.GetFileId() != "":
		source = source.WithText("type", "file").WithText("file_id", m.GetFileId())
	default:
		source = source.WithText("type", "base64").WithText("media_type", m.GetMediaType()).WithText("data", base64Data(m))
	}
	kind := "image"
	if isPDF(m) {
		kind = "document"
	}
	o := rawjson.Object{}.WithText("type", kind).WithObject("source", source)
	if isPDF(m) && m.GetName() != "" {
		o = o.WithText("title", m.GetName())
	}
	return o
}
