package projectors_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
)

func picture(t *testing.T, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewGray(image.Rect(0, 0, 12, 34))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Facts of an image are read from its bytes. Where the runtime stated others, both
// are shown.
func TestImageFacts(t *testing.T) {
	pngBytes := picture(t, func(b *bytes.Buffer, i image.Image) error { return png.Encode(b, i) })
	jpegBytes := picture(t, func(b *bytes.Buffer, i image.Image) error { return jpeg.Encode(b, i, nil) })
	gifBytes := picture(t, func(b *bytes.Buffer, i image.Image) error { return gif.Encode(b, i, nil) })
	for _, c := range []struct {
		name, given, content    string
		mediaType, other        string
		width, givenWidth, high uint32
	}{
		{"PNG", "image/png", pngBytes, "image/png", "", 12, 0, 34},
		{"JPEG by its short name", "IMAGE/jpg", jpegBytes, "image/jpg", "", 12, 0, 34},
		{"GIF without a type", "", gifBytes, "image/gif", "", 12, 0, 34},
		{"size given", "image/png", pngBytes, "image/png", "", 99, 99, 99},
		{"JPEG that is called PNG", "image/png", jpegBytes, "image/jpeg", "image/png", 12, 0, 34},
		{"page instead of an image", "image/png", "<!doctype html><h1>502</h1>", "text/html", "image/png", 0, 0, 0},
		{"nothing that is known", "image/png", "\x00\x01\x02", "application/octet-stream", "image/png", 0, 0, 0},
		{"SVG", "image/svg+xml", `<?xml version="1.0"?><svg/>`, "image/svg+xml", "", 0, 0, 0},
		{"AVIF", "image/avif", "\x00\x00\x00 ftypavif", "image/avif", "", 0, 0, 0},
		{"cut PNG", "image/png", pngBytes[:20], "image/png", "", 0, 0, 0},
		{"no bytes", "image/png", "", "image/png", "", 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := &pb.ImageContent{Image: inline(c.content), MediaType: c.given}
			if c.givenWidth > 0 {
				content.Width, content.Height = &c.givenWidth, &c.high
			}
			r, _, err := projection(t.Context(), projectors.ImageView(), &pb.CompleteToolOutput{
				Result: &pb.CompleteToolOutput_ImageView{ImageView: &pb.ImageViewOutput{Content: content}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := r.GetImageView().GetImage()
			if got.GetMediaType() != c.mediaType || got.GetGivenType() != c.other || got.GetWidth() != c.width || got.GetHeight() != c.high {
				t.Errorf("%v", got)
			}
			if got.GetBytes() != uint64(len(c.content)) || (len(got.GetArtifacts()) == 1) != (c.content != "") || (got.ImageArtifact != nil) != (c.content != "") {
				t.Errorf("%v", got)
			}
		})
	}
}

// An image of four thousand million pixels is not decoded.
func TestImageBomb(t *testing.T) {
	bomb := []byte(picture(t, func(b *bytes.Buffer, i image.Image) error { return png.Encode(b, i) }))
	binary.BigEndian.PutUint32(bomb[16:], 1<<16)
	binary.BigEndian.PutUint32(bomb[20:], 1<<16)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	r, _, err := projection(t.Context(), projectors.ImageGenerate(), &pb.CompleteToolOutput{
		Result: &pb.CompleteToolOutput_ImageGenerate{ImageGenerate: &pb.ImageGenerateOutput{Contents: []*pb.ImageContent{
			{Image: inline(string(bomb))}, {Image: inline("x")},
		}}},
	})
	if images := r.GetImageGenerate().GetImages(); err != nil || len(images) != 2 || images[0].GetWidth() != 1<<16 {
		t.Errorf("%v, %v", r, err)
	}
}
