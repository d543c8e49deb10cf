package artifactapi

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/slice"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/redaction"
)

// This file serves ReadArtifact: the request is checked and becomes a selection or a match of package slice, which reads one
// page. Page tokens are stateless, so a client can go on with one at any server of the store, at any time later.

// Bounds and defaults of reading, as artifact.proto states them. A page must fit into a message (4 MiB) with all its ranges, so
// it has at most 3 MiB.
const (
	defaultReadBytes = 32 << 10
	defaultReadLines = 2000
	MaxReadBytes     = 3 << 20
	MaxReadLines     = 1_000_000
	maxAround        = 100_000 // lines before and after, each
	MaxContext       = 1000    // lines before and after a match, each
	MaxPattern       = 1024    // bytes; RE2 takes time in the product of pattern and text
	MaxPath          = 4096    // bytes
	MaxPointer       = 4096    // bytes
)

// Options configure the service.
type Options struct {
	Catalog  *catalog.Catalog   // required
	Metrics  metrics.Reporter   // nil when nothing is reported
	Idle     time.Duration      // that an answer may wait for a client to take it
	LogSync  time.Duration      // between two syncs of a log; 0: only on request
	Draining <-chan struct{}    // closed when calls are to end
	Secrets  *redaction.Secrets // of the sessions; logs are redacted with them
	Patterns *redact.Patterns   // nil when only registered values are redacted
	Logger   *slog.Logger       // required
}

// service implements ArtifactService over a catalog. Safe for concurrent use.
type service struct {
	pb.UnimplementedArtifactServiceServer
	catalog *catalog.Catalog
	logs    logs
	metrics metrics.Reporter // nil when nothing is reported
	idle    time.Duration
}

// New returns the service.
func New(o Options) pb.ArtifactServiceServer {
	return &service{catalog: o.Catalog, metrics: o.Metrics, idle: o.Idle, logs: logs{
		store: o.Catalog, every: o.LogSync, idle: o.Idle, draining: o.Draining, secrets: o.Secrets, patterns: o.Patterns, begun: &beginnings{},
		logger: o.Logger,
	}}
}

// ReadArtifact reads one page of an artifact or of a log.
func (a *service) ReadArtifact(ctx context.Context, req *pb.ReadArtifactRequest) (*pb.ReadArtifactResponse, error) {
	resp, err := a.read(ctx, req)
	if err == nil && a.metrics != nil {
		a.metrics.Read(a.readOf(req, resp))
	}
	return resp, err
}

// read is ReadArtifact without its measurement: rights, the form of the request, the artifact, the page. A log that grows,
// and a request that goes on with one, is read by delta.
func (a *service) read(ctx context.Context, req *pb.ReadArtifactRequest) (*pb.ReadArtifactResponse, error) {
	permit, err := permitOf(ctx, req)
	if err != nil {
		return nil, err
	}
	check := envelope.NewChecker("")
	check.Required("path", req.GetPath(), MaxPath)
	check.Name("session_id", permit.Session, false)
	selection, match := selectionOf(check, req)
	at := check.At("budget")
	budget := slice.Budget{
		Bytes: at.Bounded("max_bytes", req.GetBudget().GetMaxBytes(), defaultReadBytes, 1, MaxReadBytes),
		Lines: at.Bounded("max_lines", req.GetBudget().GetMaxLines(), defaultReadLines, 1, MaxReadLines),
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	pages, err := a.catalog.PagesAt(ctx, req.GetPath(), permit)
	if err != nil {
		return nil, apierror.FromRead(err)
	}
	defer pages.Close() // read-only
	if pages.Live() || isDelta(req.GetPageToken()) {
		return (&delta{pages, req, selection, match, budget}).read(ctx)
	}
	cursor, err := cursorOf(req.GetPageToken(), pages)
	if err != nil {
		return nil, err
	}
	page, err := ToSlice(ctx, pages, selection, match, cursor, budget)
	switch {
	case errors.Is(err, slice.ErrNothing) && cursor >= 0:
		return nil, InvalidCursor() // a token is only given where more follows
	case errors.Is(err, slice.ErrJSON):
		return nil, notJSON(err)
	case errors.Is(err, slice.ErrNothing):
		return nil, apierror.RangeNotSatisfiable(pages.Lines(), pages.Size())
	case err != nil:
		return nil, apierror.FromRead(err)
	}
	return answerOf(page, pages), nil
}

// ToSlice reads a page of a selection or, where there is one, of a match: from its beginning or, if at is not negative, from
// there on.
func ToSlice(ctx context.Context, pages *artifactstore.Pages, s slice.Selection, m *slice.Match, at int64, b slice.Budget) (slice.Page, error) {
	if m != nil {
		return slice.Find(ctx, pages, *m, max(0, at), b)
	}
	return slice.Read(ctx, pages, s, at, b)
}

// permitOf returns what the caller may read: the artifacts of its session if it is confined to one or names one, and payloads
// as the tool wrote them only when it asks for these and may.
func permitOf(ctx context.Context, req *pb.ReadArtifactRequest) (p catalog.Permit, err error) {
	if req.GetRaw() && !identity.FromContext(ctx).MayReadRaw() {
		return p, apierror.RawNotAllowed()
	}
	p.Raw = req.GetRaw()
	p.Session, err = identity.Confine(ctx, req.GetSessionId())
	return p, err
}

// selectionOf reads the selection of a request: a range, or a match. Numbers are cut to bounds before they become int64, so a
// violation never leads to a negative position.
func selectionOf(check envelope.Checker, req *pb.ReadArtifactRequest) (slice.Selection, *slice.Match) {
	const bounds, missing = pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, pb.ErrorReason_ERROR_REASON_FIELD_MISSING
	most := func(field string, n, limit uint64) int64 {
		if n > limit {
			check.Fail(field, bounds, "is %d, at most %d is allowed", n, limit)
		}
		return int64(min(n, limit))
	}
	const anywhere = 1 << 53 // the largest integer that every client can write in JSON
	switch s := req.GetSelection().(type) {
	case *pb.ReadArtifactRequest_Lines:
		if last := s.Lines.GetLast(); last > 0 && last < s.Lines.GetFirst() {
			check.Fail("lines.last", bounds, "is before the first line")
		}
		return slice.Lines{First: max(1, most("lines.first", s.Lines.GetFirst(), anywhere)), Last: most("lines.last", s.Lines.GetLast(), anywhere)}, nil
	case *pb.ReadArtifactRequest_Bytes:
		if end := s.Bytes.GetEnd(); end > 0 && end < s.Bytes.GetStart() {
			check.Fail("bytes.end", bounds, "is before the start")
		}
		return slice.Bytes{Start: most("bytes.start", s.Bytes.GetStart(), anywhere), End: most("bytes.end", s.Bytes.GetEnd(), anywhere)}, nil
	case *pb.ReadArtifactRequest_Tail:
		if s.Tail.GetLines() == 0 {
			check.Fail("tail.lines", missing, "is required")
		}
		return slice.Tail{Lines: most("tail.lines", s.Tail.GetLines(), MaxReadLines)}, nil
	case *pb.ReadArtifactRequest_Around:
		if s.Around.GetLine() == 0 {
			check.Fail("around.line", missing, "is required")
		}
		return slice.Around{
			Line: most("around.line", s.Around.GetLine(), anywhere), Before: most("around.before", uint64(s.Around.GetBefore()), maxAround),
			After: most("around.after", uint64(s.Around.GetAfter()), maxAround),
		}, nil
	case *pb.ReadArtifactRequest_Match:
		check.Required("match.pattern", s.Match.GetPattern(), MaxPattern)
		pattern, err := CompilePattern(s.Match.GetPattern()[:min(MaxPattern, len(s.Match.GetPattern()))])
		if err != nil {
			check.Fail("match.pattern", pb.ErrorReason_ERROR_REASON_PATTERN_INVALID, "is no regular expression of RE2")
		}
		return nil, &slice.Match{
			Pattern: pattern, Before: most("match.before", uint64(s.Match.GetBefore()), MaxContext),
			After: most("match.after", uint64(s.Match.GetAfter()), MaxContext),
		}
	case *pb.ReadArtifactRequest_JsonPointer:
		check.Length("json_pointer", s.JsonPointer, MaxPointer)
		pointer, err := slice.ParsePointer(s.JsonPointer)
		if err != nil {
			check.Fail("json_pointer", pb.ErrorReason_ERROR_REASON_POINTER_INVALID, "is no JSON pointer, such as /items/3/name with ~1 for / and ~0 for ~")
		}
		return pointer, nil
	}
	return slice.Bytes{}, nil // all of it
}

// cursorFor returns the page token of a position: the position in base 36, and the name of the artifact, which comes from its
// content, so that the token of another artifact is not accepted. It is no secret and needs no signature: it reaches no
// further than the request itself.
func cursorFor(at int64, pages *artifactstore.Pages) string {
	return strconv.FormatInt(at, 36) + "-" + pages.Ref().Name
}

// cursorOf returns the position of a page token; -1 when there is none.
func cursorOf(cursor string, pages *artifactstore.Pages) (int64, error) {
	if cursor == "" {
		return -1, nil
	}
	digits, name, _ := strings.Cut(cursor, "-")
	at, err := strconv.ParseInt(digits, 36, 64)
	if err != nil || at < 0 || at > pages.Size() || name != pages.Ref().Name {
		return 0, InvalidCursor()
	}
	return at, nil
}

// InvalidCursor returns the error for a page token that is malformed or of another artifact. Both are one error: a client
// can only begin again.
func InvalidCursor() error {
	check := envelope.NewChecker("")
	check.Fail("page_token", pb.ErrorReason_ERROR_REASON_PAGE_TOKEN_INVALID, "is not one that this request was answered with")
	return check.Err()
}

// notJSON returns the error for a JSON pointer into an artifact that is no JSON, with the place of the first mistake.
func notJSON(err error) error {
	check := envelope.NewChecker("")
	check.Fail("json_pointer", pb.ErrorReason_ERROR_REASON_JSON_INVALID, "leads nowhere in this artifact: %v", err)
	return check.Err()
}

// answerOf returns the answer for a page. Positions are those of the artifact, so that a client can ask for the lines
// around one.
func answerOf(page slice.Page, pages *artifactstore.Pages) *pb.ReadArtifactResponse {
	answer := &pb.ReadArtifactResponse{
		Data: page.Data, Complete: page.Next < 0, TotalBytes: uint64(pages.Size()), TotalLines: uint64(pages.Lines()),
		Digest: pages.Ref().Digest,
	}
	if page.Next >= 0 {
		answer.NextPageToken = cursorFor(page.Next, pages)
	}
	for _, r := range page.Ranges {
		answer.Ranges = append(answer.Ranges, &pb.ArtifactRange{
			ByteStart: uint64(r.From), ByteEnd: uint64(r.To), FirstLine: uint64(r.FirstLine), LastLine: uint64(r.LastLine),
		})
	}
	return answer
}

// WholeSelection is the name of a read without a selection, in measurements.
const WholeSelection = "whole"

// readOf returns the measurement of a read. The selection is named as in the contract, which is a closed set.
func (a *service) readOf(req *pb.ReadArtifactRequest, resp *pb.ReadArtifactResponse) metrics.Read {
	r := metrics.Read{Selection: WholeSelection, Bytes: int64(len(resp.GetData()))}
	m := req.ProtoReflect()
	if f := m.WhichOneof(m.Descriptor().Oneofs().ByName("selection")); f != nil {
		r.Selection = string(f.Name())
	}
	r.Artifact, _ = a.catalog.Resolve(req.GetPath()) // it was read by this path
	return r
}
