package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start starts what a configuration asks for, and closes it when the test ends.
func start(t testing.TB, change func(*config.Config)) *telemetry.Telemetry {
	t.Helper()
	c := config.Default(nil)
	change(&c)
	made, err := telemetry.Start(c, telemetry.Options{Logger: slog.New(slog.DiscardHandler), Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	if made != nil {
		t.Cleanup(func() {
			if err := made.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return made
}

// silent is a collector that takes connections and says nothing.
func silent(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return "http://" + l.Addr().String()
}

// Where nothing is asked for there is nothing: no telemetry, and no goroutine.
func TestOff(t *testing.T) {
	others := goleak.IgnoreCurrent() // those of the tests before may be about to end
	if made := start(t, func(*config.Config) {}); made != nil {
		t.Errorf("%v was started", made)
	}
	goleak.VerifyNone(t, others)
}

// An address that is taken stops the start, with everything that was started already.
func TestAddressTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := config.Default(nil)
	c.Metrics, c.OTLPEndpoint = l.Addr().String(), silent(t)
	if _, err := telemetry.Start(c, telemetry.Options{Logger: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), "metrics") {
		t.Errorf("started: %v", err)
	}
	c.Metrics = "0.0.0.0:0"
	if _, err := telemetry.Start(c, telemetry.Options{Logger: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("an address is served that others reach")
	}
}

// facts are those of a projection that has something of everything.
func facts() *metrics.Projected {
	return &metrics.Projected{
		Began: time.Now(), Family: "command", Bytes: 4096, Tokens: 1000, Receipt: 300, Truncated: true,
		Cuts:      map[pb.CutKind]metrics.Cuts{pb.CutKind_CUT_KIND_MIDDLE: {Count: 1, Bytes: 3000}},
		Artifacts: []string{"0123456789ab"},
	}
}

// What waits for a collector that does not answer does not grow, and nobody waits for it.
func TestNothingWaitsForACollector(t *testing.T) {
	made := start(t, func(c *config.Config) { c.OTLPEndpoint = silent(t) })
	calls := func(n int) {
		for range n {
			ctx, span := made.Tracer().Start(t.Context(), "call")
			made.Projected(ctx, facts())
			made.Put(ctx, 10, time.Now(), errors.New("full"))
			span.End()
		}
	}
	const few, many = 3_000, 60_000 // some more than wait at the most
	calls(few)
	before := heap()
	calls(many) // takes hours if each waits until the collector is given up
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes in %d calls", grown, many)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// well is a server that is healthy.
func well(context.Context) error { return nil }

// TestReportsAreConcurrent reports from many goroutines.
func TestReportsAreConcurrent(t *testing.T) {
	made := start(t, func(c *config.Config) { c.Metrics = "127.0.0.1:0" })
	if err := made.Watch(func() server.State { return server.State{Waiting: map[string]int64{"journal": 1}} }, well); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 200 {
				made.Call("/toolresult.v1.ToolResultService/Project", codes.Code(k%16), time.Millisecond)
				made.Projected(context.Background(), facts())
				made.Read(metrics.Read{Selection: "tail", Bytes: 3, Artifact: fmt.Sprint(i, k)})
				made.Commits("journal", 1, time.Millisecond, time.Millisecond)
				made.Compacted(metrics.Compacted{Results: 2, Changed: 1, Before: 10, After: 5})
				made.Step(context.Background(), "audit", time.Now(), nil)
			}
		})
	}
	all.Wait()
}

// TestRereadsAreOfTheLatestReceipt compares the tracker with a model: a read of an artifact is of the latest of the last
// truncated receipts that name it, and each receipt counts once.
func TestRereadsAreOfTheLatestReceipt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type receipt struct {
			names []string
			read  bool
		}
		size := rapid.IntRange(1, 5).Draw(t, "size")
		names := rapid.StringMatching("[a-f]")
		r := telemetry.NewRereadTracker(size)
		var model []*receipt // the oldest first
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "projected") {
				one := &receipt{names: rapid.SliceOfN(names, 0, 2*telemetry.MaxNames).Draw(t, "names")}
				r.Add("f", one.names)
				if one.names = one.names[:min(len(one.names), telemetry.MaxNames)]; len(one.names) > 0 {
					model = append(model, one)
				}
				model = model[max(0, len(model)-size):]
				continue
			}
			name := names.Draw(t, "read")
			var latest *receipt
			for _, one := range model {
				if slices.Contains(one.names, name) {
					latest = one
				}
			}
			named, first := r.Read(name)
			if want := latest != nil && !latest.read; named != (latest != nil) || (first == "f") != want {
				t.Fatalf("%q is named: %v, read first: %q, want %v", name, named, first, want)
			}
			if latest != nil {
				latest.read = true
			}
		}
		if names := r.Names(); names > size*telemetry.MaxNames {
			t.Fatalf("%d names of %d receipts are remembered", names, size)
		}
	})
}

// The names of instruments are unique, and Prometheus has others for each.
func TestInstruments(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range telemetry.Instruments() {
		if seen[i.Name] || seen[i.Prometheus()] || !strings.HasPrefix(i.Name, "toolresult.") || i.Help == "" || i.Unit == "" {
			t.Errorf("%+v", i)
		}
		seen[i.Name], seen[i.Prometheus()] = true, true
	}
}
