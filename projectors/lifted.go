package projectors

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/projectors/external"
)

// Text may quote data in base64: an image of a page as a data URI, a certificate on one
// line, a source map. Where not all of the text fits, a note takes the place of the
// data. The payload is stored as it was given beside it.

// Bounds of what is lifted.
const (
	leastLifted = 512 // characters of a run of base64
	mostLifted  = 90  // percent of a text: more is what was asked for
)

// lift puts notes in the place of long base64 in a text that is not all shown, once.
func (p *payload) lift(ctx context.Context, v *preview.Preview, policy Policy, sink artifactstore.Sink) (bool, error) {
	if _, isText := p.excerpt.(*preview.Excerpt); !isText || !p.mayRead || p.lookedAt.base64 || p.loss != nil || p.hints.Range || p.blob.Size() > maxDecoded ||
		v.Encoding == preview.EncodingBinary || !omits(v, preview.CutMiddle, preview.CutLongLine) {
		return false, nil
	}
	p.lookedAt.base64 = true
	content, err := p.content()
	if err != nil || !hasLongLine(content) {
		return false, err
	}
	lifted, err := external.LiftBase64(string(content), leastLifted, func(mediaType string, data []byte) (string, error) {
		return noteOf(mediaType, data), nil
	})
	if err != nil || len(lifted) == len(content) || len(lifted)*100 < len(content)*(100-mostLifted) && len(strings.Fields(lifted)) < leastWords {
		return false, err
	}
	return true, p.replace(ctx, []byte(lifted), countWritten(content), policy, sink)
}

// leastWords is how many words a text has beside its data, at least.
const leastWords = 16

// hasLongLine reports whether a line is as long as what is lifted.
func hasLongLine(content []byte) bool {
	for len(content) >= leastLifted {
		end := bytes.LastIndexByte(content[:leastLifted], '\n')
		if end < 0 {
			return true
		}
		content = content[end+1:]
	}
	return false
}

// noteOf returns the note in the place of data: its kind, and its size.
func noteOf(mediaType string, data []byte) string {
	if mediaType == "" {
		if seen, _, _ := strings.Cut(http.DetectContentType(data), ";"); seen != "application/octet-stream" {
			mediaType = seen
		}
	}
	if mediaType == "" {
		return fmt.Sprintf("[base64 of %d bytes]", len(data))
	}
	return fmt.Sprintf("[base64 of %s, %d bytes]", textscan.OneLine(mediaType), len(data))
}
