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

// moment is how the files of a log were when so many records were durable.
type moment struct{ database, wal, head []byte }

// TestTornLog is what a crash may leave: the log of writes ends at any byte, or has something else from there on. Every
// record that was complete is there, the chain holds, no sequence is given twice, and if the head that was kept outside
// knows of more, the log says which records are missing.
//
// It takes the ends of all pages and some bytes in between; with TOOLRESULT_FAULTS_STEPS every byte.
func TestTornLog(t *testing.T) {
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

// garbage is anything but what was written.
func garbage(written []byte) []byte {
	b := make([]byte, len(written))
	for i := range b {
		b[i] = ^written[i]
	}
	return b
}

// logInMoments appends records and returns how the files were before the first and after each.
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

// wantTorn opens what a crash left; twice, if that is to be noticed, as it stays to be seen.
func wantTorn(t *testing.T, dir string, m moment, records []*pb.AuditRecord, doubt string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "audit.db")
	for name, content := range map[string][]byte{path: m.database, path + "-wal": m.wal, filepath.Join(dir, "audit.head"): m.head} {
		must(t, os.WriteFile(name, content, 0o600))
	}
	next := uint64(len(records)) + 1
	for again := range uint64(1 + len(doubt)/len("missing")) {
		l, err := sqlite.Open(sqlite.Options{Path: path, Volatile: true, Reserve: -1, Logger: quiet()})
		must(t, err)
		if said := l.Status().Inconsistency; (said != "") != (doubt != "" && again == 0) {
			t.Errorf("the log reports %q", said)
		}
		v, broken := audittest.Verify(t, l)
		if doubt == "" && (len(broken) > 0 || v.Intact != uint64(len(records))+again) || doubt != "" && (len(broken) != 1 || broken[0].Sequence != next) {
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
		if doubt == "" && h.Sequence != next+again || doubt != "" && h.Sequence <= next {
			t.Errorf("the next record is %d, after %d", h.Sequence, len(records))
		}
		must(t, l.Close())
	}
}
