package tokens

import "unicode/utf8"

// The weights of [EstimateName], in 1/1024 token where nothing else is said.
// They are frequencies: how often a token of o200k_base begins at a byte,
// given the text before it, over 84 kinds of text of up to 320 KB each.
// README.md says which texts, how they were fitted and how well they do.
// Changing one means a new EstimateName.

// pairUnit is the factor 1 in letterPair, markWeight.next and symbolBlock.
const pairUnit = 32

// Shapes of the letters of a word so far, the second index of letterRate.
const (
	small       = iota // all small
	capitalised        // one capital, then small
	capitals           // all capitals
	acronym            // several capitals, then small: HTTPServer
)

// letterRate is the cost of a letter inside a word, before letterPair: by
// whether a blank is before the word (1) or not (0), by shape, and for the
// second letter, the third, and all later ones.
var letterRate = [2][4][3]uint16{
	{
		small:       {131, 140, 157},
		capitalised: {150, 79, 98},
		capitals:    {226, 329, 274},
		acronym:     {406, 406, 230},
	},
	{
		small:       {40, 61, 91},
		capitalised: {48, 69, 112},
		capitals:    {77, 126, 262},
		acronym:     {210, 210, 192},
	},
}

// letterPair is the factor for a letter after another letter, either case, in
// 1/32: row by the first, column by the second. The index is the byte & 31, so
// that 'a' and 'A' are 1. A pair that is rare in words is likely to be two
// tokens: "th" 0.03, "xk" 6.5.
var letterPair = [32][32]uint8{
	'a' & 31: {0, 33, 1, 1, 0, 87, 9, 0, 48, 13, 35, 7, 0, 0, 0, 92, 1, 96, 0, 0, 0, 17, 2, 14, 4, 2, 17},
	'b' & 31: {0, 39, 57, 33, 106, 18, 138, 195, 99, 56, 24, 144, 6, 88, 131, 28, 198, 110, 43, 78, 142, 36, 112, 114, 231, 13, 134},
	'c' & 31: {0, 20, 73, 15, 65, 19, 106, 138, 1, 46, 135, 1, 13, 98, 70, 13, 98, 92, 21, 60, 1, 34, 90, 133, 146, 9, 126},
	'd' & 31: {0, 29, 57, 87, 15, 9, 67, 109, 100, 33, 80, 27, 106, 62, 110, 20, 120, 104, 25, 54, 65, 31, 104, 107, 127, 51, 99},
	'e' & 31: {0, 49, 38, 22, 1, 31, 18, 15, 119, 74, 153, 72, 17, 12, 0, 100, 61, 32, 0, 2, 4, 61, 42, 33, 2, 18, 95},
	'f' & 31: {0, 19, 93, 86, 82, 27, 27, 47, 90, 22, 107, 18, 28, 78, 43, 5, 136, 128, 14, 93, 4, 37, 106, 83, 22, 16, 108},
	'g' & 31: {0, 87, 109, 255, 193, 7, 122, 30, 9, 31, 119, 145, 11, 58, 15, 28, 171, 132, 24, 37, 66, 72, 67, 56, 113, 55, 6},
	'h' & 31: {0, 24, 127, 137, 104, 5, 115, 51, 65, 35, 82, 96, 120, 73, 108, 14, 86, 98, 46, 75, 2, 41, 124, 141, 89, 61, 72},
	'i' & 31: {0, 19, 0, 1, 0, 3, 3, 0, 24, 26, 27, 6, 0, 0, 0, 4, 1, 45, 1, 1, 0, 76, 1, 15, 3, 75, 1},
	'j' & 31: {0, 55, 81, 155, 99, 8, 144, 106, 104, 189, 68, 97, 62, 164, 166, 64, 58, 102, 124, 9, 119, 62, 143, 102, 106, 70, 139},
	'k' & 31: {0, 95, 66, 133, 174, 33, 151, 7, 70, 79, 123, 71, 150, 120, 58, 40, 117, 147, 90, 86, 99, 91, 76, 109, 108, 67, 123},
	'l' & 31: {0, 36, 75, 150, 7, 3, 19, 97, 128, 35, 95, 101, 2, 116, 90, 10, 18, 189, 28, 22, 34, 22, 126, 92, 99, 4, 165},
	'm' & 31: {0, 22, 28, 184, 42, 7, 102, 87, 100, 45, 140, 102, 22, 15, 124, 32, 15, 70, 141, 16, 43, 84, 147, 111, 110, 135, 144},
	'n' & 31: {0, 32, 127, 15, 10, 10, 23, 1, 73, 83, 157, 47, 55, 111, 24, 50, 59, 137, 139, 27, 6, 35, 41, 145, 86, 20, 109},
	'o' & 31: {0, 34, 6, 19, 1, 110, 19, 7, 57, 40, 15, 1, 1, 0, 0, 10, 2, 128, 0, 2, 6, 1, 4, 2, 43, 12, 85},
	'p' & 31: {0, 19, 87, 57, 50, 19, 95, 77, 6, 78, 82, 39, 5, 19, 97, 19, 23, 109, 10, 20, 8, 23, 63, 108, 64, 18, 101},
	'q' & 31: {0, 101, 74, 41, 97, 89, 126, 73, 95, 83, 160, 119, 6, 83, 85, 71, 91, 36, 43, 115, 34, 2, 102, 121, 100, 100, 115},
	'r' & 31: {0, 39, 78, 23, 23, 2, 88, 11, 128, 20, 119, 18, 64, 22, 21, 6, 78, 67, 13, 30, 11, 28, 17, 189, 80, 8, 139},
	's' & 31: {0, 61, 151, 56, 43, 6, 113, 34, 7, 40, 116, 32, 63, 62, 113, 54, 34, 43, 14, 17, 1, 47, 63, 38, 93, 61, 123},
	't' & 31: {0, 25, 176, 40, 109, 9, 46, 174, 1, 32, 159, 88, 89, 34, 103, 24, 20, 136, 7, 20, 21, 48, 135, 42, 131, 7, 108},
	'u' & 31: {0, 25, 3, 18, 1, 6, 5, 4, 60, 13, 87, 34, 1, 1, 0, 55, 3, 117, 0, 0, 1, 75, 34, 65, 3, 52, 11},
	'v' & 31: {0, 13, 109, 80, 105, 4, 148, 36, 99, 25, 115, 104, 129, 48, 98, 61, 117, 105, 45, 129, 77, 96, 96, 115, 197, 66, 142},
	'w' & 31: {0, 51, 84, 96, 19, 18, 150, 86, 20, 22, 113, 95, 126, 76, 14, 4, 83, 159, 13, 20, 49, 75, 92, 15, 4, 47, 129},
	'x' & 31: {0, 30, 106, 60, 103, 68, 86, 158, 150, 88, 113, 226, 127, 36, 87, 160, 25, 123, 218, 126, 12, 120, 100, 134, 3, 11, 130},
	'y' & 31: {0, 127, 137, 219, 128, 85, 167, 201, 124, 84, 119, 119, 36, 83, 13, 33, 10, 139, 53, 59, 23, 155, 151, 78, 90, 61, 50},
	'z' & 31: {0, 89, 157, 138, 57, 23, 95, 119, 41, 46, 114, 91, 208, 138, 20, 102, 133, 125, 126, 200, 86, 54, 119, 64, 49, 26, 11},
}

// Indices by what m.gap returns: one space, several blanks ending in a space,
// one tab or the like, several ending in one.

// wordAfterBlank is the cost of a first letter, small and capital.
var wordAfterBlank = [4][2]uint16{
	{1, 0},
	{1024, 1024},
	{89, 405},
	{1107, 1550},
}

// newlineAfterBlank is the cost of a newline after blanks that follow text, and
// newlineAfterIndent after blanks that are their whole line.
var (
	newlineAfterBlank  = [4]uint16{8, 516, 115, 264}
	newlineAfterIndent = [4]uint16{256, 765, 134, 289}
)

const (
	// longestSpaces and longestTabs are how many of them one token holds.
	longestSpaces, longestTabs = 128, 16
	// newlineRepeated is the cost of a newline after a newline, set by hand: 16
	// are the most that one token holds.
	newlineRepeated = 64
	// wordAfterWide is the cost of an ASCII letter after one beyond ASCII.
	wordAfterWide = 365
)

// Cost of the second, the third and all later marks of a run, before
// markWeight.next: of one that differs from the mark before it, and of one that
// repeats it.
var (
	markDiffers  = [3]uint16{107, 259, 497}
	markRepeated = [3]uint16{3, 20, 45}
)

// A markWeight holds what follows an ASCII mark.
type markWeight struct {
	word    [2]uint16 // cost of a small and a capital letter after this mark alone
	newline uint16    // cost of a newline after it
	next    uint8     // factor for another mark after it, in 1/32
}

// markWeights is indexed by markIndex. The last entry, for control characters,
// is set by hand: a token each.
var markWeights = [33]markWeight{
	{[2]uint16{1021, 949}, 14, 25},     // '!'
	{[2]uint16{1013, 1021}, 1, 13},     // '"'
	{[2]uint16{115, 1004}, 28, 67},     // '#'
	{[2]uint16{897, 1021}, 144, 59},    // '$'
	{[2]uint16{858, 836}, 23, 168},     // '%'
	{[2]uint16{731, 791}, 120, 79},     // '&'
	{[2]uint16{737, 1012}, 9, 36},      // '\''
	{[2]uint16{441, 458}, 2, 20},       // '('
	{[2]uint16{503, 983}, 0, 12},       // ')'
	{[2]uint16{1004, 1018}, 7, 43},     // '*'
	{[2]uint16{808, 940}, 85, 80},      // '+'
	{[2]uint16{96, 217}, 0, 9},         // ','
	{[2]uint16{166, 517}, 64, 31},      // '-'
	{[2]uint16{36, 53}, 34, 32},        // '.'
	{[2]uint16{209, 560}, 4, 29},       // '/'
	{[2]uint16{908, 522}, 0, 4},        // ':'
	{[2]uint16{883, 1017}, 0, 77},      // ';'
	{[2]uint16{907, 775}, 174, 36},     // '<'
	{[2]uint16{512, 407}, 28, 37},      // '='
	{[2]uint16{912, 790}, 0, 29},       // '>'
	{[2]uint16{802, 678}, 14, 29},      // '?'
	{[2]uint16{983, 1017}, 743, 89},    // '@'
	{[2]uint16{865, 875}, 5, 42},       // '['
	{[2]uint16{281, 960}, 9, 65},       // '\\'
	{[2]uint16{586, 1017}, 8, 28},      // ']'
	{[2]uint16{993, 989}, 831, 74},     // '^'
	{[2]uint16{42, 143}, 101, 38},      // '_'
	{[2]uint16{1020, 1020}, 29, 111},   // '`'
	{[2]uint16{1015, 1002}, 0, 10},     // '{'
	{[2]uint16{1022, 1024}, 19, 108},   // '|'
	{[2]uint16{904, 796}, 0, 23},       // '}'
	{[2]uint16{1021, 887}, 461, 75},    // '~'
	{[2]uint16{1024, 1024}, 1024, 255}, // control characters
}

// A script holds the costs of one character, in all of its bytes together:
// after one blank, elsewhere at the start of a run of wide characters, inside
// such a run, and after the same character.
type script struct{ joined, first, later, repeated uint16 }

// scripts is indexed by scriptOf. Those without text to fit on (other, private
// use, the last) are set by hand, near a token for each byte.
var scripts = [...]script{
	{1024, 1024, 1024, 1024}, // invalid
	{273, 1021, 1024, 990},   // Latin-1 signs
	{23, 474, 448, 102},      // Latin-1 letters
	{24, 543, 330, 966},      // Latin Extended-A
	{1268, 1221, 1634, 1024}, // other two-byte Latin, combining marks
	{6, 1028, 313, 443},      // Greek
	{0, 984, 189, 293},       // Cyrillic
	{180, 1024, 602, 1024},   // Cyrillic supplement, Armenian
	{1, 1024, 391, 401},      // Hebrew
	{1, 1023, 271, 363},      // Arabic
	{69, 1026, 263, 149},     // Persian and other Arabic, Syriac
	{3, 1022, 351, 668},      // Indic, Thai, Lao, Tibetan
	{3, 570, 312, 592},       // Georgian, Ethiopic, Khmer, Latin Additional
	{1151, 1950, 2200, 1856}, // punctuation and symbols
	{157, 1017, 648, 829},    // Kana, CJK punctuation and first ideographs
	{399, 1083, 823, 1028},   // ideographs
	{44, 1049, 594, 1096},    // Hangul
	{2560, 2560, 2560, 2560}, // private use
	{12, 1018, 1033, 128},    // U+F000 to U+FFFF
	{1467, 1884, 2307, 2048}, // emoji and other symbols
	{3072, 3072, 3072, 3072}, // above U+40000
	{769, 1319, 1302, 321},   // box drawing, blocks
}

// boxScript is the index in scripts for U+2500 to U+25BF.
const boxScript = len(scripts) - 1

// symbolBlock is the factor, in 1/32, for punctuation and symbols, U+2000 to
// U+2FFF: one entry for each 64 characters.
var symbolBlock = [64]uint8{
	14, 33, 27, 32, 24, 21, 32, 33, 32, 32, 40, 34, 32, 32, 35, 36,
	32, 38, 41, 40, 32, 32, 32, 32, 29, 28, 31, 47, 24, 29, 32, 32,
	54, 53, 53, 53, 32, 41, 32, 32, 32, 32, 32, 32, 32, 32, 32, 38,
	32, 32, 32, 32, 32, 32, 32, 32, 41, 32, 32, 32, 32, 32, 32, 32,
}

// markIndex is the index of an ASCII mark in markWeights.
func markIndex(c byte) int { return int(markIndices[c&0x7F]) }

var markIndices = func() (t [128]uint8) {
	n := uint8(0)
	for c := range t {
		switch {
		case c <= ' ' || c == 0x7F:
			t[c] = uint8(len(markWeights) - 1)
		case class[c] == mark:
			t[c] = n
			n++
		}
	}
	return t
}()

// scriptOf is the index in scripts for a first byte, less 0x80.
var scriptOf = func() (t [128]uint8) {
	lasts := [...]byte{ // last first byte of each script
		0xC1, 0xC2, 0xC3, 0xC6, 0xCD, 0xCF, 0xD1, 0xD5, 0xD7, 0xD9, 0xDF,
		0xE0, 0xE1, 0xE2, 0xE3, 0xE9, 0xED, 0xEE, 0xEF, 0xF0, 0xFF,
	}
	s := 0
	for i := range t {
		for byte(i)+utf8.RuneSelf > lasts[s] {
			s++
		}
		t[i] = uint8(s)
	}
	return t
}()
