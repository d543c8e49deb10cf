package integration_test

import (
	"context"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// keptByCompact are reasons for which Compact keeps a result as it is: a version that knows it may be there.
var keptByCompact = map[string]bool{"FAMILY_UNKNOWN": true, "ENUM_UNKNOWN": true}

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
	return []provocation{
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
