package textscan

// ByteSet is a set of bytes. Package bytes makes a set anew with each call of Trim and its like, which costs more
// than to look at a line.
type ByteSet [256]bool

// NewByteSet returns the set of the bytes of a text.
func NewByteSet(chars string) *ByteSet {
	s := new(ByteSet)
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return s
}

// TrimLeft returns a text without the bytes of the set that it begins with.
func (s *ByteSet) TrimLeft(text []byte) []byte {
	i := 0
	for i < len(text) && s[text[i]] {
		i++
	}
	return text[i:]
}

// TrimRight returns a text without the bytes of the set that it ends with.
func (s *ByteSet) TrimRight(text []byte) []byte {
	n := len(text)
	for n > 0 && s[text[n-1]] {
		n--
	}
	return text[:n]
}

// Trim returns a text without the bytes of the set at both of its ends.
func (s *ByteSet) Trim(text []byte) []byte { return s.TrimRight(s.TrimLeft(text)) }
