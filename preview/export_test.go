package preview

import "github.com/toolresult/toolresult/preview/textscan"

// LastState returns what a terminal shows of a line that redraws itself.
func LastState(text []byte) []byte {
	if last, ok := textscan.LastState(text); ok && textscan.Redraws(text) {
		return last
	}
	return text
}
