package chain

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
)

// TestEveryReadErrorIsReturned fails the first, the second, the third call of the backend and so on, until an operation
// succeeds: each of its calls is checked.
func TestEveryReadErrorIsReturned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		do    func(l *fixture) error
		calls int // at least
	}{
		"Get":         {func(l *fixture) error { _, err := l.Get(ctx, 3); return err }, 1},
		"Find":        {func(l *fixture) error { _, err := l.Find(ctx, "s", "r"); return err }, 1},
		"List":        {func(l *fixture) error { _, _, err := l.List(ctx, auditlog.Query{}); return err }, 1},
		"Retain":      {func(l *fixture) error { _, err := l.Retain(ctx, time.UnixMilli(1e12+3)); return err }, 4},
		"Verify":      {func(l *fixture) error { _, err := l.Verify(ctx, 0, report(nil)); return err }, 5},
		"Verify 4":    {func(l *fixture) error { _, err := l.Verify(ctx, 4, report(nil)); return err }, 4},
		"Verify, gap": {func(l *fixture) error { l.b.rows = l.b.rows[:3]; _, err := l.Verify(ctx, 0, report(nil)); return err }, 6},
		"Verify, foreign": {func(l *fixture) error {
			foreign := stored(l.b.rows[0])
			foreign.Sequence = 99
			l.b.rows = append(l.b.rows, foreign)
			_, err := l.Verify(ctx, 0, report(nil))
			return err
		}, 6},
	} {
		for n := 1; ; n++ {
			l := newFixture(t, &memory{})
			l.append(t, 2)
			if _, err := l.Retain(ctx, time.UnixMilli(1e12+2)); err != nil {
				t.Fatal(err)
			}
			l.append(t, 2)
			l.b.failRead = n
			err := c.do(l)
			if err == nil {
				if n <= c.calls {
					t.Errorf("%s: error %d of %d is dropped", name, n, c.calls)
				}
				break
			}
			wantErr(t, err, errInjected)
		}
	}
}

// report returns a visit that appends to a list, which may be nil.
func report(list *[]auditlog.Inconsistency) func(auditlog.Inconsistency) error {
	return func(i auditlog.Inconsistency) error {
		if list != nil {
			*list = append(*list, i)
		}
		return nil
	}
}

func TestGetSaysWhyARecordIsMissing(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	l.append(t, 3)
	if _, err := l.Retain(t.Context(), time.UnixMilli(1e12+2)); err != nil { // the first
		t.Fatal(err)
	}
	l.b.rows = append(l.b.rows[:0], l.b.rows[1:]...) // the second
	for sequence, want := range map[uint64]error{0: auditlog.ErrUnknown, 1: auditlog.ErrUnknown, 2: auditlog.ErrBroken, 5: auditlog.ErrUnknown} {
		_, err := l.Get(t.Context(), sequence)
		wantErr(t, err, want)
	}
	end := l.b.rows[len(l.b.rows)-1].Sequence
	l.b.rows = l.b.rows[:len(l.b.rows)-1] // the last
	_, err := l.Get(t.Context(), end)
	wantErr(t, err, auditlog.ErrBroken)
	_, err = l.Get(t.Context(), 2)
	if !strings.Contains(err.Error(), "record 2 is missing") {
		t.Error(err)
	}
	l.b.failRead = 2 // the anchor
	_, err = l.Get(t.Context(), 2)
	wantErr(t, err, errInjected)
}

func TestAlteredRecordIsNotRead(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	for _, id := range []string{"a", "b"} {
		if _, err := l.Append(t.Context(), audittest.Projection("s", "c", id, 100)); err != nil {
			t.Fatal(err)
		}
	}
	l.b.rows[1].Receipt.String += "?"
	_, err := l.Get(t.Context(), 2)
	wantErr(t, err, auditlog.ErrBroken)
	found, err := l.Find(t.Context(), "s", "b")
	wantErr(t, err, auditlog.ErrBroken)
	if found != nil {
		t.Errorf("found %v", found)
	}
	if found, err := l.Find(t.Context(), "s", "a"); len(found) != 1 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

func TestFindOfNoRequestAsksNothing(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{failRead: 1})
	if found, err := l.Find(t.Context(), "s", ""); found != nil || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// TestListLimits: the backend is asked for one row more than the page has, which shows whether there is a next page.
func TestListLimits(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	l.append(t, 3)
	var asked int
	var query auditlog.Query
	l.b.onOutline = func(q auditlog.Query, limit int) { query, asked = q, limit }
	for limit, want := range map[int]int{0: defaultPage + 1, -1: defaultPage + 1, 7: 8, auditlog.MaxPage: auditlog.MaxPage + 1, auditlog.MaxPage + 1: auditlog.MaxPage + 1} {
		if list, next, err := l.List(t.Context(), auditlog.Query{Limit: limit}); len(list) != 3 || next != 0 || err != nil || asked != want {
			t.Errorf("limit %d: %d listed, next %d, %d asked, %v", limit, len(list), next, asked, err)
		}
	}
	if list, next, err := l.List(t.Context(), auditlog.Query{Limit: 2}); len(list) != 2 || next != 2 || err != nil {
		t.Errorf("%d listed, next %d, %v", len(list), next, err)
	}
	q := auditlog.Query{Session: "a\x00", Call: "b\x00", RequestID: "c\x00", Tool: "d\x00", Artifact: "e\x00"}
	if _, _, err := l.List(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{query.Session, query.Call, query.RequestID, query.Tool, query.Artifact} {
		if !strings.HasSuffix(text, "\uFFFD") {
			t.Errorf("the backend is asked for %q", text)
		}
	}
}

func TestUnreadableRecordIsOmittedFromListsAndLogged(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	l.append(t, 3)
	l.b.rows[1].Facts = []byte("\xff\xff")
	list, _, err := l.List(t.Context(), auditlog.Query{})
	if len(list) != 2 || list[0].GetSequence() != 3 || list[1].GetSequence() != 1 || err != nil || !strings.Contains(l.logged.String(), "sequence=2") {
		t.Errorf("%v, %v, logged %s", list, err, l.logged)
	}
}
