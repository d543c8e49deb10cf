package transports

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// bedrock is the Converse interface of Amazon Bedrock. Patterns are those of its service
// model: an id or a name has at most 64 letters, digits, "_" and "-"; an id may have "." and ":".
func bedrock() dialect {
	ids := pattern{least: 1, most: 64, other: func(c byte) bool { return word(c) || c == '.' || c == ':' }}
	return dialect{
		provider: pb.Provider_PROVIDER_BEDROCK_CONVERSE,
		shape: blocked{
			list: keyContent, assistant: "assistant",
			readText: func(o object) *string { return textIn(o, keyText) }, writeText: func(t string) object { return object{}.withText(keyText, t) },
			readCall: readConverseCall, writeCall: writeConverseCall,
			readTool: readConverseResult, writeTool: writeConverseResult, writeMedia: bedrockMedia,
		},
		ids: ids, names: openAINames, needsIDs: true,
		place: placeNext, alternates: true, userFirst: true, blocks: true, flag: true, media: mediaInside, shows: bedrockShows, limits: bedrockLimits,
	}
}

func readConverseCall(o object) *call {
	c := o.child("toolUse")
	if c == nil {
		return nil
	}
	return &call{id: c.text("toolUseId"), name: c.text(keyName), arguments: string(c.get("input"))}
}

func writeConverseCall(base object, c call) object {
	use := base.child("toolUse").withText("toolUseId", c.id).withText(keyName, c.name).with("input", compact(c.arguments))
	return base.withObject("toolUse", use)
}

func readConverseResult(o object) *result {
	r := o.child("toolResult")
	if r == nil {
		return nil
	}
	return &result{id: r.text("toolUseId"), text: firstText(r.get(keyContent)), failed: r.text("status") == "error"}
}

func writeConverseResult(base object, r result) object {
	o := base.child("toolResult").withText("toolUseId", r.id)
	if base == nil {
		content := []object{object{}.withText(keyText, r.text)}
		for _, m := range r.media {
			content = append(content, bedrockMedia(m))
		}
		o = o.withList(keyContent, content)
		if r.failed {
			o = o.withText("status", "error")
		}
	}
	return base.withObject("toolResult", o)
}

func bedrockShows(m *pb.Media) bool {
	return (isImage(m) || isPDF(m)) && (len(m.GetData()) > 0 || strings.HasPrefix(m.GetUrl(), "s3://"))
}

func bedrockMedia(m *pb.Media) object {
	source := object{}.withText("bytes", encoded(m))
	if m.GetUrl() != "" {
		source = object{}.withObject("s3Location", object{}.withText("uri", m.GetUrl()))
	}
	_, format, _ := strings.Cut(m.GetMediaType(), "/")
	if isImage(m) {
		return object{}.withObject("image", object{}.withText("format", format).withObject("source", source))
	}
	return object{}.withObject("document", object{}.withText("format", format).withText(keyName, documentName(m)).withObject("source", source))
}

// documentName is a name of the characters that Converse takes: letters, digits, spaces,
// "-", "(", ")", "[" and "]".
func documentName(m *pb.Media) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (alphanumeric(byte(r)) || r == '-') {
			return r
		}
		return '-'
	}, strings.TrimSuffix(fileName(m), ".pdf"))
}
