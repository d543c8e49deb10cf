package dialect

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// mistral returns the dialect of Mistral's chat completions. An id has nine letters and digits, and a message of the
// user may not follow a result directly; both rules are from its error messages.
func mistral() Dialect {
	return Dialect{
		Provider: pb.Provider_PROVIDER_MISTRAL,
		Shape: flat{
			readCall: readFunctionCall, writeCall: writeFunctionCall,
			readTool: readToolMessage, writeTool: writeNamedToolMessage,
			noContent: rawjson.Quote(""), parts: true, media: mistralMedia,
		},
		IDs: Pattern{min: 9, max: 9, other: alphanumeric}, Names: OpenAINames, NeedsIDs: true,
		Results: ResultsFollow, EmptyText: true, NeedsContent: true, NeedsBridge: true, TextBlocks: true, Media: MediaInside, Shows: mistralShows, Limits: mistralLimits,
	}
}

// writeNamedToolMessage writes all of a result but its content. The name of the function is optional.
func writeNamedToolMessage(base rawjson.Object, r Result) rawjson.Object {
	o := writeToolMessage(base, r)
	if r.Name != "" {
		o = o.WithText("name", r.Name)
	}
	return o
}

// mistralShows reports whether media can be a part: images by URL or as bytes, PDF by URL alone.
func mistralShows(m *pb.Media) bool {
	return m.GetFileId() == "" && (isImage(m) || isPDF(m) && m.GetUrl() != "")
}

// mistralMedia writes media as a part of content.
func mistralMedia(m *pb.Media) rawjson.Object {
	if isImage(m) {
		return rawjson.Object{}.WithText("type", "image_url").WithText("image_url", dataURL(m))
	}
	return rawjson.Object{}.WithText("type", "document_url").WithText("document_url", m.GetUrl())
}
