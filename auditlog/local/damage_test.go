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
