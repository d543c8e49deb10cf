package transcript

import (
	"sort"

	"github.com/toolresult/toolresult/transports/internal/dialect"
)

// spot is the place of a block in a transcript.
type blockIndex struct{ message, block int }

// exchange is a call and its answer.
type exchange struct {
	call      blockIndex
	answer    *blockIndex // nil: there is none
	misplaced bool        // the answer is not where the provider looks for it
}

// group is the calls of one message.
type group struct {
	message   int
	exchanges []*exchange
}

// pairing says which results belong to which calls.
type pairing struct {
	dialect    dialect.Dialect
	messages   []dialect.Message
	groups     []*group
	byID       map[string][]*group // those that have a call of an id
	orphans    []blockIndex
	duplicates []duplicate
}

// duplicate is a result of a call that has one already.
type duplicate struct {
	result   blockIndex
	exchange *exchange
}

// pairUp finds the answer of every call. A result belongs to the last call before it
// that it can belong to, because some providers use their ids again in every turn.
func pair(d dialect.Dialect, messages []dialect.Message) *pairing {
	p := &pairing{dialect: d, messages: messages, byID: map[string][]*group{}}
	var early []blockIndex
	for i := range messages {
		g := &group{message: i}
		for j, b := range messages[i].Blocks {
			switch {
			case b.Call != nil:
				g.exchanges = append(g.exchanges, &exchange{call: blockIndex{i, j}})
			case b.Result != nil && !p.assign(blockIndex{i, j}):
				early = append(early, blockIndex{i, j})
			}
		}
		p.add(g)
	}
	for _, s := range early {
		if !p.assignLater(s) {
			p.orphans = append(p.orphans, s)
		}
	}
	for _, g := range p.groups {
		p.findMisplaced(g)
	}
	return p
}

func (p *pairing) callAt(s blockIndex) *dialect.Call {
	return p.messages[s.message].Blocks[s.block].Call
}
func (p *pairing) resultAt(s blockIndex) *dialect.Result {
	return p.messages[s.message].Blocks[s.block].Result
}

// add adds the calls of a message, if there are any.
func (p *pairing) add(g *group) {
	if len(g.exchanges) == 0 {
		return
	}
	p.groups = append(p.groups, g)
	seen := map[string]bool{"": true}
	for _, e := range g.exchanges {
		if id := p.callAt(e.call).ID; !seen[id] {
			seen[id] = true
			p.byID[id] = append(p.byID[id], g)
		}
	}
}

// assign gives a result to a call before it: the last one with its id or, where either
// has none, one of the last calls.
func (p *pairing) assign(s blockIndex) bool {
	r := p.resultAt(s)
	groups := p.byID[r.ID]
	for i := len(groups) - 1; i >= 0; i-- {
		if p.assignIn(groups[i], s) {
			return true
		}
	}
	return len(p.groups) > 0 && p.assignIn(p.groups[len(p.groups)-1], s)
}

// assignIn gives a result to a call of a group, if it can belong to one.
func (p *pairing) assignIn(g *group, s blockIndex) bool {
	open, answered := p.candidates(g, p.resultAt(s))
	switch {
	case open != nil:
		open.answer = &s
	case answered != nil:
		p.duplicates = append(p.duplicates, duplicate{s, answered})
	}
	return open != nil || answered != nil
}

// assignLater gives a result to a call behind it.
func (p *pairing) assignLater(s blockIndex) bool {
	groups := p.byID[p.resultAt(s).ID]
	behind := sort.Search(len(groups), func(i int) bool { return groups[i].message > s.message })
	for _, g := range groups[behind:] {
		if open, _ := p.candidates(g, p.resultAt(s)); open != nil {
			open.answer = &s
			return true
		}
	}
	return false
}

// candidates are the first call of a group that a result can belong to and that has no
// answer, and the last one that has.
func (p *pairing) candidates(g *group, r *dialect.Result) (open, answered *exchange) {
	for _, e := range g.exchanges {
		if !p.belongs(p.callAt(e.call), r) {
			continue
		}
		if e.answer == nil {
			return e, answered
		}
		answered = e
	}
	return nil, answered
}

// belongs reports whether a result can be that of a call: by the id, where both have
// one, and by the name, as far as it is known.
func (p *pairing) belongs(c *dialect.Call, r *dialect.Result) bool {
	if c.ID != "" && r.ID != "" {
		return c.ID == r.ID && (c.Custom == r.Custom || !p.dialect.TypedResults)
	}
	return r.Name == "" || r.Name == c.Name
}

// findMisplaced marks the answers of a group that are not where the provider looks for
// them.
func (p *pairing) findMisplaced(g *group) {
	last := blockIndex{}
	for _, e := range g.exchanges {
		if e.answer == nil {
			continue
		}
		e.misplaced = !p.inPlace(g, *e.answer) || p.dialect.OrderedResults && precedes(*e.answer, last)
		last = *e.answer
	}
}

func precedes(a, b blockIndex) bool {
	return a.message < b.message || a.message == b.message && a.block < b.block
}

// inPlace reports whether the provider finds a result at a place.
func (p *pairing) inPlace(g *group, s blockIndex) bool {
	if s.message <= g.message {
		return false
	}
	switch p.dialect.Results {
	case dialect.ResultsFollow:
		for _, m := range p.messages[g.message+1 : s.message] {
			if m.Role != dialect.RoleTool {
				return false
			}
		}
	case dialect.ResultsNext:
		for i := g.message + 1; i <= s.message; i++ {
			if !p.beginsWithResults(i, s) {
				return false
			}
		}
	}
	return true
}

// beginsWithResults reports whether a message of the user has nothing but results before
// a place. Providers take messages of one role as one.
func (p *pairing) beginsWithResults(i int, s blockIndex) bool {
	m := &p.messages[i]
	if m.Role != dialect.RoleUser && m.Role != dialect.RoleTool {
		return false
	}
	for j, b := range m.Blocks {
		if i == s.message && j == s.block {
			break
		}
		if b.Result == nil {
			return false
		}
	}
	return true
}

// broken reports whether a call of a group has no answer, or not where it should be.
func (g *group) broken() bool {
	for _, e := range g.exchanges {
		if e.answer == nil || e.misplaced {
			return true
		}
	}
	return false
}
