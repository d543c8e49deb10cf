package transports

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// Texts that a repair puts where there is none.
const leftOut = "(earlier messages were left out)"

// repaired is the transcript with everything mended that the linter finds, and the index
// of the first message that is not as it was.
func repaired(p *pairing) (transcript *string, first *uint32) {
	r := repair{pairing: p, taken: map[spot]fate{}, anew: map[*group]bool{}}
	r.mendCalls()
	r.place()
	r.mendTexts()
	r.mendRoles()

	var sources [][]byte
	for _, m := range r.out {
		if m.source != nil {
			sources = append(sources, m.source)
			continue
		}
		for _, o := range p.dialect.shape.write(m) {
			sources = append(sources, o.Raw())
		}
	}
	for i := range max(len(sources), len(r.sources)) {
		if i >= len(sources) || i >= len(r.sources) || !bytes.Equal(sources[i], r.sources[i]) {
			first = new(uint32(i))
			break
		}
	}
	return new("[" + string(bytes.Join(sources, []byte(","))) + "]"), first
}

// repair mends a transcript. A message keeps its source until it is changed.
type repair struct {
	*pairing
	sources [][]byte        // as they were read
	taken   map[spot]fate   // results that do not stay where they are
	anew    map[*group]bool // groups whose results are put behind their calls again
	out     []message
}

// fate is what becomes of a result.
type fate int

const (
	stays       fate = iota
	moved            // behind the calls of its group
	becomesText      // because it belongs to no call, and says something
	goes             // because nothing is lost with it
)

// fateOf is that of a result that belongs to no call, or to one that has another answer.
func (r *repair) fateOf(s spot, answered string) fate {
	if said := r.result(s).text; said == "" || said == answered {
		return goes
	}
	return becomesText
}

// mendCalls gives calls ids, names and arguments that the provider takes, and results the
// ids and names of their calls.
func (r *repair) mendCalls() {
	for i := range r.messages {
		r.sources = append(r.sources, r.messages[i].source)
	}
	made := map[string]bool{} // ids of calls that had none
	for _, g := range r.groups {
		used := map[string]bool{}
		for _, e := range g.exchanges {
			c := r.call(e.at)
			mended := r.mended(*c, used, made)
			if mended != *c {
				*c = mended
				r.messages[g.message].source = nil
			}
			r.mendAnswer(e, mended)
		}
	}
}

// mended is a call as the provider takes it.
func (r *repair) mended(c call, used, made map[string]bool) call {
	switch {
	case r.dialect.noIDs:
		c.id = ""
	case c.id == "" && r.dialect.needsIDs:
		c.id = r.dialect.ids.unused(c.name+"\n"+c.arguments, made)
		used[c.id] = true
	case c.id != "":
		c.id = r.dialect.ids.unused(c.id, used)
	}
	c.name = r.dialect.names.name(c.name)
	switch {
	case c.argumentsProblem() == "":
	case c.arguments == "":
		c.arguments = "{}"
	default:
		c.arguments = string(rawjson.Object{}.WithText("input", c.arguments).Raw())
	}
	return c
}

func (r *repair) mendAnswer(e *exchange, c call) {
	if e.answer == nil {
		return
	}
	answer := r.result(*e.answer)
	if answer.id == c.id && (answer.name == "" || answer.name == c.name) {
		return
	}
	answer.id = c.id
	if answer.name != "" {
		answer.name = c.name
	}
	r.messages[e.answer.message].source = nil
}

// place puts every answer where the provider looks for it. The results of a group that is
// broken are taken out, and put behind its calls in their order.
func (r *repair) place() {
	for _, d := range r.duplicates {
		r.taken[d.at] = r.fateOf(d.at, r.result(*d.of.answer).text)
	}
	for _, s := range r.orphans {
		r.taken[s] = r.fateOf(s, "")
	}
	for _, g := range r.groups {
		if r.anew[g] = g.broken() || r.torn(g); !r.anew[g] {
			continue
		}
		for _, e := range g.exchanges {
			if e.answer != nil {
				r.taken[*e.answer] = moved
			}
		}
	}
	r.lay()
}

// lay lays out the messages: behind the calls of a group that is broken its results, and
// what belongs to no call behind the results that stay.
func (r *repair) lay() {
	groups := r.groups
	var answers []block // for the next message of the user
	var texts []message // for behind the tool messages
	for i := range r.messages {
		m := r.remaining(i)
		if m.role != roleTool {
			r.out, texts = append(r.out, texts...), nil
		}
		if len(answers) > 0 && m.role == roleUser {
			m.blocks, m.source = append(answers, m.blocks...), nil
		} else if len(answers) > 0 {
			r.out = append(r.out, message{role: roleUser, blocks: answers})
		}
		answers = nil
		if m.source != nil || len(m.blocks) > 0 || len(r.messages[i].blocks) == 0 {
			r.out = append(r.out, m)
		}
		texts = append(texts, r.texts(i)...)
		if len(groups) == 0 || groups[0].message != i {
			continue
		}
		g := groups[0]
		groups = groups[1:]
		switch {
		case !r.anew[g]:
		case r.dialect.place == placeNext:
			answers = r.answers(g)
		default:
			r.out = append(r.out, message{role: roleTool, blocks: r.answers(g)})
		}
	}
	r.out = append(r.out, texts...)
	if len(answers) > 0 {
		r.out = append(r.out, message{role: roleUser, blocks: answers})
	}
}

// torn reports whether text would come to stand between the results of a group: they are
// in several messages of the user, and in one of these is a result that becomes text.
func (r *repair) torn(g *group) bool {
	last := g.exchanges[len(g.exchanges)-1].answer
	if r.dialect.place != placeNext || last == nil || last.message == g.message+1 {
		return false
	}
	for s := range r.taken {
		if s.message > g.message && s.message <= last.message {
			return true
		}
	}
	return false
}

// remaining is a message without the results that are taken out of it. Where results are
// blocks of a user's message, those that belong to no call stay as text.
func (r *repair) remaining(i int) message {
	m := r.messages[i]
	var stay []block
	for j, b := range m.blocks {
		s := spot{i, j}
		if r.taken[s] == stays {
			stay = append(stay, b)
			continue
		}
		m.source = nil
		if m.role == roleUser && r.taken[s] == becomesText {
			stay = append(stay, r.asText(s))
		}
	}
	m.blocks = resultsFirst(stay)
	return m
}

// resultsFirst puts results before everything else, without changing the order of either.
func resultsFirst(blocks []block) []block {
	rank := func(b block) int {
		if b.result != nil {
			return 0
		}
		return 1
	}
	if slices.IsSortedFunc(blocks, func(a, b block) int { return rank(a) - rank(b) }) {
		return blocks
	}
	sorted := slices.Clone(blocks)
	slices.SortStableFunc(sorted, func(a, b block) int { return rank(a) - rank(b) })
	return sorted
}

// texts are messages of the user for the results of a tool message that belong to no call.
func (r *repair) texts(i int) []message {
	if r.messages[i].role != roleTool {
		return nil
	}
	var list []message
	for j := range r.messages[i].blocks {
		if s := (spot{i, j}); r.taken[s] == becomesText {
			list = append(list, message{role: roleUser, blocks: []block{r.asText(s)}})
		}
	}
	return list
}

// asText is a result as the fallback has it.
func (r *repair) asText(s spot) block {
	name := cmp.Or(r.result(s).name, "of a call that is not here")
	return textBlock(markup.Result(name, markup.Break(r.result(s).text)))
}

// answers are those of the calls of a group, in their order.
func (r *repair) answers(g *group) []block {
	var list []block
	for _, e := range g.exchanges {
		if e.answer != nil {
			list = append(list, r.messages[e.answer.message].blocks[e.answer.block])
			continue
		}
		c := r.call(e.at)
		list = append(list, block{result: &result{id: c.id, name: c.name, text: unanswered, failed: true, custom: c.custom}})
	}
	return list
}

// mendTexts removes texts that say nothing, and fills messages that then have none. One
// of the user before another of the user, which may begin with results, is left out.
func (r *repair) mendTexts() {
	var out []message
	for i, m := range r.out {
		if r.dialect.emptiness(&m) == "" {
			out = append(out, m)
			continue
		}
		m.source, m.flaw = nil, ""
		m.blocks = slices.DeleteFunc(slices.Clone(m.blocks), isBlank)
		if len(m.blocks) == 0 {
			if m.role == roleUser && i+1 < len(r.out) && r.out[i+1].role == roleUser {
				continue
			}
			m.blocks = []block{textBlock(noText)}
		}
		out = append(out, m)
	}
	r.out = out
}

// mendRoles lets user and assistant take turns.
func (r *repair) mendRoles() {
	var out []message
	for _, m := range r.out {
		last := len(out) - 1
		var previous role
		if last >= 0 {
			previous = out[last].role
		}
		if r.dialect.turnProblem(previous, m.role, last < 0) == "" {
			out = append(out, m)
			continue
		}
		switch {
		case last < 0:
			out = append(out, message{role: roleUser, blocks: []block{textBlock(leftOut)}}, m)
		case previous == m.role:
			out[last].blocks, out[last].source = resultsFirst(append(slices.Clone(out[last].blocks), m.blocks...)), nil
		default: // a user behind a tool
			out = append(out, message{role: roleAssistant, blocks: []block{textBlock(noText)}}, m)
		}
	}
	r.out = out
}
