package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/integration/costs"
)

// A search runs for as long as costsVar says, from the seed of costsSeedVar.
const (
	costsVar     = "TOOLRESULT_COSTS"
	costsSeedVar = "TOOLRESULT_COSTS_SEED"
	winnersFile  = "costs/winners.jsonl"
)

// TestSearchCosts searches for calls that cost more memory than the winners, and writes these down. It measures the memory that
// a call takes beside what it leaves to the garbage collector: the sidecar collects as often as it can.
func TestSearchCosts(t *testing.T) {
	if os.Getenv(costsVar) == "" {
		t.Skip("skipped: `make costs` searches")
	}
	limit, err := time.ParseDuration(os.Getenv(costsVar))
	if err != nil {
		t.Fatal(err)
	}
	s := newCostSearch(t, costsSeed(t))
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); {
		s.step(t)
	}
	s.write(t)
}

// costsSeed returns the seed of searches and of mixes.
func costsSeed(t *testing.T) (seed uint64) {
	t.Helper()
	text := os.Getenv(costsSeedVar)
	if text == "" {
		return 1
	}
	if _, err := fmt.Sscan(text, &seed); err != nil {
		t.Fatalf("%s=%q: %v", costsSeedVar, text, err)
	}
	return seed
}

// costSearch is a search: the best recipes so far, by what they are about.
type costSearch struct {
	random  *rand.Rand
	best    map[string]costs.Recipe
	running *sidecar
	conn    *grpc.ClientConn
	idle    int64 // memory of the sidecar without a call
	calls   int
}

// newCostSearch returns a search that goes on from the winners, which it measures again.
func newCostSearch(t *testing.T, seed uint64) *costSearch {
	winners, err := costs.Winners()
	if err != nil {
		t.Fatal(err)
	}
	s := &costSearch{random: rand.New(rand.NewPCG(seed, 0)), best: map[string]costs.Recipe{}}
	for _, r := range winners {
		s.try(t, r)
	}
	return s
}

// step tries a recipe: of any call, or near one that costs much already.
func (s *costSearch) step(t *testing.T) {
	keys := slices.Sorted(maps.Keys(s.best))
	if len(keys) == 0 || s.random.IntN(3) == 0 {
		s.try(t, costs.Random(s.random))
		return
	}
	slices.SortFunc(keys, func(a, b string) int { return int(1000 * (s.best[b].Cost - s.best[a].Cost)) })
	from := s.best[keys[min(s.random.IntN(len(keys)), s.random.IntN(len(keys)))]] // the more it costs the more often
	if s.random.IntN(4) == 0 {
		s.try(t, costs.Moved(from, s.random))
		return
	}
	s.try(t, costs.Mutate(from, s.random))
}

// worthwhile is the cost from which a recipe is kept, in bytes of memory for a byte.
const worthwhile = 2

// try measures a recipe, and keeps it when it costs more than the best about the same.
func (s *costSearch) try(t *testing.T, r costs.Recipe) {
	if r.Fill == "" {
		return
	}
	p, err := r.Prepare()
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	s.start(t) // what another call leaves in memory is no cost of this one
	s.calls++
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err = p.Call(ctx, s.conn)
	if s.running.Ended() {
		t.Errorf("%+v ended the sidecar: %v\n%s", r, err, s.running.Log)
		return
	}
	r.Cost = float64(s.running.memory(t, "VmHWM")-s.idle) / float64(r.Bytes)
	if r.Cost < worthwhile || status.Code(err) == codes.ResourceExhausted || r.Cost < 1.05*s.best[r.Key()].Cost {
		return
	}
	s.best[r.Key()] = r
	t.Logf("%5.1f %s %s %.30q %.40q x %d, %d tokens: %v", r.Cost, r.Method, r.Fill, r.Head, r.Part, r.Bytes, r.Tokens, status.Code(err))
}

// start starts a sidecar whose memory is what is in use.
func (s *costSearch) start(t *testing.T) {
	if s.running != nil {
		_ = s.conn.Close()
		s.running.Kill()
	}
	s.running = startSidecar(t, launch{AnyExit: true, Env: []string{"GOGC=10"}})
	s.conn = dial(t, s.running.Target(), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	s.running.project(t, completed(0, "what every process has after its first call\n"))
	s.idle = s.running.memory(t, "VmRSS")
}

// write writes the winners, sorted by what they are about.
func (s *costSearch) write(t *testing.T) {
	var lines strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.best)) {
		r := s.best[key]
		r.Cost = float64(int(r.Cost*10)) / 10
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	if err := os.WriteFile(winnersFile, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d calls; %d winners are in %s", s.calls, len(s.best), winnersFile)
}
