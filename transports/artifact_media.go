package transports

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
)

// This file shows the images, documents and sounds that canonical results have as artifacts. Their bytes are read as late
// as possible and only if the provider shows them: first the limits of the provider, then those of the message, then the
// read, and then what the bytes really are. What is not shown is described in words, so that the model knows of it.

// Errors by which a Loader says that it has no bytes. EncodeTurn describes such media in words.
var (
	// ErrGone means that an artifact is unknown, deleted or corrupt.
	ErrGone = errors.New("the artifact cannot be read")
	// ErrTooLarge means that an artifact has more bytes than the limit.
	ErrTooLarge = errors.New("the artifact is larger than the limit")
)

// Loader reads artifacts.
type Loader interface {
	// Load returns the bytes of the artifact at a path, at most limit bytes. Errors other than ErrGone and ErrTooLarge
	// end EncodeTurn.
	Load(path string, limit int) ([]byte, error)
}

// artifactMedia is an image, a document or a sound that a canonical result has as an artifact.
type artifactMedia struct {
	media      *pb.Media // without a source until loadMedia
	bytes      uint64
	digest     string
	incomplete bool
}

// listArtifactMedia lists the media of a canonical result. A compacted result has none: its receipt still names the
// files.
func listArtifactMedia(r *pb.CanonicalToolResult) []artifactMedia {
	_, payload := envelope.Payload(r)
	if payload == nil || envelope.Level(payload) != pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED {
		return nil
	}
	switch {
	case r.GetImageView() != nil:
		return imageMedia(r.GetImageView().GetImage())
	case r.GetImageGenerate() != nil:
		return imageMedia(r.GetImageGenerate().GetImages()...)
	case r.GetExternalMcp() != nil:
		return attachmentMedia(r.GetExternalMcp().GetAttachments())
	case r.GetExternalJson() != nil:
		return attachmentMedia(r.GetExternalJson().GetAttachments())
	}
	return nil
}

// imageMedia lists the images whose bytes are artifacts.
func imageMedia(images ...*pb.ImageReference) []artifactMedia {
	var list []artifactMedia
	for _, i := range images {
		// The index is that of a canonical result, which a caller may have changed.
		if i.ImageArtifact == nil || i.GetImageArtifact() >= uint32(len(i.GetArtifacts())) {
			continue // it has no bytes
		}
		if m := typedMedia("image", i.GetMediaType(), i.GetArtifacts()[i.GetImageArtifact()].GetPath()); m != nil {
			list = append(list, artifactMedia{media: m, bytes: i.GetBytes(), digest: i.GetDigest(), incomplete: i.GetIncomplete()})
		}
	}
	return list
}

// attachmentMedia lists the attachments whose bytes are artifacts. One whose bytes are part of the text of the result
// is not shown a second time.
func attachmentMedia(attachments []*pb.ExternalAttachment) []artifactMedia {
	var list []artifactMedia
	for _, a := range attachments {
		if a.GetArtifact().GetPath() == "" || a.GetInText() || a.GetUndecoded() {
			continue
		}
		kind := ""
		switch a.GetKind() {
		case pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_IMAGE:
			kind = "image"
		case pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_AUDIO:
			kind = "audio"
		case pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_RESOURCE, pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_BASE64:
		default:
			continue
		}
		if m := typedMedia(kind, a.GetMediaType(), a.GetArtifact().GetPath()); m != nil {
			list = append(list, artifactMedia{media: m, bytes: a.GetBytes(), digest: a.GetDigest()})
		}
	}
	return list
}

// typedMedia returns media of a kind or, for "", of the kind of the type. It returns nil if no provider shows that
// kind, and if the path has control characters. The type is the tool's claim, which the model reads: one that is not
// well formed is replaced by the kind.
func typedMedia(kind, mediaType, path string) *pb.Media {
	if strings.ContainsFunc(path, isControl) {
		return nil
	}
	// Parameters such as "; charset=binary" are not part of the type that providers compare.
	mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	main, sub, _ := strings.Cut(strings.TrimSpace(mediaType), "/")
	formed := sub != "" && len(sub) <= dialect.MaxNameBytes && strings.Trim(sub, "abcdefghijklmnopqrstuvwxyz0123456789.+-") == ""
	switch {
	case formed && (main == kind || kind == "" && (main == "image" || main == "audio" || main == "application" && sub == "pdf")):
		return &pb.Media{MediaType: main + "/" + sub, Path: path}
	case kind == "":
		return nil
	}
	return &pb.Media{MediaType: kind, Path: path}
}

// isGiven reports whether the caller gave the same media beside the result.
func (o *artifactMedia) isGiven(given []*pb.Media) bool {
	for _, m := range given {
		// A path names content that does not change, so the same path is the same image.
		if m.GetPath() == o.media.GetPath() {
			return true
		}
		if len(m.GetData()) > 0 && o.digest != "" && o.digest == fmt.Sprintf("blake3:%x", blake3.Sum256(m.GetData())) {
			return true
		}
	}
	return false
}

// Reasons why media of a result are not shown, as the model reads them.
const (
	mediaNotShown   = "cannot be shown here"
	mediaTooLarge   = "too large to be shown here"
	mediaTooMany    = "one more than can be shown here"
	mediaGone       = "not there any more"
	mediaIncomplete = "incomplete, and " + mediaNotShown
)

// loadMedia reads the bytes of media of a canonical result, or returns the reason why they are not shown. The checks
// before the read keep EncodeTurn from reading what it could not show.
func (e *encoder) loadMedia(o *artifactMedia) (why string, err error) {
	kind := dialect.MediaKind(o.media)
	isImage := kind == "Image"
	switch {
	case o.incomplete:
		return mediaIncomplete, nil
	case !e.resp.GetNative() || e.loader == nil || !e.showsKind(kind):
		return mediaNotShown, nil
	case !e.countMedia(isImage):
		return mediaTooMany, nil
	}
	// What is left of the message bounds the read as well, so that nothing is loaded to be thrown away.
	limit := min(e.dialect.Limits.Of(isImage).Bytes, base64.StdEncoding.DecodedLen(e.mediaBytes))
	if limit <= 0 || o.bytes > uint64(limit) {
		return mediaTooLarge, nil
	}
	data, err := e.loader.Load(o.media.GetPath(), limit)
	switch {
	case errors.Is(err, ErrGone):
		return mediaGone, nil
	case errors.Is(err, ErrTooLarge), err == nil && e.hasTooManyPixels(data):
		return mediaTooLarge, nil
	case err != nil:
		return "", err
	}
	// The bytes decide: a file whose type the tool got wrong may be shown, or be of a kind that is not.
	shown := &pb.Media{MediaType: sniffType(data), Source: &pb.Media_Data{Data: data}, Path: o.media.GetPath()}
	if dialect.MediaKind(shown) != kind || !e.dialect.Shows(shown) {
		return mediaNotShown, nil
	}
	o.media = shown
	e.mediaBytes -= base64.StdEncoding.EncodedLen(len(data))
	return "", nil
}

// showsKind reports whether the provider shows media of a kind at all.
func (e *encoder) showsKind(kind string) bool {
	typical := map[string]string{"Image": "image/png", "Audio": "audio/wav", "Document": "application/pdf"}[kind]
	return e.dialect.Shows(&pb.Media{MediaType: typical, Source: &pb.Media_Data{Data: []byte{0}}})
}

// countMedia counts an image or a document and reports whether the provider accepts it.
func (e *encoder) countMedia(image bool) bool {
	n := &e.documents
	if image {
		n = &e.images
	}
	*n++
	return *n <= e.dialect.Limits.Of(image).Count
}

// sniffType returns the type of bytes by their first ones, by its common name. What a tool claims of its images is
// often wrong, and providers reject bytes that are not of the type that they are sent with.
func sniffType(data []byte) string {
	switch seen := http.DetectContentType(data); seen {
	case "audio/wave":
		return "audio/wav"
	case "audio/mpeg":
		return "audio/mp3"
	case "application/ogg":
		return "audio/ogg"
	default:
		return seen
	}
}

// decodeConfig reads width and height from the header of a file.
var decodeConfig = map[string]func(io.Reader) (image.Config, error){
	"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig,
}

// hasTooManyPixels reports whether an image is wider or higher than the provider accepts. Images without a known header
// are not.
func (e *encoder) hasTooManyPixels(data []byte) bool {
	size := decodeConfig[sniffType(data)]
	if size == nil || e.dialect.Limits.Pixels == 0 {
		return false
	}
	c, err := size(bytes.NewReader(data))
	return err == nil && max(c.Width, c.Height) > e.dialect.Limits.Pixels
}

// describeOmitted describes media that are not shown, and says why.
func describeOmitted(m *pb.Media, of string, size uint64, why string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s", dialect.MediaKind(m), of)
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
