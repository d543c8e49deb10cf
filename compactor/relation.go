package compactor

import (
	"strings"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Results are related in two ways. A result is superseded when a later call of the same
// tool about the same subject gives a newer answer, or when a later result changed the
// file that it read. A failure is open until the same succeeds. Both follow from the
// options of the contract: subject, reads, changes, means_failure and means_uncertain.

// Entry describes a result of a history, as far as its runtime knows it.
type Entry struct {
	Unknown   *UnknownError // the result stays as it is and is never loaded; nil for a known one
	Call      string        // id of the call; empty when not known
	Turn      int           // number of the turn, not falling; 0 for all entries: each is a turn of its own
	Subject   Subject       // what the call asked for; zero: the subject that the result states
	Preceding int           // tokens of the prompt between the entry before and this one
}

// UnknownError states why a result cannot be compacted: this version does not know it, or it is not as the contract has it.
type UnknownError struct {
	Tokens int // cost of the result as it is given
	Why    error
}

// Error returns why.
func (e *UnknownError) Error() string { return e.Why.Error() }

// Unwrap returns why.
func (e *UnknownError) Unwrap() error { return e.Why }

// Subject identifies what a result is about. The zero Subject is none.
type Subject struct {
	Text string // the beginning on one line, at most MaxSubject bytes
	key  string // the whole text, or its digest if it is long
}

// MaxSubject bounds the text of a Subject, in bytes.
const MaxSubject = 200

// NewSubject returns the Subject with a text; the zero Subject for an empty one. A long
// text is not retained.
func NewSubject(text string) Subject {
	if text == "" {
		return Subject{}
	}
	s := Subject{Text: textscan.OneLine(text), key: text}
	if len(s.Text) > MaxSubject {
		s.Text = strings.Clone(s.Text[:runeFloor(s.Text, MaxSubject)])
	}
	if len(text) > MaxSubject {
		digest := blake3.Sum256([]byte(text))
		s.key = string(digest[:])
	}
	return s
}

// facts holds what planning needs of an entry, so that its result need not stay in
// memory.
type facts struct {
	*Entry
	tool      string
	family    string              // "error" for errors
	schema    *schema             // nil when nothing in it can be compacted
	level     pb.CompactionLevel  // before this compaction
	unchanged *pb.OutputUnchanged // the earlier result that it repeats; nil for none
	reads     string              // path of the file that it shows; empty for none
	changes   []string            // paths of the files that it changed
	digest    [32]byte            // of the payload
	names     []string            // that its texts introduce, the most valuable first
	relation
}

// relation states what an entry is to the others of its history.
type relation struct {
	subject    Subject
	failed     bool
	uncertain  bool // nothing says whether it failed
	age        int  // in turns; 0 for the last turn
	open       bool // a failure after which the same call did not succeed
	superseded int  // entry of the later result that answers the same, or edited the file that it read; -1 for none
	edited     bool // the later result edited that file
	stale      bool // an earlier compaction found that the file was edited
	repeated   bool // a later result of the same call is equal
}

// errorFamily is the family of errors, which have no family of their own.
const errorFamily = "error"

// newFacts collects the facts of an entry from its result.
func (c *Compactor) newFacts(e *Entry, l *decoded) facts {
	f := facts{Entry: e, family: l.family, schema: l.schema, relation: relation{subject: e.Subject, superseded: -1}}
	if l.payload == nil {
		return f
	}
	f.digest = digestOf(l.payload)
	f.tool, f.failed, f.level = l.result.GetToolName(), l.failed, lowestLevel(l.schema, l.payload)
	f.uncertain = l.suspect && !l.failed
	if e.Subject == (Subject{}) {
		f.subject = NewSubject(l.schema.traits.Subject(l.payload))
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

// digestOf returns the digest of a payload.
func digestOf(payload protoreflect.Message) (d [32]byte) {
	text, err := (proto.MarshalOptions{Deterministic: true}).Marshal(payload.Interface())
	if err == nil {
		d = blake3.Sum256(text)
	}
	return d
}

// relateAll fills in the relations of the entries of a history.
func relateAll(list []facts) {
	setAges(list)
	findSuperseded(list)
	findEdited(list)
	findRepeated(list)
}

// round identifies a call and its result.
type round struct {
	question
	family string
	digest [32]byte
}

// findRepeated finds the results that a later call gave again, byte for byte. They lose
// nothing when they go.
func findRepeated(list []facts) {
	seen := map[round]bool{}
	for i := len(list) - 1; i >= 0; i-- {
		o := &list[i]
		if o.schema == nil || o.digest == ([32]byte{}) {
			continue
		}
		r := round{question{o.tool, o.subject.key}, o.family, o.digest}
		o.repeated = seen[r]
		seen[r] = true
	}
}

// setAges sets the ages, in turns from the end of the history.
func setAges(list []facts) {
	age := 0
	for i := len(list) - 1; i >= 0; i-- {
		if i < len(list)-1 && (list[i].Turn != list[i+1].Turn || list[i].Turn == 0) {
			age++
		}
		list[i].age = age
	}
}

// question identifies what a call asked. Without a subject it stands for all calls of
// the tool.
type question struct{ tool, subject string }

// findSuperseded walks from the last result to the first, and finds the results whose
// question a later one answers again, and the failures that are still open. A result
// that only repeats an earlier one supersedes nothing; the earlier one gets its age.
func findSuperseded(list []facts) {
	answered, succeeded := map[question]int{}, map[question]bool{}
	unchangedAge := map[question]int{} // age of the last result that states that nothing changed
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
		if !o.failed && !o.uncertain {
			succeeded[q], succeeded[question{tool: q.tool}] = true, true
		}
		if o.family == errorFamily {
			continue // an error answers nothing
		}
		if u := o.unchanged; u != nil {
			// The result that it refers to stands for both, and is as young as this one.
			if at, ok := byCall[u.GetCallId()]; ok && at < i {
				list[at].age = min(list[at].age, o.age)
			} else if _, ok := unchangedAge[q]; !ok {
				unchangedAge[q] = o.age
			}
			continue
		}
		if age, ok := unchangedAge[q]; ok {
			o.age = min(o.age, age)
			delete(unchangedAge, q)
		}
		if asked {
			if _, ok := answered[q]; !ok {
				answered[q] = i
			}
		}
	}
}

// findEdited finds the results whose files were changed later. A file that was read again
// meanwhile is superseded by the newer read.
func findEdited(list []facts) {
	changed := map[string]int{} // by path: the next result that changed it
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

// callIndex returns the entries by the ids of their calls.
func callIndex(list []facts) map[string]int {
	index := make(map[string]int, len(list))
	for i := range list {
		if list[i].Call != "" {
			index[list[i].Call] = i
		}
	}
	return index
}

// supersededBy returns what an entry states of the later one that supersedes it; nil for
// none.
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
