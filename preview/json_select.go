package preview

import (
	"cmp"
	"slices"

	"github.com/toolresult/toolresult/preview/tokens"
)

// Select makes a preview that costs about b at the most. All of the value is
// shown if it fits, with long lines cut inside if need be. Otherwise an object
// shows its first members, which share the room max-min fair, and an array its
// first elements whole; and one that is not shown whole is cut in the same way.
// The share of first lines has no meaning here.
func (j *JSON) Select(b Budget, c tokens.Counter, _ int) *Preview {
	e := &Excerpt{bytes: j.Bytes(), lines: int64(len(j.lines))}
	s := jsonSelection{JSON: j, selection: selection{excerpt: e, budget: b, counter: c}}
	if lines, ok := s.all(); ok {
		return s.assemble(lines)
	}
	s.measure(max(1, b.LineBytes))
	if _, ok := s.choose(0); !ok {
		return e.unseen(CutMiddle, EncodingUTF8)
	}
	lines, _ := s.choose(s.allowance())
	return s.assemble(lines)
}

// allowance is the largest number of bytes, about, whose choice fits. A larger one
// may choose less text, and a mark more; so it is looked for in steps first, from
// above, and between two of them by halves.
func (s *jsonSelection) allowance() int {
	fits := func(n int) bool {
		_, ok := s.choose(n)
		return ok
	}
	high := s.ceiling() + 1
	low := high - 1
	for low > 0 && !fits(low) {
		high, low = low, low-low/4-1
	}
	for high-low > 1+low/256 { // a step is less than an element of most lists
		if middle := low + (high-low)/2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return max(0, low)
}

// measure sums up what lines cost, in bytes, when none is longer than limit.
func (j *JSON) measure(limit int) {
	if j.of == limit {
		return
	}
	j.of, j.costs = limit, make([]int64, len(j.lines)+1)
	for i := range j.lines {
		n := j.end(i) - j.lines[i].start
		if n > int64(limit) {
			n = min(n, int64(limit)+markerBytes)
		}
		j.costs[i+1] = j.costs[i] + n
	}
}

// cost is what the value that begins at line i costs.
func (j *JSON) cost(i int) int { return int(j.costs[j.last(i)+1] - j.costs[i]) }

// lineCost is what line i costs.
func (j *JSON) lineCost(i int) int { return int(j.costs[i+1] - j.costs[i]) }

// jsonSelection is one choice of values.
type jsonSelection struct {
	*JSON
	selection
	chosen []choice
}

// choice is a run of lines to show.
type choice struct {
	first, last int // indices of lines
	limit       int // bytes of one line before its inner part is cut
	left, of    int // values that are left out before it, of a container
}

// longestToken is how many bytes a token of JSON text has at the most, on
// average: more text than that is not worth a count.
const longestToken = 16

// ceiling is a number of bytes that cannot fit, or is all there is.
func (s *jsonSelection) ceiling() int {
	most := int(s.Bytes()) + len(s.lines)*markerBytes
	if s.budget.Tokens < most/longestToken {
		most = s.budget.Tokens * longestToken
	}
	return min(most, s.budget.Bytes)
}

// all shows every line, if that fits: unshortened, or with the longest line
// limit that does.
func (s *jsonSelection) all() ([]rendered, bool) {
	longest, most := 0, s.budget.LineBytes
	for i := range s.lines {
		longest = max(longest, int(s.end(i)-s.lines[i].start))
	}
	if int(s.Bytes()) <= s.ceiling() {
		if lines, ok := s.limited(longest); ok || longest <= most {
			return lines, ok
		}
	}
	if _, ok := s.limited(most); !ok {
		return nil, false
	}
	return s.limited(s.search(most, max(most+1, min(longest, s.ceiling())), func(limit int) bool {
		_, ok := s.limited(limit)
		return ok
	}))
}

// limited renders every line, none of them longer than limit bytes.
func (s *jsonSelection) limited(limit int) ([]rendered, bool) {
	s.chosen = append(s.chosen[:0], choice{last: len(s.lines) - 1, limit: limit})
	return s.fits()
}

// choose renders what a number of bytes is enough for, about.
func (s *jsonSelection) choose(allowance int) ([]rendered, bool) {
	s.chosen = s.chosen[:0]
	s.show(0, allowance)
	return s.fits()
}

// fits renders the lines that were chosen, and reports whether they fit.
func (s *jsonSelection) fits() ([]rendered, bool) {
	total, budget := 0, s.budget.left()
	for _, c := range s.chosen {
		total += c.last - c.first + 1
		if c.left > 0 {
			budget = budget.marker(1)
		}
	}
	budget.lines -= total
	if !budget.ok() || total > s.budget.Tokens {
		return nil, false
	}
	s.scratch = s.scratch[:0]
	lines, list := make([]line, total), make([]rendered, 0, total)
	for _, c := range s.chosen {
		for i := c.first; i <= c.last; i++ {
			l := &lines[len(list)]
			*l = s.line(i)
			r := s.render(l, int64(i)+1, c.limit)
			if i == c.first {
				r.left, r.of = int64(c.left), int64(c.of)
			}
			if r.long {
				budget = budget.marker(1)
			}
			if budget.bytes < len(s.scratch) || !budget.ok() || len(s.scratch)/longestToken > budget.tokens {
				return nil, false
			}
			list = append(list, r)
		}
	}
	return list, Budget{Tokens: budget.tokens, Lines: NoLimit, Bytes: NoLimit}.fits(asString(s.scratch), 0, s.counter)
}

// line is line i as the other previews have it.
func (j *JSON) line(i int) line {
	start, end := j.lines[i].start, j.end(i)
	text := j.text[start : end-1]
	return line{start: start, end: end, textAt: start, text: text, split: len(text), newline: true}
}

func (s *jsonSelection) add(c choice) { s.chosen = append(s.chosen, c) }

// What a value needs at the least to say something, in bytes.
const (
	leastScalar    = minLineBytes + markerBytes
	leastContainer = 200
	leastCut       = 16 // of a line that is cut although there is no room
)

// show chooses lines of the value that begins at line i.
func (s *jsonSelection) show(i, allowance int) {
	closer := int(s.lines[i].closer)
	switch {
	case s.cost(i) <= allowance:
		s.add(choice{first: i, last: s.last(i), limit: s.of})
	case closer == 0:
		s.add(choice{first: i, last: i, limit: min(s.of, max(leastCut, allowance-markerBytes))})
	default:
		room := allowance - s.lineCost(i) - s.lineCost(closer)
		open := choice{first: i, last: i, limit: s.of}
		if room < 0 { // a giant key
			open.limit = min(s.of, max(leastCut, allowance/2-markerBytes))
		}
		s.add(open)
		shown := 0
		if s.isArray(i) {
			shown = s.elements(i, room)
		} else {
			shown = s.members(i, room)
		}
		end := choice{first: closer, last: closer, limit: s.of}
		if values := int(s.lines[i].values); shown < values {
			end.left, end.of = values-shown, values
		}
		s.add(end)
	}
}

// isArray reports which kind of container a line opens.
func (j *JSON) isArray(i int) bool { return j.text[j.end(i)-2] == '[' }

// least is what the value at line i needs at the least.
func (s *jsonSelection) least(i, container int) int {
	if closer := int(s.lines[i].closer); closer > 0 {
		return min(s.cost(i), max(container, s.lineCost(i)+s.lineCost(closer)+markerBytes))
	}
	if s.cost(i) <= 2*leastScalar {
		return s.cost(i) // a mark would cost about what it saves
	}
	return leastScalar
}

// elements shows the first elements of an array whole. The one after them is
// cut if it is the first, or if more than half of the room is left for it.
func (s *jsonSelection) elements(array, room int) (shown int) {
	values, spent := int(s.lines[array].values), 0
	for at := array + 1; shown < values; at = s.last(at) + 1 {
		more := markerBytes
		if shown+1 == values {
			more = 0
		}
		cost := s.cost(at)
		if left := room - spent - more; cost > left {
			if left < s.least(at, 0) || shown > 0 && left <= room/2 {
				return shown
			}
			rest := choice{first: s.last(at) + 1, last: int(s.lines[array].closer) - 1, limit: s.of}
			if n := int(s.costs[rest.last+1] - s.costs[rest.first]); n > more {
				s.show(at, left)
				return shown + 1
			} else if s.show(at, left+more-n); n > 0 { // no mark is shorter
				s.add(rest)
			}
			return values
		}
		s.add(choice{first: at, last: s.last(at), limit: s.of})
		spent, shown = spent+cost, shown+1
	}
	return shown
}

// members shows the first members of an object: as many as there is room to say
// something of. What is left is shared by those that need more.
func (s *jsonSelection) members(object, room int) int {
	type member struct{ at, grant, wants int }
	var shown []member
	values := int(s.lines[object].values)
	for at := object + 1; len(shown) < values; at = s.last(at) + 1 {
		more := markerBytes
		if len(shown)+1 == values {
			more = 0
		}
		least := s.least(at, leastContainer)
		if least+more > room {
			room -= markerBytes
			break
		}
		room -= least
		shown = append(shown, member{at, least, s.cost(at) - least})
	}
	room = max(0, room)
	order := make([]*member, len(shown))
	for i := range shown {
		order[i] = &shown[i]
	}
	slices.SortStableFunc(order, func(a, b *member) int { return cmp.Compare(a.wants, b.wants) })
	for i, m := range order {
		extra := min(m.wants, room/(len(order)-i))
		m.grant += extra
		room -= extra
	}
	for _, m := range shown {
		s.show(m.at, m.grant)
	}
	return len(shown)
}
