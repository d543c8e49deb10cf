package main

import (
	"database/sql"
	"errors"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// sqlite has a row for each record. It has no group commit: one is in front.
type sqlite struct {
	*group
	db                 *sql.DB
	record, small      *sql.Stmt
	kept               int // bytes of small ones since the last deletion
	lastSmall, deleted int64
}

func openSQLite(dir string) (Log, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "log.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=journal_size_limit(16777216)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	s := &sqlite{db: db}
	for _, text := range []string{
		"CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, data BLOB)",
		"CREATE TABLE IF NOT EXISTS small (number INTEGER PRIMARY KEY, data BLOB)",
	} {
		if _, err = db.Exec(text); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	s.record, err = db.Prepare("INSERT INTO records (data) VALUES (?)")
	if err == nil {
		s.small, err = db.Prepare("INSERT INTO small (data) VALUES (?)")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.group = newGroup(s.write)
	return s, nil
}

// write writes some pairs with one transaction.
func (s *sqlite) write(pairs []pair) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing after a commit
	record, small := tx.Stmt(s.record), tx.Stmt(s.small)
	for _, p := range pairs {
		if _, err := record.Exec(p.record); err != nil {
			return err
		}
		if p.small == nil {
			continue
		}
		done, err := small.Exec(p.small)
		if err != nil {
			return err
		}
		s.kept += len(p.small)
		if s.lastSmall, err = done.LastInsertId(); err != nil {
			return err
		}
	}
	if s.kept > smallKept {
		if _, err := tx.Exec("DELETE FROM small WHERE number <= ?", s.deleted); err != nil {
			return err
		}
		s.kept, s.deleted = 0, s.lastSmall
	}
	return tx.Commit()
}

// Append implements Log.
func (s *sqlite) Append(record, small []byte) error { return s.append(record, small) }

// Get implements Log.
func (s *sqlite) Get(number uint64) (data []byte, err error) {
	err = s.db.QueryRow("SELECT data FROM records WHERE number = ?", int64(number)).Scan(&data)
	return data, err
}

// Each implements Log.
func (s *sqlite) Each(visit func(record []byte) error) error {
	rows, err := s.db.Query("SELECT data FROM records ORDER BY number")
	if err != nil {
		return err
	}
	defer rows.Close()
	var data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&data); err != nil {
			return err
		}
		if err := visit(data); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Retire implements Log. The file keeps its size: its pages are used again.
func (s *sqlite) Retire(until uint64) error {
	_, err := s.db.Exec("DELETE FROM records WHERE number <= ?", int64(until))
	return err
}

// Close implements Log.
func (s *sqlite) Close() error {
	s.worker.Close()
	return s.db.Close()
}
