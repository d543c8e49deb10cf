//go:build linux

package faults_test

import (
	"context"
	"errors"
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
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/internal/journal"
)

// collectForEver does what a server does, in its order: it puts the same few hundred contents for a session and for
// none, records each, and only then acknowledges; meanwhile it deletes what no session names and, with every fourth
// seed, old records; until the process is killed. What was put for the session must never be deleted.
func collectForEver() error {
	seed, err := strconv.ParseUint(os.Getenv(seedVar), 10, 64)
	if err != nil {
		return err
	}
	fmt.Println("opening")
	s, err := openStation(os.Getenv(storeVar))
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
				call := ""
				if worker < 2 {
					call = fmt.Sprint(random.Uint64())
				}
				lines, _, err := s.project(call, fmt.Sprintf("%d-%d-%d", seed, worker, random.Uint64()), []byte(text), 200+random.IntN(20_000))
				if err != nil {
					fail(err)
					return
				}
				fmt.Print(lines)
			}
		})
	}
	working.Go(func() {
		for {
			if _, err := s.catalog.Collect(context.Background(), false); err != nil {
				fail(err)
				return
			}
		}
	})
	if retains(int(seed)) {
		working.Go(func() {
			for ; ; time.Sleep(5 * time.Millisecond) {
				if _, err := s.log.Retain(context.Background(), time.Now().Add(-100*time.Millisecond)); err != nil {
					fail(err)
					return
				}
			}
		})
	}
	working.Wait()
	return io.ErrUnexpectedEOF
}

// station is what a server keeps, without the server.
type station struct {
	store   *dir.Store
	journal *journal.Journal
	catalog *catalog.Catalog
	log     auditlog.Log
}

// endOfKilled is the time that a process which was killed may still have its locks.
const endOfKilled = 5 * time.Second

// stationSegment is the size of segments, in bytes: small, so that they are sealed while a test runs.
const stationSegment = 128 << 10

func openStation(root string) (s station, err error) {
	logger := slog.New(slog.DiscardHandler)
	if s.store, err = dir.Open(root, dir.Options{LockWait: endOfKilled}); err != nil {
		return s, err
	}
	opened := make(chan *catalog.Catalog, 1)
	s.journal, err = journal.Open(journal.Options{
		Dir: filepath.Join(root, "journal"), SegmentSize: stationSegment, Logger: logger,
		Settle: func(ctx context.Context) error {
			select {
			case c := <-opened:
				opened <- c
				return c.Settle(ctx)
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	})
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	s.catalog, err = catalog.Open(s.store, catalog.Options{
		Journal: s.journal, Index: filepath.Join(root, "catalog.db"), SessionLease: time.Hour, KeepFor: time.Millisecond, Logger: logger,
	})
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	opened <- s.catalog
	log, err := local.Open(local.Options{Journal: s.journal, Index: filepath.Join(root, "records.db"), Logger: logger})
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	s.log = log
	return s, nil
}

// close closes what is open, the store last.
func (s station) close() (err error) {
	if s.log != nil {
		err = s.log.Close()
	}
	if s.catalog != nil {
		err = errors.Join(err, s.catalog.Close())
	}
	if s.journal != nil {
		err = errors.Join(err, s.journal.Close())
	}
	return errors.Join(err, s.store.Close())
}

// project puts an artifact and records an answer that names it, for a call of the session "kept", or for none, and makes both durable
// together. It returns the lines of the acknowledgement, and whether the answer was on record.
func (s station) project(call, request string, content []byte, recordBytes int) (lines string, again bool, err error) {
	owner := catalog.Owner{}
	if call != "" {
		owner = catalog.Owner{Session: "kept", Call: call}
	}
	puts := s.catalog.Begin()
	defer puts.Discard()
	ref, err := puts.SinkFor(owner).Put(context.Background(), artifactstore.BytesBlob(content))
	if err != nil {
		return "", false, err
	}
	record, again, err := s.record(owner, request, ref, recordBytes, puts)
	if err != nil {
		return "", false, err
	}
	told := ackedRecord{
		record.GetLogId(), record.GetSequence(), record.GetHash(), answerDigest(record.GetCanonical(), record.GetReceipt()), request,
	}
	if call == "" || again { // its artifact may be deleted, or the one of the first answer counts
		return told.String() + "\n", again, nil
	}
	return ack(ref) + "\n" + told.String() + "\n", false, nil
}

// record finds the record of a request again, or appends one with what was put.
func (s station) record(
	owner catalog.Owner, request string, ref artifactstore.Ref, size int, puts *catalog.Transaction,
) (record *pb.AuditRecord, again bool, err error) {
	earlier, err := s.log.Find(context.Background(), owner.Session, request)
	if err != nil || len(earlier) > 0 {
		return append(earlier, nil)[0], true, err
	}
	record = audittest.Projection(owner.Session, owner.Call, request, size)
	record.Payloads[0].Artifact = ref.Path
	record.Canonical.GetCommand().Artifacts[0].Path = ref.Path
	if owner.Session == "" {
		record.Call = nil
	}
	err = puts.Commit(context.Background(), func(ctx context.Context, with journal.Append) error {
		_, err := s.log.AppendWith(ctx, with, record)
		return err
	})
	return record, false, err
}

// totals are those of everything in the journal, however long the index takes.
func (s station) totals(t testing.TB) catalog.Status {
	t.Helper()
	_, _, err := s.catalog.List(context.Background(), "nobody", "", 0, 1)
	must(t, err)
	return s.catalog.Status()
}

// verifyBooks looks at the artifacts as verify does, then at the catalog, and then at the audit log: everything that was
// acknowledged is there, and after a collection the store has what the catalog says, and nothing else.
func verifyBooks(t testing.TB, root string, acks []string) found {
	t.Helper()
	s, err := openStation(root)
	if err != nil {
		t.Fatalf("the next start: %v", err)
	}
	defer func() { must(t, s.close()) }()
	f := verifyDir(t, s.store, acks)
	ctx := context.Background()
	_, err = s.catalog.Collect(ctx, false)
	must(t, err)
	for _, line := range acks {
		name, rest, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(rest, "blake3:") {
			continue
		}
		if r, err := s.catalog.Open(ctx, name); err != nil {
			f.lost++
			t.Errorf("acknowledged %q, and after a collection: %v", line, err)
		} else {
			must(t, r.Close())
		}
	}
	held, bytes := int64(0), int64(0)
	must(t, s.store.Walk(ctx, func(h artifactstore.StoredArtifact) error {
		held, bytes = held+1, bytes+h.Size
		return nil
	}))
	if got := s.totals(t); got.Artifacts != held || got.Bytes != bytes {
		t.Errorf("the catalog has %+v, the store %d artifacts of %d bytes", got, held, bytes)
	}
	f.add(verifyRecords(t, s, acks))
	return f
}

// TestKilledWhileCollecting is K05 without a power cut: a process that puts and deletes the same contents is killed at
// a random time.
func TestKilledWhileCollecting(t *testing.T) {
	leg(t)
	killRounds(t, share(t, roundsVar, 100, 50), verifyBooks, func(root, acks string, round int) {
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
		cutRounds(t, kind, share(t, cutsVar, 15, 20), verifyBooks, byItself("collector"))
	})
}
