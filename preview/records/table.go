package records

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/toolresult/toolresult/preview/shape"
)

// shownColumn is the view of a table of one column.
type shownColumn struct {
	at     int // in Rows.Keys
	weight int // how much of a long row its cells may have
}

// Beside is a value that is said once beside the records: of a page of an API its
// total and its cursor.
type Beside struct {
	Key, Value string // of one line each
}

// List is what is known of records beside their cells.
type List struct {
	Name   string // of the list that has them, with the names around it: "data.items"; "" for the outermost
	Beside []Beside
	Hidden []string // keys of columns that a table of some columns leaves out

	Before, After []string // lines of other text
}

// Table is the readable form of records. Every value of them is in it, each key
// once:
//
//	next_page_token: c_121
//	items: 120 rows, all with⇥state: open
//	id⇥title⇥author.login
//	100⇥Issue number 0⇥octocat
//
// Lines of other text that were before the JSON are the first, and those behind it the
// last. Values beside the list are on lines of their own, before it. Then come the name
// of the list, the number of records and the values that are equal in all of them;
// the keys of the columns, separated by tabs; and a line for each record. A cell is
// empty where the record has no such member. A key with a dot in it is of an object
// inside of the record, or has quotes. A string has its quotes only where it could be
// taken for another value, or has an escape in it; so the table has the content of
// the records, and not their order of members.
//
// Lines count from 0. A Table is not safe for concurrent use: ranks are made when
// they are first needed.
type Table struct {
	rows    *Rows
	columns []shownColumn
	text    []byte
	starts  []int32
	heads   int // lines before the first record
	list    List
	ranks   []Rank
	order   []int32
	runs    []shape.Run
}

// NewTable writes records as a table. There must be some.
func NewTable(r *Rows, list List) *Table {
	t := &Table{rows: r, list: list, heads: len(list.Before) + len(list.Beside) + 2}
	t.text, t.starts = make([]byte, 0, r.tableSize()), make([]int32, 0, t.heads+r.Len()+len(list.After))
	t.lines(list.Before)
	for i := range list.Beside {
		t.line()
		t.text = append(append(append(t.text, list.Beside[i].Key...), ": "...), list.Beside[i].Value...)
	}
	t.writeSame()
	t.line()
	for i, c := range t.columns {
		t.cell(i, []byte(r.Keys[c.at]))
	}
	for i := range r.Len() {
		t.line()
		for k, c := range t.columns {
			t.cell(k, r.Text(r.At(i, c.at)))
		}
	}
	t.lines(list.After)
	t.text = append(t.text, '\n')
	return t
}

// tableSize returns about how long the table is.
func (r *Rows) tableSize() int {
	size := len(r.Cells) + 256
	for i := range r.Cells {
		size += int(r.Cells[i].End - r.Cells[i].Start)
	}
	return size
}

// writeSame writes the line of the list and of the values that are equal in all
// records. One column at least is left for the records.
func (t *Table) writeSame() {
	t.line()
	if t.list.Name != "" {
		t.text = append(append(t.text, t.list.Name...), ": "...)
	}
	t.text = append(strconv.AppendInt(t.text, int64(t.All()), 10), " rows"...)
	if n := t.rows.Len(); n < t.All() {
		t.text = append(t.text, fmt.Sprintf(", %d of them here", n)...)
	}
	t.writeHidden()
	same, said := t.rows.Same(), false
	if !slices.Contains(same, false) {
		same[0] = false
	}
	for k, equal := range same {
		if !equal {
			t.columns = append(t.columns, shownColumn{k, t.rows.weight(k)})
			continue
		}
		if !said {
			t.text, said = append(t.text, ", all with"...), true
		}
		t.text = append(append(append(append(t.text, '\t'), t.rows.Keys[k]...), ": "...), t.rows.Text(t.rows.At(0, k))...)
	}
}

// mostHiddenBytes bounds the keys of hidden columns that are said, in bytes.
const mostHiddenBytes = 96

// writeHidden writes how many columns are left out, and which these are as far as it is short.
func (t *Table) writeHidden() {
	if len(t.list.Hidden) == 0 {
		return
	}
	t.text = append(t.text, ", "...)
	t.text = strconv.AppendInt(t.text, int64(len(t.list.Hidden)), 10)
	if len(t.list.Hidden) == 1 {
		t.text = append(t.text, " column left out: "...)
	} else {
		t.text = append(t.text, " columns left out: "...)
	}
	from := len(t.text)
	for i, key := range t.list.Hidden {
		if len(t.text)-from+len(key) > mostHiddenBytes {
			t.text = append(t.text, cellSign...)
			return
		}
		if t.text = append(t.text, key...); i+1 < len(t.list.Hidden) {
			t.text = append(t.text, ", "...)
		}
	}
}

// cellSign is in place of text that is left out.
const cellSign = "…"

// Weights of columns: how much a cell of one may have of a row that is too long.
const (
	weightNested = 1
	weightOther  = 2
	weightMore   = 3
	weightStates = 6
)

// weight returns the weight of a column, by its key and its values.
func (r *Rows) weight(k int) int {
	nested := 0
	for i := range r.Len() {
		if r.At(i, k).Kind == Nested {
			nested++
		}
	}
	if 2*nested > r.Len() {
		return weightNested
	}
	switch meaning := keyMeaning(r.Keys[k]); {
	case meaning >= columnState:
		return weightStates
	case meaning >= columnDate:
		return weightMore
	}
	return weightOther
}

// lines writes lines of other text.
func (t *Table) lines(list []string) {
	for _, text := range list {
		t.line()
		t.text = append(t.text, text...)
	}
}

// line begins a line.
func (t *Table) line() {
	if len(t.starts) > 0 {
		t.text = append(t.text, '\n')
	}
	t.starts = append(t.starts, int32(len(t.text)))
}

// cell writes the cell of a column.
func (t *Table) cell(column int, text []byte) {
	if column > 0 {
		t.text = append(t.text, '\t')
	}
	t.text = append(t.text, text...)
}

// Text returns the table. It ends with a line end.
func (t *Table) Text() []byte { return t.text }

// Source returns the records as compact JSON.
func (t *Table) Source() []byte { return t.rows.Source }

// Len returns the number of lines.
func (t *Table) Len() int { return len(t.starts) }

// Rows returns the number of records.
func (t *Table) Rows() int { return t.rows.Len() }

// All returns the number of records that the rows stand for.
func (t *Table) All() int { return max(t.rows.All, t.rows.Len()) }

// Left returns how many records are between the lines from one up to before another.
func (t *Table) Left(from, to int) int {
	n := t.RowsIn(from, to)
	if n == 0 && t.rows.Numbers == nil {
		return 0
	}
	if t.rows.Numbers == nil {
		return n
	}
	before, behind := -1, t.rows.All
	if row := max(from, t.heads) - t.heads; row > 0 {
		before = t.rows.Numbers[min(row, t.Rows())-1]
	}
	if row := to - t.heads; row >= 0 && row < t.Rows() {
		behind = t.rows.Numbers[row]
	}
	return max(0, behind-before-1)
}

// Heads returns the number of lines before the first record. The last two of
// them say what the others are: the list with its equal values, and the keys.
func (t *Table) Heads() int { return t.heads }

// RowsIn returns how many of the lines from one up to before another are records.
func (t *Table) RowsIn(from, to int) int {
	return max(0, min(to, t.heads+t.Rows())-max(from, t.heads))
}

// Span returns the range of line i in the text, with its line end.
func (t *Table) Span(i int) (start, end int64) {
	if i+1 < len(t.starts) {
		return int64(t.starts[i]), int64(t.starts[i+1])
	}
	return int64(t.starts[i]), int64(len(t.text))
}

// Weight returns how much a cell of a line may have of it where it is too long,
// beside other cells.
func (t *Table) Weight(line, cell int) int {
	if t.RowsIn(line, line+1) > 0 && cell < len(t.columns) {
		return t.columns[cell].weight
	}
	return weightOther
}

// Rank returns the rank of line i. Its column is the cell of the line.
func (t *Table) Rank(i int) Rank {
	t.rank()
	return t.ranks[i]
}

// Runs returns the runs of lines of records that are the same as the one before
// them, in order. Their lines count from 1, as those of a payload.
func (t *Table) Runs() []shape.Run {
	t.rank()
	return t.runs
}

// Order returns the lines but for the last two heads and those of runs, those that
// matter most first. The caller must not change it.
func (t *Table) Order() []int32 {
	t.rank()
	return t.order
}

// IsFinding reports whether line i says that something is wrong, or is unlike all others.
func (t *Table) IsFinding(i int32) bool {
	t.rank()
	return t.ranks[i].Score >= scoreRareRow
}

// IsUnlike reports whether line i is a record that is unlike others, or says that something is wrong.
func (t *Table) IsUnlike(i int) bool {
	t.rank()
	return t.RowsIn(i, i+1) > 0 && t.ranks[i].Score >= scoreLargest && t.ranks[i].Column >= 0
}

// IsOdd reports whether line i is a record that is unlike others, and does not say that something
// is wrong.
func (t *Table) IsOdd(i int32) bool {
	t.rank()
	return t.RowsIn(int(i), int(i)+1) > 0 && t.ranks[i].Score > scoreRow && t.ranks[i].Reason == shape.KeepStructure
}

// besideBase is the score of a value beside the records that has no meaning known.
const besideBase = 54

// scoreHeads is the score of the lines that say what the others are.
const scoreHeads = 95

// rank ranks every line, once.
func (t *Table) rank() {
	if t.ranks != nil {
		return
	}
	t.ranks = aroundRanks(make([]Rank, 0, t.Len()), t.list.Before)
	for i := range t.list.Beside {
		t.ranks = append(t.ranks, Rank{Score: besideBase + keyMeaning(t.list.Beside[i].Key)/3, Reason: shape.KeepStructure, Column: -1})
	}
	head := Rank{Score: scoreHeads, Reason: shape.KeepStructure, Column: -1}
	t.ranks = append(t.ranks, head, head)
	cells := make([]int, len(t.rows.Keys))
	for k := range cells {
		cells[k] = -1
	}
	for i, c := range t.columns {
		cells[c.at] = i
	}
	for _, r := range t.rows.Ranks() {
		if r.Column >= 0 {
			r.Column = cells[r.Column]
		}
		t.ranks = append(t.ranks, r)
	}
	t.ranks = aroundRanks(t.ranks, t.list.After)
	for _, r := range t.rows.Repeats() {
		_, end := t.Span(t.heads + r.Last)
		first := int64(t.heads + r.First + 1)
		t.runs = append(t.runs, shape.Run{Like: first - 1, First: first, Last: int64(t.heads + r.Last + 1), End: end})
	}
	t.order = make([]int32, 0, t.Len()-2)
	for i, runs := 0, t.runs; i < t.Len(); i++ {
		if len(runs) > 0 && int64(i+1) == runs[0].First {
			i, runs = int(runs[0].Last-1), runs[1:]
		} else if i < t.heads-2 || i >= t.heads {
			t.order = append(t.order, int32(i))
		}
	}
	slices.SortStableFunc(t.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.ranks[b].Score, t.ranks[a].Score), cmp.Compare(t.turn(int(a)), t.turn(int(b))))
	})
}

// turn returns the place of line i among lines of the same rank: two from the top, and then one from
// the end.
func (t *Table) turn(i int) int {
	top, end := i-t.heads, t.heads+t.Rows()-1-i
	return min(top/2*3+top%2, 3*end+2)
}
