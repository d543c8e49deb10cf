package server_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/journal/journaltest"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
)

// testIdle is the idle limit of services without a transport.
const testIdle = time.Minute

// maxTestAnswer bounds the answers of services without a transport, in bytes.
const maxTestAnswer = 4 << 20

// newServices returns services over a store, without a transport, with the changes that a test makes to their parts.
func newServices(t testing.TB, r *families.Registry, store artifactstore.Store, changes ...func(*server.Parts)) *server.Services {
	t.Helper()
	parts := server.Parts{
		Registry: r, Secrets: redaction.NewSecrets(), Patterns: redact.BuiltIn(), Info: server.Info(""), StreamIdle: testIdle,
		MaxAnswer: maxTestAnswer, Logger: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&parts)
	}
	entries := journalOf(parts.Recorder)
	if entries == nil {
		entries = journaltest.Open(t)
	}
	var err error
	if parts.Catalog, err = catalog.Open(store, catalog.Options{Journal: entries, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = parts.Catalog.Close() })
	s, err := server.NewServices(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// journalLog is a log that is in a journal.
type journalLog struct {
	auditlog.Log
	journal *journal.Journal
}

// newLog opens a log in memory.
func newLog(t testing.TB) journalLog {
	t.Helper()
	entries := journaltest.Open(t)
	log, err := local.Open(local.Options{Journal: entries, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return journalLog{log, entries}
}

// journalOf returns the journal of a recorder's log; nil: it has none.
func journalOf(r *recorder.Recorder) *journal.Journal {
	if r == nil {
		return nil
	}
	if log, ok := r.Log.(journalLog); ok {
		return log.journal
	}
	return nil
}

// withSecrets registers values for all sessions, and returns what is redacted then.
func withSecrets(t testing.TB, list []redact.Secret, o *redact.Options) func(*server.Parts) {
	return func(p *server.Parts) {
		t.Helper()
		if _, err := p.Secrets.Register("", list); err != nil {
			t.Fatal(err)
		}
		values, err := p.Secrets.Values("", "")
		if err != nil {
			t.Fatal(err)
		}
		*o = redact.Options{Values: values, Patterns: p.Patterns}
	}
}

// confined returns a context whose caller is confined to a session.
func confined(ctx context.Context, session string) context.Context {
	return identity.NewContext(ctx, identity.Caller{Session: session})
}

// toStatus returns the status that an error becomes.
func toStatus(err error) error { return apierror.ToStatus(err).GRPCStatus().Err() }

// reason returns the reason of the status that an error becomes, and the field that is to blame.
func reason(err error) (reason, field string) {
	s := apierror.ToStatus(err)
	return apierror.ReasonName(s.Reason), s.Metadata["field"]
}
