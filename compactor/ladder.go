package compactor

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The ladder of a result is the list of forms that it can be compacted to: smaller and
// smaller previews, then handles alone, then one line. Planning needs the cost and the
// score of every rung, so both are estimated from the lines of the previews, without
// compacting anything. The planner measures later, and corrects a wrong estimate.

// rung is a form that a result can be compacted to.
type rung struct {
	level         pb.CompactionLevel
	previewTokens int // of each preview; only at COMPACTION_LEVEL_TRIMMED
}

func (r rung) target() Target { return Target{Level: r.level, PreviewTokens: r.previewTokens} }

// step brings a result from one rung of its ladder to a lower one.
type step struct {
	to    rung
	saved int // tokens, estimated
	loss  int // of the score of the result
	price int // loss per token saved; steps are taken in the order of their prices
}

// tokenScore returns the score of one token of a line with a salience rank, after a
// number of tokens of the preview that rank higher. The rank counts from once to six
// times. The score halves when the preview doubles, so that every doubling is worth
// the same: a preview of a thousand tokens is not ten times as useful as one of a
// hundred.
func tokenScore(rank, before int) int {
	weight := 4 // no choice was made among the lines
	if rank > 0 {
		weight = 2 + rank/10
	}
	return weight * doubling * fullScore / (doubling + before)
}

const (
	doubling   = 128           // tokens after which the score of a token is half
	fullScore  = 64            // of the least important token at the start of a preview
	factScore  = 6 * fullScore // of a token of a fact that only the receipt loses
	minSaving  = 48            // tokens that a step must save: each step rewrites the result
	headerLine = 16            // tokens of a section's own line, which a receipt of one line has not
)

// estimate holds the cost and the score of a result at any rung, without making it.
type estimate struct {
	texts    []textEstimate
	lists    []listEstimate
	sections int // with a line of their own
	empty    int // of these, sections that show nothing but their handle
}

// textEstimate is the estimate of a preview.
type textEstimate struct {
	*ranking
	scores    []int // scores[k] is the score of the first k units of the ranking
	hasHandle bool  // the receipt names its artifact already
}

// listEstimate is the estimate of a list.
type listEstimate struct {
	costs     []int // of its elements, in tokens
	scores    []int // scores[k] is the score of the first k elements
	hasHandle bool  // the receipt names its artifact already
}

// estimate estimates the result from its previews and lists.
func (d *decoded) estimate() estimate {
	var e estimate
	e.add(d.schema, d.payload, d)
	return e
}

// add adds a message and the messages inside it.
func (e *estimate) add(s *schema, m protoreflect.Message, d *decoded) {
	for i := range s.large {
		f := &s.large[i]
		if !f.Has(m) {
			continue
		}
		e.sections++
		v := f.Get(m)
		if v.Preview == "" {
			if v.Artifact != "" {
				e.empty++
			}
			continue
		}
		if r := d.rankings.lookup(previewKey{m.Interface(), i}, &v, d.suspect); r != nil {
			e.texts = append(e.texts, textEstimate{r, r.scores(), v.Truncated && v.Artifact != ""})
		}
	}
	for _, l := range s.lists {
		switch v := l.Get(m); {
		case v.Shown > 0 && (v.Artifact != "" || !v.Truncated):
			e.addList(elementTokens(l.Field, m.Get(l.Field).List()), v.Truncated && v.Artifact != "")
			e.sections++
		case v.Shown == 0 && v.Artifact != "":
			e.sections++
			e.empty++
		}
	}
	s.each(m, func(inner *schema, m protoreflect.Message) { e.add(inner, m, d) })
}

// scores returns the score of the first k units, for every k.
func (r *ranking) scores() []int {
	list := make([]int, len(r.units)+1)
	spent := 0
	for k, i := range r.order {
		u := &r.units[i]
		list[k+1] = list[k] + int(u.tokens)*tokenScore(int(u.rank), spent)
		spent += int(u.tokens)
	}
	return list
}

// addList adds a list with the costs of its elements.
func (e *estimate) addList(costs []int, hasHandle bool) {
	l := listEstimate{costs: costs, scores: make([]int, len(costs)+1), hasHandle: hasHandle}
	spent := 0
	for k, n := range costs {
		l.scores[k+1] = l.scores[k] + n*tokenScore(0, spent)
		spent += n
	}
	e.lists = append(e.lists, l)
}

// at returns the cost of the result at a target, in tokens and without what every
// level keeps, and its score.
func (e *estimate) at(to Target) (cost, score int) {
	limits := to.limits()
	if to.Level == full {
		limits = nil
	}
	handle := to.slack(false)
	cost = e.empty * handle
	for i := range e.texts {
		t := &e.texts[i]
		k := t.keep(limits, to.slack(t.hasHandle))
		cost, score = cost+t.costs[k], score+t.scores[k]
		if cut, ok := t.lineAt(limits); ok && k == 0 {
			cost, score = cost+cut.tokens, score+t.scores[len(t.order)]*cut.tokens/max(1, t.costs[len(t.order)])
		}
		if t.hasHandle || k < len(t.order) {
			cost += handle
		}
	}
	for i := range e.lists {
		l := &e.lists[i]
		k := keepElements(l.costs, limits, to.slack(l.hasHandle))
		cost, score = cost+sum(l.costs[:k]), score+l.scores[k]
		if l.hasHandle || k < len(l.costs) {
			cost += handle
		}
	}
	if to.Level != line {
		cost, score = cost+e.sections*headerLine, score+e.sections*headerLine*factScore
	}
	return cost, score
}

// rungs returns the ladder of a result, the highest rung first. The previews of an
// open failure keep a floor, and it never loses them.
func (p *Policy) rungs(f *facts) (list []rung) {
	floor := 0
	if f.open {
		floor = p.OpenFailure
	}
	for _, n := range sizesTo(p.PreviewTokens) {
		if n >= floor {
			list = append(list, rung{trimmed, n})
		}
	}
	if p.Level >= handles && floor == 0 {
		list = append(list, rung{level: handles})
	}
	if p.Level >= line && floor == 0 && f.family != errorFamily && f.schema.leveled {
		list = append(list, rung{level: line})
	}
	return list
}

// steps returns the steps down the ladder of a result, each dearer than the one
// before: steps form the lower convex hull of loss over saving, so a rung that costs
// more than it is worth is skipped. From any rung the rest of the ladder is that of
// the result at that rung, so it does not matter how many compactions led there.
func (p *Policy) steps(f *facts, d *decoded) (steps []step) {
	weight := f.weight()
	e := d.estimate()
	cost, score := e.at(Target{})
	for _, to := range p.rungs(f) {
		c, v := e.at(to.target())
		if saved := cost - c; saved < minSaving && (to.level != line || saved <= 0) {
			continue
		}
		steps = appendToHull(steps, step{to: to, saved: cost - c, loss: weight * (score - v)})
		cost, score = c, v
	}
	return steps
}

// appendToHull appends a step to the lower convex hull of loss over saving. It takes the
// place of the steps before it that lose no less per token saved than it does, and makes
// their way, too.
func appendToHull(steps []step, s step) []step {
	for n := len(steps); n > 0 && steps[n-1].loss*s.saved >= s.loss*steps[n-1].saved; n = len(steps) {
		s.saved, s.loss = s.saved+steps[n-1].saved, s.loss+steps[n-1].loss
		steps = steps[:n-1]
	}
	return append(steps, s)
}

// weight returns the weight of the result's tokens among those of others. It falls
// with the age in turns, is four times as high for an open failure, and an eighth for
// a result that a later one superseded or made stale. A result that comes again has the
// least.
func (f *facts) weight() int {
	if f.repeated {
		return 1
	}
	const youngest = 1 << 16
	w := youngest / (1 + f.age)
	if f.open {
		w *= 4
	}
	if f.superseded >= 0 || f.stale {
		w /= 8
	}
	return max(1, w)
}
