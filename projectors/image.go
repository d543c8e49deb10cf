package projectors

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/web"
)

// Bounds of the facts of an image, in bytes, as image.proto states them.
const (
	maxImageID     = 128
	maxImagePath   = 4096
	maxImageSource = 1024
)

// ImageView projects an image that was viewed. The image is stored, and the
// observation is text like any other.
func ImageView() Projector {
	return declare("image_view", func(ctx context.Context, w *work) (err error) {
		from, result := w.from.Interface().(*pb.ImageViewOutput), w.into.Interface().(*pb.ImageViewResult)
		result.Image, err = keepImage(ctx, from.GetContent(), w.sink)
		return err
	})
}

// ImageGenerate projects generated images. All of them are stored.
func ImageGenerate() Projector {
	return declare("image_generate", func(ctx context.Context, w *work) error {
		from, _ := w.from.Interface().(*pb.ImageGenerateOutput)
		all := &pb.ImageGenerateResult{}
		for i, content := range from.GetContents() {
			ref, err := keepImage(ctx, content, w.sink)
			if err != nil {
				return fmt.Errorf("image %d: %w", i+1, err)
			}
			all.Images = append(all.Images, ref)
		}
		lists := envelope.LargeLists(w.into.Descriptor())
		images := &list{field: &lists[0], into: w.into, all: all.ProtoReflect().Get(lists[0].Field).List()}
		w.parts = append(w.parts, images)
		result, _ := w.into.Interface().(*pb.ImageGenerateResult)
		w.finish = func() { result.Digest = images.stored.Digest }
		return nil
	})
}

// keepImage stores an image and states its facts. An image without bytes, which the
// source has lost, has facts alone.
func keepImage(ctx context.Context, in *pb.ImageContent, sink artifactstore.Sink) (*pb.ImageReference, error) {
	content, loss := in.GetImage().GetInline(), in.GetImage().GetSourceLoss()
	ref := &pb.ImageReference{
		Id: cutText(in.GetId(), maxImageID), MediaType: cutText(web.MediaType(in.GetMediaType()), maxMediaType), Bytes: uint64(len(content)), Digest: contentDigest(content),
		Width: in.Width, Height: in.Height, Path: cutText(in.GetPath(), maxImagePath), Source: cutText(in.GetSource(), maxImageSource), SourceLoss: loss, Incomplete: loss != nil,
	}
	if len(content) == 0 {
		return ref, nil
	}
	seen := web.MediaType(http.DetectContentType(content))
	setMediaType(ref, seen)
	setSize(ref, seen, content)
	stored, err := sink.Put(ctx, artifactstore.BytesBlob(content))
	if err != nil {
		return nil, err
	}
	ref.Artifacts, ref.ImageArtifact = []*pb.ArtifactReference{{Path: stored.Path}}, new(uint32(0))
	return ref, nil
}

// setMediaType completes the media type from the bytes, and corrects it where they are
// certainly of another type: a service that fails often sends a page in the place of
// an image.
func setMediaType(ref *pb.ImageReference, seen string) {
	given := strings.Replace(ref.GetMediaType(), "image/jpg", "image/jpeg", 1)
	switch {
	case given == "":
		ref.MediaType = seen
	case given != seen && (recognised[seen] || recognised[given]):
		ref.MediaType, ref.GivenType = seen, ref.GetMediaType()
	}
}

// recognised holds the types that http.DetectContentType identifies with certainty.
// Bytes of another type, such as SVG or AVIF, may look like anything.
var recognised = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/bmp": true, "text/html": true,
	"application/pdf": true,
}

// sizes reads width and height from the header of a file. Pixels are never decoded: a
// small file can have very many of them.
var sizes = map[string]func(io.Reader) (image.Config, error){
	"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig,
}

// setSize completes width and height. A header that cannot be read states none, and
// those that the runtime gave stay.
func setSize(ref *pb.ImageReference, seen string, content []byte) {
	size := sizes[seen]
	if size == nil || ref.Width != nil && ref.Height != nil {
		return
	}
	if c, err := size(bytes.NewReader(content)); err == nil {
		ref.Width, ref.Height = new(uint32(c.Width)), new(uint32(c.Height))
	}
}
