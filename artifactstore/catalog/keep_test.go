package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
)

// TestVerifyStops: at an error of the report, at one that is not about the artifact, and at the end of its context.
func TestVerifyStops(t *testing.T) {
	t.Parallel()
	store := newFaultyStore(map[string]error{})
	c := open(t, store, catalog.Options{})
	defer closeCatalog(t, c)
	ref := put(t, c, catalog.Owner{}, "x")
	log, err := c.OpenLog(t.Context(), anOwner, artifactstore.LogName("live"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() // in memory
	if v, err := c.Verify(t.Context(), nil, ignore); err != nil || v != (catalog.Verified{Intact: 2, Bytes: 1}) {
		t.Errorf("%+v, %v", v, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, paths := range [][]string{nil, {ref.Path}, {log.Path()}} {
		for _, method := range []string{"Open", "Pages"} {
			store.set(method, artifactstore.ErrDamaged)
		}
		if _, err := c.Verify(t.Context(), paths, func(string, error) error { return errStore }); !errors.Is(err, errStore) {
			t.Errorf("%v: the error of report: %v", paths, err)
		}
		for _, method := range []string{"Open", "Pages"} {
			store.set(method, errStore)
		}
		if _, err := c.Verify(t.Context(), paths, ignore); !errors.Is(err, errStore) {
			t.Errorf("%v: an error of the store: %v", paths, err)
		}
		if _, err := c.Verify(done, paths, ignore); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: a context that is done: %v", paths, err)
		}
		for _, method := range []string{"Open", "Pages"} {
			store.set(method, nil)
		}
	}
	if v, err := c.Verify(t.Context(), []string{"/etc/passwd"}, ignore); err != nil || v.Corrupt != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

// messages is the text that a logger has written. Safe for concurrent use.
type messages struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.Write(p)
}

// take returns what was written since the last take.
func (m *messages) take() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, _ := io.ReadAll(&m.text)
	return string(text)
}

// TestKeepLogsWhatItDid checks that collections are logged if they did something or failed.
func TestKeepLogsWhatItDid(t *testing.T) {
	t.Parallel()
	clk, store, logged := newClock(), newFaultyStore(map[string]error{}), &messages{}
	c, err := tryOpen(store, catalog.Options{KeepFor: time.Hour, Now: clk.now,
		Logger: slog.New(slog.NewTextHandler(logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer closeCatalog(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	var keeper sync.WaitGroup
	keeper.Go(func() { c.Keep(ctx, time.Millisecond) })
	// rounds waits until Keep has collected at least once, and returns what it logged.
	rounds := func() string {
		for before := store.count("Walk"); store.count("Walk") < before+3; {
			time.Sleep(time.Millisecond)
		}
		return logged.take()
	}
	if got := rounds(); got != "" {
		t.Errorf("nothing to do: %s", got)
	}
	put(t, c, catalog.Owner{}, "x")
	clk.move(2 * time.Hour)
	if got := rounds(); !strings.Contains(got, "garbage was collected") || !strings.Contains(got, "deleted=1") {
		t.Errorf("collected: %s", got)
	}
	if _, err := store.Store.Put(t.Context(), artifactstore.BytesBlob([]byte("found"))); err != nil {
		t.Fatal(err)
	}
	if got := rounds(); !strings.Contains(got, "entered=1") {
		t.Errorf("found: %s", got)
	}
	clk.move(2 * time.Minute)
	store.set("Walk", errStore)
	if got := rounds(); !strings.Contains(got, "garbage could not be collected") {
		t.Errorf("failures: %s", got)
	}
	cancel()
	keeper.Wait()
}

// TestEndedLeaseHasNoTime: a lease of no duration ends at once, and one that has run out is none.
func TestEndedLeaseHasNoTime(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, _ := newCatalog(t, catalog.Options{Now: clk.now})
	for _, duration := range []time.Duration{0, time.Hour} {
		until, err := c.Lease(t.Context(), "s", duration)
		if again, err2 := c.LeasedUntil(t.Context(), "s"); err != nil || err2 != nil || until.IsZero() != (duration == 0) || !until.Equal(again) {
			t.Errorf("%s: until %s, then %s, %v, %v", duration, until, again, err, err2)
		}
	}
	clk.move(time.Hour)
	if until, err := c.LeasedUntil(t.Context(), "s"); err != nil || !until.IsZero() {
		t.Errorf("%s, %v", until, err)
	}
}

// TestReadingRenewsTheLease: a session that only reads keeps its artifacts, and one that does neither read nor store loses them.
func TestReadingRenewsTheLease(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c, _ := newCatalog(t, catalog.Options{SessionLease: time.Hour, KeepFor: time.Second, Now: func() time.Time { return now }})
	kept := put(t, c, catalog.Owner{Session: "reads"}, "read")
	put(t, c, catalog.Owner{Session: "silent"}, "not read")
	for range 12 {
		now = now.Add(20 * time.Minute)
		if got := read(t, c, kept.Name, catalog.Permit{Session: "reads"}); got != "read" {
			t.Fatalf("it reads %q", got)
		}
	}
	if r := collect(t, c); r.Count != 1 {
		t.Errorf("%d were deleted", r.Count)
	}
	if got := read(t, c, kept.Name, catalog.Permit{Session: "reads"}); got != "read" {
		t.Errorf("it reads %q", got)
	}
}
