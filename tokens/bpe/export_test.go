package bpe

import "math/bits"

// SplitPieces returns where each piece of a text ends.
func (v *Vocabulary) SplitPieces(text string) (ends []int) {
	for at := 0; at < len(text); {
		at = v.splitter.end(text, at)
		ends = append(ends, at)
	}
	return ends
}

// MergePiece returns the lengths of the tokens of one piece, and Merge's word on
// how many there are.
func (v *Vocabulary) MergePiece(piece string) (lengths []int, n int) {
	var m merger
	n = m.merge(v.table, piece, 0, len(piece))
	for at := int32(0); int(at) < len(piece); at = m.next[at] {
		lengths = append(lengths, int(m.next[at]-at))
	}
	return lengths, n
}

// MergeWindows counts the tokens of a piece in windows of n bytes at first,
// and says whether those met.
func (v *Vocabulary) MergeWindows(piece string, size int) (n int, met bool) {
	var m merger
	return m.windows(v.table, piece, 0, len(piece), size)
}

// MergeLong counts the tokens of a piece of any length.
func (v *Vocabulary) MergeLong(piece string) int {
	var m merger
	return m.long(v.table, piece, 0, len(piece))
}

// Rank returns the rank of a token.
func (v *Vocabulary) Rank(token string) (rank int, ok bool) {
	r := v.table.rank(token, 0, len(token))
	return int(r), r != noRank
}

// Packed vocabularies, and what unpacks them.
var (
	PackedO200k, PackedCL100k = o200kBase, cl100kBase
	Unpack                    = unpack
	ErrDamaged                = errDamaged
)

// Load reads a packed vocabulary of n tokens.
func Load(packed []byte, tokens int) (*Vocabulary, error) {
	return newVocabulary(o200k, packed, tokens)
}

const Window = window

// ClassOf names the class of a character.
func ClassOf(r rune) string {
	k, _ := alphabet().at(string(r), 0)
	names := []string{"other", "accent", "upper", "lower", "letter", "number", "blank", "newline"}
	return names[bits.TrailingZeros8(uint8(k))]
}
