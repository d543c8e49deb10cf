package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
)

// A log is in the catalog from its first byte to the artifact that it becomes.
func TestLogIsInCatalogFromFirstByte(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, store := newCatalog(t, catalog.Options{SessionLease: time.Hour, KeepFor: time.Hour, Quota: 1000, SessionQuota: 600, Now: clk.now})
	owner := catalog.Owner{Session: "s", Call: "c"}
	name := artifactstore.LogName("s", "c", "")
	log, err := c.OpenLog(t.Context(), owner, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Append([]byte(strings.Repeat("a", 500))); err != nil {
		t.Fatal(err)
	}
	list := func() []catalog.Entry {
		t.Helper()
		list, _, err := c.List(t.Context(), "s", "c", 0, 9)
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list
	}
	if e := list()[0]; !e.Live || e.Size != 500 || e.Path != log.Path() {
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
	if s := c.Status(); s.Artifacts != 1 || s.Bytes != 601 {
		t.Errorf("%+v", s)
	}
	clk.move(10 * time.Hour)
	if got := collect(t, c); got.Count != 1 {
		t.Errorf("a log whose time is over: %+v", got)
	}
	if _, err := c.Pages(t.Context(), artifactstore.LiveName(name)); !isExpired(err) {
		t.Error(err)
	}

	if log, err = c.OpenLog(t.Context(), owner, name); err != nil {
		t.Fatal(err)
	}
	if err := log.Append([]byte("whole\n")); err != nil {
		t.Fatal(err)
	}
	ref, err := log.Finish(t.Context())
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	if e := list()[0]; e.Live || e.Name != ref.Name || e.Size != 6 {
		t.Errorf("%+v", e)
	}
	if s := c.Status(); s.Artifacts != 1 || s.Bytes != 6 {
		t.Errorf("%+v", s)
	}
	if at, err := store.Resolve(log.Path()); at != ref.Name || err != nil {
		t.Error(at, err)
	}
	if again, err := c.OpenLog(t.Context(), owner, name); err != nil || !errors.Is(again.Append([]byte("x")), artifactstore.ErrFinished) {
		t.Error(err)
	}
}
