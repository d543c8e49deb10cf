package compactor

import (
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// History is the results of a session, oldest first.
type History struct {
	Entries []Entry
	// Load returns the result of an entry, the same each time. It is called a few
	// times for each entry, so a history need not be in memory.
	Load func(entry int) (*pb.CanonicalToolResult, error)
	// Keep bounds the results that a plan keeps in memory, in encoded bytes; decoded,
	// with their rankings, they take about five times as much. 0 keeps one result.
	Keep int
}

// InMemory returns a History of results in memory, one for each entry.
func InMemory(entries []Entry, results []*pb.CanonicalToolResult) History {
	return History{entries, func(i int) (*pb.CanonicalToolResult, error) { return results[i], nil }, math.MaxInt}
}

// decoded is a result in memory, with its payload and what was computed from it.
type decoded struct {
	result   *pb.CanonicalToolResult
	family   string               // "error" for errors
	payload  protoreflect.Message // nil when the result has none
	schema   *schema              // nil when nothing in it can be compacted
	failed   bool                 // the result is a failure
	suspect  bool                 // it is one, or may be
	rankings                      // of its previews, filled as they are needed
}

// decode opens the payload of a result.
func (c *Compactor) decode(r *pb.CanonicalToolResult) *decoded {
	d := &decoded{result: r, rankings: rankings{}}
	if r.GetError() != nil {
		d.family, d.payload = errorFamily, r.GetError().ProtoReflect()
	} else {
		d.family, d.payload = c.types.Open(r)
	}
	if d.payload != nil {
		d.schema = c.schemaFor(d.payload)
		d.failed, d.suspect = isFailure(d.schema, r, d.payload), mayBeFailure(d.schema, r, d.payload)
	}
	return d
}

// resultCache loads results, and keeps the last ones in memory up to History.Keep.
// Planning reads a history several times from one end to the other, so results are
// dropped in the order in which they were loaded.
type resultCache struct {
	*Compactor
	History
	kept  map[int]*decoded // by entry
	order []keptSize       // of kept, the oldest first
	size  int              // of kept, in encoded bytes
}

// keptSize is the encoded size of the result of an entry.
type keptSize struct{ entry, size int }

// get returns the result of an entry. The only errors are those of Load.
func (c *resultCache) get(entry int) (*decoded, error) {
	if d := c.kept[entry]; d != nil {
		return d, nil
	}
	r, err := c.Load(entry)
	if err != nil {
		return nil, err
	}
	d, n := c.decode(r), proto.Size(r)
	c.kept[entry], c.order, c.size = d, append(c.order, keptSize{entry, n}), c.size+n
	for c.size > c.Keep && len(c.order) > 1 {
		delete(c.kept, c.order[0].entry)
		c.size, c.order = c.size-c.order[0].size, c.order[1:]
	}
	return d, nil
}
