package textscan

import "unicode"

// class is a class of invisible characters.
type class int

const (
	classNone class = iota
	classTag
	classBidi
	classZeroWidth
)

const (
	zeroWidthNonJoiner = 0x200c
	zeroWidthJoiner    = 0x200d
)

// invisibleClass returns the class of an invisible character, classNone for
// others. Sources: Unicode 15, blocks Tags, General Punctuation and Variation
// Selectors, and property Default_Ignorable_Code_Point. The blocks are listed
// whole, with code points that are not assigned yet, so that a later version of
// Unicode opens no way around.
func invisibleClass(r rune) class {
	switch {
	case r < 0xad:
		return classNone
	case r >= 0xe0000 && r <= 0xe007f:
		return classTag
	case r == 0x61c, r == 0x200e, r == 0x200f,
		r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x206f:
		return classBidi
	case isZeroWidth(r):
		return classZeroWidth
	}
	return classNone
}

// isZeroWidth reports whether r takes no space and has no other class: soft hyphens,
// fillers, joiners, variation selectors, and the blocks that are ignorable by default.
func isZeroWidth(r rune) bool {
	return r == 0xad || r == 0x34f || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 ||
		r >= 0x180b && r <= 0x180f || r >= 0x200b && r <= 0x200d || r >= 0x2060 && r <= 0x2065 ||
		r == 0x3164 || isVariation(r) || r == 0xfeff || r == 0xffa0 ||
		r >= 0xfff0 && r <= 0xfff8 || r >= 0xe0080 && r <= 0xe0fff ||
		r >= 0x1bca0 && r <= 0x1bca3 || r >= 0x1d173 && r <= 0x1d17a
}

// isVariation reports whether r is one of the variation selectors 1 to 16.
func isVariation(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f }

// joins reports whether a zero-width character belongs to the spelling of the
// characters around it: a joiner between emoji or between letters of a script
// that joins, and one variation selector after a symbol. Everything else that
// cannot be seen can hide text from a reader and show it to a model, and is
// removed.
func joins(r, previous, next rune) bool {
	switch {
	case r == zeroWidthJoiner:
		return (isEmoji(previous) || isVariation(previous)) && isEmoji(next) ||
			joiningScript(previous) && joiningScript(next)
	case r == zeroWidthNonJoiner:
		return joiningScript(previous) && joiningScript(next)
	case isVariation(r):
		return isEmoji(previous) || keycap(previous)
	}
	return false
}

// isEmoji reports whether r is one of the symbols that emoji sequences are made
// of.
func isEmoji(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff ||
		r == 0xa9 || r == 0xae || r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 ||
		r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299
}

// keycap reports whether r can begin a keycap sequence, such as 1 U+FE0F
// U+20E3.
func keycap(r rune) bool { return r == '#' || r == '*' || r >= '0' && r <= '9' }

// joiningScript reports whether r belongs to a script that spells with joiners,
// such as Arabic, Devanagari, Khmer or Mongolian.
func joiningScript(r rune) bool {
	return r >= 0x600 && r <= 0x109f && (unicode.IsLetter(r) || unicode.IsMark(r)) ||
		r >= 0x1780 && r <= 0x18af && unicode.IsLetter(r) ||
		r >= 0xfb50 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefe
}

// maxMarks is how many combining marks one character may have. Text of no
// language has more: the longest stack of Tibetan (U+0F67 in the spelling of
// the Kalachakra seal) has eight, a Hebrew letter with points and accents five,
// decomposed Vietnamese two. More are piled up to cover other text. The
// Stream-Safe Text Format (UAX #15) allows 30.
const maxMarks = 8

// isMark reports whether r is a combining mark that takes no space of its own.
func isMark(r rune) bool {
	if r < 0x300 || r >= 0x3400 && r < 0xa000 { // ideographs, which are frequent
		return false
	}
	return unicode.In(r, unicode.Mn, unicode.Me)
}
