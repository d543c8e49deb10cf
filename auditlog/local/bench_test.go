package local_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/integration/cputime"
	"github.com/toolresult/toolresult/internal/journal"
)

// call returns the record of a call that printed some 4 KB, which are in its output, its canonical result and its receipt.
func call(number int) *pb.AuditRecord {
	random := rand.New(rand.NewPCG(uint64(number), 1))
	var b strings.Builder
	for b.Len() < 4<<10 {
		fmt.Fprintf(&b, "%s/%s.go:%d: %s took %d ms\n", words[random.IntN(len(words))], words[random.IntN(len(words))], random.IntN(900), words[random.IntN(len(words))], random.IntN(1000))
	}
	text := b.String()
	r := audittest.Projection("session", fmt.Sprint("call", number), fmt.Sprint("request", number), 10)
	r.Receipt.Text = text
	r.Canonical.GetCommand().StdoutPreview = &text
	r.Output.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
	return r
}

var words = strings.Fields("access broker cache driver engine filter gateway handler invoice journal ledger metric order parser queue")

// verified opens a log with n records of calls, most of them sealed, whose index has them all.
func verified(b *testing.B, n int) (l auditlog.Log, j *journal.Journal) {
	b.Helper()
	dir := b.TempDir()
	j, err := journal.Open(journal.Options{Dir: filepath.Join(dir, "journal"), Volatile: true, Logger: quiet()})
	if err != nil {
		b.Fatal(err)
	}
	l, err = local.Open(local.Options{Journal: j, Index: filepath.Join(dir, "records.db"), Logger: quiet()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(l.Close(), j.Close()); err != nil {
			b.Error(err)
		}
	})
	for i := range n {
		if _, err := l.Append(b.Context(), call(i)); err != nil {
			b.Fatal(err)
		}
	}
	if err := j.Rotate(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, _, err := l.List(b.Context(), auditlog.Query{Limit: 1}); err != nil { // waits for the index
		b.Fatal(err)
	}
	return l, j
}

// perProcessor has MB/s reported, and those of processor time, which do not depend on what else runs.
func perProcessor(b *testing.B, size int64) (done func()) {
	b.SetBytes(size)
	before := cputime.Used(b)
	return func() { b.ReportMetric(float64(size)*float64(b.N)/1e6/(cputime.Used(b)-before).Seconds(), "cpu-MB/s") }
}

// BenchmarkVerify verifies a log of sealed records of calls of 4 KB. Its MB/s are of what was appended.
func BenchmarkVerify(b *testing.B) {
	const records = 4000
	l, j := verified(b, records)
	size := int64(0)
	if err := j.Each(b.Context(), journal.Records, 0, func(e *journal.Entry) error { size += int64(len(e.Data)); return nil }, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		defer perProcessor(b, size)()
		for b.Loop() {
			if err := j.Each(b.Context(), journal.Records, 0, func(*journal.Entry) error { return nil }, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("verify", func(b *testing.B) {
		defer perProcessor(b, size)()
		for b.Loop() {
			v, err := l.Verify(b.Context(), 0, func(i auditlog.Inconsistency) error { return errors.New(i.Reason) })
			if err != nil || v.Intact != records {
				b.Fatal(v, err)
			}
		}
	})
}
