package transports_test

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// exchange is a call and its answer, as the messages of a provider have them.
type exchange struct {
	ID, Name  string
	Arguments string // JSON text or, of a custom tool, any
	Custom    bool
	Answered  bool
	Text      string // of the result, with broken marks
}

// decode reads the calls and answers of encoded turns, in the order of the calls. An answer belongs to the first call that
// has none: the encoder keeps the order. Where results are text there are no calls, and only the answers are read.
func decode(provider pb.Provider, transcript string) (list []exchange) {
	d, _ := dialect.Lookup(provider)
	answered := 0
	for source := range jsonspan.Elements([]byte(transcript)) {
		o, _ := rawjson.Split(source)
		m := d.Shape.Read(o)
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				list = append(list, exchange{ID: b.Call.ID, Name: b.Call.Name, Arguments: b.Call.Arguments, Custom: b.Call.Custom})
			case b.Result != nil && answered < len(list):
				x := &list[answered]
				x.Answered = (b.Result.ID == "" || b.Result.ID == x.ID) && (b.Result.Name == "" || b.Result.Name == x.Name)
				x.Text = b.Result.Text
				answered++
			case b.Text != nil && m.Role == dialect.RoleUser:
				for _, r := range textResults(*b.Text) {
					list = append(list, exchange{Name: r.Name, Answered: true, Text: r.Text})
					answered = len(list)
				}
			}
		}
	}
	return list
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
