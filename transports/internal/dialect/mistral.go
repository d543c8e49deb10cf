package dialect

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// mistral is Mistral's chat completions. Ids of calls have nine letters and digits, and a
// user may not speak directly after a tool; both are from the messages of its refusals.
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

func writeNamedToolMessage(base rawjson.Object, r Result) rawjson.Object {
	o := writeToolMessage(base, r)
	if r.Name != "" {
		o = o.WithText("name", r.Name)
	}
	return o
}

func mistralShows(m *pb.Media) bool {
	return m.GetFileId() == "" && (isImage(m) || isPDF(m) && m.GetUrl() != "")
}

func mistralMedia(m *pb.Media) rawjson.Object {
	if isImage(m) {
		return rawjson.Object{}.WithText("type", "image_url").WithText("image_url", dataURL(m))
	}
	return rawjson.Object{}.WithText("type", "document_url").WithText("document_url", m.GetUrl())
}
