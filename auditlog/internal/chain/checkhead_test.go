package chain

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/auditlog"
)

// threeRecords returns a backend of three records.
func threeRecords(t testing.TB) *memory {
	b := &memory{}
	newFixture(t, b).append(t, 3)
	return b
}

func TestCheckHead(t *testing.T) {
	t.Parallel()
	b := threeRecords(t)
	end := b.end()
	head := func(log string, sequence uint64, hash Hash) *HeadFile {
		return &HeadFile{Recorded: &Head{log, Tip{sequence, hash}}}
	}
	other := Hash{7}
	for name, c := range map[string]struct {
		file       *HeadFile
		end        Tip
		says       string
		goesOn     Tip
		conflict   uint64 // sequence; 0: none
		quarantine bool
	}{
		"none recorded":     {nil, end, "", end, 0, false},
		"same":              {head("log", 3, end.Hash), end, "", end, 0, false},
		"older":             {head("log", 2, b.rows[1].Hash), end, "", end, 0, false},
		"new log":           {&HeadFile{}, Tip{}, "", Tip{}, 0, false},
		"empty log":         {head("log", 0, Hash{}), Tip{}, "", Tip{}, 0, false},
		"from the start":    {head("log", 0, Hash{}), end, "", end, 0, false},
		"deleted row":       {head("log", 2, other), Tip{Sequence: 9}, "", Tip{Sequence: 9}, 0, false},
		"corrupt":           {&HeadFile{Corrupt: true}, end, "cannot be read", end, 0, true},
		"removed":           {&HeadFile{}, end, "no head was kept", end, 0, false},
		"of another log":    {head("other", 3, end.Hash), end, "record 3: the head that was kept outside is of another log: record 3 of log other", end, 3, true},
		"another hash":      {head("log", 3, other), end, "record 3: its hash is not that of the head", end, 3, true},
		"another, in it":    {head("log", 1, other), end, "record 1: its hash", end, 1, true},
		"one is missing":    {head("log", 4, other), end, "record 4 is missing", Tip{4, other}, 0, false},
		"three are missing": {head("log", 6, other), end, "records 4 to 6 are missing", Tip{6, other}, 0, false},
		"all are missing":   {head("log", 2, other), Tip{}, "records 1 to 2 are missing", Tip{2, other}, 0, false},
	} {
		rows := RowReader(b)
		if name == "deleted row" {
			rows = &memory{}
		}
		got, err := checkHead(c.file, "log", c.end, rows)
		if err != nil || !strings.Contains(got.inconsistency, c.says) || (got.inconsistency == "") != (c.says == "") ||
			got.end != c.goesOn || got.quarantine != c.quarantine || (got.conflict != nil) != (c.conflict > 0) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if unproven := name == "corrupt" || name == "removed"; (got.warning != "") != unproven {
			t.Errorf("%s: warning %q", name, got.warning)
		}
		if got.conflict != nil && (got.conflict.Sequence != c.conflict || !strings.Contains(got.inconsistency, got.conflict.Reason)) {
			t.Errorf("%s: conflict %+v", name, got.conflict)
		}
	}
	b.failRead = 1
	_, err := checkHead(head("log", 3, end.Hash), "log", end, b)
	wantErr(t, err, errInjected)
}

// TestNewGoesOnFromRecordedHead opens a log whose end was removed.
func TestNewGoesOnFromRecordedHead(t *testing.T) {
	t.Parallel()
	path, b := filepath.Join(t.TempDir(), "audit.head"), &memory{}
	l := newFixture(t, b, func(o *Options) { o.HeadFile = openHeadFile(t, path) })
	l.append(t, 3)
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b.closed, b.rows = false, b.rows[:1]
	l = newFixture(t, b, func(o *Options) { o.HeadFile = openHeadFile(t, path) })
	if got, err := l.Head(t.Context()); err != nil || got != head || head.Sequence != 3 {
		t.Errorf("head %+v, want %+v, %v", got, head, err)
	}
	if s := l.Status(); s.Inconsistency != "records 2 to 3 are missing" || !strings.Contains(l.logged.String(), "level=ERROR") {
		t.Errorf("%+v, logged %s", s, l.logged)
	}
	l.append(t, 1)
	if b.end().Sequence != 4 || b.rows[1].Previous.String() != head.Hash {
		t.Errorf("goes on with %+v", b.rows[1])
	}
}

// TestConflictIsQuarantinedAndVerified opens a log with the head of another one.
func TestConflictIsQuarantinedAndVerified(t *testing.T) {
	t.Parallel()
	path, content := writeHeads(t, 3)
	l := newFixture(t, threeRecords(t), func(o *Options) { o.HeadFile = openHeadFile(t, path) })
	if copied, err := os.ReadFile(path + ".aside-1"); err != nil || !bytes.Equal(copied, content) {
		t.Errorf("quarantined %q, %v", copied, err)
	}
	if !strings.Contains(l.logged.String(), path+".aside-1") {
		t.Errorf("logged %s", l.logged)
	}
	after, err := os.ReadFile(path)
	if n := strings.Count(string(after), l.b.end().Hash.String()); err != nil || n != 2 {
		t.Errorf("the head is in %d slots, %v", n, err)
	}
	for from, want := range map[uint64]int{0: 1, 3: 1, 4: 0} {
		var found []auditlog.Inconsistency
		_, err := l.Verify(t.Context(), from, func(i auditlog.Inconsistency) error { found = append(found, i); return nil })
		if err != nil || len(found) != want || want > 0 && found[0].Sequence != 3 {
			t.Errorf("from %d: %v, %v", from, found, err)
		}
	}
	_, err = l.Verify(t.Context(), 0, func(auditlog.Inconsistency) error { return errInjected })
	wantErr(t, err, errInjected)
}

func TestNewFailsAndClosesAll(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(b *memory, h *HeadFile, path string){
		"rows cannot be read": func(b *memory, h *HeadFile, _ string) {
			b.failRead, h.Recorded = 1, &Head{"log", b.end()}
		},
		"no quarantine": func(_ *memory, h *HeadFile, path string) { h.Corrupt = true; _ = os.RemoveAll(filepath.Dir(path)) },
	} {
		path, b := filepath.Join(t.TempDir(), "audit.head"), threeRecords(t)
		b.closed = false
		h := openHeadFile(t, path)
		spoil(b, h, path)
		_, err := New(Options{Backend: b, Name: "log", End: b.end(), HeadFile: h, Logger: slog.New(slog.DiscardHandler)})
		if err == nil || !b.closed {
			t.Errorf("%s: %v, backend closed: %v", name, err, b.closed)
		}
		wantErr(t, h.Sync(), fs.ErrClosed)
	}
}

// TestLostHeadsAreLoggedOnce: losing heads stops no append, and is logged when it begins.
func TestLostHeadsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	h := openHeadFile(t, filepath.Join(t.TempDir(), "audit.head"))
	l := newFixture(t, &memory{}, func(o *Options) { o.HeadFile = h })
	file := h.file
	readOnly, err := os.Open(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	for round := range 2 {
		h.file = readOnly
		l.append(t, 3)
		h.file = file
		l.append(t, 1)
		if n := strings.Count(l.logged.String(), "could not be kept outside"); n != round+1 {
			t.Errorf("round %d: logged %d times", round, n)
		}
	}
	if content, _ := h.content(); !bytes.Contains(content, []byte(fmt.Sprintf(" 8 %s", l.b.end().Hash))) {
		t.Errorf("the last head is not in %q", content)
	}
}

func TestHeadThatIsNotDurableIsLogged(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe() // pwrite and fsync fail; a pipe is no file that could
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	var logged bytes.Buffer
	rec := headRecorder{file: &HeadFile{file: w}, log: "log", logger: slog.New(slog.NewTextHandler(&logged, nil))}
	if err := rec.prepare(headCheck{}); err != nil || strings.Count(logged.String(), "level=WARN") != 1 {
		t.Errorf("%v, logged %s", err, &logged)
	}
}
