package records

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
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

// errNoList is returned for text that is no large list.
var errNoList = errors.New("no list of records")

// Sample reads a large list of JSON in one pass: an array of objects, perhaps within other values, or
// objects in sequence. It returns the table of the records that stand for all, with their numbers
// from 0, and nil for other text.
func Sample(r io.Reader, tokens int) (*Table, error) {
	s := &sampler{in: bufio.NewReaderSize(r, 256<<10), keeper: newKeeper()}
	if err := s.read(); errors.Is(err, errNoList) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		if s.keeper.count < leastSampled {
			return nil, nil
		}
	} else if err != nil {
		return nil, err
	}
	return s.table(tokens), nil
}

// sampler reads the records of a list.
type sampler struct {
	in     *bufio.Reader
	keeper *keeper
	record []byte
	log    bool
}

// read reads all records.
func (s *sampler) read() error {
	c, err := s.space()
	if err != nil {
		return err
	}
	if c == '[' {
		return s.elements()
	}
	if c != '{' {
		return errNoList
	}
	return s.object()
}

// space returns the next byte that is no white space or comma.
func (s *sampler) space() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil || c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != ',' {
			return c, err
		}
	}
}

// object reads the object that has begun, and those behind it in sequence. If it is the only one, it looks
// for a list in it.
func (s *sampler) object() error {
	head, err := s.in.Peek(sampledAround)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	if at := listIn(head); at >= 0 {
		if _, err := s.in.Discard(at); err != nil {
			return err
		}
		return s.elements()
	}
	s.log = true
	for c := byte('{'); ; {
		if c != '{' {
			return errNoList
		}
		if err := s.one(); err != nil {
			return err
		}
		if c, err = s.space(); err != nil {
			return err
		}
	}
}

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

// elements reads the elements of an array, all of which are objects.
func (s *sampler) elements() error {
	for {
		switch c, err := s.space(); {
		case err != nil:
			return err
		case c == ']':
			return nil
		case c != '{':
			return errNoList
		}
		if err := s.one(); err != nil {
			return err
		}
	}
}

// one reads the rest of an object, and gives it to the keeper if it is not too long.
func (s *sampler) one() error {
	s.record = append(s.record[:0], '{')
	inString, escaped := false, false
	for depth := 1; depth > 0; {
		c, err := s.in.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = inString
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if len(s.record) <= sampledRecord {
			s.record = append(s.record, c)
		}
	}
	s.keeper.add(s.record)
	return nil
}

// table returns the table of the records that were kept; nil if they are none.
func (s *sampler) table(tokens int) *Table {
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
	values    map[string]int // nil if there are too many
	low, high float64
	numbers   int
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
		if bad := verdictOf(f.means, is, value); bad.score > 0 && bad.score >= best.Score {
			best = Rank{Score: bad.score, Reason: bad.reason, Column: -1}
		}
		if score := f.see(is, value, k.count); score > best.Score {
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
		f = &field{number: uint64(len(k.fields)) + 1, means: meaningOf(string(key)), values: map[string]int{}}
		k.fields[string(key)] = f
	}
	return f
}

// see counts a value of one of some records, and returns the score of one that is new or extreme.
func (f *field) see(kind Kind, value []byte, records int) int {
	if kind == Number {
		if n, ok := amount(value); ok {
			f.numbers++
			isNew := f.numbers > sampledEnds && (n > 2*f.high && f.high > 0 || n < 2*f.low && f.low < 0 || n < 0 && f.low >= 0)
			f.low, f.high = min(f.low, n), max(f.high, n)
			if isNew {
				return scoreOddRow
			}
		}
	}
	if f.values == nil || len(value) > CellBytes {
		f.values = nil
		return 0
	}
	n := f.values[string(value)] + 1
	if n == 1 && len(f.values) == sampledValues {
		f.values = nil
		return 0
	}
	f.values[string(value)] = n
	if records > leastSampled/4 && n <= sampledEach {
		return scoreRareRow
	}
	return 0
}

// list returns the records that are kept, in their order.
func (k *keeper) list() []kept {
	all := slices.Concat(k.first, k.odd, k.last)
	slices.SortFunc(all, func(a, b kept) int { return cmp.Compare(a.number, b.number) })
	return all
}

// SampleLines reads a large table of values that are separated by commas or other signs in one pass, as
// Sample reads JSON. Values do not go over the end of a line. It returns nil for other text.
func SampleLines(r io.Reader, tokens int) (*Table, error) {
	in := bufio.NewReaderSize(r, 256<<10)
	first, err := line(in)
	if err != nil {
		return nil, ignoreEnd(err)
	}
	comma, keys := separatedNames(first)
	if keys == nil {
		return nil, nil
	}
	k := newKeeper()
	other := 0
	for {
		text, err := line(in)
		if err != nil {
			if err = ignoreEnd(err); err != nil {
				return nil, err
			}
			break
		}
		cells, _ := values([][]byte{text}, 0, comma)
		if len(cells) != len(keys) {
			if other++; other*20 > k.count+20 {
				return nil, nil
			}
			continue
		}
		rank, isOdd := k.lookAt(text, func(yield func([]byte, Kind, []byte) bool) {
			for i, value := range cells {
				kind := String
				if isAmount(value) {
					kind = Number
				}
				if len(value) > 0 && !yield(keys[i], kind, value) {
					return
				}
			}
		})
		k.take(text, rank, isOdd)
	}
	if k.count < leastSampled {
		return nil, nil
	}
	b := newBuilder(keys)
	var ranks []Rank
	var numbers []int
	for _, one := range k.list() {
		cells, _ := values([][]byte{one.text}, 0, comma)
		b.add(cells)
		ranks, numbers = append(ranks, one.rank), append(numbers, one.number)
	}
	return sampleTable(&b.rows, numbers, ranks, k.count, tokens), nil
}

// ignoreEnd returns nil for the end of a text.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
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

// line reads a line without its end. Of one that is too long for a record it is the beginning.
func line(in *bufio.Reader) ([]byte, error) {
	text, err := in.ReadSlice('\n')
	kept := text
	if errors.Is(err, bufio.ErrBufferFull) {
		kept = bytes.Clone(text[:sampledRecord])
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
	}
	if errors.Is(err, io.EOF) && len(kept) > 0 {
		err = nil
	}
	return bytes.TrimRight(kept[:min(len(kept), sampledRecord)], "\r\n"), err
}
