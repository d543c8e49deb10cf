package textscan

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
)

// Size returns the number of bytes of all parts.
func Size(parts [][]byte) (n int) {
	for _, p := range parts {
		n += len(p)
	}
	return n
}

// Between iterates over the bytes of parts from one offset to another, in
// slices of the parts.
func Between(parts [][]byte, from, to int) iter.Seq[[]byte] {
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

// LineStart returns the offset after the last newline before an offset, or 0.
func LineStart(parts [][]byte, before int) int {
	start := Size(parts)
	for i := len(parts) - 1; i >= 0; i-- {
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

// LastNewline returns the index of the last newline, or -1. It looks at eight
// bytes at a time, which bytes.LastIndexByte does not: the byte test is the
// exact form of "has a zero byte", without carries into neighbouring bytes.
func LastNewline(b []byte) int {
	const newlines, low = 0x0a0a0a0a0a0a0a0a, 0x7f7f7f7f7f7f7f7f
	for len(b) >= 8 {
		other := binary.LittleEndian.Uint64(b[len(b)-8:]) ^ newlines // 0 where a newline is
		if at := ^((other&low + low) | other | low); at != 0 {
			return len(b) - 1 - bits.LeadingZeros64(at)/8
		}
		b = b[:len(b)-8]
	}
	return bytes.LastIndexByte(b, '\n')
}
