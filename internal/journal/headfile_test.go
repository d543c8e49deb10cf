package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// folderWith returns a closed journal in a directory, with n entries of each stream: two sealed files of each, and a segment.
func folderWith(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "journal")
	j := openTest(t, Options{Dir: dir})
	for i := range n {
		if i == n/3 || i == 2*n/3 {
			if err := j.Rotate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		add(t, j, Records, fmt.Sprint("record ", i+1))
		add(t, j, Catalog, fmt.Sprint("change ", i+1))
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// removeFiles removes files of a directory by a pattern; first and last are those of them to remove, negative ones from the end.
func removeFiles(dir, pattern string, which func([]string) []string) error {
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(list) == 0 {
		return errors.Join(err, fmt.Errorf("no file %s", pattern))
	}
	slices.Sort(list)
	for _, name := range which(list) {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

func allOf(list []string) []string   { return list }
func firstOf(list []string) []string { return list[:1] }
func lastOf(list []string) []string  { return list[len(list)-1:] }

// missingOf returns the numbers of entries that a stream does not have, by what it reports, and fails t unless all others are as they
// were appended.
func missingOf(t *testing.T, j *Journal, s Stream, kind string) (missing []uint64) {
	t.Helper()
	next := uint64(1)
	err := j.Each(t.Context(), s, 0, func(e *Entry) error {
		if e.Number != next || string(e.Data) != fmt.Sprint(kind, " ", e.Number) {
			t.Errorf("%s %d is %q, want number %d", s, e.Number, e.Data, next)
		}
		next = e.Number + 1
		return nil
	}, func(d Damage) error {
		if d.First != next {
			t.Errorf("%+v, want it to begin at %d", d, next)
		}
		for ; next <= d.Last; next++ {
			missing = append(missing, next)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return missing
}

// numbers returns the numbers first to last.
func numbers(first, last uint64) (list []uint64) {
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list
}

// TestLostFilesAreMissed deletes files of a closed journal: the entries that they had, and no others, are reported, their numbers are
// not given again, and a salvage names them too.
func TestLostFilesAreMissed(t *testing.T) {
	t.Parallel()
	const n = 12
	remove := func(pattern string, which func([]string) []string) func(string) error {
		return func(dir string) error { return removeFiles(dir, pattern, which) }
	}
	both := func(a, b func(string) error) func(string) error {
		return func(dir string) error { return errors.Join(a(dir), b(dir)) }
	}
	for name, c := range map[string]struct {
		harm             func(dir string) error
		records, changes []uint64 // that are missing
	}{
		"nothing":                     {func(string) error { return nil }, nil, nil},
		"the segments":                {remove("segments/*", allOf), numbers(9, 12), numbers(9, 12)},
		"the first file of records":   {remove("records/*", firstOf), numbers(1, 4), nil},
		"the last file of records":    {remove("records/*", lastOf), numbers(5, 8), nil},
		"all files of records":        {remove("records/*", allOf), numbers(1, 8), nil},
		"the first file of changes":   {remove("catalog/*", firstOf), nil, numbers(1, 4)},
		"the last file of changes":    {remove("catalog/*", lastOf), nil, numbers(5, 8)},
		"all files of changes":        {remove("catalog/*", allOf), nil, numbers(1, 8)},
		"segments and first files":    {both(remove("segments/*", allOf), remove("*s/*-*.zst", firstOf)), slices.Concat(numbers(1, 4), numbers(9, 12)), numbers(9, 12)},
		"everything but the head":     {both(remove("segments/*", allOf), both(remove("records/*", allOf), remove("catalog/*", allOf))), numbers(1, 12), numbers(1, 12)},
		"segments and their folder":   {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "segments")) }, numbers(9, 12), numbers(9, 12)},
		"catalog and its folder":      {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "catalog")) }, nil, numbers(1, 8)},
		"a torn write of the head":    {func(dir string) error { return overwrite(filepath.Join(dir, headName), newestSlot(dir), headSlot) }, nil, nil},
		"zeros in the place of heads": {func(dir string) error { return overwrite(filepath.Join(dir, headName), 0, 2*headSlot) }, nil, nil},
		"the head file":               {remove(headName, allOf), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folderWith(t, n)
			before := openTest(t, Options{Dir: dir})
			log := before.Name()
			if err := errors.Join(before.Close(), c.harm(dir)); err != nil {
				t.Fatal(err)
			}
			want := [streamCount][]uint64{Records: c.records, Catalog: c.changes}
			wantNamed(t, dir, want)
			for range 2 { // the second time the new entries are known to a segment
				j := openTest(t, Options{Dir: dir})
				if j.Name() != log {
					t.Errorf("the log is called %s, not %s", j.Name(), log)
				}
				for s, kind := range map[Stream]string{Records: "record", Catalog: "change"} {
					if got := missingOf(t, j, s, kind); !slices.Equal(got, want[s]) {
						t.Errorf("%s: %v are missing, want %v", s, got, want[s])
					}
					next := j.Tip(s).Number + 1
					if add(t, j, s, fmt.Sprint(kind, " ", next)); j.Tip(s).Number != next || next <= n {
						t.Errorf("%s goes on with %d", s, next)
					}
				}
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// newestSlot returns where the newest slot of a head file is.
func newestSlot(dir string) int64 {
	f, err := os.Open(filepath.Join(dir, headName))
	if err != nil {
		return 0
	}
	defer f.Close() // read-only
	h, _ := readHeads(f)
	return int64(h.count%2) * headSlot
}

// wantNamed fails t unless a salvage names the entries that are missing.
func wantNamed(t *testing.T, dir string, want [streamCount][]uint64) {
	t.Helper()
	var got [streamCount][]uint64
	done, err := Salvage(t.Context(), dir, filepath.Join(t.TempDir(), "salvaged"), quiet(), func(l Left) error {
		if l.First > 0 {
			got[l.Stream] = append(got[l.Stream], numbers(l.First, l.Last)...)
		}
		return nil
	})
	if err != nil {
		if len(want[Records]) == 12 { // nothing is there to be salvaged, and it says so
			return
		}
		t.Fatal(err)
	}
	for s := Records; s < streamCount; s++ {
		if !slices.Equal(got[s], want[s]) || done.Entries[s] != 12-len(want[s]) {
			t.Errorf("salvage: %s: %d are written, %v named, want %v", s, done.Entries[s], got[s], want[s])
		}
	}
}

// TestRetiredEntriesAreNotMissed deletes entries by retention, at any place, and opens the journal again.
func TestRetiredEntriesAreNotMissed(t *testing.T) {
	t.Parallel()
	for _, until := range []uint64{1, 4, 6, 8, 11, 12} {
		dir := folderWith(t, 12)
		j := openTest(t, Options{Dir: dir})
		if err := errors.Join(j.Retire(t.Context(), Records, until), j.Retire(t.Context(), Catalog, 5), j.Close()); err != nil {
			t.Fatal(err)
		}
		j = openTest(t, Options{Dir: dir})
		if j.Anchor(Records).Number != until || j.Anchor(Catalog).Number != 5 || j.Tip(Records).Number != 12 {
			t.Errorf("up to %d: anchors %d and %d, end %d", until, j.Anchor(Records).Number, j.Anchor(Catalog).Number, j.Tip(Records).Number)
		}
		for s := Records; s < streamCount; s++ {
			if err := j.Each(t.Context(), s, 0, func(*Entry) error { return nil }, func(d Damage) error { return fmt.Errorf("%+v", d) }); err != nil {
				t.Errorf("up to %d: %v", until, err)
			}
		}
	}
}

// TestHeadOfAnotherLogIsNotTaken replaces a head file by that of another journal.
func TestHeadOfAnotherLogIsNotTaken(t *testing.T) {
	t.Parallel()
	dir, other := folderWith(t, 3), folderWith(t, 9)
	if err := os.Rename(filepath.Join(other, headName), filepath.Join(dir, headName)); err != nil {
		t.Fatal(err)
	}
	j := openTest(t, Options{Dir: dir})
	if missing := missingOf(t, j, Records, "record"); len(missing) > 0 || j.Tip(Records).Number != 3 {
		t.Errorf("%v are missing, the end is %d", missing, j.Tip(Records).Number)
	}
}

// TestHeadsAreOfTheLastCommit reads the head file after each commit, as whoever finds it after a kill does.
func TestHeadsAreOfTheLastCommit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journal")
	j := openTest(t, Options{Dir: dir})
	for n := range uint64(5) {
		add(t, j, Records, "x")
		f, err := os.Open(filepath.Join(dir, headName))
		if err != nil {
			t.Fatal(err)
		}
		h, ok := readHeads(f)
		if f.Close(); !ok || h.log != j.Name() || h.tips[Records] != j.Tip(Records) || h.tips[Records].Number != n+1 {
			t.Errorf("after entry %d: %+v", n+1, h)
		}
	}
}

// TestInterruptedRetirementIsNotMissed stops a retirement after each of its durable steps: an entry that it was to delete is there, or is
// not missed.
func TestInterruptedRetirementIsNotMissed(t *testing.T) {
	t.Parallel()
	for _, until := range []uint64{2, 4, 6} {
		dir := folderWith(t, 12)
		j := openTest(t, Options{Dir: dir})
		stopped := filepath.Join(t.TempDir(), "journal")
		j.disk = &afterWrite{j.disk, func() {
			if err := os.CopyFS(stopped, os.DirFS(dir)); err != nil {
				t.Error(err)
			}
			if err := os.Chmod(stopped, folderMode); err != nil {
				t.Error(err)
			}
		}}
		if err := errors.Join(j.Retire(t.Context(), Records, until), j.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(stopped); err != nil {
			if until == 4 { // whole files are deleted, and none is written
				continue
			}
			t.Fatal(err)
		}
		j = openTest(t, Options{Dir: stopped})
		if err := j.Each(t.Context(), Records, 0, func(*Entry) error { return nil }, func(d Damage) error { return fmt.Errorf("%+v", d) }); err != nil {
			t.Errorf("up to %d: %v", until, err)
		}
	}
}

// afterWrite is a disk that calls back after a file was written.
type afterWrite struct {
	disk
	call func()
}

// Write implements disk.
func (d *afterWrite) Write(name string, write func(io.Writer) error) (int64, error) {
	n, err := d.disk.Write(name, write)
	d.call()
	return n, err
}
