package transports

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// bedrock is the Converse interface of Amazon Bedrock. Patterns are those of its service
// model: an id or a name has at most 64 letters, digits, "_" and "-"; an id may have "." and ":".
func bedrock() dialect {
	ids := pattern{least: 1, most: 64, other: func(c byte) bool { return word(c) || c == '.' || c == ':' }}
	return dialect{
		provider: pb.Provider_PROVIDER_BEDROCK_CONVERSE,
		shape: blocked{
			list: "content", assistant: "assistant",
			readText: func(o rawjson.Object) *string { return textIn(o, "text") }, writeText: func(t string) rawjson.Object { return rawjson.Object{}.WithText("text", t) },
			readCall: readConverseCall, writeCall: writeConverseCall,
			readTool: readConverseResult, writeTool: writeConverseResult, writeMedia: bedrockMedia,
		},
		ids: ids, names: openAINames, needsIDs: true,
		place: placeNext, alternates: true, userFirst: true, blocks: true, flag: true, media: mediaInside, shows: bedrockShows, limits: bedrockLimits,
	}
}

func readConverseCall(o rawjson.Object) *call {
	c := o.Child("toolUse")
	if c == nil {
		return nil
	}
	return &call{id: c.Text("toolUseId"), name: c.Text("name"), arguments: string(c.Get("input"))}
}

func writeConverseCall(base rawjson.Object, c call) rawjson.Object {
	use := base.Child("toolUse").WithText("toolUseId", c.id).WithText("name", c.name).With("input", rawjson.Compact(c.arguments))
	return base.WithObject("toolUse", use)
}

func readConverseResult(o rawjson.Object) *result {
	r := o.Child("toolResult")
	if r == nil {
		return nil
	}
	return &result{id: r.Text("toolUseId"), text: firstText(r.Get("content")), failed: r.Text("status") == "error"}
}

func writeConverseResult(base rawjson.Object, r result) rawjson.Object {
	o := base.Child("toolResult").WithText("toolUseId", r.id)
	if base == nil {
		content := []rawjson.Object{rawjson.Object{}.WithText("text", r.text)}
		for _, m := range r.media {
			content = append(content, bedrockMedia(m))
		}
		o = o.WithList("content", content)
		if r.failed {
			o = o.WithText("status", "error")
		}
	}
	return base.WithObject("toolResult", o)
}

func bedrockShows(m *pb.Media) bool {
	return (isImage(m) || isPDF(m)) && (len(m.GetData()) > 0 || strings.HasPrefix(m.GetUrl(), "s3://"))
}

func bedrockMedia(m *pb.Media) rawjson.Object {
	source := rawjson.Object{}.WithText("bytes", encoded(m))
	if m.GetUrl() != "" {
		source = rawjson.Object{}.WithObject("s3Location", rawjson.Object{}.WithText("uri", m.GetUrl()))
	}
	_, format, _ := strings.Cut(m.GetMediaType(), "/")
	if isImage(m) {
		return rawjson.Object{}.WithObject("image", rawjson.Object{}.WithText("format", format).WithObject("source", source))
	}
	return rawjson.Object{}.WithObject("document", rawjson.Object{}.WithText("format", format).WithText("name", documentName(m)).WithObject("source", source))
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
