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

// extentTokens is what the heading and the marker of a cut stream cost, about.
// It only saves a round: what counts is measured.
const extentTokens = 76

// worthwhileSlack is the part of the budget that is worth another round when it
// was left: one sixteenth.
const worthwhileSlack = 16

// maxRounds is how often a receipt is measured before the allowance is cut by
// half each time. Two or three rounds are the rule.
const maxRounds = 8

// fit makes the previews of all payloads so that the receipt of r fits the
// budget as a whole: outcome, facts, headings, markers and stuffing included.
// There is one allocator, this one. Before each measurement, finish completes r
// from what the previews left out.
func fit(ctx context.Context, in Input, r *pb.CanonicalToolResult, payloads []*payload, finish func(), sink artifactstore.Sink) error {
	f := fitting{Input: in, payloads: bySize(payloads), sink: sink}
	allowance := f.firstAllowance()
	hopeful, grown := f.mayFitWhole(), false
	for round := 0; ; round++ {
		granted := allowance
		if hopeful {
			granted = envelope.Cost{Tokens: preview.NoLimit, Lines: preview.NoLimit, Bytes: preview.NoLimit}
		}
		if err := f.share(ctx, granted); err != nil {
			return err
		}
		finish()
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
			grown = true // the guess was too careful: give the rest to the previews, once
			allowance.Tokens += slack
			continue
		}
		if hopeful && len(payloads) > 0 {
			hopeful = false
			continue
		}
		if allowance.Tokens == 0 || len(payloads) == 0 {
			return cost.Fits(in.Policy.Budget)
		}
		allowance = less(allowance, over)
		if round >= maxRounds {
			allowance.Tokens /= 2
		}
	}
}

type fitting struct {
	Input
	payloads []*payload // the smallest first
	sink     artifactstore.Sink
}

// truncated reports whether a preview leaves content out.
func (f *fitting) truncated() bool {
	for _, p := range f.payloads {
		v := p.field.Get(p.into)
		if v.Truncated {
			return true
		}
	}
	return false
}

// bySize orders payloads so that what a small one leaves goes to larger ones;
// equal ones stay in their order.
func bySize(payloads []*payload) []*payload {
	sorted := slices.Clone(payloads)
	slices.SortStableFunc(sorted, func(a, b *payload) int { return cmp.Compare(a.excerpt.Bytes(), b.excerpt.Bytes()) })
	return sorted
}

// usualBytesPerToken is how long a token of tool output is, about.
const usualBytesPerToken = 4

// mayFitWhole reports whether the payloads are so small that showing all of
// them is worth a try: measuring the receipt is the only count then.
func (f *fitting) mayFitWhole() bool {
	room := int64(f.Policy.Budget.Tokens) * usualBytesPerToken
	for _, p := range f.payloads {
		room -= p.excerpt.Bytes()
	}
	return room >= 0
}

// firstAllowance is what previews may cost in the first round: everything, less
// the headings of payloads that are certainly cut.
func (f *fitting) firstAllowance() envelope.Cost {
	allowance := f.Policy.Budget
	allowance.Lines, allowance.Bytes = limit(allowance.Lines), limit(allowance.Bytes)
	for _, p := range f.payloads {
		if p.excerpt.Bytes() > 8*int64(f.Policy.Budget.Tokens) {
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

// share makes the previews. The allowance is shared max-min fair: each payload
// may have an equal part of what is left, and what a payload does not need
// because all of it is shown goes to the larger ones.
func (f *fitting) share(ctx context.Context, allowance envelope.Cost) error {
	for i, p := range f.payloads {
		n := len(f.payloads) - i
		part := envelope.Cost{Tokens: allowance.Tokens / n, Lines: allowance.Lines / n, Bytes: allowance.Bytes / n}
		v := p.excerpt.Select(preview.Budget{
			Tokens: part.Tokens, Lines: part.Lines, Bytes: part.Bytes, LineBytes: f.Policy.LineBytes,
		}, f.Policy.Counter, f.Policy.HeadPercent)
		if n > 1 {
			if !v.Truncated() {
				part = envelope.Cost{Tokens: f.Policy.Counter.Count(v.Text), Lines: int(v.ShownLines()), Bytes: len(v.Text)}
			}
			allowance = less(allowance, part)
		}
		if err := p.show(ctx, v, f.Policy.KeepAll, f.sink); err != nil {
			return err
		}
	}
	return nil
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
