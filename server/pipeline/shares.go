package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/policy"
)

// share projects every output with its own budget and, if that is too much for all of them, those that want more than their
// share again with that. Shares are max-min fair: what one output does not want is shared by the others.
func (t *turn) share(ctx context.Context) error {
	for i := range t.outputs {
		o := &t.outputs[i]
		var err error
		if o.made, err = t.pipeline.fit(ctx, o.prepared); err != nil {
			return apierror.PrefixField(outputPath(i), err)
		}
		o.wanted = int(o.made.resp.GetReceipt().GetTokens())
		o.minimum = min(o.wanted, policy.MinTokens)
		o.failed = t.pipeline.Compactor.Failed(o.made.resp.GetCanonical())
	}
	t.keepPages()
	for {
		shares, short := t.shares()
		if short != nil {
			return t.shortfall(ctx)
		}
		if again, err := t.fit(ctx, shares); err != nil || !again {
			return err
		}
	}
}

// keepPages keeps pages of read_result whole, if the budget allows for that: what was read back is not to be cut again.
func (t *turn) keepPages() {
	rest := t.total
	for i := range t.outputs {
		if o := &t.outputs[i]; o.isPage() {
			rest -= o.wanted
		} else {
			rest -= o.minimum
		}
	}
	for i := range t.outputs {
		if o := &t.outputs[i]; rest >= 0 && o.isPage() {
			o.minimum = o.wanted
		}
	}
}

// isPage reports whether an output is a page of read_result.
func (o *turnOutput) isPage() bool { return o.input.Output.GetToolName() == envelope.ReadTool }

// shortfall returns the error for outputs whose smallest receipts cost more than the budget. It names what all of them need.
func (t *turn) shortfall(ctx context.Context) error {
	minima := make([]int, len(t.outputs))
	for again := true; again; {
		for i := range t.outputs {
			minima[i] = t.outputs[i].minimum
		}
		var err error
		if again, err = t.fit(ctx, minima); err != nil {
			return err
		}
	}
	_, short := t.shares()
	return apierror.AtField("total_tokens", short)
}

// fit projects the outputs that want more than their shares with these. It reports true when some need more than that,
// which is known now.
func (t *turn) fit(ctx context.Context, shares []int) (again bool, err error) {
	for i, tokens := range shares {
		o := &t.outputs[i]
		if tokens >= o.wanted || tokens == o.made.budget {
			continue
		}
		made, err := t.pipeline.fitTokens(ctx, o.prepared, tokens)
		if short, ok := errors.AsType[*envelope.ShortfallError](err); ok {
			o.minimum, again = min(o.wanted, t.smallest(ctx, o, tokens, short)), true
			continue
		}
		if err != nil {
			return false, apierror.PrefixField(outputPath(i), err)
		}
		o.made = made
	}
	return again, nil
}

// smallest returns the tokens that an output needs which falls short of a share. The smallest budget says it, not the share,
// since what an error asks for differs with the budget, and an output must have the same in every division. One that falls
// short of lines or bytes, of which a cut can need more, has what it wants.
func (t *turn) smallest(ctx context.Context, o *turnOutput, share int, short *envelope.ShortfallError) int {
	_, err := t.pipeline.fitTokens(ctx, o.prepared, policy.MinTokens)
	if smallest, ok := errors.AsType[*envelope.ShortfallError](err); ok && smallest.Unit == "tokens" && smallest.Needed > share {
		return t.pipeline.enough(ctx, o.prepared, smallest).Needed
	}
	if short.Unit != "tokens" {
		return o.wanted
	}
	return t.pipeline.enough(ctx, o.prepared, short).Needed
}

// shares returns what the outputs may cost: first what each must have, then failures up to theirs, then all of them alike,
// up to what each wants. The order of the outputs is of no effect, and so a rest that cannot be shared evenly is left.
func (t *turn) shares() ([]int, *envelope.ShortfallError) {
	shares, limits := make([]int, len(t.outputs)), make([]int, len(t.outputs))
	rest := t.total
	for i := range t.outputs {
		o := &t.outputs[i]
		shares[i], limits[i] = o.minimum, o.minimum
		if o.failed {
			limits[i] = max(o.minimum, min(o.wanted, t.failure))
		}
		rest -= o.minimum
	}
	if rest < 0 {
		return nil, &envelope.ShortfallError{Unit: "tokens", Needed: t.total - rest, Budget: t.total}
	}
	rest = raise(rest, shares, limits)
	for i := range t.outputs {
		limits[i] = t.outputs[i].wanted
	}
	raise(rest, shares, limits)
	return shares, nil
}

// raise raises shares to one level, as high as the rest suffices, but none above its limit, and returns what is left.
func raise(rest int, shares, limits []int) int {
	cost := func(level int) (n int) {
		for i := range shares {
			n += max(shares[i], min(level, limits[i])) - shares[i]
		}
		return n
	}
	// The level is found between one that costs no more than there is and one that does.
	low, high := 0, slices.Max(limits)+1
	for high-low > 1 {
		if level := (low + high) / 2; cost(level) <= rest {
			low = level
		} else {
			high = level
		}
	}
	rest -= cost(low)
	for i := range shares {
		shares[i] = max(shares[i], min(low, limits[i]))
	}
	return rest
}
