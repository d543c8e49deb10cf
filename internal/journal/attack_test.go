package journal

// Attacks: what would lose, forge or hang.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Reads that fail while the journal is opened, and work later, lose nothing: it is not opened, or it has all.
func TestReadsFailAtOpen(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOMEM} {
		for from := range 2 { // reads that work before: that of the head
			d := newSimDisk()
			o := Options{disk: d, SegmentSize: 64 << 10, Logger: quiet()}
			j, err := Open(o)
			if err != nil {
				t.Fatal(err)
			}
			add(t, j, Records, "one", "two", "three")
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			reads := 0
			d.fail = func(op, _ string) error {
				if op != "read" {
					return nil
				}
				if reads++; reads > from {
					return errno
				}
				return nil
			}
			if j, err = Open(o); err == nil { // what it has then is looked at below
				_ = j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(Records, []byte("four"))}})
				j.Close()
			}
			d.mu.Lock()
			d.fail = nil
			d.mu.Unlock()
			if j, err = Open(o); err != nil {
				t.Fatal(err)
			}
			for n, want := range []string{"one", "two", "three"} {
				if e, err := j.Get(Records, uint64(n)+1); err != nil || string(e.Data) != want {
					t.Errorf("%v from read %d on: %q is lost: %v", errno, from, want, err)
					break
				}
			}
			j.Close() // at the end
		}
	}
}

// A file of a segment that somebody has cut to nothing costs what it had. It does not cost the file that is made in its place.
func TestSegmentOfNoBytes(t *testing.T) {
	t.Parallel()
	d := newSimDisk()
	d.files[segmentName(1)] = &simFile{d: d, name: segmentName(1)}
	stop := errors.New("not yet durable elsewhere")
	o := Options{disk: d, SegmentSize: 64 << 10, Logger: quiet(), Settle: func(context.Context) error { return stop }}
	j := openTest(t, o)
	add(t, j, Temporary, "so that the segment is not sealed")
	for i := range 40 {
		add(t, j, Records, string(make([]byte, 4<<10)))
		d.mu.Lock()
		first := d.files[segmentName(1)]
		d.mu.Unlock()
		if first == nil {
			t.Fatalf("after %d records the first segment, which has them and is not sealed, has no file", i+1)
		}
	}
}

// A process that is killed while it makes artifacts again from the journal leaves as much to verify to the next one.
func TestSuspectAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Options{Dir: dir, Logger: quiet()}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, Temporary, "name\ncontent")
	if err := j.Close(); err != nil { // nothing is settled
		t.Fatal(err)
	}
	for start := range 2 {
		j, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if !j.Suspect() {
			t.Errorf("start %d takes what nobody synced for durable", start+1)
		}
		j.worker.Close() // the process is killed: nothing is settled, and the mark stays
		j.keeper.stop()
		j.closeFiles() // the system does
	}
}

// slowDisk says when it begins to make the third file, and then waits.
type slowDisk struct {
	*simDisk
	begun, slow chan struct{}
}

func (d slowDisk) Create(name string, size int64) (file, error) {
	if name != segmentName(1) && name != segmentName(2) {
		close(d.begun)
		<-d.slow
	}
	return d.simDisk.Create(name, size)
}

// Write seals nothing before the third file is made: a sealed segment would be used in its place.
func (d slowDisk) Write(name string, write func(io.Writer) error) (int64, error) {
	if strings.HasSuffix(name, ".zst") {
		<-d.begun
	}
	return d.simDisk.Write(name, write)
}

// Appends do not wait for the file of the next segment while the active one has space, and Status never waits.
func TestAppendWhileTheNextSegmentIsMade(t *testing.T) {
	t.Parallel()
	d := slowDisk{newSimDisk(), make(chan struct{}), make(chan struct{})}
	j := openTest(t, Options{disk: d, SegmentSize: 64 << 10, Logger: quiet()})
	for j.active().number == 1 {
		add(t, j, Records, string(make([]byte, 4<<10)))
	}
	<-d.begun // the keeper makes segment 3
	done := make(chan error, 1)
	go func() { done <- j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(Records, []byte("small"))}}) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("an append waits for a segment that is not needed yet")
	}
	looked := make(chan struct{})
	go func() { j.Status(); close(looked) }()
	select {
	case <-looked:
	case <-time.After(time.Minute):
		t.Error("Status waits")
	}
	close(d.slow)
}

// What is too large to be read again is not taken.
func TestTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 1 GiB")
	}
	j, err := Open(Options{Dir: filepath.Join(t.TempDir(), "journal"), Volatile: true, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close() // at the end
	if err := j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(Records, make([]byte, maxData+1))}}); err != nil {
		return
	}
	if _, err := j.Get(Records, 1); err != nil {
		t.Errorf("it was appended: %v", err)
	}
}

// badPage is a disk of which one page cannot be read.
type badPage struct {
	*simDisk
	name string
	at   int64
	mu   *sync.Mutex
}

type badFile struct {
	file
	d    *badPage
	name string
}

func (d *badPage) Create(name string, size int64) (file, error) {
	f, err := d.simDisk.Create(name, size)
	return badFile{f, d, name}, err
}

func (f badFile) ReadAt(p []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.name == f.d.name && at < f.d.at+pageSize && at+int64(len(p)) > f.d.at {
		return 0, syscall.EIO
	}
	return f.file.ReadAt(p, at)
}

// A page that the disk does not read costs its entries. It does not stop sealing for good.
func TestUnreadablePageIsSealed(t *testing.T) {
	t.Parallel()
	d := &badPage{simDisk: newSimDisk(), mu: &sync.Mutex{}}
	j := openTest(t, Options{disk: d, SegmentSize: 64 << 10, Logger: quiet()})
	for range 10 {
		add(t, j, Records, string(make([]byte, 4<<10)))
	}
	d.mu.Lock()
	d.name, d.at = segmentName(1), 16<<10
	d.mu.Unlock()
	if err := j.Rotate(t.Context()); err != nil {
		t.Errorf("seal: %v; the segment stays, and all after it", err)
	}
}

// What a journal says after a kill stays true after a power cut: it is made durable before it is said.
func TestKilledBeforeTheSync(t *testing.T) {
	t.Parallel()
	d := newSimDisk()
	o := Options{disk: d, SegmentSize: 64 << 10, Logger: quiet()}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, Records, "one")
	d.mu.Lock()
	d.fail = func(op, _ string) error { // the process is killed between the write and the sync
		if op == "sync" {
			return errPower
		}
		return nil
	}
	d.mu.Unlock()
	_ = j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(Records, []byte("two"))}})
	j.Close() // it fails
	d.fail = nil
	if j, err = Open(o); err != nil {
		t.Fatal(err)
	}
	said := j.Tip(Records)
	for seed := range uint64(20) {
		after, err := Open(Options{disk: d.peek(rand.New(rand.NewPCG(seed, 1))), SegmentSize: 64 << 10, Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		if tip := after.Tip(Records); tip != said {
			t.Errorf("seed %d: it ended at %d, and ends at %d after a power cut", seed, said.Number, tip.Number)
			break
		}
		after.Close() // nothing is in it
	}
	j.Close() // at the end
}

// peek returns the disk as after a power cut, and lets this one go on.
func (d *simDisk) peek(r *rand.Rand) *simDisk {
	after := d.restart(r)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = -1
	return after
}

// What a tool printed is never taken for a block of a sealed file, also when the marks around it are damaged.
func TestForgedBlocks(t *testing.T) {
	t.Parallel()
	d := newSimDisk()
	o := Options{disk: d, SegmentSize: 512 << 10, Logger: quiet()}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, Records, "first")
	// The head of the log and its name are no secret, and who prints this knows when it is appended, more or less.
	forged := NewEntry(Records, []byte("forged"))
	forged.place(j.Name(), Tip{2, Hash{1, 2, 3}}, 1)
	var block []byte
	block = binary.LittleEndian.AppendUint64(block, 1)
	block = binary.LittleEndian.AppendUint32(block, 6)
	encoder, err := newEncoder(nil)
	if err != nil {
		t.Fatal(err)
	}
	block = encoder.EncodeAll(append(block, "forged"...), nil)
	m := mark{first: 3, count: 1, length: uint32(len(block)), previous: forged.Previous}
	m.sum = crc32.Checksum(block, castagnoli)
	noise := make([]byte, 40<<10)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	printed := slices.Concat(noise[:20<<10], m.append(nil, segmentKey{}), block, noise[20<<10:])
	add(t, j, Records, string(printed), "third")
	if err := j.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	sealed := d.files[sealedName(Records, 1, 3)].content
	sealed[len(sealed)-20] ^= 1 // the table
	printedAt := bytes.Index(sealed, noise[:64])
	real := 0
	for at, head := 0, skip(nil, markFrame, markSize); ; at++ {
		i := bytes.Index(sealed[at:], head)
		if i < 0 {
			break
		}
		if at += i; at < printedAt || at >= printedAt+len(printed) {
			sealed[at+skippableHead+30] ^= 1
			real++
		}
	}
	if printedAt < 0 || real < 4 {
		t.Fatalf("what was printed is at %d, with %d marks", printedAt, real)
	}
	if j, err = Open(o); err != nil {
		t.Fatal(err)
	}
	defer j.Close() // at the end
	if e, err := j.Get(Records, 3); err == nil {
		t.Errorf("record 3 is %q", e.Data)
	}
}

// A damaged entry costs itself, also when it was written at once with others, if the journal was closed since: then it was durable.
func TestDamageInTheLastWrite(t *testing.T) {
	t.Parallel()
	d := newSimDisk()
	o := Options{disk: d, SegmentSize: 64 << 10, Logger: quiet()}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, Records, "before")
	var all []*pending
	for range 64 {
		p := &pending{entries: []*Entry{NewEntry(Records, []byte("a record"))}, done: make(chan struct{}), submitted: time.Now()}
		p.size = frameSize(8)
		all = append(all, p)
	}
	j.worker.Close()
	j.commit(all) // as the goroutine does when 64 callers wait
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	segment := d.files[segmentName(1)].content
	segment[bytes.Index(segment, []byte("a record"))] ^= 1
	if j, err = Open(o); err != nil {
		t.Fatal(err)
	}
	defer j.Close() // at the end
	if tip := j.Tip(Records).Number; tip != 65 {
		t.Errorf("one bit of record 2: the log ends at %d, want 65", tip)
	}
}

// An empty file with the name of a sealed one does not hide what segments have, and is no reason to give them up.
func TestEmptySealedFile(t *testing.T) {
	t.Parallel()
	d := newSimDisk()
	o := Options{disk: d, SegmentSize: 64 << 10, Logger: quiet()}
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, Records, "one", "two", "three")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	name := sealedName(Records, 1, 900)
	d.files[name] = &simFile{d: d, name: name}
	if j, err = Open(o); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Get(Records, 2); err != nil {
		t.Errorf("it hides record 2: %v", err)
	}
	if err := j.Rotate(t.Context()); err != nil {
		t.Error(err)
	}
	j.Close() // at the end
	delete(d.files, name)
	if j, err = Open(o); err != nil {
		t.Fatal(err)
	}
	defer j.Close() // at the end
	if _, err := j.Get(Records, 2); err != nil {
		t.Errorf("record 2 is lost: %v", err)
	}
}

// slowReads is a disk whose reads say that they begin, and wait, once it is slow.
type slowReads struct {
	*simDisk
	slow  *sync.RWMutex
	begun chan struct{}
}

type slowFile struct {
	file
	d slowReads
}

func (d slowReads) Create(name string, size int64) (file, error) {
	f, err := d.simDisk.Create(name, size)
	return slowFile{f, d}, err
}

func (f slowFile) ReadAt(p []byte, at int64) (int, error) {
	if f.d.slow.TryRLock() {
		f.d.slow.RUnlock()
	} else {
		f.d.begun <- struct{}{}
	}
	f.d.slow.RLock()
	defer f.d.slow.RUnlock()
	return f.file.ReadAt(p, at)
}

// An append does not wait for somebody who reads: a list, a verification, a disk that is slow to read.
func TestAppendDuringASlowRead(t *testing.T) {
	t.Parallel()
	d := slowReads{newSimDisk(), &sync.RWMutex{}, make(chan struct{}, 100)}
	j := openTest(t, Options{disk: d, SegmentSize: 64 << 10, Logger: quiet()})
	add(t, j, Records, "one")
	d.slow.Lock()
	var wait sync.WaitGroup
	wait.Go(func() { _, _ = j.Get(Records, 1) })
	<-d.begun
	done := make(chan error, 1)
	wait.Go(func() { done <- j.Append(t.Context(), Append{Entries: []*Entry{NewEntry(Records, []byte("two"))}}) })
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("an append waits for a read")
	}
	d.slow.Unlock()
	wait.Wait()
}
