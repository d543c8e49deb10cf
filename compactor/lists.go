package compactor

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// lists shortens the large lists of a message to their first elements.
func (c *compaction) lists(ctx context.Context, m protoreflect.Message) error {
	lists := envelope.LargeLists(m.Descriptor())
	for i := range lists {
		l := &lists[i]
		if envelope.Retention(l.Field) == pb.Retention_RETENTION_KEEP {
			continue
		}
		shown := m.Get(l.Field).List()
		keep, ok := c.elements(l.Field, shown)
		if !ok {
			continue
		}
		v := l.Get(m)
		if v.Artifact == "" {
			if v.Truncated {
				continue // what would go could not be read any more
			}
			path, _, err := c.Keep(ctx, envelope.ListText(l.Field, shown))
			if err != nil {
				return fmt.Errorf("keep %s: %w", l.Name, err)
			}
			v.Artifact = path
		}
		m.Mutable(l.Field).List().Truncate(keep)
		v.Truncated = true
		l.Set(m, v)
		c.changed = true
	}
	return nil
}

// elements returns how many elements of a list to keep. It reports false where
// there is nothing to win.
func (c *compaction) elements(f protoreflect.FieldDescriptor, list protoreflect.List) (keep int, shorter bool) {
	limit, spent := 0, 0
	if c.Level == pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED {
		limit = c.PreviewTokens
	}
	for i := range list.Len() {
		text := strings.Join(envelope.Lines(f, list.Get(i)), "\n")
		spent += c.Counter.Count(preview.OneLine(text) + "\n")
		if spent <= limit {
			keep = i + 1
		}
		if spent > limit+handleTokens {
			return keep, true
		}
	}
	return 0, false
}
