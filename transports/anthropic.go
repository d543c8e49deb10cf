package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// anthropic is Anthropic's Messages. The results of all calls are the first blocks of the
// next message; text is never empty, and a result that is an error is text alone. Patterns are
// those of its API reference.
func anthropic() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		shape: blocked{
			list: keyContent, assistant: "assistant",
			readText: anthropicText, writeText: textPart,
			readCall: readToolUse, writeCall: writeToolUse,
			readTool: readAnthropicResult, writeTool: writeAnthropicResult, writeMedia: anthropicMedia,
		},
		ids: pattern{least: 1, most: maxIDBytes, other: word}, names: pattern{least: 1, most: 128, other: word}, needsIDs: true,
		place: placeNext, userFirst: true, blocks: true, flag: true, media: mediaInRight, shows: anthropicShows, limits: anthropicLimits,
	}
}

func anthropicText(o object) *string {
	if o.text(keyType) != keyText {
		return nil
	}
	return new(o.text(keyText))
}

func readToolUse(o object) *call {
	if o.text(keyType) != "tool_use" {
		return nil
	}
	return &call{id: o.text("id"), name: o.text(keyName), arguments: string(o.get("input"))}
}

func writeToolUse(base object, c call) object {
	return base.withText(keyType, "tool_use").withText("id", c.id).withText(keyName, c.name).with("input", compact(c.arguments))
}

func readAnthropicResult(o object) *result {
	if o.text(keyType) != "tool_result" {
		return nil
	}
	return &result{id: o.text("tool_use_id"), text: firstText(o.get(keyContent)), failed: string(o.get("is_error")) == "true"}
}

func writeAnthropicResult(base object, r result) object {
	o := base.withText(keyType, "tool_result").withText("tool_use_id", r.id)
	if base != nil {
		return o
	}
	o = o.withText(keyContent, r.text)
	if len(r.media) > 0 {
		content := []object{textPart(r.text)}
		for _, m := range r.media {
			content = append(content, anthropicMedia(m))
		}
		o = o.withList(keyContent, content)
	}
	if r.failed {
		o = o.with("is_error", json.RawMessage("true"))
	}
	return o
}

func anthropicShows(m *pb.Media) bool { return isImage(m) || isPDF(m) }

func anthropicMedia(m *pb.Media) object {
	source := object{}
	switch {
	case m.GetUrl() != "":
		source = source.withText(keyType, "url").withText("url", m.GetUrl())
	case m.GetFileId() != "":
		source = source.withText(keyType, "file").withText("file_id", m.GetFileId())
	default:
		source = source.withText(keyType, "base64").withText("media_type", m.GetMediaType()).withText("data", encoded(m))
	}
	kind := "image"
	if isPDF(m) {
		kind = "document"
	}
	o := object{}.withText(keyType, kind).withObject("source", source)
	if isPDF(m) && m.GetName() != "" {
		o = o.withText("title", m.GetName())
	}
	return o
}
