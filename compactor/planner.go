package compactor

import (
	"cmp"
	"errors"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The planner takes steps down the ladders of all results, in one order that does not
// depend on the budget (docs/adr/0021). It works in three passes: measure every result
// as it is; take steps by their estimated savings until the budget should be met; then
// measure the results at their rungs, and take or undo single steps until the receipts
// fit exactly. Only results whose state changes are made and measured, and each state
// is measured once.

// planner makes one plan.
type planner struct {
	Policy
	results *resultCache
	list    []facts       // by entry
	plan    *Plan         // under construction
	steps   [][]step      // by entry: down its ladder
	order   []plannedStep // the steps of all entries, in the order in which they are taken
	states  [][]state     // by entry and number of steps taken; filled as they are needed
	taken   []int         // by entry: number of steps taken
	total   int           // tokens of all receipts in their present states
}

// plannedStep is a step of an entry.
type plannedStep struct {
	entry  int
	number int // of the steps of the entry, from 1
	saved  int // tokens, estimated
	price  int // loss per token saved, with the discount of the cache
}

// state is an entry after some of its steps.
type state struct {
	known bool // the state was measured
	rung  int  // number of the step that made it; 0 for the entry as it is given
	cost  int  // tokens of its receipt
	level pb.CompactionLevel
}

// measureAll measures the results as they are, finds what they are to each other, and
// which may not change.
func (l *planner) measureAll(entries []Entry) error {
	for i := range l.list {
		if entries[i].Unknown != nil {
			l.keep(i, entries[i])
			continue
		}
		o, err := l.results.get(i)
		if err != nil {
			return err
		}
		n, err := l.Measure(i, o.result)
		if unknown, ok := errors.AsType[*UnknownError](err); ok {
			e := entries[i]
			e.Unknown = unknown
			l.keep(i, e)
			continue
		}
		if err != nil {
			return err
		}
		l.list[i] = l.results.newFacts(&entries[i], o)
		l.states[i] = []state{{known: true, cost: n, level: l.list[i].level}}
		l.total += n
	}
	relateAll(l.list)
	for i := range l.list {
		o, r := &l.list[i], &l.plan.Results[i]
		r.Before, r.Hold, r.Open, r.SupersededBy = l.states[i][0].cost, l.hold(i), o.open, o.superseded
		r.Subject, r.Unknown = o.subject.Text, o.Unknown
	}
	l.plan.Before = l.total
	return nil
}

// keep leaves an entry with an unknown result as it is, and counts it.
func (l *planner) keep(i int, e Entry) {
	l.list[i] = facts{Entry: &e, relation: relation{subject: e.Subject, superseded: -1}}
	l.states[i] = []state{{known: true, cost: e.Unknown.Tokens}}
	l.total += e.Unknown.Tokens
	l.plan.Unknown++
	l.plan.UnknownTokens += e.Unknown.Tokens
}

// hold returns the reason why an entry may not change, or RESULT_HOLD_UNSPECIFIED.
func (l *planner) hold(i int) pb.ResultHold {
	o := &l.list[i]
	switch {
	case o.Unknown != nil:
		return pb.ResultHold_RESULT_HOLD_UNKNOWN
	case o.age < l.LastTurns, o.Call != "" && l.Calls[o.Call], l.Families[o.family]:
		return pb.ResultHold_RESULT_HOLD_PROTECTED
	case i < l.Cache.Results && !l.Cache.MayBreak:
		return pb.ResultHold_RESULT_HOLD_CACHED
	}
	return pb.ResultHold_RESULT_HOLD_UNSPECIFIED
}

// mayChange reports whether an entry may change, and has anything to compact.
func (l *planner) mayChange(i int) bool {
	return l.plan.Results[i].Hold == pb.ResultHold_RESULT_HOLD_UNSPECIFIED && l.list[i].schema != nil
}

// compactAll brings every entry to the level of the policy. An entry that one line would
// not make shorter gets the level above.
func (l *planner) compactAll() error {
	levels := []pb.CompactionLevel{l.Policy.Level}
	if l.Policy.Level == line {
		levels = []pb.CompactionLevel{handles, line}
	}
	for i := range l.list {
		if !l.mayChange(i) {
			continue
		}
		for _, level := range levels {
			l.steps[i] = append(l.steps[i], step{to: rung{level, l.PreviewTokens}})
		}
		if err := l.moveTo(i, len(levels)); err != nil {
			return err
		}
	}
	return nil
}

// meetBudget takes steps, the cheapest first, until the budget is met. A smaller budget
// takes more steps of the same order, so it never shows more of any result.
func (l *planner) meetBudget() error {
	if err := l.orderSteps(); err != nil {
		return err
	}
	taken, estimated := 0, l.total
	for taken < len(l.order) && estimated > l.Budget {
		estimated -= l.order[taken].saved
		taken++
	}
	for _, s := range l.order[:taken] {
		l.taken[s.entry] = s.number
	}
	if err := l.countTotal(); err != nil {
		return err
	}
	taken, err := l.correct(taken)
	if err != nil {
		return err
	}
	for ; taken < len(l.order) && l.breaksCache() && l.plan.Before-l.total < l.Cache.MinSaving; taken++ {
		if err := l.apply(l.order[taken]); err != nil {
			return err
		}
	}
	return nil
}

// correct takes further steps, or undoes the last ones, until exactly those are taken
// that the budget needs. It returns their number.
func (l *planner) correct(taken int) (int, error) {
	for ; taken < len(l.order) && l.total > l.Budget; taken++ {
		if err := l.apply(l.order[taken]); err != nil {
			return taken, err
		}
	}
	for taken > 0 && l.total <= l.Budget {
		s := l.order[taken-1]
		before := l.total
		if err := l.moveTo(s.entry, s.number-1); err != nil {
			return taken, err
		}
		if l.total > l.Budget {
			err := l.moveTo(s.entry, s.number)
			l.total = before
			return taken, err
		}
		taken--
	}
	return taken, nil
}

// orderSteps makes the order in which all steps are taken: by price, then by age of the
// entry.
func (l *planner) orderSteps() error {
	before := make([]int, len(l.list))
	for i := range l.list {
		before[i] = l.plan.Results[i].Before
		if !l.mayChange(i) {
			continue
		}
		o, err := l.results.get(i)
		if err != nil {
			return err
		}
		l.steps[i] = l.Policy.steps(&l.list[i], o)
	}
	discounts := l.Cache.discounts(l.list, before, l.steps)
	for i, steps := range l.steps {
		for n := range steps {
			s := &steps[n]
			s.price = s.loss * shares / s.saved * shares / discounts[i]
			l.order = append(l.order, plannedStep{entry: i, number: n + 1, saved: s.saved, price: s.price})
		}
	}
	slices.SortStableFunc(l.order, func(a, b plannedStep) int {
		return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.entry, b.entry), cmp.Compare(a.number, b.number))
	})
	return nil
}

// countTotal adds up the tokens of all receipts in their present states.
func (l *planner) countTotal() error {
	l.total = 0
	for i := range l.list {
		s, err := l.state(i, l.taken[i])
		if err != nil {
			return err
		}
		l.total += s.cost
	}
	return nil
}

// apply takes a step: its entry moves to the state behind it.
func (l *planner) apply(s plannedStep) error { return l.moveTo(s.entry, s.number) }

// moveTo brings an entry to the state after a number of its steps.
func (l *planner) moveTo(entry, number int) error {
	was, err := l.state(entry, l.taken[entry])
	if err != nil {
		return err
	}
	next, err := l.state(entry, number)
	if err != nil {
		return err
	}
	l.taken[entry] = number
	l.total += next.cost - was.cost
	return nil
}

// sureSaving is the estimated saving, in tokens, from which a step certainly makes the
// receipt smaller; a step that saves less is compared with the state before.
const sureSaving = 160

// minGain is the saving, in tokens, that makes a receipt of one line worth its step.
const minGain = 6

// target returns the target of an entry after a number of its steps.
func (l *planner) target(entry, number int) Target {
	to := l.steps[entry][number-1].to.target()
	to.Superseded, to.Names = supersededBy(l.list, entry), l.list[entry].names
	return to
}

// state returns an entry after a number of its steps. A step that does not make the
// receipt smaller changes nothing.
func (l *planner) state(entry, number int) (state, error) {
	if len(l.states[entry]) <= number {
		l.states[entry] = append(l.states[entry], make([]state, number+1-len(l.states[entry]))...)
	}
	if s := l.states[entry][number]; s.known {
		return s, nil
	}
	made, err := l.compactAndMeasure(entry, number)
	if err != nil {
		return made, err
	}
	st := l.steps[entry][number-1]
	if made.rung == 0 || st.saved < sureSaving {
		higher, err := l.state(entry, number-1)
		if err != nil {
			return higher, err
		}
		least := 1
		if st.to.level == line {
			least = minGain
		}
		if made.rung == 0 || made.cost+least > higher.cost {
			made = higher
		}
	}
	l.states[entry][number] = made
	return made, nil
}

// compactAndMeasure makes an entry after a step, and measures its receipt. Its state is
// not known when the step changes nothing.
func (l *planner) compactAndMeasure(entry, number int) (s state, err error) {
	o, err := l.results.get(entry)
	if err != nil {
		return s, err
	}
	made := l.results.compact(o.result, l.target(entry, number), o.rankings)
	if !made.Changed {
		return s, nil
	}
	s = state{known: true, rung: number, level: l.results.Level(made.Result)}
	s.cost, err = l.Measure(entry, made.Result)
	return s, err
}

// breaksCache reports whether a result in the provider's cache changes.
func (l *planner) breaksCache() bool {
	for i := range min(l.Cache.Results, len(l.list)) {
		if l.states[i][l.taken[i]].rung > 0 {
			return true
		}
	}
	return false
}

// finish fills in the plan from the present states.
func (l *planner) finish() *Plan {
	p := l.plan
	p.After = l.total
	if l.Budget > 0 {
		p.Shortfall = max(0, l.total-l.Budget)
	}
	for i := range p.Results {
		s, r := l.states[i][l.taken[i]], &p.Results[i]
		r.Changed, r.Level, r.After = s.rung > 0, s.level, s.cost
		if r.Changed {
			r.Target = l.target(i, s.rung)
		}
	}
	first := p.FirstChanged()
	for i := first; 0 <= first && i < min(l.Cache.Results, len(l.list)); i++ {
		p.Invalidated += p.Results[i].Before
		if i > first {
			p.Invalidated += l.list[i].Preceding
		}
	}
	return p
}
