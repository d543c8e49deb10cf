package artifactapi

import (
	"context"
	"errors"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/idle"
)

// Bounds and defaults of listing and keeping artifacts, as artifact.proto states them.
const (
	DefaultPage = 100
	MaxPage     = 1000
	maxVerified = 10_000
	maxLease    = 10 * 365 * 24 * time.Hour // ten years
)

// ListArtifacts lists the artifacts of a session or a call, the newest first. Those that were deleted are listed with their
// tombstone.
func (a *service) ListArtifacts(ctx context.Context, req *pb.ListArtifactsRequest) (*pb.ListArtifactsResponse, error) {
	session, err := identity.Confine(ctx, req.GetSessionId())
	if err != nil {
		return nil, err
	}
	check := envelope.NewChecker("")
	check.Name("session_id", session, false)
	check.CallID("call_id", req.GetCallId(), false)
	limit := check.Bounded("page_size", req.GetPageSize(), DefaultPage, 1, MaxPage)
	after := int64(0)
	if cursor := req.GetPageToken(); cursor != "" {
		at, err := strconv.ParseInt(cursor, 36, 64)
		if err != nil || at <= 0 {
			return nil, InvalidCursor()
		}
		after = at
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	list, next, err := a.catalog.List(ctx, session, req.GetCallId(), after, limit)
	if err != nil {
		return nil, err
	}
	until, err := a.catalog.LeasedUntil(ctx, session)
	if err != nil {
		return nil, err
	}
	resp := &pb.ListArtifactsResponse{Artifacts: entriesOf(list), LeasedUntil: stamp(until)}
	if next > 0 {
		resp.NextPageToken = strconv.FormatInt(next, 36)
	}
	return resp, nil
}

// entriesOf returns the entries of a list as the contract has them.
func entriesOf(list []catalog.Entry) []*pb.ArtifactEntry {
	entries := make([]*pb.ArtifactEntry, len(list))
	for i := range list {
		entries[i] = entryOf(&list[i])
	}
	return entries
}

// entryOf returns an entry as the contract has it. One that was deleted keeps its path, size and digest, with the time and
// the reason.
func entryOf(e *catalog.Entry) *pb.ArtifactEntry {
	entry := &pb.ArtifactEntry{
		Path: e.Path, Bytes: uint64(e.Size), Digest: e.Digest, CallId: e.Call, StoredAt: stamp(e.StoredAt), Partial: e.Partial,
		State: pb.ArtifactState_ARTIFACT_STATE_STORED,
	}
	if e.Live {
		entry.State = pb.ArtifactState_ARTIFACT_STATE_LIVE
	}
	if e.Expired != nil {
		entry.State = pb.ArtifactState_ARTIFACT_STATE_EXPIRED
		entry.DeletedAt, entry.DeletionReason = stamp(e.Expired.At), e.Expired.Why
	}
	return entry
}

// stamp returns a time as the contract has it, to the second; nil for the zero time.
func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t.Truncate(time.Second))
}

// LeaseSession sets the time until which the artifacts of a session are needed. A call that only names a
// session never makes its lease shorter; this one sets it to any time, and a duration of 0 ends it.
func (a *service) LeaseSession(ctx context.Context, req *pb.LeaseSessionRequest) (*pb.LeaseSessionResponse, error) {
	session, err := identity.Confine(ctx, req.GetSessionId())
	if err != nil {
		return nil, err
	}
	check := envelope.NewChecker("")
	check.Name("session_id", session, true)
	lease := req.GetDuration()
	if lease != nil && lease.CheckValid() != nil || lease.AsDuration() < 0 || lease.AsDuration() > maxLease {
		check.Fail("duration", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is negative, or more than ten years")
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	until, err := a.catalog.Lease(ctx, session, lease.AsDuration())
	if err != nil {
		return nil, err
	}
	return &pb.LeaseSessionResponse{LeasedUntil: stamp(until)}, nil
}

// VerifyArtifacts compares artifacts with their digests, and answers with each corrupt one when it is found and with the counts
// at the end. Without paths it verifies all of the store.
func (a *service) VerifyArtifacts(req *pb.VerifyArtifactsRequest, call grpc.ServerStreamingServer[pb.VerifyArtifactsResponse]) error {
	check := envelope.NewChecker("")
	if len(req.GetPaths()) > maxVerified {
		check.Fail("paths", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "are %d, at most %d are allowed", len(req.GetPaths()), maxVerified)
	}
	for i, path := range req.GetPaths() {
		check.Required("paths["+strconv.Itoa(i)+"]", path, MaxPath)
	}
	if err := check.Err(); err != nil {
		return err
	}
	send := func(m *pb.VerifyArtifactsResponse) error {
		return idle.Send(a.idle, func() error { return call.Send(m) })
	}
	counts, err := a.catalog.Verify(call.Context(), req.GetPaths(), func(path string, err error) error {
		corrupt := &pb.CorruptArtifact{Path: path, Reason: corruptReason(err)}
		return send(&pb.VerifyArtifactsResponse{Answer: &pb.VerifyArtifactsResponse_Corrupt{Corrupt: corrupt}})
	})
	if err != nil {
		return err
	}
	return send(&pb.VerifyArtifactsResponse{Answer: &pb.VerifyArtifactsResponse_Counts{Counts: &pb.VerifiedCounts{
		Intact: uint64(counts.Intact), Corrupt: uint64(counts.Corrupt), Bytes: uint64(counts.Bytes),
	}}})
}

// corruptReason names the reason that ReadArtifact would have in its status.
func corruptReason(err error) string {
	if errors.Is(err, artifactstore.ErrDamaged) {
		return apierror.ReasonName(pb.ErrorReason_ERROR_REASON_ARTIFACT_CORRUPT)
	}
	return apierror.ReasonName(apierror.ToStatus(err).Reason)
}

// CollectGarbage deletes the artifacts that the rules of retention let go; of a dry run it only lists them.
func (a *service) CollectGarbage(ctx context.Context, req *pb.CollectGarbageRequest) (*pb.CollectGarbageResponse, error) {
	c, err := a.catalog.Collect(ctx, req.GetDryRun())
	if err != nil {
		return nil, err
	}
	return &pb.CollectGarbageResponse{
		Deleted: entriesOf(c.Deleted), DeletedArtifacts: uint64(c.Count), DeletedBytes: uint64(c.Bytes),
		KeptArtifacts: uint64(c.KeptCount), KeptBytes: uint64(c.KeptBytes),
	}, nil
}
