package compactor

import (
	"context"
	"fmt"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/tokens"
)

// Keep stores a payload that is about to be shortened and has no artifact yet.
// It returns the artifact's path and digest.
type Keep func(ctx context.Context, payload []byte) (path, digest string, err error)

// Policy governs a compaction. Every value is set.
type Policy struct {
	Level         pb.CompactionLevel
	PreviewTokens int // what each preview may keep at COMPACTION_LEVEL_TRIMMED
	Counter       tokens.Counter
	Keep          Keep
	Types         envelope.Types // families that an operator brought
}

// Compact returns r at the policy's level, and whether that differs from r. It
// does not change r. Compacting what it returns to the same level again changes
// nothing; no level is undone. The only errors are those of Keep.
func Compact(ctx context.Context, r *pb.CanonicalToolResult, p Policy) (*pb.CanonicalToolResult, bool, error) {
	compacted := proto.CloneOf(r)
	c := compaction{Policy: p}
	root := payloadOf(compacted, p.Types)
	if root == nil {
		return r, false, nil
	}
	envelope.Walk("", root, func(_ string, m protoreflect.Message) {
		if c.err == nil {
			c.err = c.message(ctx, m)
		}
	})
	if c.err != nil || !c.changed {
		return r, false, c.err
	}
	p.Types.Close(compacted, root)
	return compacted, true, nil
}

// payloadOf is the part of a result that can be compacted.
func payloadOf(r *pb.CanonicalToolResult, types envelope.Types) protoreflect.Message {
	if r.GetError() != nil {
		return r.GetError().ProtoReflect()
	}
	_, payload := types.Open(r)
	return payload
}

type compaction struct {
	Policy
	changed bool
	err     error
}

// message compacts one message of a payload.
func (c *compaction) message(ctx context.Context, m protoreflect.Message) error {
	if envelope.Level(m) > c.Level {
		return nil
	}
	before := c.changed
	c.changed = false
	if err := c.previews(ctx, m); err != nil {
		return err
	}
	if err := c.lists(ctx, m); err != nil {
		return err
	}
	if c.changed {
		envelope.SumTruncated(m)
	}
	if c.Level >= pb.CompactionLevel_COMPACTION_LEVEL_HANDLES {
		c.small(m)
	}
	if c.changed {
		envelope.SetLevel(m, c.Level)
	}
	c.changed = c.changed || before
	return nil
}

// previews shortens the large fields of a message.
func (c *compaction) previews(ctx context.Context, m protoreflect.Message) error {
	fields := envelope.LargeFields(m.Descriptor())
	for i := range fields {
		f := &fields[i]
		if !f.Has(m) {
			continue
		}
		v := f.Get(m)
		shorter, ok := c.shorten(&v)
		if !ok {
			continue
		}
		if shorter.Artifact == "" {
			path, digest, err := c.Keep(ctx, []byte(v.Preview))
			if err != nil {
				return fmt.Errorf("keep %s: %w", f.Name, err)
			}
			shorter.Artifact, shorter.Source.Digest = path, digest
		}
		f.Set(m, shorter)
		c.changed = true
	}
	return nil
}

// small empties and removes, at the lowest level, the fields that are not large
// but may go.
func (c *compaction) small(m protoreflect.Message) {
	if e, ok := m.Interface().(*pb.ToolError); ok {
		c.details(e)
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); envelope.Retention(f) == pb.Retention_RETENTION_DROP && m.Has(f) {
			m.Clear(f)
			c.changed = true
		}
	}
}

// details removes the details of an error and says what they were. What goes is
// at most envelope.MaxDetails; larger details were stored when they were
// projected.
func (c *compaction) details(e *pb.ToolError) {
	if e.DetailsJson == nil || c.Counter.Count(e.GetDetailsJson()) <= handleTokens {
		return
	}
	if e.GetDetailsOmitted() == nil {
		digest := blake3.Sum256([]byte(e.GetDetailsJson()))
		e.DetailsOmitted = &pb.DetailsOmitted{
			Bytes: uint64(len(e.GetDetailsJson())), Digest: fmt.Sprintf("blake3:%x", digest),
		}
	}
	e.DetailsJson = nil
	c.changed = true
}
