package preview

// LastState is what a terminal shows of a line that redraws itself.
func LastState(text []byte) []byte {
	if last, ok := lastState(text); ok && redraws(text) {
		return last
	}
	return text
}
