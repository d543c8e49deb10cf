package envelope_test

import (
	"errors"
	"testing"

	"github.com/toolresult/toolresult/envelope"
)

// The first unit that is exceeded is named, with a budget that is enough.
func TestCostFitsBudget(t *testing.T) {
	cost := envelope.Cost{Tokens: 10, Lines: 4, Bytes: 100}
	for _, c := range []struct {
		budget envelope.Cost
		over   envelope.Cost
		unit   string
	}{
		{envelope.Cost{}, envelope.Cost{}, ""},
		{cost, envelope.Cost{}, ""},
		{envelope.Cost{Tokens: 9, Lines: 3, Bytes: 99}, envelope.Cost{Tokens: 1, Lines: 1, Bytes: 1}, "tokens"},
		{envelope.Cost{Tokens: 10, Lines: 1, Bytes: 1}, envelope.Cost{Lines: 3, Bytes: 99}, "lines"},
		{envelope.Cost{Bytes: 60}, envelope.Cost{Bytes: 40}, "bytes"},
	} {
		if over := cost.Over(c.budget); over != c.over {
			t.Errorf("%v: over by %v, want %v", c.budget, over, c.over)
		}
		err := cost.Fits(c.budget)
		short, ok := errors.AsType[*envelope.ShortfallError](err)
		if ok != (c.unit != "") || ok && (short.Unit != c.unit || short.Needed <= short.Budget) {
			t.Errorf("%v: %v", c.budget, err)
		}
	}
	err := envelope.Cost{Lines: 9}.Fits(envelope.Cost{Lines: 4})
	if want := "what must be kept does not fit a budget of 4 lines: 9 are enough, raise it by 5"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if got := (envelope.Receipt{Text: "ab\nc", Tokens: 3, Lines: 2}).Cost(); got != (envelope.Cost{Tokens: 3, Lines: 2, Bytes: 4}) {
		t.Errorf("%v", got)
	}
}
