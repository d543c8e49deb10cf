package projectors

import (
	"context"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/preview"
)

// list is a complete list on its way into a large list. Its first elements are
// shown, in their order.
type list struct {
	field  *envelope.LargeList
	into   protoreflect.Message // the canonical message that has the field
	all    protoreflect.List
	costs  []envelope.Cost // of the first elements, as far as they were asked for
	shown  int
	stored artifactstore.Ref
}

// usualElement is how long the line of an element is, about, in bytes.
const usualElement = 64

func (l *list) bytes() int64    { return int64(l.all.Len()) * usualElement }
func (l *list) truncated() bool { return l.shown < l.all.Len() }

// costOf is what the lines of an element cost.
func (l *list) costOf(i int, p Policy) envelope.Cost {
	for len(l.costs) <= i {
		lines := envelope.Lines(l.field.Field, l.all.Get(len(l.costs)))
		for j := range lines {
			lines[j] = preview.OneLine(lines[j])
		}
		text := strings.Join(lines, "\n") + "\n"
		l.costs = append(l.costs, envelope.Cost{Tokens: p.Counter.Count(text), Lines: len(lines), Bytes: len(text)})
	}
	return l.costs[i]
}

func (l *list) show(ctx context.Context, share envelope.Cost, p Policy, sink artifactstore.Sink) error {
	l.into.Clear(l.field.Field)
	shown := l.into.Mutable(l.field.Field).List()
	for l.shown = 0; l.shown < l.all.Len(); l.shown++ {
		c := l.costOf(l.shown, p)
		if c.Tokens > share.Tokens || c.Lines > share.Lines || c.Bytes > share.Bytes {
			break
		}
		share = less(share, c)
		shown.Append(l.all.Get(l.shown))
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

func (l *list) cost(p Policy) (sum envelope.Cost) {
	for i := range l.shown {
		c := l.costOf(i, p)
		sum = envelope.Cost{Tokens: sum.Tokens + c.Tokens, Lines: sum.Lines + c.Lines, Bytes: sum.Bytes + c.Bytes}
	}
	return sum
}
