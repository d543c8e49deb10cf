package compactor

import (
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Policy governs a plan. Every value is set.
type Policy struct {
	Level         pb.CompactionLevel // the lowest that a result may be brought to
	PreviewTokens int                // what each preview may keep at COMPACTION_LEVEL_TRIMMED, at the least
	Budget        int                // tokens of all receipts; 0: none, and every result goes to the level
	OpenFailure   int                // tokens that each preview of a failure keeps that is still open
	LastTurns     int                // whose results are protected
	Calls         map[string]bool    // that are
	Families      map[string]bool    // that are
	Cache         Cache
	// Measure says what the receipt of the result of an entry costs, in tokens.
	Measure func(entry int, r *pb.CanonicalToolResult) (int, error)
}

// Plan is what a compaction does to a history.
type Plan struct {
	Results       []Planned
	Before, After int // tokens of all receipts
	Invalidated   int // tokens of the provider's cache
	Shortfall     int // by how many tokens the budget is not met
	Unknown       int // results that this version does not know
	shelf         *shelf
}

// Planned is what it does to one result.
type Planned struct {
	Target        Target
	Changed       bool
	Level         pb.CompactionLevel // afterwards
	Before, After int
	Hold          pb.ResultHold
	Open          bool // a failure after which the same did not succeed
	SupersededBy  int  // index; -1 for none
	Subject       string
}

// FirstChanged is the index of the first result that changes, or -1.
func (p *Plan) FirstChanged() int {
	return slices.IndexFunc(p.Results, func(r Planned) bool { return r.Changed })
}

// Result returns what the plan makes of the result of an entry that is known. It is made
// anew each time; the only errors are those of Load.
func (p *Plan) Result(entry int) (Compacted, error) {
	l, err := p.shelf.get(entry)
	if err != nil {
		return Compacted{}, err
	}
	if !p.Results[entry].Changed {
		return Compacted{Result: l.result}, nil
	}
	return p.shelf.compact(l.result, p.Results[entry].Target, l.rankings), nil
}

// ResultAt returns what the plan makes of the result of an entry that changes, with another
// place for its artifacts.
func (p *Plan) ResultAt(entry int, place Place) (Compacted, error) {
	l, err := p.shelf.get(entry)
	if err != nil {
		return Compacted{}, err
	}
	return p.shelf.At(place).Compact(l.result, p.Results[entry].Target), nil
}

// Plan plans the compaction of a history, the oldest entry first. It changes nothing
// given, and keeps no result in memory but the last ones. The only errors are those of
// Load and Measure.
func (c *Compactor) Plan(history History, p Policy) (*Plan, error) {
	n := len(history.Entries)
	s := &shelf{Compactor: c, History: history, kept: map[int]*loaded{}}
	l := planner{
		Policy: p, shelf: s, list: make([]facts, n), plan: &Plan{Results: make([]Planned, n), shelf: s},
		steps: make([][]step, n), states: make([][]state, n), now: make([]int, n),
	}
	if err := l.begin(history.Entries); err != nil {
		return nil, err
	}
	var err error
	if p.Budget == 0 {
		err = l.all()
	} else if l.total > p.Budget {
		err = l.fit()
	}
	if err != nil {
		return nil, err
	}
	return l.finish(), nil
}
