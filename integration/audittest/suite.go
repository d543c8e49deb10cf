// Package audittest tests the contract of package auditlog: the behaviour of every [auditlog.Log], whatever it keeps its
// records in. A bug found in a log becomes a case here before it is fixed.
//
// Cases are in files by subject: append.go, read.go, retention.go, lifecycle.go, and tamper.go for changes behind the back
// of a log. records.go makes records; other packages use it too.
package audittest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Place is a place for one log, such as a path.
type Place interface {
	// Open opens the log of the place, which is empty at first. now is its clock; nil: that of the system.
	Open(t testing.TB, now func() time.Time) auditlog.Log
	// Persistent reports whether records are there when the log is opened again. Cases that need it are skipped otherwise.
	Persistent() bool
}

// Tables is a place whose records are rows of tables.
type Tables interface {
	Place
	// Exec changes the tables of a log that is closed. Arguments are $1, $2 and so on.
	Exec(t testing.TB, statement string, args ...any)
}

// Run runs every case of the contract, each in a place of its own. place returns a new place each time, and registers its cleanup with
// t.Cleanup.
func Run(t *testing.T, place func(t testing.TB) Place) {
	// Beside each case is the part of the contract that it tests.
	runCases(t, place, []testCase[Place]{
		{"sequences and hashes are consecutive", appendsInOrder},                // Append, Head
		{"a call is appended wholly or not at all", appendsAllOrNone},           // Append
		{"a request id is used once", rejectsReusedRequest},                     // ErrReused
		{"any record is read as it was appended", keepsAnyRecord},               // Append, Get, List
		{"invalid records are rejected", rejectsInvalidRecord},                  // ErrInvalidRecord
		{"many callers append together", appendsConcurrently},                   // all of them
		{"a cancelled call appends wholly or not at all", survivesCancellation}, // the context of Append
		{"get", getsBySequence},                                                 // Get
		{"find", findsByRequest},                                                // Find
		{"list", listsByQuery},                                                  // List
		{"retention deletes the oldest", retainsNewest},                         // Retain
		{"retention keeps what a younger record precedes", retainsInOrder},      // Retain
		{"status", reportsStatus},                                               // Status
		{"a closed log takes no calls", rejectsCallsAfterClose},                 // ErrClosed
		{"a log goes on after a restart", survivesRestart},                      // Close
		{"an intact log verifies", verifiesIntact},                              // Verify
	})
}

// RunTables runs the cases that alter the tables of a log behind its back, with names of columns that all databases share, and statements
// that all understand.
func RunTables(t *testing.T, place func(t testing.TB) Tables) {
	runCases(t, place, []testCase[Tables]{
		{"altered columns are found", findsAlteredColumns}, // Verify
		{"moved rows are found", findsMovedRows},           // Verify
		{"a removed end is found", findsRemovedEnd},        // Verify, Status
		{"foreign rows are found", findsForeignRows},       // Verify
		{"impossible rows are found", findsImpossibleRows}, // Verify, List, Retain
	})
}

// testCase is a case for places of a kind.
type testCase[P Place] struct {
	name string
	run  func(t *testing.T, p P)
}

// runCases runs cases, each in a place of its own.
func runCases[P Place](t *testing.T, place func(t testing.TB) P, cases []testCase[P]) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, place(t)) })
	}
}

// Verify verifies the whole chain and returns its inconsistencies, in the order in which they were found.
func Verify(t testing.TB, l auditlog.Verifier) (auditlog.Verified, []auditlog.Inconsistency) {
	t.Helper()
	var found []auditlog.Inconsistency // nil if there are none, so that callers may compare with nil
	v, err := l.Verify(context.Background(), 0, func(i auditlog.Inconsistency) error {
		found = append(found, i)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return v, found
}

// WantIntact fails t unless the whole chain is intact and has n records.
func WantIntact(t testing.TB, l auditlog.Verifier, n uint64) {
	t.Helper()
	v, found := Verify(t, l)
	if len(found) > 0 || v.Inconsistent > 0 || v.Intact != n {
		t.Fatalf("%d intact of %d, inconsistent: %v", v.Intact, n, found)
	}
}

// openLog opens the log of a place until the test ends.
func openLog(t testing.TB, p Place) auditlog.Log {
	l := p.Open(t, nil)
	t.Cleanup(func() { closeLog(t, l) }) // goroutines that it leaves would fail the tests after it
	return l
}

// closeLog closes a log, which must succeed.
func closeLog(t testing.TB, l auditlog.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// add appends records and returns the head after them.
func add(t testing.TB, l auditlog.Appender, records ...*pb.AuditRecord) auditlog.Head {
	t.Helper()
	h, err := l.Append(context.Background(), records...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// wantSame fails t unless two messages are equal.
func wantSame(t testing.TB, got, want proto.Message) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

// wantErr fails t unless err wraps want.
func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// clock is a clock that tests move. A log must not depend on it for order.
type clock struct {
	mu sync.Mutex
	at time.Time
}

// newClock returns a clock that begins at a fixed time with milliseconds, which records keep.
func newClock() *clock { return &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)} }

// now returns the time of the clock. Safe for concurrent use.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// move moves the clock, back too.
func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
