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

// unshown says in words what a provider cannot show.
func unshown(m *pb.Media, of string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s: %s", kindOf(m), of, m.GetMediaType())
	if m.GetName() != "" {
		b.WriteString(", " + m.GetName())
	}
	if n := len(m.GetData()); n > 0 {
		fmt.Fprintf(&b, ", %d bytes", n)
	}
	b.WriteString("; cannot be shown here")
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
