package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// auditLog is a client of a log with a number of records, which answers in pages of at most two.
type auditLog struct {
	pb.AuditServiceClient
	records  int
	asked    []*pb.ListRecordsRequest
	verified []*pb.VerifyLogResponse
	holds    func(sequence uint64) *pb.VerifyRecordResponse
	err      error
}

func (l *auditLog) ListRecords(_ context.Context, req *pb.ListRecordsRequest, _ ...grpc.CallOption) (*pb.ListRecordsResponse, error) {
	l.asked = append(l.asked, proto.CloneOf(req))
	first := l.records
	if req.GetPageToken() != "" {
		_, _ = fmt.Sscan(req.GetPageToken(), &first)
	}
	resp := &pb.ListRecordsResponse{}
	for n := first; n > 0 && len(resp.GetRecords()) < min(2, int(req.GetPageSize())); n-- {
		resp.Records = append(resp.Records, &pb.AuditRecord{Sequence: uint64(n)})
		resp.NextPageToken = ""
		if n > 1 {
			resp.NextPageToken = fmt.Sprint(n - 1)
		}
	}
	return resp, l.err
}

func (l *auditLog) VerifyRecord(_ context.Context, req *pb.VerifyRecordRequest, _ ...grpc.CallOption) (*pb.VerifyRecordResponse, error) {
	return l.holds(req.GetSequence()), l.err
}

// verifyStream answers with the verified responses, and then ends.
type verifyStream struct {
	grpc.ClientStream
	answers []*pb.VerifyLogResponse
	err     error
}

func (s *verifyStream) Recv() (*pb.VerifyLogResponse, error) {
	if len(s.answers) == 0 {
		return nil, s.err
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	return next, nil
}

func (l *auditLog) VerifyLog(context.Context, *pb.VerifyLogRequest, ...grpc.CallOption) (grpc.ServerStreamingClient[pb.VerifyLogResponse], error) {
	if l.err != nil {
		return nil, l.err
	}
	return &verifyStream{answers: l.verified, err: io.EOF}, nil
}

// Pages follow each other until the log or the limit ends, and no page asks for more than the limit leaves.
func TestRecordsAreReadPageByPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		records, limit int
		want           []uint64
		pages          int
	}{
		{0, 0, nil, 1}, {1, 0, []uint64{1}, 1}, {5, 0, []uint64{5, 4, 3, 2, 1}, 3}, {5, 2, []uint64{5, 4}, 1}, {5, 3, []uint64{5, 4, 3}, 2}, {5, 9, []uint64{5, 4, 3, 2, 1}, 3},
	} {
		log := &auditLog{records: c.records}
		var got []uint64
		err := (&recordFilter{limit: c.limit}).each(t.Context(), &connection{AuditServiceClient: log}, func(r *pb.AuditRecord) error {
			got = append(got, r.GetSequence())
			return nil
		})
		if err != nil || !slices.Equal(got, c.want) || len(log.asked) != c.pages {
			t.Errorf("%d records, limit %d: %v in %d pages, %v", c.records, c.limit, got, len(log.asked), err)
		}
		if last := log.asked[len(log.asked)-1].GetPageSize(); c.limit == 3 && last != 1 {
			t.Errorf("the last page of three asks for %d", last)
		}
	}
}

func TestReadingRecordsEndsWithAnError(t *testing.T) {
	t.Parallel()
	log := &auditLog{records: 5}
	visits := 0
	err := (&recordFilter{}).each(t.Context(), &connection{AuditServiceClient: log}, func(*pb.AuditRecord) error { visits++; return errFull })
	if !errors.Is(err, errFull) || visits != 1 {
		t.Errorf("%d visits, %v", visits, err)
	}
	log.err = errSend
	if err := (&recordFilter{}).each(t.Context(), &connection{AuditServiceClient: log}, nil); !errors.Is(err, errSend) {
		t.Error(err)
	}
}

// A verification names all that is inconsistent, counts it, and proves nothing when it ends early.
func TestVerificationCountsInconsistencies(t *testing.T) {
	t.Parallel()
	inconsistent := func(n uint64) *pb.VerifyLogResponse {
		return &pb.VerifyLogResponse{Answer: &pb.VerifyLogResponse_Inconsistent{Inconsistent: &pb.InconsistentRecord{Sequence: n, Reason: "altered"}}}
	}
	end := func(intact, wrong uint64) *pb.VerifyLogResponse {
		return &pb.VerifyLogResponse{Answer: &pb.VerifyLogResponse_Verified{Verified: &pb.VerifiedLog{
			Intact: intact, Inconsistent: wrong, LogId: "l", HeadSequence: 9, HeadHash: "h"}}}
	}
	for _, c := range []struct {
		answers []*pb.VerifyLogResponse
		out     string
		count   int
		err     string
	}{
		{[]*pb.VerifyLogResponse{end(9, 0)}, "9 records hold, 0 do not; head: l 9 h\n", 0, ""},
		{[]*pb.VerifyLogResponse{{Answer: &pb.VerifyLogResponse_Verified{Verified: &pb.VerifiedLog{Intact: 9, LogId: "l", HeadSequence: 9, HeadHash: "h", Warnings: []string{"no head"}}}}},
			"warning: no head\n9 records hold, 0 do not; head: l 9 h\n", 0, ""},
		{[]*pb.VerifyLogResponse{inconsistent(3), inconsistent(4), end(7, 2)}, "record 3: altered\nrecord 4: altered\n7 records hold, 2 do not; head: l 9 h\n", 2, ""},
		{[]*pb.VerifyLogResponse{inconsistent(3)}, "record 3: altered\n", 0, "ended early"},
	} {
		var out bytes.Buffer
		v := verification{ctx: t.Context(), out: &out, connection: &connection{AuditServiceClient: &auditLog{verified: c.answers}}}
		err := v.log("")
		if out.String() != c.out || v.inconsistent != c.count || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q, %d inconsistent, %v; want %q", &out, v.inconsistent, err, c.out)
		}
	}
}

// With --all each record is made again after the chain was followed, and every one that differs counts.
func TestAllRecordsAreVerified(t *testing.T) {
	t.Parallel()
	log := &auditLog{records: 3, verified: []*pb.VerifyLogResponse{{Answer: &pb.VerifyLogResponse_Verified{Verified: &pb.VerifiedLog{Intact: 3}}}}}
	log.holds = func(n uint64) *pb.VerifyRecordResponse {
		return &pb.VerifyRecordResponse{Holds: n != 2, Complete: n == 3, Findings: []*pb.Finding{{Subject: "receipt", Text: map[uint64]string{2: "another byte"}[n]}}}
	}
	var out bytes.Buffer
	v := verification{ctx: t.Context(), out: &out, connection: &connection{AuditServiceClient: log}}
	if err := v.run(nil, "", true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"record 3: holds\n", "record 2: DIFFERS\n  receipt: ", ": another byte\n", "record 1: holds, as far as it can be compared\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, &out)
		}
	}
	if v.inconsistent != 1 || strings.Count(out.String(), "receipt: ") != 1 {
		t.Errorf("%d inconsistent in %s", v.inconsistent, &out)
	}
	log.err = errSend
	if err := v.run([]string{"1"}, "", false); !errors.Is(err, errSend) {
		t.Error(err)
	}
	if err := v.run(nil, "", true); !errors.Is(err, errSend) {
		t.Error(err)
	}
}

func TestNotesOfRecords(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]*pb.AuditRecord{
		"0 tokens": {}, "7 tokens": {Receipt: &pb.Receipt{Tokens: 7}},
		"7 tokens, 3 redacted": {Receipt: &pb.Receipt{Tokens: 7}, Redactions: []*pb.Redaction{{Count: 1}, {Count: 2}}},
		"Internal DISK_FULL":   {Kind: pb.AuditKind_AUDIT_KIND_REJECTION, Rejection: &pb.AuditRejection{Code: "Internal", Reason: "DISK_FULL"}},
		"deleted 1 to 9":       {Kind: pb.AuditKind_AUDIT_KIND_RETENTION, Retention: &pb.AuditRetention{First: 1, Last: 9}},
	} {
		if got := recordNote(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if names := kindNames(); len(names) != len(pb.AuditKind_name)-1 || !slices.Contains(names, "projection") {
		t.Errorf("kinds %q", names)
	}
}
