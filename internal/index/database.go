package index

// The file of an index: when it may be used as it is, and when it is made again. It is synced at checkpoints alone, so that after a power
// cut it is whole and may have fewer entries (sqlite.org/pragma.html#pragma_synchronous, NORMAL).

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

const (
	// appliedTable has one row: the log, and the last entry that is in the database.
	appliedTable = `
CREATE TABLE applied (log TEXT NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL);
INSERT INTO applied VALUES ('', 0, x'');
`
	// readerCount is the number of connections that read beside the one that writes.
	readerCount = 2
)

// open opens the database, in memory if its file cannot be written.
func (x *Index) open() error {
	if x.o.Path == "" {
		return x.remake()
	}
	x.readers = make(chan *sqlitedb.DB, readerCount)
	err := x.openFile()
	if isForNow(err) {
		return x.retreat(err)
	}
	return err
}

// openFile opens the file, or makes it again if it is not what the journal says.
func (x *Index) openFile() (err error) {
	why := ""
	if x.db, err = x.connect(x.o.Path); err == nil {
		why = x.differs()
	} else {
		why = reason(err)
	}
	if why == "" && err == nil {
		return x.openReaders()
	} else if why == "" {
		return err
	}
	if _, err := os.Lstat(x.o.Path); err == nil {
		x.o.Logger.Info("the index is made again from the journal", slog.String("index", x.o.Path), slog.String("why", why))
	}
	return x.remake()
}

// isForNow reports whether an error is about a file that may be written later, as on a full disk.
func isForNow(err error) bool {
	for _, of := range []error{
		sqlitedb.ErrFull, sqlitedb.ErrReadOnly, sqlitedb.ErrTransient, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EMFILE, syscall.ENFILE,
	} {
		if errors.Is(err, of) {
			return true
		}
	}
	return false
}

// reason returns why a database that cannot be opened is made again; empty: it is not.
func reason(err error) string {
	switch {
	case errors.Is(err, sqlitedb.ErrUnreadable), errors.Is(err, sqlitedb.ErrFailed):
		return "it cannot be read"
	}
	return ""
}

// connect opens a database, and makes it if there is none.
func (x *Index) connect(path string, pragmas ...string) (*sqlitedb.DB, error) {
	return sqlitedb.Open(sqlitedb.Options{
		Path: path, Schema: x.o.Schema + ";" + appliedTable, Version: x.o.Version, Pragmas: append(pragmas, x.o.Pragmas...),
	})
}

// differs returns why the database is not one of the journal; empty: it is, and may have fewer entries. An index with more of them says
// that the journal has lost its end, which goes on after that then; of a journal without any, that it has lost everything.
func (x *Index) differs() string {
	var log string
	var number uint64
	var hash []byte
	if _, err := x.db.Row("SELECT log, number, hash FROM applied", nil, &log, &number, &hash); err != nil {
		return "it cannot be read"
	}
	if number == 0 {
		return "" // it is empty
	}
	tip := x.o.Journal.Tip(x.o.Stream)
	switch {
	case !x.o.Journal.Adopt(log):
		return "it is of another log"
	case number > tip.Number:
		if len(hash) != len(tip.Hash) {
			return "it cannot be read"
		}
		x.o.Journal.Advance(x.o.Stream, journal.Tip{Number: number, Hash: journal.Hash(hash)})
	case number == tip.Number:
		if !bytes.Equal(hash, tip.Hash[:]) {
			return "it has other entries"
		}
	default:
		e, err := x.o.Journal.Get(x.o.Stream, number)
		if err != nil || !bytes.Equal(hash, e.Hash[:]) {
			return "it has other entries"
		}
	}
	x.applied.Store(number)
	return ""
}

// note writes which entry is the last one in the database.
func (x *Index) note(last *journal.Entry) error {
	return x.db.Run("UPDATE applied SET log = ?, number = ?, hash = ?", x.o.Journal.Name(), int64(last.Number), last.Hash[:])
}

// openReaders opens the connections that read. Where a file is of its writer alone, there are none in their places.
func (x *Index) openReaders() error {
	var list [readerCount]*sqlitedb.DB
	for i := range list {
		if x.db.Alone() {
			continue
		}
		var err error
		if list[i], err = sqlitedb.Open(sqlitedb.Options{Path: x.o.Path, Reader: true}); err != nil {
			return errors.Join(err, closeAll(list[:]))
		}
	}
	for _, db := range list {
		x.readers <- db
	}
	x.reading = true
	return nil
}

// closeAll closes databases.
func closeAll(list []*sqlitedb.DB) error {
	var errs []error
	for _, db := range list {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// remake makes the database again, without entries.
func (x *Index) remake() (err error) {
	x.drop()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(x.o.Path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if x.db, err = x.connect(x.o.Path); err != nil || x.readers == nil {
		return err
	}
	return x.openReaders()
}

// drop closes the database that is given up.
func (x *Index) drop() {
	if err := x.closeDatabase(); err != nil {
		x.o.Logger.Debug("the index was not closed", slog.Any("error", err))
	}
	x.applied.Store(0)
	x.inMemory = false
}

// memoryPages bounds a database in the place of a file, in pages of 4096 bytes.
const memoryPages = "max_page_count = 65536"

// retreat makes the database again in memory, because its file cannot be written. It is tried again later, unless it was taken away:
// then another one at its path is not ours.
func (x *Index) retreat(why error) (err error) {
	x.o.Logger.Error("the index is in memory, as its file cannot be written", slog.String("index", x.o.Path), slog.Any("error", why))
	x.drop()
	if x.db, err = x.connect("", memoryPages); err != nil {
		return err
	}
	x.inMemory, x.returnAt = true, time.Now().Add(returnPause)
	if errors.Is(why, sqlitedb.ErrVanished) {
		x.returnAt = time.Time{}
	}
	for range readerCount {
		x.readers <- nil
	}
	x.reading = true
	return nil
}

// comeBack leaves memory for the file, if that can be written again, and reports whether it does.
func (x *Index) comeBack() (done bool) {
	file, err := x.connect(x.o.Path)
	if err == nil {
		err = file.Transaction(func() error { return file.Run("UPDATE applied SET number = number") })
	}
	if err != nil && reason(err) == "" {
		x.returnAt = time.Now().Add(returnPause)
		_ = closeAll([]*sqlitedb.DB{file}) // nothing was written
		return false
	}
	_ = closeAll([]*sqlitedb.DB{file}) // it is opened again
	x.drop()
	if err := x.openFile(); err != nil {
		if err := x.retreat(err); err != nil {
			x.o.Logger.Error("the index could not be made in memory", slog.Any("error", err))
		}
		return true
	}
	x.o.Logger.Info("the file of the index can be written again", slog.String("index", x.o.Path))
	return true
}

// closeDatabase closes all connections. It waits for those that read.
func (x *Index) closeDatabase() error {
	var list []*sqlitedb.DB
	for range cap(x.readers) {
		if x.reading {
			list = append(list, <-x.readers)
		}
	}
	x.reading = false
	list = append(list, x.db)
	x.db = nil
	return closeAll(list)
}

// Close writes what waits, and closes the database.
func (x *Index) Close() error {
	x.mu.Lock()
	again := x.closed
	x.closed = true
	x.mu.Unlock()
	x.signal()
	<-x.ended
	if again {
		return nil
	}
	x.o.Journal.Follow(x.o.Stream, nil)
	err := x.closeDatabase()
	if x.readers != nil {
		close(x.readers)
	}
	return err
}
