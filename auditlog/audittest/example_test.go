package audittest_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/sqlite"
)

// inMemory is a place for a log that is not persistent.
type inMemory struct{}

func (inMemory) Open(t testing.TB, now func() time.Time) auditlog.Log {
	l, err := sqlite.Open(sqlite.Options{Now: now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (inMemory) Exec(testing.TB, string, ...any) {}

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
