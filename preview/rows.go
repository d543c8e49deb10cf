package preview

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/focus"
	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// Previews of records are cut by row: a row is shown or it is not. Where a row is
// long, the ends of its long cells are omitted, and a sign is in their place.

// Rows is records of one kind in their readable form, a table, of which previews
// are cut by row.
type Rows struct{ table *records.Table }

// ParseRows reads JSON that is records of one kind: an array of objects, with what
// is around it, or objects in sequence. A few lines of text may be around it. It returns records.ErrNotJSON for other text,
// and nil without an error for JSON that is no table. The readable form is a copy.
func ParseRows(text []byte) (*Rows, error) {
	table, err := records.Parse(text)
	if err != nil || table == nil {
		return nil, err
	}
	return &Rows{table}, nil
}

// What a table must save, in percent of the tokens of another form.
const (
	leastSavedOfJSON = 10 // of JSON that is cut in any case
	leastSavedOfText = 25 // of text that would be shown unchanged
	leastSavedTokens = 64 // of the same; the receipt says what the table is of
)

// ReadRows reads JSON that fits into a budget as it is. It returns nil where a
// table would save little, or text is no JSON of records.
func ReadRows(text []byte, c tokens.Counter) *Rows {
	if len(text) > mostRecords {
		return nil
	}
	rows, err := ParseRows(text)
	if err != nil || rows == nil || !rows.saves(leastSavedOfText, text, c) {
		return nil
	}
	return rows
}

// saves reports whether the table costs fewer tokens than another form of the
// same, by a percentage of them. Of long texts the tokens of a part are counted.
func (r *Rows) saves(percent int, other []byte, c tokens.Counter) bool {
	table, text := estimateAll(r.Text(), c), estimateAll(other, c)
	return table*100 <= text*(100-percent) && (percent < leastSavedOfText || text-table >= leastSavedTokens)
}

// countedBytes is how much of a text is counted to know about how many tokens it
// has.
const countedBytes = 16 << 10

// estimateAll returns the tokens of a text, or of a long one about as many.
func estimateAll(text []byte, c tokens.Counter) int {
	if len(text) <= countedBytes {
		return c.Count(asString(text))
	}
	part := c.Count(asString(text[:countedBytes]))
	return int(int64(part) * int64(len(text)) / countedBytes)
}

// overviewRows reads records as a table of the columns that a reader wants within a budget of
// tokens; nil if text is no JSON of records.
func overviewRows(text []byte, budget int) *Rows {
	if table, err := records.Overview(text, budget); err == nil && table != nil {
		return &Rows{table}
	}
	return nil
}

// ReadTable reads a table that is text already, such as values that are separated by commas, or
// columns that are aligned, for a budget of tokens. It returns nil for other text.
func ReadTable(text []byte, budget int) *Rows {
	if table := records.ParseText(text, max(budget, leastFormBudget)); table != nil {
		return &Rows{table}
	}
	return nil
}

// ReadTables reads a text of several tables, with titles between them, for a budget of tokens. It
// returns nil for other text.
func ReadTables(text []byte, budget int) *Outline {
	if tables := records.ParseTables(text, max(budget, leastFormBudget)); tables != nil {
		return newOutline(tables, shape.Table)
	}
	return nil
}

// Text returns the readable form. It ends with a line end.
func (r *Rows) Text() []byte { return r.table.Text() }

// Bytes returns the size of the readable form.
func (r *Rows) Bytes() int64 { return int64(len(r.table.Text())) }

// Select makes a preview that costs about b at most. All of the table is shown if
// it fits. Otherwise the lines that say what the rows are come first, then rows
// that say that something is wrong, rows that have what the reader looks for, and other
// rows and values beside them in the order of their ranks (package records).
func (r *Rows) Select(b Budget, c tokens.Counter, hints Hints) *Preview {
	e := &Excerpt{bytes: r.Bytes(), lines: int64(r.table.Len())}
	s := rowSelection{table: r.table, focus: focus.Parse(hints.Focus), selection: selection{excerpt: e, budget: b, counter: c}}
	lines, ok := s.all()
	if !ok {
		lines, ok = s.some()
	}
	if !ok {
		return e.unseen(CutMiddle, EncodingUTF8)
	}
	p := s.assemble(lines)
	p.Shape, p.Omitted = shape.Records, s.omitted
	return p
}

// rowSelection is one choice of rows.
type rowSelection struct {
	selection
	table     *records.Table
	focus     *focus.Terms
	shown     []bool
	limit     int // bytes of a row
	remaining remaining
}

// longestToken is how many bytes a token of a table has at most, on average: more text than that is
// not worth a count.
const longestToken = 16

// all shows every line unshortened, if that fits.
func (s *rowSelection) all() ([]rendered, bool) {
	if len(s.table.Text())/longestToken > s.budget.Tokens || len(s.table.Text()) > s.budget.Bytes || s.table.Len() > s.budget.Lines {
		return nil, false
	}
	return s.limited(NoLimit)
}

// limited renders every line, none of them longer than limit bytes, if that fits.
func (s *rowSelection) limited(limit int) ([]rendered, bool) {
	s.scratch, s.limit = s.scratch[:0], limit
	lines, list := make([]textscan.Line, s.table.Len()), make([]rendered, 0, s.table.Len())
	for i := range lines {
		list = append(list, s.row(i, &lines[i]))
		if len(s.scratch)/longestToken > s.budget.Tokens {
			return nil, false
		}
	}
	return list, s.budget.fits(asString(s.scratch), len(lines), s.counter)
}

// Shares of the budget: how many rows are seen at least, about, if they are long.
const (
	rowShare     = 6 // bytes of a row are one in this many of the tokens: a twentieth of the budget, about
	tellingShare = 3 // times as many bytes has a row that is unlike others
	besideShare  = 3 // and of a value beside them one in this many of that
)

// leastRow is how many bytes of a row are shown, at least, of a table of which all rows are.
const leastRow = 64

// some shows some of the lines, or all with their long cells cut.
func (s *rowSelection) some() ([]rendered, bool) {
	s.shown = make([]bool, s.table.Len())
	s.limit = min(s.budget.LineBytes, max(2*minLineBytes, s.budget.Tokens/rowShare))
	for ; !s.begin(); s.limit /= 2 {
		if s.limit < minLineBytes/2 {
			return nil, false
		}
	}
	if lines, ok := s.longer(min(s.limit, leastRow)); ok {
		return lines, ok
	}
	s.runs = s.table.Runs()
	s.choose()
	s.countOmitted()
	return s.chosen(), true
}

// longer shows every line, with the longest limit that fits, of at least some
// bytes.
func (s *rowSelection) longer(least int) ([]rendered, bool) {
	before := s.limit
	if _, ok := s.limited(least); !ok {
		s.limit, s.scratch = before, s.scratch[:0]
		return nil, false
	}
	return s.limited(s.search(least, max(least+1, s.longest()), func(limit int) bool {
		_, ok := s.limited(limit)
		return ok
	}))
}

// longest returns the length of the longest line, as far as the budget can pay
// for one.
func (s *rowSelection) longest() int {
	longest := 0
	for i := range s.table.Len() {
		start, end := s.table.Span(i)
		longest = max(longest, int(end-start))
	}
	return min(longest, s.budget.Bytes, s.budget.Tokens*longestToken)
}

// begin shows the two lines that say what the rows are.
func (s *rowSelection) begin() bool {
	s.remaining = s.budget.remaining().marker(1)
	keys := s.table.Heads() - 1
	if s.pay(keys-1) && s.pay(keys) {
		return true
	}
	s.shown[keys-1], s.shown[keys] = false, false
	return false
}

// oddShare is the part of a budget for rows that are unlike others and say of nothing that it
// failed, in per cent, before other rows are shown.
const oddShare = 40

// choose shows lines by rank until the budget is spent. One that does not fit is
// passed over; after some of them the choice ends.
func (s *rowSelection) choose() {
	misses := 0
	line := func(i int) []byte {
		start, end := s.table.Span(i)
		return s.table.Text()[start:end]
	}
	var odd []int32 // rows that are unlike others, of which there may be too many
	for _, i := range s.focus.First(s.table.Order(), s.table.Len(), line, s.table.IsFinding) {
		if s.table.IsOdd(i) && s.remaining.tokens < s.budget.Tokens*(100-oddShare)/100 {
			odd = append(odd, i)
			continue
		}
		if !s.pay(int(i)) {
			if misses++; misses > mostMisses {
				break
			}
		}
	}
	for _, i := range odd[:min(len(odd), mostMisses)] {
		s.pay(int(i))
	}
	for i := range s.shown { // one line may cost less than its mark
		if !s.shown[i] && s.marks(i) < 0 {
			s.pay(i)
		}
	}
}

// pay shows a line, if the budget allows for it and for the marks that it makes or
// saves.
func (s *rowSelection) pay(i int) bool {
	var l textscan.Line
	at := len(s.scratch)
	r := s.row(i, &l)
	after := s.budget.before(s.remaining, 1).marker(s.marks(i)).spend(asString(s.scratch[r.from:r.to]), 1, s.counter)
	s.scratch = s.scratch[:at]
	if !after.ok() {
		return false
	}
	s.remaining, s.shown[i] = after, true
	return true
}

// marks returns by how many the marks become more when line i is shown.
func (s *rowSelection) marks(i int) int {
	n := 1
	if i == 0 || s.shown[i-1] {
		n--
	}
	if i+1 == len(s.shown) || s.shown[i+1] {
		n--
	}
	return n
}

// chosen renders the lines that are shown, and counts the rows that are omitted
// before each.
func (s *rowSelection) chosen() []rendered {
	s.scratch = s.scratch[:0]
	var list []rendered
	lines := make([]textscan.Line, len(s.shown))
	gap := 0 // the first of the omitted lines before the next one
	for i := range s.shown {
		if !s.shown[i] {
			continue
		}
		r := s.row(i, &lines[i])
		if n := s.table.Left(gap, i); n > 0 && gap < i {
			r.omittedValues, r.totalValues = int64(n), int64(s.table.All())
		}
		list, gap = append(list, r), i+1
	}
	return list
}

// countOmitted counts the rows that say of themselves that they failed, and are
// not shown.
func (s *rowSelection) countOmitted() {
	runs := s.runs
	for i, shown := range s.shown {
		for len(runs) > 0 && runs[0].Last <= int64(i) {
			runs = runs[1:]
		}
		if len(runs) > 0 && runs[0].First <= int64(i+1) { // the row before them is shown, or counted
			continue
		}
		if r := s.table.Rank(i); !shown && r.Reason >= shape.KeepError && r.Reason < shape.KeepStructure {
			s.omitted[r.Reason]++
		}
	}
}

// row renders line i, with the ends of its cells omitted where it is longer than
// a row may be.
func (s *rowSelection) row(i int, l *textscan.Line) rendered {
	start, end := s.table.Span(i)
	text := s.table.Text()[start : end-1]
	*l = textscan.Line{Start: start, End: end, TextAt: start, Text: text, Split: len(text), Newline: true}
	rank := s.table.Rank(i)
	r := rendered{line: l, number: int64(i) + 1, from: len(s.scratch), score: rank.Score, reason: rank.Reason}
	s.altered = textscan.Changes{}
	limit := s.limit
	if isText := i < s.table.Heads()-2 || i >= s.table.Heads() && s.table.RowsIn(i, i+1) == 0; isText && limit < NoLimit {
		limit = max(minLineBytes, limit/besideShare)
	} else if s.table.IsUnlike(i) && limit < NoLimit {
		limit = min(s.budget.LineBytes, tellingShare*limit)
	}
	if len(text) <= limit {
		s.scratch = textscan.Sanitise(s.scratch, text, &s.altered)
	} else {
		s.cells(i, text, limit, &r)
	}
	s.scratch = append(s.scratch, '\n')
	r.to = len(s.scratch)
	if s.altered != (textscan.Changes{}) {
		r.altered = new(s.altered)
	}
	return r
}

// Bounds of the cut of a cell.
const (
	cellSign  = "…" // in place of what is omitted; it counts as bytes of the cell
	leastCell = 8   // bytes that are shown of a cell for each of its weights
	leastLess = 12  // bytes that are omitted, with the sign; a smaller cut saves nothing
)

// cells renders the cells of a line that is too long.
func (s *rowSelection) cells(i int, text []byte, limit int, r *rendered) {
	width := s.width(i, text, limit)
	rank := s.table.Rank(i)
	for k := 0; ; k++ {
		cell, rest, more := bytes.Cut(text, []byte{'\t'})
		from := 0
		if k == rank.Column {
			from = int(rank.Offset)
		}
		s.cell(cell, from, width*s.table.Weight(i, k), r)
		if !more {
			return
		}
		s.scratch = append(s.scratch, '\t')
		text = rest
	}
}

// width returns how much of a cell is shown for each of its weights, so that the
// line has at most as many bytes as a row may have, if it can.
func (s *rowSelection) width(i int, text []byte, limit int) int {
	return s.search(leastCell, max(leastCell+1, len(text)), func(width int) bool {
		size := 0
		for k, rest, more := 0, text, true; more; k++ {
			var cell []byte
			cell, rest, more = bytes.Cut(rest, []byte{'\t'})
			size += min(len(cell), width*s.table.Weight(i, k)+len(cellSign)) + 1
		}
		return size <= limit
	})
}

// cell renders a cell, of which width bytes are shown from an offset on: 0, or
// where it says what matters.
func (s *rowSelection) cell(text []byte, from, width int, r *rendered) {
	if len(text) < width+leastLess {
		s.scratch = textscan.Sanitise(s.scratch, text, &s.altered)
		return
	}
	if from < leastLess || from >= len(text) {
		from = 0
	}
	to := min(len(text), from+width)
	if len(text)-to < leastLess {
		to = len(text)
	}
	from, to = wholeCharacters(text, from, to)
	if from > 0 {
		s.scratch = append(s.scratch, cellSign...)
		r.clip(from)
	}
	s.scratch = textscan.Sanitise(s.scratch, text[from:to], &s.altered)
	if to < len(text) {
		s.scratch = append(s.scratch, cellSign...)
		r.clip(len(text) - to)
	}
}

// clip counts bytes of a cell that a sign is in place of.
func (r *rendered) clip(bytes int) {
	r.clips++
	r.clipped += bytes - len(cellSign)
}

// wholeCharacters narrows a range of a text so that it tears no character.
func wholeCharacters(text []byte, from, to int) (int, int) {
	_, from = wholeRunes(text, 0, from)
	to, _ = wholeRunes(text, to, len(text))
	return from, max(from, to)
}
