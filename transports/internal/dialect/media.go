package dialect

import (
	"encoding/base64"
	"slices"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// dataURL returns the URL of media: the URL that was given or, for bytes, a data URL (RFC 2397).
func dataURL(m *pb.Media) string {
	if m.GetUrl() != "" {
		return m.GetUrl()
	}
	return "data:" + m.GetMediaType() + ";base64," + base64Data(m)
}

// base64Data returns the bytes of media in base64.
func base64Data(m *pb.Media) string { return base64.StdEncoding.EncodeToString(m.GetData()) }

// MediaKind returns the word for media of a type: Image, Audio, Video or Document.
func MediaKind(m *pb.Media) string {
	switch kind, _, _ := strings.Cut(m.GetMediaType(), "/"); kind {
	case "image":
		return "Image"
	case "audio":
		return "Audio"
	case "video":
		return "Video"
	}
	return "Document"
}

// isImage reports whether media are an image of one of the types that providers accept.
func isImage(m *pb.Media) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, m.GetMediaType())
}

// isPDF reports whether media are a PDF document.
func isPDF(m *pb.Media) bool { return m.GetMediaType() == "application/pdf" }

// fileName returns the last element of the name of a document. Providers require a name, so a document without one gets
// one.
func fileName(m *pb.Media) string {
	if name := m.GetName(); name != "" {
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	return "document.pdf"
}
