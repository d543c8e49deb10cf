package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// anthropic is Anthropic's Messages. The results of all calls are the first blocks of the
// next message; text is never empty, and a result that is an error is text alone. Patterns are
// those of its API reference.
func anthropic() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		shape: blocked{
			list: "content", assistant: "assistant",
			readText: anthropicText, writeText: textPart,
			readCall: readToolUse, writeCall: writeToolUse,
			readTool: readAnthropicResult, writeTool: writeAnthropicResult, writeMedia: anthropicMedia,
		},
		ids: pattern{least: 1, most: maxIDBytes, other: word}, names: pattern{least: 1, most: 128, other: word}, needsIDs: true,
		place: placeNext, userFirst: true, blocks: true, flag: true, media: mediaInRight, shows: anthropicShows, limits: anthropicLimits,
	}
}

func anthropicText(o rawjson.Object) *string {
	if o.Text("type") != "text" {
		return nil
	}
	return new(o.Text("text"))
}

func readToolUse(o rawjson.Object) *call {
	if o.Text("type") != "tool_use" {
		return nil
	}
	return &call{id: o.Text("id"), name: o.Text("name"), arguments: string(o.Get("input"))}
}

func writeToolUse(base rawjson.Object, c call) rawjson.Object {
	return base.WithText("type", "tool_use").WithText("id", c.id).WithText("name", c.name).With("input", rawjson.Compact(c.arguments))
}

func readAnthropicResult(o rawjson.Object) *result {
	if o.Text("type") != "tool_result" {
		return nil
	}
	return &result{id: o.Text("tool_use_id"), text: firstText(o.Get("content")), failed: string(o.Get("is_error")) == "true"}
}

func writeAnthropicResult(base rawjson.Object, r result) rawjson.Object {
	o := base.WithText("type", "tool_result").WithText("tool_use_id", r.id)
	if base != nil {
		return o
	}
	o = o.WithText("content", r.text)
	if len(r.media) > 0 {
		content := []rawjson.Object{textPart(r.text)}
		for _, m := range r.media {
			content = append(content, anthropicMedia(m))
		}
		o = o.WithList("content", content)
	}
	if r.failed {
		o = o.With("is_error", json.RawMessage("true"))
	}
	return o
}

func anthropicShows(m *pb.Media) bool { return isImage(m) || isPDF(m) }

func anthropicMedia(m *pb.Media) rawjson.Object {
	source := rawjson.Object{}
	switch {
	case m.GetUrl() != "":
		source = source.WithText("type", "url").WithText("url", m.GetUrl())
	case m.GetFileId() != "":
		source = source.WithText("type", "file").WithText("file_id", m.GetFileId())
	default:
		source = source.WithText("type", "base64").WithText("media_type", m.GetMediaType()).WithText("data", encoded(m))
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
