package compactor

import (
	"fmt"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/tokens"
)

// The levels, by short names.
const (
	full    = pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED
	trimmed = pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED
	handles = pb.CompactionLevel_COMPACTION_LEVEL_HANDLES
	line    = pb.CompactionLevel_COMPACTION_LEVEL_LINE
)

// Compactor compacts canonical results, those of custom families included. It is
// immutable. Safe for concurrent use.
type Compactor struct {
	types   envelope.Types
	schemas map[protoreflect.FullName]*schema
	place   Place
}

// Place returns the path and digest that an artifact with this payload will have. It
// stores nothing.
type Place func(payload []byte) (path, digest string)

// New returns a Compactor for the families of the contract and custom ones. It fails
// for a family whose options cannot be read.
func New(types envelope.Types, place Place) (*Compactor, error) {
	c := &Compactor{types: types, schemas: map[protoreflect.FullName]*schema{}, place: place}
	_, families := envelope.OneofFields()
	roots := []protoreflect.MessageDescriptor{(*pb.ToolError)(nil).ProtoReflect().Descriptor()}
	for _, f := range families {
		roots = append(roots, f.Message())
	}
	for _, t := range types {
		roots = append(roots, t.Canonical)
	}
	for _, d := range roots {
		if err := c.read(d); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Target is the form that a result is compacted to.
type Target struct {
	Level         pb.CompactionLevel
	PreviewTokens int            // limit of each preview at COMPACTION_LEVEL_TRIMMED
	Superseded    *pb.Superseded // the later result that supersedes this one; nil to state none
	Names         []string       // names that the result introduced, which it keeps when its texts are shortened
}

// Compacted is a result at its target.
type Compacted struct {
	Result  *pb.CanonicalToolResult
	Changed bool      // false: Result is the given one
	Needs   []Payload // artifacts to store first: Result names them already
}

// Payload is an artifact that a compacted result names and that may not exist yet.
type Payload struct {
	Path    string
	Content []byte
}

// WithPlace returns a Compactor with another Place. The receiver does not change.
func (c *Compactor) WithPlace(place Place) *Compactor {
	other := *c
	other.place = place
	return &other
}

// Compact compacts a result to a target. It does not change r, and the answer shares
// with r all that is equal. Compaction is idempotent and monotone: compacting again to
// the same target changes nothing, and no lower level is ever undone.
func (c *Compactor) Compact(r *pb.CanonicalToolResult, to Target) Compacted {
	return c.compact(r, to, nil)
}

func (c *Compactor) compact(r *pb.CanonicalToolResult, to Target, known rankings) Compacted {
	given := c.payload(r)
	if given == nil {
		return Compacted{Result: r}
	}
	s := c.schemaFor(given)
	root := s.cloneParts(given)
	w := work{Target: to, place: c.place, suspect: mayBeFailure(s, r, root), rankings: known}
	w.message(s, root, given)
	if to.Level == line && s.leveled && r.GetError() == nil && envelope.Level(root) < line && !showsBody(s, root) {
		envelope.SetLevel(root, line)
		w.changed = true
	}
	if !w.changed {
		return Compacted{Result: r}
	}
	if to.Superseded != nil && envelope.SupersededBy(root) == nil {
		envelope.SetSuperseded(root, to.Superseded)
	}
	return Compacted{Result: c.types.WithPayload(r, root), Changed: true, Needs: w.needs}
}

// payload returns the part of a result that can be compacted: its error or its family
// payload. It is nil when the result has neither.
func (c *Compactor) payload(r *pb.CanonicalToolResult) protoreflect.Message {
	if r.GetError() != nil {
		return r.GetError().ProtoReflect()
	}
	_, payload := c.types.Open(r)
	return payload
}

// work is one compaction of one result.
type work struct {
	Target
	place    Place
	suspect  bool     // the result is a failure, or may be: its lines are ranked even if shown whole
	rankings rankings // that are known already; nil for none
	changed  bool
	needs    []Payload
}

// message compacts a message and the messages inside it, in place. given is the same
// message before compaction, which is the key of its rankings. A part that is at
// a lower level already stays as it is.
func (w *work) message(s *schema, m, given protoreflect.Message) {
	if envelope.Level(m) <= w.Level {
		before := w.changed
		w.changed = false
		w.previews(s, m, given.Interface())
		w.lists(s, m)
		if w.changed {
			envelope.SumTruncated(m)
		}
		if w.Level >= handles {
			w.dropFields(s, m)
		}
		if w.changed && envelope.Level(m) < handles {
			envelope.SetLevel(m, min(w.Level, handles)) // only a result as a whole is one line
		}
		w.changed = w.changed || before
	}
	s.eachPair(m, given, w.message)
}

// storeLater returns the future path and digest of a payload, and adds it to the
// artifacts to store.
func (w *work) storeLater(payload []byte) (path, digest string) {
	path, digest = w.place(payload)
	w.needs = append(w.needs, Payload{path, payload})
	return path, digest
}

// dropFields clears the small fields with RETENTION_DROP; of an error, its details.
func (w *work) dropFields(s *schema, m protoreflect.Message) {
	if e, ok := m.Interface().(*pb.ToolError); ok {
		w.dropDetails(e)
		return
	}
	for _, f := range s.drop {
		if m.Has(f) {
			m.Clear(f)
			w.changed = true
		}
	}
}

// dropDetails removes the details of an error, and states their size and digest. They
// have at most envelope.MaxDetails bytes; larger ones were stored by the projection.
func (w *work) dropDetails(e *pb.ToolError) {
	if e.DetailsJson == nil || tokens.Estimate().Count(e.GetDetailsJson()) <= handleTokens {
		return
	}
	if e.GetDetailsOmitted() == nil {
		digest := blake3.Sum256([]byte(e.GetDetailsJson()))
		e.DetailsOmitted = &pb.DetailsOmitted{
			Bytes: uint64(len(e.GetDetailsJson())), Digest: fmt.Sprintf("blake3:%x", digest),
		}
	}
	e.DetailsJson, e.DetailsDefect = nil, pb.JsonDefect_JSON_DEFECT_UNSPECIFIED // of what is not there any more
	w.changed = true
}

// Failed reports whether a result is an error, or a success that states a failure,
// such as a command with a non-zero exit code.
func (c *Compactor) Failed(r *pb.CanonicalToolResult) bool {
	root := c.payload(r)
	return root != nil && isFailure(c.schemaFor(root), r, root)
}

// Level returns the compaction level of a result: the lowest of its parts.
func (c *Compactor) Level(r *pb.CanonicalToolResult) pb.CompactionLevel {
	root := c.payload(r)
	if root == nil {
		return full
	}
	return lowestLevel(c.schemaFor(root), root)
}

// lowestLevel returns the lowest compaction level of a message and those inside it.
func lowestLevel(s *schema, m protoreflect.Message) pb.CompactionLevel {
	level := envelope.Level(m)
	s.each(m, func(s *schema, m protoreflect.Message) { level = max(level, lowestLevel(s, m)) })
	return level
}
