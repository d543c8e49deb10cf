package salience

import "bytes"

// noiseBegins are beginnings of lines that name errors without having one, by
// their first byte: packages that are installed ("libgpg-error0"), echoed
// commands, checks of a configuration, tests that passed.
var noiseBegins = func() (table [256][]string) {
	for _, begin := range []string{
		"Get:", "Hit:", "Ign:", "Selecting previously", "Unpacking ", "Setting up ", "Preparing to unpack", "Downloading", "Downloaded",
		"Installing", "Collecting ", "Requirement already", "Using ", "Fetching ", "remote: Counting", "remote: Compressing",
		"$ ", "+ ", "echo ", "export ", "travis_", "-- Performing Test", "-- Looking for", "checking ", "libtool:",
		"gcc ", "g++ ", "cc ", "clang ", "ok ", "PASS", "✓", "✔",
	} {
		table[begin[0]] = append(table[begin[0]], begin)
	}
	return table
}()

// noiseEnds are ends of lines of tests that passed.
var noiseEnds = []string{" OK", "... ok", ". ok", "...ok", " PASSED", " passed", "[PASS]", "[ OK ]", "[no test files]"}

// isNoise reports whether a line, from its body on, matters less than its words
// suggest.
func isNoise(body []byte) bool {
	if len(body) == 0 {
		return false
	}
	for _, begin := range noiseBegins[body[0]] {
		if bytes.HasPrefix(body, []byte(begin)) {
			return true
		}
	}
	body = bytes.TrimRight(body, " \r\t")
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1] {
	case 'K', 'k', 'D', 'd', ']':
	default:
		return false
	}
	for _, end := range noiseEnds {
		if bytes.HasSuffix(body, []byte(end)) && !contains(body, ", ") { // counters have commas
			return true
		}
	}
	return false
}

// leastLetters is how many letters and digits a line has that says something.
const leastLetters = 3

// Hollow reports whether a line says nothing by itself: it has hardly a letter,
// it is noise, or it is a row of a table of counts. Such a line is shown with
// the lines around it or not at all.
func Hollow(text []byte) bool {
	letters := 0
	for _, c := range text {
		if isAlphanumeric(c) || c >= 0x80 {
			if letters++; letters == leastLetters {
				return isNoise(text[bodyStart(text):]) || isCount(text)
			}
		}
	}
	return true
}

// isCount reports whether a line ends with a number in a column of its own, as
// "Cache hits 62" and "Average 0.3 s" do.
func isCount(text []byte) bool {
	rest := bytes.TrimRight(text, " \r")
	if n := bytes.LastIndexByte(rest, ' '); n > 0 && len(rest)-n <= mostUnit && !isDigit(rest[n+1]) {
		rest = bytes.TrimRight(rest[:n], " ") // the unit
	}
	n := len(bytes.TrimRight(rest, "0123456789.%"))
	return n < len(rest) && n >= 2 && rest[n-1] == ' ' && rest[n-2] == ' '
}

// mostUnit is the length of the longest unit, with the blank before it.
const mostUnit = 4
