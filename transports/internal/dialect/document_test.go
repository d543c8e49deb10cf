package dialect

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
	text, err := os.ReadFile("../../../docs/reference/transports.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| provider | ids of calls | results stand | an error | images, documents | notices | stream |\n| --- | --- | --- | --- | --- | --- | --- |\n"
	for _, d := range All() {
		want += d.row()
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("docs/reference/transports.md should have\n%s", want)
	}
}

func TestEveryProviderHasADialect(t *testing.T) {
	t.Parallel()
	for n, name := range pb.Provider_name {
		if _, ok := Lookup(pb.Provider(n)); ok == (n == 0) {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

func (d *Dialect) row() string {
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s |\n",
		strings.TrimPrefix(d.Provider.String(), "PROVIDER_"), d.idsText(), d.placeText(), d.errorText(), d.mediaText(), d.noticesText(), d.streamText())
}

func (d *Dialect) idsText() string {
	switch {
	case d.NoIDs:
		return "none"
	case d.IDs.min == d.IDs.max:
		return fmt.Sprintf("%d letters and digits", d.IDs.max)
	case !d.NeedsIDs:
		return "optional"
	}
	return fmt.Sprintf("at most %d bytes", d.IDs.max)
}

func (d *Dialect) placeText() string {
	text := map[ResultPlace]string{
		ResultsFollow: "as messages behind the calls", ResultsNext: "first in the next message", ResultsAfter: "as items behind their call",
	}[d.Results]
	if d.OrderedResults {
		text += ", in order"
	}
	return text
}

func (d *Dialect) errorText() string {
	if d.ErrorFlag {
		return "flag, and in the receipt"
	}
	return "in the receipt"
}

func (d *Dialect) mediaText() string {
	image := &pb.Media{MediaType: "image/png", Source: &pb.Media_Data{Data: []byte("x")}}
	switch {
	case !d.Shows(image):
		return "said in words"
	case d.Media == MediaInside:
		return "in the result"
	case d.Media == MediaInSuccess:
		return "in the result, behind it if that is an error"
	}
	return "behind the results"
}

func (d *Dialect) noticesText() string {
	if d.TextBlocks {
		return "blocks"
	}
	return "messages"
}

func (d *Dialect) streamText() string {
	switch d.Provider {
	case pb.Provider_PROVIDER_BEDROCK_CONVERSE:
		return "events"
	case pb.Provider_PROVIDER_OLLAMA:
		return "JSON lines"
	}
	return "server-sent events"
}
