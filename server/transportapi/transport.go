// Package transportapi implements TransportService: messages of a turn, the tool calls of a model's stream, and what a provider
// would reject of a transcript. It keeps nothing between calls.
package transportapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/idle"
	"github.com/toolresult/toolresult/server/pipeline"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/streams"
	"github.com/toolresult/toolresult/transports/transcript"
)

// Options are what a Service is made of.
type Options struct {
	Registry   *families.Registry
	Policies   *policy.Resolver
	Catalog    *catalog.Catalog
	Screen     redaction.Screen // of what callers bring
	StreamIdle time.Duration    // that a stream may be without a message
	MaxAnswer  int              // bytes
}

// Service is TransportService. Safe for concurrent use.
type Service struct {
	pb.UnimplementedTransportServiceServer
	Options
}

// New returns a Service.
func New(o Options) *Service { return &Service{Options: o} }

// EncodeTurn makes the messages of one turn.
func (t *Service) EncodeTurn(ctx context.Context, req *pb.EncodeTurnRequest) (*pb.EncodeTurnResponse, error) {
	session, err := identity.Confine(ctx, req.GetSessionId())
	if err != nil {
		return nil, err
	}
	check := envelope.NewChecker("")
	check.Name("session_id", session, false)
	if err := check.Err(); err != nil {
		return nil, err
	}
	turn, err := t.resolveTurn(session, req)
	if err != nil {
		return nil, err
	}
	// An eighth of an answer is for what JSON adds to texts; base64 adds a third to media that were given.
	rest := t.MaxAnswer - t.MaxAnswer/8 - proto.Size(turn)/3*4
	return transports.EncodeTurn(turn, &loader{ctx: ctx, catalog: t.Catalog, permit: catalog.Permit{Session: session}}, rest)
}

// resolveTurn returns the turn with each canonical result as a valid message with its receipt.
func (t *Service) resolveTurn(session string, req *pb.EncodeTurnRequest) (*pb.EncodeTurnRequest, error) {
	turn := &pb.EncodeTurnRequest{
		Provider: req.GetProvider(), Format: req.GetFormat(), Assistant: req.GetAssistant(), Notices: req.GetNotices(), UserText: req.GetUserText(),
	}
	for i, given := range req.GetResults() {
		result, err := t.resolveResult(session, given)
		if err != nil {
			return nil, apierror.PrefixField(fmt.Sprintf("results[%d]", i), err)
		}
		turn.Results = append(turn.Results, result)
	}
	return turn, nil
}

func (t *Service) resolveResult(session string, given *pb.TurnResult) (*pb.TurnResult, error) {
	canonical, field, err := pipeline.ReadCanonical(t.Registry, given)
	if err != nil {
		return nil, err
	}
	if canonical == nil {
		return t.Screen.Turn(session, given), nil
	}
	if err := envelope.ValidateCanonical(field, canonical, t.Registry.Types()); err != nil {
		return nil, err
	}
	canonical = t.Screen.Result(session, canonical)
	receipt := t.Screen.Receipt(session, given.GetReceipt())
	if receipt == nil {
		if receipt, err = pipeline.Receipt(t.Registry, t.Policies, "", canonical, nil); err != nil {
			return nil, apierror.AtField(field, err)
		}
	}
	return &pb.TurnResult{
		CallId: given.CallId, Content: &pb.TurnResult_Canonical{Canonical: canonical}, Receipt: receipt, Status: given.GetStatus(), Media: given.GetMedia(),
	}, nil
}

// loader reads what canonical results name, as far as a caller may.
type loader struct {
	ctx     context.Context // of the call
	catalog *catalog.Catalog
	permit  catalog.Permit
}

// Load returns the bytes of an artifact. Whether the caller may not read it, or nobody can any more, is the same.
func (l *loader) Load(path string, limit int) ([]byte, error) {
	pages, err := l.catalog.PagesAt(l.ctx, path, l.permit)
	if err != nil {
		return nil, loading(err)
	}
	defer pages.Close() // read-only
	if pages.Size() > int64(limit) {
		return nil, transports.ErrTooLarge
	}
	data, err := pages.Read(make([]byte, 0, pages.Size()), 0, pages.Size())
	return data, loading(err)
}

// loading is an error of reading an artifact, as package transports knows it.
func loading(err error) error {
	var expired *catalog.ExpiredError
	switch {
	case errors.Is(err, artifactstore.ErrUnknown), errors.Is(err, artifactstore.ErrOutsideStore), errors.Is(err, artifactstore.ErrDamaged),
		errors.Is(err, catalog.ErrMissing), errors.As(err, &expired):
		return transports.ErrGone
	}
	return err
}

// LintTranscript finds what a provider would reject.
func (*Service) LintTranscript(_ context.Context, req *pb.LintTranscriptRequest) (*pb.LintTranscriptResponse, error) {
	return transcript.Lint(req)
}

// AssembleToolCalls reads the stream of one answer of a model.
func (t *Service) AssembleToolCalls(call grpc.ClientStreamingServer[pb.AssembleToolCallsRequest, pb.AssembleToolCallsResponse]) error {
	in := idle.NewLimit(t.StreamIdle)
	return in.Run(func() error {
		resp, err := t.assemble(func() (m *pb.AssembleToolCallsRequest, err error) {
			err = in.Wait(func() error {
				m, err = call.Recv()
				return err
			})
			return m, err
		})
		if err != nil {
			return err
		}
		return call.SendAndClose(resp)
	})
}

// assemble takes all messages of a stream.
func (t *Service) assemble(next func() (*pb.AssembleToolCallsRequest, error)) (*pb.AssembleToolCallsResponse, error) {
	first, err := next()
	if errors.Is(err, io.EOF) || err == nil && first.GetHeader() == nil {
		return nil, apierror.StreamOrder("the first message is the header")
	}
	if err != nil {
		return nil, err
	}
	a, err := streams.NewAssembler(first.GetHeader(), quoted)
	if err != nil {
		return nil, err
	}
	for {
		m, err := next()
		if errors.Is(err, io.EOF) {
			return a.Finish(), nil
		}
		if err != nil {
			return nil, err
		}
		if err := take(a, m); err != nil {
			return nil, err
		}
		if a.Buffered() > t.MaxAnswer {
			return nil, apierror.AnswerTooLarge(t.MaxAnswer)
		}
	}
}

// take takes one message behind the header.
func take(a *streams.Assembler, m *pb.AssembleToolCallsRequest) error {
	switch message := m.GetMessage().(type) {
	case *pb.AssembleToolCallsRequest_Body:
		return a.Body(message.Body)
	case *pb.AssembleToolCallsRequest_EventJson:
		return a.Event(message.EventJson)
	}
	return apierror.StreamOrder("the header comes once, and then body or events")
}

// quoted finds text of receipts.
func quoted(text string) []streams.ReceiptLine {
	var list []streams.ReceiptLine
	for _, q := range renderers.FindQuoted(text) {
		list = append(list, streams.ReceiptLine(q))
	}
	return list
}
