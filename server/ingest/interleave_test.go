package ingest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
)

// piece is what one stream wrote at a time.
type piece struct{ stream, text string }

// call receives the streams of a call.
type call struct {
	store   artifactstore.Stager
	options redact.Options
	order   *Interleaver
	spools  map[string]*Spool
}

func newCall(t testing.TB, store artifactstore.Stager, options redact.Options) *call {
	t.Helper()
	return &call{
		store: store, options: options, spools: map[string]*Spool{},
		order: NewInterleaver(func() (artifactstore.Stage, error) { return store.Stage(t.Context()) }),
	}
}

// receive receives pieces in their order.
func (c *call) receive(t testing.TB, pieces ...piece) error {
	for _, p := range pieces {
		if c.spools[p.stream] == nil {
			s, err := NewSpool(t.Context(), c.store, c.options, budget, nil)
			if err != nil {
				return err
			}
			c.spools[p.stream] = s
		}
		c.order.Reserve(p.stream, int64(len(p.text)))
		if err := c.spools[p.stream].Write([][]byte{[]byte(p.text)}, c.fill(p.stream)); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) fill(name string) func([][]byte) error {
	return func(ready [][]byte) error { return c.order.Fill(name, c.spools[name].Waiting(), ready) }
}

// payloads returns the streams, as they are now or at their end.
func (c *call) payloads(end bool) (map[string]Payload, error) {
	list := map[string]Payload{}
	for name, s := range c.spools {
		var err error
		if end {
			if err = s.Flush(c.fill(name)); err == nil {
				list[name], err = s.Seal()
			}
		} else {
			list[name], err = s.Snapshot()
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (c *call) discard() {
	c.order.Discard()
	for _, s := range c.spools {
		s.Discard()
	}
}

// inOrderOf returns what reading several streams as one must give without secrets: the pieces; "" if fewer than two streams
// have a byte.
func inOrderOf(pieces []piece) string {
	var b strings.Builder
	names := map[string]bool{}
	for _, p := range pieces {
		b.WriteString(p.text)
		names[p.stream] = names[p.stream] || p.text != ""
	}
	delete(names, "")
	if n := 0; len(names) > 0 {
		for _, has := range names {
			if has {
				n++
			}
		}
		if n >= 2 {
			return b.String()
		}
	}
	return ""
}

// checkInterleaved checks that reading several streams as one has the bytes of each in its order, and returns them.
func checkInterleaved(t *rapid.T, o projectors.InOrder, streams map[string]Payload) string {
	if o.Blob == nil {
		return ""
	}
	got := read(t, o.Blob)
	total := 0
	for _, key := range o.Keys {
		total += int(streams[key].Blob.Size())
	}
	if total != len(got) {
		t.Fatalf("%d bytes of streams of %d", len(got), total)
	}
	return got
}

// TestOrderOfArrivalIsKept receives pieces of three streams without secrets: read as one they are the pieces, whatever the
// redactor keeps back meanwhile, in the middle and at the end.
func TestOrderOfArrivalIsKept(t *testing.T) {
	t.Parallel()
	options := secrets(t)
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SampledFrom([]string{"", "x", "line\n", "hunter", "hunt", "correct-horse-", strings.Repeat("wide ", 2000)})
		pieces := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) piece {
			return piece{rapid.SampledFrom([]string{"out", "out", "err", "err", "log"}).Draw(t, "stream"), texts.Draw(t, "text")}
		}), 0, 20).Draw(rt, "pieces")
		at := rapid.IntRange(0, len(pieces)).Draw(rt, "snapshot")
		c := newCall(t, memory.New(), options)
		defer c.discard()
		for _, end := range []bool{false, true} {
			list := pieces[:at]
			if end {
				list = pieces[at:]
			}
			if err := c.receive(t, list...); err != nil {
				rt.Fatal(err)
			}
			streams, err := c.payloads(end)
			if err != nil {
				rt.Fatal(err)
			}
			o, err := c.order.Interleaved(streams)
			if err != nil {
				rt.Fatal(err)
			}
			got, want := checkInterleaved(rt, o, streams), inOrderOf(pieces[:at])
			if end {
				want = inOrderOf(pieces)
			}
			// Of a snapshot the beginning of a secret at the end of a stream is masked, so only its size is known.
			if end && got != want || len(got) != len(want) {
				rt.Fatalf("end %v: %q, want %q", end, got, want)
			}
		}
	})
}

// TestPlaceholdersAreAtTheirPlace has secrets that are torn by another stream. The bytes of a placeholder fill the places of its
// secret, the oldest first: a shorter one leaves the last place empty, and a longer one goes on in it.
func TestPlaceholdersAreAtTheirPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pieces []piece
		want   string
	}{
		"longer":       {[]piece{{"out", "a hunt"}, {"err", "E"}, {"out", "er22 b"}, {"err", "F"}}, "a [redEacted:short] bF"},
		"longer, end":  {[]piece{{"out", "a hunt"}, {"err", "E"}, {"out", "er22"}}, "a [redEacted:short]"},
		"shorter":      {[]piece{{"out", "a correct-horse-batt"}, {"err", "E"}, {"out", "ery-staple-and-more b"}, {"err", "F"}}, "a [redacted:long] bEF"},
		"shorter, end": {[]piece{{"out", "a correct-horse-batt"}, {"err", "E"}, {"out", "ery-staple-and-more"}}, "a [redacted:long]E"},
		"many parts":   {[]piece{{"out", "h"}, {"err", "1"}, {"out", "unter"}, {"err", "2"}, {"out", "2"}, {"err", "3"}, {"out", "2!"}, {"err", "4"}}, "[1redac2t3ed:short]!4"},
		"none":         {[]piece{{"out", "a hunt"}, {"err", "E"}, {"out", "er23"}}, "a huntEer23"},
		"given up":     {[]piece{{"out", "hunt"}, {"err", "E"}, {"out", "hunt"}, {"err", "F"}, {"out", "!"}}, "huntEhuntF!"},
	} {
		r := newCall(t, memory.New(), secrets(t))
		if err := r.receive(t, c.pieces...); err != nil {
			t.Fatal(err)
		}
		streams, err := r.payloads(true)
		if err != nil {
			t.Fatal(err)
		}
		o, err := r.order.Interleaved(streams)
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, o.Blob)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		// Each stream is whole and in its order, and the other stream begins where the first one was when it was received.
		for _, stream := range []string{"out", "err"} {
			if !subsequence(read(t, streams[stream].Blob), got) {
				t.Errorf("%s: %s is not in %q", name, stream, got)
			}
		}
		r.discard()
	}
}

// subsequence reports whether the bytes of part are in all, in their order.
func subsequence(part, all string) bool {
	for i := 0; i < len(all) && part != ""; i++ {
		if all[i] == part[0] {
			part = part[1:]
		}
	}
	return part == ""
}

// turns returns pieces of two streams of some bytes each in turn, whose order does not fit into memory.
func turns() []piece {
	list := make([]piece, 0, maxOrderBuffer)
	for i := range maxOrderBuffer {
		list = append(list, piece{[]string{"out", "err"}[i%2], string(rune('a' + i%26))})
	}
	return list
}

// TestLongOrderGoesToAStage has more turns than fit into memory, in a store in a directory, and reads them twice.
func TestLongOrderGoesToAStage(t *testing.T) {
	t.Parallel()
	c := newCall(t, dirStore(t), redact.Options{})
	defer c.discard()
	list := turns()
	if err := c.receive(t, list...); err != nil {
		t.Fatal(err)
	}
	if c.order.stage == nil || len(c.order.buf) >= maxOrderBuffer || len(c.order.slots) != 0 {
		t.Errorf("stage %v, %d bytes and %d slots in memory", c.order.stage, len(c.order.buf), len(c.order.slots))
	}
	streams, err := c.payloads(true)
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.order.Interleaved(streams)
	if err != nil {
		t.Fatal(err)
	}
	want := inOrderOf(list)
	for range 2 {
		if got := read(t, o.Blob); got != want {
			t.Errorf("%d bytes, want %d", len(got), len(want))
		}
	}
	r, err := o.Blob.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(r, []byte(want)); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	c.discard()
	if r, err := o.Blob.Open(); err == nil {
		_, err = io.ReadAll(r)
		if err == nil {
			t.Error("the order can be read after Discard")
		}
		_ = r.Close()
	}
}

// TestEveryFaultOfAnOrderIsReturned sweeps faults over an order that is too long for memory.
func TestEveryFaultOfAnOrderIsReturned(t *testing.T) {
	t.Parallel()
	list := turns()
	streams := map[string]Payload{}
	for name, text := range map[string]string{"out": "", "err": ""} {
		for _, p := range list {
			if p.stream == name {
				text += p.text
			}
		}
		streams[name] = Payload{Stream: projectors.Stream{Blob: artifactstore.BytesBlob([]byte(text))}}
	}
	sweep(t, func(store artifactstore.Stager) error {
		o := NewInterleaver(func() (artifactstore.Stage, error) { return store.Stage(t.Context()) })
		defer o.Discard()
		for _, p := range list {
			o.Reserve(p.stream, 1)
			if err := o.Fill(p.stream, 0, [][]byte{[]byte(p.text)}); err != nil {
				return err
			}
		}
		one, err := o.Interleaved(streams)
		if err != nil {
			return err
		}
		return ReadBlocks(t.Context(), one.Blob, func([]byte) error { return nil })
	})
}

// closing counts readers of a blob that are open.
type closing struct {
	artifactstore.Blob
	open *int
	fail error // of Open
	end  error // of Close
}

func (c closing) Open() (io.ReadCloser, error) {
	if c.fail != nil {
		return nil, c.fail
	}
	*c.open++
	r, err := c.Blob.Open()
	return struct {
		io.Reader
		io.Closer
	}{r, closer(func() error { *c.open--; return errors.Join(c.end, r.Close()) })}, err
}

type closer func() error

func (c closer) Close() error { return c() }

// TestOpenOfOneStreamFails closes the streams that were opened before, and returns every error of closing.
func TestOpenOfOneStreamFails(t *testing.T) {
	t.Parallel()
	open, stuck := 0, errors.New("stuck")
	b := &inOrder{begin: closing{Blob: artifactstore.BytesBlob(nil), open: &open}, streams: []artifactstore.Blob{
		closing{Blob: artifactstore.BytesBlob([]byte("a")), open: &open, end: stuck}, closing{Blob: artifactstore.BytesBlob(nil), fail: errFault},
	}}
	if _, err := b.Open(); !errors.Is(err, errFault) || !errors.Is(err, stuck) || open != 0 {
		t.Errorf("%v, and %d are open", err, open)
	}
	b.streams = b.streams[:1]
	r, err := b.Open()
	if err != nil || open != 2 {
		t.Fatalf("%v, and %d are open", err, open)
	}
	if err := r.Close(); !errors.Is(err, stuck) || open != 0 {
		t.Errorf("%v, and %d are open", err, open)
	}
	b.begin = closing{Blob: artifactstore.BytesBlob(nil), fail: errFault}
	if _, err := b.Open(); !errors.Is(err, errFault) {
		t.Errorf("segments: %v", err)
	}
}

// TestReadErrorsOfAStreamAreReturned has streams that fail inside of a segment, behind all segments, and segments that are cut off.
func TestReadErrorsOfAStreamAreReturned(t *testing.T) {
	t.Parallel()
	failing := &faultyBlob{artifactstore.BytesBlob([]byte("abc")), &faultyStore{left: 1}} // opens, and does not read
	ok := artifactstore.BytesBlob([]byte("abc"))
	for name, c := range map[string]struct {
		b    *inOrder
		want error
	}{
		"in a segment":        {&inOrder{end: segment{0, 3}.append(nil), streams: []artifactstore.Blob{failing}}, errFault},
		"behind all segments": {&inOrder{streams: []artifactstore.Blob{failing}}, errFault},
		"segments cut off":    {&inOrder{end: []byte{0x80}, streams: []artifactstore.Blob{ok}}, io.ErrUnexpectedEOF},
		"a length cut off":    {&inOrder{end: []byte{0, 0x80}, streams: []artifactstore.Blob{ok}}, io.ErrUnexpectedEOF},
	} {
		failing.store.left = 1
		r, err := c.b.Open()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	all := &inOrder{end: segment{0, 9}.append(nil), streams: []artifactstore.Blob{ok, ok}}
	r, err := all.Open()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(iotest.OneByteReader(r)); err != nil || !bytes.Equal(text, []byte("abcabc")) {
		t.Errorf("a segment that is too long: %q, %v", text, err)
	}
}

// TestNothingHasNoOrder has no interleaver, no stream with a byte, and only one.
func TestNothingHasNoOrder(t *testing.T) {
	t.Parallel()
	var none *Interleaver
	none.Reserve("out", 3)
	none.Discard()
	if err := none.Fill("out", 0, nil); err != nil {
		t.Error(err)
	}
	one := NewInterleaver(func() (artifactstore.Stage, error) { return nil, errFault })
	one.Reserve("out", 3)
	one.Reserve("err", 0)
	if err := errors.Join(one.Fill("other", 0, nil), one.Fill("out", 0, [][]byte{[]byte("abc")})); err != nil {
		t.Error(err)
	}
	if len(one.slots) != 0 {
		t.Errorf("%d places wait for nothing", len(one.slots))
	}
	one.Discard()
	for _, o := range []*Interleaver{none, one} {
		if got, err := o.Interleaved(nil); err != nil || got.Blob != nil || got.Keys != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
}
