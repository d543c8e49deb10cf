package server

import (
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/server/config"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// TestClockAheadAtAStartDeletesNothing starts servers on a store whose artifacts and records are a year old, so that all of them
// are over their time. Several starts, and what they store themselves, do not change that the year was no uptime.
func TestClockAheadAtAStartDeletesNothing(t *testing.T) {
	t.Parallel()
	c := config.Default(nil)
	c.Socket, c.Store, c.Volatile = filepath.Join(socketDir(t), "run", "s"), filepath.Join(socketDir(t), "store"), true
	fill(t, c.Store, func() time.Time { return time.Now().AddDate(-1, 0, 0) })
	for start := range 3 {
		s, err := New(c, Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.audit.Log.Retain(t.Context(), s.retentionClock()().Add(-c.AuditKeepFor)); n != 0 || err != nil {
			t.Errorf("start %d: %d records are deleted, %v", start, n, err)
		}
		if got, err := s.catalog.Collect(t.Context(), false); err != nil || got.Count != 0 {
			t.Errorf("start %d: %+v, %v", start, got, err)
		}
		if got := s.audit.Log.Status().Records; got != int64(1+start) {
			t.Errorf("start %d: %d records", start, got)
		}
		if _, err := s.audit.Log.Append(t.Context(), &pb.AuditRecord{Kind: pb.AuditKind_AUDIT_KIND_RENDERING}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.catalog.SinkFor(catalog.Owner{}).Put(t.Context(), artifactstore.BytesBlob([]byte{byte('0' + start)})); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// fill makes a store with an artifact that nobody leases, and an audit log with a record, at another time.
func fill(t *testing.T, path string, now func() time.Time) {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	store, err := dir.Open(path, dir.Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	entries, err := journal.Open(journal.Options{Dir: filepath.Join(path, journalName), Volatile: true, Now: now, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	defer entries.Close()
	index, err := catalog.Open(store, catalog.Options{Journal: entries, Index: filepath.Join(path, catalogName), Now: now, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if _, err := index.SinkFor(catalog.Owner{}).Put(t.Context(), artifactstore.BytesBlob([]byte("x"))); err != nil {
		t.Fatal(err)
	}
	log, err := local.Open(local.Options{Journal: entries, Index: filepath.Join(path, recordsName), Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := log.Append(t.Context(), &pb.AuditRecord{Kind: pb.AuditKind_AUDIT_KIND_RENDERING}); err != nil {
		t.Fatal(err)
	}
}

// TestLateClock: without a store on disk, records grow old only after an hour of uptime.
func TestLateClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := lateClock(time.Hour)
		time.Sleep(59 * time.Minute)
		if !now().IsZero() {
			t.Errorf("it is %v", now())
		}
		time.Sleep(time.Minute)
		if !now().Equal(time.Now()) {
			t.Errorf("it is %v, want %v", now(), time.Now())
		}
	})
}

// TestRecordsGrowOldByTheSystem: a catalog whose latest time is a year ahead, because the clock was when it was made, ends no
// record that has the time of the system.
func TestRecordsGrowOldByTheSystem(t *testing.T) {
	t.Parallel()
	c := config.Default(nil)
	c.Socket, c.Store, c.Volatile = filepath.Join(socketDir(t), "run", "s"), filepath.Join(socketDir(t), "store"), true
	fill(t, c.Store, func() time.Time { return time.Now().AddDate(1, 0, 0) })
	s, err := New(c, Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if ahead := s.catalog.Time(); ahead.Before(time.Now().AddDate(0, 11, 0)) {
		t.Errorf("the catalog is not ahead: %v", ahead)
	}
	if now := s.retentionClock()(); now.After(time.Now()) {
		t.Errorf("records grow old by %v", now)
	}
}
