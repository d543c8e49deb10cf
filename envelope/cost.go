package envelope

import "fmt"

// Cost is the cost of a receipt or, as a budget, the highest cost allowed. In a budget
// 0 means no limit.
type Cost struct{ Tokens, Lines, Bytes int }

// Over returns the excess of c over a budget in each unit; 0 where it fits.
func (c Cost) Over(budget Cost) Cost {
	excess := func(n, limit int) int {
		if limit == 0 {
			return 0
		}
		return max(0, n-limit)
	}
	return Cost{excess(c.Tokens, budget.Tokens), excess(c.Lines, budget.Lines), excess(c.Bytes, budget.Bytes)}
}

// Fits returns a *ShortfallError for the first unit in which c exceeds a budget, and
// nil if it fits.
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

// ShortfallError is returned when the facts that must be kept do not fit a budget.
type ShortfallError struct {
	Unit   string // "tokens", "lines" or "bytes"
	Needed int    // a sufficient budget; a little less may be enough
	Budget int    // of the policy
}

// Error states the shortfall and a budget that is enough.
func (e *ShortfallError) Error() string {
	return fmt.Sprintf("what must be kept does not fit a budget of %d %s: %d are enough, raise it by %d",
		e.Budget, e.Unit, e.Needed, e.Needed-e.Budget)
}
