package pipeline

import (
	"context"
	"math"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
)

// What a message brings has its memory before it is read (server/rpc). Payloads that are streams or files are in the store, of
// any size, and their memory is reserved here, before they are read from there.

// maxReadable is how many bytes of a payload a projector reads that does not read it whole: JSON has a readable form.
const maxReadable = 4 << 20

// reading is the memory of one request for payloads that are read from the store. The outputs of a turn share one. The zero
// value has none.
type reading struct {
	release func() // of what is read from the store; nil for nothing
	turn    bool   // further outputs may come
	bytes   int64  // that families read whole
}

// close gives the memory back. It may be called more than once.
func (r *reading) close() {
	if r != nil && r.release != nil {
		r.release()
		r.release = nil
	}
}

// reserve reserves the memory of an output with payloads in the store. A message that ends a stream has no memory yet.
func (p *Pipeline) reserve(ctx context.Context, o *prepared, from received) (err error) {
	r := from.reading
	if r == nil {
		r = &reading{}
		o.reading = r
	}
	size, w := readSize(o.family.Whole, o.streams), admission.Weight{}
	if from.pass != nil {
		w.Bytes = int64(proto.Size(o.req.GetOutput()))
	}
	if size+w.Bytes == 0 {
		return nil
	}
	if o.family.Whole {
		r.bytes += size
	}
	if r.turn && r.bytes > maxWhole {
		check := envelope.NewChecker("")
		check.Fail("output", pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG, "has files that are, with those of the outputs before, more than the %d bytes that a turn reads", maxWhole)
		return check.Err()
	}
	if r.release != nil {
		return nil // for all of the turn
	}
	if r.turn {
		size = maxWhole
	}
	w.Tokens, w.Payloads, w.Newlines = int64(o.policy.Budget.Tokens), int64(len(o.streams)), math.MaxInt64
	r.release, err = p.Memory.Whole(ctx, size, w)
	return err
}

// readSize returns how many bytes of the payloads in the store are in memory at once.
func readSize(whole bool, streams map[string]ingest.Payload) (n int64) {
	for _, s := range streams {
		if size := s.Blob.Size(); whole {
			n += size
		} else {
			n += min(size, maxReadable)
		}
	}
	return n
}

// checkElements checks that the message of a custom family has no more messages inside than any message may have. Those of JSON
// are counted by their braces.
func checkElements(out *pb.CustomOutput, f *families.Family) error {
	if out == nil || f.Type == nil {
		return nil
	}
	n := admission.Weigh(out.GetMessage(), f.Type.Complete).Elements + int64(strings.Count(out.GetMessageJson(), "{"))
	if n > admission.MaxElements {
		check := envelope.NewChecker("output.custom")
		check.Fail("message", pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG, "has %d messages inside, at most %d are allowed", n, admission.MaxElements)
		return check.Err()
	}
	return nil
}
