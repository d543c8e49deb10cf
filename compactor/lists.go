package compactor

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// lists shortens the large lists of a message to their first elements. A list that is
// truncated and has no artifact stays: what would go could not be read any more.
func (w *work) lists(s *schema, m protoreflect.Message) {
	for _, l := range s.lists {
		v := l.Get(m)
		if v.Shown == 0 || v.Artifact == "" && v.Truncated {
			continue
		}
		shown := m.Get(l.Field).List()
		keep := keepElements(elementTokens(l.Field, shown), w.limits(), w.slack(v.Truncated && v.Artifact != ""))
		if keep == v.Shown {
			continue
		}
		if v.Artifact == "" {
			v.Artifact, _ = w.storeLater(envelope.ListText(l.Field, shown))
		}
		m.Mutable(l.Field).List().Truncate(keep)
		v.Truncated = true
		l.Set(m, v)
		w.changed = true
	}
}

// elementTokens returns the estimated cost of each element of a list, in tokens.
func elementTokens(f protoreflect.FieldDescriptor, list protoreflect.List) []int {
	costs := make([]int, list.Len())
	for i := range costs {
		text := strings.Join(envelope.Lines(f, list.Get(i), textscan.OneLine), "\n")
		costs[i] = tokens.Estimate().Count(text) + 1
	}
	return costs
}

// keepElements returns the number of first elements that are kept when a list is
// shortened to one limit after the other. slack is the excess over a limit, in tokens,
// that is not worth a cut.
func keepElements(costs []int, limits []int, slack int) int {
	keep, spent := len(costs), sum(costs)
	for _, limit := range limits {
		if spent <= limit+slack {
			continue
		}
		for keep > 0 && spent > limit {
			keep--
			spent -= costs[keep]
		}
		slack = min(slack, shownTokens)
	}
	return keep
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}
