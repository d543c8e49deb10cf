package pipeline

import (
	"bytes"
	"context"
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
	lines   func() // of lines; nil for none
	turn    bool   // further outputs may come
	bytes   int64  // that families read whole
}

// close gives the memory back. It may be called more than once.
func (r *reading) close() {
	if r == nil {
		return
	}
	if r.lines != nil {
		r.lines()
	}
	if r.release != nil {
		r.release()
	}
	r.lines, r.release = nil, nil
}

// reserve reserves the memory of an output with payloads in the store. A message that ends a stream has no memory yet.
func (p *Pipeline) reserve(ctx context.Context, o *prepared, from received) (err error) {
	r := from.reading
	if r == nil {
		r = &reading{}
		o.reading = r
	}
	if err := p.reserveRead(ctx, r, o, from); err != nil {
		return err
	}
	n := shownLines(o)
	if n == 0 || r.lines != nil {
		return nil
	}
	if r.turn {
		n = maxTurnOutputs * mostLines // of all outputs
	}
	r.lines, err = p.Memory.Lines(ctx, n)
	return err
}

// Lines that a preview keeps of a payload: with a usual budget they are counted with its bytes, and with any budget there are
// no more than so many (preview.Writer).
const (
	usualLines = 8 << 10
	mostLines  = 128 << 10
)

// shownLines returns how many lines are kept of the payloads of an output, where the budget is larger than usual.
func shownLines(o *prepared) (n int64) {
	most := min(2*int64(o.policy.Budget.Tokens), mostLines)
	if most <= usualLines {
		return 0
	}
	envelope.VisitPayloads("output", o.req.GetOutput().ProtoReflect(), func(_ string, p *pb.Payload) {
		n += min(most, int64(bytes.Count(p.GetInline(), []byte{'\n'})))
	})
	for _, s := range o.streams {
		n += min(most, s.Blob.Size())
	}
	return n
}

// reserveRead reserves the memory of payloads that are read from the store.
func (p *Pipeline) reserveRead(ctx context.Context, r *reading, o *prepared, from received) (err error) {
	size, message := readSize(o.family.Whole, o.streams), int64(0)
	if from.pass != nil {
		message = int64(proto.Size(o.req.GetOutput()))
	}
	if size+message == 0 {
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
	r.release, err = p.Memory.Whole(ctx, size, message)
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
	n := admission.CountElements(out.GetMessage(), f.Type.Complete) + int64(strings.Count(out.GetMessageJson(), "{"))
	if n > admission.MaxElements {
		check := envelope.NewChecker("output.custom")
		check.Fail("message", pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG, "has %d messages inside, at most %d are allowed", n, admission.MaxElements)
		return check.Err()
	}
	return nil
}
