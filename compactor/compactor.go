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

// Compactor compacts the results of the families of the contract, and of those that an
// operator brought. It is read-only, and safe for concurrent use.
type Compactor struct {
	types   envelope.Types
	schemas map[protoreflect.FullName]*schema
	place   Place
}

// Place says by which path and digest an artifact with a payload will be known, without
// storing it.
type Place func(payload []byte) (path, digest string)

// New returns a Compactor. It fails for families whose options cannot be read.
func New(types envelope.Types, place Place) (*Compactor, error) {
	c := &Compactor{types: types, schemas: map[protoreflect.FullName]*schema{}, place: place}
	_, families := envelope.FamilyFields()
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

// Target is what a result is to be brought to.
type Target struct {
	Level         pb.CompactionLevel
	PreviewTokens int            // what each preview may keep at COMPACTION_LEVEL_TRIMMED
	Superseded    *pb.Superseded // by which later result, if that is to be said
}

// Compacted is a result at a target.
type Compacted struct {
	Result  *pb.CanonicalToolResult
	Changed bool
	Needs   []Payload // what has to be stored before the result is true
}

// Payload is the content of an artifact that a result names.
type Payload struct {
	Path    string
	Content []byte
}

// At returns a Compactor with another place for artifacts, such as where they went.
func (c *Compactor) At(place Place) *Compactor {
	other := *c
	other.place = place
	return &other
}

// Compact brings a result to a target. It does not change r, of which the answer shares
// what is the same. Compacting what it returns
// to the same target again changes nothing; no level is undone.
func (c *Compactor) Compact(r *pb.CanonicalToolResult, to Target) Compacted {
	return c.compact(r, to, nil)
}

func (c *Compactor) compact(r *pb.CanonicalToolResult, to Target, known rankings) Compacted {
	given := c.payloadOf(r)
	if given == nil {
		return Compacted{Result: r}
	}
	s := c.schemaOf(given)
	root := s.copyOf(given)
	w := work{Target: to, place: c.place, failed: failed(s, r, root), rankings: known}
	w.message(s, root, given)
	if to.Level == line && s.leveled && r.GetError() == nil && envelope.Level(root) < line && !shows(s, root) {
		envelope.SetLevel(root, line)
		w.changed = true
	}
	if !w.changed {
		return Compacted{Result: r}
	}
	if to.Superseded != nil && envelope.SupersededBy(root) == nil {
		envelope.SetSuperseded(root, to.Superseded)
	}
	return Compacted{Result: c.types.With(r, root), Changed: true, Needs: w.needs}
}

// payloadOf is the part of a result that can be compacted.
func (c *Compactor) payloadOf(r *pb.CanonicalToolResult) protoreflect.Message {
	if r.GetError() != nil {
		return r.GetError().ProtoReflect()
	}
	_, payload := c.types.Open(r)
	return payload
}

// work is the compaction of one result.
type work struct {
	Target
	place    Place
	failed   bool // the result is a failure
	rankings rankings
	changed  bool
	needs    []Payload
}

// message compacts a message and those inside of it, of which it has another as it was
// given.
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
			w.small(s, m)
		}
		if w.changed && envelope.Level(m) < handles {
			envelope.SetLevel(m, min(w.Level, handles)) // only a result as a whole is one line
		}
		w.changed = w.changed || before
	}
	s.eachOf(m, given, w.message)
}

// keep says where a payload will be, and that it has to be stored.
func (w *work) keep(payload []byte) (path, digest string) {
	path, digest = w.place(payload)
	w.needs = append(w.needs, Payload{path, payload})
	return path, digest
}

// small empties and removes, at the lowest levels, the fields that are not large but
// may go.
func (w *work) small(s *schema, m protoreflect.Message) {
	if e, ok := m.Interface().(*pb.ToolError); ok {
		w.details(e)
		return
	}
	for _, f := range s.drop {
		if m.Has(f) {
			m.Clear(f)
			w.changed = true
		}
	}
}

// details removes the details of an error and says what they were. What goes is
// at most envelope.MaxDetails; larger details were stored when they were
// projected.
func (w *work) details(e *pb.ToolError) {
	if e.DetailsJson == nil || tokens.Estimate().Count(e.GetDetailsJson()) <= handleTokens {
		return
	}
	if e.GetDetailsOmitted() == nil {
		digest := blake3.Sum256([]byte(e.GetDetailsJson()))
		e.DetailsOmitted = &pb.DetailsOmitted{
			Bytes: uint64(len(e.GetDetailsJson())), Digest: fmt.Sprintf("blake3:%x", digest),
		}
	}
	e.DetailsJson = nil
	w.changed = true
}

// Failed reports whether a result is an error, or tells of a failure.
func (c *Compactor) Failed(r *pb.CanonicalToolResult) bool {
	root := c.payloadOf(r)
	return root != nil && failed(c.schemaOf(root), r, root)
}

// Level is how far a result was compacted: its lowest part.
func (c *Compactor) Level(r *pb.CanonicalToolResult) pb.CompactionLevel {
	root := c.payloadOf(r)
	if root == nil {
		return full
	}
	return lowest(c.schemaOf(root), root)
}

func lowest(s *schema, m protoreflect.Message) pb.CompactionLevel {
	level := envelope.Level(m)
	s.each(m, func(s *schema, m protoreflect.Message) { level = max(level, lowest(s, m)) })
	return level
}
