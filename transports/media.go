package transports

import (
	"encoding/base64"
	"fmt"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// address is where the bytes of media are, as a URL: the one that was given, or one that
// holds them.
func address(m *pb.Media) string {
	if m.GetUrl() != "" {
		return m.GetUrl()
	}
	return "data:" + m.GetMediaType() + ";base64," + encoded(m)
}

// encoded are the bytes of media in base64.
func encoded(m *pb.Media) string { return base64.StdEncoding.EncodeToString(m.GetData()) }

// unshown says in words what is not shown, and why.
func unshown(m *pb.Media, of string, size uint64, why string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s", kindOf(m), of)
	separator := ": "
	if strings.Contains(m.GetMediaType(), "/") {
		b.WriteString(separator + m.GetMediaType())
		separator = ", "
	}
	if m.GetName() != "" {
		b.WriteString(separator + m.GetName())
		separator = ", "
	}
	if size > 0 {
		fmt.Fprintf(&b, "%s%d bytes", separator, size)
	}
	b.WriteString("; " + why)
	switch {
	case m.GetPath() != "":
		b.WriteString("; file: " + m.GetPath())
	case m.GetUrl() != "":
		b.WriteString("; url: " + m.GetUrl())
	}
	return b.String()
}

func kindOf(m *pb.Media) string {
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
