package journal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// filled returns a disk with entries of both streams, in sealed files and in a segment.
func filled(t testing.TB) (*simDisk, [streamCount][]string) {
	t.Helper()
	d := newSimDisk()
	var all [streamCount][]string
	j, err := Open(Options{disk: d, SegmentSize: 96 << 10, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		s := Stream(1 + i%2)
		text := fmt.Sprintf("%d of %s: %x", i, s, rand.Uint64())
		if i%7 == 0 {
			for range 600 {
				text = fmt.Sprintf("%s %x", text, rand.Uint64())
			}
		}
		all[s] = append(all[s], text)
		if i == 200 {
			if err := j.Rotate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		add(t, j, s, text)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return d, all
}

// copyDisk returns a copy of a disk.
func copyDisk(d *simDisk) *simDisk {
	c := newSimDisk()
	for name, f := range d.files {
		c.files[name] = &simFile{d: c, name: name, content: bytes.Clone(f.content), durable: bytes.Clone(f.content)}
	}
	return c
}

// Each page of each file damaged once costs the entries that it has and no other: those of its block in a sealed file, and those of
// its frames in a segment. What cannot be read is named, and is never something else.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	whole, all := filled(t)
	for _, name := range slices.Sorted(maps.Keys(whole.files)) {
		size := len(whole.files[name].content)
		for at := 0; at < size; at += pageSize {
			for _, how := range []string{"zeros", "noise", "bit"} {
				d := copyDisk(whole)
				page := d.files[name].content[at:min(at+pageSize, size)]
				before := bytes.Clone(page)
				switch how {
				case "zeros":
					clear(page)
				case "noise":
					for i := range page {
						page[i] = byte(rand.Uint32())
					}
				default:
					page[rand.IntN(len(page))] ^= 1 << rand.IntN(8)
				}
				if bytes.Equal(page, before) {
					continue
				}
				wantFewLost(t, fmt.Sprintf("%s at %d: %s", name, at, how), name, d, all)
			}
		}
	}
}

// wantFewLost fails t if a journal with a damaged page has lost more than that.
func wantFewLost(t *testing.T, what, name string, d *simDisk, all [streamCount][]string) {
	t.Helper()
	j, err := Open(Options{disk: d, SegmentSize: 96 << 10, Logger: quiet()})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer j.Close() // its files are thrown away
	for s := Records; s < streamCount; s++ {
		lost, bytesLost, next := 0, 0, uint64(1)
		skip := func(last uint64) {
			for ; next <= last; next++ {
				lost++
				bytesLost += len(all[s][next-1])
			}
		}
		err := j.Each(t.Context(), s, 0, func(e *Entry) error {
			skip(e.Number - 1)
			if string(e.Data) != all[s][e.Number-1] {
				t.Fatalf("%s: %s %d has another content", what, s, e.Number)
			}
			next = e.Number + 1
			return nil
		}, func(d Damage) error {
			if d.First != next {
				return fmt.Errorf("%+v, want it to begin at %d", d, next)
			}
			skip(d.Last)
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %s: %v", what, s, err)
		}
		// The end of the last writes looks like a torn one.
		cut := 0
		for _, text := range all[s][j.Tip(s).Number:] {
			cut += headerSize + len(text)
		}
		if cut > 2*pageSize+12<<10 || cut > 0 && !strings.HasPrefix(name, segmentsFolder) {
			t.Errorf("%s: %s ends at %d of %d", what, s, j.Tip(s).Number, len(all[s]))
		}
		if strings.HasPrefix(name, s.String()+"/") && bytesLost > 2*(blockBytes+16<<10) {
			t.Errorf("%s: %d entries with %d bytes are lost", what, lost, bytesLost)
		}
		if strings.HasPrefix(name, segmentsFolder) && lost > 0 && bytesLost+lost*headerSize > 3*pageSize+2*12<<10 {
			t.Errorf("%s: %d entries of %s with %d bytes are lost", what, lost, s, bytesLost)
		}
		if !strings.HasPrefix(name, segmentsFolder) && !strings.HasPrefix(name, s.String()+"/") && lost > 0 {
			t.Errorf("%s: %d entries of %s are lost", what, lost, s)
		}
	}
	// It goes on: what is appended is read.
	add(t, j, Records, "after it")
	if e, err := j.Get(Records, j.Tip(Records).Number); err != nil || string(e.Data) != "after it" {
		t.Errorf("%s: %+v, %v", what, e, err)
	}
}

// A payload with the bytes of a frame is never taken for one, also when the frame around it is damaged.
func TestForgedFrames(t *testing.T) {
	t.Parallel()
	d := newSimDisk()
	o := Options{disk: d, SegmentSize: 96 << 10, Logger: quiet()}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, Records, "first")
	forged := &Entry{Stream: Records, Number: 3, At: 1, Data: []byte("forged"), Previous: j.Tip(Records).Hash}
	forged = NewEntry(Records, forged.Data)
	forged.place(j.Name(), Tip{2, j.Tip(Records).Hash}, 1) // heads are no secret, nor is the name of the log
	h := header{length: 6, sum: forged.sum, write: 2, start: firstFrame, stream: Records, last: true, number: 3, at: 1, previous: forged.Previous, hash: forged.Hash}
	var keys []segmentKey // that somebody may try who has not read the segment
	keys = append(keys, segmentKey{}, segmentKey{1})
	var payload []byte
	for range 200 {
		for _, k := range keys {
			frame := make([]byte, headerSize)
			h.put(frame, k)
			payload = append(payload, append(frame, "forged\x00\x00"...)...)
		}
	}
	add(t, j, Records, string(payload), "third", "fourth")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	segment := d.files[segmentName(1)].content
	i := bytes.Index(segment, payload[:64])
	segment[i-3] ^= 1
	j, err = Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close() // at the end of the test
	if _, err := j.Get(Records, 2); !errors.Is(err, ErrDamaged) {
		t.Errorf("the damaged entry: %v", err)
	}
	for number, want := range map[uint64]string{1: "first", 3: "third", 4: "fourth"} {
		if e, err := j.Get(Records, number); err != nil || string(e.Data) != want {
			t.Errorf("%d: %+v, %v", number, e, err)
		}
	}
}

// After an error of the disk nothing was appended, and what is appended later is all there is; a failed sync is final.
func TestDiskErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op    string
		err   error
		want  error
		final bool
	}{
		{"write", syscall.ENOSPC, ErrFull, false}, {"write", syscall.EDQUOT, ErrFull, false}, {"write", syscall.EROFS, ErrReadOnly, false},
		{"write", syscall.EIO, ErrUnavailable, false}, {"sync", syscall.EIO, ErrFailed, true}, {"sync", syscall.ENOSPC, ErrFailed, true},
	} {
		d := newSimDisk()
		o := Options{disk: d, SegmentSize: 64 << 10, Logger: quiet()}
		j, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		add(t, j, Records, "before")
		times := 1
		d.mu.Lock()
		d.fail = func(op, name string) error {
			if op == c.op && name == segmentName(1) && times > 0 {
				times--
				return c.err
			}
			return nil
		}
		d.mu.Unlock()
		err = j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(Records, []byte("rejected")), NewEntry(Catalog, []byte("rejected"))}})
		if !errors.Is(err, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s %v: %v", c.op, c.err, err)
		}
		err = j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(Records, []byte("after"))}})
		if c.final != errors.Is(err, ErrFailed) {
			t.Errorf("%s %v, then: %v", c.op, c.err, err)
		}
		if c.final != (j.Status().Failure != nil) {
			t.Errorf("%s %v: %+v", c.op, c.err, j.Status())
		}
		j.Close() // what was appended is on the disk
		j = openTest(t, o)
		want := []string{"before", "after"}
		if c.final { // whether it was appended is known now
			want = []string{"before"}
			if j.Tip(Records).Number == 2 {
				want = append(want, "rejected")
			}
		}
		wantStream(t, j, Records, 1, want...)
	}
}

// On a disk that becomes full notices are appended in the space that there is, and small appends in half of it. When there is space
// again everything is.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	d := newSimDisk()
	full := false
	d.fail = func(op, _ string) error {
		if full && (op == "create" || op == "seal") {
			return syscall.ENOSPC
		}
		return nil
	}
	j := openTest(t, Options{disk: d, SegmentSize: 256 << 10})
	append := func(size int, notice bool) error {
		return j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(Records, make([]byte, size))}, Notice: notice})
	}
	d.mu.Lock()
	full = true
	d.mu.Unlock()
	small, notices := 0, 0
	for range 2 { // an eighth of the segment, from which the next one is made
		if err := append(20<<10, false); err != nil {
			t.Fatal(err)
		}
	}
	for !j.Status().OnReserve {
		if t.Context().Err() != nil {
			t.Fatal("that the disk is full is not noticed")
		}
		time.Sleep(time.Millisecond)
	}
	if err := append(20<<10, false); !errors.Is(err, ErrFull) {
		t.Errorf("a large append on a full disk: %v", err)
	}
	large := int(j.Tip(Records).Number)
	for append(2<<10, false) == nil {
		small++
	}
	for append(200, true) == nil {
		notices++
	}
	if !j.Status().OnReserve || large == 0 || small < 20 || notices < 100 {
		t.Errorf("%d large ones, then %d small ones, then %d notices; %+v", large, small, notices, j.Status())
	}
	d.mu.Lock()
	full = false
	d.mu.Unlock()
	for append(20<<10, false) != nil {
		if t.Context().Err() != nil {
			t.Fatal("it does not go on")
		}
	}
	if j.Status().OnReserve {
		t.Error("it is still on the reserve")
	}
	n := 0
	if err := j.Each(t.Context(), Records, 0, func(*Entry) error { n++; return nil }, nil); err != nil || n != large+small+notices+1 {
		t.Errorf("%d entries of %d, %v", n, large+small+notices+1, err)
	}
}
