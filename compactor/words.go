package compactor

import "strings"

// Words of tool text that are names: what is in them says so.

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isNameByte reports whether a name may have a byte.
func isNameByte(c byte) bool { return nameBytes[c] }

var nameBytes = func() (set [256]bool) {
	for c := range set {
		b := byte(c)
		set[c] = isDigit(b) || isLetter(b) || b >= 0x80 || strings.IndexByte("_-./:@#~=?&%+", b) >= 0
	}
	return set
}()

// trimName removes the punctuation around a name.
func trimName(word string) string {
	for word != "" && strings.IndexByte("-:=?&%+#@", word[0]) >= 0 {
		word = word[1:]
	}
	for word != "" && strings.IndexByte("-.:=?&%+#@~", word[len(word)-1]) >= 0 {
		word = word[:len(word)-1]
	}
	if word != "" && (word[0] == '.' || word[0] == '~') && strings.IndexByte(word, '/') < 0 {
		word = strings.TrimLeft(word, ".~-:")
	}
	return word
}

// facts of a word: the characters that it has.
type wordFacts struct {
	digits, letters, lower, upper, hex, slashes, dots, underscores, dashes, colons int
	humps                                                                          int // capitals behind small letters
}

func look(word string) (f wordFacts) {
	for i := range len(word) {
		c := word[i]
		if isHex(c) {
			f.hex++
		}
		switch {
		case isDigit(c):
			f.digits++
		case c >= 'a' && c <= 'z':
			f.letters, f.lower = f.letters+1, f.lower+1
		case c >= 'A' && c <= 'Z':
			f.letters, f.upper = f.letters+1, f.upper+1
			if i > 0 && word[i-1] >= 'a' && word[i-1] <= 'z' {
				f.humps++
			}
		case c == '/':
			f.slashes++
		case c == '.':
			f.dots++
		case c == '_':
			f.underscores++
		case c == '-':
			f.dashes++
		case c == ':':
			f.colons++
		}
	}
	return f
}

// rankOf returns the value of a word as a name; 0 for other words.
func rankOf(word string) int {
	f := look(word)
	switch {
	case strings.Contains(word, "://"):
		return rankURL
	case f.letters == 0 && f.dots == 0, strings.Contains(word, "%"), isMeasure(word), isTime(word, &f), isMemory(word):
		return 0
	case isUUID(word):
		return rankUUID
	case isHash(word):
		return rankHash
	case f.slashes > 0:
		return rankOfPath(word, &f)
	case f.letters == 0: // digits and dots
		return rankOfDigits(word, &f)
	}
	if host, port, ok := strings.Cut(word, ":"); ok && isNumber(port) && len(port) >= 2 {
		if hasFileEnd(host) {
			return rankFile
		}
		return rankAddress
	}
	switch {
	case strings.Contains(word, "@") && f.digits == 0:
		return rankDotted
	case isVersion(word):
		return rankVersion
	case hasFileEnd(word):
		return rankFile
	case f.digits > 0 && isID(word, &f):
		return rankID
	case f.colons > 0:
		return 0
	case f.dots > 0 && f.dots == strings.Count(strings.Trim(word, "."), ".") && len(word) >= 6:
		return rankDotted
	case f.underscores > 0 && f.letters >= 3, f.humps > 0 && len(word) >= 5:
		return rankIdentifier
	}
	return 0
}

// isUUID reports whether a word has the form of a UUID.
func isUUID(word string) bool {
	if len(word) != 36 {
		return false
	}
	for i := range len(word) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if word[i] != '-' {
				return false
			}
		} else if !isHex(word[i]) {
			return false
		}
	}
	return true
}

// isHash reports whether a word is the digest of something, or the beginning of one.
func isHash(word string) bool {
	if _, hex, ok := strings.Cut(word, ":"); ok && strings.HasPrefix(word, "sha") {
		word = hex
	}
	if len(word) < 7 || len(word) > 128 {
		return false
	}
	letters := 0
	for i := range len(word) {
		if !isHex(word[i]) {
			return false
		}
		if !isDigit(word[i]) {
			letters++
		}
	}
	return letters > 0 && letters < len(word) && (letters > 1 || len(word) >= longHash) // "295e067" is a number
}

// longHash is the number of digits from which on one letter makes a hash.
const longHash = 12

// isMemory reports whether a word is a place in memory: "0x7ffe12", "panic+0x118/0x2f4",
// "0000000000751eb0".
func isMemory(word string) bool {
	return strings.HasPrefix(word, "0x") || strings.HasPrefix(word, "0000") || strings.Contains(word, "+0x")
}

// rankOfPath returns the value of a word with slashes.
func rankOfPath(word string, f *wordFacts) int {
	colon, slash := strings.IndexByte(word, ':'), strings.IndexByte(word, '/')
	switch {
	case f.letters == 0, strings.HasPrefix(word, "//"), strings.HasPrefix(word, "HTTP/"):
		return 0
	case colon >= 0 && colon < slash && !isDigit(word[colon+1]) && !strings.Contains(word[:colon], "@"):
		return 0 // "task:kworker/1"
	case f.slashes >= 2, word[0] == '/', word[0] == '.', word[0] == '~', hasFileEnd(word):
		return rankPath
	case f.underscores+f.digits+f.dashes > 0:
		return rankFile
	}
	return 0 // "and/or"
}

// rankOfDigits returns the value of digits and dots: an address, or a version.
func rankOfDigits(word string, f *wordFacts) int {
	switch {
	case f.dots == 3 && f.dashes == 0:
		return rankAddress
	case f.dots == 2 && f.colons+f.dashes == 0:
		return rankVersion
	}
	return 0
}

// isID reports whether letters and digits are an id: digits that stand apart, or among letters.
func isID(word string, f *wordFacts) bool {
	if len(word) < 5 || f.digits < 2 || f.dots > 1 || f.colons > 0 {
		return false
	}
	if len(word) == 5 && f.hex >= 4 && strings.ContainsRune("xuU", rune(word[0])) {
		return false // a character: "x2192"
	}
	return f.digits >= 3 || f.dashes+f.underscores > 0 || f.digits*2 >= len(word)
}

// isVersion reports whether a word is a version: "v1.2.3", "1.2.3-rc1".
func isVersion(word string) bool {
	rest := strings.TrimPrefix(word, "v")
	return rest != "" && isDigit(rest[0]) && strings.Count(rest, ".") >= 2
}

// isMeasure reports whether a word is a number with a unit: "12.5ms", "0x7f", "100MB".
func isMeasure(word string) bool {
	n := 0
	for n < len(word) && (isDigit(word[n]) || word[n] == '.') {
		n++
	}
	if n == 0 || len(word)-n > 5 || n == len(word) && strings.Count(word, ".") > 1 {
		return false
	}
	for _, c := range []byte(strings.TrimPrefix(word[n:], "-")) { // "40-byte"
		if !isLetter(c) && c != '/' {
			return false
		}
	}
	return true
}

// isTime reports whether a word is a date or a time.
func isTime(word string, f *wordFacts) bool {
	switch {
	case f.digits >= 8 && len(word) >= 10 && isNumber(word[:4]) && (word[4] == '-' || word[4] == '/') && isNumber(word[5:7]):
		return true
	case f.colons >= 2 && len(word) >= 7 && isDigit(word[0]) && f.letters <= 3:
		return true // also "05/Jan/2026:10:00:00"
	case f.colons == 1 && f.letters == 0 && f.dots < 3:
		return true
	}
	day, rest, ok := strings.Cut(word, "-") // "02-Jan-2006"
	month, year, also := strings.Cut(rest, "-")
	return ok && also && isNumber(day) && len(month) == 3 && isNumber(year)
}

// isNumber reports whether a word is digits alone.
func isNumber(word string) bool {
	for i := range len(word) {
		if !isDigit(word[i]) {
			return false
		}
	}
	return word != ""
}

// isLabel reports whether a word names the id behind it.
func isLabel(word string) bool {
	switch word {
	case "port", "pid", "job", "build", "run", "pr", "issue", "ticket", "version", "id", "uuid", "commit", "revision", "sha", "digest", "hash", "name", "number",
		"task", "order", "session", "request", "deployment", "release", "instance", "branch", "tag", "key", "pod", "container", "image", "url", "endpoint", "artifact", "listening":
		return true
	}
	return strings.HasSuffix(word, "_id") || strings.HasSuffix(word, "-id")
}

// cutPlace cuts the line number from the name of a place: "a.go:12:3".
func cutPlace(word string) (path, line string, ok bool) {
	if strings.Contains(word, "://") {
		return "", "", false
	}
	path, line, ok = strings.Cut(word, ":")
	return path, line, ok && line != "" && isDigit(line[0]) && (strings.Contains(path, "/") || hasFileEnd(path))
}

// placeIn returns the line and the column that a text begins with: "12:3" of "12:3:func".
func placeIn(text string) string {
	end, colons := 0, 0
	for ; end < len(text); end++ {
		if text[end] == ':' && colons == 0 && end+1 < len(text) && isDigit(text[end+1]) {
			colons++
		} else if !isDigit(text[end]) {
			break
		}
	}
	return text[:end]
}

// fileEnds are the ends of names of files that are in common use.
const fileEnds = " py pyi go rs js mjs cjs ts tsx jsx java kt kts scala c h cc cpp hpp cxx m mm swift rb php cs fs ex exs erl hs ml lua pl pm r jl dart sh bash zsh ps1 bat " +
	"md rst txt json yaml yml toml xml html css scss sql csv tsv log lock cfg ini conf env proto graphql ipynb mod sum gradle tf dockerfile whl jar zip gz tar pdf png svg rst diff patch "

// hasFileEnd reports whether a word is the name of a file, maybe with a place behind it.
func hasFileEnd(word string) bool {
	if at := strings.IndexByte(word, ':'); at > 0 {
		word = word[:at]
	}
	dot := strings.LastIndexByte(word, '.')
	return dot > 0 && dot < len(word)-1 && strings.Contains(fileEnds, " "+strings.ToLower(word[dot+1:])+" ")
}
