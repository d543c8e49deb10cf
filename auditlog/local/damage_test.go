package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
)

// Verify names each corrupt place of a sealed file and goes on behind it: two corrupt pages are two places, and all other records hold.
func TestVerifyGoesOn(t *testing.T) {
	t.Parallel()
	const records = 600
	p := place(t.TempDir())
	l := p.Open(t, time.Now)
	for i := range records {
		if _, err := l.Append(t.Context(), call(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = p.Open(t, time.Now) // what was not sealed is now
	if err := l.(opened).journal.Rotate(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(string(p), "journal", "records", "*.zst"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	corrupt := files[1:3]
	for _, path := range corrupt {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		clear(content[len(content)/2&^4095:][:4096])
		if err := errors.Join(os.Remove(path), os.WriteFile(path, content, 0o400)); err != nil {
			t.Fatal(err)
		}
	}
	l = p.Open(t, time.Now)
	defer l.Close() // it is read alone
	var places []auditlog.Inconsistency
	v, err := l.Verify(t.Context(), 0, func(i auditlog.Inconsistency) error { places = append(places, i); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(places) < len(corrupt) || v.Inconsistent == 0 || v.Inconsistent > 20 || v.Intact+v.Inconsistent != records {
		t.Errorf("%d records hold, %d do not: %v", v.Intact, v.Inconsistent, places)
	}
	unread := uint64(0)
	for n := uint64(1); n <= records; n++ {
		if _, err := l.Get(t.Context(), n); errors.Is(err, auditlog.ErrBroken) {
			unread++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if unread != v.Inconsistent {
		t.Errorf("%d records are not read, %d are named", unread, v.Inconsistent)
	}
}

// TestVerifyMissesALostLog deletes what has the records. As long as the head file or the index is there each record is reported as
// missing, at every start from then on, and new records go on behind them.
func TestVerifyMissesALostLog(t *testing.T) {
	t.Parallel()
	const records = 5
	for name, lost := range map[string][]string{
		"segments":             {"journal/segments"},
		"segments and index":   {"journal/segments", "records.db"},
		"the journal":          {"journal"},
		"segments and heads":   {"journal/segments", "journal/HEAD"},
		"everything but heads": {"journal/segments", "journal/records", "journal/catalog", "records.db"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(t.TempDir())
			l := p.Open(t, time.Now)
			log := l.Status().Log
			for i := range records {
				if _, err := l.Append(t.Context(), call(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			for _, path := range lost {
				if err := os.RemoveAll(filepath.Join(string(p), path)); err != nil {
					t.Fatal(err)
				}
			}
			for start := range 3 {
				l = p.Open(t, time.Now)
				if start == 0 && l.Status().Inconsistency != "records 1 to 5 are missing" {
					t.Errorf("the state of the log: %q", l.Status().Inconsistency)
				}
				head, err := l.Append(t.Context(), call(records+start))
				if err != nil || head.Log != log || head.Sequence != uint64(records+start+1) {
					t.Errorf("a new record has the place %+v, %v", head, err)
				}
				v, err := l.Verify(t.Context(), 0, func(auditlog.Inconsistency) error { return nil })
				if err != nil || v.Intact != uint64(start+1) || v.Inconsistent != records {
					t.Errorf("start %d: %d hold, %d do not, %v", start, v.Intact, v.Inconsistent, err)
				}
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
