// Package servertest runs the services of the sidecar in one process, over a store in memory, for the tests of the packages
// of server. It generates outputs of all families by the contract alone, and checks what holds for each of their results.
package servertest

import (
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/journal/journaltest"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/auditapi"
	"github.com/toolresult/toolresult/server/compaction"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/pipeline"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
)

// Idle is the idle limit of streams.
const Idle = time.Minute

// The -rapid.checks of the short form, of which rapid draws a fifth. Races depend little on what is drawn.
const (
	shortChecks = "50"
	raceChecks  = "15"
)

// Main runs the tests of a package. In the short form properties draw few cases: they hold for each family on its own, so
// that all families together have many.
func Main(m *testing.M) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "rapid.checks" })
	switch {
	case set || !testing.Short():
	case Race:
		_ = flag.Set("rapid.checks", raceChecks)
	default:
		_ = flag.Set("rapid.checks", shortChecks)
	}
	os.Exit(m.Run())
}

// Options configures the services of a Harness.
type Options struct {
	Store        artifactstore.Store // nil: that of the Harness
	Secrets      *redaction.Secrets
	Patterns     *redact.Patterns
	Recorder     *recorder.Recorder // nil: no audit log
	Metrics      metrics.Reporter   // nil: disabled
	Budgets      []config.Budget
	StreamMemory int // as in compaction.Options
	Logger       *slog.Logger
}

// A Harness holds the services that work on results, and their parts.
type Harness struct {
	*Generator
	*pipeline.Pipeline
	*compaction.Service
	Audit    *auditapi.Service
	Options  Options
	Policies *policy.Resolver
	Catalog  *catalog.Catalog
	Store    *memory.Store
	Log      auditlog.Log // nil: no audit log
}

// New returns a Harness without an audit log, for the built-in families and those of docs/examples. It has registered the
// values that a Generator plants.
func New(t testing.TB) *Harness {
	t.Helper()
	return NewOf(t, NewGenerator(t))
}

// NewOf returns a Harness for the families of a Generator.
func NewOf(t testing.TB, g *Generator) *Harness {
	t.Helper()
	return (&Harness{Generator: g, Store: memory.New()}).With(t)
}

// NewArchive returns a Harness with an audit log in memory.
func NewArchive(t testing.TB) *Harness {
	t.Helper()
	return (&Harness{Generator: NewGenerator(t), Store: memory.New(), Log: newLog(t)}).With(t)
}

// Reopened returns the Harness after a restart: only the store and the log stay.
func (h *Harness) Reopened(t testing.TB) *Harness { return h.With(t) }

// With returns a Harness over the same store and log, with other options of its services.
func (h *Harness) With(t testing.TB, changes ...func(*Options)) *Harness {
	t.Helper()
	o := Options{Store: h.Store, Secrets: redaction.NewSecrets(), Patterns: redact.BuiltIn(), Logger: slog.New(slog.DiscardHandler)}
	if _, err := o.Secrets.Register("", registered()); err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(&o)
	}
	if h.Log != nil && o.Recorder == nil {
		o.Recorder = recorder.New(h.Log, o.Metrics, o.Logger, &pb.GetServerInfoResponse{})
	}
	made := &Harness{Generator: h.Generator, Store: h.Store, Log: h.Log, Options: o}
	entries := journalOf(h.Log)
	if entries == nil {
		entries = journaltest.Open(t)
	}
	var err error
	if made.Catalog, err = catalog.Open(o.Store, catalog.Options{Journal: entries, Logger: o.Logger}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = made.Catalog.Close() })
	compact, err := compactor.New(h.Registry.Types(), func(payload []byte) (path, digest string) {
		ref := made.Catalog.RefFor(payload)
		return ref.Path, ref.Digest
	})
	if err != nil {
		t.Fatal(err)
	}
	made.Policies = policy.NewResolver(made.Catalog.Resolve, o.Budgets...)
	made.Pipeline = pipeline.New(pipeline.Options{
		Registry: h.Registry, Policies: made.Policies, Compactor: compact, Store: store{made.Catalog}, Secrets: o.Secrets,
		Patterns: o.Patterns, Recorder: o.Recorder, Metrics: o.Metrics, StreamIdle: Idle, Logger: o.Logger,
	})
	made.Service = compaction.New(compaction.Options{
		Registry: h.Registry, Policies: made.Policies, Compactor: compact, Store: store{made.Catalog}, Screen: made.Screen(),
		Recorder: o.Recorder, Metrics: o.Metrics, StreamIdle: Idle, StreamMemory: o.StreamMemory, Forget: made.Forget,
	})
	made.Audit = auditapi.New(auditapi.Options{
		Registry: h.Registry, Policies: made.Policies, Store: made.Catalog, Patterns: o.Patterns, Recorder: o.Recorder,
	})
	return made
}

// store is a catalog as a pipeline uses it.
type store struct{ *catalog.Catalog }

// Begin begins what one call puts.
func (s store) Begin() pipeline.Transaction { return s.Catalog.Begin() }

// journalLog is a log in a journal.
type journalLog struct {
	auditlog.Log
	journal *journal.Journal
}

// newLog opens a log in memory.
func newLog(t testing.TB) auditlog.Log {
	t.Helper()
	entries := journaltest.Open(t)
	log, err := local.Open(local.Options{Journal: entries, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return journalLog{log, entries}
}

// journalOf returns the journal of a log, nil if there is no log.
func journalOf(log auditlog.Log) *journal.Journal {
	if l, ok := log.(journalLog); ok {
		return l.journal
	}
	return nil
}

// A Generator makes outputs of the families of a registry. It is immutable, and safe for concurrent use.
type Generator struct {
	Registry  *families.Registry
	Families  []families.Family
	Types     envelope.Types // of the custom families
	Redacting redact.Options // of a Harness
	policies  *policy.Resolver
}

// NewGenerator returns the Generator of the built-in families and of those of docs/examples.
func NewGenerator(t testing.TB) *Generator {
	t.Helper()
	g, err := standard()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// standard makes what NewGenerator returns, once: to check all families takes a tenth of a second.
var standard = sync.OnceValues(func() (*Generator, error) {
	example, err := Root("docs/examples/acme.binpb")
	if err != nil {
		return nil, err
	}
	return GeneratorOf(example)
})

// GeneratorOf returns the Generator of the built-in families and of those of a descriptor set.
func GeneratorOf(path string) (*Generator, error) {
	custom, err := families.LoadCustomFamilies(path)
	if err != nil {
		return nil, err
	}
	g := &Generator{Types: envelope.Types{}, Families: slices.Concat(families.BuiltIn(), custom)}
	for _, f := range custom {
		g.Types[f.Name] = f.Type
	}
	secrets := redaction.NewSecrets()
	if _, err := secrets.Register("", registered()); err != nil {
		return nil, err
	}
	values, err := secrets.Values("", "")
	if err != nil {
		return nil, err
	}
	g.Redacting = redact.Options{Values: values, Patterns: redact.BuiltIn()}
	g.policies = policy.NewResolver(memory.New().Resolve)
	g.Registry, err = families.NewRegistry(g.Families...)
	return g, err
}

// Root returns the path of a file of the repository.
func Root(name string) (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, name), nil
		}
		if dir == filepath.Dir(dir) {
			return "", os.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Names returns the names of the families.
func (g *Generator) Names() (list []string) {
	for _, f := range g.Families {
		list = append(list, f.Name)
	}
	return list
}

// EachFamily runs a property for each family, and for errors, whose name is empty. Under the race detector it takes every
// fourth: what is raced for is the same for all.
func (g *Generator) EachFamily(t *testing.T, property func(t *testing.T, family string)) {
	for i, f := range g.Families {
		if Race && i%4 > 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			property(t, f.Name)
		})
	}
	t.Run("error", func(t *testing.T) { property(t, "") })
}
