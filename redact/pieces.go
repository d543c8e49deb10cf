package redact

import (
	"context"
)

// pieceBytes is how much of a text is redacted between two looks at the context.
const pieceBytes = 256 << 10

// TextWithin redacts a text as Text does, and ends with ctx: when the caller has gone, at most one more piece is looked at.
func TextWithin(ctx context.Context, o Options, text []byte) ([]byte, []Count, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if len(text) <= pieceBytes {
		clean, found := Text(o, text)
		return clean, found, nil
	}
	r := New(o)
	var out []byte // nil while it is the beginning of text
	same := 0      // bytes of that
	take := func(parts [][]byte) {
		if out == nil && r.Any() {
			out = append(make([]byte, 0, len(text)), text[:same]...)
		}
		for _, p := range parts {
			if out == nil {
				same += len(p)
			} else {
				out = append(out, p...)
			}
		}
	}
	for at := 0; at < len(text); at += pieceBytes {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		take(r.Write([][]byte{text[at:min(at+pieceBytes, len(text))]}))
	}
	if take(r.Flush()); out == nil {
		return text, nil, nil
	}
	return out, r.Found(), nil
}
