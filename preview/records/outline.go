package records

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// JSON that is no list of records is read by its leaves. Its outline has a line for each object and
// each element of a list, with the path to it and the scalars in it:
//
//	metadata: name: web-7d9f, namespace: shop, labels.app: web
//	status.conditions[0]: type: Ready, status: False, reason: ContainersNotReady
//	status.containerStatuses[0].state.waiting: reason: CrashLoopBackOff
//
// A line says where it belongs, so that any choice of lines can be read. Brackets, quotes and
// empty values go. So do values that say nothing to a reader (see noise); the last line names them.

// Bounds of an outline.
const (
	outlineWidth  = 160     // bytes of a line, from which on further values have a line of their own
	longLeaf      = 96      // bytes of a value that has a line of its own
	mostLeaf      = 1000    // bytes of a value that are in the outline
	smallObject   = 3       // scalars of an object that is written on the line of the one around it
	mostOutline   = 1 << 17 // lines; further ones are left out
	deepestObject = 64      // objects and lists around a value; deeper ones are left out
	mostPath      = 120     // bytes of a path that are written: its end
	mostNoise     = 6       // keys that are left out and are named
	leftOut       = "left out"
)

// Scores of lines of an outline.
const (
	outlineBase = 40 // of a line that says nothing known
	outlineText = 46 // of a line of a text of several lines
	outlineMost = 78 // of one that does not say that something is wrong
	outlineDeep = 3  // less for each object around
	outlineList = 2  // less for an element of a list that is not the first
	outlineLess = 10 // less for what an object is run with, and not what it is
)

// settings has keys of objects that say how something is run: those of Kubernetes and of OpenAPI. In
// lower case without signs.
const settings = "env envfrom volumes volumemounts tolerations annotations labels livenessprobe readinessprobe startupprobe securitycontext affinity " +
	"imagepullsecrets ownerreferences nodeselector projected sources finalizers headers parameters"

// settingWords are the words of settings.
var settingWords = wordSet(settings)

// Outline is the readable form of JSON that is no table. Lines count from 0.
type Outline struct {
	text   []byte
	starts []int32
	ranks  []Rank
}

// ParseOutline reads JSON: one value, or objects in sequence, with a few lines of other text around
// it. It returns ErrNotJSON for anything else, and for JSON in which there is nothing.
func ParseOutline(text []byte, tokens int) (*Outline, error) {
	var before, after []string
	p, values, err := compactValues(text)
	if err != nil {
		in, err := Enclosed(text)
		if err != nil {
			return nil, err
		}
		if p, values, err = compactValues(in.Value); err != nil {
			return nil, err
		}
		before, after = in.Before, in.After
	}
	w := outliner{reader: p, noise: map[string]int{}, tokens: tokens}
	w.ranks = aroundRanks(nil, before)
	w.lines(before)
	for i, v := range values {
		if len(values) > 1 {
			w.path = append(append(append(w.path[:0], '['), strconv.Itoa(i)...), ']')
		}
		w.value(v, 0, outlineBase+outlineDeep)
	}
	if len(w.starts) == len(before) { // nothing is in it
		return nil, ErrNotJSON
	}
	w.nameNoise()
	w.lines(after)
	w.ranks = aroundRanks(w.ranks, after)
	w.text = append(w.text, '\n')
	return &Outline{text: w.text, starts: w.starts, ranks: w.ranks}, nil
}

// Text returns the outline. It ends with a line end.
func (o *Outline) Text() []byte { return o.text }

// Len returns the number of lines.
func (o *Outline) Len() int { return len(o.starts) }

// Rank returns the rank of line i.
func (o *Outline) Rank(i int) Rank { return o.ranks[i] }

// outliner writes an outline.
type outliner struct {
	*reader
	path   []byte // of the current value
	noise  map[string]int
	tokens int // of the budget

	text   []byte
	starts []int32
	ranks  []Rank
}

// leafOf is a scalar of an object, with its key and how much it matters.
type leafOf struct {
	key   string
	text  string
	score int
	reason
}

// reason is why a leaf is shown, if it says that something is wrong.
type reason = shape.Reason

// lines writes lines of other text.
func (w *outliner) lines(list []string) {
	for _, text := range list {
		w.begin()
		w.text = append(w.text, text...)
	}
}

// begin begins a line.
func (w *outliner) begin() {
	if len(w.starts) > 0 {
		w.text = append(w.text, '\n')
	}
	w.starts = append(w.starts, int32(len(w.text)))
}

// line writes a line with the current path and a text.
func (w *outliner) line(text string, r Rank) {
	if len(w.starts) >= mostOutline || len(w.text) > 2*len(w.src)+mostPath*leastOfTable {
		return // a hostile nesting, whose paths are longer than it is
	}
	w.begin()
	if len(w.path) > 0 {
		w.text = append(w.text, w.shownPath()...)
		if w.text = append(w.text, ':'); text != "" {
			w.text = append(w.text, ' ')
		}
	}
	w.text = append(w.text, text...)
	r.Score = max(1, min(r.Score, 100))
	w.ranks = append(w.ranks, r)
}

// shownPath returns the path as a line has it. Of a long one it is the end.
func (w *outliner) shownPath() string {
	if len(w.path) <= mostPath {
		return string(w.path)
	}
	return cellSign + strings.ToValidUTF8(string(w.path[len(w.path)-mostPath:]), "")
}

// at returns line i as it is written so far.
func (w *outliner) at(i int) string {
	if i+1 < len(w.starts) {
		return string(w.text[w.starts[i] : w.starts[i+1]-1])
	}
	return string(w.text[w.starts[i]:])
}

// value writes a value at the current path.
func (w *outliner) value(v Cell, depth, score int) {
	switch {
	case depth > deepestObject:
		w.noise["deeper values"]++
	case v.Kind != Nested:
		w.scalar(v, score)
	case w.src[v.Start] == '{':
		w.object(v, depth, score)
	default:
		w.list(v, depth, score)
	}
}

// scalar writes a scalar on a line of its own.
func (w *outliner) scalar(v Cell, score int) {
	key := string(w.path[bytes.LastIndexByte(w.path, '.')+1:])
	if l, ok := w.leaf(key, v); ok {
		w.long(l, score)
	}
}

// long writes a leaf on a line of its own, or each of its lines.
func (w *outliner) long(l leafOf, score int) {
	if !strings.Contains(strings.TrimSpace(l.text), "\n") {
		w.line(string(appendOneLine(nil, clip(l.text))), Rank{Score: max(l.score, score-2), Reason: l.reasonOr(shape.KeepStructure), Column: -1})
		return
	}
	all := strings.Split(strings.TrimRight(l.text, "\r\n"), "\n")
	path := w.path
	for i, text := range all {
		if strings.TrimSpace(text) == "" {
			continue
		}
		r := Rank{Score: outlineText - min(6, i/8), Reason: shape.KeepContext, Column: -1}
		if m := salience.Builtin().Classify([]byte(text)); m.Score > uint8(r.Score) {
			r.Score, r.Reason = int(m.Score), shape.Reasons[m.Reason]
		} else if i == 0 {
			r.Score = max(r.Score, l.score)
		} else if i == len(all)-1 {
			r.Score += 4
		}
		w.line(strings.TrimRight(clip(strings.Map(printable, text)), " "), r)
		w.path = nil // further lines need no path
	}
	w.path = path
}

// printable drops control characters but tabs, which become blanks.
func printable(c rune) rune {
	switch {
	case c == '\t':
		return ' '
	case c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == '\u2028' || c == '\u2029':
		return -1
	}
	return c
}

// clip cuts a text that is too long.
func clip(text string) string {
	if len(text) <= mostLeaf {
		return text
	}
	return strings.ToValidUTF8(text[:mostLeaf], "") + cellSign
}

// leaf returns a scalar as it is written; false for one that is empty.
func (w *outliner) leaf(key string, v Cell) (leafOf, bool) {
	text := string(w.reader.text(v))
	if v.Kind == String {
		var plain string
		if json.Unmarshal(w.reader.text(v), &plain) != nil {
			plain = text
		}
		text = plain
	}
	if v.Kind == Null || strings.TrimSpace(text) == "" {
		return leafOf{}, false
	}
	l := leafOf{key: key, text: text, score: outlineBase + keyMeaning(key)/4}
	cell := []byte(text)
	if v.Kind == String && (isLink(cell) || isCodeWord(cell) && keyMeaning(key) < columnName) {
		l.score = outlineBase - 10
	}
	if bad := verdictOf(meaningOf(key), v.Kind, cell[:min(len(cell), mostLeaf)]); bad.score > 0 {
		l.score, l.reason = bad.score, bad.reason
	}
	return l, true
}

// reasonOr returns the reason of a leaf, or another one.
func (l *leafOf) reasonOr(other shape.Reason) shape.Reason {
	if l.reason != 0 {
		return l.reason
	}
	return other
}

// object writes the scalars of an object on a line, and then what is in it.
func (w *outliner) object(o Cell, depth, score int) {
	var leaves []leafOf
	var inner []member
	w.leavesOf(o, "", &leaves, &inner)
	w.leaves(leaves, score)
	at := len(w.path)
	for _, m := range inner {
		less := outlineDeep
		var plain [24]byte
		if settingWords[string(textscan.PlainName(plain[:0], w.reader.text(Cell{Start: m.key.Start + 1, End: m.key.End - 1})))] {
			less = outlineLess
		}
		w.step(m)
		w.value(m.value, depth+1, score-less)
		w.path = w.path[:at]
	}
}

// step adds the key of a member to the path.
func (w *outliner) step(m member) {
	if len(w.path) > 0 {
		w.path = append(w.path, '.')
	}
	w.path = append(w.path, w.name(m.key)...)
}

// name returns a key as a path has it.
func (w *outliner) name(key Cell) string {
	return string(appendOneLine(nil, clip(string(w.reader.text(Cell{Start: key.Start + 1, End: key.End - 1})))))
}

// leavesOf collects the scalars of an object, and those of small objects in it. Other members are
// inner ones.
func (w *outliner) leavesOf(o Cell, prefix string, leaves *[]leafOf, inner *[]member) {
	w.each(o, func(m member) bool {
		key := w.name(m.key)
		switch {
		case isNoise([]byte(key)):
			if m.value.Kind != Null && m.value.size() > len(`""`) {
				w.noise[key]++
			}
		case m.value.Kind != Nested:
			if l, ok := w.leaf(key, m.value); ok {
				l.key = prefix + key
				*leaves = append(*leaves, l)
			}
		case w.src[m.value.Start] == '[' && w.joined(m.value) != "":
			*leaves = append(*leaves, leafOf{key: prefix + key, text: w.joined(m.value), score: outlineBase + keyMeaning(key)/4})
		case prefix == "" && w.isSmall(m.value):
			w.leavesOf(m.value, key+".", leaves, inner)
		default:
			*inner = append(*inner, m)
		}
		return true
	})
}

// isSmall reports whether a value is an object of a few short scalars.
func (w *outliner) isSmall(v Cell) bool {
	if w.src[v.Start] != '{' || v.size() > outlineWidth {
		return false
	}
	n, plain := 0, true
	w.each(v, func(m member) bool {
		n++
		plain = plain && m.value.Kind != Nested
		return plain
	})
	return plain && n <= smallObject
}

// joined returns the scalars of a short list in one text; empty for other lists.
func (w *outliner) joined(list Cell) string {
	if list.size() > outlineWidth {
		return ""
	}
	var texts []string
	for at := list.Start + 1; w.src[at] != ']'; {
		end := w.end(at)
		v := Cell{at, end, kindOf(w.src[at:])}
		l, ok := w.leaf("", v)
		if v.Kind == Nested || strings.Contains(l.text, "\n") {
			return ""
		}
		if ok {
			texts = append(texts, l.text)
		}
		if at = end; w.src[at] == ',' {
			at++
		}
	}
	return strings.Join(texts, ", ")
}

// leaves writes the scalars of an object, those that matter most first: on one line, or on several
// if they are long.
func (w *outliner) leaves(list []leafOf, score int) {
	slices.SortStableFunc(list, func(a, b leafOf) int { return cmp.Compare(b.score, a.score) })
	var line strings.Builder
	var rank Rank
	flush := func() {
		if line.Len() > 0 {
			w.line(line.String(), rank)
			line.Reset()
		}
	}
	for _, l := range list {
		if len(l.text) > longLeaf || strings.Contains(l.text, "\n") {
			flush()
			at := len(w.path)
			if at > 0 {
				w.path = append(w.path, '.')
			}
			w.path = append(w.path, l.key...)
			w.long(l, score)
			w.path = w.path[:at]
			continue
		}
		if line.Len() > 0 && line.Len()+len(l.key)+len(l.text) > outlineWidth {
			flush()
		}
		if line.Len() > 0 {
			line.WriteString(", ")
		} else {
			rank = Rank{Score: min(outlineMost, score+l.score-outlineBase), Reason: l.reasonOr(shape.KeepStructure), Column: -1}
			if l.reason != 0 {
				rank.Score = l.score
			}
		}
		line.WriteString(l.key + ": " + string(bytes.TrimRight(appendOneLine(nil, l.text), " ")))
	}
	flush()
}

// list writes the elements of a list: scalars together, others each with its index.
func (w *outliner) list(list Cell, depth, score int) {
	at := len(w.path)
	path := w.path
	defer func() { w.path = path }()
	var texts []string
	size, from := 0, 0
	flush := func() {
		if len(texts) == 0 {
			return
		}
		w.index(from)
		w.line(strings.Join(texts, ", "), Rank{Score: score - 2, Reason: shape.KeepStructure, Column: -1})
		w.path, texts, size = w.path[:at], nil, 0
	}
	if text, ok := w.textOf(list); ok {
		w.long(leafOf{text: text, score: score}, score)
		return
	}
	if w.table(list, score) {
		return
	}
	n := 0
	for i := list.Start + 1; w.src[i] != ']'; n++ {
		end := w.end(i)
		v := Cell{i, end, kindOf(w.src[i:])}
		if i = end; w.src[i] == ',' {
			i++
		}
		if v.Kind != Nested {
			l, ok := w.leaf("", v)
			if !ok {
				continue
			}
			if len(l.text) > longLeaf || size+len(l.text) > outlineWidth || l.reason != 0 {
				flush()
			}
			if len(texts) == 0 {
				from = n
			}
			texts, size = append(texts, string(appendOneLine(nil, clip(l.text)))), size+len(l.text)+2
			continue
		}
		flush()
		w.index(n)
		w.value(v, depth+1, score-outlineList*min(n, 4))
		w.path = w.path[:at]
	}
	flush()
}

// leastOfTable is how many records of a list are written as a table, at least.
const leastOfTable = 4

// table writes a list of records as a table of the columns that a reader wants. It reports false for
// other lists.
func (w *outliner) table(list Cell, score int) bool {
	objects := w.elements(list)
	if len(objects) < leastOfTable {
		return false
	}
	rows := w.leavesOfRecords(objects)
	if rows == nil {
		return false
	}
	rows, hidden := rows.choose(rowWidth(len(objects), w.tokens))
	if len(rows.Keys) == 0 {
		return false
	}
	w.writeTable(NewTable(rows, List{Hidden: hidden}), score)
	return true
}

// writeTable writes the lines of a table. Rows that say of nothing that it is wrong matter less the
// further they are from the first one.
func (w *outliner) writeTable(t *Table, score int) {
	for i := range t.Len() {
		start, end := t.Span(i)
		r := t.Rank(i)
		if t.RowsIn(i, i+1) == 0 {
			r = headRank
		} else if r.Score < leastRow {
			r.Score = max(1, min(r.Score, score-outlineDeep-min(12, (i-t.Heads())/4)))
		}
		w.line(string(t.Text()[start:end-1]), r)
		w.path = nil // further lines need no path
	}
}

// headRank is the rank of the lines that say what the rows of a table are.
var headRank = Rank{Score: scoreHeads - 1, Reason: shape.KeepStructure, Column: -1}

// leavesOfRecords returns the leaves of records.
func (w *outliner) leavesOfRecords(objects []Cell) *Rows {
	p := &reader{src: w.src}
	rows := p.leaves(objects)
	if rows == nil || 3*len(rows.Keys) > mostLeaves {
		return nil
	}
	return rows
}

// index adds an index to the path.
func (w *outliner) index(n int) {
	w.path = append(strconv.AppendInt(append(w.path, '['), int64(n), 10), ']')
}

// textOf returns the text of a list of its lines, as notebooks have it; false for other lists.
func (w *outliner) textOf(list Cell) (string, bool) {
	var b strings.Builder
	lines, ends := 0, 0
	for at := list.Start + 1; w.src[at] != ']'; {
		end := w.end(at)
		if w.src[at] != '"' {
			return "", false
		}
		var text string
		if json.Unmarshal(w.src[at:end], &text) != nil {
			return "", false
		}
		if lines++; strings.HasSuffix(text, "\n") {
			ends++
		}
		b.WriteString(text)
		if at = end; w.src[at] == ',' {
			at++
		}
	}
	return b.String(), lines > 1 && ends >= lines-1
}

// nameNoise writes which values are left out.
func (w *outliner) nameNoise() {
	if len(w.noise) == 0 {
		return
	}
	var keys []string
	for key := range w.noise {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(w.noise[b], w.noise[a]), cmp.Compare(a, b)) })
	if len(keys) > mostNoise {
		keys = append(keys[:mostNoise], cellSign)
	}
	w.path = append(w.path[:0], leftOut...)
	w.line(strings.Join(keys, ", "), Rank{Score: outlineBase, Reason: shape.KeepStructure, Column: -1})
}
