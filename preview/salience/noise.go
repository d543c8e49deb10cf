package salience

import (
	"bytes"
	"unicode/utf8"
)

// noiseBegins are beginnings of lines that name errors without having one, by
// their first byte: packages that are installed ("libgpg-error0"), echoed
// commands, checks of a configuration, tests that passed.
var noiseBegins = func() (table [256][]string) {
	for _, begin := range []string{
		"Get:", "Hit:", "Ign:", "Selecting previously", "Unpacking ", "Setting up ", "Preparing to unpack", "Downloading", "Downloaded",
		"Installing", "Collecting ", "Requirement already", "Using ", "Fetching ", "remote: Counting", "remote: Compressing",
		"$ ", "+ ", "echo ", "export ", "travis_", "-- Performing Test", "-- Looking for", "checking ", "libtool:",
		"gcc ", "g++ ", "cc ", "clang ", "ok ", "PASS", "✓", "✔",
		// Linux: what a crash says of registers and modules, and frames that may be none
		"Modules linked in:", "Hardware name:", "Code: ", "FS: ", "CS: ", "PKRU: ", "? ",
		// the legend of the shadow memory of AddressSanitizer
		"Shadow ", "Addressable: ", "Partially addressable: ", "Heap left redzone: ", "Freed heap region: ", "Stack left redzone: ", "Stack mid redzone: ",
		"Stack right redzone: ", "Stack after return: ", "Stack use after scope: ", "Global redzone: ", "Global init order: ", "Poisoned by user: ",
		"Container overflow: ", "Array cookie: ", "Intra object redzone: ", "ASan internal: ", "Left alloca redzone: ", "Right alloca redzone: ",
		"=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- PASS", // go test
		"● Console", // Jest: what a file that may have passed has written
		// where a tool says how to get help
		"[ERROR] -> [Help", "[ERROR] [Help ", "[ERROR] To see the full stack trace", "[ERROR] Re-run Maven", "[ERROR] For more information about the errors",
		"[ERROR] After correcting the problems", "[ERROR]   mvn ", "[ERROR] Please refer to ",
		"* Try:", "> Run with --", "> Get more help at ", "* Get more help at ", "Run with --", "Get more help at ",
		"Deprecated Gradle features were used", "You can use '--warning-mode all'", "For more on this, please refer to https://docs.gradle.org/",
		"note: run with `RUST_BACKTRACE=", "For more information about this error, try `rustc", "Some errors have detailed explanations",
		"npm ERR! A complete log of this run", "npm error A complete log of this run", "npm ERR!     /", "npm ERR! This is probably not a problem with npm",
		"note: This error originates from a subprocess", "note: This is an issue with the package", "[notice] A new release of pip", "[notice] To update, run",
		"See \"systemctl status ", "Run `npm audit", "Use `--verbose", "Re-run with --",
	} {
		table[begin[0]] = append(table[begin[0]], begin)
	}
	return table
}()

// noiseEnds are ends of lines of tests that passed.
var noiseEnds = []string{" OK", "... ok", ". ok", "...ok", " PASSED", " passed", "[PASS]", "[ OK ]", "[no test files]"}

// isNoise reports whether a line, from its body on, that is no frame of a library
// matters less than its words suggest.
func isNoise(body []byte) bool {
	if len(body) == 0 {
		return false
	}
	for _, begin := range noiseBegins[body[0]] {
		if bytes.HasPrefix(body, []byte(begin)) {
			return true
		}
	}
	if isDump(body) {
		return true
	}
	body = anyBlanks.TrimRight(body)
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1] {
	case 'K', 'k', 'D', 'd', ']':
	default:
		return false
	}
	for _, end := range noiseEnds {
		if bytes.HasSuffix(body, []byte(end)) && !contains(body, ", ") && !contains(body, " tests passed") { // counters have commas
			return true
		}
	}
	return false
}

// leastDumped is how many digits a row of a dump has.
const leastDumped = 16

// isDump reports whether a line is a row of a dump: registers ("RAX:
// 0000000000000000 RBX: ffff888012345678"), or memory behind its address.
func isDump(body []byte) bool {
	i := bytes.IndexByte(body, ' ')
	if i <= 0 || body[i-1] != ':' || endsDump(body[i:]) {
		return false
	}
	digits, names := 0, 0
	for word := range bytes.FieldsSeq(body) {
		switch name := word[len(word)-1] == ':'; {
		case name && len(word) <= longestRegister || names == 0 && name:
			names++
		case isHex(word):
			digits += len(word)
		default:
			return false
		}
		if names == 0 {
			return false
		}
	}
	return digits >= leastDumped
}

// endsDump reports whether the next word of a line is plainly none of a dump: most lines are known by it.
func endsDump(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " ")
	n := 0
	for n < len(rest) && rest[n] > ' ' && rest[n] < utf8.RuneSelf {
		n++
	}
	if n == 0 || n < len(rest) && rest[n] != ' ' && rest[n] != '\t' { // a blank that is not ASCII, or a part of the word
		return false
	}
	return rest[n-1] != ':' && !isHex(rest[:n])
}

// longestRegister is the length of the longest name of a register, with its
// colon.
const longestRegister = 5

// isHex reports whether a word has hexadecimal digits alone, perhaps with
// brackets around the one that matters, as in "00[fa]".
func isHex(word []byte) bool {
	for _, c := range word {
		if !isDigit(c) && (fold(c) < 'a' || fold(c) > 'f') && c != '[' && c != ']' {
			return false
		}
	}
	return true
}

// isQuotedCode reports whether a line quotes a line of code: "26 | except OSError:",
// as rustc, GCC, ruff, Babel and others do below a diagnostic.
func isQuotedCode(body []byte) bool {
	rest := digitSet.TrimLeft(quoteSigns.TrimLeft(body))
	return len(rest) < len(body) && isDigit(body[len(body)-len(rest)-1]) && bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("|"))
}

// leastLetters is how many letters and digits a line has that says something.
const leastLetters = 3

// Hollow reports whether a line says nothing by itself: it has hardly a letter,
// it is noise, or it is a row of a table of counts. Such a line is shown with
// the lines around it or not at all.
func Hollow(text []byte) bool {
	hollow, _ := See(text)
	return hollow
}

// See reports whether a line is hollow, and whether it is so as a frame of a
// library or of a runtime.
func See(text []byte) (hollow, library bool) {
	return (&bare{text: text, time: TimeLength(text)}).see()
}

// isCount reports whether a line ends with a number in a column of its own, as
// "Cache hits 62" and "Average 0.3 s" do.
func isCount(text []byte) bool {
	rest := blanksAndReturns.TrimRight(text)
	if n := bytes.LastIndexByte(rest, ' '); n > 0 && len(rest)-n <= mostUnit && !isDigit(rest[n+1]) {
		rest = bytes.TrimRight(rest[:n], " ") // the unit
	}
	n := len(inNumbers.TrimRight(rest))
	return n < len(rest) && n >= 2 && rest[n-1] == ' ' && rest[n-2] == ' '
}

// mostUnit is the length of the longest unit, with the blank before it.
const mostUnit = 4
