package transcript

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
)

// Results find the likeliest of the calls: the last one with their id before them, else the first one behind them.
func TestResultsBelongToTheNearestCall(t *testing.T) {
	t.Parallel()
	call := func(id, name string) dialect.Block { return dialect.Block{Call: &dialect.Call{ID: id, Name: name}} }
	result := func(id, name string) dialect.Block {
		return dialect.Block{Result: &dialect.Result{ID: id, Name: name}}
	}
	model := func(b ...dialect.Block) dialect.Message {
		return dialect.Message{Role: dialect.RoleAssistant, Blocks: b}
	}
	user := func(b ...dialect.Block) dialect.Message {
		return dialect.Message{Role: dialect.RoleUser, Blocks: b}
	}
	d, _ := dialect.Lookup(pb.Provider_PROVIDER_ANTHROPIC_MESSAGES)
	for name, c := range map[string]struct {
		messages []dialect.Message
		want     string // of each call its answer; then orphans and duplicates
	}{
		"one":                        {[]dialect.Message{model(call("a", "")), user(result("a", ""))}, "0.0<1.0 | 0 orphans, 0 duplicates"},
		"the first group":            {[]dialect.Message{model(call("a", "")), model(call("b", "")), user(result("a", ""))}, "0.0<2.0 misplaced 1.0 unanswered | 0 orphans, 0 duplicates"},
		"an id that is used again":   {[]dialect.Message{model(call("a", "")), user(result("a", "")), model(call("a", "")), user(result("a", ""))}, "0.0<1.0 2.0<3.0 | 0 orphans, 0 duplicates"},
		"a result before its call":   {[]dialect.Message{user(result("a", "")), model(call("a", ""))}, "1.0<0.0 misplaced | 0 orphans, 0 duplicates"},
		"in the message of its call": {[]dialect.Message{model(result("a", ""), call("a", ""))}, "0.1 unanswered | 1 orphans, 0 duplicates"},
		"no call":                    {[]dialect.Message{model(call("a", "")), user(result("b", ""))}, "0.0 unanswered | 1 orphans, 0 duplicates"},
		"two answers":                {[]dialect.Message{model(call("a", "")), user(result("a", ""), result("a", ""))}, "0.0<1.0 | 0 orphans, 1 duplicates"},
		"names without ids":          {[]dialect.Message{model(call("", "x"), call("", "y")), user(result("", "y"), result("", "x"))}, "0.0<1.1 0.1<1.0 | 0 orphans, 0 duplicates"},
		"order without names":        {[]dialect.Message{model(call("", "x"), call("", "y")), user(result("", ""), result("", ""))}, "0.0<1.0 0.1<1.1 | 0 orphans, 0 duplicates"},
		"behind a text":              {[]dialect.Message{model(call("a", "")), user(dialect.TextBlock("x"), result("a", ""))}, "0.0<1.1 misplaced | 0 orphans, 0 duplicates"},
	} {
		p := pair(d, c.messages)
		var got []string
		for _, g := range p.groups {
			for _, e := range g.exchanges {
				at := fmt.Sprintf("%d.%d", e.call.message, e.call.block)
				switch {
				case e.answer == nil:
					at += " unanswered"
				case e.misplaced:
					at += fmt.Sprintf("<%d.%d misplaced", e.answer.message, e.answer.block)
				default:
					at += fmt.Sprintf("<%d.%d", e.answer.message, e.answer.block)
				}
				got = append(got, at)
			}
		}
		if text := fmt.Sprintf("%s | %d orphans, %d duplicates", strings.Join(got, " "), len(p.orphans), len(p.duplicates)); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// Results come first, in their order, and so does everything behind them.
func TestResultsComeFirst(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "", "r": "r", "t": "t", "rt": "rt", "tr": "rt", "tRtr": "Rrtt", "TrtR": "rRTt"} {
		var blocks []dialect.Block
		for _, c := range given {
			b := dialect.TextBlock(string(c))
			if c == 'r' || c == 'R' {
				b = dialect.Block{Result: &dialect.Result{Text: string(c)}}
			}
			blocks = append(blocks, b)
		}
		var got strings.Builder
		for _, b := range resultsFirst(blocks) {
			if b.Result != nil {
				got.WriteString(b.Result.Text)
			} else {
				got.WriteString(*b.Text)
			}
		}
		if got.String() != want {
			t.Errorf("%s becomes %s", given, got.String())
		}
	}
}
