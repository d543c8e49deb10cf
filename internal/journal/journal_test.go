package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quiet is a logger for failures that a test wants.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// openTest opens a journal until the test ends.
func openTest(t testing.TB, o Options) *Journal {
	t.Helper()
	if o.Logger == nil {
		o.Logger = quiet()
	}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() }) // it may be closed already
	return j
}

// add appends entries of a stream with some data, each for itself.
func add(t testing.TB, j *Journal, s Stream, data ...string) {
	t.Helper()
	for _, d := range data {
		if err := j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(s, []byte(d))}}); err != nil {
			t.Fatal(err)
		}
	}
}

// wantStream fails t unless a stream has entries with that data, from a number on, whose chain holds.
func wantStream(t testing.TB, j *Journal, s Stream, first uint64, want ...string) {
	t.Helper()
	var got []string
	previous := j.Anchor(s)
	err := j.Each(t.Context(), s, 0, func(e *Entry) error {
		if e.Previous != previous.Hash || e.Number != previous.Number+1 {
			t.Errorf("%s %d does not follow %d", s, e.Number, previous.Number)
		}
		previous = e.tip()
		got = append(got, string(e.Data))
		again, err := j.Get(s, e.Number)
		if err != nil || !bytes.Equal(again.Data, e.Data) || again.Hash != e.Hash || again.Previous != e.Previous || again.At != e.At {
			t.Errorf("%s %d is read as %+v, %v", s, e.Number, again, err)
		}
		return nil
	}, func(d Damage) error { return fmt.Errorf("damage: %+v", d) })
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) || previous != j.Tip(s) || j.Anchor(s).Number != first-1 {
		t.Fatalf("%s: %d entries after %d up to %d, want %d after %d", s, len(got), j.Anchor(s).Number, j.Tip(s).Number, len(want), first-1)
	}
}

// texts returns n texts of some size.
func texts(n, size int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%0*d", size, i))
	}
	return list
}

// What was appended is read, in the segments and when it is sealed, and when the journal is opened again.
func TestEntriesStay(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		o := Options{Dir: dir, SegmentSize: 64 << 10}
		j := openTest(t, o)
		records, changes := texts(700, 300), texts(90, 2000)
		for i, r := range records {
			add(t, j, Records, r)
			if i < len(changes) {
				group := []*Entry{NewEntry(Temporary, []byte("for a while")), NewEntry(Catalog, []byte(changes[i]))}
				if err := j.Append(t.Context(), Append{Entries: group}); err != nil {
					t.Fatal(err)
				}
			}
		}
		wantStream(t, j, Records, 1, records...)
		wantStream(t, j, Catalog, 1, changes...)
		if err := j.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantStream(t, j, Records, 1, records...)
		add(t, j, Records, "one more")
		records = append(records, "one more")
		if dir == "" {
			continue
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		j = openTest(t, o)
		wantStream(t, j, Records, 1, records...)
		wantStream(t, j, Catalog, 1, changes...)
		if _, err := Open(Options{Dir: dir, Logger: quiet()}); !errors.Is(err, ErrLocked) {
			t.Errorf("a second one: %v", err)
		}
		if size := j.Status().Bytes; size > 4*64<<10+64<<10 {
			t.Errorf("it takes %d bytes", size)
		}
	}
}

// A child that was forked while the journal was open, and has not executed its program yet, does not keep it locked.
func TestForkedChildHasNoLock(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journal")
	j := openTest(t, Options{Dir: dir})
	copied, err := unix.Dup(int(j.disk.(*folderDisk).folder.Fd())) // as the child has it
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(copied)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	openTest(t, Options{Dir: dir})
}

// Callers who append together get consecutive numbers, and their groups are not mixed.
func TestManyAppend(t *testing.T) {
	t.Parallel()
	commits := 0
	j := openTest(t, Options{Dir: t.TempDir(), SegmentSize: 256 << 10, OnCommit: func(int, time.Duration, time.Duration) { commits++ }})
	var followed []uint64
	j.Follow(Records, func(list []*Entry) {
		for _, e := range list {
			followed = append(followed, e.Number)
		}
	})
	const callers, each = 32, 40
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := range each {
				group := []*Entry{NewEntry(Records, fmt.Appendf(nil, "%d %d a", c, i)), NewEntry(Records, fmt.Appendf(nil, "%d %d b", c, i))}
				if err := j.Append(context.Background(), Append{Entries: group}); err != nil {
					t.Error(err)
				}
				if group[1].Number != group[0].Number+1 || group[1].Previous != group[0].Hash {
					t.Errorf("%d follows %d", group[1].Number, group[0].Number)
				}
			}
		})
	}
	all.Wait()
	if n := j.Tip(Records).Number; n != 2*callers*each || len(followed) != int(n) || !slices.IsSorted(followed) {
		t.Errorf("%d entries, %d followed", n, len(followed))
	}
	if commits >= callers*each {
		t.Errorf("%d commits of %d appends", commits, callers*each)
	}
}

// Retention deletes the entries up to the number that it is given, with its bytes, and nothing else.
func TestRetire(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Dir: filepath.Join(dir, "journal"), SegmentSize: 32 << 10, Volatile: true}
		j := openTest(t, o)
		var want []string
		first := uint64(1)
		for step := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			for i := range rapid.IntRange(0, 40).Draw(rt, "entries") {
				want = append(want, fmt.Sprintf("secret-%d-%d-%d", step, i, rand.Uint64()))
				add(t, j, Records, want[len(want)-1])
			}
			add(t, j, Catalog, "a change")
			switch rapid.IntRange(0, 3).Draw(rt, "then") {
			case 0:
				n := rapid.IntRange(0, len(want)).Draw(rt, "retire")
				gone := want[:n]
				if err := j.Retire(t.Context(), Records, first-1+uint64(n)); err != nil {
					t.Fatal(err)
				}
				first, want = first+uint64(n), want[n:]
				if n > 0 {
					if _, err := j.Get(Records, first-1); !errors.Is(err, ErrRetired) {
						t.Errorf("what was deleted: %v", err)
					}
					wantAbsent(t, o.Dir, gone)
				}
			case 1:
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
				j = openTest(t, o)
			case 2:
				if err := j.Rotate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			wantStream(t, j, Records, first, want...)
		}
		j.Close()
	})
}

// wantAbsent fails t if a text is in a file below a directory.
func wantAbsent(t testing.TB, dir string, list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) { // it was the spare segment, and is used
			return nil
		} else if err != nil {
			return err
		}
		if filepath.Ext(path) == sealedSuffix {
			content = unsealed(content)
		}
		for _, text := range list {
			if bytes.Contains(content, []byte(text)) {
				t.Errorf("%s has %s", path, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unsealed returns the dictionary and the entries of a sealed file that is whole.
func unsealed(content []byte) (all []byte) {
	r := bytes.NewReader(content)
	x, ok := readTable(r, r.Size())
	if !ok {
		return nil
	}
	all = x.dictionary(r)
	for i := range x.blocks {
		b := &x.blocks[i]
		entries, _ := x.decode(r, content[b.offset+markBytes:][:b.length])
		all = append(all, entries...)
	}
	return all
}
