package compactor

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Entry is a result of a history, and what the runtime knows of it.
type Entry struct {
	Result    *pb.CanonicalToolResult
	Call      string // id of the call; empty: not known
	Turn      int    // never less than that of the entry before; 0 in all of them: each is a turn of its own
	Subject   string // what was asked; empty: what the result says
	Preceding int    // tokens of the prompt between the entry before and this one
}

// opened is an entry whose payload was looked at.
type opened struct {
	*Entry
	family  string // "error" for errors
	payload protoreflect.Message
	schema  *schema // nil when nothing of it can be compacted
	rankings
	standing
}

// standing is what a result is to the others of its history.
type standing struct {
	subject    string
	failed     bool
	age        int  // in turns; 0 for the last one
	open       bool // a failure after which the same did not succeed
	superseded int  // index of the later result that answers the same question; -1 for none
}

const errorFamily = "error"

// open looks at the entries of a history.
func (c *Compactor) open(history []Entry) []opened {
	list := make([]opened, len(history))
	for i := range history {
		o := &list[i]
		o.Entry, o.subject, o.superseded = &history[i], history[i].Subject, -1
		if r := o.Result; r.GetError() != nil {
			o.family, o.payload = errorFamily, r.GetError().ProtoReflect()
		} else {
			o.family, o.payload = c.types.Open(r)
		}
		if o.payload == nil {
			continue
		}
		o.schema = c.schemaOf(o.payload)
		o.failed = failed(o.schema, o.Result, o.payload)
		if o.subject == "" {
			o.subject = o.schema.traits.Subject(o.payload)
		}
	}
	ages(list)
	relate(list)
	return list
}

// ages counts turns from the end.
func ages(list []opened) {
	age := 0
	for i := len(list) - 1; i >= 0; i-- {
		if i < len(list)-1 && (list[i].Turn != list[i+1].Turn || list[i].Turn == 0) {
			age++
		}
		list[i].age = age
	}
}

// question is what a call asked.
type question struct{ tool, subject string }

// relate finds, from the last result to the first, what later ones are to each: the
// same question answered again, or a failure that is one no more.
func relate(list []opened) {
	answered, succeeded := map[question]int{}, map[question]bool{}
	told := map[question]int{} // age of the last result that says that nothing has changed
	byCall := callIndex(list)
	for i := len(list) - 1; i >= 0; i-- {
		o := &list[i]
		q := question{o.Result.GetToolName(), o.subject}
		if o.subject != "" {
			if later, ok := answered[q]; ok {
				o.superseded = later
			}
		}
		o.open = o.failed && o.superseded < 0 && !succeeded[q] && !(o.subject == "" && succeeded[question{tool: q.tool}])
		if !o.failed {
			succeeded[q], succeeded[question{tool: q.tool}] = true, true
		}
		if o.payload == nil || o.family == errorFamily {
			continue // it answers nothing
		}
		if u := envelope.UnchangedSince(o.payload); u != nil {
			// What it refers to stands for both, and is as young as this one.
			if at, ok := byCall[u.GetCallId()]; ok && at < i {
				list[at].age = min(list[at].age, o.age)
			} else if _, ok := told[q]; !ok {
				told[q] = o.age
			}
			continue
		}
		if age, ok := told[q]; ok {
			o.age = min(o.age, age)
			delete(told, q)
		}
		if o.subject != "" {
			if _, ok := answered[q]; !ok {
				answered[q] = i
			}
		}
	}
}

func callIndex(list []opened) map[string]int {
	index := make(map[string]int, len(list))
	for i := range list {
		if list[i].Call != "" {
			index[list[i].Call] = i
		}
	}
	return index
}

// supersededBy is what a result says of the later one that supersedes it.
func supersededBy(list []opened, i int) *pb.Superseded {
	later := list[i].superseded
	if later < 0 {
		return nil
	}
	return &pb.Superseded{CallId: list[later].Call, ResultsLater: uint32(later - i)}
}
