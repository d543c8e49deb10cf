package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/auditlog/postgres"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/metrics"
)

// Names in the directory of the store: the journal, and what is made of it.
const (
	journalName     = "journal"
	catalogName     = "catalog.db"
	recordsName     = "records.db"
	maxSegmentAge   = 24 * time.Hour
	minSegmentAge   = time.Hour
	segmentsOfAKeep = 30 // segments that are begun, at least, while a record is kept
)

// spoolBytes limits the uploaded artifacts that stay in the spool, those used last, in bytes.
const spoolBytes = 4 << 30

// openStore opens the artifact store and its catalog, and returns how durable they are.
func (s *Server) openStore(o Options) (pb.StoreDurability, error) {
	const volatile, durable = pb.StoreDurability_STORE_DURABILITY_VOLATILE, pb.StoreDurability_STORE_DURABILITY_DURABLE
	if s.config.Store == config.MemoryStore {
		if err := s.openJournal("", o.Metrics); err != nil {
			return 0, err
		}
		return volatile, s.openCatalog(memory.New(), catalog.Options{})
	}
	store, dir, err := s.openDir(dir.Options{
		Volatile: s.config.Volatile, RequireStableFS: true, LockWait: o.LockWait,
	})
	if err != nil {
		return 0, err
	}
	if unknown := dir.Unknown(); len(unknown) > 0 {
		s.logger.Warn("the store holds files that it did not write; they are left alone", "store", s.config.Store, "files", unknown)
	}
	if err := s.openJournal(filepath.Join(dir.Root(), journalName), o.Metrics); err != nil {
		return 0, err
	}
	if err := s.openCatalog(store, catalog.Options{Index: filepath.Join(dir.Root(), catalogName), Shared: s.config.ObjectStore != ""}); err != nil {
		return 0, err
	}
	if s.config.Volatile {
		return volatile, nil
	}
	return durable, nil
}

// openDir opens the directory of the store or, when there is an object store, that
// with the directory as its spool.
func (s *Server) openDir(options dir.Options) (artifactstore.Store, *dir.Store, error) {
	if s.config.ObjectStore == "" {
		dir, err := dir.Open(s.config.Store, options)
		if err != nil {
			return nil, nil, err
		}
		s.closers = append(s.closers, dir)
		return dir, dir, nil
	}
	location, err := objectstore.ParseLocation(s.config.ObjectStore)
	if err != nil {
		return nil, nil, fmt.Errorf("object_store %w", err)
	}
	credentials, err := objectstore.FindCredentials(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	s.objects, err = objectstore.Open(s.config.Store, options, objectstore.Options{
		Location: location, Credentials: credentials, SpoolBytes: spoolBytes,
		CloseTimeout: s.config.ShutdownTimeout, Logger: s.logger,
	})
	if err != nil {
		return nil, nil, err
	}
	s.closers = append(s.closers, s.objects)
	return ownPart{s.objects}, s.objects.Spool(), nil
}

// ownPart is an object store of which the catalog learns only what this machine put: what other machines put under the same
// prefix is theirs to keep and to delete.
type ownPart struct{ *objectstore.Store }

// Walk goes through the spool.
func (o ownPart) Walk(ctx context.Context, visit func(artifactstore.StoredArtifact) error) error {
	return o.Spool().Walk(ctx, visit)
}

// openJournal opens the journal of the store; in memory without a directory.
func (s *Server) openJournal(dir string, m metrics.Reporter) (err error) {
	s.stored = make(chan struct{})
	s.journal, err = journal.Open(journal.Options{
		Dir: dir, Volatile: s.config.Volatile, SealAfter: segmentAge(s.config), Logger: s.logger, OnCommit: metrics.OnCommit(m, metrics.JournalStore),
		Settle: func(ctx context.Context) error {
			select {
			case <-s.stored:
				return s.catalog.Settle(ctx)
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		Check: func() error {
			select {
			case <-s.stored:
				return s.catalog.Check()
			default: // it is being opened
				return nil
			}
		},
	})
	if err == nil {
		s.closers = append(s.closers, s.journal)
	}
	return err
}

// segmentAge returns the age at which a segment of the journal is sealed. Retention deletes sealed records.
func segmentAge(c config.Config) time.Duration {
	if c.AuditKeepFor == 0 {
		return maxSegmentAge
	}
	return min(maxSegmentAge, max(minSegmentAge, c.AuditKeepFor/segmentsOfAKeep))
}

// openAudit opens the audit log of the configuration; nil for none. onSent is called after each transaction of a database elsewhere.
func (s *Server) openAudit(onSent auditlog.OnCommit) (log auditlog.Log, err error) {
	index := ""
	if s.config.Store != config.MemoryStore {
		index = filepath.Join(s.config.Store, recordsName)
	}
	switch s.config.Audit {
	case config.AuditOff:
		return nil, nil
	case config.AuditPostgres:
		log, err = postgres.Open(context.Background(), postgres.Options{
			DSN: string(s.config.AuditDSN), Journal: s.journal, Index: index,
			Through: s.config.Store == config.MemoryStore, Volatile: s.config.Volatile, Logger: s.logger, OnCommit: onSent,
		})
	default:
		log, err = local.Open(local.Options{Journal: s.journal, Index: index, Logger: s.logger})
	}
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, log)
	return log, nil
}

// expiryGrace is the uptime before which a clock that jumped ends nothing (docs/adr/0052). It is longer than the calls of a
// session are apart, which renew its lease.
const expiryGrace = time.Hour

// retentionClock returns the clock by which audit records grow old: that of the catalog, which knows the latest time of the
// last run. A store in memory knows none, so its clock begins after the grace. Records have the time of the system: when it is
// behind, because the latest time was wrong, they grow old by it.
func (s *Server) retentionClock() func() time.Time {
	believed := lateClock(expiryGrace)
	if s.config.Store != config.MemoryStore {
		believed = s.catalog.Time
	}
	return func() time.Time {
		now, system := believed(), time.Now().Round(0) // a monotonic clock knows nothing of jumps
		if system.Before(now) {
			return system
		}
		return now
	}
}

// lateClock returns a clock that has the zero time for a while, and then goes on from the present time by uptime.
func lateClock(wait time.Duration) func() time.Time {
	began := time.Now()
	return func() time.Time {
		uptime := time.Since(began)
		if uptime < wait {
			return time.Time{}
		}
		return began.Add(uptime)
	}
}

// openCatalog opens the catalog of a store, with the options of the configuration; in memory when it has no index.
func (s *Server) openCatalog(store artifactstore.Store, o catalog.Options) (err error) {
	o.Journal, o.OnFailure, o.Logger = s.journal, s.storageFailed, s.logger
	o.SessionLease, o.KeepFor, o.Grace = s.config.SessionLease, s.config.KeepFor, expiryGrace
	o.Quota, o.SessionQuota = s.config.StoreQuota, s.config.SessionQuota
	if s.config.AuditKeepFor > 0 { // a tombstone is there as long as a record may name the artifact
		o.ForgetAfter = max(s.config.AuditKeepFor, s.config.KeepFor)
	}
	if s.catalog, err = catalog.Open(store, o); err == nil {
		s.closers = append(s.closers, s.catalog)
		close(s.stored)
	}
	return err
}
