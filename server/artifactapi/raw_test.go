package artifactapi

import (
	"io"
	"log/slog"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal/journaltest"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// TestWhoReadsWhatWasRedacted reads payloads as the tool wrote them, and others, as every kind of caller.
func TestWhoReadsWhatWasRedacted(t *testing.T) {
	t.Parallel()
	l, err := catalog.Open(memory.New(), catalog.Options{Journal: journaltest.Open(t), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	put := func(o catalog.Owner, content string) string {
		ref, err := l.SinkFor(o).Put(t.Context(), artifactstore.BytesBlob([]byte(content)))
		if err != nil {
			t.Fatal(err)
		}
		return ref.Path
	}
	raw, redacted := put(catalog.Owner{Session: "a", Raw: true}, "the secret"), put(catalog.Owner{Session: "a"}, "[redacted]")
	a := &service{catalog: l, logs: logs{logger: slog.New(slog.NewTextHandler(io.Discard, nil))}}
	const served, unknown, denied = "", "ARTIFACT_NOT_FOUND", "RAW_NOT_ALLOWED"
	for _, c := range []struct {
		who                     string
		caller                  identity.Caller
		session                 string // of the request
		raw, redacted, rawAsRaw string // what is answered; the last with the field raw
	}{
		{"own user", identity.Caller{Trusted: true}, "", unknown, served, served},
		{"own user, for the session", identity.Caller{Trusted: true}, "a", unknown, served, served},
		{"own user, for another session", identity.Caller{Trusted: true}, "b", unknown, unknown, unknown},
		{"own user in the session", identity.Caller{Trusted: true, Session: "a"}, "", unknown, served, denied},
		{"own user in another session", identity.Caller{Trusted: true, Session: "b"}, "", unknown, unknown, denied},
		{"allowed user", identity.Caller{}, "", unknown, served, denied},
		{"session over TCP", identity.Caller{Session: "a"}, "a", unknown, served, denied},
	} {
		read := func(path string, asRaw bool) string {
			resp, err := a.ReadArtifact(identity.NewContext(t.Context(), c.caller), &pb.ReadArtifactRequest{Path: path, SessionId: c.session, Raw: asRaw})
			if err == nil {
				if len(resp.GetData()) != 10 {
					t.Errorf("%s: %q", c.who, resp.GetData())
				}
				return served
			}
			return apierror.ReasonName(apierror.ToStatus(err).Reason)
		}
		if got := [3]string{read(raw, false), read(redacted, false), read(raw, true)}; got != [3]string{c.raw, c.redacted, c.rawAsRaw} {
			t.Errorf("%s: %q, want %q, %q, %q", c.who, got, c.raw, c.redacted, c.rawAsRaw)
		}
		_, hidden := a.ReadArtifact(identity.NewContext(t.Context(), c.caller), &pb.ReadArtifactRequest{Path: raw, SessionId: c.session})
		_, never := a.ReadArtifact(identity.NewContext(t.Context(), c.caller), &pb.ReadArtifactRequest{Path: "memory/ffffffff", SessionId: c.session})
		if !proto.Equal(apierror.ToStatus(hidden).GRPCStatus().Proto(), apierror.ToStatus(never).GRPCStatus().Proto()) {
			t.Errorf("%s: what is hidden is %v, what never was %v", c.who, hidden, never)
		}
	}
}
