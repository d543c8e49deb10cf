package integration_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// locked takes the lock of a database of a sidecar, as a program of the operator may, and returns what gives it back.
func locked(t *testing.T, s *sidecar, name string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.Store, name))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := db.Exec("ROLLBACK"); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// withLockedCatalog stores an artifact while another program has the catalog locked, and again when it has not.
func withLockedCatalog(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{})
	release := locked(t, s, "books.db")
	_, err := s.Project(t.Context(), completed(0, numbered(100_000)))
	release()
	s.project(t, completed(0, numbered(100_000)))
	return err
}

// TestLockedAuditLogPasses: a call that cannot be recorded now is not answered, and made again it is, without a restart.
func TestLockedAuditLogPasses(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	req := completed(0, "x")
	req.Call, req.RequestId = &pb.CallReference{SessionId: "s"}, "r"
	release := locked(t, s, "audit.db")
	_, err := s.Project(t.Context(), req)
	if r := wantRefusal(t, err, codes.Unavailable, "AUDIT_LOG_UNAVAILABLE", ""); r.retry <= 0 {
		t.Error("there is no RetryInfo")
	}
	release()
	first := s.project(t, req).GetReceipt().GetText()
	if again := s.project(t, req).GetReceipt().GetText(); again != first {
		t.Errorf("answered by %q and by %q", first, again)
	}
}
