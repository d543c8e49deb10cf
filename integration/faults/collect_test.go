package faults_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/library"
)

// booksOf are the books of the store at a path.
func booksOf(root string, d *artifactstore.Dir) (*library.Library, error) {
	return library.Open(d, library.Options{
		Books: filepath.Join(root, "books.db"), SessionLease: time.Hour, KeepFor: time.Millisecond, Logger: slog.New(slog.DiscardHandler),
	})
}

// collectForEver puts the same few hundred contents for a session and for none, and deletes what no session names,
// until the process is killed. What was put for the session is acknowledged: it must never be deleted.
func collectForEver() error {
	seed, err := strconv.ParseUint(os.Getenv(seedVar), 10, 64)
	if err != nil {
		return err
	}
	root := os.Getenv(storeVar)
	fmt.Println("opening")
	d, err := artifactstore.OpenDir(root, artifactstore.DirOptions{})
	if err != nil {
		return err
	}
	l, err := booksOf(root, d)
	if err != nil {
		return err
	}
	fmt.Println("opened")
	var failed sync.Once
	fail := func(err error) { failed.Do(func() { fmt.Println("failed", err) }) }
	var working sync.WaitGroup
	for worker := range uint64(3) {
		working.Go(func() {
			random := rand.New(rand.NewPCG(seed, worker))
			for {
				text := strings.Repeat(fmt.Sprintln("content", random.IntN(300)), 1+random.IntN(4)*10)
				owner := library.Owner{}
				if worker < 2 {
					owner = library.Owner{Session: "kept", Call: fmt.Sprint(random.Uint64())}
				}
				ref, err := l.For(owner).Put(context.Background(), artifactstore.BytesBlob([]byte(text)))
				if err != nil {
					fail(err)
					return
				}
				if worker < 2 {
					fmt.Println(ack(ref))
				}
			}
		})
	}
	working.Go(func() {
		for {
			if _, err := l.Collect(context.Background(), false); err != nil {
				fail(err)
				return
			}
		}
	})
	working.Wait()
	return io.ErrUnexpectedEOF
}

// verifyBooks looks at the artifacts as verify does, and then at the books: everything that was acknowledged is there,
// and after a collection the store holds what the books say, and nothing else.
func verifyBooks(t testing.TB, root string, acks []string) found {
	t.Helper()
	f := verify(t, root, acks)
	d, err := artifactstore.OpenDir(root, artifactstore.DirOptions{})
	must(t, err)
	defer func() { must(t, d.Close()) }()
	l, err := booksOf(root, d)
	if err != nil {
		t.Fatalf("the books after the next start: %v", err)
	}
	defer func() { must(t, l.Close()) }()
	ctx := context.Background()
	_, err = l.Collect(ctx, false)
	must(t, err)
	for _, line := range acks {
		name, rest, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(rest, "blake3:") {
			continue
		}
		if r, err := l.Open(ctx, name); err != nil {
			f.lost++
			t.Errorf("acknowledged %q, and after a collection: %v", line, err)
		} else {
			must(t, r.Close())
		}
	}
	held, bytes := int64(0), int64(0)
	must(t, d.Walk(ctx, func(h artifactstore.Held) error {
		held, bytes = held+1, bytes+h.Size
		return nil
	}))
	if s := l.Status(); s.Artifacts != held || s.Bytes != bytes {
		t.Errorf("the books have %+v, the store %d artifacts of %d bytes", s, held, bytes)
	}
	return f
}

// TestKilledWhileCollecting is K05 without a power cut: a process that puts and deletes the same contents is killed at
// a random time.
func TestKilledWhileCollecting(t *testing.T) {
	leg(t)
	killRounds(t, count(t, roundsVar, 300)/3, verifyBooks, func(root, acks string, round int) {
		cmd := player(t, "collector", acks, storeVar+"="+root, fmt.Sprintf("%s=%d", seedVar, round))
		must(t, cmd.Start())
		if enough := 1 + rand.IntN(12); round%3 != 0 {
			waitFor(t, "acknowledgements", func() bool { return countAcks(acksOf(t, acks)) >= enough })
		}
		killAfterRandom(t, cmd, acks, round)
	})
}

// TestPowerCutsWhileCollecting is K05: the power goes while artifacts are put and deleted.
func TestPowerCutsWhileCollecting(t *testing.T) {
	leg(t)
	disks(t, func(t *testing.T, kind string) {
		cutRounds(t, kind, "collector", (count(t, cutsVar, 40)+3)/4, verifyBooks)
	})
}
