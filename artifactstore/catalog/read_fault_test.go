package catalog_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// faultyCall is one call on a catalog whose database has a fault.
type faultyCall struct {
	name    string
	options catalog.Options                                        // of the catalog that is called
	prepare func(s *scene)                                         // before the fault
	call    func(t *testing.T, s *scene, c *catalog.Catalog) error // with the fault
	fails   string                                                 // the faults, and groups of them, with which the call fails
}

// scene is a catalog on disk whose database gets a fault.
type scene struct {
	*testing.T
	clock *clock
	store *memory.Store
	path  string
	log   artifactstore.Log // open when the fault begins
}

var anOwner = catalog.Owner{Session: "s", Call: "c"}

// put stores a content for an owner with a catalog of its own, which a later one reads.
func (s *scene) put(o catalog.Owner, content string) {
	c := open(s, s.store, catalog.Options{Path: s.path, Volatile: true, SessionLease: time.Minute, Now: s.clock.now})
	put(s, c, o, content)
	closeCatalog(s.T, c)
}

// later moves the clock until no lease is left and every artifact is old.
func (s *scene) later() { s.clock.move(100 * time.Hour) }

// deleted stores a content and deletes it. Its file is still there unless erased is set.
func (s *scene) deleted(content string, erased bool) {
	s.put(anOwner, content)
	s.later()
	store := &stubborn{Store: s.store}
	if !erased {
		store.failure = errors.New("still there")
	}
	c := open(s, store, catalog.Options{Path: s.path, Volatile: true, KeepFor: time.Hour, Now: s.clock.now})
	if _, err := c.Collect(s.Context(), false); !errors.Is(err, store.failure) {
		s.Fatal(err)
	}
	closeCatalog(s.T, c)
}

func collectError(t *testing.T, _ *scene, c *catalog.Catalog) error {
	_, err := c.Collect(t.Context(), false)
	return err
}

// faultyCalls are the calls that read or write the database, each with the columns and statements that it needs.
func faultyCalls() []faultyCall {
	putCall := func(o catalog.Owner, content string) func(*testing.T, *scene, *catalog.Catalog) error {
		return func(t *testing.T, _ *scene, c *catalog.Catalog) error {
			_, err := c.SinkFor(o).Put(t.Context(), artifactstore.BytesBlob([]byte(content)))
			return err
		}
	}
	read := func(content string, p catalog.Permit) func(*testing.T, *scene, *catalog.Catalog) error {
		return func(t *testing.T, s *scene, c *catalog.Catalog) error {
			pages, err := c.PagesFor(t.Context(), s.store.RefFor([]byte(content)).Name, p)
			if _, expired := errors.AsType[*catalog.ExpiredError](err); expired {
				return nil // as it should be
			}
			if err == nil {
				err = pages.Close()
			}
			return err
		}
	}
	return []faultyCall{
		{"put", catalog.Options{SessionLease: time.Hour}, nil, putCall(anOwner, "new"), "entry sessions uses total more"},
		{"put without session", catalog.Options{}, nil, putCall(catalog.Owner{}, "new"), "entry uses total"},
		{"put again", catalog.Options{}, func(s *scene) { s.put(anOwner, "old"); s.later() }, putCall(anOwner, "old"), "entry sessions uses total packed erased"},
		{"put what was deleted", catalog.Options{}, func(s *scene) { s.deleted("old", true) }, putCall(anOwner, "old"), "entry sessions uses total more packed erased"},
		{"lease", catalog.Options{}, nil, func(t *testing.T, _ *scene, c *catalog.Catalog) error {
			_, err := c.Lease(t.Context(), "s", time.Hour)
			return err
		}, "sessions"},
		{"end of lease", catalog.Options{}, nil, func(t *testing.T, _ *scene, c *catalog.Catalog) error {
			_, err := c.LeasedUntil(t.Context(), "s")
			return err
		}, "sessions"},
		{"list", catalog.Options{}, nil, func(t *testing.T, _ *scene, c *catalog.Catalog) error {
			_, _, err := c.List(t.Context(), "s", "c", 0, 9)
			return err
		}, "listed"},
		{"read what was deleted", catalog.Options{}, func(s *scene) { s.deleted("old", true) }, read("old", catalog.Permit{Raw: true}), "entry"},
		{"read for a session", catalog.Options{}, func(s *scene) { s.put(anOwner, "old") }, read("old", catalog.Permit{Session: "s"}), "uses.name uses.raw uses.session"},
		{"read what is not raw", catalog.Options{}, func(s *scene) { s.put(anOwner, "old"); s.put(catalog.Owner{Raw: true}, "raw") },
			read("old", catalog.Permit{}), "uses.name uses.raw"},
	}
}

// faultyUpkeep are the calls of an operator, and those on logs.
func faultyUpkeep() []faultyCall {
	name := artifactstore.LogName("log")
	openLog := func(s *scene, c *catalog.Catalog) (err error) {
		s.log, err = c.OpenLog(s.Context(), anOwner, name)
		return err
	}
	return []faultyCall{
		{"finish a deletion", catalog.Options{}, func(s *scene) { s.deleted("old", false) }, collectError, "entry erased erase"},
		{"add what is found", catalog.Options{}, func(s *scene) {
			s.put(anOwner, "known")
			if _, err := s.store.Put(s.Context(), artifactstore.BytesBlob([]byte("found"))); err != nil {
				s.Fatal(err)
			}
		}, collectError, "entry total erased uses.session uses.call uses.name uses.partial uses.stored_at uses.raw"},
		{"collect by age", catalog.Options{KeepFor: time.Hour}, func(s *scene) { s.put(anOwner, "old"); s.later() }, collectError, "expendable"},
		{"collect by quota", catalog.Options{Quota: 1}, func(s *scene) { s.put(anOwner, "old"); s.later() }, collectError, "expendable"},
		{"free space", catalog.Options{Quota: 4}, func(s *scene) { s.put(anOwner, "old"); s.later() }, func(_ *testing.T, s *scene, c *catalog.Catalog) error {
			st, err := c.Stage(s.Context())
			if err != nil {
				return err
			}
			_, err = st.Write([]byte("new"))
			return errors.Join(err, st.Discard())
		}, "expendable"},
		{"verify", catalog.Options{}, func(s *scene) { s.put(anOwner, "old") }, func(t *testing.T, _ *scene, c *catalog.Catalog) error {
			_, err := c.Verify(t.Context(), nil, func(_ string, err error) error { return err })
			return err
		}, "entry"},
		{"close a log", catalog.Options{}, nil, func(_ *testing.T, s *scene, _ *catalog.Catalog) error { return s.log.Close() },
			"entry uses.name sessions.session sessions.bytes total more"},
		{"finish a log", catalog.Options{SessionQuota: 100}, nil, func(t *testing.T, s *scene, _ *catalog.Catalog) error {
			_, err := s.log.Finish(t.Context())
			return errors.Join(err, s.log.Close())
		}, "entry sessions uses total more"},
		{"open a log", catalog.Options{SessionLease: time.Hour}, nil, func(_ *testing.T, s *scene, c *catalog.Catalog) error {
			err := openLog(s, c)
			if err != nil { // the log is closed, so that it can be opened again
				again, err := s.store.OpenLog(s.Context(), name)
				if err != nil {
					s.Errorf("it stays open: %v", err)
					return nil
				}
				_ = again.Close()
			}
			return err
		}, "entry sessions uses total"},
	}
}

// faults are statements that break a database for the calls that use a column, or change a table.
func faults() map[string]string {
	list := map[string]string{}
	for table, columns := range map[string]string{
		"artifacts": "name digest bytes stored_at deleted_at deleted_why erased packed", "uses": "session call name partial stored_at raw sequence",
		"sessions": "session leased_until bytes",
	} {
		for _, column := range strings.Fields(columns) {
			list[table+"."+column] = "ALTER TABLE " + table + " RENAME COLUMN " + column + " TO gone"
		}
	}
	for name, on := range map[string]string{
		"less": "UPDATE OF bytes ON sessions WHEN NEW.bytes < OLD.bytes", "more": "UPDATE OF bytes ON sessions WHEN NEW.bytes > OLD.bytes",
		"total": "UPDATE ON totals", "erase": "UPDATE OF erased ON artifacts WHEN NEW.erased = 1",
	} {
		list[name] = "CREATE TRIGGER fault BEFORE " + on + " BEGIN SELECT RAISE(ABORT, 'on purpose'); END"
	}
	return list
}

// groups are faults that come together, because one query has them all.
var groups = map[string]string{
	"entry":      "artifacts.name artifacts.digest artifacts.bytes artifacts.stored_at artifacts.deleted_at artifacts.deleted_why",
	"sessions":   "sessions.session sessions.leased_until sessions.bytes",
	"uses":       "uses.session uses.call uses.name uses.partial uses.stored_at uses.raw",
	"listed":     "uses uses.sequence artifacts.name artifacts.digest artifacts.bytes artifacts.deleted_at artifacts.deleted_why",
	"expendable": "entry artifacts.erased sessions uses.name uses.session total less erase",
	"packed":     "artifacts.packed",
	"erased":     "artifacts.erased",
}

// expand returns the faults in a list of faults and groups.
func expand(list string) (all []string) {
	for _, name := range strings.Fields(list) {
		if group, ok := groups[name]; ok {
			all = append(all, expand(group)...)
		} else {
			all = append(all, name)
		}
	}
	return all
}

// TestCallFailsWithEachQuery breaks one column, or one kind of change, at a time: the calls that need it fail, and none
// passes over it.
func TestCallFailsWithEachQuery(t *testing.T) {
	t.Parallel()
	for _, c := range append(faultyCalls(), faultyUpkeep()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := expand(c.fails)
			for name, fault := range faults() {
				if err := c.run(t, fault); (err != nil) != slices.Contains(want, name) {
					t.Errorf("with the fault %q: %v, want a failure: %v", name, err, err == nil)
				}
			}
			if err := c.run(t, "SELECT 1"); err != nil {
				t.Errorf("without a fault: %v", err)
			}
		})
	}
}

// TestSessionQuotaIsReadFirst: without the size of a session nothing is stored for it.
func TestSessionQuotaIsReadFirst(t *testing.T) {
	t.Parallel()
	store, path := newFaultyStore(nil), filepath.Join(t.TempDir(), "books.db")
	c := open(t, store, catalog.Options{Path: path, Volatile: true, SessionQuota: 100})
	defer closeCatalog(t, c)
	statement(t, path, "ALTER TABLE sessions RENAME COLUMN bytes TO gone")
	if err := sinkError(t.Context(), c, anOwner); err == nil || store.count("Put") > 0 {
		t.Errorf("%d puts, %v", store.count("Put"), err)
	}
}

// run makes a call on a catalog with a fault.
func (f faultyCall) run(t *testing.T, fault string) error {
	t.Helper()
	s := &scene{T: t, clock: newClock(), store: memory.New(), path: filepath.Join(t.TempDir(), "books.db")}
	if f.prepare != nil {
		f.prepare(s)
	}
	f.options.Path, f.options.Volatile, f.options.Now = s.path, true, s.clock.now
	c := open(t, s.store, f.options)
	defer closeCatalog(t, c)
	if strings.HasSuffix(f.name, "a log") && f.name != "open a log" {
		var err error
		if s.log, err = c.OpenLog(t.Context(), anOwner, artifactstore.LogName("log")); err == nil {
			err = s.log.Append([]byte("a line\n"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	statement(t, s.path, fault)
	return f.call(t, s, c)
}
