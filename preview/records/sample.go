package records

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/toolresult/toolresult/preview/shape"
)

// A list may have a million records. A sample of it has its first and last records, those that say that
// something failed, those that are unlike all others, and those with the largest and smallest
// numbers. It is made in one pass, whose memory does not grow with the list.

// Bounds of a sample.
const (
	leastSampled  = 1000    // records of a list of which a sample is made
	sampledEnds   = 48      // records of either end
	sampledEach   = 3       // records that fail alike, or have the same rare value
	sampledMost   = 256     // records that are kept beside the ends
	sampledBytes  = 1 << 20 // of them all
	sampledRecord = 16 << 10
	sampledFields = 64 // fields of a record that are looked at
	sampledValues = 48 // different values of a field; one with more has no rare ones
	sampledKinds  = 1024
	sampledAround = 8 << 10 // bytes before a list in which it begins
)

// Sampler reads a large list of records in writes of any size: of JSON, an array of objects, perhaps within
// other values, or objects in sequence; or values that are separated by commas or other signs, with their
// names in the first line. The result does not depend on how the bytes were split. The zero Sampler is
// ready for use; it is not safe for concurrent use.
type Sampler struct {
	state  samplerState
	keeper *keeper
	head   []byte // until it is known where a list begins
	record []byte // of one that is too long, its beginning

	depth             int // of containers in a record that are open
	inString, escaped bool
	inArray           bool

	comma byte // of values that are separated
	names [][]byte
	other int // lines with another number of values
}

// samplerState is what comes next.
type samplerState uint8

const (
	samplerSeeks samplerState = iota // the list has not begun
	samplerBetween
	samplerInRecord
	samplerInLine
	samplerDone // the list has ended, or there is none
)

// Write takes the next bytes. It never fails and keeps no reference to p.
func (s *Sampler) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && s.state != samplerDone {
		switch s.state {
		case samplerSeeks:
			taken := min(len(p), sampledAround-len(s.head))
			s.head, p = append(s.head, p[:taken]...), p[taken:]
			if len(s.head) == sampledAround {
				s.begin()
			}
		case samplerBetween:
			p = p[s.between(p):]
		case samplerInRecord:
			p = p[s.inRecord(p):]
		case samplerInLine:
			p = p[s.inLine(p):]
		}
	}
	return n, nil
}

// begin looks for a list in the head, and reads what of it is there.
func (s *Sampler) begin() {
	head := s.head
	s.head, s.state, s.keeper = nil, samplerDone, newKeeper()
	begin := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(begin) == 0:
	case begin[0] == '[':
		s.state, s.inArray, begin = samplerBetween, true, begin[1:]
	case begin[0] == '{':
		s.state = samplerBetween
		if at := listIn(begin[1:]); at >= 0 {
			s.inArray, begin = true, begin[1+at:]
		}
	default:
		first, rest, ok := bytes.Cut(head, newLine)
		if s.comma, s.names = separatedNames(bytes.TrimRight(first, "\r")); ok && s.names != nil {
			s.state, begin = samplerInLine, rest
			for i := range s.names {
				s.names[i] = bytes.Clone(s.names[i])
			}
		}
	}
	_, _ = s.Write(begin)
}

// newLine ends a line.
var newLine = []byte{'\n'}

// listIn returns the offset behind the bracket of the first list of objects in the beginning of an
// object; -1 if there is none.
func listIn(head []byte) int {
	for at, depth := 0, 1; at < len(head) && depth > 0; at++ {
		switch head[at] {
		case '"':
			at = stringEnd(head, at) - 1
		case '{':
			depth++
		case '}':
			depth--
		case '[':
			if next := bytes.TrimLeft(head[at+1:], " \t\r\n"); len(next) > 0 && next[0] == '{' {
				return at + 1
			}
		}
	}
	return -1
}

// between reads bytes between two records, and returns how many it took.
func (s *Sampler) between(p []byte) int {
	for i, c := range p {
		switch c {
		case ' ', '\n', '\r', '\t', ',':
		case '{':
			s.state, s.depth, s.record = samplerInRecord, 1, append(s.record[:0], c)
			return i + 1
		default:
			s.state = samplerDone // the end of the list, or something else than an object
			return len(p)
		}
	}
	return len(p)
}

// inRecord reads bytes of a record, and returns how many it took.
func (s *Sampler) inRecord(p []byte) int {
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case s.escaped:
			s.escaped = false
		case s.inString:
			next := bytes.IndexAny(p[i:], "\"\\")
			if next < 0 {
				i = len(p)
				continue
			}
			i += next
			s.escaped, s.inString = p[i] == '\\', p[i] == '\\'
		case c == '"':
			s.inString = true
		case c == '{' || c == '[':
			s.depth++
		case c == '}' || c == ']':
			if s.depth--; s.depth == 0 {
				s.hold(p[:i+1])
				s.keeper.add(s.record)
				s.state = samplerBetween
				return i + 1
			}
		}
	}
	s.hold(p)
	return len(p)
}

// hold keeps a part of a record, unless the record is too long.
func (s *Sampler) hold(part []byte) {
	if space := sampledRecord + 1 - len(s.record); space > 0 {
		s.record = append(s.record, part[:min(space, len(part))]...)
	}
}

// inLine reads bytes of a line, and returns how many it took.
func (s *Sampler) inLine(p []byte) int {
	end := bytes.IndexByte(p, '\n')
	if end < 0 {
		s.hold(p)
		return len(p)
	}
	s.hold(p[:end])
	s.line()
	s.record = s.record[:0]
	return end + 1
}

// line gives a line to the keeper.
func (s *Sampler) line() {
	text := bytes.TrimRight(s.record, "\r")
	cells, _ := values([][]byte{text}, 0, s.comma)
	if len(cells) != len(s.names) || len(text) > sampledRecord {
		if s.other++; s.other*20 > s.keeper.count+20 {
			s.state, s.keeper.count = samplerDone, 0
		}
		return
	}
	rank, isOdd := s.keeper.lookAt(text, func(yield func([]byte, Kind, []byte) bool) {
		for i, value := range cells {
			kind := String
			if isAmount(value) {
				kind = Number
			}
			if len(value) > 0 && !yield(s.names[i], kind, value) {
				return
			}
		}
	})
	s.keeper.take(text, rank, isOdd)
}

// Table returns the table of the records that stand for all, with their numbers from 0, for a budget of
// tokens. It returns nil if there was no large list. Nothing may be written afterwards.
func (s *Sampler) Table(tokens int) *Table {
	if s.state == samplerSeeks {
		s.begin()
	}
	if s.state == samplerInLine && len(s.record) > 0 {
		s.line()
	}
	if s.keeper.count < leastSampled {
		return nil
	}
	if s.names != nil {
		return s.separated(tokens)
	}
	return s.table(tokens)
}

// Memory returns about how much memory the Sampler takes, in bytes.
func (s *Sampler) Memory() int {
	n := cap(s.head) + cap(s.record)
	if s.keeper != nil {
		for _, one := range s.keeper.list() {
			n += cap(one.text)
		}
		n += (len(s.keeper.kinds)+len(s.keeper.alike))*32 + len(s.keeper.fields)*sampledValues*64
	}
	return n
}

// Clone returns a copy that goes on by itself.
func (s *Sampler) Clone() *Sampler {
	c := *s
	c.head, c.record = bytes.Clone(s.head), bytes.Clone(s.record)
	if s.keeper != nil {
		c.keeper = s.keeper.clone()
	}
	return &c
}

// Sample reads a large list at once. It returns nil if text is none.
func Sample(text []byte, tokens int) *Table {
	var s Sampler
	_, _ = s.Write(text) // it never fails
	return s.Table(tokens)
}

// table returns the table of the records that were kept; nil if they are none.
func (s *Sampler) table(tokens int) *Table {
	kept := s.keeper.list()
	p := &reader{}
	var objects []Cell
	var ranks []Rank
	var numbers []int
	for _, k := range kept {
		var compact bytes.Buffer
		if json.Compact(&compact, k.text) != nil {
			continue
		}
		start := int32(len(p.src))
		p.src = append(p.src, compact.Bytes()...)
		objects = append(objects, Cell{start, int32(len(p.src)), Nested})
		ranks, numbers = append(ranks, k.rank), append(numbers, k.number)
	}
	if len(objects) < leastRows {
		return nil
	}
	rows := p.leaves(objects)
	if rows == nil {
		return nil
	}
	return sampleTable(rows, numbers, ranks, s.keeper.count, tokens)
}

// sampleTable returns the table of records that stand for many more, with their numbers.
func sampleTable(rows *Rows, numbers []int, ranks []Rank, all, tokens int) *Table {
	names := make([]Cell, len(numbers))
	for i, n := range numbers {
		start := int32(len(rows.Source))
		rows.Source = strconv.AppendInt(rows.Source, int64(n), 10)
		names[i] = Cell{start, int32(len(rows.Source)), Number}
	}
	rows = rows.withColumn(keyOfRows, names)
	rows.ranks, rows.Numbers, rows.All = ranks, numbers, all
	return newOverview(rows, List{}, tokens)
}

// kept is a record that is kept, with its number and its rank.
type kept struct {
	number int
	text   []byte
	rank   Rank
}

// keeper keeps the records that stand for a list.
type keeper struct {
	count int
	first []kept
	last  []kept // the oldest is replaced
	odd   []kept
	bytes int // of the odd ones

	fields map[string]*field
	kinds  map[uint64]int // of records, by their keys
	alike  map[uint64]int // of those that failed
}

// field is what is known of the values of a field.
type field struct {
	number    uint64 // of the field
	means     meaning
	values    map[string]*seenValue // nil if there are too many
	low, high float64
	numbers   int
}

// seenValue is a value of a field that has few.
type seenValue struct {
	n   int // records that have it
	bad verdict
}

// newKeeper returns an empty keeper.
func newKeeper() *keeper {
	return &keeper{fields: map[string]*field{}, kinds: map[uint64]int{}, alike: map[uint64]int{}}
}

// add looks at the next record.
func (k *keeper) add(text []byte) {
	if len(text) > sampledRecord {
		k.count++
		return
	}
	rank, isOdd := k.look(text)
	k.take(text, rank, isOdd)
}

// take keeps the next record, if it has a place.
func (k *keeper) take(text []byte, rank Rank, isOdd bool) {
	n := k.count
	k.count++
	one := kept{number: n, rank: Rank{Score: scoreRow, Reason: shape.KeepHead, Column: -1}}
	switch {
	case len(k.first) < sampledEnds:
		one.text, one.rank = bytes.Clone(text), max2(one.rank, rank)
		k.first = append(k.first, one)
		return
	case isOdd && len(k.odd) < sampledMost && k.bytes+len(text) <= sampledBytes:
		one.text, one.rank = bytes.Clone(text), rank
		k.odd, k.bytes = append(k.odd, one), k.bytes+len(text)
		return
	}
	one.rank.Reason = shape.KeepTail
	if len(k.last) < sampledEnds {
		one.text = bytes.Clone(text)
		k.last = append(k.last, one)
		return
	}
	at := n % sampledEnds
	one.text = append(k.last[at].text[:0], text...)
	k.last[at] = one
}

// max2 returns the higher of two ranks.
func max2(a, b Rank) Rank {
	if b.Score > a.Score {
		return b
	}
	return a
}

// look returns the rank of a record, and whether it is unlike others.
func (k *keeper) look(text []byte) (Rank, bool) {
	return k.lookAt(text, func(yield func([]byte, Kind, []byte) bool) {
		p := reader{src: text}
		p.eachScalar(func(key []byte, v Cell) bool {
			value := text[v.Start:v.End]
			if v.Kind == String {
				value = value[1 : len(value)-1]
			}
			return yield(key, v.Kind, value)
		})
	})
}

// lookAt is look for a record of which all scalars are given: key, kind and value.
func (k *keeper) lookAt(text []byte, scalars func(func(key []byte, kind Kind, value []byte) bool)) (Rank, bool) {
	best := Rank{Column: -1}
	kind, fields := uint64(14695981039346656037), 0
	scalars(func(key []byte, is Kind, value []byte) bool {
		f := k.field(key)
		if f == nil {
			return true
		}
		if kind = (kind ^ f.number) * 1099511628211; fields > sampledFields {
			return true
		}
		fields++
		score, bad := f.see(is, value, k.count)
		if bad.score > 0 && bad.score >= best.Score {
			best = Rank{Score: bad.score, Reason: bad.reason, Column: -1}
		}
		if score > best.Score {
			best = Rank{Score: score, Reason: shape.KeepStructure, Column: -1}
		}
		return true
	})
	if k.kinds[kind] < sampledEach && len(k.kinds) < sampledKinds {
		if k.kinds[kind]++; best.Score < scoreOddRow {
			best = Rank{Score: scoreOddRow, Reason: shape.KeepStructure, Column: -1}
		}
	}
	if best.Reason >= shape.KeepError && best.Reason < shape.KeepStructure {
		h := shape.Fingerprint(text, true)
		if len(k.alike) >= sampledKinds || k.alike[h] >= sampledEach {
			return best, false
		}
		k.alike[h]++
	}
	return best, best.Score > scoreRow
}

// field returns the field of a key; nil if there are too many.
func (k *keeper) field(key []byte) *field {
	f := k.fields[string(key)]
	if f == nil && len(k.fields) < 4*sampledFields {
		f = &field{number: uint64(len(k.fields)) + 1, means: meaningOf(string(key)), values: map[string]*seenValue{}}
		k.fields[string(key)] = f
	}
	return f
}

// see counts a value of one of some records. It returns the score of one that is new or extreme, and what
// it says of a failure.
func (f *field) see(kind Kind, value []byte, records int) (score int, bad verdict) {
	if kind == Number {
		if n, ok := amount(value); ok {
			f.numbers++
			if f.numbers > sampledEnds && (n > 2*f.high && f.high > 0 || n < 2*f.low && f.low < 0 || n < 0 && f.low >= 0) {
				score = scoreOddRow
			}
			f.low, f.high = min(f.low, n), max(f.high, n)
		}
	}
	if f.values == nil || len(value) > CellBytes {
		f.values = nil
		return score, verdictOf(f.means, kind, value)
	}
	v := f.values[string(value)]
	if v == nil {
		if len(f.values) == sampledValues {
			f.values = nil
			return score, verdictOf(f.means, kind, value)
		}
		v = &seenValue{bad: verdictOf(f.means, kind, value)}
		f.values[string(value)] = v
	}
	if v.n++; score == 0 && records > leastSampled/4 && v.n <= sampledEach {
		score = scoreRareRow
	}
	return score, v.bad
}

// list returns the records that are kept, in their order.
func (k *keeper) list() []kept {
	all := slices.Concat(k.first, k.odd, k.last)
	slices.SortFunc(all, func(a, b kept) int { return cmp.Compare(a.number, b.number) })
	return all
}

// clone returns a copy that goes on by itself.
func (k *keeper) clone() *keeper {
	c := *k
	c.first, c.odd, c.last = slices.Clone(k.first), slices.Clone(k.odd), slices.Clone(k.last)
	for i := range c.last { // whose texts are written over
		c.last[i].text = bytes.Clone(c.last[i].text)
	}
	c.kinds, c.alike, c.fields = maps.Clone(k.kinds), maps.Clone(k.alike), map[string]*field{}
	for key, f := range k.fields {
		own := *f
		own.values = maps.Clone(f.values)
		for value, v := range own.values {
			own.values[value] = new(*v)
		}
		c.fields[key] = &own
	}
	return &c
}

// separated returns the table of the lines that were kept.
func (s *Sampler) separated(tokens int) *Table {
	b := newBuilder(s.names)
	var ranks []Rank
	var numbers []int
	for _, one := range s.keeper.list() {
		cells, _ := values([][]byte{one.text}, 0, s.comma)
		b.add(cells)
		ranks, numbers = append(ranks, one.rank), append(numbers, one.number)
	}
	return sampleTable(&b.rows, numbers, ranks, s.keeper.count, tokens)
}

// separatedNames returns the sign between the names of columns, and the names; nil for another line.
func separatedNames(line []byte) (byte, [][]byte) {
	for _, comma := range []byte(separators) {
		if keys, _ := values([][]byte{line}, 0, comma); len(keys) >= leastFields && len(keys) <= mostFields && areNames(keys) {
			return comma, keys
		}
	}
	return 0, nil
}
