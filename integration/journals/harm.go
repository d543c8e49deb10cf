package main

// What is done to the files of a log, and what it says then.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	page   = 4 << 10
	sector = 512
)

// files reads all files below a directory.
func files(dir string) (map[string][]byte, error) {
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, "-shm") { // which a power cut takes
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path) // it is below dir
		all[name] = content
		return err
	})
	return all, err
}

// write writes files to a directory, in the place of what it has.
func write(dir string, all map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, content := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	for _, folder := range []string{"segments", "records", "catalog"} { // those of own frames that are empty
		if _, ok := all["segments/0000000001.segment"]; ok {
			_ = os.MkdirAll(filepath.Join(dir, folder), 0o700)
		}
	}
	return nil
}

// diskBytes returns the space that a directory takes, in bytes.
func diskBytes(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += blocks(info)
		}
		return err
	})
	return n, err
}

// lost returns how many of the records 1 to n were not read.
func (r *checked) lost(n int) int {
	i, _ := slices.BinarySearch(r.Seeds, uint64(n)+1)
	return n - i
}

// torn is what a log says after power cuts in the middle of its last write.
type torn struct{ Cuts, Unopened, Lost, Wrong int }

const (
	tailBefore = 503 // so that the next one has a small artifact
	tailLast   = 1
	tailCuts   = 30
)

// tearTails lets a candidate append a record with a small artifact, and undoes a random part of the sectors that this changed.
func tearTails(c candidate, dir string) (t torn, err error) {
	before, after, err := lastWrite(c, dir)
	if err != nil {
		return t, err
	}
	for seed := range uint64(tailCuts) {
		r := rand.New(rand.NewPCG(seed, 1))
		if err := write(dir, tear(c, before, after, r)); err != nil {
			return t, err
		}
		t.Cuts++
		var got checked
		if err := do(&got, "check", c, dir, tailBefore+tailLast, 0); err != nil || got.OpenError != "" {
			explain(c, "torn", "", err, got)
			t.Unopened++
			continue
		}
		t.Lost += got.lost(tailBefore)
		t.Wrong += got.Wrong
	}
	return t, nil
}

// lastWrite returns the files before and after the last write.
func lastWrite(c candidate, dir string) (before, after map[string][]byte, err error) {
	cmd, err := child("tail", c, dir, tailBefore)
	if err != nil {
		return nil, nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	defer func() {
		_ = cmd.Process.Kill() // it waits for that
		_ = cmd.Wait()
	}()
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		return nil, nil, fmt.Errorf("tail %s: %w", c.name, err)
	}
	if before, err = files(dir); err != nil {
		return nil, nil, err
	}
	fmt.Fprintln(in)
	if _, err := lines.ReadString('\n'); err != nil {
		return nil, nil, fmt.Errorf("tail %s: %w", c.name, err)
	}
	after, err = files(dir)
	return before, after, err
}

// tear returns the files after, in which sectors are as before at random. bbolt syncs its data before it writes one of its first two
// pages: a cut hits either.
func tear(c candidate, before, after map[string][]byte, r *rand.Rand) map[string][]byte {
	all := map[string][]byte{}
	twice, first := c.name == "bbolt", r.IntN(2) == 0
	for name, content := range after {
		cut := bytes.Clone(content)
		for from := 0; from < len(cut); from += sector {
			until := min(from+sector, len(cut))
			old := make([]byte, until-from)
			if b := before[name]; from < len(b) {
				copy(old, b[from:min(until, len(b))])
			}
			if bytes.Equal(old, cut[from:until]) {
				continue
			}
			undo := r.IntN(2) == 0
			if twice {
				meta := from < 2*page
				undo = first && meta || undo && first != meta
			}
			if undo {
				copy(cut[from:until], old)
			}
		}
		all[name] = cut
	}
	return all
}

// damage is what damaged pages cost: each trial damages one page of all that are not empty.
type damage struct {
	Trials, Unopened, Wrong int
	Lost                    []int // records, of the trials in which the log was opened, ascending
}

const (
	damageRecords = 3000
	damageTrials  = 80
)

// damagePages fills a log, and overwrites one random page with noise, or changes one bit of it, again and again.
func damagePages(c candidate, dir string) (d damage, err error) {
	var n int
	if err := do(&n, "fill", c, dir, damageRecords, 2<<10, 2); err != nil {
		return d, err
	}
	whole, err := files(dir)
	if err != nil {
		return d, err
	}
	type place struct {
		name string
		at   int
	}
	var places []place
	for name, content := range whole {
		for at := 0; at < len(content); at += page {
			if len(bytes.TrimRight(content[at:min(at+page, len(content))], "\x00")) > 0 {
				places = append(places, place{name, at})
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return strings.Compare(a.name+strconv.Itoa(1e9+a.at), b.name+strconv.Itoa(1e9+b.at))
	})
	r := rand.New(rand.NewPCG(7, 7))
	for trial := range damageTrials {
		p := places[r.IntN(len(places))]
		all := map[string][]byte{}
		for name, content := range whole {
			all[name] = content
		}
		b := bytes.Clone(whole[p.name])
		until := min(p.at+page, len(b))
		if trial%2 == 0 {
			for i := p.at; i < until; i++ {
				b[i] = byte(r.Uint32())
			}
		} else {
			b[p.at+r.IntN(until-p.at)] ^= 1 << r.IntN(8)
		}
		all[p.name] = b
		if err := write(dir, all); err != nil {
			return d, err
		}
		d.Trials++
		var got checked
		if err := do(&got, "check", c, dir, damageRecords, 0); err != nil || got.OpenError != "" {
			explain(c, "damaged", fmt.Sprintf("%s at %d", p.name, p.at), err, got)
			d.Unopened++
			continue
		}
		d.Wrong += got.Wrong
		d.Lost = append(d.Lost, got.lost(damageRecords))
	}
	slices.Sort(d.Lost)
	return d, nil
}

// explained counts what was explained: the first few suffice.
var explained = map[string]int{}

// explain says on standard error why a log was not opened.
func explain(c candidate, what, where string, err error, got checked) {
	if explained[c.name+what]++; explained[c.name+what] > 3 {
		return
	}
	fmt.Fprintf(os.Stderr, "%s, %s %s: %.160s %.200s\n", c.name, what, where, strings.ReplaceAll(fmt.Sprint(err), "\n", " "), got.OpenError)
}

// kept is what a large log says.
type kept struct {
	Bytes, BytesKilled int64 // on the disk
	Killed             checked
	LostKilled         int // records that were answered and are not there
	Checked            checked
	Retired            time.Duration
	Freed              int64
	Large              time.Duration
	LargeError         string
}

const (
	keptRecords = 20000
	keptGets    = 300
	killAfter   = 8000
)

// keep fills a log and looks at it: after a kill, then whole.
func keep(c candidate, dir string) (k kept, err error) {
	if err := k.kill(c, dir); err != nil {
		return k, err
	}
	if err := empty(dir); err != nil {
		return k, err
	}
	var n int
	if err := do(&n, "fill", c, dir, keptRecords, 2<<10, 0); err != nil {
		return k, err
	}
	if k.Bytes, err = diskBytes(dir); err != nil {
		return k, err
	}
	gets := keptGets
	if c.name == "etcd" {
		gets = 5 // each reads all that follows
	}
	if err := do(&k.Checked, "check", c, dir, keptRecords, gets); err != nil {
		return k, err
	}
	before, err := diskBytes(dir)
	if err != nil {
		return k, err
	}
	if err := do(&k.Retired, "retire", c, dir, keptRecords/3); err != nil {
		return k, err
	}
	rest, err := diskBytes(dir)
	if err != nil {
		return k, err
	}
	k.Freed = before - rest
	if err := empty(dir); err != nil {
		return k, err
	}
	if err := do(&k.Large, "large", c, dir); err != nil {
		k.LargeError = err.Error()
		fmt.Fprintln(os.Stderr, err)
	}
	return k, nil
}

// kill ends a process that appends, and opens the log again.
func (k *kept) kill(c candidate, dir string) error {
	cmd, err := child("fill", c, dir, 0, 2<<10, 1)
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var seeds []uint64
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		seed, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			break // the kill cut a line
		}
		if seeds = append(seeds, seed); len(seeds) == killAfter {
			if err := cmd.Process.Kill(); err != nil {
				return err
			}
		}
	}
	_, _ = io.Copy(io.Discard, out) // nothing
	_ = cmd.Wait()                  // it was killed
	if len(seeds) < killAfter {
		return fmt.Errorf("fill %s: it ended after %d", c.name, len(seeds))
	}
	if k.BytesKilled, err = diskBytes(dir); err != nil {
		return err
	}
	if err := do(&k.Killed, "check", c, dir, len(seeds), 0); err != nil {
		return err
	}
	for _, seed := range seeds {
		if _, ok := slices.BinarySearch(k.Killed.Seeds, seed); !ok {
			k.LostKilled++
		}
	}
	return nil
}

// empty removes what a directory has.
func empty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o700)
}
