package dialect

import (
	"encoding/base64"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// address is where the bytes of media are, as a URL: the one that was given, or one that
// holds them.
func dataURL(m *pb.Media) string {
	if m.GetUrl() != "" {
		return m.GetUrl()
	}
	return "data:" + m.GetMediaType() + ";base64," + base64Data(m)
}

// encoded are the bytes of media in base64.
func base64Data(m *pb.Media) string { return base64.StdEncoding.EncodeToString(m.GetData()) }

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

func isImage(m *pb.Media) bool {
	switch m.GetMediaType() {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

func isPDF(m *pb.Media) bool { return m.GetMediaType() == "application/pdf" }

// fileName is a name for a document, which providers want even if it has none.
func fileName(m *pb.Media) string {
	if name := m.GetName(); name != "" {
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	return "document.pdf"
}
