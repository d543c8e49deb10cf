package index_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/internal/index"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// lines are lines of a log as JSON.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// progress returns how many entries were read when that was logged, and how many of them there were.
func (l *lines) progress(t *testing.T) (done, of []uint64) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(l.text.Bytes()) {
		var said struct {
			Level    string
			Done, Of *uint64
		}
		if err := json.Unmarshal(line, &said); err != nil {
			t.Fatal(err)
		}
		if said.Done != nil && said.Level == "INFO" {
			done, of = append(done, *said.Done), append(of, *said.Of)
		}
	}
	return done, of
}

// While an index is made again, who asks after an append sees that append and all before, and the log says how far it is, no more often than
// it may.
func TestReadsWhileItIsMade(t *testing.T) {
	t.Parallel()
	const before, callers, each = 160, 4, 25
	for _, progress := range []time.Duration{time.Nanosecond, time.Hour} {
		t.Run(fmt.Sprint(progress), func(t *testing.T) {
			t.Parallel()
			p := place{dir: t.TempDir()}
			made := p.open(t)
			large := string(make([]byte, 200<<10)) // some forty are one transaction
			for i := range before {
				made.add(t, fmt.Sprint(i, large))
			}
			made.close(t)
			if err := os.Remove(filepath.Join(p.dir, "index.db")); err != nil {
				t.Fatal(err)
			}
			var log lines
			appended := make(chan struct{})
			j, err := journal.Open(journal.Options{Dir: filepath.Join(p.dir, "journal"), SegmentSize: 64 << 10, Logger: quiet()})
			if err != nil {
				t.Fatal(err)
			}
			x, err := index.Open(index.Options{
				Path: p.path(), Journal: j, Stream: journal.Records, Version: 1, Progress: progress,
				Logger: slog.New(slog.NewJSONHandler(&log, nil)),
				Schema: "CREATE TABLE texts (number INTEGER PRIMARY KEY, length INTEGER NOT NULL)",
				Apply: func(db *sqlitedb.DB, e *journal.Entry) error {
					if e.Number == before {
						<-appended // else it may be made before there are new ones
					}
					return db.Run("INSERT INTO texts VALUES (?, ?)", int64(e.Number), len(e.Data))
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			var once sync.Once
			for range callers {
				all.Go(func() {
					for range each {
						e := journal.NewEntry(journal.Records, []byte("new"))
						if err := j.Append(t.Context(), journal.Append{Entries: []*journal.Entry{e}}); err != nil {
							t.Error(err)
							return
						}
						once.Do(func() { close(appended) })
						var count, length int64
						err := x.Read(t.Context(), func(db *sqlitedb.DB) error {
							_, err := db.Row("SELECT count(*), (SELECT length FROM texts WHERE number = ?) FROM texts WHERE number <= ?", []any{int64(e.Number), int64(e.Number)}, &count, &length)
							return err
						})
						if err != nil || count != int64(e.Number) || length != 3 {
							t.Errorf("after record %d it has %d, and that one of length %d: %v", e.Number, count, length, err)
							return
						}
					}
				})
			}
			all.Wait()
			if err := errors.Join(x.Close(), j.Close()); err != nil {
				t.Error(err)
			}
			done, of := log.progress(t)
			if progress > time.Minute && len(done) > 0 {
				t.Errorf("within the pause it was logged: %v", done)
			}
			if progress < time.Minute && (len(done) < 3 || done[0] == 0 || done[0] >= done[1] || of[0] < before || done[len(done)-1] > of[len(of)-1]) {
				t.Errorf("progress: %v of %v", done, of)
			}
		})
	}
}
