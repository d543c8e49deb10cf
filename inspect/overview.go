package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Numbers of records that pages are made of.
const (
	recentRecords = 300 // of the first page
	listRecords   = 100 // of a list
)

// overviewPage is the first page: the store, the log, and the sessions of the last records.
type overviewPage struct {
	Server   *pb.GetServerInfoResponse
	Newest   *pb.AuditRecord // nil: the log is empty
	Recent   totals
	Sessions []sessionRow
	Rest     bool // there are earlier records
}

// sessionRow is a session among the last records.
type sessionRow struct {
	ID     string // empty: calls without a session
	Calls  int
	Failed int
	Bytes  uint64
	Tokens uint64
	Last   *timestamppb.Timestamp
	Tools  []string // the most used ones first, at most 4
	tools  map[string]int
}

// overview answers with the first page.
func (p *page) overview(r *http.Request) (any, error) {
	info, err := p.Sidecar.GetServerInfo(r.Context(), &pb.GetServerInfoRequest{})
	if err != nil {
		return nil, err
	}
	list, err := p.Sidecar.ListRecords(r.Context(), &pb.ListRecordsRequest{PageSize: recentRecords, Summaries: true})
	if err != nil {
		return nil, err
	}
	records := list.GetRecords()
	read, err := p.readBack(r.Context(), records)
	if err != nil {
		return nil, err
	}
	shown := overviewPage{Server: info, Recent: sum(records, read), Sessions: sessions(records), Rest: list.GetNextPageToken() != ""}
	if len(records) > 0 {
		shown.Newest = records[0]
	}
	return shown, nil
}

// sessions groups records, the newest first, by their session, the one with the newest record first.
func sessions(records []*pb.AuditRecord) (rows []sessionRow) {
	at := map[string]int{}
	for _, c := range calls(records) {
		if c.GetKind() == pb.AuditKind_AUDIT_KIND_RETENTION {
			continue
		}
		id := c.GetCall().GetSessionId()
		i, known := at[id]
		if !known {
			i = len(rows)
			at[id] = i
			rows = append(rows, sessionRow{ID: id, Last: c.GetRecordedAt(), tools: map[string]int{}})
		}
		s := &rows[i]
		s.Calls++
		s.Bytes += c.Bytes
		s.Tokens += uint64(c.GetReceipt().GetTokens())
		if state := c.State(); state == "failed" || state == "rejected" {
			s.Failed++
		}
		if c.GetToolName() != "" {
			s.tools[c.GetToolName()]++
		}
	}
	for i := range rows {
		rows[i].Tools = mostUsed(rows[i].tools, 4)
	}
	return rows
}

// mostUsed returns at most n names, those with the largest counts first.
func mostUsed(counts map[string]int, n int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return names[:min(len(names), n)]
}

// recordsPage is a list of records.
type recordsPage struct {
	Filter filter
	Kinds  []pb.AuditKind
	Calls  []call
	Older  string // query of the next page; empty: there is none
}

// filter is what a list of records is restricted to, as its form has it.
type filter struct{ Session, Call, Tool, Request, Artifact, Kind string }

// records answers with a list of records, the newest first.
func (p *page) records(r *http.Request) (any, error) {
	q := r.URL.Query()
	f := filter{q.Get("session"), q.Get("call"), q.Get("tool"), q.Get("request"), q.Get("artifact"), q.Get("kind")}
	req := &pb.ListRecordsRequest{
		SessionId: f.Session, CallId: f.Call, ToolName: f.Tool, RequestId: f.Request, Artifact: f.Artifact,
		PageSize: listRecords, PageToken: q.Get("page"), Summaries: true,
	}
	shown := recordsPage{Filter: f}
	for n := int32(1); pb.AuditKind_name[n] != ""; n++ {
		shown.Kinds = append(shown.Kinds, pb.AuditKind(n))
		if enumWord("AUDIT_KIND_", pb.AuditKind_name[n]) == f.Kind {
			req.Kinds = []pb.AuditKind{pb.AuditKind(n)}
		}
	}
	if f.Kind != "" && req.Kinds == nil {
		return nil, badRequest(fmt.Sprintf("There is no kind %q of records", f.Kind))
	}
	list, err := p.Sidecar.ListRecords(r.Context(), req)
	if err != nil {
		return nil, err
	}
	shown.Calls = calls(list.GetRecords())
	if next := list.GetNextPageToken(); next != "" {
		q.Set("page", next)
		shown.Older = q.Encode()
	}
	return shown, nil
}
