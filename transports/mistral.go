package transports

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// mistral is Mistral's chat completions. Ids of calls have nine letters and digits, and a
// user may not speak directly after a tool; both are from the messages of its refusals.
func mistral() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_MISTRAL,
		shape: flat{
			readCall: readFunctionCall, writeCall: writeFunctionCall,
			readTool: readToolMessage, writeTool: writeNamedToolMessage,
			noContent: rawjson.Quote(""), parts: true, media: mistralMedia,
		},
		ids: pattern{least: 9, most: 9, other: alphanumeric}, names: openAINames, needsIDs: true,
		place: placeFollowing, blank: true, speaks: true, bridge: true, blocks: true, media: mediaInside, shows: mistralShows, limits: mistralLimits,
	}
}

func writeNamedToolMessage(base rawjson.Object, r result) rawjson.Object {
	o := writeToolMessage(base, r)
	if r.name != "" {
		o = o.WithText("name", r.name)
	}
	return o
}

func mistralShows(m *pb.Media) bool {
	return m.GetFileId() == "" && (isImage(m) || isPDF(m) && m.GetUrl() != "")
}

func mistralMedia(m *pb.Media) rawjson.Object {
	if isImage(m) {
		return rawjson.Object{}.WithText("type", "image_url").WithText("image_url", address(m))
	}
	return rawjson.Object{}.WithText("type", "document_url").WithText("document_url", m.GetUrl())
}
