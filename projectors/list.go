package projectors

import (
	"context"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/preview/textscan"
)

// list is a complete list that becomes a large list. Its first elements are shown, in
// order.
type list struct {
	field  *envelope.LargeList
	into   protoreflect.Message // the canonical message with the field
	from   *envelope.Field      // the field of the complete message, whose bounds apply to the elements; nil: they are within bounds
	all    protoreflect.List
	cut    bool            // an element that is shown is cut to its bounds
	costs  []envelope.Cost // of the first elements, computed as they are needed
	shown  int
	stored artifactstore.Ref
}

// usualElement is the average length of the line of an element, in bytes.
const usualElement = 64

// bytes implements part.
func (l *list) bytes() int64 { return int64(l.all.Len()) * usualElement }

// truncated implements part.
func (l *list) truncated() bool { return l.shown < l.all.Len() || l.cut }

// element returns an element as it is shown, and whether it was cut.
func (l *list) element(i int) (v protoreflect.Value, cut bool) {
	if v = l.all.Get(i); l.from == nil {
		return v, false
	}
	return bounding{byField: true}.value(l.from, v)
}

// elementCost returns the cost of the lines of an element.
func (l *list) elementCost(i int, p Policy) envelope.Cost {
	for len(l.costs) <= i {
		element, _ := l.element(len(l.costs))
		l.costs = append(l.costs, lineCost(envelope.Lines(l.field.Field, element, textscan.OneLine), "", p))
	}
	return l.costs[i]
}

// lineCost returns the cost of lines behind an indent.
func lineCost(lines []string, indent string, p Policy) envelope.Cost {
	text := ""
	for _, line := range lines {
		text += indent + line + "\n"
	}
	return envelope.Cost{Tokens: p.Counter.Count(text), Lines: len(lines), Bytes: len(text)}
}

// show implements part. The complete list is stored once, however often it is shown.
func (l *list) show(ctx context.Context, share envelope.Cost, p Policy, sink artifactstore.Sink) error {
	l.into.Clear(l.field.Field)
	shown := l.into.Mutable(l.field.Field).List()
	l.cut = false
	for l.shown = 0; l.shown < l.all.Len(); l.shown++ {
		c := l.elementCost(l.shown, p)
		if !covers(share, c) {
			break
		}
		share = subtractCost(share, c)
		element, cut := l.element(l.shown)
		shown.Append(element)
		l.cut = l.cut || cut
	}
	if l.stored.Path == "" && l.all.Len() > 0 && (p.KeepAll || l.truncated()) {
		ref, err := sink.Put(ctx, artifactstore.BytesBlob(envelope.ListText(l.field.Field, l.all)))
		if err != nil {
			return err
		}
		l.stored = ref
	}
	l.field.Set(l.into, envelope.Listed{Total: l.all.Len(), Truncated: l.truncated(), Artifact: l.stored.Path})
	return nil
}

// cost implements part.
func (l *list) cost(p Policy) (sum envelope.Cost) {
	for i := range l.shown {
		sum = addCost(sum, l.elementCost(i, p))
	}
	return sum
}
