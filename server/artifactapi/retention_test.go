package artifactapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/identity"
)

// verifying is a VerifyArtifacts call that keeps its answers, or fails to send.
type verifying struct {
	grpc.ServerStreamingServer[pb.VerifyArtifactsResponse]
	ctx  context.Context // of the call
	sent []*pb.VerifyArtifactsResponse
	fail error
}

func (v *verifying) Context() context.Context { return v.ctx }

func (v *verifying) Send(m *pb.VerifyArtifactsResponse) error {
	v.sent = append(v.sent, m)
	return v.fail
}

// TestListsArePaged lists artifacts of a session and of a call, page by page, the newest first.
func TestListsArePaged(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	var want []string
	for i := range 7 {
		owner := catalog.Owner{Session: "s", Call: []string{"c", "d"}[i%2]}
		ref, err := s.catalog.SinkFor(owner).Put(t.Context(), artifactstore.BytesBlob([]byte(fmt.Sprint("artifact ", i))))
		if err != nil {
			t.Fatal(err)
		}
		want = append([]string{ref.Path}, want...)
	}
	var got []string
	req := &pb.ListArtifactsRequest{SessionId: "s", PageSize: 3}
	for pages := 1; ; pages++ {
		resp, err := s.ListArtifacts(trusted(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range resp.GetArtifacts() {
			got = append(got, e.GetPath())
			if e.GetState() != pb.ArtifactState_ARTIFACT_STATE_STORED || e.GetBytes() != 10 || e.GetDigest() == "" || e.GetStoredAt() == nil || e.GetDeletedAt() != nil {
				t.Errorf("%v", e)
			}
		}
		if until := resp.GetLeasedUntil().AsTime(); time.Until(until) < 50*time.Minute || until.Nanosecond() != 0 {
			t.Errorf("the lease ends at %v", until)
		}
		if req.PageToken = resp.GetNextPageToken(); req.PageToken == "" {
			if pages != 3 {
				t.Errorf("%d pages", pages)
			}
			break
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	resp, err := s.ListArtifacts(trusted(), &pb.ListArtifactsRequest{SessionId: "s", CallId: "d"})
	if err != nil || len(resp.GetArtifacts()) != 3 || resp.GetArtifacts()[0].GetCallId() != "d" {
		t.Errorf("of a call: %v, %v", resp, err)
	}
	confined := identity.NewContext(t.Context(), identity.Caller{Session: "other"})
	if resp, err := s.ListArtifacts(confined, &pb.ListArtifactsRequest{}); err != nil || len(resp.GetArtifacts()) != 0 || resp.GetLeasedUntil() != nil {
		t.Errorf("of another session: %v, %v", resp, err)
	}
}

// TestRetentionRequestsAreChecked has requests with one mistake each.
func TestRetentionRequestsAreChecked(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	list := func(req *pb.ListArtifactsRequest) error { _, err := s.ListArtifacts(trusted(), req); return err }
	lease := func(req *pb.LeaseSessionRequest) error { _, err := s.LeaseSession(trusted(), req); return err }
	verify := func(paths ...string) error {
		return s.VerifyArtifacts(&pb.VerifyArtifactsRequest{Paths: paths}, &verifying{ctx: trusted()})
	}
	in := func(session string) context.Context {
		return identity.NewContext(t.Context(), identity.Caller{Session: session})
	}
	_, foreignList := s.ListArtifacts(in("a"), &pb.ListArtifactsRequest{SessionId: "b"})
	_, foreignLease := s.LeaseSession(in("a"), &pb.LeaseSessionRequest{SessionId: "b"})
	_, ownLease := s.LeaseSession(in("a"), &pb.LeaseSessionRequest{Duration: durationpb.New(time.Hour)})
	for name, c := range map[string]struct {
		err           error
		reason, field string
	}{
		"page size":               {list(&pb.ListArtifactsRequest{PageSize: MaxPage + 1}), "FIELD_OUT_OF_BOUNDS", "page_size"},
		"largest page":            {list(&pb.ListArtifactsRequest{PageSize: MaxPage}), "", ""},
		"session":                 {list(&pb.ListArtifactsRequest{SessionId: "a b"}), "NAME_INVALID", "session_id"},
		"token, no number":        {list(&pb.ListArtifactsRequest{PageToken: "-"}), "PAGE_TOKEN_INVALID", "page_token"},
		"token, 0":                {list(&pb.ListArtifactsRequest{PageToken: "0"}), "PAGE_TOKEN_INVALID", "page_token"},
		"token, negative":         {list(&pb.ListArtifactsRequest{PageToken: "-1"}), "PAGE_TOKEN_INVALID", "page_token"},
		"list of another":         {foreignList, "SESSION_MISMATCH", ""},
		"lease of another":        {foreignLease, "SESSION_MISMATCH", ""},
		"lease of its own":        {ownLease, "", ""},
		"lease without a session": {lease(&pb.LeaseSessionRequest{}), "FIELD_MISSING", "session_id"},
		"negative lease":          {lease(&pb.LeaseSessionRequest{SessionId: "a", Duration: durationpb.New(-1)}), "FIELD_OUT_OF_BOUNDS", "duration"},
		"long lease":              {lease(&pb.LeaseSessionRequest{SessionId: "a", Duration: durationpb.New(maxLease + 1)}), "FIELD_OUT_OF_BOUNDS", "duration"},
		"longest lease":           {lease(&pb.LeaseSessionRequest{SessionId: "a", Duration: durationpb.New(maxLease)}), "", ""},
		"odd lease":               {lease(&pb.LeaseSessionRequest{SessionId: "a", Duration: &durationpb.Duration{Seconds: 1, Nanos: -1}}), "FIELD_OUT_OF_BOUNDS", "duration"},
		"no path":                 {verify("x", ""), "FIELD_MISSING", "paths[1]"},
		"most paths":              {verify(slices.Repeat([]string{"x"}, maxVerified)...), "", ""},
		"too many paths":          {verify(make([]string, maxVerified+1)...), "FIELD_OUT_OF_BOUNDS", "paths"},
	} {
		if reason, field := reasonOf(c.err); reason != c.reason || field != c.field {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}

// TestLeasesAndGarbage ends a lease: the artifact is garbage, a dry run lists it, and after a real one it has a tombstone.
func TestLeasesAndGarbage(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newServing(t, nil, func(_ *Options, c *catalog.Options) {
		c.KeepFor, c.Now = time.Minute, func() time.Time { return now }
	})
	path := s.put(t, "text")
	leased, err := s.LeaseSession(trusted(), &pb.LeaseSessionRequest{SessionId: "s", Duration: durationpb.New(2 * time.Hour)})
	if err != nil || leased.GetLeasedUntil().AsTime() != now.Add(2*time.Hour).Truncate(time.Second).UTC() {
		t.Errorf("%v, %v", leased, err)
	}
	now = now.Add(time.Hour)
	collect := func(dry bool) *pb.CollectGarbageResponse {
		t.Helper()
		resp, err := s.CollectGarbage(trusted(), &pb.CollectGarbageRequest{DryRun: dry})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	if got := collect(false); got.GetDeletedArtifacts() != 0 || got.GetKeptArtifacts() != 1 || got.GetKeptBytes() != 4 || len(got.GetDeleted()) != 0 {
		t.Errorf("with a lease: %v", got)
	}
	if leased, err := s.LeaseSession(trusted(), &pb.LeaseSessionRequest{SessionId: "s"}); err != nil || leased.GetLeasedUntil() != nil {
		t.Errorf("without a duration: %v, %v", leased, err)
	}
	for _, dry := range []bool{true, false} {
		if got := collect(dry); got.GetDeletedArtifacts() != 1 || got.GetDeletedBytes() != 4 || got.GetKeptArtifacts() != 0 || len(got.GetDeleted()) != 1 || got.GetDeleted()[0].GetPath() != path {
			t.Errorf("dry %v: %v", dry, got)
		}
		_, err := s.ReadArtifact(trusted(), &pb.ReadArtifactRequest{Path: path})
		if reason, _ := reasonOf(err); (reason == "ARTIFACT_EXPIRED") == dry {
			t.Errorf("dry %v: %v", dry, err)
		}
	}
	list, err := s.ListArtifacts(trusted(), &pb.ListArtifactsRequest{SessionId: "s"})
	if err != nil || len(list.GetArtifacts()) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if e := list.GetArtifacts()[0]; e.GetState() != pb.ArtifactState_ARTIFACT_STATE_EXPIRED || e.GetDeletedAt() == nil || e.GetDeletionReason() == "" || e.GetPath() != path {
		t.Errorf("%v", e)
	}
}

// TestClosedCatalogFailsEveryCall has a store that was closed below the service.
func TestClosedCatalogFailsEveryCall(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	path := s.put(t, "text")
	if err := s.catalog.Close(); err != nil {
		t.Fatal(err)
	}
	_, read := s.ReadArtifact(trusted(), &pb.ReadArtifactRequest{Path: path, SessionId: "s"})
	_, list := s.ListArtifacts(trusted(), &pb.ListArtifactsRequest{SessionId: "s"})
	_, lease := s.LeaseSession(trusted(), &pb.LeaseSessionRequest{SessionId: "s"})
	_, collect := s.CollectGarbage(trusted(), &pb.CollectGarbageRequest{})
	verify := s.VerifyArtifacts(&pb.VerifyArtifactsRequest{}, &verifying{ctx: trusted()})
	log := s.AppendLog(newAppending(trusted(), &pb.AppendLogRequest{Message: &pb.AppendLogRequest_Header{Header: header("log", 0)}}))
	for name, err := range map[string]error{"read": read, "list": list, "lease": lease, "collect": collect, "verify": verify, "log": log} {
		if !errors.Is(err, artifactstore.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVerifyEndsWithItsClient has a client that receives no more answers.
func TestVerifyEndsWithItsClient(t *testing.T) {
	t.Parallel()
	s := newServing(t, nil, nil)
	gone := errors.New("the client is gone")
	if err := s.VerifyArtifacts(&pb.VerifyArtifactsRequest{}, &verifying{ctx: trusted(), fail: gone}); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}
