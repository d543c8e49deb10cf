package transports

import (
	"fmt"
	"os"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestDocumentedDialects compares the table of docs/reference/transports.md with the dialects.
func TestDocumentedDialects(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/reference/transports.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| provider | ids of calls | results stand | an error | images, documents | notices | stream |\n| --- | --- | --- | --- | --- | --- | --- |\n"
	for _, d := range dialects() {
		want += d.row()
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("docs/reference/transports.md should have\n%s", want)
	}
}

// TestEveryProvider looks for the dialect of every provider of the contract, and for what
// reads its stream.
func TestEveryProvider(t *testing.T) {
	t.Parallel()
	for n, name := range pb.Provider_name {
		if n == 0 {
			continue
		}
		if _, ok := dialectOf(pb.Provider(n)); !ok || streamReaderOf(pb.Provider(n)) == nil {
			t.Errorf("%s has no dialect, or nothing reads its stream", name)
		}
	}
}

func (d *dialect) row() string {
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s |\n",
		strings.TrimPrefix(d.provider.String(), "PROVIDER_"), d.idsText(), d.placeText(), d.errorText(), d.mediaText(), d.noticesText(), d.streamText())
}

func (d *dialect) idsText() string {
	switch {
	case d.noIDs:
		return "none"
	case d.ids.least == d.ids.most:
		return fmt.Sprintf("%d letters and digits", d.ids.most)
	case !d.needsIDs:
		return "optional"
	}
	return fmt.Sprintf("at most %d bytes", d.ids.most)
}

func (d *dialect) placeText() string {
	text := map[place]string{
		placeFollowing: "as messages behind the calls", placeNext: "first in the next message", placeAfter: "as items behind their call",
	}[d.place]
	if d.ordered {
		text += ", in order"
	}
	return text
}

func (d *dialect) errorText() string {
	if d.flag {
		return "flag, and in the receipt"
	}
	return "in the receipt"
}

func (d *dialect) mediaText() string {
	image := &pb.Media{MediaType: "image/png", Source: &pb.Media_Data{Data: []byte("x")}}
	switch {
	case !d.shows(image):
		return "said in words"
	case d.media == mediaInside:
		return "in the result"
	case d.media == mediaInRight:
		return "in the result, behind it if that is an error"
	}
	return "behind the results"
}

func (d *dialect) noticesText() string {
	if d.blocks {
		return "blocks"
	}
	return "messages"
}

func (d *dialect) streamText() string {
	switch d.provider {
	case pb.Provider_PROVIDER_BEDROCK_CONVERSE:
		return "events"
	case pb.Provider_PROVIDER_OLLAMA:
		return "JSON lines"
	}
	return "server-sent events"
}
