package transports

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// gemini is Google's Gemini. The next content has as many functionResponse parts as the
// model made calls, and in their order where they have no ids. The keys "output" and
// "error" of a response are those that its reference names.
func gemini() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_GEMINI,
		shape: blocked{
			list: "parts", assistant: "model",
			readText: geminiText, writeText: func(t string) rawjson.Object { return rawjson.Object{}.WithText("text", t) },
			readCall: readGeminiCall, writeCall: writeGeminiCall,
			readTool: readGeminiResult, writeTool: writeGeminiResult, writeMedia: geminiMedia,
		},
		ids: pattern{least: 1, most: maxIDBytes, other: printable},
		names: pattern{least: 1, most: 64, first: func(c byte) bool { return c == '_' || alphanumeric(c) && c > '9' },
			other: func(c byte) bool { return word(c) || c == '.' || c == ':' }},
		place: placeNext, ordered: true, alternates: true, userFirst: true, blocks: true, flag: true, shows: geminiShows, limits: geminiLimits,
	}
}

func geminiText(o rawjson.Object) *string {
	if string(o.Get("thought")) == "true" || o.Get("thoughtSignature") != nil {
		return nil // text of a part with a signature may be empty
	}
	return textIn(o, "text")
}

func readGeminiCall(o rawjson.Object) *call {
	c := o.Child("functionCall")
	if c == nil {
		return nil
	}
	arguments := string(c.Get("args"))
	if arguments == "" {
		arguments = "{}"
	}
	return &call{id: c.Text("id"), name: c.Text("name"), arguments: arguments, signature: o.Text("thoughtSignature")}
}

func writeGeminiCall(base rawjson.Object, c call) rawjson.Object {
	o := base.Child("functionCall")
	if c.id != "" {
		o = o.WithText("id", c.id)
	}
	part := base.WithObject("functionCall", o.WithText("name", c.name).With("args", rawjson.Compact(c.arguments)))
	if c.signature != "" {
		part = part.WithText("thoughtSignature", c.signature)
	}
	return part
}

func readGeminiResult(o rawjson.Object) *result {
	r := o.Child("functionResponse")
	if r == nil {
		return nil
	}
	response := r.Child("response")
	failed := response.Get("error") != nil
	text := response.Text("output")
	if failed {
		text = response.Text("error")
	}
	return &result{id: r.Text("id"), name: r.Text("name"), text: text, failed: failed}
}

func writeGeminiResult(base rawjson.Object, r result) rawjson.Object {
	o := base.Child("functionResponse")
	if r.id != "" {
		o = o.WithText("id", r.id)
	}
	o = o.WithText("name", r.name)
	if base == nil {
		key := "output"
		if r.failed {
			key = "error"
		}
		o = o.WithObject("response", rawjson.Object{}.WithText(key, r.text))
	}
	return base.WithObject("functionResponse", o)
}

func geminiShows(m *pb.Media) bool {
	switch m.GetMediaType() {
	case "audio/wav", "audio/mp3", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac":
		return true
	}
	return isPDF(m) || isImage(m) && m.GetMediaType() != "image/gif"
}

func geminiMedia(m *pb.Media) rawjson.Object {
	if len(m.GetData()) > 0 {
		return rawjson.Object{}.WithObject("inlineData", rawjson.Object{}.WithText("mimeType", m.GetMediaType()).WithText("data", encoded(m)))
	}
	place := m.GetUrl()
	if place == "" {
		place = m.GetFileId()
	}
	return rawjson.Object{}.WithObject("fileData", rawjson.Object{}.WithText("mimeType", m.GetMediaType()).WithText("fileUri", place))
}
