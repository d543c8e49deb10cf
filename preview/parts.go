package preview

import "github.com/toolresult/toolresult/preview/shape"

// Parts counts the lines of a payload by folder or file, as shape.Parts does. It
// returns nil for a payload of which lines were not kept.
func (e *Excerpt) Parts(f Hints) []shape.Part {
	if kind := e.Shape(f); kind != shape.Search && kind != shape.Listing || !e.complete() {
		return nil
	}
	list := make([]shape.Ranked, 0, e.available())
	for n, l := range e.each() {
		list = append(list, shape.Ranked{Line: l, Number: n})
	}
	return shape.Parts(e.Shape(f), list)
}
