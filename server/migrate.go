package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/auditlog/postgres"
	"github.com/toolresult/toolresult/internal/journal"
)

// Files of a store of an earlier version: a database of the catalog, one of the audit log, and what was beside them.
const (
	earlierCatalog = "books.db"
	earlierAudit   = "audit.db"
	earlierHead    = "audit.head"
	earlierReserve = "audit.reserve"
	newJournalName = journalName + ".new"
	// earlierPostgresHead has the name of a log whose records are in a database elsewhere, which the journal goes on with.
	earlierPostgresHead = "audit-postgres.head"
)

// checkEarlier refuses a store whose databases are of a later version than this program reads, before anything of it is written.
func checkEarlier(store string) error {
	if info, err := os.Stat(store); err != nil || !info.IsDir() {
		return nil // who opens the store says it better
	}
	return errors.Join(catalog.CheckEarlier(filepath.Join(store, earlierCatalog)), local.CheckEarlier(filepath.Join(store, earlierAudit)))
}

// Migrate makes the journal of a store of an earlier version, which had databases in its place. They are removed when the journal is
// complete: until then it begins again. The caller has the lock of the store. A store of this version stays as it is.
func Migrate(store string, logger *slog.Logger) error {
	_, err := os.Lstat(filepath.Join(store, journalName))
	switch {
	case err == nil:
		return removeEarlier(store) // what an interrupted start left
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	for _, name := range []string{earlierCatalog, earlierAudit} {
		if _, err := os.Lstat(filepath.Join(store, name)); err == nil {
			return migrateFrom(store, logger)
		}
	}
	return nil
}

// migrateFrom brings the databases into a new journal, and gives it its name.
func migrateFrom(store string, logger *slog.Logger) error {
	logger.Info("the store is of an earlier version; its catalog and its audit log are brought into a journal")
	path := filepath.Join(store, newJournalName)
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if err := importInto(store, path, logger); err != nil {
		return fmt.Errorf("bring the store of an earlier version into a journal: %w", err)
	}
	if err := os.Rename(path, filepath.Join(store, journalName)); err != nil {
		return err
	}
	if err := syncDir(store); err != nil {
		return err
	}
	return removeEarlier(store)
}

// importInto makes a journal of the databases.
func importInto(store, path string, logger *slog.Logger) (err error) {
	ctx := context.Background()
	o := journal.Options{Dir: path, Logger: logger}
	records, err := local.OpenEarlier(filepath.Join(store, earlierAudit), filepath.Join(store, earlierHead))
	if err != nil {
		return err
	}
	if records != nil {
		defer records.Close() // read-only
		o.Name = records.Name
	} else if o.Name, err = postgres.EarlierName(filepath.Join(store, earlierPostgresHead)); err != nil {
		return err
	}
	j, err := journal.Open(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if records != nil {
		if err := records.Import(ctx, j); err != nil {
			return err
		}
	}
	_, err = catalog.Import(ctx, filepath.Join(store, earlierCatalog), j)
	return err
}

// removeEarlier removes the databases.
func removeEarlier(store string) error {
	for _, name := range []string{earlierCatalog, earlierAudit} {
		for _, suffix := range []string{"-wal", "-shm", ""} {
			if err := os.Remove(filepath.Join(store, name+suffix)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	for _, name := range []string{earlierHead, earlierReserve} {
		if err := os.Remove(filepath.Join(store, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
