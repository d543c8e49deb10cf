package transports

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zeebo/blake3"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
)

func TestControlCharactersAreThoseOfASCII(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]bool{0: true, 0x1f: true, ' ': false, '~': false, 0x7f: true, 0x80: false, utf8.RuneError: true, 'é': false} {
		if isControl(r) != want {
			t.Errorf("%U: %v", r, !want)
		}
	}
}

// An index that a caller changed names no media, up to the number of artifacts.
func TestImagesNeedTheirArtifact(t *testing.T) {
	t.Parallel()
	image := func(index *uint32, path string) *pb.ImageReference {
		return &pb.ImageReference{MediaType: "image/png", ImageArtifact: index, Artifacts: []*pb.ArtifactReference{{Path: path}}}
	}
	for _, c := range []struct {
		image *pb.ImageReference
		want  int
	}{
		{image(new(uint32(0)), "/a"), 1}, {image(new(uint32(1)), "/a"), 0}, {image(new(^uint32(0)), "/a"), 0}, {image(nil, "/a"), 0}, {image(new(uint32(0)), "/a\n"), 0},
	} {
		if got := imageMedia(c.image); len(got) != c.want {
			t.Errorf("%v has %d media", c.image, len(got))
		}
	}
}

// Media are given when the caller sent the same bytes or the same path, and not by being empty alike.
func TestGivenMediaAreFoundByPathOrDigest(t *testing.T) {
	t.Parallel()
	digest := func(text string) string { return fmt.Sprintf("blake3:%x", blake3.Sum256([]byte(text))) }
	data := func(text string) *pb.Media { return &pb.Media{Source: &pb.Media_Data{Data: []byte(text)}} }
	for _, c := range []struct {
		digest string
		given  *pb.Media
		want   bool
	}{
		{digest("x"), data("x"), true}, {digest("x"), data("y"), false}, {digest(""), data(""), false}, {digest(""), &pb.Media{Path: "/b"}, false},
		{"", data("x"), false}, {"", &pb.Media{Path: "/a"}, true},
	} {
		m := artifactMedia{media: &pb.Media{Path: "/a"}, digest: c.digest}
		if m.isGiven([]*pb.Media{c.given}) != c.want {
			t.Errorf("%v with %.20s: %v", c.given, c.digest, !c.want)
		}
	}
	if (&artifactMedia{media: &pb.Media{Path: "/a"}}).isGiven(nil) {
		t.Error("nothing was given")
	}
}

// pngHeader is the beginning of a PNG image, by which its type is known.
const pngHeader = "\x89PNG\r\n\x1a\n"

// fixedLoader is a Loader of one payload; it fails beyond its limit, and counts its calls.
type fixedLoader struct {
	data  string
	loads int
}

func (l *fixedLoader) Load(_ string, limit int) ([]byte, error) {
	if l.loads++; len(l.data) > limit {
		return nil, ErrTooLarge
	}
	return []byte(l.data), nil
}

// Media that fill a limit are shown, and one byte or one image more is not.
func TestLimitsOfMediaAreInclusive(t *testing.T) {
	t.Parallel()
	shows := func(m *pb.Media) bool { return dialect.MediaKind(m) == "Image" }
	given := func(n int) *pb.Media {
		return &pb.Media{MediaType: "image/png", Source: &pb.Media_Data{Data: make([]byte, n)}}
	}
	e := encoder{dialect: dialect.Dialect{Shows: shows, Limits: dialect.Limits{Image: dialect.Limit{Bytes: 10, Count: 2}}}, resp: &pb.EncodeTurnResponse{Native: true}}
	for i, c := range []struct {
		media *pb.Media
		want  string
	}{
		{given(10), ""}, {given(11), mediaTooLarge}, {given(1), ""}, {given(1), mediaTooMany}, {&pb.Media{MediaType: "audio/wav"}, mediaNotShown},
	} {
		if got := e.mediaProblem(c.media); got != c.want {
			t.Errorf("media %d: %q, want %q", i, got, c.want)
		}
	}
	for _, c := range []struct {
		name       string
		mediaBytes int
		size       uint64
		loader     *fixedLoader
		want       string
		loads      int
	}{
		{"fits", 1000, 8, &fixedLoader{data: pngHeader}, "", 1},
		{"fits exactly", 12, 9, &fixedLoader{data: pngHeader + "x"}, "", 1},
		{"is larger than the rest of the message", 12, 10, &fixedLoader{data: pngHeader}, mediaTooLarge, 0},
		{"has no rest of the message", 0, 0, &fixedLoader{data: pngHeader}, mediaTooLarge, 0},
		{"is larger than was stated", 12, 8, &fixedLoader{data: pngHeader + "xx"}, mediaTooLarge, 1},
		{"is of another kind", 1000, 4, &fixedLoader{data: "text"}, mediaNotShown, 1},
	} {
		e := encoder{
			dialect: dialect.Dialect{Shows: shows, Limits: dialect.Limits{Image: dialect.Limit{Bytes: 1000, Count: 1}}}, resp: &pb.EncodeTurnResponse{Native: true},
			loader: c.loader, mediaBytes: c.mediaBytes,
		}
		m := artifactMedia{media: &pb.Media{MediaType: "image/png", Path: "/a"}, bytes: c.size}
		why, err := e.loadMedia(&m)
		if why != c.want || err != nil || c.loader.loads != c.loads {
			t.Errorf("an image that %s: %q, %v, %d loads", c.name, why, err, c.loader.loads)
		}
		if why == "" && e.mediaBytes >= c.mediaBytes {
			t.Errorf("an image that %s: nothing is counted", c.name)
		}
	}
}

// A note names its call, the first one, too, or the turn as a whole.
func TestNotesNameTheirCall(t *testing.T) {
	t.Parallel()
	e := encoder{resp: &pb.EncodeTurnResponse{}}
	e.addNote(pb.TurnChange_TURN_CHANGE_ID, 0, "first")
	e.addNote(pb.TurnChange_TURN_CHANGE_EMPTY, -1, "turn %d", 1)
	notes := e.resp.GetChanges()
	if len(notes) != 2 || notes[0].Call == nil || notes[0].GetCall() != 0 || notes[1].Call != nil || notes[1].GetDetail() != "turn 1" {
		t.Errorf("%v", notes)
	}
}

// White space that the model wrote beside a call is omitted, and noted once.
func TestBlankTextBesideACallIsNoted(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]int{" \n": 1, "": 0, "I look.": 0} {
		resp, err := EncodeTurn(&pb.EncodeTurnRequest{Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, Assistant: &pb.AssistantTurn{
			Content: content, ToolCalls: []*pb.ParsedToolCall{{Id: new("toolu_1"), Tool: "read", Arguments: "{}"}},
		}, Results: []*pb.TurnResult{{CallId: new("toolu_1"), Content: &pb.TurnResult_Text{Text: "x"}}}}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, n := range resp.GetChanges() {
			if n.GetChange() == pb.TurnChange_TURN_CHANGE_EMPTY && n.Call == nil {
				got++
			}
		}
		if got != want || strings.Contains(resp.GetMessagesJson()[0], `"text"`) != (content == "I look.") {
			t.Errorf("%q: %d notes, %s", content, got, resp.GetMessagesJson()[0])
		}
	}
}

// Messages have types of the contract for one provider alone: the runtime's own form.
func TestChatMessagesAreOfChatAlone(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		resp, err := EncodeTurn(&pb.EncodeTurnRequest{Provider: d.Provider, Assistant: &pb.AssistantTurn{Content: "Done."}, UserText: "Go on."}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		if d.Provider == pb.Provider_PROVIDER_CHAT {
			want = len(resp.GetMessagesJson())
		}
		if got := len(resp.GetChatMessages()); got != want {
			t.Errorf("%v has %d typed messages, want %d", d.Provider, got, want)
		}
	}
}

// A block of the provider has its place before one of the calls, or behind all of them.
func TestPlacesOfProviderBlocks(t *testing.T) {
	t.Parallel()
	for before, want := range map[uint32]bool{0: true, 1: true, 2: false} {
		_, err := EncodeTurn(&pb.EncodeTurnRequest{Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, Assistant: &pb.AssistantTurn{
			ToolCalls:      []*pb.ParsedToolCall{{Id: new("toolu_1"), Tool: "read"}},
			ProviderBlocks: []*pb.ProviderBlock{{Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, BlockJson: `{"type":"thinking"}`, BeforeCall: &before}},
		}}, nil, 0)
		if (err == nil) != want {
			t.Errorf("before call %d: %v", before, err)
		}
	}
}
