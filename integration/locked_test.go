package integration_test

import (
	"database/sql"
	"path/filepath"
	"testing"

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

// TestLockedIndexOfArtifacts lists artifacts while another program has their index locked, and again when it has not.
func TestLockedIndexOfArtifacts(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	release := locked(t, s, "catalog.db")
	req := completed(0, numbered(100_000))
	req.Call = &pb.CallReference{SessionId: "s"}
	s.project(t, req)
	for _, when := range []string{"locked", "free"} {
		resp, err := pb.NewArtifactServiceClient(s.conn).ListArtifacts(t.Context(), &pb.ListArtifactsRequest{SessionId: "s"})
		if err != nil || len(resp.GetArtifacts()) != 1 {
			t.Errorf("with a %s index: %v, error %v", when, resp, err)
		}
		if when == "locked" {
			release()
		}
	}
}

// TestLockedIndexOfRecords: a call is recorded while another program has the index locked, and is found when it has not.
func TestLockedIndexOfRecords(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	req := completed(0, "x")
	req.Call, req.RequestId = &pb.CallReference{SessionId: "s"}, "r"
	release := locked(t, s, "records.db")
	first := s.project(t, req).GetReceipt().GetText()
	if again := s.project(t, req).GetReceipt().GetText(); again != first {
		t.Errorf("answered by %q and by %q", first, again)
	}
	release()
	waitFor(t, "the record", func() bool {
		list, err := s.audit().ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "s", RequestId: "r"})
		return err == nil && len(list.GetRecords()) == 1
	})
}
