package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/sqlite"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// moment is the content of the files of a log at one time.
type moment struct{ database, wal, head []byte }

// TestTornLogKeepsWholeRecords opens what a crash may leave: the write-ahead log of SQLite ends at any byte, or has garbage
// from there on. Every complete record is there, the chain is intact, no sequence is assigned twice, and if the recorded
// head is younger, the log says which records are missing.
//
// It takes the ends of all pages and some bytes in between; with TOOLRESULT_FAULTS_STEPS every byte.
func TestTornLogKeepsWholeRecords(t *testing.T) {
	t.Parallel()
	records, moments := logInMoments(t, 2)
	whole := moments[len(moments)-1]
	step := 4099
	if os.Getenv("TOOLRESULT_FAULTS_STEPS") != "" {
		step = 1
	}
	cuts := map[int]bool{len(whole.wal): true}
	for at := 0; at < len(whole.wal); at += step {
		cuts[at] = true
	}
	for end := 32; end <= len(whole.wal); end += 8192 + 24 { // its header, and then pages with theirs
		cuts[end-1], cuts[end], cuts[min(end+1, len(whole.wal))] = true, true, true
	}
	root := t.TempDir()
	for at := range cuts {
		complete := 0
		for complete+1 < len(moments) && len(moments[complete+1].wal) <= at {
			complete++
		}
		for what, tail := range map[string][]byte{"cut": nil, "overwritten": garbage(whole.wal[at:])} {
			dir := filepath.Join(root, fmt.Sprint(at, what))
			if what == "overwritten" && at%2 == 1 && step > 1 {
				continue
			}
			torn := moment{whole.database, append(whole.wal[:at:at], tail...), moments[complete].head}
			wantTorn(t, dir, torn, records[:complete], "")
			if complete < len(records) && at%7 == 0 {
				torn.head = whole.head
				wantTorn(t, dir, torn, records[:complete], "missing")
			}
			if t.Failed() {
				t.Fatalf("%s at byte %d of %d", what, at, len(whole.wal))
			}
		}
	}
}

// garbage returns bytes that all differ from those that were written.
func garbage(written []byte) []byte {
	b := make([]byte, len(written))
	for i := range b {
		b[i] = ^written[i]
	}
	return b
}

// logInMoments appends records, and returns the content of the files before the first and after each.
func logInMoments(t *testing.T, n int) (records []*pb.AuditRecord, moments []moment) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l, err := sqlite.Open(sqlite.Options{Path: path, Volatile: true, Reserve: -1, Logger: quiet()})
	must(t, err)
	defer func() { must(t, l.Close()) }()
	for i := range n + 1 {
		var m moment
		for name, to := range map[string]*[]byte{path: &m.database, path + "-wal": &m.wal, filepath.Join(filepath.Dir(path), "audit.head"): &m.head} {
			*to, err = os.ReadFile(name)
			must(t, err)
		}
		moments = append(moments, m)
		if i < n {
			r := audittest.Projection("s", fmt.Sprint(i), fmt.Sprint("r", i), 600+i*8000)
			_, err := l.Append(context.Background(), r)
			must(t, err)
			records = append(records, r)
		}
	}
	return records, moments
}

// wantTorn opens what a crash left; twice if records are missing, because the gap must stay visible.
func wantTorn(t *testing.T, dir string, m moment, records []*pb.AuditRecord, inconsistency string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "audit.db")
	for name, content := range map[string][]byte{path: m.database, path + "-wal": m.wal, filepath.Join(dir, "audit.head"): m.head} {
		must(t, os.WriteFile(name, content, 0o600))
	}
	next := uint64(len(records)) + 1
	for again := range uint64(1 + len(inconsistency)/len("missing")) {
		l, err := sqlite.Open(sqlite.Options{Path: path, Volatile: true, Reserve: -1, Logger: quiet()})
		must(t, err)
		if reported := l.Status().Inconsistency; (reported != "") != (inconsistency != "" && again == 0) {
			t.Errorf("the log reports %q", reported)
		}
		v, broken := audittest.Verify(t, l)
		if inconsistency == "" && (len(broken) > 0 || v.Intact != uint64(len(records))+again) || inconsistency != "" && (len(broken) != 1 || broken[0].Sequence != next) {
			t.Errorf("%d records: %+v, %v", len(records), v, broken)
		}
		for _, r := range records {
			got, err := l.Get(context.Background(), r.GetSequence())
			must(t, err)
			if diff := cmp.Diff(r, got, protocmp.Transform()); diff != "" {
				t.Error(diff)
			}
		}
		h, err := l.Append(context.Background(), audittest.Rejection("x"))
		must(t, err)
		if inconsistency == "" && h.Sequence != next+again || inconsistency != "" && h.Sequence <= next {
			t.Errorf("the next record is %d, after %d", h.Sequence, len(records))
		}
		must(t, l.Close())
	}
}
