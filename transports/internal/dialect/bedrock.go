package dialect

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// bedrock returns the dialect of Amazon Bedrock's Converse. Patterns are those of its service model: an id or a name
// has at most 64 letters, digits, "_" and "-"; an id may also have "." and ":".
func bedrock() Dialect {
	ids := Pattern{min: 1, max: 64, other: func(c byte) bool { return word(c) || c == '.' || c == ':' }}
	return Dialect{
		Provider: pb.Provider_PROVIDER_BEDROCK_CONVERSE,
		Shape: blocked{
			list: "content", assistant: "assistant",
			readText: func(o rawjson.Object) *string { return textMember(o, "text") }, writeText: func(t string) rawjson.Object { return rawjson.Object{}.WithText("text", t) },
			readCall: readConverseCall, writeCall: writeConverseCall,
			readTool: readConverseResult, writeTool: writeConverseResult, writeMedia: bedrockMedia,
		},
		IDs: ids, Names: OpenAINames, NeedsIDs: true,
		Results: ResultsNext, AlternatesRoles: true, UserFirst: true, TextBlocks: true, ErrorFlag: true, Media: MediaInside, Shows: bedrockShows, Limits: bedrockLimits,
	}
}

// readConverseCall reads a call; nil for other blocks.
func readConverseCall(o rawjson.Object) *Call {
	c := o.Child("toolUse")
	if c == nil {
		return nil
	}
	return &Call{ID: c.Text("toolUseId"), Name: c.Text("name"), Arguments: string(c.Get("input"))}
}

// writeConverseCall writes a call. Its input is a JSON object.
func writeConverseCall(base rawjson.Object, c Call) rawjson.Object {
	use := base.Child("toolUse").WithText("toolUseId", c.ID).WithText("name", c.Name).With("input", rawjson.Compact(c.Arguments))
	return base.WithObject("toolUse", use)
}

// readConverseResult reads a result; nil for other blocks.
func readConverseResult(o rawjson.Object) *Result {
	r := o.Child("toolResult")
	if r == nil {
		return nil
	}
	return &Result{ID: r.Text("toolUseId"), Text: firstText(r.Get("content")), Failed: r.Text("status") == "error"}
}

// writeConverseResult writes a result. One that was read keeps its content and its status.
func writeConverseResult(base rawjson.Object, r Result) rawjson.Object {
	o := base.Child("toolResult").WithText("toolUseId", r.ID)
	if base == nil {
		content := []rawjson.Object{rawjson.Object{}.WithText("text", r.Text)}
		for _, m := range r.Media {
			content = append(content, bedrockMedia(m))
		}
		o = o.WithList("content", content)
		if r.Failed {
			o = o.WithText("status", "error")
		}
	}
	return base.WithObject("toolResult", o)
}

// bedrockShows reports whether media can be a block: images and PDF, as bytes or in S3.
func bedrockShows(m *pb.Media) bool {
	return (isImage(m) || isPDF(m)) && (len(m.GetData()) > 0 || strings.HasPrefix(m.GetUrl(), "s3://"))
}

// bedrockMedia writes media as a block. A document must have a name.
func bedrockMedia(m *pb.Media) rawjson.Object {
	source := rawjson.Object{}.WithText("bytes", base64Data(m))
	if m.GetUrl() != "" {
		source = rawjson.Object{}.WithObject("s3Location", rawjson.Object{}.WithText("uri", m.GetUrl()))
	}
	_, format, _ := strings.Cut(m.GetMediaType(), "/")
	if isImage(m) {
		return rawjson.Object{}.WithObject("image", rawjson.Object{}.WithText("format", format).WithObject("source", source))
	}
	return rawjson.Object{}.WithObject("document", rawjson.Object{}.WithText("format", format).WithText("name", documentName(m)).WithObject("source", source))
}

// documentName returns a name of the characters that Converse accepts: letters, digits, spaces, "-", "(", ")", "[" and
// "]".
func documentName(m *pb.Media) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (alphanumeric(byte(r)) || r == '-') {
			return r
		}
		return '-'
	}, strings.TrimSuffix(fileName(m), ".pdf"))
}
