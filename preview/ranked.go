package preview

// Ranked returns the lines of a text that was shown whole, each as a segment of its
// own with its score: how much it matters in the output of something that failed. It
// returns nil for a text of which not every line is looked at, which a preview is
// hardly ever long enough for.
func Ranked(text string) []Segment {
	w := NewWriter(len(text))
	w.grow(len(text))
	_, _ = w.Write([]byte(text))
	e := w.Finish()
	if e.binary || !e.complete() {
		return nil
	}
	list := e.rank(Focus{}).list
	segments := make([]Segment, len(list))
	for i := range list {
		r := &list[i]
		segments[i] = Segment{
			FirstLine: r.number, LastLine: r.number, ByteStart: r.line.start, ByteEnd: r.line.end,
			PreviewBytes: r.line.end - r.line.start, Reason: r.reason, Score: max(0, r.score),
		}
	}
	return segments
}
