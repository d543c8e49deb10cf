//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/server"
)

// stayVar keeps a process that has upgraded a store from ending.
const stayVar = "TOOLRESULT_FAULTS_STAY"

// upgrade opens a store, which makes what is of an earlier version one of this, and closes it.
func upgrade() error {
	fmt.Println("opening")
	s, err := openUpgraded(os.Getenv(storeVar))
	if err != nil {
		return err
	}
	fmt.Println("opened")
	if os.Getenv(stayVar) != "" {
		time.Sleep(time.Hour)
	}
	err = s.close()
	fmt.Println("end")
	return err
}

// endOfKilled is the time that a process which was killed may still have its locks.
const endOfKilled = 5 * time.Second

// openUpgraded opens a store as a server does.
func openUpgraded(root string) (station, error) {
	d, err := dir.Open(root, dir.Options{LockWait: endOfKilled})
	if err != nil {
		return station{}, err
	}
	if err := errors.Join(server.Migrate(root, slog.New(slog.DiscardHandler)), d.Close()); err != nil {
		return station{}, err
	}
	return openStation(root)
}

// earlierStore unpacks a store of the first format, with the first version of its books and no audit log, and returns
// the lines that acknowledge what is in it. It is on disk when earlierStore returns.
func earlierStore(t testing.TB, root string) (acks []string) {
	t.Helper()
	must(t, os.Mkdir(root, 0o700))
	run(t, "tar", "-xzf", "../testdata/stores/format-1-books.tar.gz", "-C", root)
	must(t, os.Chmod(root, 0o700))
	run(t, "chown", "-R", fmt.Sprint(os.Geteuid()), root)
	paths, err := filepath.Glob(filepath.Join(root, "[0-9a-f][0-9a-f][0-9a-f]", "*"))
	must(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		acks = append(acks, ackOfPath(path, string(text)))
	}
	if len(acks) < 2 {
		t.Fatalf("the store has %q", acks)
	}
	dir, err := os.Open(root)
	must(t, err)
	must(t, unix.Syncfs(int(dir.Fd())))
	must(t, dir.Close())
	return acks
}

// verifyUpgraded looks at a store that was being upgraded: what it had is there and in its catalog, which knows who put it, and the
// store can be used.
func verifyUpgraded(t testing.TB, root string, had []string) found {
	t.Helper()
	s, err := openUpgraded(root)
	if err != nil {
		t.Fatalf("the next start: %v", err)
	}
	defer func() { must(t, s.close()) }()
	f := verifyDir(t, s.store, had)
	if got := s.totals(t); int(got.Artifacts) != len(had) {
		f.lost++
		t.Errorf("the catalog has %d artifacts of %d", got.Artifacts, len(had))
	}
	for _, line := range had {
		name, _, _ := strings.Cut(line, " ")
		pages, err := s.catalog.PagesFor(t.Context(), name, catalog.Permit{}) // what nobody put is unknown
		if err != nil {
			f.lost++
			t.Errorf("%s: %v", name, err)
			continue
		}
		must(t, pages.Close())
	}
	f.add(verifyRecords(t, s, nil))
	return f
}

// TestPowerCutsOfAnUpgrade is K05 and M03: the power goes while a store of an earlier version is opened.
func TestPowerCutsOfAnUpgrade(t *testing.T) {
	leg(t, "tar")
	disks(t, func(t *testing.T, kind string) {
		rounds := share(t, cutsVar, 8, 2)
		began, all, unfinished := time.Now(), found{}, 0
		d := newDisk(t, kind)
		for round := range rounds {
			store := filepath.Join(d.at, fmt.Sprint(round))
			had := earlierStore(t, store)
			got := cutAtRandom(t, "upgrader", d, store, filepath.Join(t.TempDir(), "acks"), round, false)
			if len(got) < 2 {
				unfinished++
			}
			all.after(had, verifyUpgraded(t, store, had))
			must(t, os.RemoveAll(store))
			if t.Failed() {
				t.Fatalf("round %d", round)
			}
		}
		if rounds >= 8 && unfinished == 0 { // of a few all may come late
			t.Errorf("only %d of %d cuts came before the store was open", unfinished, rounds)
		}
		total(t, tally{cuts: rounds, found: all, note: fmt.Sprintf("%d before the store was open", unfinished), took: time.Since(began)})
	})
}
