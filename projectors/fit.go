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

// extentTokens is what the heading and the marker of a cut part cost, about.
// It only saves a round: what counts is measured.
const extentTokens = 76

// worthwhileSlack is the part of the budget that is worth another round when it
// was left: one sixteenth.
const worthwhileSlack = 16

// leastStep is the part of the budget that a round takes away, at the least: lines
// are of one piece, and a smaller step would often change nothing.
const leastStep = 128

// maxRounds is how often a receipt is measured before what fitted once is taken
// or, if nothing did, the allowance is cut by half each time. Two or three rounds
// are the rule.
const maxRounds = 8

// part is a piece of a canonical result that can be shown more or less of.
type part interface {
	// bytes is about how much there is to show.
	bytes() int64
	// show puts what may cost a share into the canonical result, and into the
	// store what it leaves out.
	show(ctx context.Context, share envelope.Cost, p Policy, sink artifactstore.Sink) error
	// truncated reports whether show left content out.
	truncated() bool
	// cost is what was shown, where that is everything.
	cost(p Policy) envelope.Cost
}

// fit shows as much of the parts as the receipt of r has room for in the budget:
// outcome, facts, headings, markers and stuffing included. There is one
// allocator, this one. Before each measurement, finish completes r from what the
// parts left out.
func fit(ctx context.Context, in Input, r *pb.CanonicalToolResult, parts []part, finish func() error, sink artifactstore.Sink) error {
	f := fitting{Input: in, parts: bySize(parts), sink: sink}
	allowance := f.firstAllowance()
	hopeful, grown := f.mayFitWhole(), false
	fitted := envelope.Cost{} // the allowance that was too careful
	for round := 0; ; round++ {
		granted := allowance
		if hopeful {
			granted = envelope.Cost{Tokens: preview.NoLimit, Lines: preview.NoLimit, Bytes: preview.NoLimit}
		}
		if err := f.share(ctx, granted); err != nil {
			return err
		}
		if err := finish(); err != nil {
			return err
		}
		cost, err := in.Measure(r)
		if err != nil {
			return err
		}
		over := cost.Over(in.Policy.Budget)
		if over == (envelope.Cost{}) {
			slack := in.Policy.Budget.Tokens - cost.Tokens
			if grown || hopeful || slack*worthwhileSlack < in.Policy.Budget.Tokens || !f.truncated() {
				return nil
			}
			grown, fitted = true, allowance // give the rest to the previews, once
			allowance.Tokens += slack
			continue
		}
		if hopeful && len(parts) > 0 {
			hopeful = false
			continue
		}
		if allowance.Tokens == 0 || len(parts) == 0 {
			return cost.Fits(in.Policy.Budget)
		}
		switch {
		case round < maxRounds:
			if over.Tokens > 0 {
				over.Tokens = max(over.Tokens, in.Policy.Budget.Tokens/leastStep)
			}
			allowance = less(allowance, over)
		case grown && round == maxRounds:
			allowance = fitted
		default:
			allowance.Tokens /= 2
		}
	}
}

type fitting struct {
	Input
	parts []part // the smallest first
	sink  artifactstore.Sink
}

// truncated reports whether a part leaves content out.
func (f *fitting) truncated() bool { return slices.ContainsFunc(f.parts, part.truncated) }

// bySize orders parts so that what a small one leaves goes to larger ones;
// equal ones stay in their order.
func bySize(parts []part) []part {
	sorted := slices.Clone(parts)
	slices.SortStableFunc(sorted, func(a, b part) int { return cmp.Compare(a.bytes(), b.bytes()) })
	return sorted
}

// usualBytesPerToken is how long a token of tool output is, about.
const usualBytesPerToken = 4

// mayFitWhole reports whether the parts are so small that showing all of
// them is worth a try: measuring the receipt is the only count then.
func (f *fitting) mayFitWhole() bool {
	room := int64(f.Policy.Budget.Tokens) * usualBytesPerToken
	for _, p := range f.parts {
		room -= p.bytes()
	}
	return room >= 0
}

// firstAllowance is what the parts may cost in the first round: everything, less
// the headings of those that are certainly cut.
func (f *fitting) firstAllowance() envelope.Cost {
	allowance := f.Policy.Budget
	allowance.Lines, allowance.Bytes = limit(allowance.Lines), limit(allowance.Bytes)
	for _, p := range f.parts {
		if p.bytes() > 8*int64(f.Policy.Budget.Tokens) {
			allowance.Tokens -= extentTokens
		}
	}
	allowance.Tokens = max(1, allowance.Tokens)
	return allowance
}

func limit(n int) int {
	if n == 0 {
		return preview.NoLimit
	}
	return n
}

// share shows the parts. The allowance is shared max-min fair: each part may have
// an equal share of what is left, and what it does not need because all of it is
// shown goes to the larger ones.
func (f *fitting) share(ctx context.Context, allowance envelope.Cost) error {
	for i, p := range f.parts {
		n := len(f.parts) - i
		share := envelope.Cost{Tokens: allowance.Tokens / n, Lines: allowance.Lines / n, Bytes: allowance.Bytes / n}
		if err := p.show(ctx, share, f.Policy, f.sink); err != nil {
			return err
		}
		if n > 1 && !p.truncated() {
			share = p.cost(f.Policy)
		}
		allowance = less(allowance, share)
	}
	return nil
}

// pays reports whether a share is enough for a cost.
func pays(share, cost envelope.Cost) bool {
	return cost.Tokens <= share.Tokens && cost.Lines <= share.Lines && cost.Bytes <= share.Bytes
}

func plus(a, b envelope.Cost) envelope.Cost {
	return envelope.Cost{Tokens: a.Tokens + b.Tokens, Lines: a.Lines + b.Lines, Bytes: a.Bytes + b.Bytes}
}

// less takes o away from c, down to nothing; a limit that is not set stays so.
func less(c, o envelope.Cost) envelope.Cost {
	minus := func(n, o int) int {
		if n == preview.NoLimit {
			return n
		}
		return max(0, n-o)
	}
	return envelope.Cost{Tokens: max(0, c.Tokens-o.Tokens), Lines: minus(c.Lines, o.Lines), Bytes: minus(c.Bytes, o.Bytes)}
}
