package audittest_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/internal/journal"
)

// inMemory is a place for a log that is not persistent.
type inMemory struct{}

func (inMemory) Open(t testing.TB, now func() time.Time) auditlog.Log {
	logger := slog.New(slog.DiscardHandler)
	j, err := journal.Open(journal.Options{Now: now, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() }) // in memory
	l, err := local.Open(local.Options{Journal: j, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (inMemory) Persistent() bool { return false }

// The test of a log: `go test` runs it as TestContract(t).
func ExampleRun() {
	TestContract := func(t *testing.T) {
		audittest.Run(t, func(testing.TB) audittest.Place { return inMemory{} })
	}
	_ = TestContract

	r := audittest.Projection("session", "call", "request", 1000)
	fmt.Println(r.GetToolName(), len(r.GetReceipt().GetText()), "bytes of receipt")
	// Output: Bash 527 bytes of receipt
}
