package projectors

import (
	"context"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/charset"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Programs of Windows write UTF-16 or a code page, and old ones the encoding of their
// language; others draw several rows over and over. Such a payload is shown as UTF-8, as
// a terminal shows it in the end, and the ledger and the handles are about that text. The
// payload is stored as it was given beside it.

// maxDecoded is the size of a payload that is decoded or drawn at most, in bytes. A larger
// one is shown as it is, with the bytes that are no UTF-8 counted.
const maxDecoded = maxReadable

// lookedAt is how a payload was tried to be text.
type lookedAt struct{ encoding, display, base64 bool }

// asText puts the text of a payload in its place if its encoding is certain, and what a
// terminal shows if it draws several rows. It reports whether it did. The switch is final,
// whatever the budget of later rounds. Lost bytes have a place in the payload alone.
func (p *payload) asText(ctx context.Context, v *preview.Preview, policy Policy, sink artifactstore.Sink) (again bool, err error) {
	e, isText := p.excerpt.(*preview.Excerpt)
	if !isText || !p.mayRead || p.loss != nil || p.blob.Size() > maxDecoded {
		return false, nil
	}
	if !p.lookedAt.encoding && (v.Encoding != preview.EncodingUTF8 || v.EscapedBytes > 0) {
		p.lookedAt.encoding = true
		if again, err = p.decode(ctx, policy, sink); err != nil {
			return false, err
		}
		e, _ = p.excerpt.(*preview.Excerpt)
	}
	if !p.lookedAt.display && !p.hints.Range && e.DrawsRows() {
		p.lookedAt.display = true
		drawn, err := p.draw(ctx, policy, sink)
		return again || drawn, err
	}
	return again, nil
}

// decode decodes a payload.
func (p *payload) decode(ctx context.Context, policy Policy, sink artifactstore.Sink) (bool, error) {
	content, err := p.content()
	if err != nil {
		return false, err
	}
	text, name := charset.Decode(content)
	if name == "" || textscan.IsBinary(text) {
		return false, nil
	}
	return true, p.replace(ctx, text, originalSize{int64(len(content)), countWritten(text).lines}, policy, sink)
}

// draw resolves a display of several rows.
func (p *payload) draw(ctx context.Context, policy Policy, sink artifactstore.Sink) (bool, error) {
	content, err := p.content()
	if err != nil {
		return false, err
	}
	text, ok := textscan.Screen(content)
	if !ok || len(text) == 0 {
		return false, nil
	}
	if err := p.replace(ctx, text, countWritten(content), policy, sink); err != nil {
		return false, err
	}
	p.original.lines = p.written.lines // its bytes are stated for readable forms alone
	return true, nil
}

// replace stores a payload of some size as it was given, and puts a text in its place.
func (p *payload) replace(ctx context.Context, text []byte, size originalSize, policy Policy, sink artifactstore.Sink) error {
	if err := p.keepOriginal(ctx, sink); err != nil {
		return err
	}
	if p.written.bytes == 0 {
		p.written = size
	}
	p.blob, p.inline, p.stored, p.derived, p.decoded = artifactstore.BytesBlob(text), text, artifactstore.Ref{}, true, true
	p.excerpt = preview.FromCommand(text, policy.Budget.Tokens, p.hints.Rules)
	return nil
}
