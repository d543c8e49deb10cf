package shape

import "bytes"

// The frames of libraries in a stack are often more than one line each: Python
// quotes the code below the place, with the part of it that was executed, and Go
// and Rust write the function above the place. A line of code says nothing
// without its frame, so these lines are as hollow as it is.

// ofLibraries finds the lines of frames of libraries.
func ofLibraries(list []Ranked) {
	quoted, indent := false, 0
	for i := range list {
		switch l := list[i].look(); {
		case l.library:
			body := blankSet.TrimLeft(l.bare)
			quoted, indent = bytes.HasPrefix(body, []byte(`File "`)), l.indent
			if follows(list, i) && !quoted && list[i-1].look().frame && isPlace(body) {
				list[i-1].look().ofLibrary()
			}
		case quoted && follows(list, i) && l.indent > indent:
			l.ofLibrary()
		default:
			quoted = false
		}
	}
}

// isPlace reports whether a line of a frame, from its first letter on, is the
// place of the function above it.
func isPlace(body []byte) bool { return body[0] == '/' || bytes.HasPrefix(body, []byte("at /")) }
