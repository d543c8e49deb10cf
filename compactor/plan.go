package compactor

import (
	"cmp"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
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
}

// Planned is what it does to one result.
type Planned struct {
	Compacted
	Target        Target
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

// Plan plans the compaction of a history, the oldest entry first. It changes nothing
// given. The only errors are those of Measure.
func (c *Compactor) Plan(history []Entry, p Policy) (*Plan, error) {
	l := planner{Compactor: c, Policy: p, list: c.open(history), plan: &Plan{Results: make([]Planned, len(history))}}
	if err := l.begin(); err != nil {
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

// planner is the making of one plan.
type planner struct {
	*Compactor
	Policy
	list   []opened
	plan   *Plan
	steps  [][]step // of each entry
	order  []step   // all of them, in the order in which they are taken
	states [][]state
	now    []int // how many of its steps each entry has taken
	total  int   // what all receipts cost at their states
}

// state is a result after some of its steps.
type state struct {
	Compacted
	target Target
	cost   int // 0: not looked at
}

// begin measures the results as they are, and finds those that may not change.
func (l *planner) begin() error {
	l.now, l.states = make([]int, len(l.list)), make([][]state, len(l.list))
	for i := range l.list {
		o, r := &l.list[i], &l.plan.Results[i]
		n, err := l.Measure(i, o.Result)
		if err != nil {
			return err
		}
		r.Before, r.Hold, r.Open, r.SupersededBy = n, l.hold(i), o.open, o.superseded
		r.Subject = preview.OneLine(o.subject)
		l.states[i] = []state{{Compacted: Compacted{Result: o.Result}, cost: n}}
		l.total += n
	}
	l.plan.Before = l.total
	return nil
}

// hold says why an entry may not change.
func (l *planner) hold(i int) pb.ResultHold {
	o := &l.list[i]
	switch {
	case o.age < l.LastTurns, o.Call != "" && l.Calls[o.Call], l.Families[o.family]:
		return pb.ResultHold_RESULT_HOLD_PROTECTED
	case i < l.Cache.Results && !l.Cache.MayBreak:
		return pb.ResultHold_RESULT_HOLD_CACHED
	}
	return pb.ResultHold_RESULT_HOLD_UNSPECIFIED
}

// free reports whether an entry may change.
func (l *planner) free(i int) bool {
	return l.plan.Results[i].Hold == pb.ResultHold_RESULT_HOLD_UNSPECIFIED && l.list[i].schema != nil
}

// all brings every entry to the level, and one for which a line is no shorter to the
// level above.
func (l *planner) all() error {
	l.steps = make([][]step, len(l.list))
	levels := []pb.CompactionLevel{l.Policy.Level}
	if l.Policy.Level == line {
		levels = []pb.CompactionLevel{handles, line}
	}
	for i := range l.list {
		if !l.free(i) {
			continue
		}
		for n, level := range levels {
			to := Target{Level: level, PreviewTokens: l.PreviewTokens, Superseded: supersededBy(l.list, i)}
			l.steps[i] = append(l.steps[i], step{entry: i, number: n + 1, to: to})
		}
		if err := l.moveTo(i, len(levels)); err != nil {
			return err
		}
	}
	return nil
}

// fit takes steps, the cheapest first, until the budget is met. The order of the steps
// does not depend on the budget: a smaller one takes more of the same, and so never
// shows more of any result.
func (l *planner) fit() error {
	l.sort()
	taken, about := 0, l.total
	for taken < len(l.order) && about > l.Budget {
		about -= l.order[taken].saved
		taken++
	}
	for _, s := range l.order[:taken] {
		l.now[s.entry] = s.number
	}
	if err := l.count(); err != nil {
		return err
	}
	// What was about right is made exact: no step too few, and none too many.
	for ; taken < len(l.order) && l.total > l.Budget; taken++ {
		if err := l.take(l.order[taken]); err != nil {
			return err
		}
	}
	for taken > 0 && l.total <= l.Budget {
		s := l.order[taken-1]
		before := l.total
		if err := l.moveTo(s.entry, s.number-1); err != nil {
			return err
		}
		if l.total > l.Budget {
			if err := l.moveTo(s.entry, s.number); err != nil {
				return err
			}
			l.total = before
			break
		}
		taken--
	}
	for ; taken < len(l.order) && l.breaks() && l.plan.Before-l.total < l.Cache.MinSaving; taken++ {
		if err := l.take(l.order[taken]); err != nil {
			return err
		}
	}
	return nil
}

// sort makes the order of all steps.
func (l *planner) sort() {
	l.steps = make([][]step, len(l.list))
	before := make([]int, len(l.list))
	for i := range l.list {
		before[i] = l.plan.Results[i].Before
		if l.free(i) {
			l.steps[i] = l.Policy.steps(l.list, i)
		}
	}
	discounts := l.Cache.discounts(l.list, before, l.steps)
	for i, steps := range l.steps {
		for n := range steps {
			s := &steps[n]
			s.price = s.loss * shares / s.saved * shares / discounts[i]
		}
		l.order = append(l.order, steps...)
	}
	slices.SortStableFunc(l.order, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.entry, b.entry), cmp.Compare(a.number, b.number))
	})
}

// count adds up what all receipts cost at their states.
func (l *planner) count() error {
	l.total = 0
	for i := range l.list {
		s, err := l.state(i, l.now[i])
		if err != nil {
			return err
		}
		l.total += s.cost
	}
	return nil
}

// take takes a step.
func (l *planner) take(s step) error { return l.moveTo(s.entry, s.number) }

// moveTo brings an entry to one of its states.
func (l *planner) moveTo(entry, number int) error {
	was, err := l.state(entry, l.now[entry])
	if err != nil {
		return err
	}
	next, err := l.state(entry, number)
	if err != nil {
		return err
	}
	l.now[entry] = number
	l.total += next.cost - was.cost
	return nil
}

// sureSaving is what a step must save, about, to be sure that the receipt gets smaller.
const sureSaving = 160

// leastGain is what one line must save, where nothing else goes.
const leastGain = 8

// state returns an entry after some of its steps. A step that does not make the receipt
// smaller changes nothing.
func (l *planner) state(entry, number int) (*state, error) {
	states := l.states[entry]
	for len(states) <= number {
		states = append(states, state{})
	}
	l.states[entry] = states
	s := &states[number]
	if s.cost > 0 || number == 0 {
		return s, nil
	}
	st := l.steps[entry][number-1]
	s.target, s.Compacted = st.to, l.compact(l.list[entry].Result, st.to, l.list[entry].rankings)
	if s.Changed {
		var err error
		if s.cost, err = l.Measure(entry, s.Result); err != nil {
			return nil, err
		}
	}
	if s.Changed && st.saved >= sureSaving {
		return s, nil
	}
	higher, err := l.state(entry, number-1)
	if err != nil {
		return nil, err
	}
	least := 1
	if st.to.Level == line {
		least = leastGain
	}
	if s = &l.states[entry][number]; !s.Changed || s.cost+least > higher.cost {
		*s = *higher
	}
	return s, nil
}

// breaks reports whether a result changes that is in the provider's cache.
func (l *planner) breaks() bool {
	for i := range min(l.Cache.Results, len(l.list)) {
		if l.states[i][l.now[i]].Changed {
			return true
		}
	}
	return false
}

// finish fills in the plan.
func (l *planner) finish() *Plan {
	p := l.plan
	p.After = l.total
	if l.Budget > 0 {
		p.Shortfall = max(0, l.total-l.Budget)
	}
	for i := range p.Results {
		s := &l.states[i][l.now[i]]
		p.Results[i].Compacted, p.Results[i].Target, p.Results[i].After = s.Compacted, s.target, s.cost
	}
	for i := max(0, p.FirstChanged()); p.FirstChanged() >= 0 && i < min(l.Cache.Results, len(l.list)); i++ {
		p.Invalidated += p.Results[i].Before
		if i > p.FirstChanged() {
			p.Invalidated += l.list[i].Preceding
		}
	}
	return p
}
