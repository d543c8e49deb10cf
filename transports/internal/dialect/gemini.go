package dialect

import (
	"cmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// gemini returns the dialect of Google's Gemini. The next content has as many functionResponse parts as the model made
// calls, and in their order if they have no ids. The keys "output" and "error" of a response are those that its
// reference names.
func gemini() Dialect {
	return Dialect{
		Provider: pb.Provider_PROVIDER_GEMINI,
		Shape: blocked{
			list: "parts", assistant: "model",
			readText: geminiText, writeText: func(t string) rawjson.Object { return rawjson.Object{}.WithText("text", t) },
			readCall: readGeminiCall, writeCall: writeGeminiCall,
			readTool: readGeminiResult, writeTool: writeGeminiResult, writeMedia: geminiMedia,
		},
		IDs: Pattern{min: 1, max: MaxIDBytes, other: printable},
		Names: Pattern{min: 1, max: 64, first: func(c byte) bool { return c == '_' || alphanumeric(c) && c > '9' },
			other: func(c byte) bool { return word(c) || c == '.' || c == ':' }},
		Results: ResultsNext, OrderedResults: true, AlternatesRoles: true, UserFirst: true, TextBlocks: true, ErrorFlag: true, Shows: geminiShows, Limits: geminiLimits,
	}
}

// geminiText reads a part of text; nil for other parts. Thoughts and parts with a signature go back to the provider as
// they are.
func geminiText(o rawjson.Object) *string {
	if string(o.Get("thought")) == "true" || o.Get("thoughtSignature") != nil {
		return nil // the text of a part with a signature may be empty
	}
	return textMember(o, "text")
}

// readGeminiCall reads a call; nil for other parts. Absent arguments are an empty object.
func readGeminiCall(o rawjson.Object) *Call {
	c := o.Child("functionCall")
	if c == nil {
		return nil
	}
	arguments := cmp.Or(string(c.Get("args")), "{}")
	return &Call{ID: c.Text("id"), Name: c.Text("name"), Arguments: arguments, Signature: o.Text("thoughtSignature")}
}

// writeGeminiCall writes a call. Gemini 3 rejects a call of its own that comes back without its signature.
func writeGeminiCall(base rawjson.Object, c Call) rawjson.Object {
	o := base.Child("functionCall")
	if c.ID != "" {
		o = o.WithText("id", c.ID)
	}
	part := base.WithObject("functionCall", o.WithText("name", c.Name).With("args", rawjson.Compact(c.Arguments)))
	if c.Signature != "" {
		part = part.WithText("thoughtSignature", c.Signature)
	}
	return part
}

// readGeminiResult reads a result; nil for other parts.
func readGeminiResult(o rawjson.Object) *Result {
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
	return &Result{ID: r.Text("id"), Name: r.Text("name"), Text: text, Failed: failed}
}

// writeGeminiResult writes a result. One that was read keeps its response.
func writeGeminiResult(base rawjson.Object, r Result) rawjson.Object {
	o := base.Child("functionResponse")
	if r.ID != "" {
		o = o.WithText("id", r.ID)
	}
	o = o.WithText("name", r.Name)
	if base == nil {
		key := "output"
		if r.Failed {
			key = "error"
		}
		o = o.WithObject("response", rawjson.Object{}.WithText(key, r.Text))
	}
	return base.WithObject("functionResponse", o)
}

// geminiShows reports whether media can be a part: sound, PDF, and images other than GIF, from any source.
func geminiShows(m *pb.Media) bool {
	switch m.GetMediaType() {
	case "audio/wav", "audio/mp3", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac":
		return true
	}
	return isPDF(m) || isImage(m) && m.GetMediaType() != "image/gif"
}

// geminiMedia writes media as a part.
func geminiMedia(m *pb.Media) rawjson.Object {
	if len(m.GetData()) > 0 {
		return rawjson.Object{}.WithObject("inlineData", rawjson.Object{}.WithText("mimeType", m.GetMediaType()).WithText("data", base64Data(m)))
	}
	place := cmp.Or(m.GetUrl(), m.GetFileId())
	return rawjson.Object{}.WithObject("fileData", rawjson.Object{}.WithText("mimeType", m.GetMediaType()).WithText("fileUri", place))
}
