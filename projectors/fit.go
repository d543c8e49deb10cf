package projectors

import (
	"cmp"
	"context"
	"slices"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// extentTokens is the cost of the heading and the marker of a cut part, in tokens,
// estimated. It only saves a round: the receipt is measured in any case.
const extentTokens = 30

// endingTokens is the cost of the last line of a receipt that omits something, in
// tokens, estimated. It saves a round likewise. A receipt of a smaller budget is too short for one.
const (
	endingTokens = 32
	leastEnded   = 2048 // tokens of budget
)

// minSlackShare is the part of the budget that is worth another round when it is left:
// one 32nd.
const minSlackShare = 32

// minStep is the least part of the budget that a round takes away, one 128th: lines
// are indivisible, and a smaller step often changes nothing.
const minStep = 128

// maxRounds bounds the rounds before the allowance that fitted is used or, if none
// did, the allowance is halved each time. Two or three rounds are usual.
const maxRounds = 8

// maxHalvings bounds the rounds after these, each with half of the part of the
// allowance above the one that fitted.
const maxHalvings = 6

// part is a piece of a canonical result of which more or less can be shown.
type part interface {
	// bytes returns the approximate size of its content, in bytes.
	bytes() int64
	// show puts as much content as a share pays for into the canonical result, and
	// stores the content that it omits.
	show(ctx context.Context, share envelope.Cost, p Policy, sink artifactstore.Sink) error
	// truncated reports whether show omitted content.
	truncated() bool
	// cost returns the cost of the shown content, where that is everything.
	cost(p Policy) envelope.Cost
}

// fit shows as much of the parts as the budget has space for in the receipt of r:
// outcome, facts, headings, markers and stuffing included. It returns r together
// with the receipt that fits. There is one allocator, this one. Before each
// measurement, finish completes r from what the parts omitted.
//
// The loop is short: the first round grants everything to results that may fit
// whole; the next ones take away what was too much; and when a receipt fits with a
// large rest, one more round gives that rest to the parts.
func fit(ctx context.Context, in Input, r *pb.CanonicalToolResult, parts []part, finish func() error, sink artifactstore.Sink) (Projection, error) {
	f := fitting{Input: in, parts: bySize(parts), sink: sink, whole: make([]bool, len(parts))}
	f.allowance = f.firstAllowance()
	var err error
	if f.hopeful, err = f.mayFitWhole(); err != nil {
		return Projection{}, err
	}
	for round := 0; ; round++ {
		if err := f.share(ctx, f.granted()); err != nil {
			return Projection{}, err
		}
		if err := finish(); err != nil {
			return Projection{}, err
		}
		if in.Mask != nil {
			in.Mask(r.ProtoReflect())
		}
		receipt, err := in.Measure(r)
		if err != nil {
			return Projection{}, err
		}
		switch over := receipt.Cost().Over(in.Policy.Budget); {
		case over == (envelope.Cost{}):
			if !f.grow(receipt.Cost()) {
				f.release() // after an error the parts may be fitted again
				return Projection{r, receipt}, nil
			}
		case f.hopeful && len(parts) > 0:
			f.hopeful = false
		case f.allowance.Tokens == 0 || len(parts) == 0:
			if !f.tryWhole(receipt.Cost()) {
				return Projection{}, f.least.Fits(in.Policy.Budget)
			}
		default:
			f.shrink(round, over)
		}
	}
}

// release gives the memory of the parts back: what they show is in the result.
func (f *fitting) release() {
	for _, p := range f.parts {
		if p, ok := p.(*payload); ok {
			p.release()
		}
	}
}

// fitting is one run of fit.
type fitting struct {
	Input
	parts     []part // the smallest first
	sink      artifactstore.Sink
	allowance envelope.Cost // of all parts together, in this round
	hopeful   bool          // everything may fit: the round has no limit
	grown     bool          // the rest of the budget was given to the parts, once
	fitted    envelope.Cost // the allowance before that, which certainly fits
	whole     []bool        // parts that are shown whole, whatever the allowance is
	tried     int           // how many of them were tried
	least     envelope.Cost // the least that a receipt has cost
}

// tryWhole has one more part shown whole, for a receipt without any allowance that is
// still too expensive: a short part may cost less than the lines that say where it is.
// cost is that of the receipt before. It reports false when all parts were tried.
func (f *fitting) tryWhole(cost envelope.Cost) bool {
	switch {
	case f.tried == 0 || isLess(cost.Over(f.Policy.Budget), f.least.Over(f.Policy.Budget)):
		f.least = cost
	default:
		f.whole[f.tried-1] = false
	}
	if f.tried == len(f.parts) {
		return false
	}
	f.whole[f.tried] = true
	f.tried++
	return true
}

// isLess reports whether a cost is less than another one in a unit, and more in none.
func isLess(a, b envelope.Cost) bool { return a != b && covers(b, a) }

// unlimited is the cost of anything.
var unlimited = envelope.Cost{Tokens: preview.NoLimit, Lines: preview.NoLimit, Bytes: preview.NoLimit}

// granted is the allowance of the round.
func (f *fitting) granted() envelope.Cost {
	if f.hopeful {
		return unlimited
	}
	return f.allowance
}

// grow gives what a receipt of some cost leaves of the budget to the parts. It reports
// false when that is not worth another round.
func (f *fitting) grow(cost envelope.Cost) bool {
	budget := f.Policy.Budget.Tokens
	slack := budget - cost.Tokens
	if f.grown || f.hopeful || f.tried > 0 || slack*minSlackShare < budget || !f.truncated() {
		return false
	}
	f.grown, f.fitted = true, f.allowance
	f.allowance.Tokens += slack
	if n := f.Policy.Budget.Lines; n > 0 {
		f.allowance.Lines += n - cost.Lines
	}
	if n := f.Policy.Budget.Bytes; n > 0 {
		f.allowance.Bytes += n - cost.Bytes
	}
	return true
}

// shrink takes from the allowance what a receipt was over the budget. After
// maxRounds it halves the allowance, or the part of it above one that fitted, to
// which it returns at last.
func (f *fitting) shrink(round int, over envelope.Cost) {
	switch {
	case round < maxRounds:
		if over.Tokens > 0 {
			over.Tokens = max(over.Tokens, f.Policy.Budget.Tokens/minStep)
		}
		f.allowance = subtractCost(f.allowance, over)
	case f.grown && round < maxRounds+maxHalvings:
		f.allowance = halfway(f.fitted, f.allowance)
	case f.grown && round == maxRounds+maxHalvings:
		f.allowance = f.fitted
	default:
		f.allowance.Tokens /= 2
	}
}

// halfway returns the allowance between two.
func halfway(a, b envelope.Cost) envelope.Cost {
	middle := func(a, b int) int { return a + (b-a)/2 }
	return envelope.Cost{Tokens: middle(a.Tokens, b.Tokens), Lines: middle(a.Lines, b.Lines), Bytes: middle(a.Bytes, b.Bytes)}
}

// truncated reports whether a part omits content.
func (f *fitting) truncated() bool { return slices.ContainsFunc(f.parts, part.truncated) }

// bySize returns the parts ordered by size, so that what a small one leaves goes to
// larger ones. Parts of equal size keep their order.
func bySize(parts []part) []part {
	sorted := slices.Clone(parts)
	slices.SortStableFunc(sorted, func(a, b part) int { return cmp.Compare(a.bytes(), b.bytes()) })
	return sorted
}

// usualBytesPerToken is the average length of a token of tool output. Rules and blanks
// have far more bytes a token, so that up to alwaysTried bytes may fit any budget.
const (
	usualBytesPerToken = 4
	alwaysTried        = 8 << 10
	mostBytesPerToken  = 64      // of a text that is counted, because it may fit
	mostCounted        = 1 << 20 // bytes of one
)

// counted is a part of which it can be found out whether all of it costs no more than
// a budget, without measuring a receipt.
type counted interface {
	fitsWhole(p Policy) (bool, error)
	// hasAll reports whether no line of it is left out before anything is measured.
	hasAll() bool
}

// mayFitWhole reports whether the parts are so small that showing all of them is worth
// a try: by their size, or because each of them costs no more than the budget. A
// result that fits needs only one measurement.
func (f *fitting) mayFitWhole() (bool, error) {
	size := int64(0)
	for _, p := range f.parts {
		size += p.bytes()
	}
	if size <= max(alwaysTried, int64(f.Policy.Budget.Tokens)*usualBytesPerToken) {
		return true, f.keepAll()
	}
	if size > min(mostCounted, int64(f.Policy.Budget.Tokens)*mostBytesPerToken) {
		return false, nil
	}
	for _, p := range f.parts {
		c, ok := p.(counted)
		if !ok {
			return false, nil
		}
		if fits, err := c.fitsWhole(f.Policy); err != nil || !fits {
			return false, err
		}
	}
	return true, nil
}

// keepAll has small parts keep all of their lines if these may fit. Their excerpts have as many lines as the budget has tokens, and a
// token may be many lines that are blank.
func (f *fitting) keepAll() error {
	for _, p := range f.parts {
		if c, ok := p.(counted); ok && !c.hasAll() {
			if _, err := c.fitsWhole(f.Policy); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstAllowance returns the allowance of the first round: the budget, less the
// headings of the parts that are certainly cut.
func (f *fitting) firstAllowance() envelope.Cost {
	allowance := f.Policy.Budget
	allowance.Lines, allowance.Bytes = limit(allowance.Lines), limit(allowance.Bytes)
	ending := 0
	for _, p := range f.parts {
		if p.bytes() > 8*int64(f.Policy.Budget.Tokens) {
			allowance.Tokens -= extentTokens
			ending = endingTokens
		}
	}
	if f.Policy.Budget.Tokens >= leastEnded {
		allowance.Tokens -= ending
	}
	allowance.Tokens = max(1, allowance.Tokens)
	return allowance
}

// limit returns a limit of a budget, in which 0 is none.
func limit(n int) int {
	if n == 0 {
		return preview.NoLimit
	}
	return n
}

// share shows the parts. The allowance is shared max-min fair: each part gets an equal
// share of the rest, and what a part does not need because it is shown whole goes to
// the larger ones.
func (f *fitting) share(ctx context.Context, allowance envelope.Cost) error {
	for i, p := range f.parts {
		if err := ctx.Err(); err != nil { // the caller has gone
			return err
		}
		n := len(f.parts) - i
		if f.whole[i] {
			if err := p.show(ctx, unlimited, f.Policy, f.sink); err != nil {
				return err
			}
			continue
		}
		share := envelope.Cost{Tokens: allowance.Tokens / n, Lines: allowance.Lines / n, Bytes: allowance.Bytes / n}
		if err := p.show(ctx, share, f.Policy, f.sink); err != nil {
			return err
		}
		if n > 1 && !p.truncated() {
			share = p.cost(f.Policy)
		}
		allowance = subtractCost(allowance, share)
	}
	return nil
}

// covers reports whether a share is enough for a cost.
func covers(share, cost envelope.Cost) bool {
	return cost.Tokens <= share.Tokens && cost.Lines <= share.Lines && cost.Bytes <= share.Bytes
}

// addCost returns the sum of two costs.
func addCost(a, b envelope.Cost) envelope.Cost {
	return envelope.Cost{Tokens: a.Tokens + b.Tokens, Lines: a.Lines + b.Lines, Bytes: a.Bytes + b.Bytes}
}

// subtractCost returns c less o, in each unit at least 0. A unit without a limit stays
// without one.
func subtractCost(c, o envelope.Cost) envelope.Cost {
	minus := func(n, o int) int {
		if n == preview.NoLimit {
			return n
		}
		return max(0, n-o)
	}
	return envelope.Cost{Tokens: max(0, c.Tokens-o.Tokens), Lines: minus(c.Lines, o.Lines), Bytes: minus(c.Bytes, o.Bytes)}
}
