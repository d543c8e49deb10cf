package redact

import "bytes"

// An assigned value ends where its syntax ends: at its closing quote, at the next
// parameter of a URL, at the bracket that is open around it, at white space. The
// rules whose secrets are assigned say where one begins, and this file says how far
// it reaches, from the bytes around it. Where two syntaxes are possible the longer
// value counts: what shows the tail of a secret says that the tail is none.

// value is an assigned value and how it is written.
type value struct {
	from, to int
	quoted   bool // it has quotes of its own
	tight    bool // the operator is directly before it, or its quote
	element  bool // it is the text of an element of XML
	long     bool // it has no end in maxValue bytes, and goes on to the next white space
	word     int  // where it ends if the quote before its name belongs to a longer text; 0: there is no such quote

	// What weigh finds out about it.
	never bool    // its surroundings say that it is no secret
	bits  float64 // evidence that it was drawn at random, beyond what its form needs
	code  bool    // it looks like code, and has little evidence
}

// Bounds of an assigned value.
const (
	// maxValue is the length after which the end of a value is no longer looked for.
	maxValue = 4 << 10
	// maxInside is maxValue of a value that begins inside of one that was looked at.
	maxInside = 64
	// maxTag is how far behind a "<" the ">" of a tag is looked for.
	maxTag = 32
)

// valueAt returns the assigned value that begins at from, where the match of a
// pattern that is identified by the bytes at hit has its secret. It is false if
// more bytes must come.
func (m *matcher) valueAt(hit, from int) (value, bool) {
	if m.last.begin == from {
		return m.last.value, true
	}
	v, ok := m.findValue(hit, from)
	if ok {
		v = m.weigh(v)
		m.last = lastValue{from, v}
	}
	return v, ok
}

// lastValue is the value that was found last at a position, where several rules ask for the same one.
type lastValue struct {
	begin int // its begin; 0: no value is remembered
	value value
}

// findValue finds what valueAt returns.
func (m *matcher) findValue(hit, from int) (value, bool) {
	if v, ok := m.plainValue(max(0, hit-lookBack), from); ok {
		return v, true
	}
	s := valueScan{
		b: m.v.b, end: m.v.end, floor: max(0, hit-lookBack), from: from, atStart: m.v.base == 0 && hit <= lookBack, limit: maxValue,
	}
	if m.v.base+int64(from) < m.valueTo {
		s.limit = maxInside
	}
	v, ok := s.value()
	m.lookedTo = max(m.lookedTo, m.v.base+int64(v.to))
	return v, ok
}

// hopeless reports whether a value that begins at from need not be looked at: it is
// part of a value that is redacted, or its line has no digit behind it where the rule
// wants one. The place of the next digit or line end is remembered.
func (m *matcher) hopeless(r *rule, from int) bool {
	at, b := m.v.base+int64(from), m.v.b
	if at < m.coveredTo && !isQuote(b[from-1]) && !isQuote(b[from]) && b[from] != '\\' {
		return true
	}
	if r.needs&(aDigit|strong) == 0 || r.drawn != 0 {
		return false
	}
	i, limit := from, min(len(b), from+entropyBytes) // no more is looked at to accept it
	if m.digitFrom <= at && at <= m.digitAt {
		i = int(m.digitAt - m.v.base)
	} else {
		m.digitFrom = at
	}
	for i < limit && b[i]-'0' >= 10 && b[i] != '\n' {
		i++
	}
	m.digitAt = m.v.base + int64(i)
	if i >= limit {
		return i >= from+entropyBytes || m.v.end
	}
	return b[i] == '\n'
}

// plainValue returns a value of letters and digits before white space, which most
// are, where nothing around it matters. It is false for any other.
func (m *matcher) plainValue(floor, from int) (value, bool) {
	b := m.v.b
	to := from
	for to < len(b) && to < from+maxValue && isWord(b[to]) {
		to++
	}
	before := b[from-1]
	if to >= len(b) || b[to] > ' ' || to == from || isQuote(before) || before == '=' && (b[from-2] == '=' || b[from-2] == '>') {
		return value{}, false
	}
	if b[to] == ' ' && before == '=' { // it goes on in a string
		i := from - 1
		for i > floor && isName(b[i-1]) {
			i--
		}
		if i > floor && isQuote(b[i-1]) {
			return value{}, false
		}
	}
	return value{from: from, to: to, tight: before == '=', element: before == '>' && b[from-2] != '='}, true
}

// valueScan is the search for the end of one value.
type valueScan struct {
	b       []byte
	end     bool // nothing follows b
	floor   int  // the first byte of b that may be looked at
	atStart bool // and that it is the first one of all
	start   int  // where the value begins with its quotes
	from    int  // and without
	limit   int  // after n bytes its end does not matter

	waiting bool // more bytes must come
	known   bool // around is
	around  surroundings
}

// at returns the byte at i, 0 behind the end.
func (s *valueScan) at(i int) byte {
	if i < len(s.b) {
		return s.b[i]
	}
	s.waiting = s.waiting || !s.end
	return 0
}

// value returns the value, and false if more bytes must come.
func (s *valueScan) value() (value, bool) {
	s.start = s.from
	v := value{from: s.from, tight: s.b[s.from-1] == '='}
	quote, level := s.opening()
	if before := s.b[s.from-2 : s.from]; quote == 0 && (string(before) == "==" || string(before) == ">=") {
		s.from-- // the value begins with it
	}
	v.from, v.quoted = s.from, quote != 0
	v.element = s.b[v.from-1] == '>' && s.b[v.from-2] != '='
	switch {
	case s.waiting:
	case v.quoted:
		v.to = s.quotedEnd(quote, level)
	default:
		if quote, level = s.quotedToken(); quote != 0 {
			v.word = s.unquotedEnd(v.from)
			v.to = s.quotedEnd(quote, level)
			v.quoted = true
		} else {
			v.to = s.unquotedEnd(v.from)
		}
	}
	v.long = v.to-v.from >= s.limit
	return v, !s.waiting
}

// opening steps over what opens a quoted value: a letter or a dollar sign before the
// quote, backslashes where it is inside of another string, two more of triple quotes.
// It returns 0 for a value without quotes.
func (s *valueScan) opening() (quote byte, level int) {
	i := s.from
	if c := s.b[i-1]; isQuote(c) { // the expression has taken it
		for i--; i-1 >= s.floor && s.b[i-1] == '\\'; i-- {
			level++
		}
		quote, s.start = c, i
	} else {
		for k := 0; k < 2 && bytes.IndexByte([]byte("$@bBfFrRuU"), s.at(i)) >= 0; k++ {
			i++
		}
		for s.at(i) == '\\' && level < 8 {
			level++
			i++
		}
		if quote = s.at(i); !isQuote(quote) || i == s.start && s.surroundings().quote == quote && s.closes(i+1) { // or it ends a string around
			return 0, 0
		}
		s.from = i + 1
	}
	if level == 0 && s.at(s.from) == quote && s.at(s.from+1) == quote {
		s.from += 2
	}
	return quote, level
}

// closes reports whether a quote before i ends a string: a value does not begin there.
func (s *valueScan) closes(i int) bool {
	return s.delimits(i) || bytes.IndexByte([]byte("+%"), s.at(i)) >= 0
}

// isQuote reports whether c may be around a string.
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// quotedToken returns the quote that is directly before the name of a value in
// capitals or an option, as in "X_TOKEN=a b": it ends the value.
func (s *valueScan) quotedToken() (quote byte, level int) {
	name := s.name()
	if name <= s.floor || !isQuote(s.b[name-1]) {
		return 0, 0
	}
	user := s.b[s.from-1] == ':' && endsInUserOption(s.b[s.floor:name-1])
	if s.b[s.from-1] != '=' && !user {
		return 0, 0
	}
	for _, c := range s.b[name : s.from-1] {
		if c-'a' < 26 && s.b[name] != '-' && !user || !isName(c) {
			return 0, 0
		}
	}
	for i := name - 2; i >= s.floor && s.b[i] == '\\'; i-- {
		level++
	}
	return s.b[name-1], level
}

// endsInUserOption reports whether the next word is a user and a password.
func endsInUserOption(b []byte) bool {
	for _, option := range [...]string{" -u ", "--user ", "--user="} {
		if bytes.HasSuffix(b, []byte(option)) {
			return true
		}
	}
	return false
}

// name returns where the name of the value begins.
func (s *valueScan) name() int {
	i := s.from
	for i > s.floor && !isName(s.b[i-1]) {
		i--
	}
	for i > s.floor && isName(s.b[i-1]) {
		i--
	}
	return i
}

// quotedEnd returns where the string ends that is open at the value. Its quotes have
// level backslashes before them: 0, or 1, 3, 7 inside of other strings. A string
// without an end on its line is none.
func (s *valueScan) quotedEnd(quote byte, level int) int {
	period, maybe := 2*(level+1), -1
	for i := s.from; ; i++ {
		if i-s.from >= s.limit {
			return i
		}
		switch c := s.at(i); {
		case i >= len(s.b) || c == '\n' || c == '\r':
			if maybe >= 0 {
				return maybe
			}
			return s.unquotedEnd(s.from)
		case c == '\\':
			n := 1
			for s.at(i+n) == '\\' && n < s.limit {
				n++
			}
			if s.at(i+n) != quote {
				i += n - 1
				continue
			}
			if n < level || n%period == level {
				return s.joined(i+max(0, n-level), i+n+1, quote, level)
			}
			if quote == '\'' && maybe < 0 {
				maybe = i + n // a shell ends the string here, other languages do not
			}
			i += n
		case c == quote:
			return s.joined(i, i+1, quote, level)
		}
	}
}

// joined returns where a value ends whose string ends at to, with its quote before
// next: a string that follows directly belongs to it, as in 'it'\”s'.
func (s *valueScan) joined(to, next int, quote byte, level int) int {
	c := s.at(next)
	switch {
	case level > 0:
		return to
	case c == quote && quote != '`': // a doubled quote is one of the value
		s.from = next + 1
		return s.quotedRest(quote)
	case quote == '\'' && c == '\\' && s.at(next+1) == '\'' && s.at(next+2) == '\'':
		s.from = next + 3
		return s.quotedRest(quote)
	case quote == '\'' && c == '"' && s.at(next+1) == '\'' && s.at(next+2) == '"' && s.at(next+3) == '\'':
		s.from = next + 4
		return s.quotedRest(quote)
	case c == '"' || c == '\'' || isWord(c) || c == '$':
		return s.unquotedEnd(next)
	}
	return to
}

// quotedRest is quotedEnd for the rest of a value from s.from on, of which less may
// be looked at.
func (s *valueScan) quotedRest(quote byte) int {
	if s.limit -= 32; s.limit <= 0 {
		return s.from
	}
	return s.quotedEnd(quote, 0)
}

// separators are the bytes that are between parameters where one of them is before a
// name.
var separators = [256]byte{'?': '&', '&': '&', ';': ';', ',': ','}

// unquotedEnd returns where a value without quotes ends.
func (s *valueScan) unquotedEnd(from int) int {
	var depth [3]int // of brackets that are open in the value
	separator, known := byte(0), false
	for i := from; ; i++ {
		if i-from >= s.limit {
			return i
		}
		c := s.at(i)
		if i >= len(s.b) || c <= ' ' || c == 0x7f {
			return i
		}
		if isWord(c) {
			continue
		}
		if !known {
			separator, known = s.separator(), true
		}
		switch c {
		case '"', '\'', '`':
			if s.quoteEnds(i) {
				return i
			}
		case '\\':
			n, ends := s.escape(i, separator)
			if ends {
				return i
			}
			i += n - 1
		case '&', ';', '|', ',':
			if c == separator || s.operatorEnds(i, c) {
				return i
			}
		case '@':
			if separator == '@' {
				return i
			}
		case '#':
			if separator == '&' {
				return i
			}
		case '<':
			if s.b[s.from-1] == '>' || s.tagAt(i) {
				return i
			}
		case '>':
			if s.surroundings().open[3] > 0 || s.surroundings().cut && s.delimits(i+1) {
				return i
			}
		case '(', '[', '{':
			depth[bracket(c)]++
		case ')', ']', '}':
			k := bracket(c)
			if depth[k]--; depth[k] < 0 {
				if (s.surroundings().open[k] > 0 || s.surroundings().cut) && s.delimits(i+1) {
					return i
				}
				depth[k] = 0
			}
		}
	}
}

// bracket numbers the brackets.
func bracket(c byte) int {
	switch c {
	case '(', ')':
		return 0
	case '[', ']':
		return 1
	}
	return 2
}

// separator returns the byte that is between the parameters of a list that the value
// is one of; 0 if it is none of a list.
func (s *valueScan) separator() byte {
	name := s.name()
	before := s.b[s.floor:name]
	if bytes.HasSuffix(before, []byte("://")) {
		return '@'
	}
	if s.b[s.from-1] != '=' || name <= s.floor {
		return 0
	}
	if bytes.HasSuffix(before, []byte("&amp;")) || bytes.HasSuffix(before, []byte(`\u0026`)) {
		return '&'
	}
	return separators[s.b[name-1]]
}

// operatorEnds reports whether an operator of a shell or a list ends the value: white
// space and more text follow, or the next element does.
func (s *valueScan) operatorEnds(i int, c byte) bool {
	k := i + 1
	for k < i+3 && (s.at(k) == c || s.at(k) == '&') {
		k++
	}
	if next := s.at(k); next == ' ' || next == '\t' {
		for k++; k < i+8 && (s.at(k) == ' ' || s.at(k) == '\t'); k++ {
		}
		next = s.at(k)
		return next != '\n' && next != '\r' && k < len(s.b)
	}
	if c != ',' {
		return false
	}
	a := s.surroundings()
	return (a.cut || a.open != [4]int{}) && s.elementAt(i+1)
}

// elementAt reports whether the next element of a list begins at i: a string, a bracket,
// or a name with an operator behind it.
func (s *valueScan) elementAt(i int) bool {
	if c := s.at(i); isQuote(c) || c == '\\' || c == '{' || c == '[' || c == '(' {
		return true
	}
	k := i
	for k < i+lookBack && isName(s.at(k)) {
		k++
	}
	return k > i && (s.at(k) == '=' || s.at(k) == ':')
}

// quoteEnds reports whether a quote at i ends the value: it is open before the value.
func (s *valueScan) quoteEnds(i int) bool {
	a := s.surroundings()
	return a.quote == s.b[i] || a.quote == 0 && a.cut && s.delimits(i+1)
}

// delimits reports whether the byte at i may be behind a value: white space,
// punctuation or a bracket.
func (s *valueScan) delimits(i int) bool {
	c := s.at(i)
	return i >= len(s.b) || c <= ' ' || bytes.IndexByte([]byte(`,;:.)]}>"'&|\<`+"`"), c) >= 0
}

// escape returns how many bytes a backslash at i and what it escapes have, or that it
// ends the value: inside of a string of JSON, \n and \" do.
func (s *valueScan) escape(i int, separator byte) (n int, ends bool) {
	next := s.at(i + 1)
	if next == '\n' || next == '\r' || next == 0 {
		return 1, true
	}
	if separator != 0 && next == separator {
		return 1, false
	}
	if a := s.surroundings(); a.quote != '"' && !a.cut {
		return 2, false
	}
	switch next {
	case '"', 'n', 'r', 't', 'f', 'b':
		return 1, true
	case 'u':
		c := byte(0)
		for k := 2; k < 6; k++ {
			h := s.at(i + k)
			if !isHex(h) {
				return 2, false
			}
			if h-'0' >= 10 {
				h = lower(h) - 'a' + 10 + '0'
			}
			c = c<<4 | h - '0'
		}
		return 6, c <= ' ' || c == separator && c != 0 || c == '"' || c == '\'' || c == '<' && s.at(i+6) == '/'
	}
	return 2, false
}

// tagAt reports whether a tag or a comment begins at i.
func (s *valueScan) tagAt(i int) bool {
	c := s.at(i + 1)
	if c != '/' && c != '!' && lower(c)-'a' >= 26 {
		return false
	}
	for k := i + 2; k < i+maxTag; k++ {
		switch c := s.at(k); {
		case c == '>':
			return true
		case c == 0 || c == '\n':
			return false
		}
	}
	return false
}

// surroundings are what is open where a value begins.
type surroundings struct {
	quote byte   // the string; 0: none
	open  [4]int // brackets, in it if there is one: round, square, curly, angle
	cut   bool   // the line begins where nobody looks
}

// surroundings reads the line before the value.
func (s *valueScan) surroundings() *surroundings {
	a := &s.around
	if s.known {
		return a
	}
	s.known, a.cut = true, !s.atStart
	before := s.b[s.floor:s.start]
	if at := bytes.LastIndexByte(before, '\n'); at >= 0 {
		before, a.cut = before[at+1:], false
	}
	for i := 0; i < len(before); i++ {
		switch c := before[i]; c {
		case '\\':
			i++
		case '"', '\'', '`':
			switch {
			case a.quote == c:
				a.quote, a.open = 0, [4]int{}
			case a.quote == 0 && (c != '\'' || i == 0 || !isWord(before[i-1])): // no apostrophe
				a.quote, a.open = c, [4]int{}
			}
		case '(', '[', '{':
			a.open[bracket(c)]++
		case ')', ']', '}':
			a.open[bracket(c)] = max(0, a.open[bracket(c)]-1)
		case '<':
			a.open[3]++
		case '>':
			a.open[3] = max(0, a.open[3]-1)
		}
	}
	return a
}
