package transcript

import (
	"sort"

	"github.com/toolresult/toolresult/transports/internal/dialect"
)

// Providers match results with calls by id, by name and order (Gemini before ids, Ollama), or by place alone. Transcripts
// break this in known ways: a run was interrupted between a call and its result, messages were sorted by time, a
// summary removed one half of a pair, a proxy gave every turn the ids call_0, call_1. pair finds the likeliest partner
// of each, so that a repair moves a result rather than replacing it by an error.

// blockIndex is the index of a block in a transcript.
type blockIndex struct{ message, block int }

// exchange is a call and its answer. The answer may be before the call in a transcript that is out of order.
type exchange struct {
	call      blockIndex
	answer    *blockIndex // nil if there is none
	misplaced bool        // the answer is not where the provider looks for it
}

// group has the calls of one message.
type group struct {
	message   int
	exchanges []*exchange
}

// pairing says which results belong to which calls. Every result of the transcript is exactly one of: the answer of an
// exchange, a duplicate, or an orphan.
type pairing struct {
	dialect    dialect.Dialect
	messages   []dialect.Message
	groups     []*group
	byID       map[string][]*group // groups that have a call with an id
	orphans    []blockIndex
	duplicates []duplicate
}

// duplicate is a result of a call that has another one.
type duplicate struct {
	result   blockIndex
	exchange *exchange
}

// pair finds the answer of every call. A result belongs to the last call before it that it can belong to, because some
// providers use their ids again in every turn.
func pair(d dialect.Dialect, messages []dialect.Message) *pairing {
	p := &pairing{dialect: d, messages: messages, byID: map[string][]*group{}}
	// Results before any call that they could answer wait until all calls are known.
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

// callAt returns the call at an index. The block must be one.
func (p *pairing) callAt(s blockIndex) *dialect.Call {
	return p.messages[s.message].Blocks[s.block].Call
}

// resultAt returns the result at an index. The block must be one.
func (p *pairing) resultAt(s blockIndex) *dialect.Result {
	return p.messages[s.message].Blocks[s.block].Result
}

// add adds the calls of a message, if it has any.
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

// assign gives a result to a call before it: to the last call with its id or, if either has no id, to one of the last
// calls. It returns false if there is none.
func (p *pairing) assign(s blockIndex) bool {
	r := p.resultAt(s)
	groups := p.byID[r.ID]
	// The last group first: an id that is used again belongs to the latest turn.
	for i := len(groups) - 1; i >= 0; i-- {
		if p.assignIn(groups[i], s) {
			return true
		}
	}
	return len(p.groups) > 0 && p.assignIn(p.groups[len(p.groups)-1], s)
}

// assignIn gives a result to a call of a group, or returns false if it can belong to none.
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

// assignLater gives a result to a call after it. Runtimes that sort messages by time produce such transcripts.
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

// candidates returns the first call of a group without an answer that a result can belong to, and the last one that has
// an answer. Each may be nil.
func (p *pairing) candidates(g *group, r *dialect.Result) (open, answered *exchange) {
	for _, e := range g.exchanges {
		if !p.belongs(p.callAt(e.call), r) {
			continue
		}
		// Calls are answered in their order if nothing else tells them apart.
		if e.answer == nil {
			return e, answered
		}
		answered = e
	}
	return nil, answered
}

// belongs reports whether a result can be that of a call: by the id if both have one, otherwise by the name if the
// result has one.
func (p *pairing) belongs(c *dialect.Call, r *dialect.Result) bool {
	// OpenAI has results of custom tools as a type of their own; one of the wrong type answers nothing.
	if c.ID != "" && r.ID != "" {
		return c.ID == r.ID && (c.Custom == r.Custom || !p.dialect.TypedResults)
	}
	return r.Name == "" || r.Name == c.Name
}

// findMisplaced marks the answers of a group that are not where the provider looks for them.
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

// precedes reports whether a is before b in the transcript.
func precedes(a, b blockIndex) bool {
	return a.message < b.message || a.message == b.message && a.block < b.block
}

// inPlace reports whether the provider finds a result of a group at an index.
func (p *pairing) inPlace(g *group, s blockIndex) bool {
	if s.message <= g.message {
		return false
	}
	// ResultsAfter needs nothing but to be after the call.
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

// beginsWithResults reports whether message i, which is of the user, has only results before s. Providers treat
// consecutive messages of one role as one.
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

// broken reports whether a call of a group has no answer, or a misplaced one.
func (g *group) broken() bool {
	for _, e := range g.exchanges {
		if e.answer == nil || e.misplaced {
			return true
		}
	}
	return false
}
