package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// inFolder writes the files of a disk into a directory, and returns it.
func inFolder(t testing.TB, d *simDisk) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "journal")
	for name, f := range d.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.content, writeMode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// salvaged salvages a journal in a directory, and returns what was left and the new one, open.
func salvaged(t testing.TB, dir string) (all []Left, done Salvaged, j *Journal) {
	t.Helper()
	before := contents(t, dir)
	to := filepath.Join(t.TempDir(), "new")
	done, err := Salvage(t.Context(), dir, to, quiet(), func(l Left) error { all = append(all, l); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if after := contents(t, dir); after != before {
		t.Error("the damaged journal was changed")
	}
	return all, done, openTest(t, Options{Dir: to})
}

// contents returns the names and the content of all files below a directory.
func contents(t testing.TB, dir string) (text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		text += path + "\x00" + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// wantSalvaged fails t if a salvaged journal has not every entry but those that were left, with the hashes that they had.
func wantSalvaged(t testing.TB, j *Journal, hashes [streamCount][]Hash, left []Left) {
	t.Helper()
	for s := Records; s < streamCount; s++ {
		gone := map[uint64]bool{}
		for _, l := range left {
			for n := l.First; l.Stream == s && n <= l.Last && n > 0; n++ {
				if gone[n] {
					t.Errorf("%s %d is named twice", s, n)
				}
				gone[n] = true
			}
		}
		for i, want := range hashes[s] {
			n := uint64(i + 1)
			e, err := j.Get(s, n)
			if (err != nil) != gone[n] || err == nil && e.Hash != want {
				t.Errorf("%s %d: %v; named as left: %v", s, n, err, gone[n])
			}
		}
		if tip := j.Tip(s).Number; tip != uint64(len(hashes[s])) {
			t.Errorf("%s ends at %d, want %d", s, tip, len(hashes[s]))
		}
	}
}

// hashesOf returns the hashes of a journal's entries.
func hashesOf(t testing.TB, d *simDisk) (all [streamCount][]Hash) {
	t.Helper()
	j := openTest(t, Options{disk: copyDisk(d), SegmentSize: 1 << 20})
	for s := Records; s < streamCount; s++ {
		if err := j.Each(t.Context(), s, 1, func(e *Entry) error { all[s] = append(all[s], e.Hash); return nil }, nil); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestSalvage(t *testing.T) {
	t.Parallel()
	whole, _ := recorded(t)
	hashes := hashesOf(t, whole)
	var sealed, segment string
	for name := range whole.files {
		if ok, _ := filepath.Match("records/*1-*.zst", name); ok {
			sealed = name
		}
		if ok, _ := filepath.Match("segments/0*.segment", name); ok {
			segment = name
		}
	}
	size := int64(len(whole.files[sealed].content))
	for name, c := range map[string]struct {
		harm  func(dir string) error
		least int // entries that are lost
		most  int
		named bool // a file is named
		ends  bool // the first and the last entry are known
	}{
		"nothing":        {func(string) error { return nil }, 0, 0, false, true},
		"a page":         {func(dir string) error { return overwrite(filepath.Join(dir, sealed), 40<<10, pageSize) }, 1, 60, true, true},
		"its first page": {func(dir string) error { return overwrite(filepath.Join(dir, sealed), 0, pageSize) }, 0, 5, true, true},
		"its table":      {func(dir string) error { return os.Truncate(filepath.Join(dir, sealed), size-100) }, 0, 0, false, true},
		"both": {func(dir string) error {
			return errors.Join(overwrite(filepath.Join(dir, sealed), 0, pageSize), overwrite(filepath.Join(dir, sealed), size-100, 100))
		}, 200, 230, true, true},
		"the first sealed file": {func(dir string) error { return os.Remove(filepath.Join(dir, sealed)) }, 0, 0, false, false},
		"the last segment":      {func(dir string) error { return os.Remove(filepath.Join(dir, segment)) }, 0, 0, false, false},
		"pages of the segment":  {func(dir string) error { return overwrite(filepath.Join(dir, segment), 32<<10, 3*pageSize) }, 1, 30, true, true},
		"both heads of the segment": {func(dir string) error {
			return errors.Join(overwrite(filepath.Join(dir, segment), 0, pageSize), overwrite(filepath.Join(dir, segment), 1<<20-pageSize, pageSize))
		}, 0, 0, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := inFolder(t, whole)
			if err := c.harm(dir); err != nil {
				t.Fatal(err)
			}
			left, done, j := salvaged(t, dir)
			lost, files := 0, 0
			for _, l := range left {
				if l.First > 0 {
					lost += int(l.Last - l.First + 1)
				}
				if l.File != "" {
					files++
				}
			}
			if lost < c.least || lost > c.most || (files > 0) != c.named {
				t.Errorf("%d entries are lost, %d files named: %+v", lost, files, left)
			}
			if c.ends { // otherwise nothing says how many there were
				wantSalvaged(t, j, hashes, left)
			}
			if n := done.Entries[Records] + done.Entries[Catalog]; n < 250 {
				t.Errorf("%d entries are written", n)
			}
			tip := j.Tip(Records)
			add(t, j, Records, "after it")
			if e, err := j.Get(Records, tip.Number+1); err != nil || e.Previous != tip.Hash {
				t.Errorf("it does not go on after %d: %v", tip.Number, err)
			}
		})
	}
}

// overwrite overwrites a part of a file with noise.
func overwrite(path string, at int64, n int) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	noise := make([]byte, n)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	_, err = f.WriteAt(noise, at)
	return errors.Join(err, f.Close())
}

// A torn tail is cut at the last whole append, and named; numbers go on after what was whole.
func TestSalvageTornTail(t *testing.T) {
	t.Parallel()
	d := newSimDisk()
	j, err := Open(Options{disk: d, SegmentSize: 1 << 20, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, Records, "one", "two")
	end := j.active().end
	add(t, j, Records, "three")
	hashes := [streamCount][]Hash{Records: {}}
	for n := uint64(1); n <= 2; n++ {
		e, err := j.Get(Records, n)
		if err != nil {
			t.Fatal(err)
		}
		hashes[Records] = append(hashes[Records], e.Hash)
	}
	torn := copyDisk(d)
	torn.files[segmentName(1)].content[end+headerSize+2] ^= 1
	j.Close() // at the end
	left, _, to := salvaged(t, inFolder(t, torn))
	if len(left) != 1 || left[0].File != segmentName(1) {
		t.Errorf("%+v, want the torn end of the segment", left)
	}
	wantSalvaged(t, to, hashes, nil)
}

// A missing file in the middle is named by the numbers of its entries, and everything else is written.
func TestSalvageMissingFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journal")
	o := Options{Dir: dir, SegmentSize: 64 << 10}
	j := openTest(t, o)
	for i := range 9 {
		add(t, j, Records, fmt.Sprint("record ", i+1))
		if i%3 == 2 && i < 8 {
			if err := j.Rotate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := Salvage(t.Context(), dir, filepath.Join(t.TempDir(), "new"), quiet(), nil); !errors.Is(err, ErrLocked) {
		t.Errorf("of an open journal: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Salvage(t.Context(), dir, dir, quiet(), nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("into itself: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, sealedName(Records, 4, 6))); err != nil {
		t.Fatal(err)
	}
	left, done, to := salvaged(t, dir)
	want := []Left{{Stream: Records, First: 4, Last: 6, Reason: reasonMissing}}
	if !slices.Equal(left, want) || done.Entries[Records] != 6 {
		t.Errorf("%+v, %+v", left, done)
	}
	if e, err := to.Get(Records, 9); err != nil || string(e.Data) != "record 9" {
		t.Errorf("record 9: %v", err)
	}
}
