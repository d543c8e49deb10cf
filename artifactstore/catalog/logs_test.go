package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
)

// onlyEntry returns the one entry of a call.
func onlyEntry(t *testing.T, c *catalog.Catalog) catalog.Entry {
	t.Helper()
	list, _, err := c.List(t.Context(), "s", "c", 0, 9)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	return list[0]
}

// logWith opens the log of a call and appends a text.
func logWith(t *testing.T, c *catalog.Catalog, text string) artifactstore.Log {
	t.Helper()
	log, err := c.OpenLog(t.Context(), catalog.Owner{Session: "s", Call: "c"}, logOfCall)
	if err == nil {
		err = log.Append([]byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	return log
}

var logOfCall = artifactstore.LogName("s", "c", "")

// A log is in the catalog from its first byte on, and is deleted like an artifact once it is closed.
func TestLogIsInCatalogFromFirstByte(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, _ := newCatalog(t, catalog.Options{SessionLease: time.Hour, KeepFor: time.Hour, Quota: 1000, SessionQuota: 600, Now: clk.now})
	log := logWith(t, c, strings.Repeat("a", 500))
	if e := onlyEntry(t, c); !e.Live || e.Size != 500 || e.Path != log.Path() {
		t.Errorf("%+v", e)
	}
	clk.move(10 * time.Hour) // its lease is over, and its time, but it is open
	if got := collect(t, c); got.Count != 0 || got.KeptCount != 1 {
		t.Errorf("%+v", got)
	}
	if err := log.Append([]byte(strings.Repeat("b", 501))); !errors.Is(err, catalog.ErrQuota) {
		t.Errorf("over the quota: %v", err)
	}
	if err := log.Append([]byte(strings.Repeat("b", 101))); err != nil {
		t.Error(err)
	}
	if _, err := log.Finish(t.Context()); !errors.Is(err, catalog.ErrSessionQuota) {
		t.Errorf("over the quota of the session: %v", err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if s := status(t, c); s.Artifacts != 1 || s.Bytes != 601 {
		t.Errorf("%+v", s)
	}
	clk.move(10 * time.Hour)
	if got := collect(t, c); got.Count != 1 {
		t.Errorf("a log whose time is over: %+v", got)
	}
	if _, err := c.Pages(t.Context(), artifactstore.LiveName(logOfCall)); !isExpired(err) {
		t.Error(err)
	}
	// It begins again, as an entry like any other.
	if err := logWith(t, c, "again\n").Close(); err != nil {
		t.Fatal(err)
	}
	if e := onlyEntry(t, c); !e.Live || e.Size != 6 {
		t.Errorf("%+v", e)
	}
}

// The artifact that a log becomes takes its place in the catalog.
func TestFinishedLogIsArtifactOfItsOwner(t *testing.T) {
	t.Parallel()
	c, store := newCatalog(t, catalog.Options{SessionLease: time.Hour, SessionQuota: 600})
	log := logWith(t, c, "whole\n")
	ref, err := log.Finish(t.Context())
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	if e := onlyEntry(t, c); e.Live || e.Name != ref.Name || e.Size != 6 {
		t.Errorf("%+v", e)
	}
	if s := status(t, c); s.Artifacts != 1 || s.Bytes != 6 {
		t.Errorf("%+v", s)
	}
	if at, err := store.Resolve(log.Path()); at != ref.Name || err != nil {
		t.Error(at, err)
	}
	if again, err := c.OpenLog(t.Context(), catalog.Owner{Session: "s", Call: "c"}, logOfCall); err != nil || !errors.Is(again.Append([]byte("x")), artifactstore.ErrFinished) {
		t.Error(err)
	}
}
