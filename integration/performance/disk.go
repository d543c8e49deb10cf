package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// measureDisk makes calls of 4 KB with the defaults until most of their records are sealed, stops the sidecar, and measures
// its files.
func (b *bench) measureDisk(calls int) (d Disk, err error) {
	defer func() { err = errors.Join(err, b.stopAll()) }()
	s, err := b.startSidecar(defaults, false)
	if err != nil {
		return d, err
	}
	const callers = 8
	errs := make([]error, callers)
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := c; i < calls && errs[c] == nil; i += callers {
				_, errs[c] = s.client.Project(context.Background(), request(b.logs.payload(i, payloads[0].bytes), c, false))
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return d, err
	}
	if err := b.settle(s); err != nil {
		return d, err
	}
	if err := s.end(); err != nil {
		return d, err
	}
	d.Calls = calls
	store := filepath.Join(s.dir, "store")
	if d.Sealed, err = sealedRecords(filepath.Join(store, "journal", "records")); err != nil {
		return d, err
	}
	records, err := sizeOf(filepath.Join(store, "journal", "records"), "")
	catalog, err2 := sizeOf(filepath.Join(store, "journal", "catalog"), "")
	indexes, err3 := sizeOf(store, ".db")
	d.Records, d.Catalog, d.Indexes = records, catalog, indexes
	b.say("disk: %d calls, %d sealed, records %d, catalog %d, indexes %d bytes", calls, d.Sealed, records, catalog, indexes)
	return d, errors.Join(err, err2, err3)
}

// sealedRecords returns the number of the last record in sealed files, which are named FIRST-LAST.zst.
func sealedRecords(dir string) (last int, err error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range list {
		_, text, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".zst"), "-")
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", e.Name(), err)
		}
		last = max(last, n)
	}
	if last == 0 {
		return 0, errors.New("no record was sealed")
	}
	return last, nil
}

// sizeOf returns the bytes of the files directly in a directory: those with a suffix in their name, and what is beside them.
func sizeOf(dir, infix string) (total int64, err error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range list {
		i, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, err
		case i.Mode().IsRegular() && strings.Contains(e.Name(), infix):
			total += i.Size()
		}
	}
	return total, nil
}

// perCall returns the bytes on disk for a call: of the sealed journal for those that are sealed, of the indexes for all.
func (d Disk) perCall() (journal, indexes float64) {
	return float64(d.Records+d.Catalog) / float64(d.Sealed), float64(d.Indexes) / float64(d.Calls)
}
