package compactor

import (
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Policy governs a plan. Every value is set.
type Policy struct {
	Level         pb.CompactionLevel // the lowest level that a result may be compacted to
	PreviewTokens int                // smallest limit of a preview at COMPACTION_LEVEL_TRIMMED
	Budget        int                // tokens of all receipts; 0: every result goes to Level
	OpenFailure   int                // tokens that each preview of an open failure keeps
	LastTurns     int                // number of last turns whose results are protected
	Calls         map[string]bool    // ids of calls whose results are protected
	Families      map[string]bool    // families whose results are protected
	Cache         Cache
	// Measure returns the cost of the receipt of an entry's result, in tokens. An *UnknownError of a result as it is
	// given keeps it so.
	Measure func(entry int, r *pb.CanonicalToolResult) (int, error)
}

// Plan states what a compaction makes of a history. Not safe for concurrent use.
type Plan struct {
	Results       []Planned // one for each entry
	Before, After int       // tokens of all receipts
	Invalidated   int       // tokens of the provider's cache that change or follow a change
	Shortfall     int       // tokens by which After exceeds the budget; 0: it is met
	Unknown       int       // entries whose results stay as they are, because they are unknown
	UnknownTokens int       // tokens of those, which Before and After include
	results       *resultCache
}

// Planned states what a plan makes of one result.
type Planned struct {
	Target        Target // of a result that changes; zero for others
	Changed       bool
	Level         pb.CompactionLevel // after the compaction
	Before, After int                // tokens of its receipt
	Hold          pb.ResultHold      // why it may not change
	Unknown       *UnknownError      // of RESULT_HOLD_UNKNOWN; nil for others
	Open          bool               // a failure after which the same call did not succeed
	SupersededBy  int                // entry of the later result that supersedes it; -1 for none
	Subject       string             // on one line; empty when not known
}

// FirstChanged returns the index of the first result that changes, or -1.
func (p *Plan) FirstChanged() int {
	return slices.IndexFunc(p.Results, func(r Planned) bool { return r.Changed })
}

// Result returns the compacted result of an entry that is known. It is computed
// again with each call. The only errors are those of Load.
func (p *Plan) Result(entry int) (Compacted, error) {
	l, err := p.results.get(entry)
	if err != nil {
		return Compacted{}, err
	}
	if !p.Results[entry].Changed {
		return Compacted{Result: l.result}, nil
	}
	return p.results.compact(l.result, p.Results[entry].Target, l.rankings), nil
}

// ResultAt returns the compacted result of an entry that changes, with another Place
// for its artifacts. The only errors are those of Load.
func (p *Plan) ResultAt(entry int, place Place) (Compacted, error) {
	l, err := p.results.get(entry)
	if err != nil {
		return Compacted{}, err
	}
	return p.results.WithPlace(place).Compact(l.result, p.Results[entry].Target), nil
}

// Plan plans the compaction of a history. It changes nothing that it is given, and keeps
// only the last results in memory. The only errors are those of Load and Measure.
func (c *Compactor) Plan(history History, p Policy) (*Plan, error) {
	n := len(history.Entries)
	s := &resultCache{Compactor: c, History: history, kept: map[int]*decoded{}}
	l := planner{
		Policy: p, results: s, list: make([]facts, n), plan: &Plan{Results: make([]Planned, n), results: s},
		steps: make([][]step, n), states: make([][]state, n), taken: make([]int, n),
	}
	if err := l.measureAll(history.Entries); err != nil {
		return nil, err
	}
	if p.Budget == 0 || l.total > p.Budget {
		if err := l.nameAll(); err != nil {
			return nil, err
		}
		compact := l.meetBudget
		if p.Budget == 0 {
			compact = l.compactAll
		}
		if err := compact(); err != nil {
			return nil, err
		}
	}
	return l.finish(), nil
}
