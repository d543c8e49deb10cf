package envelope

import "fmt"

// Cost is what a receipt costs or, as a budget, what it may cost as a whole. In
// a budget 0 is no limit.
type Cost struct{ Tokens, Lines, Bytes int }

// Over is by how much c exceeds a budget in each unit; what fits is 0.
func (c Cost) Over(budget Cost) Cost {
	excess := func(n, limit int) int {
		if limit == 0 {
			return 0
		}
		return max(0, n-limit)
	}
	return Cost{excess(c.Tokens, budget.Tokens), excess(c.Lines, budget.Lines), excess(c.Bytes, budget.Bytes)}
}

// Fits returns a *ShortfallError, for the first unit that is exceeded, if c does
// not fit a budget.
func (c Cost) Fits(budget Cost) error {
	switch over := c.Over(budget); {
	case over.Tokens > 0:
		return &ShortfallError{Unit: "tokens", Needed: c.Tokens, Budget: budget.Tokens}
	case over.Lines > 0:
		return &ShortfallError{Unit: "lines", Needed: c.Lines, Budget: budget.Lines}
	case over.Bytes > 0:
		return &ShortfallError{Unit: "bytes", Needed: c.Bytes, Budget: budget.Bytes}
	}
	return nil
}

// Receipt is a rendered receipt: the text that a model reads, and what it costs.
// Renderers make receipts, and projectors fit them to a budget.
type Receipt struct {
	Text    string
	Tokens  int // by the counter of the policy
	Lines   int
	Stuffed int // lines of tool text that were stuffed
}

// Cost returns the cost of the receipt in every unit.
func (r Receipt) Cost() Cost { return Cost{Tokens: r.Tokens, Lines: r.Lines, Bytes: len(r.Text)} }

// ShortfallError is returned when what must be kept does not fit a budget.
type ShortfallError struct {
	Unit   string // "tokens", "lines" or "bytes"
	Needed int    // what is enough; a receipt may fit a little less
	Budget int    // what the policy allows
}

// Error states the shortfall.
func (e *ShortfallError) Error() string {
	return fmt.Sprintf("what must be kept does not fit a budget of %d %s: %d are enough, raise it by %d",
		e.Budget, e.Unit, e.Needed, e.Needed-e.Budget)
}
