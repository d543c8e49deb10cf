// Package projectors turns complete tool output into canonical results (RFC
// "Complete Output And Projection"): one file per family.
//
// A projector validates what its family was given, makes previews that fit the
// budget, and puts into the artifact store what the previews do not show. The
// budget is that of the receipt as a whole, so a projector is handed a way to
// measure receipts; it does not know how they are made.
package projectors

import (
	"context"
	"io"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/tokens"
)

// Version is the version of projectors and previews. The same complete output and
// policy give the same canonical result for the same version. A change of canonical
// results, as a golden file shows it, raises the version, so that an old record is not
// taken for a forged one.
const Version = 4

// Projector makes the canonical result of one family, together with its receipt.
// Safe for concurrent use. It returns an *envelope.InvalidError for a complete
// output that breaks the contract, an *envelope.ShortfallError when what must be
// kept does not fit the budget, and the errors of the artifact store.
type Projector interface {
	Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error)
}

// Projection is a canonical result and its receipt, which fits the budget.
type Projection struct {
	Canonical *pb.CanonicalToolResult
	Receipt   envelope.Receipt // rendered from Canonical as it is here
}

// Measure renders the receipt of a canonical result. It changes neither the result
// nor anything else: measuring twice gives the same receipt.
type Measure func(*pb.CanonicalToolResult) (envelope.Receipt, error)

// MeasurePayload is Measure for the payload of a custom family, which is wrapped
// into its canonical result only once, after it fits.
type MeasurePayload func(protoreflect.Message) (envelope.Receipt, error)

// Input is one complete output and how to project it.
type Input struct {
	Output *pb.CompleteToolOutput // its envelope is valid
	Policy Policy
	// Measure renders receipts, of which the one that fits is returned.
	Measure Measure
	// MeasurePayload does so for custom families; nil for families of the contract.
	MeasurePayload MeasurePayload
	// Mask masks in place what a message must not show; nil for nothing. It keeps the
	// length of every text and its line ends, and is called before each measurement.
	Mask func(protoreflect.Message)
	// Streams holds the payloads that are not inline, by Key; nil when all are inline.
	Streams map[string]Stream
	// Unchanged names an earlier call with the same output; nil for none.
	Unchanged *pb.OutputUnchanged
	// InOrder is several of the streams in their order of arrival; zero when it is not
	// known.
	InOrder InOrder
	// Rules are those for the lines of payloads, extended by what a text is known as; nil for none.
	Rules *linerule.Rules
	// Omitted counts the salient lines that the previews omit; nil disables counting.
	Omitted *preview.Counts
}

// InOrder is several streams as one, in the order in which their bytes were received.
type InOrder struct {
	Blob artifactstore.Blob
	Keys []string // of the streams that have any bytes
}

// covers reports whether the streams are exactly the given payloads.
func (o InOrder) covers(payloads ...*pb.Payload) bool {
	if o.Blob == nil || len(payloads) != len(o.Keys) {
		return false
	}
	for i, p := range payloads {
		same := func(q *pb.Payload) bool { return Key(q) == Key(p) }
		if !slices.Contains(o.Keys, Key(p)) || slices.ContainsFunc(payloads[:i], same) {
			return false
		}
	}
	return true
}

// Key identifies a payload that is not inline: a stream by its name, a file by its
// path, which begins with "/" as no name does. It is "" for inline payloads.
func Key(p *pb.Payload) string {
	if f := p.GetFile(); f != nil {
		return "/" + f.GetPath()
	}
	return p.GetStream()
}

// Stream is a payload that was received as a stream or is a file. Its bytes are in the
// store already, and its excerpt is for previews of the policy's budget.
type Stream struct {
	Blob    artifactstore.Blob
	Excerpt *preview.Excerpt
}

// tail returns the last n bytes of a payload, or all of it. It returns nothing for a
// stream that can only be read from the start.
func (in *Input) tail(p *pb.Payload, n int64) ([]byte, error) {
	s, ok := in.Streams[Key(p)]
	if !ok {
		b := p.GetInline()
		return b[max(0, int64(len(b))-n):], nil
	}
	r, err := s.Blob.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close() // read-only
	if skip := s.Blob.Size() - n; skip > 0 {
		seeker, ok := r.(io.Seeker)
		if !ok {
			return nil, nil // of a store whose stages can only be read from the start
		}
		if _, err := seeker.Seek(skip, io.SeekStart); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(r)
}

// blob returns the bytes of a payload.
func (in *Input) blob(p *pb.Payload) artifactstore.Blob {
	if s, ok := in.Streams[Key(p)]; ok {
		return s.Blob
	}
	return artifactstore.BytesBlob(p.GetInline())
}

// content reads a whole payload into memory. Its size is known to be small.
func (in *Input) content(p *pb.Payload) ([]byte, error) {
	if Key(p) == "" {
		return p.GetInline(), nil
	}
	return artifactstore.Content(in.blob(p))
}

// size returns the number of received bytes. It reports false for a stream that
// does not exist.
func (in *Input) size(p *pb.Payload) (int64, bool) {
	if Key(p) == "" {
		return int64(len(p.GetInline())), true
	}
	s, ok := in.Streams[Key(p)]
	if !ok {
		return 0, false
	}
	return s.Blob.Size(), true
}

// Policy governs a projection. Every value is set.
type Policy struct {
	Budget      envelope.Cost // of the whole receipt; 0 lines or bytes: no limit
	LineBytes   int           // longest line that is not cut inside, in bytes
	HeadPercent int           // share of the first lines in a preview that is cut
	KeepAll     bool          // store every payload, also one that is shown whole
	BeforeLine  string        // the longest text that the receipt puts before each line of a payload
	Counter     tokens.Counter
	Focus       string // what the reader looks for, in its own words; empty: unknown
}
