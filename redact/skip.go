package redact

// Bytes that a terminal does not show within a line of text that wraps. A
// secret that a tool wraps or colours is still a secret, so the search for
// registered values steps over them.

// Bounds of terminal sequences (ECMA-48).
const (
	maxCSI = 64      // bytes of a control sequence
	maxOSC = 2 << 10 // bytes of a command to the terminal, such as a title or a link
	esc    = 0x1b
	bel    = 0x07
)

// stepped has the bytes that a skipped sequence begins with.
var stepped = [256]bool{'\b': true, '\n': true, '\r': true, esc: true}

// skip returns how many bytes at i a terminal would not show in a line of text
// that wraps: a line end, a carriage return, a backspace, a sequence. It
// returns 0 if there are none, and undecided if more bytes must come.
func skip(b []byte, i int, end bool, m *marks) int {
	switch b[i] {
	case '\n', '\r', '\b':
		return 1
	case esc:
		return escape(b, i, end, m)
	}
	return 0
}

// escape returns the length of a sequence: CSI, OSC, the choice of a character
// set, or one of those with two bytes.
func escape(b []byte, i int, end bool, m *marks) int {
	if i+1 >= len(b) {
		return open(end)
	}
	switch b[i+1] {
	case '[':
		if n := m.at(b, i+1, end); n != 0 {
			return min(n, 0) // undecided, or text that was redacted
		}
		for k := i + 2; k < i+maxCSI; k++ {
			if k >= len(b) {
				return open(end)
			}
			if c := b[k]; c >= 0x40 && c <= 0x7e {
				return k + 1 - i
			} else if c < 0x20 || c > 0x7e {
				return 0
			}
		}
	case ']':
		for k := i + 2; k < i+maxOSC; k++ {
			if k >= len(b) {
				return open(end)
			}
			switch c := b[k]; {
			case c == bel:
				return k + 1 - i
			case c == esc:
				if k+1 >= len(b) {
					return open(end)
				}
				if b[k+1] == '\\' {
					return k + 2 - i
				}
				return 0
			case c < 0x20:
				return 0
			}
		}
	case '(', ')':
		if i+2 >= len(b) {
			return open(end)
		}
		return 3
	case '7', '8', '=', '>', 'M', 'c':
		return 2
	}
	return 0
}
