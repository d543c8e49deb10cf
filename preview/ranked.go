package preview

import (
	"strings"

	"github.com/toolresult/toolresult/preview/shape"
)

// Shown is text that is shown of a payload.
type Shown struct {
	Text  string
	Runs  []Segment   // the lines of the payload that follow each other in Text; other fields of them are not read
	Lines int64       // of the payload
	Shape shape.Shape // of the payload, if it is known
}

// Ranked returns the lines of a text that was shown whole, each as a segment of its
// own with its score: how much it matters in the output of something that failed. It
// returns nil for a text of which not every line is looked at, which a preview is
// hardly ever long enough for.
func Ranked(text string) []Segment {
	lines := int64(strings.Count(text, "\n")) + boolBytes(!strings.HasSuffix(text, "\n"))
	return Shown{Text: text, Runs: []Segment{{FirstLine: 1, LastLine: lines}}, Lines: lines}.Ranked()
}

// Ranked returns the same of a text that is a part of a payload: its lines have the
// numbers that they have there, and their bytes are those of the text.
func (s Shown) Ranked() []Segment {
	w := NewWriter(len(s.Text))
	w.grow(len(s.Text))
	_, _ = w.Write([]byte(s.Text))
	e := w.Finish()
	if e.binary || !e.complete() {
		return nil
	}
	list := make([]shape.Ranked, 0, e.available())
	runs, number, last := s.Runs, int64(0), int64(0)
	for _, l := range e.each() {
		if number++; number > last && len(runs) > 0 {
			number, last, runs = runs[0].FirstLine, runs[0].LastLine, runs[1:]
		}
		list = append(list, shape.Ranked{Line: l, Number: number})
	}
	shape.Rank(list, shape.Options{Shape: e.Shape(Focus{Shape: s.Shape}), Lines: s.Lines})
	segments := make([]Segment, len(list))
	for i := range list {
		l := &list[i]
		segments[i] = Segment{
			FirstLine: l.Number, LastLine: l.Number, ByteStart: l.Line.Start, ByteEnd: l.Line.End,
			PreviewBytes: l.Line.End - l.Line.Start, Reason: l.Reason, Score: max(0, l.Score),
		}
	}
	return segments
}
