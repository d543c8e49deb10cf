package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// model is what a log should be.
type model struct {
	place   file
	log     auditlog.Log
	records []*pb.AuditRecord
	next    uint64
	now     time.Time
}

// TestLogBehavesAsModel does any sequence of calls to a log and to a model of it.
func TestLogBehavesAsModel(t *testing.T) {
	n, dir := 0, t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		n++
		m := &model{place: file{filepath.Join(dir, fmt.Sprint(n), "audit.db")}, next: 1, now: time.UnixMilli(1e12)}
		must(t, os.Mkdir(filepath.Dir(m.place.path), 0o700))
		m.log = m.place.Open(t, func() time.Time { return m.now })
		defer func() { must(t, m.log.Close()) }()
		rt.Repeat(map[string]func(*rapid.T){
			"append": m.append,
			"get":    m.get,
			"find":   m.find,
			"list":   m.list,
			"retain": m.retain,
			"tick": func(rt *rapid.T) {
				m.now = m.now.Add(time.Duration(rapid.IntRange(-2, 5).Draw(rt, "seconds")) * time.Second)
			},
			"restart": func(rt *rapid.T) {
				must(t, m.log.Close())
				m.log = m.place.Open(t, func() time.Time { return m.now })
			},
			"": func(rt *rapid.T) {
				h, err := m.log.Head(context.Background())
				if err != nil || h.Sequence != m.next-1 || len(m.records) > 0 && h.Hash != m.records[len(m.records)-1].GetHash() {
					rt.Fatalf("head %+v, %v", h, err)
				}
				if s := m.log.Status(); s.Records != int64(len(m.records)) || s.Inconsistency != "" {
					rt.Fatalf("%+v, want %d records", s, len(m.records))
				}
			},
		})
		audittest.WantIntact(t, m.log, uint64(len(m.records)))
	})
}

func (m *model) has(session, id string, part uint32) bool {
	return slices.ContainsFunc(m.records, func(r *pb.AuditRecord) bool {
		return id != "" && r.GetRequestId() == id && r.GetCall().GetSessionId() == session && r.GetPart() == part
	})
}

func (m *model) append(rt *rapid.T) {
	var list []*pb.AuditRecord
	reused := false
	for range rapid.IntRange(1, 3).Draw(rt, "records") {
		r := audittest.Projection(rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "session"), "c",
			rapid.SampledFrom([]string{"", "", "1", "2", "3"}).Draw(rt, "id"), rapid.IntRange(0, 9000).Draw(rt, "size"))
		r.Part = rapid.Uint32Range(0, 2).Draw(rt, "part")
		reused = reused || m.has(r.GetCall().GetSessionId(), r.GetRequestId(), r.GetPart()) ||
			slices.ContainsFunc(list, func(o *pb.AuditRecord) bool {
				return r.GetRequestId() != "" && o.GetRequestId() == r.GetRequestId() && o.GetPart() == r.GetPart() && o.GetCall().GetSessionId() == r.GetCall().GetSessionId()
			})
		list = append(list, r)
	}
	_, err := m.log.Append(context.Background(), list...)
	if reused {
		if !errors.Is(err, auditlog.ErrReused) {
			rt.Fatalf("reused: %v", err)
		}
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	for _, r := range list {
		if r.GetSequence() != m.next {
			rt.Fatalf("sequence %d, want %d", r.GetSequence(), m.next)
		}
		m.next++
	}
	m.records = append(m.records, list...)
}

func (m *model) get(rt *rapid.T) {
	sequence := rapid.Uint64Range(0, m.next).Draw(rt, "sequence")
	got, err := m.log.Get(context.Background(), sequence)
	for _, r := range m.records {
		if r.GetSequence() == sequence {
			if diff := cmp.Diff(r, got, protocmp.Transform()); diff != "" || err != nil {
				rt.Fatalf("%v (-want +got):\n%s", err, diff)
			}
			return
		}
	}
	if !errors.Is(err, auditlog.ErrUnknown) {
		rt.Fatalf("record %d: %v", sequence, err)
	}
}

func (m *model) find(rt *rapid.T) {
	session, id := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "session"), rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "id")
	got, err := m.log.Find(context.Background(), session, id)
	var want []*pb.AuditRecord
	for part := range uint32(3) {
		for _, r := range m.records {
			if r.GetRequestId() == id && r.GetCall().GetSessionId() == session && r.GetPart() == part {
				want = append(want, r)
			}
		}
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
		rt.Fatalf("%v (-want +got):\n%s", err, diff)
	}
}

func (m *model) list(rt *rapid.T) {
	q := auditlog.Query{Session: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "session"), Limit: rapid.IntRange(1, 5).Draw(rt, "limit"),
		Below: rapid.Uint64Range(0, m.next).Draw(rt, "below")}
	got, _, err := m.log.List(context.Background(), q)
	var want []uint64
	for _, r := range slices.Backward(m.records) {
		if (q.Session == "" || r.GetCall().GetSessionId() == q.Session) && (q.Below == 0 || r.GetSequence() < q.Below) && len(want) < q.Limit {
			want = append(want, r.GetSequence())
		}
	}
	var sequences []uint64
	for _, r := range got {
		sequences = append(sequences, r.GetSequence())
	}
	if !slices.Equal(want, sequences) || err != nil {
		rt.Fatalf("%v, want %v, %v", sequences, want, err)
	}
}

func (m *model) retain(rt *rapid.T) {
	before := m.now.Add(time.Duration(rapid.IntRange(-5, 1).Draw(rt, "ago")) * time.Second)
	want, last := int64(0), ""
	for _, r := range m.records {
		if at, err := timeOf(r); err != nil || !at.Before(before) {
			break
		}
		want, last = want+1, r.GetHash()
	}
	n, err := m.log.Retain(context.Background(), before)
	if n != want || err != nil {
		rt.Fatalf("%d deleted, want %d, %v", n, want, err)
	}
	if n == 0 {
		return
	}
	r, err := m.log.Get(context.Background(), m.next)
	if err != nil || r.GetRetention().GetLastHash() != last {
		rt.Fatalf("%v, %v", r, err)
	}
	m.records = append(slices.Clone(m.records[n:]), proto.CloneOf(r))
	m.next++
}
