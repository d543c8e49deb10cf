package textscan

// LongBase64 is the length of the shortest run of base64 that is worth no reading, in
// characters.
const LongBase64 = 1024

// Base64Run returns the first run of at least some characters of base64, of the
// standard or the URL alphabet, without padding, at or after an offset; ok is false if
// there is none.
func Base64Run[T string | []byte](text T, at, least int) (from, to int, ok bool) {
	for len(text)-at >= least {
		end := at
		for end < len(text) && isBase64(text[end]) {
			end++
		}
		if end-at >= least {
			return at, end, true
		}
		at = end + 1
	}
	return 0, 0, false
}

// isBase64 reports whether c is of the standard or the URL alphabet.
func isBase64(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// LooksRandom reports whether a run looks like base64 of real bytes: letters that
// hexadecimal has not, in both cases, and digits. Rules, digests and genes do not.
func LooksRandom[T string | []byte](run T) bool {
	var upper, lower, digit bool
	for i := range len(run) {
		c := run[i]
		upper = upper || c >= 'G' && c <= 'Z'
		lower = lower || c >= 'g' && c <= 'z'
		digit = digit || c >= '0' && c <= '9'
	}
	return upper && lower && digit
}
