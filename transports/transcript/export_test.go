package transcript

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
)

// PairedTexts returns the texts of the results of a transcript that belong to a call.
func PairedTexts(provider pb.Provider, transcript string) (list []string) {
	d, _ := dialect.Lookup(provider)
	messages, err := read(d, transcript)
	if err != nil {
		return nil
	}
	p := pair(d, messages)
	for _, g := range p.groups {
		for _, e := range g.exchanges {
			if e.answer != nil {
				list = append(list, p.resultAt(*e.answer).Text)
			}
		}
	}
	return list
}
