package mcpproxy

import "bytes"

// Bounds of deep messages.
const (
	// maxDepth is the number of arrays and objects within each other up to which a message of a server passes. Readers of JSON have
	// such limits: many end the connection, or with it, at a message beyond them.
	maxDepth = 1000
	// maxOutline bounds the outline of a deep message, in bytes.
	maxOutline = 64 << 10
)

// isDeep reports whether a text opens more than maxDepth arrays and objects within each other. It need not be JSON.
func isDeep(text []byte) bool {
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= maxDepth {
		return false
	}
	depth := 0
	for at := 0; at < len(text); {
		switch text[at] {
		case '"':
			at = pastString(text, at)
			continue
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
		at++
	}
	return false
}

// pastString returns the offset behind the string that begins at an offset, or the end of the text.
func pastString(text []byte, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(text))
}

// outline returns a message whose members that are arrays or objects are replaced by null, so that its id can be read at any
// depth. Of a batch it keeps the messages. It returns nil for a longer outline than maxOutline.
func outline(text []byte) []byte {
	var out []byte
	keep, depth := 1, 0 // keep is the depth up to which there is no null
	for at := 0; at < len(text) && len(out) <= maxOutline; {
		from := at
		switch text[at] {
		case '"':
			at = pastString(text, at)
		case '{', '[':
			if depth == 0 && text[at] == '[' {
				keep = 2
			}
			if depth++; depth == keep+1 {
				out = append(out, "null"...)
			}
			at++
		case '}', ']':
			at++
			if depth--; depth == keep { // what null replaces ends here
				continue
			}
		default:
			at++
		}
		if depth <= keep && len(out)+at-from <= maxOutline {
			out = append(out, text[from:at]...)
		} else if depth <= keep {
			return nil
		}
	}
	return out
}
