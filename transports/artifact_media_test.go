package transports_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color/palette"
	"image/gif"
	"strings"
	"testing"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/turntest"
)

// memory is a store whose artifacts may fail to be read.
type memory struct {
	files map[string][]byte
	fails error
	asked []string
}

// Load returns a file.
func (m *memory) Load(path string, limit int) ([]byte, error) {
	m.asked = append(m.asked, path)
	data, ok := m.files[path]
	switch {
	case m.fails != nil:
		return nil, m.fails
	case !ok:
		return nil, transports.ErrGone
	case len(data) > limit:
		return nil, transports.ErrTooLarge
	}
	return data, nil
}

// fakeImage returns bytes that begin like an image.
func fakeImage(begin string, size int) []byte {
	return append([]byte(begin), bytes.Repeat([]byte{7}, max(0, size-len(begin)))...)
}

const (
	pngBegin  = "\x89PNG\r\n\x1a\n"
	webpBegin = "RIFF\x00\x00\x00\x00WEBPVP8 "
)

func viewed(paths ...string) *pb.CanonicalToolResult {
	r := turntest.Result(false)
	made := &pb.ImageGenerateResult{}
	for _, p := range paths {
		made.Images = append(made.Images, &pb.ImageReference{
			MediaType: "image/png", ImageArtifact: proto.Uint32(0), Artifacts: []*pb.ArtifactReference{{Path: p}},
		})
	}
	r.Result = &pb.CanonicalToolResult_ImageGenerate{ImageGenerate: made}
	return r
}

func turnWith(provider pb.Provider, results ...*pb.CanonicalToolResult) *pb.EncodeTurnRequest {
	req := &pb.EncodeTurnRequest{Provider: provider, Assistant: &pb.AssistantTurn{Content: "I look."}}
	for i, r := range results {
		req.Assistant.ToolCalls = append(req.Assistant.ToolCalls, &pb.ParsedToolCall{Tool: "view", Id: proto.String(fmt.Sprintf("call_%d", i))})
		req.Results = append(req.Results, &pb.TurnResult{Content: &pb.TurnResult_Canonical{Canonical: r}, Receipt: &pb.Receipt{Text: "Images"}})
	}
	return req
}

// shownIn counts how often the messages have bytes as an image.
func shownIn(resp *pb.EncodeTurnResponse, data []byte) int {
	return strings.Count(strings.Join(resp.GetMessagesJson(), ""), base64.StdEncoding.EncodeToString(data))
}

func descriptions(resp *pb.EncodeTurnResponse, path string) (said []string) {
	for _, n := range resp.GetChanges() {
		if n.GetChange() == pb.TurnChange_TURN_CHANGE_MEDIA && strings.HasSuffix(n.GetDetail(), "; file: "+path) {
			said = append(said, n.GetDetail())
		}
	}
	return said
}

// TestEveryImageIsShownOrSaid takes random images of random results: the messages have the bytes of each, or words, and
// never more bytes than allowed.
func TestEveryImageIsShownOrSaid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		store := &memory{files: map[string][]byte{}}
		var results []*pb.CanonicalToolResult
		var all []string
		for range rapid.IntRange(1, 4).Draw(t, "results") {
			var paths []string
			for range rapid.IntRange(0, 12).Draw(t, "images") {
				path := fmt.Sprintf("/store/%03d", len(all))
				begin := rapid.SampledFrom([]string{pngBegin, webpBegin, "GIF89a", "\xff\xd8\xff", "<svg>", "BM", ""}).Draw(t, "type")
				if rapid.IntRange(0, 5).Draw(t, "is there") > 0 {
					store.files[path] = fakeImage(begin+path, rapid.IntRange(16, 4000).Draw(t, "size"))
				}
				paths, all = append(paths, path), append(all, path)
			}
			results = append(results, viewed(paths...))
		}
		req := turnWith(rapid.SampledFrom(turntest.Providers()).Draw(t, "provider"), results...)
		if rapid.IntRange(0, 3).Draw(t, "as text") == 0 {
			req.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
		}
		limit := rapid.IntRange(-10, 40_000).Draw(t, "limit")
		resp, err := transports.EncodeTurn(req, store, limit)
		if err != nil {
			t.Fatal(err)
		}
		took := 0
		for _, path := range all {
			said, shown := len(descriptions(resp, path)), 0
			if data := store.files[path]; data != nil {
				shown = shownIn(resp, data)
				took += shown * base64.StdEncoding.EncodedLen(len(data))
			}
			if said+shown != 1 {
				t.Fatalf("%s is shown %d times and said %d times: %v", path, shown, said, resp)
			}
		}
		if took > max(0, limit) {
			t.Fatalf("%d bytes of images where %d may be", took, limit)
		}
	})
}

// Limits are those of the providers' documentation: an image of that size is shown, and one byte more is not.
func TestLimitsOfProviders(t *testing.T) {
	t.Parallel()
	for provider, c := range map[pb.Provider]struct{ size, images int }{
		pb.Provider_PROVIDER_ANTHROPIC_MESSAGES: {3_932_160, 100},
		pb.Provider_PROVIDER_BEDROCK_CONVERSE:   {3_750_000, 20},
		pb.Provider_PROVIDER_MISTRAL:            {10_000_000, 8},
	} {
		t.Run(provider.String(), func(t *testing.T) {
			t.Parallel()
			fits, larger := fakeImage(pngBegin, c.size), fakeImage(pngBegin+"larger", c.size+1)
			store := &memory{files: map[string][]byte{"/fits": fits, "/larger": larger}}
			resp, err := transports.EncodeTurn(turnWith(provider, viewed("/fits", "/larger")), store, 64<<20)
			if err != nil || shownIn(resp, fits) != 1 || len(descriptions(resp, "/larger")) != 1 {
				t.Fatalf("%v, %v", resp.GetChanges(), err)
			}
			var paths []string
			for i := range c.images + 2 {
				path := fmt.Sprintf("/%d", i)
				paths, store.files[path] = append(paths, path), fakeImage(pngBegin+path, 20)
			}
			resp, err = transports.EncodeTurn(turnWith(provider, viewed(paths...)), store, 64<<20)
			if err != nil || len(descriptions(resp, paths[c.images])) != 1 || len(descriptions(resp, paths[c.images+1])) != 1 || shownIn(resp, store.files[paths[c.images-1]]) != 1 {
				t.Fatalf("%v, %v", resp.GetChanges(), err)
			}
		})
	}
}

// Media that the caller gave beside a result are not shown a second time: neither by their bytes nor by their path.
func TestGivenImageIsNotShownTwice(t *testing.T) {
	t.Parallel()
	data := fakeImage(pngBegin, 40)
	store := &memory{files: map[string][]byte{"/a": data}}
	r := viewed("/a")
	r.GetImageGenerate().Images[0].Digest = fmt.Sprintf("blake3:%x", blake3.Sum256(data))
	for name, given := range map[string]*pb.Media{
		"same bytes": {MediaType: "image/png", Source: &pb.Media_Data{Data: data}},
		"same path":  {MediaType: "image/png", Source: &pb.Media_FileId{FileId: "file_1"}, Path: "/a"},
	} {
		req := turnWith(pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, r)
		req.Results[0].Media = []*pb.Media{given}
		resp, err := transports.EncodeTurn(req, store, 1<<20)
		if err != nil || strings.Count(strings.Join(resp.GetMessagesJson(), ""), `"type":"image"`) != 1 || len(resp.GetChanges()) > 0 {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
}

// A compacted result costs no tokens of an image: its receipt names the file.
func TestCompactedImageIsNotShown(t *testing.T) {
	t.Parallel()
	store := &memory{files: map[string][]byte{"/a": fakeImage(pngBegin, 40)}}
	r := viewed("/a")
	r.GetImageGenerate().CompactionLevel = pb.CompactionLevel_COMPACTION_LEVEL_HANDLES
	resp, err := transports.EncodeTurn(turnWith(pb.Provider_PROVIDER_GEMINI, r), store, 1<<20)
	if err != nil || shownIn(resp, store.files["/a"]) != 0 || len(resp.GetChanges()) > 0 || len(store.asked) > 0 {
		t.Errorf("%v, %v, %v", resp, store.asked, err)
	}
}

// A store that fails is no image that is gone: the turn fails, and can be encoded again.
func TestFailingStoreEndsTheTurn(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	_, err := transports.EncodeTurn(turnWith(pb.Provider_PROVIDER_GEMINI, viewed("/a")), &memory{fails: down}, 1<<20)
	if !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
}

// For a provider without images, and for turns that are text, nothing is read.
func TestNothingIsReadThatIsNotShown(t *testing.T) {
	t.Parallel()
	store := &memory{files: map[string][]byte{"/a": fakeImage(pngBegin, 40)}}
	text := turnWith(pb.Provider_PROVIDER_GEMINI, viewed("/a"))
	text.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
	for _, req := range []*pb.EncodeTurnRequest{turnWith(pb.Provider_PROVIDER_CHAT, viewed("/a")), text} {
		resp, err := transports.EncodeTurn(req, store, 1<<20)
		if err != nil || len(store.asked) > 0 || len(descriptions(resp, "/a")) != 1 {
			t.Errorf("%v, %v, %v", resp, store.asked, err)
		}
	}
}

// attached is a result with attachments of an external tool.
func attached(list ...*pb.ExternalAttachment) *pb.CanonicalToolResult {
	r := turntest.Result(false)
	r.Result = &pb.CanonicalToolResult_ExternalJson{ExternalJson: &pb.ExternalJsonResult{Attachments: list}}
	return r
}

// Attachments are shown by their kind or, if they have none, by their type; a type that is not well formed is not repeated.
func TestAttachmentsAreShownByKindOrType(t *testing.T) {
	t.Parallel()
	const (
		isImage    = pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_IMAGE
		isAudio    = pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_AUDIO
		isResource = pb.ExternalAttachmentKind_EXTERNAL_ATTACHMENT_KIND_RESOURCE
	)
	wav := append([]byte("RIFF\x00\x00\x00\x00WAVE"), make([]byte, 40)...)
	store := &memory{files: map[string][]byte{
		"/png": fakeImage(pngBegin, 40), "/wav": wav, "/mp3": append([]byte("ID3"), make([]byte, 40)...), "/ogg": append([]byte("OggS\x00"), make([]byte, 40)...), "/pdf": []byte("%PDF-1.7"),
	}}
	for _, c := range []struct {
		path, mediaType string
		kind            pb.ExternalAttachmentKind
		want            string // what the messages contain
	}{
		{"/png", "image/png; charset=x", isImage, `"mimeType":"image/png"`},
		{"/png", "IMAGE/PNG", isResource, `"mimeType":"image/png"`},
		{"/png", "image/<b>", isImage, `"mimeType":"image/png"`},
		{"/wav", "audio/x-wav", isAudio, `"mimeType":"audio/wav"`},
		{"/mp3", "audio/mpeg", isResource, `"mimeType":"audio/mp3"`},
		{"/ogg", "audio/ogg", isAudio, `"mimeType":"audio/ogg"`},
		{"/pdf", "application/pdf", isResource, `"mimeType":"application/pdf"`},
		{"/pdf", "image/png", isImage, "Image of view (call_0): image/png; cannot be shown here; file: /pdf"},
		{"/gone", "image/<b>", isImage, "Image of view (call_0); not there any more; file: /gone"},
	} {
		r := attached(&pb.ExternalAttachment{Kind: c.kind, MediaType: c.mediaType, Artifact: &pb.ArtifactReference{Path: c.path}})
		resp, err := transports.EncodeTurn(turnWith(pb.Provider_PROVIDER_GEMINI, r), store, 1<<20)
		if err != nil || strings.Count(strings.Join(resp.GetMessagesJson(), ""), c.want) != 1 {
			t.Errorf("%+v: %v, %v", c, resp, err)
		}
	}
	store.asked = nil
	none := attached(
		&pb.ExternalAttachment{Kind: isImage, MediaType: "image/png"},
		&pb.ExternalAttachment{Kind: isImage, MediaType: "image/png", InText: true, Artifact: &pb.ArtifactReference{Path: "/png"}},
		&pb.ExternalAttachment{Kind: isImage, MediaType: "image/png", Undecoded: true, Artifact: &pb.ArtifactReference{Path: "/png"}},
		&pb.ExternalAttachment{Kind: isImage, MediaType: "image/png", Artifact: &pb.ArtifactReference{Path: "/p\nng"}},
		&pb.ExternalAttachment{Kind: isResource, MediaType: "text/plain", Artifact: &pb.ArtifactReference{Path: "/png"}},
		&pb.ExternalAttachment{Kind: 99, MediaType: "image/png", Artifact: &pb.ArtifactReference{Path: "/png"}},
	)
	resp, err := transports.EncodeTurn(turnWith(pb.Provider_PROVIDER_GEMINI, none), store, 1<<20)
	if err != nil || len(resp.GetChanges()) > 0 || len(store.asked) > 0 {
		t.Errorf("%v, %v, %v", resp, store.asked, err)
	}
}

// An image that is incomplete, or has more pixels than the provider accepts, would have the whole request rejected.
func TestIncompleteAndHugeImagesAreDescribed(t *testing.T) {
	t.Parallel()
	var small, huge bytes.Buffer
	for side, b := range map[int]*bytes.Buffer{10: &small, 8001: &huge} {
		if err := gif.Encode(b, image.NewPaletted(image.Rect(0, 0, side, 1), palette.Plan9), nil); err != nil {
			t.Fatal(err)
		}
	}
	store := &memory{files: map[string][]byte{"/small": small.Bytes(), "/huge": huge.Bytes()}}
	r := &pb.ImageReference{MediaType: "image/gif", ImageArtifact: proto.Uint32(0), Artifacts: []*pb.ArtifactReference{{Path: "/small"}}, Incomplete: true}
	cut := turntest.Result(false)
	cut.Result = &pb.CanonicalToolResult_ImageView{ImageView: &pb.ImageViewResult{Image: r}}
	for _, c := range []struct {
		result *pb.CanonicalToolResult
		path   string
		want   string
	}{
		{cut, "/small", "incomplete, and cannot be shown here"}, {viewed("/huge"), "/huge", "too large to be shown here"}, {viewed("/small"), "/small", ""},
	} {
		resp, err := transports.EncodeTurn(turnWith(pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, c.result), store, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(descriptions(resp, c.path), "")
		if !strings.Contains(said, c.want) || (said == "") != (c.want == "") || shownIn(resp, store.files[c.path]) == 1 != (c.want == "") {
			t.Errorf("%s: %q", c.path, said)
		}
	}
}
