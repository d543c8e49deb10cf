package inspect

import (
	"context"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Lists of records are of calls: what was asked, what was answered and what it costs.

// call is a row of a list.
type call struct {
	*pb.AuditRecord
	Bytes   uint64        // of the complete output
	Stored  bool          // a payload is kept as an artifact, because the receipt does not show all of it or by policy
	Secrets uint64        // that were redacted
	Gap     time.Duration // since the call before, where that is long
	Bar     int           // tokens of the receipt beside the most of the list, in per cent
	X, Y    int           // left and upper edge on the strip
	Height  int           // on the strip
}

// State returns how the call ended, as a class of the style.
func (c *call) State() string {
	switch {
	case c.GetKind() == pb.AuditKind_AUDIT_KIND_REJECTION:
		return "rejected"
	case c.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR || c.GetSummary().GetFailed():
		return "failed"
	case c.GetKind() == pb.AuditKind_AUDIT_KIND_COMPACTION:
		return "compaction"
	}
	return "done"
}

// Title returns what the call is of, in a word or two.
func (c *call) Title() string {
	if c.GetToolName() != "" {
		return c.GetToolName()
	}
	return c.GetMethod()[strings.LastIndexByte(c.GetMethod(), '/')+1:]
}

// longGap is the time between two calls from which on the list says it.
const longGap = time.Minute

// calls returns the rows of records, which are in the order of the list.
func calls(records []*pb.AuditRecord) []call {
	list := make([]call, len(records))
	most := uint32(1)
	for _, r := range records {
		most = max(most, r.GetReceipt().GetTokens())
	}
	for i, r := range records {
		c := call{AuditRecord: r, Bar: int(100 * r.GetReceipt().GetTokens() / most)}
		for p := range written(r) {
			c.Bytes += p.GetBytes()
			c.Stored = c.Stored || p.GetArtifact() != ""
		}
		for _, s := range r.GetRedactions() {
			c.Secrets += s.GetCount()
		}
		if i > 0 {
			if gap := r.GetRecordedAt().AsTime().Sub(records[i-1].GetRecordedAt().AsTime()).Abs(); gap >= longGap {
				c.Gap = gap.Round(time.Second)
			}
		}
		list[i] = c
	}
	return list
}

// stripHeight is the height of the strip, in units of its drawing; its width is mapWidth.
const stripHeight = 48

// strip places calls on a strip of time: by when they were recorded, with pauses made shorter, and as high as their receipts are
// long, on a scale of logarithms.
func strip(list []call) {
	const pause = 20 * time.Second
	var elapsed time.Duration
	places := make([]time.Duration, len(list))
	for i := range list {
		if i > 0 {
			elapsed += min(list[i].GetRecordedAt().AsTime().Sub(list[i-1].GetRecordedAt().AsTime()).Abs(), pause) + 10*time.Millisecond
		}
		places[i] = elapsed
	}
	for i := range list {
		list[i].X = int(float64(places[i]) / float64(max(elapsed, 1)) * (mapWidth - 8))
		high := math.Log2(float64(list[i].GetReceipt().GetTokens())+2) / math.Log2(1<<16) * stripHeight
		list[i].Height = min(max(int(high), 3), stripHeight)
		list[i].Y = stripHeight - list[i].Height
	}
}

// kindCount is a kind of secret and how many were redacted.
type kindCount struct {
	Kind  string
	Count uint64
}

// totals sums up records.
type totals struct {
	Calls, Failed, Rejected int
	Bytes                   uint64 // of complete outputs
	Tokens                  uint64 // of receipts
	Stored, ReadBack        int    // results with an artifact, and how many of these read_result read
	Redacted                []kindCount
}

// sum returns the totals of records; read reports whether a model read an artifact.
func sum(records []*pb.AuditRecord, read func(artifact string) bool) (t totals) {
	secrets := map[string]uint64{}
	for _, c := range calls(records) {
		t.Calls++
		switch c.State() {
		case "failed":
			t.Failed++
		case "rejected":
			t.Rejected++
		}
		t.Bytes += c.Bytes
		t.Tokens += uint64(c.GetReceipt().GetTokens())
		for _, s := range c.GetRedactions() {
			secrets[s.GetKind()] += s.GetCount()
		}
		if c.Stored {
			t.Stored++
		}
		if slices.ContainsFunc(c.GetPayloads(), func(p *pb.AuditPayload) bool { return p.GetArtifact() != "" && read(p.GetArtifact()) }) {
			t.ReadBack++
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(secrets)) {
		t.Redacted = append(t.Redacted, kindCount{kind, secrets[kind]})
	}
	return t
}

// readBack returns a function that reports whether a model read an artifact by read_result, among some records: the arguments of
// a call have the path of the artifact or its name, which both end as the path does.
func (p *page) readBack(ctx context.Context, records []*pb.AuditRecord) (func(artifact string) bool, error) {
	var inputs []string
	for _, r := range records {
		if r.GetKind() != pb.AuditKind_AUDIT_KIND_TOOL_CALL || r.GetStatus() != pb.ToolStatus_TOOL_STATUS_SUCCESS {
			continue
		}
		whole, err := p.Sidecar.GetRecord(ctx, &pb.GetRecordRequest{Sequence: r.GetSequence()})
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, whole.GetRecord().GetDetails().GetToolInput())
	}
	return func(artifact string) bool {
		end := path.Base(artifact)
		return slices.ContainsFunc(inputs, func(input string) bool { return strings.Contains(input, end) })
	}, nil
}
