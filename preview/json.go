package preview

import (
	"errors"
	"github.com/toolresult/toolresult/preview/focus"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// Previews of JSON are cut by value. Lines of the readable form are shown in
// the order of their ranks, each with the brackets of all containers around it,
// so that the text between two marks is always whole values of one container.

// JSON is a JSON value in its readable form, of which previews are cut by value:
// the gap between two lines is whole values of one container.
type JSON struct{ doc *shape.Document }

// ParseJSON reads one JSON value. It returns ErrNotJSON for anything else. The
// readable form is a copy.
func ParseJSON(text []byte) (*JSON, error) {
	doc, err := shape.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	return &JSON{doc}, nil
}

// leastFormBudget is the least budget by which a form is chosen, in tokens. Smaller ones have
// the form that this one has: an error says how many tokens are enough, and they are enough
// for that form.
const leastFormBudget = 192

// Readable is a payload in a readable form: *JSON, *Framed, *Rows or *Report.
type Readable interface {
	Text() []byte
	Bytes() int64
	Select(b Budget, c tokens.Counter, f Hints) *Preview
}

// mostRecords is the size of a text that is read as records at most, in bytes: each
// of their values takes memory.
const mostRecords = 1 << 20

// ReadJSON reads JSON: one value, or objects in sequence that are records of one
// kind. The readable form of records is a table: of all that they say if that fits into a
// budget of tokens, and otherwise of the columns that a reader wants. A few lines of other
// text may be around it. It returns ErrNotJSON for anything else.
func ReadJSON(text []byte, budget int, c tokens.Counter) (Readable, error) {
	budget = max(budget, leastFormBudget)
	if len(text) > mostRecords {
		return ParseJSON(text)
	}
	if rows, err := ParseRows(text); err == nil && rows != nil && rows.saves(leastSavedOfJSON, rows.table.Source(), c) && estimateAll(rows.Text(), c) <= budget {
		return rows, nil
	}
	if rows := overviewRows(text, budget); rows != nil {
		return rows, nil
	}
	value, err := ParseJSON(text)
	if errors.Is(err, shape.ErrNotJSON) {
		return readFramed(text, budget, c)
	}
	return value, err
}

// Text returns the readable form. It ends with a line end.
func (j *JSON) Text() []byte { return j.doc.Text() }

// Bytes returns the size of the readable form.
func (j *JSON) Bytes() int64 { return int64(len(j.doc.Text())) }

// Select makes a preview that costs about b at most. All of the value is shown
// if it fits, with long lines cut inside if need be. Otherwise lines are shown
// in the order of their ranks (package shape), each with the brackets of the
// containers around it. Lines that have what the reader looks for come before all but
// those that say what happened.
func (j *JSON) Select(b Budget, c tokens.Counter, hints Hints) *Preview {
	e := &Excerpt{bytes: j.Bytes(), lines: int64(j.doc.Len())}
	s := jsonSelection{doc: j.doc, focus: focus.Parse(hints.Focus), selection: selection{excerpt: e, budget: b, counter: c}}
	if lines, ok := s.all(); ok {
		return s.assemble(lines)
	}
	s.shown = make([]bool, j.doc.Len())
	if !s.begin() {
		return e.unseen(CutMiddle, EncodingUTF8)
	}
	s.choose()
	if s.exhausted { // short forms of all lines fit: make them longer
		if lines, ok := s.longer(); ok {
			return s.shaped(lines)
		}
	}
	return s.shaped(s.render())
}

// shaped assembles a preview that is marked as JSON.
func (s *jsonSelection) shaped(lines []rendered) *Preview {
	p := s.assemble(lines)
	p.Shape = shape.JSON
	return p
}

// jsonSelection is one choice of lines.
type jsonSelection struct {
	selection
	doc       *shape.Document
	focus     *focus.Terms
	first     int // bytes that are shown of line 0, where that is not by its score; else 0
	shown     []bool
	remaining remaining
	exhausted bool // every line is shown
}

// longestToken is how many bytes a token of JSON text has at most, on average:
// more text than that is not worth a count.
const longestToken = 16

// ceiling returns a number of bytes that cannot fit, or all there is.
func (s *jsonSelection) ceiling() int {
	most := len(s.doc.Text()) + s.doc.Len()*markerBytes
	if s.budget.Tokens < most/longestToken {
		most = s.budget.Tokens * longestToken
	}
	return min(most, s.budget.Bytes)
}

// all shows every line, if that fits: unshortened, or with the longest line
// limit that does.
func (s *jsonSelection) all() ([]rendered, bool) {
	longest, most := s.longest(), s.budget.LineBytes
	if len(s.doc.Text()) <= s.ceiling() {
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

// longer shows every line, with the longest limit that fits.
func (s *jsonSelection) longer() ([]rendered, bool) {
	least := s.widest()
	if _, ok := s.limited(least); !ok {
		return nil, false
	}
	return s.limited(s.search(least, max(least+1, min(s.longest(), s.ceiling())), func(limit int) bool {
		_, ok := s.limited(limit)
		return ok
	}))
}

// longest returns the length of the longest line.
func (s *jsonSelection) longest() int {
	longest := int64(0)
	for i := range s.doc.Len() {
		start, end := s.doc.Span(i)
		longest = max(longest, end-start)
	}
	return int(longest)
}

// limited renders every line, none of them longer than limit bytes.
func (s *jsonSelection) limited(limit int) ([]rendered, bool) {
	budget := s.budget.remaining()
	budget.lines -= s.doc.Len()
	if !budget.ok() || s.doc.Len() > s.budget.Tokens {
		return nil, false
	}
	s.scratch = s.scratch[:0]
	lines, list := make([]textscan.Line, s.doc.Len()), make([]rendered, 0, s.doc.Len())
	for i := range s.doc.Len() {
		lines[i] = s.line(i)
		r := s.selection.render(&lines[i], int64(i)+1, limit)
		if r.long {
			budget = budget.marker(1)
		}
		if budget.bytes < len(s.scratch) || !budget.ok() || len(s.scratch)/longestToken > budget.tokens {
			return nil, false
		}
		list = append(list, r)
	}
	return list, Budget{Tokens: budget.tokens, Lines: NoLimit, Bytes: NoLimit}.fits(asString(s.scratch), 0, s.counter)
}

// line returns line i as the other previews have it.
func (s *jsonSelection) line(i int) textscan.Line {
	start, end := s.doc.Span(i)
	text := s.doc.Text()[start : end-1]
	return textscan.Line{Start: start, End: end, TextAt: start, Text: text, Split: len(text), Newline: true}
}

// widest returns how long a line may be where not all fits, so that several are
// seen.
func (s *jsonSelection) widest() int {
	return min(s.budget.LineBytes, max(2*minLineBytes, s.budget.Tokens/4))
}

// limit returns how long line i may be. A cut that saves no more than its mark
// costs is not made.
func (s *jsonSelection) limit(i int) int {
	limit := s.widest()
	if s.doc.Minor(i) {
		limit = max(2*minLineBytes, limit/2)
	}
	if start, end := s.doc.Span(i); int(end-start) <= limit+minLineBytes {
		return int(end - start)
	}
	return limit
}

// begin shows the outermost line, or lines.
func (s *jsonSelection) begin() bool {
	s.remaining = s.budget.remaining()
	last := s.doc.Last(0)
	if last == 0 { // a scalar that does not fit whole
		for limit := s.limit(0); limit > 0; limit /= 2 {
			s.first = limit
			if s.pay(0) {
				return true
			}
		}
		return false
	}
	if last > 1 {
		s.remaining = s.remaining.marker(1)
	}
	for limit := s.limit(0); limit > 0; limit /= 2 { // a giant key
		s.first = limit
		before := s.remaining
		if s.pay(0) && s.pay(last) {
			return true
		}
		s.remaining, s.shown[0] = before, false
	}
	return false
}

// choose shows lines by rank until the budget is spent. One that does not fit
// is passed over, and so are those inside it; after some of them the choice
// ends.
func (s *jsonSelection) choose() {
	misses := 0
	line := func(i int) []byte {
		start, end := s.doc.Span(i)
		return s.doc.Text()[start:end]
	}
	for _, i := range s.focus.First(s.doc.Order(), s.doc.Len(), line, s.doc.Says) {
		if s.shown[i] {
			continue
		}
		if !s.add(int(i)) {
			if misses++; misses > mostMisses {
				return
			}
		}
	}
	s.exhausted = misses == 0
}

// add shows a line and those around it, or none of them.
func (s *jsonSelection) add(i int) bool {
	before := s.remaining
	var added [3 * deepestShown]int
	n := 0
	for at := i; !s.shown[at]; at = s.doc.Parent(at) {
		if n+3 > len(added) {
			return false
		}
		if which := s.doc.Identity(at); which != i && !s.shown[which] {
			added[n] = which
			n++
		}
		added[n] = at
		n++
		if last := s.doc.Last(at); last != at {
			added[n] = last
			n++
		}
	}
	for k := n - 1; k >= 0; k-- { // from the outermost
		if at := added[k]; !s.pay(at) {
			for _, undo := range added[k+1 : n] {
				s.shown[undo] = false
			}
			s.remaining = before
			return false
		}
	}
	for k := range n {
		s.close(added[k])
	}
	return true
}

// deepestShown is how many containers around a line are shown with it at most.
const deepestShown = 128

// pay shows one line, if the budget allows for it and for the marks that it
// makes or saves.
func (s *jsonSelection) pay(i int) bool {
	after := s.cost(i, s.remaining.marker(s.marks(i)))
	if !after.ok() {
		return false
	}
	s.remaining, s.shown[i] = after, true
	return true
}

// cost returns the rest of a budget once line i is shown.
func (s *jsonSelection) cost(i int, budget remaining) remaining {
	l := s.line(i)
	at := len(s.scratch)
	r := s.selection.render(&l, int64(i)+1, s.lineLimit(i))
	after := budget.spend(asString(s.scratch[r.from:r.to]), 1, s.counter)
	if r.long {
		after = after.marker(1)
	}
	s.scratch = s.scratch[:at]
	return after
}

// lineLimit returns how long line i may be, as begin may have lowered it.
func (s *jsonSelection) lineLimit(i int) int {
	if i == 0 && s.first > 0 {
		return s.first
	}
	return s.limit(i)
}

// marks returns by how many the marks become more when line i is shown between
// the lines that are.
func (s *jsonSelection) marks(i int) int {
	if i == 0 || i == s.doc.Last(0) {
		return 0 // the one between is paid for
	}
	n := 1
	if s.shown[i-1] {
		n--
	}
	if i+1 == len(s.shown) || s.shown[i+1] {
		n--
	}
	return n
}

// gapLines is how many lines of a gap are looked at, that may be shorter than
// its mark.
const gapLines = 3

// close shows the gaps beside a line that are no longer than their marks.
func (s *jsonSelection) close(i int) {
	s.fill(i+1, +1)
	s.fill(i-1, -1)
}

// fill shows the gap that begins at a line in one direction, if it costs no
// more than its mark.
func (s *jsonSelection) fill(from, step int) {
	to := from
	for n := 0; !s.shown[to]; to += step { // the first and the last line are shown
		if n++; n > gapLines {
			return
		}
	}
	before := s.remaining
	for i := from; i != to; i += step {
		if !s.pay(i) {
			s.hide(from, i, step)
			s.remaining = before
			return
		}
	}
	if s.remaining.tokens < before.tokens {
		s.hide(from, to, step)
		s.remaining = before
	}
}

// hide takes back lines of a gap.
func (s *jsonSelection) hide(from, to, step int) {
	for i := from; i != to; i += step {
		s.shown[i] = false
	}
}

// render renders the chosen lines, and counts for the gap before each how many
// values of which container it omits.
func (s *jsonSelection) render() []rendered {
	s.scratch = s.scratch[:0]
	n := 0
	for _, shown := range s.shown {
		if shown {
			n++
		}
	}
	lines, list := make([]textscan.Line, n), make([]rendered, 0, n)
	gap := 0 // the first of the omitted lines before the next one
	for i := range s.shown {
		if !s.shown[i] {
			continue
		}
		l := &lines[len(list)]
		*l = s.line(i)
		r := s.selection.render(l, int64(i)+1, s.lineLimit(i))
		if gap < i {
			r.omittedValues, r.totalValues = s.values(gap, i)
		}
		r.score, r.reason = s.doc.Score(i), shape.KeepStructure // all that is shown are keys and brackets with what they hold
		list = append(list, r)
		gap = i + 1
	}
	return list
}

// values counts the values from one line to before another, and those of their
// container.
func (s *jsonSelection) values(from, to int) (left, of int64) {
	for i := from; i < to; i = s.doc.Last(i) + 1 {
		left++
	}
	in := s.doc.Parent(from)
	if !s.doc.IsArray(in) && s.doc.Values(in) <= fewMembers {
		return 0, 0
	}
	return left, int64(s.doc.Values(in))
}

// fewMembers is how many members an object has that are not worth counting for
// a reader: counts are for lists, and for objects that are used as such.
const fewMembers = 24
