// This file repairs a transcript. Messages keep their source until they change, so that the bytes before the first change stay
// as they were and the provider's cache holds. A repair never invents a result: a call without one gets an error that says so,
// and a result without a call becomes text of the user, unless it is empty or a copy.

package transcript

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// earlierOmitted is the message of the user before a transcript that begins with the model.
const earlierOmitted = "(earlier messages were left out)"

// repairTranscript returns the transcript with everything repaired that the linter finds, and the index of the first
// message that changed; nil if none did.
//
// The order matters: calls get their ids first, because results take them over; then results move behind their calls,
// which may empty messages; then empty texts are filled; and at last roles are put in order, for which messages are
// joined or inserted.
func repairTranscript(p *pairing) (transcript *string, first *uint32) {
	r := repair{pairing: p, dispositions: map[blockIndex]disposition{}, rebuilt: map[*group]bool{}}
	r.mendCalls()
	r.placeResults()
	r.mendTexts()
	r.mendRoles()

	var sources [][]byte
	for _, m := range r.out {
		if m.Source != nil {
			sources = append(sources, m.Source)
			continue
		}
		for _, o := range p.dialect.Shape.Write(m) {
			sources = append(sources, o.Raw())
		}
	}
	// The first difference counts also where one transcript is the beginning of the other.
	for i := range max(len(sources), len(r.sources)) {
		if i >= len(sources) || i >= len(r.sources) || !bytes.Equal(sources[i], r.sources[i]) {
			first = new(uint32(i))
			break
		}
	}
	return new("[" + string(bytes.Join(sources, []byte(","))) + "]"), first
}

// repair repairs a transcript. A message keeps its source until it is changed.
type repair struct {
	*pairing
	sources      [][]byte                   // the messages as they were read
	dispositions map[blockIndex]disposition // results that do not stay in place
	rebuilt      map[*group]bool            // groups whose results are written again after their calls
	out          []dialect.Message
}

// disposition says what a repair does with a result. No disposition loses text: only an empty result, and one that repeats
// the answer of its call, is dropped.
type disposition int

// Dispositions of a result.
const (
	dispositionKeep disposition = iota
	dispositionMove             // to the other results of its group, after the calls
	dispositionText             // a text of the user, because it belongs to no call and says something
	dispositionDrop             // removed, because it is empty or repeats the answer
)

// surplusDisposition returns the disposition of a result that belongs to no call, or to a call that has another answer
// with the text answered.
func (r *repair) surplusDisposition(s blockIndex, answered string) disposition {
	if said := r.resultAt(s).Text; said == "" || said == answered {
		return dispositionDrop
	}
	return dispositionText
}

// mendCalls gives calls ids, names and arguments that the provider accepts, and results the ids and names of their
// calls.
func (r *repair) mendCalls() {
	for i := range r.messages {
		r.sources = append(r.sources, r.messages[i].Source)
	}
	made := map[string]bool{} // new ids of calls that had none, in the whole transcript
	for _, g := range r.groups {
		// Ids are unique in a message, not in the transcript.
		used := map[string]bool{}
		for _, e := range g.exchanges {
			c := r.callAt(e.call)
			mended := r.mendedCall(*c, used, made)
			// The source is dropped only for messages that differ, or the cache would be lost for nothing.
			if mended != *c {
				*c = mended
				r.messages[g.message].Source = nil
			}
			r.mendAnswer(e, mended)
		}
	}
}

// mendedCall returns a call that the provider accepts. Arguments that are no JSON object become the member "input" of
// one.
func (r *repair) mendedCall(c dialect.Call, used, made map[string]bool) dialect.Call {
	switch {
	case r.dialect.NoIDs:
		c.ID = ""
	case c.ID == "" && r.dialect.NeedsIDs:
		c.ID = r.dialect.IDs.UniqueID(c.Name+"\n"+c.Arguments, made)
		used[c.ID] = true
	case c.ID != "":
		c.ID = r.dialect.IDs.UniqueID(c.ID, used)
	}
	c.Name = r.dialect.Names.FunctionName(c.Name)
	switch {
	case callProblem(&c) == "":
	case c.Arguments == "":
		c.Arguments = "{}"
	default:
		c.Arguments = string(rawjson.Object{}.WithText("input", c.Arguments).Raw())
	}
	return c
}

// mendAnswer gives the answer of a call the id and name that the call has now.
func (r *repair) mendAnswer(e *exchange, c dialect.Call) {
	if e.answer == nil {
		return
	}
	answer := r.resultAt(*e.answer)
	if answer.ID == c.ID && (answer.Name == "" || answer.Name == c.Name) {
		return
	}
	answer.ID = c.ID
	if answer.Name != "" {
		answer.Name = c.Name
	}
	r.messages[e.answer.message].Source = nil
}

// placeResults moves every answer to where the provider looks for it. The results of a broken group are taken out and
// put after its calls, in their order.
func (r *repair) placeResults() {
	for _, d := range r.duplicates {
		r.dispositions[d.result] = r.surplusDisposition(d.result, r.resultAt(*d.exchange.answer).Text)
	}
	for _, s := range r.orphans {
		r.dispositions[s] = r.surplusDisposition(s, "")
	}
	// A group that is whole keeps its messages and their bytes.
	for _, g := range r.groups {
		if r.rebuilt[g] = g.broken() || r.interrupted(g); !r.rebuilt[g] {
			continue
		}
		for _, e := range g.exchanges {
			if e.answer != nil {
				r.dispositions[*e.answer] = dispositionMove
			}
		}
	}
	r.layOut()
}

// layOut lays out the messages: the results of a broken group after its calls, and texts of results that belong to no
// call after the results that stay.
func (r *repair) layOut() {
	groups := r.groups
	var answers []dialect.Block // for the next message of the user
	var texts []dialect.Message // for after the messages of tools
	for i := range r.messages {
		m := r.remaining(i)
		// Texts wait until the results of a turn are over: nothing may be between them.
		if m.Role != dialect.RoleTool {
			r.out, texts = append(r.out, texts...), nil
		}
		if len(answers) > 0 && m.Role == dialect.RoleUser {
			m.Blocks, m.Source = append(answers, m.Blocks...), nil
		} else if len(answers) > 0 {
			r.out = append(r.out, dialect.Message{Role: dialect.RoleUser, Blocks: answers})
		}
		answers = nil
		// A message that the moves have emptied is left away; one that was empty before is not ours to remove.
		if m.Source != nil || len(m.Blocks) > 0 || len(r.messages[i].Blocks) == 0 {
			r.out = append(r.out, m)
		}
		texts = append(texts, r.textMessages(i)...)
		if len(groups) == 0 || groups[0].message != i {
			continue
		}
		g := groups[0]
		groups = groups[1:]
		switch {
		case !r.rebuilt[g]:
		case r.dialect.Results == dialect.ResultsNext:
			answers = r.answers(g)
		default:
			r.out = append(r.out, dialect.Message{Role: dialect.RoleTool, Blocks: r.answers(g)})
		}
	}
	r.out = append(r.out, texts...)
	if len(answers) > 0 {
		r.out = append(r.out, dialect.Message{Role: dialect.RoleUser, Blocks: answers})
	}
}

// interrupted reports whether a text would come to be between the results of a group: they are in several messages of
// the user, and one of these has a result that becomes text.
func (r *repair) interrupted(g *group) bool {
	last := g.exchanges[len(g.exchanges)-1].answer
	if r.dialect.Results != dialect.ResultsNext || last == nil || last.message == g.message+1 {
		return false
	}
	for s := range r.dispositions {
		if s.message > g.message && s.message <= last.message {
			return true
		}
	}
	return false
}

// remaining returns a message without the results that are taken out of it. In a message of the user, results that
// belong to no call stay as text.
func (r *repair) remaining(i int) dialect.Message {
	m := r.messages[i]
	var stay []dialect.Block
	for j, b := range m.Blocks {
		s := blockIndex{i, j}
		if r.dispositions[s] == dispositionKeep {
			stay = append(stay, b)
			continue
		}
		m.Source = nil
		if m.Role == dialect.RoleUser && r.dispositions[s] == dispositionText {
			stay = append(stay, r.textBlock(s))
		}
	}
	m.Blocks = resultsFirst(stay)
	return m
}

// resultsFirst moves results before everything else and keeps the order of both.
func resultsFirst(blocks []dialect.Block) []dialect.Block {
	rank := func(b dialect.Block) int {
		if b.Result != nil {
			return 0
		}
		return 1
	}
	if slices.IsSortedFunc(blocks, func(a, b dialect.Block) int { return rank(a) - rank(b) }) {
		return blocks
	}
	sorted := slices.Clone(blocks)
	slices.SortStableFunc(sorted, func(a, b dialect.Block) int { return rank(a) - rank(b) })
	return sorted
}

// textMessages returns messages of the user for the results of a tool's message that belong to no call.
func (r *repair) textMessages(i int) []dialect.Message {
	if r.messages[i].Role != dialect.RoleTool {
		return nil
	}
	var list []dialect.Message
	for j := range r.messages[i].Blocks {
		if s := (blockIndex{i, j}); r.dispositions[s] == dispositionText {
			list = append(list, dialect.Message{Role: dialect.RoleUser, Blocks: []dialect.Block{r.textBlock(s)}})
		}
	}
	return list
}

// textBlock returns a result as the text fallback has it.
func (r *repair) textBlock(s blockIndex) dialect.Block {
	name := cmp.Or(r.resultAt(s).Name, "of a call that is not here")
	return dialect.TextBlock(markup.Result(name, markup.Break(r.resultAt(s).Text)))
}

// answers returns the answers of the calls of a group, in the order of the calls. A call without one gets an error.
func (r *repair) answers(g *group) []dialect.Block {
	var list []dialect.Block
	for _, e := range g.exchanges {
		if e.answer != nil {
			list = append(list, r.messages[e.answer.message].Blocks[e.answer.block])
			continue
		}
		c := r.callAt(e.call)
		list = append(list, dialect.Block{Result: &dialect.Result{ID: c.ID, Name: c.Name, Text: dialect.Unanswered, Failed: true, Custom: c.Custom}})
	}
	return list
}

// mendTexts removes empty texts, and fills messages that have no others. An empty message of the user before another
// one is removed instead: the next one may have to begin with results.
func (r *repair) mendTexts() {
	var out []dialect.Message
	for i, m := range r.out {
		if emptyProblem(&r.dialect, &m) == "" {
			out = append(out, m)
			continue
		}
		m.Source, m.Flaw = nil, ""
		m.Blocks = slices.DeleteFunc(slices.Clone(m.Blocks), isBlank)
		if len(m.Blocks) == 0 {
			if m.Role == dialect.RoleUser && i+1 < len(r.out) && r.out[i+1].Role == dialect.RoleUser {
				continue
			}
			m.Blocks = []dialect.Block{dialect.TextBlock(dialect.NoText)}
		}
		out = append(out, m)
	}
	r.out = out
}

// mendRoles joins or inserts messages so that roles follow each other as the provider requires.
func (r *repair) mendRoles() {
	var out []dialect.Message
	for _, m := range r.out {
		last := len(out) - 1
		var previous dialect.Role
		if last >= 0 {
			previous = out[last].Role
		}
		if roleProblem(&r.dialect, previous, m.Role, last < 0) == "" {
			out = append(out, m)
			continue
		}
		switch {
		case last < 0:
			out = append(out, dialect.Message{Role: dialect.RoleUser, Blocks: []dialect.Block{dialect.TextBlock(earlierOmitted)}}, m)
		case previous == m.Role:
			out[last].Blocks, out[last].Source = resultsFirst(append(slices.Clone(out[last].Blocks), m.Blocks...)), nil
		default: // the user after a tool
			out = append(out, dialect.Message{Role: dialect.RoleAssistant, Blocks: []dialect.Block{dialect.TextBlock(dialect.NoText)}}, m)
		}
	}
	r.out = out
}
