package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/tokens"
)

// maxShown is how much of a canonical result or a receipt the page shows, in bytes; the rest is one click away.
const maxShown = 256 << 10

// maxCounted is how much of a payload is read to count its tokens, in bytes; what is larger is estimated from its beginning.
const maxCounted = 256 << 10

// recordPage is a record: the call and its three surfaces.
type recordPage struct {
	*pb.AuditRecord
	Call      *call
	Subject   string // what the result is about, such as a command line; empty: its family states nothing
	Sizes     []surfaceSize
	Texts     []text
	Canonical string // as the RFC's JSON
	Receipt   string
	Shortened bool // one of both is shown in part
	Last      bool // there is no later record
	Trials    bool // a policy can be tried
}

// surfaceSize is what one surface of a result costs.
type surfaceSize struct {
	Name  string
	Bytes uint64
	Gone  bool   // a part of it was deleted, so that its tokens are not known
	Exact bool   // its tokens were counted, and not estimated
	Count uint64 // tokens
}

// record answers with the page of a record.
func (p *page) record(r *http.Request) (any, error) {
	record, last, err := p.recordOf(r)
	if err != nil {
		return nil, err
	}
	shown := recordPage{
		AuditRecord: record, Call: &calls([]*pb.AuditRecord{record})[0], Texts: texts(record.GetCanonical()), Last: last,
		Canonical: canonicalJSON(record.GetCanonical()), Receipt: record.GetReceipt().GetText(),
		Trials: p.Trials != nil && record.GetKind() == pb.AuditKind_AUDIT_KIND_PROJECTION,
	}
	if shown.Sizes, err = p.sizes(r.Context(), &shown); err != nil {
		return nil, err
	}
	shown.Subject = subject(record.GetCanonical())
	shown.Canonical, shown.Shortened = beginning(shown.Canonical)
	receipt, more := beginning(shown.Receipt)
	shown.Receipt, shown.Shortened = receipt, shown.Shortened || more
	return shown, nil
}

// subject returns what a result is about, as its family says.
func subject(r *pb.CanonicalToolResult) string {
	_, payload := envelope.Payload(r)
	if payload == nil {
		return ""
	}
	traits, err := envelope.ReadTraits(payload.Descriptor())
	if err != nil {
		return ""
	}
	return visible([]byte(traits.Subject(payload)))
}

// recordJSON answers with a record as protobuf's JSON.
func (p *page) recordJSON(w http.ResponseWriter, r *http.Request) {
	record, _, err := p.recordOf(r)
	if err != nil {
		p.failed(w, r, err)
		return
	}
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(record)
	if err != nil {
		p.failed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(indented(text))
}

// recordOf reads the record that an address names, and reports whether it is the last one. A call for one that is not there yet would be
// rejected, and so be a record of its own.
func (p *page) recordOf(r *http.Request) (record *pb.AuditRecord, last bool, err error) {
	sequence, err := numberOf("The sequence of a record", r.PathValue("sequence"), 0, 1, 1<<63)
	if err != nil {
		return nil, false, err
	}
	list, err := p.Sidecar.ListRecords(r.Context(), &pb.ListRecordsRequest{PageSize: 1})
	if err != nil {
		return nil, false, err
	}
	var newest uint64
	for _, r := range list.GetRecords() {
		newest = r.GetSequence()
	}
	if sequence > newest {
		return nil, false, status.Errorf(codes.NotFound, "There is no record %d; the last one is %d.", sequence, newest)
	}
	resp, err := p.Sidecar.GetRecord(r.Context(), &pb.GetRecordRequest{Sequence: sequence})
	return resp.GetRecord(), sequence == newest, err
}

// beginning returns the beginning of a text that is too long to be shown.
func beginning(s string) (shown string, shortened bool) {
	if len(s) <= maxShown {
		return s, false
	}
	return strings.ToValidUTF8(s[:maxShown], ""), true
}

// canonicalJSON returns a canonical result as the RFC's JSON, indented; that of protobuf for what the RFC's JSON cannot have.
func canonicalJSON(r *pb.CanonicalToolResult) string {
	if r == nil {
		return ""
	}
	text, err := envelope.ToJSON(r)
	if err != nil {
		text, err = protojson.MarshalOptions{UseProtoNames: true}.Marshal(r)
	}
	if err != nil {
		return err.Error()
	}
	return string(indented(text))
}

// indented returns JSON indented, with escapes in the place of characters that nobody sees or that change how others are shown; text
// itself where it is none.
func indented(text []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return text
	}
	shown := make([]byte, 0, b.Len())
	for _, r := range b.String() {
		if r == '\n' || strconv.IsPrint(r) {
			shown = utf8.AppendRune(shown, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			shown = fmt.Appendf(shown, `\u%04x`, unit)
		}
	}
	return shown
}

// sizes returns what the surfaces of a record cost, in bytes and in tokens.
func (p *page) sizes(ctx context.Context, shown *recordPage) ([]surfaceSize, error) {
	var list []surfaceSize
	if len(shown.GetPayloads()) > 0 {
		complete := surfaceSize{Name: "complete output", Exact: true}
		gone, err := p.gone(ctx, shown.AuditRecord)
		if err != nil {
			return nil, err
		}
		for payload := range written(shown.AuditRecord) {
			complete.Bytes += payload.GetBytes()
			if gone[payload.GetArtifact()] {
				complete.Gone = true
				continue
			}
			n, exact, err := p.tokensOf(ctx, shown.AuditRecord, payload)
			if err != nil {
				return nil, err
			}
			complete.Count += n
			complete.Exact = complete.Exact && exact
		}
		list = append(list, complete)
	}
	if shown.Canonical != "" {
		compact, err := envelope.ToCompactJSON(shown.GetCanonical())
		if err == nil {
			head := compact[:min(len(compact), maxCounted)]
			list = append(list, surfaceSize{
				Name: "canonical result", Bytes: uint64(len(compact)), Exact: len(head) == len(compact), Count: scaled(countTokens(head), len(head), len(compact)),
			})
		}
	}
	if receipt := shown.AuditRecord.GetReceipt(); receipt != nil {
		list = append(list, surfaceSize{Name: "receipt", Bytes: uint64(len(receipt.GetText())), Exact: true, Count: uint64(receipt.GetTokens())})
	}
	return list, nil
}

// inOrder is the field of the payload that has the others again, in the order in which they were printed.
const inOrder = "in_order"

// written returns the payloads that a tool wrote, each once.
func written(record *pb.AuditRecord) iter.Seq[*pb.AuditPayload] {
	return func(yield func(*pb.AuditPayload) bool) {
		for _, p := range record.GetPayloads() {
			if p.GetField() != inOrder && !yield(p) {
				return
			}
		}
	}
}

// maxListed is the number of pages of artifacts that are looked through; a call without a session has all others of that kind beside it.
const maxListed = 5

// gone returns the artifacts of a record that are known to be deleted. Reading one would be a rejected call, and so a record of its own.
func (p *page) gone(ctx context.Context, record *pb.AuditRecord) (map[string]bool, error) {
	gone := map[string]bool{}
	for _, payload := range record.GetPayloads() {
		if payload.GetArtifact() != "" {
			gone[payload.GetArtifact()] = true
		}
	}
	req := &pb.ListArtifactsRequest{SessionId: record.GetCall().GetSessionId(), CallId: record.GetCall().GetCallId(), PageSize: 1000}
	for range maxListed {
		if len(gone) == 0 {
			break
		}
		list, err := p.Sidecar.ListArtifacts(ctx, req)
		if err != nil {
			return nil, err
		}
		for _, a := range list.GetArtifacts() {
			if a.GetState() != pb.ArtifactState_ARTIFACT_STATE_EXPIRED {
				delete(gone, a.GetPath())
			}
		}
		if req.PageToken = list.GetNextPageToken(); req.GetPageToken() == "" {
			return gone, nil
		}
	}
	return nil, nil
}

// tokensOf returns the tokens of a payload, and whether they were counted and not estimated. A payload that cannot be read has none.
func (p *page) tokensOf(ctx context.Context, record *pb.AuditRecord, payload *pb.AuditPayload) (n uint64, exact bool, err error) {
	head := inline(record.GetOutput(), payload.GetField())
	head = head[:min(len(head), maxCounted)]
	if payload.GetArtifact() != "" {
		resp, err := p.Sidecar.ReadArtifact(ctx, &pb.ReadArtifactRequest{
			Path: payload.GetArtifact(), Budget: &pb.ReadBudget{MaxBytes: maxCounted, MaxLines: 1_000_000},
		})
		if err != nil {
			return 0, false, ctx.Err() // the page shows the rest
		}
		head = resp.GetData()
	}
	return scaled(countTokens(head), len(head), int(payload.GetBytes())), uint64(len(head)) == payload.GetBytes(), nil
}

// inline returns the bytes of a payload that the output of a record has; nil if it has none.
func inline(out *pb.CompleteToolOutput, field string) (content []byte) {
	if out == nil {
		return nil
	}
	envelope.VisitPayloads("output", out.ProtoReflect(), func(path string, payload *pb.Payload) {
		if path == field {
			content = payload.GetInline()
		}
	})
	return content
}

// scaled returns n, which was counted over some bytes, for all of them.
func scaled(n, counted, all int) uint64 {
	if counted == 0 || counted >= all {
		return uint64(n)
	}
	return uint64(float64(n) / float64(counted) * float64(all))
}

// countTokens counts tokens as receipts do by default.
func countTokens(text []byte) int {
	counter, err := tokens.O200k()
	if err != nil {
		counter = tokens.Estimate()
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	return counter.Count(string(text))
}
