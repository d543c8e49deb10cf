package compactor

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// History is the results of a session, oldest first.
type History struct {
	Entries []Entry
	// Load returns the result of an entry: the same each time. It is called a few times for
	// each, so that a history need not be in memory.
	Load func(entry int) (*pb.CanonicalToolResult, error)
}

// InMemory returns the history of results that are in memory, one for each entry.
func InMemory(entries []Entry, results []*pb.CanonicalToolResult) History {
	return History{entries, func(i int) (*pb.CanonicalToolResult, error) { return results[i], nil }}
}

// loaded is a result that is in memory, with what was found out about it.
type loaded struct {
	result  *pb.CanonicalToolResult
	family  string // "error" for errors
	payload protoreflect.Message
	schema  *schema // nil when nothing of it can be compacted
	failed  bool
	rankings
}

// open looks at a result.
func (c *Compactor) open(r *pb.CanonicalToolResult) *loaded {
	l := &loaded{result: r, rankings: rankings{}}
	if r.GetError() != nil {
		l.family, l.payload = errorFamily, r.GetError().ProtoReflect()
	} else {
		l.family, l.payload = c.types.Open(r)
	}
	if l.payload != nil {
		l.schema = c.schemaOf(l.payload)
		l.failed = failed(l.schema, r, l.payload)
	}
	return l
}

// maxLoaded is how many bytes of results are kept in memory, as they are encoded. What is
// known of them is some five times that.
const maxLoaded = 2 << 20

// shelf loads results, and keeps those that were loaded last.
type shelf struct {
	*Compactor
	load  func(entry int) (*pb.CanonicalToolResult, error)
	kept  map[int]*loaded
	order []keptSize // the oldest first
	size  int
}

type keptSize struct{ entry, size int }

// get returns a result.
func (s *shelf) get(entry int) (*loaded, error) {
	if l := s.kept[entry]; l != nil {
		return l, nil
	}
	r, err := s.load(entry)
	if err != nil {
		return nil, err
	}
	l, n := s.open(r), proto.Size(r)
	s.kept[entry], s.order, s.size = l, append(s.order, keptSize{entry, n}), s.size+n
	for s.size > s.memory && len(s.order) > 1 {
		delete(s.kept, s.order[0].entry)
		s.size, s.order = s.size-s.order[0].size, s.order[1:]
	}
	return l, nil
}
