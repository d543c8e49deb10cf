package artifactstoretest

// The contract of logs: a log grows, is read meanwhile, survives its writer, and becomes an artifact with the digest of
// its bytes.

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
)

// LogStore is a store with logs.
type LogStore = artifactstore.Store

// RunLogs runs every case of the contract of logs. durable reports whether synced bytes must count as durable.
func RunLogs(t *testing.T, durable bool, open func(t *testing.T) LogStore) {
	cases := []struct {
		name string
		run  func(t *testing.T, s LogStore, durable bool)
	}{
		{"a log grows and becomes an artifact", logGrows},
		{"names of logs come from what they belong to", logNames},
		{"invalid names", invalidLogNames},
		{"one writer", oneLogWriter},
		{"a closed log goes on", closedLogGoesOn},
		{"an empty log", emptyLog},
		{"what is there already", logOfKnownContent},
		{"cancelled context", cancelledLog},
		{"read while it grows", readGrowingLog},
		{"inventory of logs", logInventory},
		{"any sequence of calls on logs", anyLogSequence},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), durable) })
	}
}

func mustOpenLog(t failer, s artifactstore.Logs, name string) artifactstore.Log {
	t.Helper()
	l, err := s.OpenLog(context.Background(), name)
	if err != nil {
		t.Fatalf("OpenLog: %v", err)
	}
	return l
}

func mustAppend(t failer, l artifactstore.Log, p []byte) {
	t.Helper()
	before := l.Received()
	if err := l.Append(p); err != nil {
		t.Fatalf("Append: %v", err)
	}
	if got := l.Received(); got != before+int64(len(p)) {
		t.Fatalf("%d bytes received after %d more than %d", got, len(p), before)
	}
}

func mustClose(t failer, l artifactstore.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// mustSync syncs, and checks what is durable after it.
func mustSync(t failer, l artifactstore.Log, durable bool) {
	t.Helper()
	want := l.Received()
	if !durable {
		want = 0
	}
	if got, err := l.Sync(); err != nil || got != want || l.Durable() != want {
		t.Fatalf("Sync = %d, %v; %d durable, want %d", got, err, l.Durable(), want)
	}
}

// mustShow checks what is read at the path of a log, and whether it is live.
func mustShow(t failer, s LogStore, path string, want []byte, live bool) {
	t.Helper()
	name, err := s.Resolve(path)
	if err != nil {
		t.Fatalf("Resolve(%s): %v", path, err)
	}
	p, err := s.Pages(context.Background(), name)
	if err != nil {
		t.Fatalf("Pages(%s): %v", name, err)
	}
	defer p.Close()
	got, err := p.Read(nil, 0, p.Size())
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes are read, %v, want %d", len(got), err, len(want))
	}
	lines := bytes.Count(want, []byte("\n"))
	end := bytes.LastIndexByte(want, '\n') + 1
	if end < len(want) {
		lines++
	}
	if at, err := p.LastEnd(); p.Live() != live || p.Lines() != int64(lines) || at != int64(end) || err != nil {
		t.Fatalf("live %v, %d lines, the last ends at %d, %v; want %v, %d, %d", p.Live(), p.Lines(), at, err, live, lines, end)
	}
}

// mustFinish finishes a log, whose content is want.
func mustFinish(t failer, s LogStore, l artifactstore.Log, want []byte) artifactstore.Ref {
	t.Helper()
	ref, err := l.Finish(context.Background())
	if err != nil {
		t.Fatalf("Finish: %v", err)
	}
	if same := mustPut(t, s, artifactstore.BytesBlob(want), want); same != ref {
		t.Fatalf("Finish = %+v, the same bytes put are %+v", ref, same)
	}
	mustHold(t, s, ref, want)
	mustShow(t, s, l.Path(), want, false)
	if name, err := s.Resolve(l.Path()); err != nil || name != ref.Name {
		t.Fatalf("the path leads to %q, %v, want %q", name, err, ref.Name)
	}
	return ref
}

func logGrows(t *testing.T, s LogStore, durable bool) {
	content := noise(700<<10, 3)
	l := mustOpenLog(t, s, artifactstore.LogName("grows"))
	path := l.Path()
	mustShow(t, s, path, nil, true)
	at := 0
	for _, n := range []int{1, 0, 200 << 10, 63 << 10, 256 << 10, 10} {
		mustAppend(t, l, content[at:at+n])
		at += n
		mustShow(t, s, path, content[:at], true)
		mustSync(t, l, durable)
		mustSync(t, l, durable)
	}
	mustAppend(t, l, content[at:])
	ref := mustFinish(t, s, l, content)
	mustFail(t, "Append after Finish", l.Append([]byte("x")), artifactstore.ErrFinished)
	if again, err := l.Finish(context.Background()); again != ref || err != nil {
		t.Errorf("finished again: %+v, %v", again, err)
	}
	mustClose(t, l)

	l = mustOpenLog(t, s, artifactstore.LogName("grows"))
	if l.Path() != path || l.Received() != int64(len(content)) || (l.Durable() == l.Received()) != durable {
		t.Errorf("a finished log opens with %d bytes, %d durable, at %s", l.Received(), l.Durable(), l.Path())
	}
	mustFail(t, "Append to a finished log", l.Append([]byte("x")), artifactstore.ErrFinished)
	if again, err := l.Finish(context.Background()); again != ref || err != nil {
		t.Errorf("finished once more: %+v, %v", again, err)
	}
	mustClose(t, l)
}

func logNames(t *testing.T, s LogStore, _ bool) {
	names := map[string]bool{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""}, {"", "abc"}} {
		name := artifactstore.LogName(parts...)
		if names[name] || len(name) != 32 || name != artifactstore.LogName(parts...) {
			t.Errorf("%q is called %q, like another, or not always", parts, name)
		}
		names[name] = true
	}
	for name := range names {
		mustClose(t, mustOpenLog(t, s, name))
	}
}

func invalidLogNames(t *testing.T, s LogStore, _ bool) {
	good := artifactstore.LogName("x")
	for _, name := range []string{"", good[1:], good + "0", "../" + good[3:], "g" + good[1:], "LIVE" + good[4:], "live/" + good} {
		_, err := s.OpenLog(context.Background(), name)
		mustFail(t, "OpenLog of "+name, err, artifactstore.ErrNameInvalid)
	}
	for _, name := range []string{"live/", "live/" + good[1:], "live/../" + good, "live/" + good + ".marks"} {
		_, err := s.Pages(context.Background(), name)
		mustFail(t, "Pages of "+name, err, artifactstore.ErrNameInvalid)
	}
	_, err := s.Pages(context.Background(), "live/"+good)
	mustFail(t, "Pages of a log that is not there", err, artifactstore.ErrUnknown)
}

func oneLogWriter(t *testing.T, s LogStore, _ bool) {
	name := artifactstore.LogName("one")
	first := mustOpenLog(t, s, name)
	_, err := s.OpenLog(context.Background(), name)
	mustFail(t, "a second OpenLog", err, artifactstore.ErrBusy)
	other := mustOpenLog(t, s, artifactstore.LogName("two"))
	mustClose(t, other)
	mustClose(t, first)
	mustClose(t, first)
	mustFail(t, "Append after Close", first.Append([]byte("x")), artifactstore.ErrClosed)
	_, err = first.Sync()
	mustFail(t, "Sync after Close", err, artifactstore.ErrClosed)
	_, err = first.Finish(context.Background())
	mustFail(t, "Finish after Close", err, artifactstore.ErrClosed)

	// Many want it at once: one gets it.
	var wg sync.WaitGroup
	got := make(chan artifactstore.Log, 8)
	for range cap(got) {
		wg.Go(func() {
			if l, err := s.OpenLog(context.Background(), name); err == nil {
				got <- l
			}
		})
	}
	wg.Wait()
	if len(got) != 1 {
		t.Fatalf("%d have the log open at once", len(got))
	}
	mustClose(t, <-got)
}

func closedLogGoesOn(t *testing.T, s LogStore, durable bool) {
	content := noise(900<<10, 4)
	name := artifactstore.LogName("goes", "on")
	path := ""
	for at := 0; at < len(content); at += 300 << 10 {
		l := mustOpenLog(t, s, name)
		path = l.Path()
		if l.Received() != int64(at) || l.Dropped() != 0 {
			t.Fatalf("%d bytes after %d, %d dropped", l.Received(), at, l.Dropped())
		}
		mustAppend(t, l, content[at:at+300<<10])
		if at > 0 {
			mustSync(t, l, durable)
		}
		mustClose(t, l)
		mustShow(t, s, path, content[:at+300<<10], true)
	}
	mustFinish(t, s, mustOpenLog(t, s, name), content)
}

func emptyLog(t *testing.T, s LogStore, durable bool) {
	l := mustOpenLog(t, s, artifactstore.LogName("empty"))
	mustSync(t, l, durable)
	mustShow(t, s, l.Path(), nil, true)
	mustFinish(t, s, l, nil)
}

func logOfKnownContent(t *testing.T, s LogStore, _ bool) {
	content := noise(2<<20, 5)
	ref := mustPut(t, s, artifactstore.BytesBlob(content), content)
	for _, name := range []string{"a", "b"} {
		l := mustOpenLog(t, s, artifactstore.LogName(name))
		mustAppend(t, l, content)
		if got := mustFinish(t, s, l, content); got != ref {
			t.Errorf("the artifact is %+v, want %+v", got, ref)
		}
	}
}

func cancelledLog(t *testing.T, s LogStore, _ bool) {
	ctx, cancel := context.WithCancel(context.Background())
	l := mustOpenLog(t, s, artifactstore.LogName("c"))
	mustAppend(t, l, []byte("kept"))
	cancel()
	_, err := s.OpenLog(ctx, artifactstore.LogName("d"))
	mustFail(t, "OpenLog", err, context.Canceled)
	_, err = l.Finish(ctx)
	mustFail(t, "Finish", err, context.Canceled)
	mustClose(t, l)
	mustFinish(t, s, mustOpenLog(t, s, artifactstore.LogName("c")), []byte("kept"))
}

// readGrowingLog reads what is new, again and again, while lines are appended: together that is the log.
func readGrowingLog(t *testing.T, s LogStore, durable bool) {
	l := mustOpenLog(t, s, artifactstore.LogName("growing"))
	name, err := s.Resolve(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&want, "%d a line of a log that grows\n", i)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for rest := want.Bytes(); len(rest) > 0; {
			n := min(len(rest), 777)
			if err := l.Append(rest[:n]); err != nil {
				t.Errorf("Append: %v", err)
				return
			}
			rest = rest[n:]
		}
		if _, err := l.Finish(context.Background()); err != nil {
			t.Errorf("Finish: %v", err)
		}
	})
	wg.Go(func() {
		for range 20 {
			_, _ = l.Sync() // it fails once the log is finished
		}
	})
	var got []byte
	sum, lines := uint32(0), int64(0)
	for live := true; live; {
		p, err := s.Pages(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		live = p.Live()
		if now, err := p.Check(int64(len(got))); err != nil || now != sum {
			t.Fatalf("the checksum of the first %d bytes has changed from %x to %x, %v", len(got), sum, now, err)
		}
		if p.Lines() < lines {
			t.Fatalf("%d lines, after %d", p.Lines(), lines)
		}
		lines = p.Lines()
		if got, err = p.Read(got, int64(len(got)), p.Size()); err != nil {
			t.Fatal(err)
		}
		if sum, err = p.Check(int64(len(got))); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if !bytes.Equal(got, want.Bytes()) || lines != 20_000 {
		t.Errorf("%d bytes, %d lines were read, want %d", len(got), lines, want.Len())
	}
}

// anyLogSequence compares logs with slices, over any sequence of calls.
func anyLogSequence(t *testing.T, s LogStore, durable bool) {
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		name := artifactstore.LogName("any", fmt.Sprint(round))
		var want []byte
		var finished artifactstore.Ref
		l := mustOpenLog(t, s, name)
		path := l.Path()
		defer func() { _ = l.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				p := bytes.Repeat([]byte(rapid.SampledFrom([]string{"a\n", "b", "\n", "long "}).Draw(t, "text")), rapid.IntRange(0, 100_000).Draw(t, "times"))
				if finished != (artifactstore.Ref{}) {
					if err := l.Append(p); len(p) > 0 {
						mustFail(t, "Append", err, artifactstore.ErrFinished)
					}
					return
				}
				mustAppend(t, l, p)
				want = append(want, p...)
			},
			"sync": func(t *rapid.T) {
				if finished == (artifactstore.Ref{}) {
					mustSync(t, l, durable)
				}
			},
			"reopen": func(t *rapid.T) {
				mustClose(t, l)
				l = mustOpenLog(t, s, name)
				if l.Received() != int64(len(want)) || l.Path() != path {
					t.Fatalf("%d bytes, want %d", l.Received(), len(want))
				}
			},
			"read": func(t *rapid.T) { mustShow(t, s, path, want, finished == artifactstore.Ref{}) },
			"finish": func(t *rapid.T) {
				if rapid.IntRange(0, 5).Draw(t, "dice") == 0 {
					finished = mustFinish(t, s, l, want)
				}
			},
		})
	})
}
