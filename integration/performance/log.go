package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/internal/journal"
)

// logCallers is the number of goroutines that append records.
const logCallers = 64

// measureLog measures the audit log alone, as the sidecar opens it, in this process: records a second of 64 callers, beside
// one writer that appends as many bytes to a file and syncs after each.
func (b *bench) measureLog() (l Log, err error) {
	dir, err := b.newDir()
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	logger := slog.New(slog.DiscardHandler)
	j, err := journal.Open(journal.Options{Dir: filepath.Join(dir, "journal"), Logger: logger})
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	log, err := local.Open(local.Options{Journal: j, Index: filepath.Join(dir, "records.db"), Logger: logger})
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	f, err := os.Create(filepath.Join(dir, "in turn"))
	if err != nil {
		return l, err
	}
	defer f.Close() // is thrown away
	l.Bytes = proto.Size(record(0))
	for round := range b.rounds + 1 {
		shared, err := appendShared(log, b.burstTime)
		if err != nil {
			return l, err
		}
		inTurn, err := appendInTurn(f, l.Bytes, b.burstTime)
		if err != nil {
			return l, err
		}
		if round > 0 {
			l.Shared, l.InTurn = append(l.Shared, shared), append(l.InTurn, inTurn)
		}
	}
	b.say("log: %s records a second, one sync each in turn %s", digits(l.Shared.median()), digits(l.InTurn.median()))
	return l, nil
}

// appendShared returns how many records a second callers append.
func appendShared(log auditlog.Appender, length time.Duration) (float64, error) {
	var number atomic.Int64
	errs := make([]error, logCallers)
	var all sync.WaitGroup
	begin := time.Now()
	for c := range logCallers {
		all.Go(func() {
			for errs[c] == nil && time.Since(begin) < length {
				_, errs[c] = log.Append(context.Background(), record(int(number.Add(1))))
			}
		})
	}
	all.Wait()
	took := time.Since(begin)
	return float64(number.Load()) / took.Seconds(), errors.Join(errs...)
}

// record returns the record of a call, of about 2 KiB.
func record(number int) *pb.AuditRecord {
	return audittest.Projection("session", fmt.Sprint("call", number), "", 1700)
}

// appendInTurn returns how many records a second one writer appends that syncs each.
func appendInTurn(f *os.File, size int, length time.Duration) (float64, error) {
	text := make([]byte, size)
	n := 0
	begin := time.Now()
	for ; time.Since(begin) < length; n++ {
		if _, err := f.Write(text); err != nil {
			return 0, err
		}
		if err := syncData(f); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(begin).Seconds(), nil
}
