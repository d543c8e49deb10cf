package redact

// Matching by hand. A pattern is a list of steps without alternatives; a match
// goes through them once, and only a class that can also match the bytes behind
// it is tried with fewer bytes. The work of a try is bounded by maxSteps, and
// runs of a class are remembered between tries, so hostile text costs linear
// time.

// stops are the bytes that end a secret: those that cannot be part of one, and
// those that come behind one in a file, a terminal or a program.
var stops = func() (set [256]bool) {
	for c := range 0x21 {
		set[c] = true
	}
	for _, c := range []byte("`'\";\\,)}]<>&|\x7f") {
		set[c] = true
	}
	return set
}()

// matcher matches patterns at positions of a view.
type matcher struct {
	set   *Patterns
	marks *marks
	same  bool
	v     view
	steps int   // left for the pattern that is tried
	edge  int64 // where the last span ends: what begins there begins at an edge

	runs []run // by class

	gap, gapTo int64 // where the last gap begins and ends; gapTo is -1 for none

	valueTo  int64 // where the last assigned value ends that was looked at
	lookedTo int64 // and that of this position, which may be looked at again
	last     lastValue

	coveredTo          int64 // where the last assigned value ends that is redacted
	digitFrom, digitAt int64 // between these positions is no digit and no line end

	result result
}

// run is the known extent of a run of bytes of a class: all bytes from from to
// to are of the class, and the byte at to is not if closed.
type run struct {
	from, to int64
	closed   bool
}

// result is the outcome of a try.
type result struct {
	from, to int // of the secret
	more     int // class that the secret goes on with, or -1
	ok       bool
	wait     bool // more bytes must come
}

// maxSteps bounds the work of one try. Once it is spent, the longest run
// counts.
const maxSteps = 96

// try matches a pattern that is identified by the bytes at a position. The
// result is valid until the next try.
func (m *matcher) try(p *pattern, at int, eight bool) *result {
	r := &m.result
	*r = result{from: -1, to: -1, more: -1}
	m.steps = maxSteps
	begin := at - p.back
	switch {
	case begin < 0:
	case eight:
		m.match(p.steps[p.done:], begin, begin+p.from, r)
	default:
		m.match(p.steps, begin, begin, r)
	}
	return r
}

// outcome is the result of one step at a position.
type outcome uint8

const (
	fails   outcome = iota
	matches         // and the match goes on behind it
	waits           // more bytes must come
	either          // the byte matches, and so does none
)

// missing returns the outcome where the bytes end: a failure at the end of the
// stream.
func (m *matcher) missing() outcome {
	if m.v.end {
		return fails
	}
	return waits
}

// match matches steps from i on, for a match that begins at begin, and sets r.
func (m *matcher) match(steps []step, begin, i int, r *result) {
	for k := range steps {
		s, o := &steps[k], matches
		switch s.op {
		case opText:
			o = m.text(s, i)
			i += len(s.text)
		case opFold:
			o = m.folded(s, i)
			i += len(s.text)
		case opClass:
			if s.max == 1 { // most are single bytes
				var n int
				if n, o = m.single(s, i); o != either {
					i += n
					break
				}
			}
			n, wait := m.run(s.class, i, s.max)
			if wait || n < s.min {
				r.wait = wait
				return
			}
			if s.max == maxRun && n == maxRun {
				r.more = s.class
			} else if n > 0 {
				r.more = -1
			}
			if !s.only && n > s.min {
				m.backtrack(steps[k:], begin, i, n, r)
				return
			}
			i, o = i+n, matches
		case opEdge:
			o = m.edgeAt(begin, i)
		case opStop:
			if i >= len(m.v.b) {
				if !m.v.end {
					o = waits
				}
			} else if !stops[m.v.b[i]] {
				o = fails
			}
		case opGap:
			i, o = m.gapAt(i)
		case opAssign:
			i, o = m.assignAt(i)
		case opFrom:
			r.from = i
		case opTo:
			r.to = i
		}
		if o != matches {
			r.wait = o == waits
			return
		}
	}
	r.ok = true
}

// text matches the bytes of a step.
func (m *matcher) text(s *step, i int) outcome {
	b := m.v.b
	for x := range len(s.text) {
		if i+x >= len(b) {
			return m.missing()
		}
		if b[i+x] != s.text[x] {
			return fails
		}
	}
	return matches
}

// folded is text for letters in any case.
func (m *matcher) folded(s *step, i int) outcome {
	b := m.v.b
	for x := range len(s.text) {
		if i+x >= len(b) {
			return m.missing()
		}
		if lower(b[i+x]) != s.text[x] {
			return fails
		}
	}
	return matches
}

// single matches at most one byte of a class, and returns how many bytes it
// takes.
func (m *matcher) single(s *step, i int) (n int, o outcome) {
	b := m.v.b
	if i >= len(b) {
		if s.min == 0 && m.v.end {
			return 0, matches
		}
		return 0, m.missing()
	}
	in := m.set.classes[s.class][b[i]]
	switch {
	case in && (s.min == 1 || s.only):
		return 1, matches
	case in:
		return 0, either
	case s.min == 1:
		return 0, fails
	}
	return 0, matches
}

// backtrack matches the first step with fewer and fewer bytes of its class,
// until the steps behind it match too.
func (m *matcher) backtrack(steps []step, begin, i, longest int, r *result) {
	for n := longest; n >= steps[0].min; n-- {
		if m.steps--; m.steps < 0 {
			// Too much to try: the run is redacted without the rest's word.
			r.to, r.ok, r.more = i+longest, true, steps[0].class
			if r.from < 0 {
				r.from = begin
			}
			return
		}
		try := *r
		m.match(steps[1:], begin, i+n, &try)
		if try.ok || try.wait {
			*r = try
			return
		}
	}
}

// run returns how many bytes from i on are of a class, at most most.
func (m *matcher) run(class, i, most int) (n int, wait bool) {
	b, set, known := m.v.b, m.set.classes[class], &m.runs[class]
	at := m.v.base + int64(i)
	if at < known.from || at > known.to {
		*known = run{from: at, to: at}
	}
	to := int(known.to - m.v.base)
	if !known.closed {
		limit := min(len(b), i+most)
		for to < limit && set[b[to]] {
			to++
		}
		known.to = m.v.base + int64(to)
		known.closed = to < limit
	}
	if to-i >= most {
		return most, false
	}
	return to - i, to >= len(b) && !m.v.end
}

// edgeAt matches the edge of a word.
func (m *matcher) edgeAt(begin, i int) outcome {
	at, wait := false, false
	if i == begin {
		at = m.edgeBefore(i)
	} else {
		at, wait = m.edgeAfter(i)
	}
	switch {
	case wait:
		return waits
	case at:
		return matches
	}
	return fails
}

// edgeBefore reports whether a word may begin at i: the byte before is not of a
// word, or ends a terminal sequence, an escape in a string or a URL, or
// redacted text.
func (m *matcher) edgeBefore(i int) bool {
	b := m.v.b
	if i == 0 || !isWord(b[i-1]) || m.v.base+int64(i) == m.edge {
		return true
	}
	if i >= 2 && b[i-2] == '\\' {
		switch b[i-1] {
		case 'n', 'r', 't', 'b', 'f', '0':
			return true
		}
	}
	if i >= 3 && b[i-3] == '%' && isHex(b[i-1]) && isHex(b[i-2]) {
		return true
	}
	if b[i-1] < 'A' { // no letter, so no end of a sequence; but perhaps of \u0022 or \x1b
		return i >= 4 && escapes(b[:i])
	}
	for k := i - 2; k >= 0 && k > i-32; k-- {
		switch c := b[k]; {
		case c == '[':
			return k >= 1 && b[k-1] == esc || k >= 4 && escapes(b[:k])
		case c-'0' >= 10 && c != ';' && c != ':' && c != '?':
			return i >= 4 && escapes(b[:i])
		}
	}
	return false
}

// escapes reports whether b ends with \u00xx, \xxx or \033.
func escapes(b []byte) bool {
	n := len(b)
	if n >= 6 && b[n-6] == '\\' && b[n-5] == 'u' && isHex(b[n-4]) && isHex(b[n-3]) && isHex(b[n-2]) && isHex(b[n-1]) {
		return true
	}
	return n >= 4 && b[n-4] == '\\' && (b[n-3] == 'x' || b[n-3] == '0') && isHex(b[n-2]) && isHex(b[n-1])
}

// isHex reports whether c is a hexadecimal digit.
func isHex(c byte) bool { return c-'0' < 10 || lower(c)-'a' < 6 }

// edgeAfter reports whether a word may end before i. A placeholder replaces
// bytes that were there, so it does not make an edge.
func (m *matcher) edgeAfter(i int) (at, wait bool) {
	b := m.v.b
	if i >= len(b) {
		return m.v.end, !m.v.end
	}
	if b[i] == '[' {
		n := m.marks.at(b, i, m.v.end)
		return n == 0, n < 0
	}
	if b[i] == '*' && m.same {
		for k := i; k < i+MinValue; k++ {
			if k >= len(b) {
				return m.v.end, !m.v.end
			}
			if b[k] != '*' {
				return true, false
			}
		}
		return false, false
	}
	return !isWord(b[i]), false
}

// gapAt matches the gap between a name that ends at i and its value: the rest
// of the name, quotes, an operator, quotes. It returns where the value begins.
// The last gap is remembered, because many patterns ask for the same one.
func (m *matcher) gapAt(i int) (to int, o outcome) {
	at := m.v.base + int64(i)
	if at != m.gap {
		to, wait := m.gapFrom(i)
		if wait {
			return i, waits
		}
		m.gap, m.gapTo = at, -1
		if to >= 0 {
			m.gapTo = m.v.base + int64(to)
		}
	}
	if m.gapTo < 0 {
		return i, fails
	}
	return int(m.gapTo - m.v.base), matches
}

// Bounds of a gap.
const (
	maxNameRest = 20
	maxQuotes   = 5
)

// gapFrom returns where the value begins, or -1.
func (m *matcher) gapFrom(i int) (to int, wait bool) {
	b := m.v.b
	for n := 0; i < len(b) && n < maxNameRest && (isName(b[i]) || b[i] == ' ' || b[i] == '\t'); n++ {
		i++
	}
	for n := 0; i < len(b) && n < maxQuotes && quotes[b[i]]; n++ {
		i++
	}
	if i >= len(b) {
		return -1, !m.v.end
	}
	switch c := b[i]; c {
	case '=', ':', '>', ',', '?', '|':
		n := 1
		for n < 4 && i+n < len(b) && (b[i+n] == c && (c == ':' || c == '|') || b[i+n] == '=' || b[i+n] == '>') {
			n++
		}
		if i+n >= len(b) {
			return -1, !m.v.end
		}
		if (c == '|' || c == '?') && n < 2 {
			return -1, false
		}
		i += n
	default:
		return -1, false
	}
	for n := 0; i < len(b) && n < maxQuotes && (quotes[b[i]] || b[i] == '='); n++ {
		i++
	}
	if i >= len(b) {
		return -1, !m.v.end
	}
	return i, false
}

// Bounds of the operator between a name and its assigned value.
const (
	maxAssignQuotes    = 4  // quotes, backslashes and closing brackets behind the name
	maxAssignSpace     = 16 // before the operator
	maxAssignOperators = 2  // as in ":=", "=>" and "=="
	maxAssignColumn    = 40 // spaces and tabs behind it
)

// assigns are the bytes that it begins with.
var assigns = func() (set [256]bool) {
	for _, c := range []byte("\"'\\] \t:=>") {
		set[c] = true
	}
	return set
}()

// assignAt matches the bytes between a name that ends at i and its assigned value: quotes, an operator, which may be escaped as JSON does
// for HTML, and space. It returns where the value begins.
func (m *matcher) assignAt(i int) (to int, o outcome) {
	b := m.v.b
	for n := 0; n < maxAssignQuotes && i < len(b) && (isQuote(b[i]) && b[i] != '`' || b[i] == ']' || b[i] == '\\' && escapedOperator(b[i:]) == 0); n++ {
		i++
	}
	i = pastBlanks(b, i, maxAssignSpace)
	operators := 0
	for ; operators < maxAssignOperators && i < len(b); operators++ {
		n := escapedOperator(b[i:])
		if c := b[i]; c == ':' || c == '=' || c == '>' {
			n = 1
		}
		if n == 0 {
			break
		}
		i += n
	}
	if operators > 0 {
		i = pastBlanks(b, i, maxAssignColumn)
	}
	switch {
	case i+maxEscape >= len(b) && !m.v.end:
		return i, waits
	case operators == 0:
		return i, fails
	}
	return i, matches
}

// pastBlanks returns the place behind at most most spaces and tabs.
func pastBlanks(b []byte, i, most int) int {
	for n := 0; n < most && i < len(b) && (b[i] == ' ' || b[i] == '\t'); n++ {
		i++
	}
	return i
}

// maxEscape is the length of the longest escape of an operator.
const maxEscape = len(`\\\u003e`)

// escapedOperator returns the length of an escape of "=" or ">" that b begins with: \u003d and \u003e, with up to two more backslashes.
func escapedOperator(b []byte) int {
	n := 0
	for n < 3 && n < len(b) && b[n] == '\\' {
		n++
	}
	if n == 0 || len(b) < n+5 || string(b[n:n+4]) != "u003" || lower(b[n+4]) != 'd' && lower(b[n+4]) != 'e' {
		return 0
	}
	return n + 5
}

// quotes are the bytes that may be around an operator and a value.
var quotes = func() (set [256]bool) {
	for _, c := range []byte(" \t\r\n'\"`\\") {
		set[c] = true
	}
	return set
}()
