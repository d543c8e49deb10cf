package compactor

import (
	"cmp"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// planner is the making of one plan.
type planner struct {
	Policy
	shelf  *shelf
	list   []facts
	plan   *Plan
	steps  [][]step // of each entry
	order  []taking // all of them, in the order in which they are taken
	states [][]state
	now    []int // how many of its steps each entry has taken
	total  int   // what all receipts cost at their states
}

// taking is the taking of a step.
type taking struct {
	entry  int
	number int // of the steps of the entry, from 1
	saved  int
	price  int
}

// state is a result after some of its steps.
type state struct {
	known bool
	rung  int // by which step it came to be; 0: it is as it was
	cost  int
	level pb.CompactionLevel
}

// begin measures the results as they are, and finds those that may not change.
func (l *planner) begin(entries []Entry) error {
	for i := range l.list {
		if entries[i].Unknown {
			l.list[i] = facts{Entry: &entries[i], standing: standing{subject: entries[i].Subject, superseded: -1}}
			l.states[i] = []state{{known: true}}
			l.plan.Unknown++
			continue
		}
		o, err := l.shelf.get(i)
		if err != nil {
			return err
		}
		n, err := l.Measure(i, o.result)
		if err != nil {
			return err
		}
		l.list[i] = l.shelf.factsOf(&entries[i], o)
		l.states[i] = []state{{known: true, cost: n, level: l.list[i].level}}
		l.total += n
	}
	stand(l.list)
	for i := range l.list {
		o, r := &l.list[i], &l.plan.Results[i]
		r.Before, r.Hold, r.Open, r.SupersededBy = l.states[i][0].cost, l.hold(i), o.open, o.superseded
		r.Subject = o.subject.Text
	}
	l.plan.Before = l.total
	return nil
}

// hold says why an entry may not change.
func (l *planner) hold(i int) pb.ResultHold {
	o := &l.list[i]
	switch {
	case o.Unknown:
		return pb.ResultHold_RESULT_HOLD_UNKNOWN
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
	levels := []pb.CompactionLevel{l.Policy.Level}
	if l.Policy.Level == line {
		levels = []pb.CompactionLevel{handles, line}
	}
	for i := range l.list {
		if !l.free(i) {
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

// fit takes steps, the cheapest first, until the budget is met. The order of the steps
// does not depend on the budget: a smaller one takes more of the same, and so never
// shows more of any result.
func (l *planner) fit() error {
	if err := l.sort(); err != nil {
		return err
	}
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
func (l *planner) sort() error {
	before := make([]int, len(l.list))
	for i := range l.list {
		before[i] = l.plan.Results[i].Before
		if !l.free(i) {
			continue
		}
		o, err := l.shelf.get(i)
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
			l.order = append(l.order, taking{entry: i, number: n + 1, saved: s.saved, price: s.price})
		}
	}
	slices.SortStableFunc(l.order, func(a, b taking) int {
		return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.entry, b.entry), cmp.Compare(a.number, b.number))
	})
	return nil
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
func (l *planner) take(s taking) error { return l.moveTo(s.entry, s.number) }

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

// target is what an entry is brought to by one of its steps.
func (l *planner) target(entry, number int) Target {
	to := l.steps[entry][number-1].to.target()
	to.Superseded = supersededBy(l.list, entry)
	return to
}

// state returns an entry after some of its steps. A step that does not make the receipt
// smaller changes nothing.
func (l *planner) state(entry, number int) (state, error) {
	if len(l.states[entry]) <= number {
		l.states[entry] = append(l.states[entry], make([]state, number+1-len(l.states[entry]))...)
	}
	if s := l.states[entry][number]; s.known {
		return s, nil
	}
	made, err := l.try(entry, number)
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
			least = leastGain
		}
		if made.rung == 0 || made.cost+least > higher.cost {
			made = higher
		}
	}
	l.states[entry][number] = made
	return made, nil
}

// try makes an entry after a step, and measures it.
func (l *planner) try(entry, number int) (s state, err error) {
	o, err := l.shelf.get(entry)
	if err != nil {
		return s, err
	}
	made := l.shelf.compact(o.result, l.target(entry, number), o.rankings)
	if !made.Changed {
		return s, nil
	}
	s = state{known: true, rung: number, level: l.shelf.Level(made.Result)}
	s.cost, err = l.Measure(entry, made.Result)
	return s, err
}

// breaks reports whether a result changes that is in the provider's cache.
func (l *planner) breaks() bool {
	for i := range min(l.Cache.Results, len(l.list)) {
		if l.states[i][l.now[i]].rung > 0 {
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
		s, r := l.states[i][l.now[i]], &p.Results[i]
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
