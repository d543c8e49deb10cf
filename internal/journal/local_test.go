package journal

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// output returns text as a tool prints it, which is compressed to a fifth, three times as a record has it.
func output(random *rand.Rand, size int) string {
	words := []string{"access", "broker", "cache", "driver", "engine", "filter", "gateway", "handler", "invoice", "journal", "ledger", "metric", "order", "parser", "queue"}
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%s/%s_%s.go:%d: %s of %s took %d ms\n", words[random.IntN(15)], words[random.IntN(15)], words[random.IntN(15)], random.IntN(900),
			words[random.IntN(15)], words[random.IntN(15)], random.IntN(1000))
	}
	return strings.Repeat(b.String(), 3)
}

// recorded returns a disk with a sealed file of each stream that has a dictionary, and with entries in a segment.
func recorded(t testing.TB) (d *simDisk, all [streamCount][]string) {
	t.Helper()
	d = newSimDisk()
	random := rand.New(rand.NewPCG(1, 2))
	j, err := Open(Options{disk: d, SegmentSize: 1 << 20, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 480 {
		s := Records
		text := output(random, 200+random.IntN(2500))
		if i%4 == 0 {
			s, text = Catalog, output(random, 60)
		}
		if i == 400 {
			if err := j.Rotate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		all[s] = append(all[s], text)
		add(t, j, s, text)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return d, all
}

// spans returns where the entries of a file are, by stream and number: from, and the offset behind.
func spans(t testing.TB, name string, content []byte) map[[2]uint64][2]int {
	t.Helper()
	all := map[[2]uint64][2]int{}
	f := &memoryFile{content: content}
	if strings.HasSuffix(name, segmentSuffix) {
		g := &segment{file: f, size: int64(len(content)), end: firstFrame}
		var err error
		if g.head, g.used, err = readHead(f, g.size); err != nil || !g.used {
			return all
		}
		found, _, err := scanFrames(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found {
			all[[2]uint64{uint64(h.stream), h.number}] = [2]int{int(h.offset), int(h.end())}
		}
		return all
	}
	s := Records
	if strings.HasPrefix(name, Catalog.String()) {
		s = Catalog
	}
	x, ok := readTable(f, int64(len(content)))
	if !ok {
		t.Fatalf("%s has no table", name)
	}
	for _, b := range x.blocks {
		for n := b.first; n <= b.last(); n++ {
			all[[2]uint64{uint64(s), n}] = [2]int{int(b.offset), int(b.end())}
		}
	}
	return all
}

// Each page of each file damaged once costs the entries that have bytes on it, and no other. Every other entry is read as it was
// appended, in order and by its number, and what is lost is named.
func TestDamageIsLocal(t *testing.T) {
	t.Parallel()
	whole, all := recorded(t)
	dictionaries, step := 0, pageSize
	if testing.Short() {
		step *= 3
	}
	for _, name := range slices.Sorted(maps.Keys(whole.files)) {
		content := whole.files[name].content
		where := spans(t, name, content)
		dictionaries += bytes.Count(content, skip(nil, dictionaryFrame, 0)[:4])
		most := 0
		for at := 0; at < len(content); at += step {
			d := copyDisk(whole)
			for i := range d.files[name].content[at:min(at+pageSize, len(content))] {
				d.files[name].content[at+i] ^= 0x55
			}
			lost := lostEntries(t, fmt.Sprintf("%s at %d", name, at), d, all)
			for key := range lost {
				if w, ok := where[key]; !ok || w[0] >= at+pageSize || w[1] <= at {
					t.Errorf("%s at %d: %s %d is lost, which is at %v", name, at, Stream(key[0]), key[1], w)
				}
			}
			most = max(most, len(lost))
		}
		t.Logf("%s: %d bytes, %d entries; a page costs at most %d", name, len(content), len(where), most)
	}
	if dictionaries < 2 {
		t.Errorf("%d dictionaries", dictionaries)
	}
}

// lostEntries returns the entries that are not read from a disk as they were appended. It fails t if one is read otherwise, is not
// named, or is read in order but not by its number.
func lostEntries(t testing.TB, what string, d *simDisk, all [streamCount][]string) map[[2]uint64]bool {
	t.Helper()
	j, err := Open(Options{disk: d, SegmentSize: 1 << 20, Logger: quiet()})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer j.Close() // its files are thrown away
	lost := map[[2]uint64]bool{}
	for s := Records; s < streamCount; s++ {
		next := uint64(1)
		err := j.Each(t.Context(), s, 0, func(e *Entry) error {
			if e.Number != next || string(e.Data) != all[s][e.Number-1] {
				return fmt.Errorf("%d is not what was appended as %d", e.Number, next)
			}
			next++
			return nil
		}, func(d Damage) error {
			if d.First != next {
				return fmt.Errorf("%+v, want it to begin at %d", d, next)
			}
			for ; next <= d.Last; next++ {
				lost[[2]uint64{uint64(s), next}] = true
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %s: %v", what, s, err)
		}
		for ; next <= uint64(len(all[s])); next++ { // behind the end
			lost[[2]uint64{uint64(s), next}] = true
		}
		for n := uint64(1); n <= uint64(len(all[s])); n += 17 {
			if _, err := j.Get(s, n); (err != nil) != lost[[2]uint64{uint64(s), n}] {
				t.Errorf("%s: %s %d: %v", what, s, n, err)
			}
		}
	}
	return lost
}
