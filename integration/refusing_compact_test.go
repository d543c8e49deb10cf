package integration_test

import (
	"context"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// compactProvocations are those of Compact and CompactStream that are of no canonical result.
func compactProvocations() []provocation {
	level := &pb.CompactionPolicy{Level: trimmed}
	unknown := func(t *testing.T, s *sidecar) error {
		_, err := s.Compact(t.Context(), &pb.CompactRequest{SessionId: "s", Entries: []*pb.CompactEntry{{CallId: canary}}, Policy: level})
		return err
	}
	policy := func(p *pb.CompactionPolicy) func(*testing.T, *sidecar) error {
		return func(t *testing.T, s *sidecar) error {
			_, err := s.Compact(t.Context(), &pb.CompactRequest{Policy: p})
			return err
		}
	}
	entry := func(e *pb.CompactEntry) func(*testing.T, *sidecar) error {
		return func(t *testing.T, s *sidecar) error {
			good := &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: s.project(t, completed(0, "")).GetCanonical()}}
			_, err := s.Compact(t.Context(), &pb.CompactRequest{Entries: []*pb.CompactEntry{good, e}, Policy: level})
			return err
		}
	}
	return []provocation{
		{listed{"Compact", "INVALID_ARGUMENT", "FIELD_MISSING"}, "entries[1].canonical", entry(&pb.CompactEntry{})},
		{listed{"Compact", "INVALID_ARGUMENT", "FIELD_TOO_LONG"}, "entries[1].subject", entry(&pb.CompactEntry{Subject: strings.Repeat(canary, 10_000)})},
		{listed{"Compact", "INVALID_ARGUMENT", "NAME_INVALID"}, "entries[1].call_id", entry(&pb.CompactEntry{CallId: canary + " "})},
		{listed{"Compact", "INVALID_ARGUMENT", "ENUM_UNKNOWN"}, "policy.level", policy(&pb.CompactionPolicy{Level: 99})},
		{listed{"Compact", "INVALID_ARGUMENT", "FAMILY_UNKNOWN"}, "policy.protect.families[0]", policy(&pb.CompactionPolicy{
			Level: trimmed, Protect: &pb.ProtectionPolicy{Families: []string{canary}},
		})},
		{listed{"Compact", "NOT_FOUND", "RECORD_NOT_FOUND"}, "", unknown},
		{listed{"Compact", "FAILED_PRECONDITION", "AUDIT_DISABLED"}, "", func(t *testing.T, _ *sidecar) error {
			return unknown(t, startSidecar(t, launch{Args: []string{"--audit=off"}}))
		}},
		{listed{"CompactStream", "INVALID_ARGUMENT", "STREAM_ORDER"}, "message", func(t *testing.T, s *sidecar) error {
			entry := &pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Entry{Entry: &pb.CompactEntry{}}}
			return compactStream(t, s, entry)
		}},
		{listed{"CompactStream", "DEADLINE_EXCEEDED", "STREAM_IDLE"}, "", func(t *testing.T, _ *sidecar) error {
			s := startSidecar(t, launch{Args: []string{"--stream-idle=1s"}})
			err := compactStream(t, s, &pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Header{Header: &pb.CompactHeader{Policy: level}}})
			wantNoTemp(t, s)
			return err
		}},
	}
}

// TestCompactKeepsWhatRenderRejects puts every result that Render rejects into one history: it is kept, and its plan says why.
func TestCompactKeepsWhatRenderRejects(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	var entries []*pb.CompactEntry
	for _, c := range invalidCanonicals() {
		if c.policy == nil {
			entries = append(entries, &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: c.result}})
		}
	}
	resp, err := s.Compact(t.Context(), &pb.CompactRequest{Entries: entries, Policy: &pb.CompactionPolicy{Level: handles}})
	if err != nil {
		t.Fatal(err)
	}
	if n := resp.GetPlan().GetUnknownResults(); int(n) != len(entries) || len(resp.GetResults()) > 0 || resp.GetPlan().GetUnknownTokens() == 0 {
		t.Errorf("%d of %d results are kept", n, len(entries))
	}
	for i, p := range resp.GetPlan().GetResults() {
		if p.GetHold() != pb.ResultHold_RESULT_HOLD_UNKNOWN || p.GetUnknownWhy() == "" || strings.Contains(p.GetUnknownWhy(), canary) {
			t.Errorf("result %d: %v", i, p)
		}
	}
}

// compactStream sends one message and no more.
func compactStream(t *testing.T, s *sidecar, m *pb.CompactStreamRequest) error {
	t.Helper()
	call, err := s.CompactStream(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Send(m); err != nil {
		t.Fatal(err)
	}
	_, err = call.Recv()
	return err
}
