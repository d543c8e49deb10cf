package redact

import (
	"bytes"
	"slices"
	"testing"
)

// TestPiecesAreTheWhole has secrets at and across the ends of pieces: a text is redacted as it is in one piece.
func TestPiecesAreTheWhole(t *testing.T) {
	t.Parallel()
	const key, hidden = "ghp_7kQ2m9ZxW4vR8tY1uI5oP3aS6dF0gH7jK2lM", "first-value-of-all"
	values, err := NewValues([]Secret{{Name: "A", Value: []byte(hidden)}})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Values: values, Patterns: BuiltIn()}
	line := []byte("a line of the output\n")
	for _, size := range []int{0, 10, pieceBytes, pieceBytes + 1, 2*pieceBytes + 100} {
		text := bytes.Repeat(line, size/len(line)+1)[:size]
		clean, found, err := TextWithin(t.Context(), o, text)
		if err != nil || found != nil || size > 0 && &clean[0] != &text[0] || len(clean) != size {
			t.Errorf("%d bytes without a secret: %v, %v", size, found, err)
		}
		for _, secret := range []string{hidden, key, "password=" + hidden} {
			for _, at := range []int{0, 5, pieceBytes - len(secret), pieceBytes - len(secret)/2, pieceBytes - 1, pieceBytes, 2*pieceBytes - 7, size - len(secret)} {
				for _, same := range []bool{false, true} {
					if at < 0 || at+len(secret) > size {
						continue
					}
					secretive := slices.Concat(text[:at], []byte(secret), text[at+len(secret):])
					o.SameLength = same
					want, counts := Text(o, secretive)
					got, found, err := TextWithin(t.Context(), o, secretive)
					if err != nil || !bytes.Equal(got, want) || !slices.Equal(found, counts) {
						t.Errorf("%d bytes, %.12s at %d: %d bytes and %v, want %d and %v", size, secret, at, len(got), found, len(want), counts)
					}
				}
			}
		}
	}
}
