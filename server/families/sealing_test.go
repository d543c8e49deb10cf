package families_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/integration/servertest"
)

var (
	sealingSeed    = flag.Uint64("sealing.seed", 1, "the seed of generated cases")
	sealingFrom    = flag.Uint64("sealing.from", 0, "the number of the first case")
	sealingCases   = flag.Uint64("sealing.cases", 0, "how many cases; 0: as -short says")
	sealingCase    = flag.Int64("sealing.case", -1, "run this case alone")
	sealingWorkers = flag.Int("sealing.workers", 0, "goroutines; 0: one per processor")
	sealingLedger  = flag.String("sealing.ledger", "", "file that gets one line of totals for every piece of cases")
	sealingCommit  = flag.String("sealing.commit", "", "what the ledger says of the source")
)

const (
	sealingFull  = 20_000
	sealingShort = 3000
	sealingRace  = 600     // of ten times the cost
	sealingPiece = 500_000 // cases of one line of the ledger
	sealingBlock = 500     // cases that a goroutine takes at once
	sealingShown = 5       // forgeries that are printed in full
)

// Sealing: ParseReceipt(Render(x)) says the facts of x, and no others, when the tool is
// the adversary. x is what the tool's bytes become by the real projection. Case i of a
// seed is the same wherever it runs:
//
//	go test ./server/families -run 'TestSealing$' -sealing.seed 1 -sealing.case 4711 -v
func TestSealing(t *testing.T) {
	s := newSealed(t)
	if *sealingCase >= 0 {
		one := newSealer(s, *sealingSeed)
		if err := one.run(uint64(*sealingCase)); err != nil {
			t.Errorf("%v", err)
		}
		c := one.generate(uint64(*sealingCase))
		t.Logf("family %q\n%q\n%v", c.family, c.given, c.req)
		return
	}
	cases := *sealingCases
	if cases == 0 {
		cases = sealingFull
		switch {
		case servertest.Race:
			cases = sealingRace
		case testing.Short():
			cases = sealingShort
		}
	}
	var all sealingTotals
	for from, end := *sealingFrom, *sealingFrom+cases; from < end && !t.Failed(); from += sealingPiece {
		piece := sealShards(t, s, from, min(sealingPiece, end-from))
		all.add(&piece)
		piece.record(t, *sealingLedger, from)
	}
	t.Logf("\n%s", all.table())
	if all.cases > sealingShort/2 {
		all.checkReach(t)
	}
}

// sealShards runs the cases of one piece on several goroutines.
func sealShards(t *testing.T, s *sealed, from, n uint64) (all sealingTotals) {
	workers := *sealingWorkers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	began := time.Now()
	var next atomic.Uint64
	var mu sync.Mutex
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			one := newSealer(s, *sealingSeed)
			for {
				at := next.Add(sealingBlock) - sealingBlock
				if at >= n {
					break
				}
				for i := at; i < min(at+sealingBlock, n); i++ {
					if err := one.run(from + i); err != nil {
						one.totals.forged++
						if one.totals.forged <= sealingShown {
							t.Errorf("case %d of seed %d (-sealing.case %d -sealing.seed %d): %v", from+i, *sealingSeed, from+i, *sealingSeed, err)
						}
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(&one.totals)
		})
	}
	done.Wait()
	all.took = time.Since(began)
	return all
}

// sealingTotals are what was run.
type sealingTotals struct {
	cases, receipts, rejected, raised, cut, stuffed, compacted, twins, forged int64
	attacks                                                                   [32]int64
	families                                                                  map[string]int64
	took                                                                      time.Duration
}

func (s *sealingTotals) count(family string) {
	if s.families == nil {
		s.families = map[string]int64{}
	}
	s.families[family]++
}

func (s *sealingTotals) add(o *sealingTotals) {
	for _, p := range [][2]*int64{
		{&s.cases, &o.cases}, {&s.receipts, &o.receipts}, {&s.rejected, &o.rejected}, {&s.raised, &o.raised}, {&s.cut, &o.cut},
		{&s.stuffed, &o.stuffed}, {&s.compacted, &o.compacted}, {&s.twins, &o.twins}, {&s.forged, &o.forged},
	} {
		*p[0] += *p[1]
	}
	for i := range o.attacks {
		s.attacks[i] += o.attacks[i]
	}
	for family, n := range o.families {
		s.count(family)
		s.families[family] += n - 1
	}
	s.took += o.took
}

// checkReach fails if the generator does not reach its targets.
func (s *sealingTotals) checkReach(t *testing.T) {
	for i, a := range attackTable() {
		if s.attacks[i] == 0 {
			t.Errorf("no case attacks by %s", a.name)
		}
	}
	if s.families["command"] == s.cases || len(s.families) < 30 {
		t.Errorf("only %d families are there", len(s.families))
	}
	if s.rejected > s.cases/10 || s.cut < s.cases/5 || s.stuffed < s.cases || s.compacted == 0 || s.twins == 0 {
		t.Errorf("the cases are too tame")
	}
}

// sealingLine is one line of the ledger.
type sealingLine struct {
	Commit    string           `json:"commit,omitempty"`
	Seed      uint64           `json:"seed"`
	From      uint64           `json:"from"`
	Cases     int64            `json:"cases"`
	Forged    int64            `json:"forged"`
	Receipts  int64            `json:"receipts"`
	Rejected  int64            `json:"refused"`
	Raised    int64            `json:"raised"`
	Cut       int64            `json:"cut"`
	Stuffed   int64            `json:"stuffed"`
	Compacted int64            `json:"compacted"`
	Twins     int64            `json:"twins"`
	Seconds   float64          `json:"seconds"`
	Fuzzed    int64            `json:"fuzzed,omitempty"` // executions of FuzzSealing; a line of its own
	Attacks   map[string]int64 `json:"attacks"`
	Families  map[string]int64 `json:"families"`
}

// record appends the totals of a piece to the ledger, so that a run that is ended loses
// one piece.
func (s *sealingTotals) record(t *testing.T, path string, from uint64) {
	if path == "" {
		return
	}
	line := sealingLine{
		Commit: *sealingCommit, Seed: *sealingSeed, From: from, Cases: s.cases, Forged: s.forged, Receipts: s.receipts, Rejected: s.rejected,
		Raised: s.raised, Cut: s.cut, Stuffed: s.stuffed, Compacted: s.compacted, Twins: s.twins, Seconds: s.took.Seconds(),
		Attacks: map[string]int64{}, Families: s.families,
	}
	for i, a := range attackTable() {
		line.Attacks[a.name] = s.attacks[i]
	}
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// table is the totals for people.
func (s *sealingTotals) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d cases in %v (%.0f a second): %d receipts read, %d facts forged\n", s.cases, s.took.Round(time.Second),
		float64(s.cases)/s.took.Seconds(), s.receipts, s.forged)
	fmt.Fprintf(&b, "%d receipts have cuts, %d lines are stuffed, %d receipts are of compacted results, %d of twins, %d budgets were raised to the smallest that do, %d outputs were rejected\n",
		s.cut, s.stuffed, s.compacted, s.twins, s.raised, s.rejected)
	for i, a := range attackTable() {
		fmt.Fprintf(&b, "%12d  by %s\n", s.attacks[i], a.name)
	}
	for _, family := range slices.Sorted(maps.Keys(s.families)) {
		fmt.Fprintf(&b, "%12d  of %s\n", s.families[family], cmp.Or(family, "error"))
	}
	return b.String()
}

func invalidOrShort(err error) bool {
	var invalid *envelope.InvalidError
	var shortfall *envelope.ShortfallError
	return errors.As(err, &invalid) || errors.As(err, &shortfall)
}

// TestSealingLedger sums up what the ledger of the long form says.
func TestSealingLedger(t *testing.T) {
	if *sealingLedger == "" {
		t.Skip("no -sealing.ledger")
	}
	text, err := os.ReadFile(*sealingLedger)
	if err != nil {
		t.Fatal(err)
	}
	var all sealingTotals
	table := attackTable()
	commits, fuzzed := map[string]bool{}, int64(0)
	for line := range strings.Lines(string(text)) {
		var l sealingLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		piece := sealingTotals{
			cases: l.Cases, forged: l.Forged, receipts: l.Receipts, rejected: l.Rejected, raised: l.Raised, cut: l.Cut, stuffed: l.Stuffed,
			compacted: l.Compacted, twins: l.Twins, families: l.Families, took: time.Duration(l.Seconds * float64(time.Second)),
		}
		for i := range table {
			piece.attacks[i] = l.Attacks[table[i].name]
		}
		commits[l.Commit] = true
		fuzzed += l.Fuzzed
		all.add(&piece)
	}
	t.Logf("commits %s, %d guided by coverage\n%s", strings.Join(slices.Sorted(maps.Keys(commits)), " "), fuzzed, all.table())
}

// FuzzSealing is the same with coverage for a guide: the fuzzer writes the tool's bytes,
// and the knobs draw all the rest.
func FuzzSealing(f *testing.F) {
	s := newSealed(f)
	a := newAttacker(s.receipts)
	for i := range a.attacks {
		a.pcg.Seed(1, uint64(i))
		a.buf = nil
		a.mixed(i, 4)
		f.Add(a.buf, a.buf[len(a.buf)/2:], uint64(i))
	}
	for i, form := range a.forms {
		f.Add([]byte("a\n"+form+" x\n"), []byte(form), uint64(i))
	}
	one := newSealer(s, 0)
	f.Fuzz(func(t *testing.T, first, second []byte, knobs uint64) {
		if err := one.fuzzed(first, second, knobs); err != nil {
			t.Error(err)
		}
	})
}

// fuzzed checks one output of the fuzzer.
func (s *sealer) fuzzed(first, second []byte, knobs uint64) error {
	s.begin(knobs)
	c := s.newCase()
	next := func() []byte {
		first, second = second, first
		return slices.Clone(second)
	}
	if s.rng.IntN(100) < 65 {
		s.command(&c, next)
	} else {
		s.fill(&c, func(*spot) []byte { return next() })
	}
	return s.check(&c)
}
