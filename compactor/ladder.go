package compactor

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// rung is what a result may be brought to.
type rung struct {
	level         pb.CompactionLevel
	previewTokens int
}

func (r rung) target() Target { return Target{Level: r.level, PreviewTokens: r.previewTokens} }

// step brings a result from one rung of its ladder to a lower one.
type step struct {
	to    rung
	saved int // tokens, about
	loss  int // of what the result is worth
	price int // loss per token saved: the cheapest step of all is taken first
}

// worth is what a token is worth by the salience of its line, and by how many tokens of
// the preview matter more: from once to six times the least for a line, and half as much
// where twice as much is shown, so that every doubling of a preview is worth the same.
func worth(rank, before int) int {
	w := 4 // no choice was made among the lines
	if rank > 0 {
		w = 2 + rank/10
	}
	return w * doubling * fullWorth / (doubling + before)
}

const (
	doubling    = 128           // tokens until a token is worth half
	fullWorth   = 64            // of the least token of all, at first
	worthOfFact = 6 * fullWorth // a token of a fact that only the receipt loses
	leastSaving = 48            // what a step must save, about: each rewrites the result
	headerLine  = 16            // tokens that a section's own line costs, about, and one line does not
)

// sketch is what a result would show at any size, without making it.
type sketch struct {
	texts    []textSketch
	lists    []listSketch
	sections int // that have a line of their own
	empty    int // of them: that show nothing but their handle
}

type textSketch struct {
	*ranking
	worths    []int // worths[k] of k units
	hasHandle bool
}

type listSketch struct {
	costs     []int // of its elements
	worths    []int // worths[k] of k elements
	hasHandle bool
}

func (o *loaded) sketch() sketch {
	var s sketch
	s.message(o.schema, o.payload, o)
	return s
}

func (s *sketch) message(of *schema, m protoreflect.Message, o *loaded) {
	for i := range of.large {
		f := &of.large[i]
		if !f.Has(m) {
			continue
		}
		s.sections++
		v := f.Get(m)
		if v.Preview == "" {
			if v.Artifact != "" {
				s.empty++
			}
			continue
		}
		if r := o.rankings.of(previewKey{m.Interface(), i}, &v, o.failed); r != nil {
			s.texts = append(s.texts, textSketch{r, r.worths(), v.Truncated && v.Artifact != ""})
		}
	}
	for i := range of.lists {
		l := &of.lists[i]
		switch v := l.Get(m); {
		case v.Shown > 0 && (v.Artifact != "" || !v.Truncated):
			s.list(elementTokens(l.Field, m.Get(l.Field).List()), v.Truncated && v.Artifact != "")
			s.sections++
		case v.Shown == 0 && v.Artifact != "":
			s.sections++
			s.empty++
		}
	}
	of.each(m, func(inner *schema, m protoreflect.Message) { s.message(inner, m, o) })
}

// worths are what so many units are worth.
func (r *ranking) worths() []int {
	list := make([]int, len(r.units)+1)
	spent := 0
	for k, i := range r.order {
		u := &r.units[i]
		list[k+1] = list[k] + int(u.tokens)*worth(int(u.rank), spent)
		spent += int(u.tokens)
	}
	return list
}

func (s *sketch) list(costs []int, hasHandle bool) {
	l := listSketch{costs: costs, worths: make([]int, len(costs)+1), hasHandle: hasHandle}
	spent := 0
	for k, n := range costs {
		l.worths[k+1] = l.worths[k] + n*worth(0, spent)
		spent += n
	}
	s.lists = append(s.lists, l)
}

// at is what a result costs at a target, without what every level keeps, and what it is
// worth.
func (s *sketch) at(to Target) (cost, value int) {
	limits := to.limits()
	if to.Level == full {
		limits = nil
	}
	handle := to.slack(false)
	cost = s.empty * handle
	for i := range s.texts {
		t := &s.texts[i]
		k := t.keep(limits, to.slack(t.hasHandle))
		cost, value = cost+t.costs[k], value+t.worths[k]
		if cut, ok := t.lineAt(limits); ok && k == 0 {
			cost, value = cost+cut.tokens, value+t.worths[len(t.order)]*cut.tokens/max(1, t.costs[len(t.order)])
		}
		if t.hasHandle || k < len(t.order) {
			cost += handle
		}
	}
	for i := range s.lists {
		l := &s.lists[i]
		k := keepElements(l.costs, limits, to.slack(l.hasHandle))
		cost, value = cost+sum(l.costs[:k]), value+l.worths[k]
		if l.hasHandle || k < len(l.costs) {
			cost += handle
		}
	}
	if to.Level != line {
		cost, value = cost+s.sections*headerLine, value+s.sections*headerLine*worthOfFact
	}
	return cost, value
}

// rungs are what a result may be brought to, the highest first.
func (p *Policy) rungs(o *facts) (list []rung) {
	floor := 0
	if o.open {
		floor = p.OpenFailure
	}
	for _, n := range sizesDownTo(p.PreviewTokens) {
		if n >= floor {
			list = append(list, rung{trimmed, n})
		}
	}
	if p.Level >= handles && floor == 0 {
		list = append(list, rung{level: handles})
	}
	if p.Level >= line && floor == 0 && o.family != errorFamily && o.schema.leveled {
		list = append(list, rung{level: line})
	}
	return list
}

// steps are the steps down the ladder of a result, each dearer than the one before: a
// rung that costs more than it is worth is passed over. What is left of the ladder from
// any rung on is the ladder of the result that stands there, so that it does not matter
// in how many compactions it went down.
func (p *Policy) steps(o *facts, l *loaded) (steps []step) {
	weight := o.weight()
	sketch := l.sketch()
	cost, value := sketch.at(Target{})
	for _, to := range p.rungs(o) {
		c, v := sketch.at(to.target())
		if saved := cost - c; saved < leastSaving && (to.level != line || saved <= 0) {
			continue
		}
		s := step{to: to, saved: cost - c, loss: weight * (value - v)}
		for n := len(steps); n > 0 && steps[n-1].loss*s.saved >= s.loss*steps[n-1].saved; n = len(steps) {
			s.saved, s.loss = s.saved+steps[n-1].saved, s.loss+steps[n-1].loss
			steps = steps[:n-1]
		}
		steps = append(steps, s)
		cost, value = c, v
	}
	return steps
}

// weight is how much a token of a result counts among those of others: by its age in
// turns, four times for a failure that is open, and an eighth for what a later result
// says better, or made untrue.
func (o *facts) weight() int {
	const youngest = 1 << 16
	w := youngest / (1 + o.age)
	if o.open {
		w *= 4
	}
	if o.superseded >= 0 || o.stale {
		w /= 8
	}
	return max(1, w)
}
