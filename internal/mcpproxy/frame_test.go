package mcpproxy

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// readAll returns all messages of a reader, as a proxy would write them.
func readAll(t interface{ Fatal(...any) }, l *lines) (all []string) {
	for {
		f, err := l.next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text := string(f.Bytes)
		if f.Rest != nil {
			rest, err := io.ReadAll(f.Rest)
			if err != nil {
				t.Fatal(err)
			}
			text += string(rest)
		}
		all = append(all, text)
		f.Release()
	}
}

// Whatever the sizes of messages, of reads, of memory and of the limit, the bytes of messages are those that were written.
func TestMessagesAreWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			size := rapid.SampledFrom([]int{0, 1, 100, readBytes - 1, readBytes, readBytes + 1, 3 * readBytes}).Draw(t, "size")
			return strings.Repeat(rapid.SampledFrom([]string{"a", "\r", "\x00"}).Draw(t, "byte"), size)
		}), 0, 5).Draw(t, "messages")
		text := strings.Join(want, "\n") + "\n"
		if len(want) == 0 {
			text = ""
		} else if last := want[len(want)-1]; last != "" && rapid.Bool().Draw(t, "ends early") {
			text = text[:len(text)-1]
		}
		var r io.Reader = strings.NewReader(text)
		if rapid.Bool().Draw(t, "with the end") {
			r = iotest.DataErrReader(r)
		}
		l := newLines(r)
		l.b.memories = rapid.SampledFrom([]int{0, 10, readBytes, 10 * readBytes}).Draw(t, "memory")
		l.b.limit = rapid.SampledFrom([]int64{0, 10, 2 * readBytes, maxMessage}).Draw(t, "limit")
		got := readAll(t, l)
		if len(got) != len(want) {
			t.Fatalf("%d messages, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("message %d has %d bytes, want %d", i, len(got[i]), len(want[i]))
			}
		}
	})
}

// A message that no disk takes passes all the same.
func TestMessagesPassWithoutADisk(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	want := []string{strings.Repeat("a", 5*maxMemory/2), "b"}
	got := readAll(t, newLines(strings.NewReader(strings.Join(want, "\n"))))
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%d messages", len(got))
	}
}

// The first message of what one event, or one body, has is the data without line feeds; fields and events of other names are none.
func TestEvents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*readBytes)
	stream := ": comment\nevent: message\r\nid: 7\r\nretry: 250\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n" +
		"event: other\ndata: no\n\n" + "id: 8\ndata:\n\n" + "unknown" + long + ": " + long + "\n" +
		"data: " + long + "\ndata:" + long + "\n\n" + "data: cut off"
	for _, memories := range []int{10, maxMemory} {
		e := newEvents(iotest.HalfReader(strings.NewReader(stream)))
		e.b.memories = memories
		var got []string
		for {
			f, err := e.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Error(err)
				}
				break
			}
			got = append(got, string(f.Bytes))
			f.Release()
		}
		if len(got) != 2 || got[0] != `{"a": 1}` || got[1] != long+" "+long || e.id != "8" || e.retry.Milliseconds() != 250 {
			t.Errorf("%d messages, id %s, retry %v: %.100q", len(got), e.id, e.retry, got)
		}
	}
	e := newEvents(strings.NewReader("data: " + long + "\n\n"))
	if e.b.limit = 100; true {
		if _, err := e.next(); err == nil {
			t.Error("an event over the limit is read")
		}
	}
}

func TestBodiesBecomeALine(t *testing.T) {
	t.Parallel()
	f, err := readBody(iotest.OneByteReader(strings.NewReader("{\n  \"a\": 1\r\n}\n")))
	if err != nil || string(f.Bytes) != `{   "a": 1  }` {
		t.Errorf("%q, %v", f.Bytes, err)
	}
	if _, err := readBody(iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	large := bytes.Repeat([]byte(" 1"), maxMemory)
	if f, err = readBody(bytes.NewReader(large)); err != nil || !bytes.Equal(f.Bytes, large) || f.release == nil {
		t.Errorf("%d bytes, %v", len(f.Bytes), err)
	}
	f.Release()
}
