package compactor

import (
	"strings"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// Entry is what a runtime knows of a result of a history.
type Entry struct {
	Unknown   bool    // this version does not know the result: it is kept as it is, and never loaded
	Call      string  // id of the call; empty: not known
	Turn      int     // never less than that of the entry before; 0 in all of them: each is a turn of its own
	Subject   Subject // what was asked; zero: what the result says
	Preceding int     // tokens of the prompt between the entry before and this one
}

// Subject is what a result is about. The zero Subject is none.
type Subject struct {
	Text string // its beginning on one line, at most MaxSubject bytes
	key  string // all of it or, where it is long, its digest
}

// MaxSubject bounds the text of a Subject, in bytes.
const MaxSubject = 200

// SubjectOf returns the subject with a text, and does not keep the text.
func SubjectOf(text string) Subject {
	if text == "" {
		return Subject{}
	}
	s := Subject{Text: preview.OneLine(text), key: text}
	if len(s.Text) > MaxSubject {
		s.Text = strings.Clone(s.Text[:runeFloor(s.Text, MaxSubject)])
	}
	if len(text) > MaxSubject {
		digest := blake3.Sum256([]byte(text))
		s.key = string(digest[:])
	}
	return s
}

// facts are what planning needs of an entry, so that its result need not be kept in memory.
type facts struct {
	*Entry
	tool      string
	family    string              // "error" for errors
	schema    *schema             // nil when nothing of it can be compacted
	level     pb.CompactionLevel  // as it is given
	unchanged *pb.OutputUnchanged // the earlier result that it repeats; nil for none
	reads     string              // the path that it is of; empty for none
	changes   []string            // the paths that it changed
	standing
}

// standing is what a result is to the others of its history.
type standing struct {
	subject    Subject
	failed     bool
	age        int  // in turns; 0 for the last one
	open       bool // a failure after which the same did not succeed
	superseded int  // index of the later result that answers the same question, or changed what it read; -1 for none
	edited     bool // that result changed it
	stale      bool // an earlier compaction found that what it read was changed
}

const errorFamily = "error"

// factsOf returns what planning needs of a result.
func (c *Compactor) factsOf(e *Entry, l *loaded) facts {
	f := facts{Entry: e, family: l.family, schema: l.schema, standing: standing{subject: e.Subject, superseded: -1}}
	if l.payload == nil {
		return f
	}
	f.tool, f.failed, f.level = l.result.GetToolName(), l.failed, lowest(l.schema, l.payload)
	if e.Subject == (Subject{}) {
		f.subject = SubjectOf(l.schema.traits.Subject(l.payload))
	}
	if l.family == errorFamily {
		return f
	}
	f.unchanged = envelope.UnchangedSince(l.payload)
	f.reads = l.schema.traits.Reads(l.payload)
	f.stale = envelope.SupersededBy(l.payload).GetCause() == pb.SupersededCause_SUPERSEDED_CAUSE_EDITED
	if !f.failed {
		f.changes = l.schema.traits.Changes(l.payload)
	}
	return f
}

// stand finds what the results of a history are to each other.
func stand(list []facts) {
	ages(list)
	relate(list)
	overtake(list)
}

// ages counts turns from the end.
func ages(list []facts) {
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
func relate(list []facts) {
	answered, succeeded := map[question]int{}, map[question]bool{}
	told := map[question]int{} // age of the last result that says that nothing has changed
	byCall := callIndex(list)
	for i := len(list) - 1; i >= 0; i-- {
		o := &list[i]
		if o.schema == nil {
			continue // it answers nothing
		}
		q, asked := question{o.tool, o.subject.key}, o.subject.key != ""
		if asked {
			if later, ok := answered[q]; ok {
				o.superseded = later
			}
		}
		o.open = o.failed && o.superseded < 0 && !succeeded[q] && (asked || !succeeded[question{tool: q.tool}])
		if !o.failed {
			succeeded[q], succeeded[question{tool: q.tool}] = true, true
		}
		if o.family == errorFamily {
			continue // as above
		}
		if u := o.unchanged; u != nil {
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
		if asked {
			if _, ok := answered[q]; !ok {
				answered[q] = i
			}
		}
	}
}

// overtake finds the results whose files were changed later: what they read is not there
// any more. One that was read again is superseded by that.
func overtake(list []facts) {
	changed := map[string]int{} // the next result that changed a path
	for i := len(list) - 1; i >= 0; i-- {
		o := &list[i]
		if later, ok := changed[o.reads]; ok && o.reads != "" && o.superseded < 0 {
			o.superseded, o.edited = later, true
		}
		for _, path := range o.changes {
			changed[path] = i
		}
	}
}

func callIndex(list []facts) map[string]int {
	index := make(map[string]int, len(list))
	for i := range list {
		if list[i].Call != "" {
			index[list[i].Call] = i
		}
	}
	return index
}

// supersededBy is what a result says of the later one that supersedes it.
func supersededBy(list []facts, i int) *pb.Superseded {
	later := list[i].superseded
	if later < 0 {
		return nil
	}
	s := &pb.Superseded{CallId: list[later].Call, ResultsLater: uint32(later - i)}
	if list[i].edited {
		s.Cause = pb.SupersededCause_SUPERSEDED_CAUSE_EDITED
	}
	return s
}
