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

// LogStore is a store with logs, which every store is.
type LogStore = artifactstore.Store

// RunLogs runs every case of the contract of logs, each with a store of its own. durable reports whether synced bytes must
// count as durable. open is as for [Run].
func RunLogs(t *testing.T, durable bool, open func(t *testing.T) LogStore) {
	cases := []struct {
		name string
		run  func(t *testing.T, s LogStore, durable bool)
	}{
		{"a log grows and becomes an artifact", logGrows},         // Append, Sync, Finish
		{"names of logs come from what they belong to", logNames}, // LogName
		{"invalid names", invalidLogNames},                        // OpenLog, ErrNameInvalid
		{"one writer", oneLogWriter},                              // OpenLog, ErrBusy
		{"a closed log goes on", closedLogGoesOn},                 // Close
		{"an empty log", emptyLog},                                // Finish
		{"what is there already", logOfKnownContent},              // Finish
		{"cancelled context", cancelledLog},                       // OpenLog, Finish
		{"read while it grows", readGrowingLog},                   // Pages of a live name
		{"inventory of logs", logInventory},                       // Inventory
		{"any sequence of calls on logs", anyLogSequence},         // all of them
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), durable) })
	}
}

// mustOpenLog opens a log for appending.
func mustOpenLog(t failer, s artifactstore.Logs, name string) artifactstore.Log {
	t.Helper()
	l, err := s.OpenLog(context.Background(), name)
	if err != nil {
		t.Fatalf("OpenLog: %v", err)
	}
	return l
}

// mustAppend appends bytes, which count as received at once.
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

// mustClose closes a log, which always works, a second time too.
func mustClose(t failer, l artifactstore.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// mustSync syncs, and checks what is durable after it: everything received, or nothing in a store that is not durable.
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

// mustShow checks what is read at the path of a log: its bytes, its number of lines, the end of the last complete one, and
// whether it is live.
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

// mustFinish finishes a log, whose content is want. The artifact is the one that a Put of the same bytes gives, and the
// path of the log leads to it from then on.
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

// logGrows appends pieces around the size of a block, reads and syncs after each, and finishes. A finished log can be
// finished and opened again, with the same result, and rejects appends.
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
		mustSync(t, l, durable) // with nothing new to sync
	}
	mustAppend(t, l, content[at:]) // what is not synced becomes part of the artifact too
	ref := mustFinish(t, s, l, content)
	mustFail(t, "Append after Finish", l.Append([]byte("x")), artifactstore.ErrFinished)
	if again, err := l.Finish(context.Background()); again != ref || err != nil {
		t.Errorf("finished again: %+v, %v", again, err)
	}
	mustClose(t, l)

	// Opened again, it is still the same log at the same path, with nothing more to append.
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

// logNames checks that names of logs come from all of their parts: neither their borders nor empty ones are lost.
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

// invalidLogNames opens texts that are no names of logs, and pages of texts that are no live names. The files that a store
// keeps beside a log are no logs.
func invalidLogNames(t *testing.T, s LogStore, _ bool) {
	good := artifactstore.LogName("x")
	for _, name := range []string{"", good[1:], good + "0", "../" + good[3:], "g" + good[1:], "LIVE" + good[4:], "live/" + good} {
		_, err := s.OpenLog(context.Background(), name)
		mustFail(t, "OpenLog of "+name, err, artifactstore.ErrNameInvalid)
	}
	// The prefix alone makes no live name, and a file beside a log is none.
	for _, name := range []string{"live/", "live/" + good[1:], "live/../" + good, "live/" + good + ".marks"} {
		_, err := s.Pages(context.Background(), name)
		mustFail(t, "Pages of "+name, err, artifactstore.ErrNameInvalid)
	}
	_, err := s.Pages(context.Background(), "live/"+good)
	mustFail(t, "Pages of a log that is not there", err, artifactstore.ErrUnknown)
}

// oneLogWriter opens a log twice: the second call fails with ErrBusy until the first Log is closed. Of many callers that
// open it at the same time one gets it.
func oneLogWriter(t *testing.T, s LogStore, _ bool) {
	name := artifactstore.LogName("one")
	first := mustOpenLog(t, s, name)
	_, err := s.OpenLog(context.Background(), name)
	mustFail(t, "a second OpenLog", err, artifactstore.ErrBusy)
	other := mustOpenLog(t, s, artifactstore.LogName("two")) // which does not wait for the first
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
	if len(got) != 1 { // none has closed it yet
		t.Fatalf("%d have the log open at once", len(got))
	}
	mustClose(t, <-got)
}

// closedLogGoesOn appends to a log in three lives, synced or not: each begins where the one before ended, and nothing is
// dropped, because nothing crashed.
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
		if at > 0 { // the first life ends without a sync, which loses nothing as long as nothing crashes
			mustSync(t, l, durable)
		}
		mustClose(t, l)
		mustShow(t, s, path, content[:at+300<<10], true)
	}
	mustFinish(t, s, mustOpenLog(t, s, name), content)
}

// emptyLog finishes a log of no bytes, which is the empty artifact.
func emptyLog(t *testing.T, s LogStore, durable bool) {
	l := mustOpenLog(t, s, artifactstore.LogName("empty"))
	mustSync(t, l, durable)
	mustShow(t, s, l.Path(), nil, true)
	mustFinish(t, s, l, nil)
}

// logOfKnownContent finishes two logs with the content of an artifact that is there: both become that artifact.
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

// cancelledLog opens and finishes logs with a context that is done. The log is as it was, and another writer finishes it.
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

// anyLogSequence compares logs with slices, over any sequence of calls: append, sync, close and open again, read, finish.
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
				if finished != (artifactstore.Ref{}) { // an append of nothing may pass
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
