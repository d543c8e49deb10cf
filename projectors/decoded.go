package projectors

import (
	"context"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/charset"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Programs of Windows write UTF-16 or a code page, and old ones the encoding of their
// language. Such a payload is shown as UTF-8, and the ledger and the handles are about
// that text; the payload is stored as it was given beside it.

// maxDecoded is the size of a payload that is decoded at most, in bytes. A larger one is
// shown as it is, with the bytes that are no UTF-8 counted.
const maxDecoded = maxReadable

// mayDecode reports whether a preview shows that a payload is not UTF-8.
func mayDecode(v *preview.Preview) bool {
	return v.Encoding != preview.EncodingUTF8 || v.EscapedBytes > 0
}

// decode puts the text of a payload in its place if its encoding is certain. The switch is
// final, whatever the budget of later rounds. Lost bytes have a place in the payload alone.
func (p *payload) decode(ctx context.Context, policy Policy, sink artifactstore.Sink) (bool, error) {
	if _, isText := p.excerpt.(*preview.Excerpt); !isText || p.decoded || p.undecoded || p.loss != nil || p.blob.Size() > maxDecoded {
		return false, nil
	}
	content, err := p.content()
	if err != nil {
		return false, err
	}
	text, name := charset.Decode(content)
	if name == "" || textscan.IsBinary(text) {
		p.undecoded = true
		return false, nil
	}
	if err := p.keepOriginal(ctx, sink); err != nil {
		return false, err
	}
	p.blob, p.inline, p.stored, p.derived, p.decoded = artifactstore.BytesBlob(text), text, artifactstore.Ref{}, true, true
	p.excerpt = preview.FromCommand(text, policy.Budget.Tokens, p.hints.Rules)
	return true, nil
}
