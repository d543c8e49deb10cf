package bpe

// window is the part of a long piece that is merged in one go, in bytes. What it needs
// stays in the fastest cache, so that the time a byte takes does not grow with
// the piece.
const window = 1024

// long counts the tokens of a piece of any length in windows that overlap. A cut
// into tokens is the right one if and only if it is for each two neighbours by
// themselves. (The first merge across their border would be made for the whole
// piece and for the two alone, or for neither: what is outside of the two does not
// touch them before.) Each two neighbours of a window are, so the windows only have
// to meet: a window begins with the token that the one before it has there.
func (m *merger) long(t *table, text string, from, to int) int {
	for size := window; ; size *= 2 {
		if n, met := m.windows(t, text, from, to, size); met {
			return n
		}
	}
}

// windows is long with windows of n bytes, at least four times those of the
// longest token, and reports whether they met.
func (m *merger) windows(t *table, text string, from, to, size int) (n int, met bool) {
	expected := int32(0) // the length of the next token, as the window before has it
	for {
		last := to-from <= size
		parts := m.merge(t, text, from, min(from+size, to))
		if expected != 0 && m.next[0] != expected {
			return 0, false
		}
		if last {
			return n + parts, true
		}
		at := int32(0)
		for at < int32(size-size/4) { // the rest may become something else
			at = m.next[at]
			n++
		}
		expected = m.next[at] - at
		from += int(at)
	}
}
