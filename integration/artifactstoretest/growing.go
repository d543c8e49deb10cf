package artifactstoretest

// A log that is read while it grows, as a client follows the output of a task.

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
)

// readGrowingLog reads what is new, again and again, while lines are appended and synced by others: together that is the
// log, no byte twice and none missing, also across the moment in which it becomes an artifact. Its checksums of what was
// read before never change.
func readGrowingLog(t *testing.T, s LogStore, durable bool) {
	l := mustOpenLog(t, s, artifactstore.LogName("growing"))
	// The name of a live log stays good for readers after the log is an artifact.
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
			n := min(len(rest), 777) // so that lines and blocks are cut anywhere
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
	got, lines := followLog(t, s, name)
	wg.Wait()
	if !bytes.Equal(got, want.Bytes()) || lines != 20_000 {
		t.Errorf("%d bytes, %d lines were read, want %d", len(got), lines, want.Len())
	}
}

// followLog reads a log until it is an artifact, and returns what it has read and the number of lines.
func followLog(t *testing.T, s LogStore, name string) (got []byte, lines int64) {
	sum := uint32(0)
	for live := true; live; {
		p, err := s.Pages(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		live = p.Live()
		// What was read before is the beginning of what is there now.
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
	return got, lines
}
