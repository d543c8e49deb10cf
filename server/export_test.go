package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/encoding"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/server/rpc"
)

// NewService returns the service without a transport around it.
func NewService(t testing.TB, r *families.Registry, store artifactstore.Store) pb.ToolResultServiceServer {
	return NewLoggingService(t, r, store, slog.New(slog.DiscardHandler))
}

// NewLoggingService is NewService with a log.
func NewLoggingService(t testing.TB, r *families.Registry, store artifactstore.Store, logger *slog.Logger) pb.ToolResultServiceServer {
	l := newCatalog(t, store)
	c, err := newCompactor(r, l)
	if err != nil {
		t.Fatal(err)
	}
	return &service{registry: r, compactor: c, counters: newCounters(), store: l, logger: logger, outputs: newOutputs(), idle: TestIdle, streamMemory: maxStreamInMemory,
		secrets: redaction.NewSecrets(), patterns: redact.BuiltIn(), requests: recorder.NewRequests(nil)}
}

// NewSpoolingService is NewService with no result of a stream in memory.
func NewSpoolingService(t testing.TB, r *families.Registry, store artifactstore.Store) pb.ToolResultServiceServer {
	s := NewService(t, r, store).(*service)
	s.streamMemory = 0
	return s
}

// NewAuditedService is NewService with an audit log, and what reads it.
func NewAuditedService(t testing.TB, r *families.Registry, store artifactstore.Store, log auditlog.Log) (pb.ToolResultServiceServer, pb.AuditServiceServer) {
	s := NewService(t, r, store).(*service)
	s.audit = recorder.New(log, nil, s.logger, Info(""))
	s.requests = recorder.NewRequests(s.audit)
	return s, &auditService{audit: s.audit, service: s}
}

// Verify compares a record with what it is of.
func Verify(t interface {
	Context() context.Context
	Fatal(args ...any)
}, s pb.ToolResultServiceServer, r *pb.AuditRecord) *pb.VerifyRecordResponse {
	resp, err := s.(*service).verify(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// Register registers values for all sessions of a service, and says what it redacts now.
func Register(t testing.TB, s pb.ToolResultServiceServer, list []redact.Secret) redact.Options {
	t.Helper()
	own := s.(*service)
	if _, err := own.secrets.Register("", list); err != nil {
		t.Fatal(err)
	}
	values, err := own.secrets.Values("", "")
	if err != nil {
		t.Fatal(err)
	}
	return redact.Options{Values: values, Patterns: own.patterns}
}

// RedactedOutput is an output without its secrets.
func RedactedOutput(out *pb.CompleteToolOutput, family *families.Family, o redact.Options) *pb.CompleteToolOutput {
	return redaction.NewPass(o).Redact(out, family, nil)
}

// NewMeasuredService is NewService with somebody who measures, and who knows one rule of redaction.
func NewMeasuredService(t testing.TB, r *families.Registry, store artifactstore.Store, m metrics.Reporter) pb.ToolResultServiceServer {
	s := NewService(t, r, store).(*service)
	s.metrics, s.store, s.redactions = m, watched(s.store, m), map[string]bool{"rule": true}
	return s
}

// Redacted is how kinds of redaction are counted where only "rule" is a rule.
func Redacted(list ...*pb.Redaction) map[string]int64 {
	p := &metrics.Projected{}
	for _, r := range list {
		p.AddRedaction(map[string]bool{"rule": true}, r)
	}
	return p.Redactions
}

// newCatalog opens a catalog over a store, and closes it when the test ends.
func newCatalog(t testing.TB, store artifactstore.Store) *catalog.Catalog {
	t.Helper()
	l, err := catalog.Open(store, catalog.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestIdle is the idle limit of a service without a transport.
const TestIdle = time.Minute

// Refuse maps an error to the reason and status that a client gets.
func Refuse(err error) error { return apierror.ToStatus(err).GRPCStatus().Err() }

// NewCodec returns the codec of a server.
func NewCodec() encoding.CodecV2 { return rpc.NewCodec() }

// Tools returns the ToolService of a service.
func Tools(t testing.TB, s pb.ToolResultServiceServer) pb.ToolServiceServer {
	t.Helper()
	own := s.(*service)
	l, ok := own.store.(*catalog.Catalog)
	if !ok {
		t.Fatal("the store of the service has no books")
	}
	return &toolService{service: own, catalog: l}
}

// ParseReadCall reads the arguments of read_result, and says how they were understood.
func ParseReadCall(arguments string) (string, error) {
	c, err := parseReadCall(arguments)
	if wrong, ok := errors.AsType[*mistake](err); ok {
		return wrong.kind, err
	}
	text := fmt.Sprintf("%s %T%+v page=%q", c.result, c.selection, c.selection, c.page)
	if c.match != nil {
		text = fmt.Sprintf("%s match %s %d %d page=%q", c.result, c.match.Pattern, c.match.Before, c.match.After, c.page)
	}
	return strings.ReplaceAll(text, "slice.", ""), err
}

// NewTransport returns the TransportService of a service, with answers of at most limit bytes.
func NewTransport(s pb.ToolResultServiceServer, limit int) pb.TransportServiceServer {
	own := s.(*service)
	return &transport{service: own, catalog: own.store.(*catalog.Catalog), limit: limit}
}

// Confined is a context whose caller is confined to a session.
func Confined(ctx context.Context, session string) context.Context {
	return identity.NewContext(ctx, identity.Caller{Session: session})
}

// Reason is the reason of the refusal that an error becomes, and the field that is to blame.
func Reason(err error) (reason, field string) {
	r := apierror.ToStatus(err)
	return apierror.ReasonName(r.Reason), r.Metadata["field"]
}

// FailedTokens is the default budget of errors.
func FailedTokens() int { return families.ErrorTokens }

// SetBudgets gives a service budgets of an operator.
func SetBudgets(s pb.ToolResultServiceServer, list ...config.Budget) {
	s.(*service).counters = newCounters(list...)
}
