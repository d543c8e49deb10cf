package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Data in base64, such as a certificate, an image in a data URI, or what base64
// prints: nobody reads it, so its place goes to other lines.

// Bounds of data that is shown shortened.
const (
	encodedWidth = 96 // bytes of a line with a long run
	leastEncoded = 8  // lines of one block
	leastChars   = 40 // of a line of a block
)

// shortenEncoded cuts lines with a long run of base64 inside, and lets the first
// line of each block of it speak for the block.
func shortenEncoded(list []Ranked) {
	for i := 0; i < len(list); {
		text := list[i].Line.Text
		if len(text) >= textscan.LongBase64 {
			if from, to, ok := textscan.Base64Run(text, 0, textscan.LongBase64); ok && textscan.LooksRandom(text[from:to]) {
				list[i].Width = encodedWidth
			}
		}
		end, random := i, 0
		for end < len(list) && isEncoded(list[end].Line.Text) && len(list[end].Line.Text) == len(text) {
			if textscan.LooksRandom(list[end].Line.Text) {
				random++
			}
			end++
		}
		if end-i >= leastEncoded && random*2 >= end-i {
			for k := i + 1; k < end; k++ {
				list[k].Score, list[k].Reason = scoreLike, 0
			}
		}
		i = max(i+1, end)
	}
}

// isEncoded reports whether a line is nothing but base64.
func isEncoded(text []byte) bool {
	text = bytes.TrimRight(text, "\r")
	if len(text) < leastChars || len(text) >= textscan.LongBase64 {
		return false
	}
	_, _, ok := textscan.Base64Run(text, 0, len(text))
	return ok
}
