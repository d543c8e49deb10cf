package shell

// Functions of package strings, which is not imported: it is ready only after packages that take time (see package early).

// CutPrefix is strings.CutPrefix.
func CutPrefix(s, prefix string) (after string, found bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return s, false
	}
	return s[len(prefix):], true
}

// hasPrefix is strings.HasPrefix.
func hasPrefix(s, prefix string) bool {
	_, found := CutPrefix(s, prefix)
	return found
}

// IndexAny is strings.IndexAny for characters of ASCII.
func IndexAny(s, chars string) int {
	for i := range len(s) {
		for j := range len(chars) {
			if s[i] == chars[j] {
				return i
			}
		}
	}
	return -1
}

// cutLast cuts a text around the last of its parts that are sep.
func cutLast(s, sep string) (before, after string, found bool) {
	for i := len(s) - len(sep); i >= 0; i-- {
		if s[i:i+len(sep)] == sep {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// Directories returns the parts of a value of PATH.
func Directories(path string) []string {
	var dirs []string
	for {
		i := IndexAny(path, ":")
		if i < 0 {
			return append(dirs, path)
		}
		dirs, path = append(dirs, path[:i]), path[i+1:]
	}
}
