package preview

import (
	"bytes"
	"iter"
)

var newline = []byte{'\n'}

// size is how many bytes parts have.
func size(parts [][]byte) (n int) {
	for _, p := range parts {
		n += len(p)
	}
	return n
}

// between goes over the bytes of parts from one offset to another.
func between(parts [][]byte, from, to int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start := 0
		for _, p := range parts {
			first, last := max(from-start, 0), min(to-start, len(p))
			if first < last && !yield(p[first:last]) {
				return
			}
			start += len(p)
		}
	}
}

// lineStart is the offset after the last newline before an offset, or 0.
func lineStart(parts [][]byte, before int) int {
	start := size(parts)
	for i := len(parts) - 1; i >= 0 && before > 0; i-- {
		start -= len(parts[i])
		if start >= before {
			continue
		}
		if at := bytes.LastIndexByte(parts[i][:min(before-start, len(parts[i]))], '\n'); at >= 0 {
			return start + at + 1
		}
	}
	return 0
}
