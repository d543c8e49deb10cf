//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/auditlog"
)

// recordStepByStep does each step of a server once: it makes a store with books and an audit log, puts and records
// for a session and for none, collects garbage, deletes an old record, closes all (which copies what was written into
// the databases), opens it again, asks again for what it has, and puts and records once more.
//
// A step that fails is tried once more, as what is injected is a single fault: at once, or after another start when the
// failure is one after which nothing is certain.
func recordStepByStep() error {
	r := &recorder{root: os.Getenv(storeVar)}
	if err := r.open(); err != nil {
		return err
	}
	for _, step := range []func() error{
		r.put("first", "r1", []byte("first"), 300),
		r.put("", "r2", []byte("garbage"), 300),
		func() error {
			_, err := r.catalog.Collect(context.Background(), false)
			return err
		},
		r.retain,
		r.put("second", "r3", bytes.Repeat([]byte("large\n"), 50_000), 40_000),
		r.put("first", "r4", []byte("first"), 300), // it is there
	} {
		if err := r.twice(step); err != nil {
			return err
		}
	}
	r.restart()
	for _, step := range []func() error{
		r.put("second", "r3", bytes.Repeat([]byte("large\n"), 50_000), 40_000), // the same answer
		r.put("third", "r5", []byte("third"), 300),
	} {
		if err := r.twice(step); err != nil {
			return err
		}
	}
	if err := r.station.close(); err != nil {
		fmt.Println("failed", err)
	}
	fmt.Println("end")
	return nil
}

// recorder is a station whose steps are tried again.
type recorder struct {
	station
	root  string
	again bool // the last put was answered by what is on record
}

func (r *recorder) open() (err error) {
	fmt.Println("opening")
	if r.station, err = openStation(r.root); err != nil {
		fmt.Println("failed", err)
		r.station, err = openStation(r.root)
	}
	fmt.Println("opened")
	return err
}

// restart is another start of the process, as far as files go.
func (r *recorder) restart() {
	if err := r.station.close(); err != nil {
		fmt.Println("failed", err)
	}
	if err := r.open(); err != nil {
		fmt.Println("failed twice", err)
		os.Exit(1)
	}
}

func (r *recorder) twice(step func() error) error {
	time.Sleep(2 * time.Millisecond) // so that what is older can be deleted by age
	err := step()
	if err == nil {
		return nil
	}
	fmt.Println("failed", err)
	if errors.Is(err, auditlog.ErrFailed) || errors.Is(err, catalog.ErrCatalogUnreadable) {
		r.again = false
		if step() == nil && !r.again { // what was recorded before the failure is answered after it, too
			return fmt.Errorf("it works after %w", err)
		}
		r.restart()
	}
	return step()
}

// put is the step of a call.
func (r *recorder) put(call, request string, content []byte, size int) func() error {
	return func() error {
		lines, again, err := r.project(call, request, content, size)
		r.again = again
		fmt.Print(lines)
		return err
	}
}

// retain deletes the first record.
func (r *recorder) retain() error {
	second, err := r.log.Get(context.Background(), 2)
	if errors.Is(err, auditlog.ErrUnknown) { // it was done, and only the answer is missing
		return nil
	}
	if err != nil {
		return err
	}
	at, err := second.GetRecordedAt().AsTime(), second.GetRecordedAt().CheckValid()
	if err != nil {
		return err
	}
	_, err = r.log.Retain(context.Background(), at)
	return err
}
