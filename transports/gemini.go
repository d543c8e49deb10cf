package transports

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// gemini is Google's Gemini. The next content has as many functionResponse parts as the
// model made calls, and in their order where they have no ids. The keys "output" and
// "error" of a response are those that its reference names.
func gemini() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_GEMINI,
		shape: blocked{
			list: "parts", assistant: "model",
			readText: geminiText, writeText: func(t string) object { return object{}.withText(keyText, t) },
			readCall: readGeminiCall, writeCall: writeGeminiCall,
			readTool: readGeminiResult, writeTool: writeGeminiResult, writeMedia: geminiMedia,
		},
		ids: pattern{least: 1, most: maxIDBytes, other: printable},
		names: pattern{least: 1, most: 64, first: func(c byte) bool { return c == '_' || alphanumeric(c) && c > '9' },
			other: func(c byte) bool { return word(c) || c == '.' || c == ':' }},
		place: placeNext, ordered: true, alternates: true, userFirst: true, blocks: true, flag: true, shows: geminiShows, limits: geminiLimits,
	}
}

func geminiText(o object) *string {
	if string(o.get("thought")) == "true" || o.get("thoughtSignature") != nil {
		return nil // text of a part with a signature may be empty
	}
	return textIn(o, keyText)
}

func readGeminiCall(o object) *call {
	c := o.child("functionCall")
	if c == nil {
		return nil
	}
	arguments := string(c.get("args"))
	if arguments == "" {
		arguments = "{}"
	}
	return &call{id: c.text("id"), name: c.text(keyName), arguments: arguments, signature: o.text("thoughtSignature")}
}

func writeGeminiCall(base object, c call) object {
	o := base.child("functionCall")
	if c.id != "" {
		o = o.withText("id", c.id)
	}
	part := base.withObject("functionCall", o.withText(keyName, c.name).with("args", compact(c.arguments)))
	if c.signature != "" {
		part = part.withText("thoughtSignature", c.signature)
	}
	return part
}

func readGeminiResult(o object) *result {
	r := o.child("functionResponse")
	if r == nil {
		return nil
	}
	response := r.child("response")
	failed := response.get("error") != nil
	text := response.text("output")
	if failed {
		text = response.text("error")
	}
	return &result{id: r.text("id"), name: r.text(keyName), text: text, failed: failed}
}

func writeGeminiResult(base object, r result) object {
	o := base.child("functionResponse")
	if r.id != "" {
		o = o.withText("id", r.id)
	}
	o = o.withText(keyName, r.name)
	if base == nil {
		key := "output"
		if r.failed {
			key = "error"
		}
		o = o.withObject("response", object{}.withText(key, r.text))
	}
	return base.withObject("functionResponse", o)
}

func geminiShows(m *pb.Media) bool {
	switch m.GetMediaType() {
	case "audio/wav", "audio/mp3", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac":
		return true
	}
	return isPDF(m) || isImage(m) && m.GetMediaType() != "image/gif"
}

func geminiMedia(m *pb.Media) object {
	if len(m.GetData()) > 0 {
		return object{}.withObject("inlineData", object{}.withText("mimeType", m.GetMediaType()).withText("data", encoded(m)))
	}
	place := m.GetUrl()
	if place == "" {
		place = m.GetFileId()
	}
	return object{}.withObject("fileData", object{}.withText("mimeType", m.GetMediaType()).withText("fileUri", place))
}
