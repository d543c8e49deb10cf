package transports

import (
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/markup"
)

// What is written is read again for the tests of this package alone: a runtime has what it
// encoded.

// Exchange is a call and its answer, as they stand in the messages of a provider.
type Exchange struct {
	ID, Name  string
	Arguments string // JSON text or, of a custom tool, any
	Custom    bool
	Answered  bool
	Text      string // what the model reads
	Failed    bool   // by the flag of the provider
}

// Decode reads the calls and answers of a transcript, in the order of the calls. Where a
// result is told as text there are no calls, and only the answers are read. The error is
// an *envelope.InvalidError.
func Decode(provider pb.Provider, transcript string) ([]Exchange, error) {
	c := envelope.NewChecker("")
	d := dialect.CheckProvider(c, provider)
	if err := c.Err(); err != nil {
		return nil, err
	}
	messages, err := readTranscript(d, transcript)
	if err != nil {
		return nil, err
	}
	var list []Exchange
	p := pairUp(d, messages)
	groups := p.groups
	for i, m := range messages {
		if len(groups) > 0 && groups[0].message == i {
			for _, e := range groups[0].exchanges {
				list = append(list, p.exchange(e))
			}
			groups = groups[1:]
		}
		if m.Role != dialect.RoleUser {
			continue
		}
		for _, b := range m.Blocks {
			if b.Text == nil {
				continue
			}
			for _, r := range textResults(*b.Text) {
				list = append(list, Exchange{Name: r.Name, Answered: true, Text: r.Text})
			}
		}
	}
	return list, nil
}

func (p *pairing) exchange(e *exchange) Exchange {
	c := p.call(e.at)
	x := Exchange{ID: c.ID, Name: c.Name, Arguments: c.Arguments, Custom: c.Custom}
	if e.answer == nil {
		return x
	}
	r := p.result(*e.answer)
	x.Answered, x.Text, x.Failed = true, r.Text, r.Failed
	return x
}

// textResults reads the results in the text of a fallback: their functions and what the
// model read.
func textResults(text string) []dialect.Result {
	var list []dialect.Result
	for {
		_, rest, found := strings.Cut(text, markup.ResultOpen+"\n")
		if !found {
			return list
		}
		inside, rest, found := strings.Cut(rest, "\n"+markup.ResultClose)
		if !found {
			return list
		}
		name, shown, _ := strings.Cut(inside, ":\n")
		list = append(list, dialect.Result{Name: name, Text: shown})
		text = rest
	}
}
