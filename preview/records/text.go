package records

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Tables that are text already: values that are separated by commas or tabs (RFC 4180), columns
// that are aligned by blanks under their names (ps, docker, kubectl, dpkg), and columns between
// drawn lines (psql, MySQL, DuckDB, Markdown). Their readable form has one tab between cells, says a
// column once that is equal in all rows, and lets rows be chosen as those of JSON are.

// Bounds of tables that are text.
const (
	mostTitle      = 12 // lines before a table
	mostFooter     = 24 // lines behind it
	leastTableRows = 4
	mostTableWidth = 4096 // bytes of a line of an aligned table
)

// ParseText reads a text most of which is one table, with a few lines around it. If the budget of
// tokens is too small for all of it, the table has the columns that a reader wants. It returns nil
// for other text.
func ParseText(text []byte, tokens int) *Table {
	lines := splitLines(text)
	if shape.IsCosts(lines) { // ranked by line, with the trees between its rows
		return nil
	}
	for _, read := range [...]func([][]byte) (*Rows, List){readDetails, readDrawn, readSeparated, readListing, readAligned} {
		if rows, list := read(lines); rows != nil {
			return fitted(rows, list, tokens)
		}
	}
	return nil
}

// fitted returns the table of all columns, or of those that a reader wants if the budget is too small.
func fitted(rows *Rows, list List, tokens int) *Table {
	if all := NewTable(rows, list); len(all.Text()) <= tokens*rowTokens {
		return all
	}
	return newOverview(rows, list, tokens)
}

// openingLines is how many lines of a text are looked at for the beginning of a table: that of several
// may have a title of some lines.
const openingLines = 80

// MayBeTable reports whether the first lines of a text look like the beginning of a table: most texts are
// none, and are not read further.
func MayBeTable(first func(yield func(line []byte) bool)) bool {
	n, may := 0, false
	var before []byte
	for line := range first {
		line = bytes.TrimRight(textscan.WithoutEscapes(line), " \t\r\n")
		if n++; n > openingLines {
			break
		}
		if n <= mostTitle+2 && opensTable(line) || len(before) > 0 && (isUnderline(line) || looksLikeNames(before, line)) {
			may = true
			break
		}
		before = append(before[:0], line...)
	}
	return may
}

// opensTable reports whether a table may begin with a line.
func opensTable(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	switch next := line[min(1, len(line)-1)]; line[0] {
	case '|':
		return true
	case '+':
		return next == '-' || next == '='
	}
	if beginsDetails(line) || attributes(line) != nil || bytes.Contains(line, []byte(" | ")) || bytes.ContainsAny(line, "│┃║┌╭") {
		return true
	}
	_, names := separatedNames(line)
	return names != nil
}

// splitLines returns the lines of a text without their ends and escape sequences.
func splitLines(text []byte) (list [][]byte) {
	for line := range bytes.Lines(text) {
		list = append(list, bytes.TrimRight(textscan.WithoutEscapes(line), " \t\r\n"))
	}
	return list
}

// builder collects the rows of a table that is text.
type builder struct {
	rows  Rows
	width int
}

// newBuilder returns a builder of records with some keys.
func newBuilder(keys [][]byte) *builder {
	b := &builder{width: len(keys)}
	b.rows.Written = true
	seen := map[string]bool{}
	for _, key := range keys {
		name := string(appendOneLine(nil, string(key)))
		for seen[name] {
			name += "'"
		}
		seen[name] = true
		b.rows.Keys = append(b.rows.Keys, name)
	}
	return b
}

// noValues are words that stand for a value that is not known.
const noValues = `NA N/A n/a NaN nan null NULL (null) None none <none> <nil> - -- ? \N`

// noValueWords are the words of noValues.
var noValueWords = wordSet(noValues)

// add adds a record. Missing cells are absent.
func (b *builder) add(cells [][]byte) {
	for k := range b.width {
		if k >= len(cells) || len(cells[k]) == 0 {
			b.rows.Cells = append(b.rows.Cells, Cell{})
			continue
		}
		start := int32(len(b.rows.Source))
		b.rows.Source = appendOneLine(b.rows.Source, string(cells[k]))
		b.rows.Source = bytes.TrimRight(b.rows.Source, " ")
		end := int32(len(b.rows.Source))
		kind := String
		switch text := b.rows.Source[start:end]; {
		case len(text) == 0:
			kind = Absent
		case noValueWords[string(text)]:
			kind = Null
		case isAmount(text):
			kind = Number
		}
		b.rows.Cells = append(b.rows.Cells, Cell{start, end, kind})
	}
}

// around returns the lines before and behind a table, if they are few.
func around(before, after [][]byte) (List, bool) {
	list := List{Before: texts(before), After: texts(after)}
	return list, len(list.Before) <= mostTitle && len(list.After) <= mostFooter
}

// texts returns the lines that are not blank.
func texts(lines [][]byte) (list []string) {
	for _, line := range lines {
		if len(bytes.TrimSpace(line)) > 0 {
			list = append(list, string(appendOneLine(nil, string(line))))
		}
	}
	return list
}

// readDrawn reads a table with lines between its columns.
func readDrawn(lines [][]byte) (*Rows, List) {
	at := slices.IndexFunc(lines, func(line []byte) bool {
		return bytes.Contains(line, []byte("|")) || bytes.ContainsAny(line, "│┃║")
	})
	if at < 0 || at > mostTitle {
		return nil, List{}
	}
	bar := []byte("|")
	for _, drawn := range [...]string{"│", "┃", "║"} {
		if bytes.Contains(lines[at], []byte(drawn)) {
			bar = []byte(drawn)
		}
	}
	first := at
	if first > 0 && isDrawnRule(lines[first-1]) {
		first--
	}
	var b *builder
	rules, wide := 0, 0
	end := at
	for ; end < len(lines); end++ {
		line := lines[end]
		if isDrawnRule(line) {
			rules++
			continue
		}
		cells := drawnCells(line, bar)
		if b == nil {
			if len(cells) < 2 {
				return nil, List{}
			}
			b, wide = newBuilder(cells), len(cells)
			continue
		}
		if len(cells) != wide {
			if wide > 1 && len(cells) == 1 || len(bytes.TrimSpace(line)) == 0 {
				break
			}
			return nil, List{}
		}
		if rules == 0 {
			return nil, List{} // no line is drawn under the names
		}
		b.add(cells)
	}
	if b == nil || b.rows.Len() < leastTableRows {
		return nil, List{}
	}
	list, few := around(lines[:first], lines[end:])
	if !few {
		return nil, List{}
	}
	return &b.rows, list
}

// isDrawnRule reports whether a line has nothing but drawn lines.
func isDrawnRule(line []byte) bool {
	strokes := 0
	for _, c := range string(line) {
		switch {
		case c == '-' || c == '=' || c >= '─' && c <= '╿':
			strokes++
		case c == '+' || c == '|' || c == ' ' || c == ':':
		default:
			return false
		}
	}
	return strokes >= 4
}

// drawnCells returns the cells of a line between bars.
func drawnCells(line, bar []byte) (cells [][]byte) {
	line = bytes.TrimSpace(line)
	line = bytes.TrimPrefix(line, bar)
	line = bytes.TrimSuffix(line, bar)
	for cell := range bytes.SplitSeq(line, bar) {
		cells = append(cells, bytes.TrimSpace(cell))
	}
	return cells
}

// Separators of values, and how many values a line has at least.
const (
	separators    = "\t,;|"
	leastFields   = 3
	mostFields    = 512
	mostNameWords = 4
)

// readSeparated reads values that are separated by commas or other signs, with their names in the
// first line.
func readSeparated(lines [][]byte) (*Rows, List) {
	for _, comma := range []byte(separators) {
		if rows, list := readValues(lines, comma); rows != nil {
			return rows, list
		}
	}
	return nil, List{}
}

// readValues reads values that are separated by one sign.
func readValues(lines [][]byte, comma byte) (*Rows, List) {
	at := 0
	for at < len(lines) && at < mostTitle && bytes.Count(lines[at], []byte{comma}) < leastFields-1 {
		at++
	}
	if at == len(lines) || at == mostTitle {
		return nil, List{}
	}
	keys, next := values(lines, at, comma)
	if len(keys) < leastFields || len(keys) > mostFields || !areNames(keys) {
		return nil, List{}
	}
	b := newBuilder(keys)
	other := 0
	for i := next; i < len(lines); {
		var cells [][]byte
		from := i
		cells, i = values(lines, i, comma)
		switch {
		case len(cells) == len(keys):
			b.add(cells)
		case len(bytes.TrimSpace(lines[from])) == 0:
		case len(lines)-from <= 2: // how many rows there are
			list, _ := around(lines[:at], lines[from:])
			return enough(b, list)
		default:
			if other++; other*20 > b.rows.Len()+20 {
				return nil, List{}
			}
			b.add(cells[:min(len(cells), len(keys))])
		}
	}
	list, few := around(lines[:at], nil)
	if !few {
		return nil, List{}
	}
	return enough(b, list)
}

// enough returns the rows of a builder, if they are a table.
func enough(b *builder, list List) (*Rows, List) {
	if b.rows.Len() < leastTableRows {
		return nil, List{}
	}
	return &b.rows, list
}

// values returns the values of the record that begins at a line, and the line behind it. A value in
// quotes may go on in further lines.
func values(lines [][]byte, at int, comma byte) (list [][]byte, next int) {
	line := lines[at]
	at++
	for i := 0; ; {
		if i < len(line) && line[i] == '"' && comma != '|' {
			var value []byte
			i++
			for from := at; ; i++ {
				if i >= len(line) {
					if at >= len(lines) || at-from > mostFooter {
						break
					}
					value, line, i = append(value, '\n'), lines[at], -1
					at++
					continue
				}
				if line[i] == '"' {
					if i++; i >= len(line) || line[i] != '"' {
						break
					}
				}
				value = append(value, line[i])
			}
			list = append(list, value)
			for i < len(line) && line[i] != comma {
				i++
			}
		} else {
			end := bytes.IndexByte(line[min(i, len(line)):], comma)
			if end < 0 {
				return append(list, bytes.TrimSpace(line[min(i, len(line)):])), at
			}
			list = append(list, bytes.TrimSpace(line[i:i+end]))
			i += end
		}
		if i >= len(line) {
			return list, at
		}
		i++ // the comma
	}
}

// areNames reports whether values are names of columns: short words that are different, and no
// numbers or dates.
func areNames(list [][]byte) bool {
	seen := map[string]bool{}
	for _, name := range list {
		if len(name) > CellBytes || len(bytes.Fields(name)) > mostNameWords || isAmount(name) || isDate(name) || bytes.ContainsAny(name, "{}=<>") || len(name) > 0 && seen[string(name)] {
			return false
		}
		seen[string(name)] = true
	}
	return len(seen) >= leastFields
}

// readDetails reads records that a client of a database prints with a line for each value.
func readDetails(lines [][]byte) (*Rows, List) {
	at := slices.IndexFunc(lines, beginsDetails)
	if at < 0 || at > mostTitle {
		return nil, List{}
	}
	var keys [][]byte
	var records [][][]byte
	index := map[string]int{}
	end := at
	for ; end < len(lines); end++ {
		line := lines[end]
		if beginsDetails(line) {
			records = append(records, make([][]byte, len(keys)))
			continue
		}
		key, value, ok := bytes.Cut(line, []byte(" | "))
		if !ok {
			key, value, ok = bytes.Cut(line, []byte(": "))
		}
		if key = bytes.TrimSpace(key); !ok || len(key) > CellBytes {
			if bytes.HasSuffix(bytes.TrimSpace(line), []byte("|")) || bytes.HasSuffix(line, []byte(":")) {
				continue // a value that is empty
			}
			break
		}
		k, known := index[string(key)]
		if !known {
			if len(records) > 1 || len(keys) == mostFields {
				return nil, List{}
			}
			k = len(keys)
			index[string(key)] = k
			keys = append(keys, key)
		}
		record := records[len(records)-1]
		for len(record) <= k {
			record = append(record, nil)
		}
		record[k], records[len(records)-1] = bytes.TrimSpace(value), record
	}
	list, few := around(lines[:at], lines[end:])
	if !few || len(keys) < 2 {
		return nil, List{}
	}
	b := newBuilder(keys)
	for _, record := range records {
		b.add(record)
	}
	return enough(b, list)
}

// beginsDetails reports whether a line begins a record of psql's expanded form or of MySQL's \G.
func beginsDetails(line []byte) bool {
	return bytes.HasPrefix(line, []byte("-[ RECORD ")) || bytes.HasPrefix(line, []byte("**********")) && bytes.Contains(line, []byte(". row **"))
}

// readAligned reads columns that are aligned by blanks.
func readAligned(lines [][]byte) (*Rows, List) {
	at := headerOf(lines)
	if at < 0 {
		return nil, List{}
	}
	first := at + 1
	rule := -1
	if first < len(lines) && isUnderline(lines[first]) {
		rule = first
		first++
	}
	end := first
	for end < len(lines) && len(bytes.TrimSpace(lines[end])) > 0 && len(lines[end]) <= mostTableWidth {
		end++
	}
	if end-first < leastTableRows {
		return nil, List{}
	}
	list, few := around(lines[:at], lines[end:])
	if !few || rule < 0 && repeats(lines[at], lines[first:end]) {
		return nil, List{}
	}
	if rule < 0 {
		if names := bytes.Fields(lines[at]); areFields(names, lines[first:end]) {
			b := newBuilder(names)
			for _, line := range lines[first:end] {
				b.add(fields(line, len(names)))
			}
			return enough(b, list)
		}
	}
	var spans []span
	if rule >= 0 {
		spans = strokes(lines[rule])
	} else {
		spans = gaps(lines[at], lines[first:end])
	}
	if len(spans) < leastFields {
		return nil, List{}
	}
	names := cut(lines[at], spans)
	if slices.ContainsFunc(names, func(name []byte) bool { return len(name) == 0 }) && rule < 0 {
		return nil, List{}
	}
	b := newBuilder(names)
	for _, line := range lines[first:end] {
		b.add(cut(line, spans))
	}
	return enough(b, list)
}

// repeats reports whether words in capitals are no names, because they come again in the lines below.
func repeats(header []byte, rows [][]byte) bool {
	names := map[string]bool{}
	for _, name := range bytes.Fields(header) {
		names[string(name)] = true
	}
	again := 0
	for _, row := range rows {
		if slices.ContainsFunc(bytes.Fields(row), func(word []byte) bool { return len(word) > 2 && names[string(word)] }) {
			again++
		}
	}
	return again*10 > len(rows)
}

// areFields reports whether the columns of rows are their words: ps and top align them until a wide
// number moves those behind it.
func areFields(names [][]byte, rows [][]byte) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(names, func(n []byte) bool { return string(n) == name })
	}
	processes := has("PID") && has("%CPU")
	for _, row := range rows {
		if n := len(bytes.Fields(row)); n < len(names) || n > len(names) && !processes {
			return false
		}
	}
	return true
}

// fields returns the words of a line, of which the last has all that is left.
func fields(line []byte, n int) (cells [][]byte) {
	for len(cells) < n-1 {
		line = bytes.TrimLeft(line, " \t")
		end := bytes.IndexAny(line, " \t")
		if end < 0 {
			break
		}
		cells, line = append(cells, line[:end]), line[end:]
	}
	return append(cells, bytes.TrimSpace(line))
}

// headerOf returns the line with the names of columns; -1 if there is none.
func headerOf(lines [][]byte) int {
	for i := range min(mostTitle, len(lines)-leastTableRows) {
		if i+1 < len(lines) && isUnderline(lines[i+1]) && len(bytes.Fields(lines[i])) > 2 || i+1 < len(lines) && looksLikeNames(lines[i], lines[i+1]) {
			return i
		}
	}
	return -1
}

// isUnderline reports whether a line is drawn under names by strokes with blanks between, or by two
// kinds of strokes, as dpkg does: "+++-====-====".
func isUnderline(line []byte) bool {
	n := 0
	for _, c := range line {
		switch c {
		case '-', '=':
			n++
		case ' ', '+', '/', '|':
		default:
			return false
		}
	}
	return n >= 4 && len(strokes(line)) > 1
}

// looksLikeNames reports whether a line has names of columns, by its own look and by that of the
// line under it: words without digits, most of which begin with a capital or with a sign, over at
// least as many words.
func looksLikeNames(line, under []byte) bool {
	words := bytes.Fields(line)
	if len(words) < leastFields || len(bytes.Fields(under)) < leastFields {
		return false
	}
	capital, upper := 0, 0
	for _, word := range words {
		if bytes.ContainsAny(word, "0123456789") && !bytes.Contains(word, []byte("-blocks")) || len(word) > 40 || bytes.HasSuffix(word, []byte(",")) ||
			bytes.HasSuffix(word, []byte(".")) || bytes.ContainsAny(word, "=<>;\"'`") {
			return false
		}
		if c := word[0]; c >= 'A' && c <= 'Z' || c == '%' || c == '#' {
			capital++
		}
		if bytes.Equal(word, bytes.ToUpper(word)) {
			upper++
		}
	}
	return upper == len(words) || capital*3 >= len(words)*2 && bytes.Contains(bytes.TrimSpace(line), []byte("  "))
}

// span is a range of characters of a line; to is -1 for the rest of it.
type span struct{ from, to int }

// strokes returns the columns that a rule has under their names.
func strokes(rule []byte) (list []span) {
	apart := byte(' ')
	if bytes.IndexByte(rule, '=') >= 0 && bytes.IndexByte(rule, '-') >= 0 && bytes.IndexByte(rule, ' ') < 0 {
		apart = '-'
	}
	for i := 0; i < len(rule); {
		if rule[i] == apart {
			i++
			continue
		}
		list = append(list, span{from: i})
		for i < len(rule) && rule[i] != apart {
			i++
		}
	}
	return closeSpans(list)
}

// closeSpans ends each column where the next one begins.
func closeSpans(list []span) []span {
	for i := range list {
		list[i].to = -1
		if i+1 < len(list) {
			list[i].to = list[i+1].from
		}
	}
	return list
}

// sampledRows is how many rows say where columns are.
const sampledRows = 400

// gaps returns the columns between the positions that are blank in the header and in nearly all rows.
func gaps(header []byte, rows [][]byte) (list []span) {
	width := utf8.RuneCount(header)
	if width > mostTableWidth {
		return nil
	}
	filled := make([]int, mostTableWidth)
	sampled := 0
	for i, step := 0, len(rows)/sampledRows+1; i < len(rows); i += step {
		sampled++
		at := 0
		for _, c := range string(rows[i]) {
			if c != ' ' && c != '\t' {
				filled[at]++
			}
			at++
		}
		width = max(width, at)
	}
	at := 0
	names := make([]bool, width+1)
	for _, c := range string(header) {
		names[at] = c != ' ' && c != '\t'
		at++
	}
	last := at
	for i := 0; i < width; {
		if !names[i] && filled[i]*50 <= sampled {
			i++
			continue
		}
		from, named, has := i, false, false
		for i < width && (names[i] || filled[i]*50 > sampled) {
			named, has = named || names[i], has || filled[i] > 0
			i++
		}
		switch {
		case named && !has && len(list) > 0 && list[len(list)-1].to == from-1: // the second word of a name
			list[len(list)-1].to = i
		case named:
			list = append(list, span{from, i})
		case len(list) > 0 && from < last: // text without a name belongs to the column before it
			list[len(list)-1].to = i
		}
	}
	return closeSpans(list)
}

// cut returns the cells of a line. A word that goes over the end of its column moves the beginning
// of the next one.
func cut(line []byte, spans []span) (cells [][]byte) {
	text := []rune(string(line))
	from := 0
	for i, s := range spans {
		if i == 0 {
			from = 0
		}
		to := len(text)
		if s.to >= 0 {
			to = min(s.to, len(text))
		}
		for to > from && to < len(text) && text[to] != ' ' && text[to-1] != ' ' && text[to] != '\t' { // in a word
			if back := lastBlank(text, from, to); back > s.from && s.to >= 0 && to-back <= 12 && back > from {
				to = back + 1 // it belongs to the next column, which is aligned at its end
				break
			}
			to++
		}
		if from > to {
			to = from
		}
		cells = append(cells, []byte(string(trimRunes(text[min(from, len(text)):min(to, len(text))]))))
		from = to
	}
	return cells
}

// lastBlank returns the last blank of a range of a text; -1 if there is none.
func lastBlank(text []rune, from, to int) int {
	for i := to - 1; i >= from; i-- {
		if text[i] == ' ' {
			return i
		}
	}
	return -1
}

// trimRunes returns a text without blanks around it.
func trimRunes(text []rune) []rune {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	return text
}

// namesOfListing are the columns of a listing of files with their attributes.
var namesOfListing = [][]byte{[]byte("mode"), []byte("links"), []byte("owner"), []byte("group"), []byte("size"), []byte("modified"), []byte("name")}

// readListing reads what "ls -l" prints of one directory.
func readListing(lines [][]byte) (*Rows, List) {
	b := newBuilder(namesOfListing)
	var before [][]byte
	for i, line := range lines {
		fields := attributes(line)
		switch {
		case fields != nil:
			b.add(fields)
		case b.rows.Len() == 0 && i < mostTitle:
			before = append(before, line)
		case len(bytes.TrimSpace(line)) > 0 || i+1 < len(lines):
			return nil, List{}
		}
	}
	list, few := around(before, nil)
	if !few {
		return nil, List{}
	}
	return enough(b, list)
}

// attributes returns the attributes of a file in a line of "ls -l", and its name; nil for other
// lines.
func attributes(line []byte) [][]byte {
	if len(line) < 30 || bytes.IndexByte([]byte("-dlbcps"), line[0]) < 0 || bytes.IndexByte([]byte("r-"), line[1]) < 0 || bytes.IndexByte([]byte("w-"), line[2]) < 0 {
		return nil
	}
	var fields [][]byte
	rest := line
	for len(fields) < 5 {
		rest = bytes.TrimLeft(rest, " ")
		end := bytes.IndexByte(rest, ' ')
		if end < 0 {
			return nil
		}
		fields, rest = append(fields, rest[:end]), rest[end:]
		if len(fields) == 5 && bytes.HasSuffix(fields[4], []byte(",")) { // the numbers of a device
			rest = bytes.TrimLeft(rest, " ")
			if end = bytes.IndexByte(rest, ' '); end < 0 {
				return nil
			}
			fields[4], rest = append(bytes.Clone(fields[4]), rest[:end]...), rest[end:]
		}
	}
	if !isAmount(fields[1]) {
		return nil
	}
	rest = bytes.TrimLeft(rest, " ")
	words := 3 // "Nov 29 10:00"
	if isDate(rest) {
		words = 2 // "2026-11-29 10:00", with a zone in the full form
		if dot := bytes.IndexByte(rest[:min(len(rest), 24)], '.'); dot > 0 {
			words = 3
		}
	}
	at := 0
	for range words {
		for at < len(rest) && rest[at] == ' ' {
			at++
		}
		for at < len(rest) && rest[at] != ' ' {
			at++
		}
	}
	if at+1 >= len(rest) {
		return nil
	}
	return append(fields, rest[:at], rest[at+1:])
}
