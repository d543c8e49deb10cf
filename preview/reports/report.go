package reports

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/frames"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// ErrNone is returned for text that is not a report of tests or checks.
var ErrNone = errors.New("no report")

// Report is a report in its readable form. Each line has a rank of its own.
type Report struct {
	text   []byte
	lines  []lineRank
	failed bool // it has findings
}

// lineRank is the rank of one line of the readable form.
type lineRank struct {
	score  uint8
	reason shape.Reason
	kind   lineKind
}

// lineKind is how a line of the readable form is ranked.
type lineKind uint8

const (
	ownRank   lineKind = iota // by its score
	plainLine                 // as a line of any text: the report has no place for it
	quietLine                 // as a plain line if nothing failed, or if its words say that something is wrong
	spareLine                 // as a plain line if nothing failed
)

// Parse reads a report, whole or cut. Its readable form is a copy. It returns
// ErrNone for anything else.
func Parse(text []byte) (*Report, error) {
	body := start(text)
	if body < 0 {
		return nil, ErrNone
	}
	b := builder{known: map[string]int{}, said: map[string]bool{}}
	before, rest := text[:body], bytes.TrimPrefix(text[body:], byteOrderMark)
	read := false
	switch c := rest[0]; {
	case c == '<':
		read = b.readXML(rest)
	case c == '{' || c == '[':
		read = b.readJSON(rest)
	default:
		read = b.readTAP(rest)
	}
	if !read || !b.found && len(b.findings) == 0 {
		return nil, ErrNone
	}
	form := b.finish(before)
	if len(form.lines) > mostFormLines {
		return nil, ErrNone
	}
	return form, nil
}

// mostFormLines bounds a readable form: each line takes 150 bytes of memory
// where previews are selected.
const mostFormLines = 1 << 17

// byteOrderMark is what some programs of Windows write first.
var byteOrderMark = []byte("\ufeff")

// preamble is how many lines may be before a report: what a script runner says.
const preamble = 16

// MayBegin reports whether a text that begins with these lines may be a
// report.
func MayBegin(first func(yield func(text []byte) bool)) bool {
	n := 0
	for text := range first {
		if begins(text) {
			return true
		}
		if n++; n == preamble {
			break
		}
	}
	return false
}

// start returns where a report may begin, or -1.
func start(text []byte) int {
	at := 0
	for range preamble {
		if at == len(text) {
			break
		}
		end := bytes.IndexByte(text[at:], '\n') + 1
		if end == 0 {
			end = len(text) - at
		}
		if line := text[at : at+end]; begins(line) {
			return at + len(line) - len(bytes.TrimLeft(line, " \t"))
		}
		at += end
	}
	return -1
}

// begins reports whether a report may begin with a line.
func begins(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, byteOrderMark), " \t\r\n")
	switch {
	case len(text) == 0:
		return false
	case text[0] == '<':
		return len(text) > 1 && (textscan.BeginsWord(text[1]) || text[1] == '?' || text[1] == '!')
	case text[0] == '{':
		return len(text) == 1 || text[1] == '"' || isBlank(text[1])
	case text[0] == '[':
		return len(bytes.TrimRight(text, "\r\n")) == 1 || text[1] == '{'
	}
	return beginsTAP(text)
}

// verdict is how a test or a check ended.
type verdict uint8

const (
	unknown verdict = iota
	passed
	skipped
	failed
)

// finding is one test that failed, or one message of a checker.
type finding struct {
	head   string // its name and place, in one line
	says   []string
	stack  []string
	shows  []string // what it printed
	other  []string // what else is said of it
	values string   // what else is known of it, in one line
	score  int      // of its head
	groups string   // the suites around it, as far as its head does not name them
	list   int32    // the list of results that it is in
	times  int      // how many there are that are the same in all, in one list
	inList int      // of these in the list that is read
	suite  bool     // it has tests inside, and is none
	level  string   // of a checker
}

// Scores of the lines of a report.
const (
	scoreFailed     = 98 // its name
	scoreSaid       = 94 // the first line of its message, falling by one a line
	scoreOwnPlace   = 88 // the first frame of a stack that is not of a library
	scoreStack      = 76
	scoreCounts     = 74 // of all
	scoreSuite      = 66 // with something in it that failed
	scorePrinted    = 60 // by what failed
	scoreForeign    = 50 // a frame of a library
	scoreOtherSuite = 46
	scoreUnclear    = 34 // it is not known how it ended
	scoreAbout      = 22 // more about what failed
	saidAgain       = 16 // less for a message that was there before

	// Lines that are shown with all others or not at all: results that did not
	// fail are counted.
	scoreCounted = 0

	// The most for a line that the report has no place for, if something failed, and
	// for one in a text of the report.
	scorePlain = 72
	scoreQuiet = 60

	// The least for a line that the report has no place for, if something failed: those
	// with less only fill a budget.
	leastPlain = 50
)

// Bounds of a readable form.
const (
	indentMost  = 8   // levels
	inlineMost  = 120 // bytes of a value that is shown beside others
	headMost    = 400 // bytes of a name
	groupsMost  = 240 // of the names of suites in it
	fewTexts    = 24  // of a finding that are compared
	foreignMost = 2   // frames of libraries that are shown of a stack
	fallingSaid = 14  // lines of a message that have a score of their own
)

// builder makes the readable form.
type builder struct {
	form     Report
	findings []finding
	known    map[string]int  // all of what they say, and their number from 1
	counts   [failed + 1]int // of tests, by their verdict
	exact    bool            // the counts are of all tests, one each
	checks   bool            // of a checker: each message is a finding
	checker  checker         // which writes JSON
	errors   int             // of its findings
	ungraded int             // of its findings, which do not say how bad they are
	suites   int             // that failed by themselves
	found    bool            // it has tests
	said     map[string]bool // the first lines of messages
	own      map[string]bool // the lines of the finding that is written
	rest     Report          // all but the findings
}

// find adds a finding that failed. Those that are the same in all are written
// once, and counted: as many as one list has, since some programs list tests
// that failed twice.
func (b *builder) find(f finding) {
	key := strings.Join([]string{f.head, f.groups, f.values, strings.Join(f.says, "\n"), strings.Join(f.stack, "\n"), strings.Join(f.shows, "\n"), strings.Join(f.other, "\n")}, "\x00")
	n := b.known[key]
	if n == 0 {
		f.times, f.inList = 1, 1
		b.findings = append(b.findings, f)
		b.known[key] = len(b.findings)
		b.count(&f)
		return
	}
	first := &b.findings[n-1]
	if first.list != f.list {
		first.list, first.inList = f.list, 0
	}
	if first.inList++; first.inList <= first.times {
		b.exact = false
		return
	}
	first.times++
	b.count(&f)
}

// count counts a finding.
func (b *builder) count(f *finding) {
	if f.suite {
		b.suites++
		return
	}
	b.counts[failed]++
	switch {
	case !b.checks:
	case f.level == "error":
		b.errors++
	case f.level == "":
		b.ungraded++
	}
}

// add appends a line to a form.
func (r *Report) add(score int, reason shape.Reason, parts ...string) {
	for _, part := range parts {
		r.text = append(r.text, part...)
	}
	r.text = append(r.text, '\n')
	r.lines = append(r.lines, lineRank{score: uint8(score), reason: reason})
}

// addText appends the lines of a text that the report has no place for.
func (r *Report) addText(kind lineKind, indent, text string) {
	for line := range solidLines(text) {
		r.add(scoreCounted, shape.KeepContext, indent, line)
		r.lines[len(r.lines)-1].kind = kind
	}
}

// finish writes the findings before the rest, with what was before the report.
func (b *builder) finish(before []byte) *Report {
	f := &b.form
	for line := range strings.Lines(visibleText(string(before))) {
		f.add(scoreAbout, shape.KeepHead, strings.TrimRight(line, "\n"))
		f.lines[len(f.lines)-1].kind = quietLine
	}
	if b.counts[failed]+b.suites > 0 {
		f.add(scoreFailed, shape.KeepSummary, b.total())
	}
	slices.SortStableFunc(b.findings, func(x, y finding) int { return y.score - x.score })
	heads := map[string]int{}
	for i := range b.findings {
		heads[b.findings[i].head]++
	}
	for i := range b.findings {
		one := &b.findings[i]
		if heads[one.head] > 1 && one.groups != "" {
			one.head = headFailed + one.groups + nameSeparator + strings.TrimPrefix(one.head, headFailed)
		}
		b.write(one)
	}
	f.text, f.lines, f.failed = append(f.text, b.rest.text...), append(f.lines, b.rest.lines...), len(b.findings) > 0
	return f
}

// headFailed begins the head of a test that failed, and nameSeparator is between
// the names of a test and of the suites around it.
const (
	headFailed    = "FAILED "
	nameSeparator = " > "
)

// counted returns a number of things.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// total counts the results. It says nothing of those that passed.
func (b *builder) total() string {
	if b.checks {
		text := counted(b.counts[failed], "finding")
		if b.ungraded == 0 || b.errors > 0 {
			errs := "errors"
			if b.errors == 1 {
				errs = "an error"
			}
			text += fmt.Sprintf(", %d of them %s", b.errors, errs)
		}
		return text
	}
	suites := counted(b.suites, "suite") + " failed"
	if b.counts[failed] == 0 {
		return suites
	}
	all := 0
	for _, n := range b.counts[passed:] {
		all += n
	}
	text := fmt.Sprintf("%d failed", b.counts[failed])
	if b.exact {
		text = fmt.Sprintf("%d of %d failed", b.counts[failed], all)
	}
	if n := b.counts[skipped]; n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	if b.suites > 0 {
		text += ", " + suites
	}
	return text
}

// write writes one finding.
func (b *builder) write(f *finding) {
	less := scoreFailed - f.score
	b.own = map[string]bool{}
	head := oneLine(f.head)
	if strings.HasSuffix(head, cutMark) && !strings.HasSuffix(f.head, cutMark) {
		f.other = append(f.other, f.head)
	}
	if f.times > 1 {
		head += fmt.Sprintf(" (%d times)", f.times)
	}
	b.form.add(f.score, shape.KeepFailure, head)
	says, stack, shows := distinct(f.says, f.stack, f.shows)
	if len(says)+len(stack) == 0 { // what it printed is all there is
		stack, shows = shows, nil
	}
	if len(says) == 0 && len(stack) > 0 && !isTraceText(stack[0]) {
		says, stack = stack, nil
	}
	for _, text := range says {
		if isTraceText(text) {
			b.frames(text, less)
		} else {
			b.message(text, less)
		}
	}
	for _, text := range stack {
		b.frames(text, less)
	}
	for _, text := range shows {
		b.printed(text, scorePrinted-less)
	}
	for _, text := range f.other {
		b.printed(text, scoreAbout)
	}
	if f.values != "" {
		b.form.add(scoreCounted, shape.KeepContext, "  ", f.values)
	}
}

// distinct drops the texts that another one has word for word, if there are few.
func distinct(lists ...[]string) (says, stack, shows []string) {
	if len(lists[0])+len(lists[1])+len(lists[2]) > fewTexts {
		return lists[0], lists[1], lists[2]
	}
	var out [3][]string
	for k, list := range lists {
		for i, text := range list {
			within := false
			for j, other := range lists {
				for l, o := range other {
					same := j == k && l == i
					within = within || !same && len(o) >= len(text) && hasPart(o, text) && (len(o) > len(text) || j < k || j == k && l < i)
				}
			}
			if !within {
				out[k] = append(out[k], text)
			}
		}
	}
	return out[0], out[1], out[2]
}

// message writes what a finding says.
func (b *builder) message(text string, less int) {
	n := 0
	for line := range solidLines(text) {
		score := scoreSaid - min(n, fallingSaid)
		switch {
		case b.again(line):
			score = scoreCounted
		case n == 0 && b.said[line]:
			score -= saidAgain
		}
		if n++; n == 1 {
			b.said[line] = true
		}
		b.line(score, less, line)
	}
}

// stack is the state of a stack that is written.
type stack struct {
	words, own, others int  // lines so far that are no frames, frames of the user's own code, and others
	framed             bool // the line before is a frame, or belongs to one
	score              int  // of that frame
	goroutine          bool // each line that is not indented is a frame
}

// frames writes a stack: its words first, and the frames of the user's own code.
func (b *builder) frames(text string, less int) {
	var s stack
	for line := range solidLines(text) {
		score := s.rank(line)
		if b.again(line) {
			score = scoreCounted
		}
		if s.words == 1 && !s.framed {
			if b.said[line] {
				score -= saidAgain
			}
			b.said[line] = true
		}
		b.line(score, less, line)
	}
}

// rank returns the score of the next line.
func (s *stack) rank(line string) int {
	indented := line[0] == ' ' || line[0] == '\t'
	s.goroutine = s.goroutine || strings.HasPrefix(line, "goroutine ")
	switch {
	case strings.HasPrefix(line, "E  "): // pytest marks what was raised
		s.framed = false
	case frames.Is([]byte(line)) || endsWithPlace(line) || s.goroutine && !indented && line[len(line)-1] != ':':
		s.frame(line)
		return s.score
	case s.framed && indented: // the place or the text of a frame
		return max(s.score-1, scoreCounted)
	case isPythonHead(line) || s.own+s.others > 0 && salience.Builtin().Classify([]byte(line)).Score < salience.MustKeep:
		s.framed = false
		return scoreStack
	}
	s.framed = false
	s.words++
	return scoreSaid - 1 - min(s.words, fallingSaid)
}

// frame takes the next frame. Those of libraries are shown up to a number.
func (s *stack) frame(line string) {
	s.framed = true
	if foreign := frames.Foreign([]byte(line)) || s.goroutine && (strings.HasPrefix(line, "testing.") || strings.HasPrefix(line, "panic(") || strings.HasPrefix(line, "created by ")); !foreign {
		s.score = scoreOwnPlace - min(s.own, scoreOwnPlace-scoreStack)
		s.own++
		return
	}
	s.score = scoreForeign
	if s.others++; s.others > foreignMost {
		s.score = scoreCounted
	}
}

// line writes one line of a finding.
func (b *builder) line(score, less int, text string) {
	if score > scoreCounted {
		score = max(score-less, scoreCounted+1)
	}
	b.form.add(score, shape.KeepFailure, "  ", text)
}

// again reports whether a line says nothing, or nothing that the finding has not
// said: pytest writes a message as an attribute and again in its text.
func (b *builder) again(line string) bool {
	says := strings.TrimLeft(line, "E> \t")
	if !strings.ContainsFunc(says, func(r rune) bool { return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x80 }) {
		return len(says) == 0 || len(line) > leastRule
	}
	again := b.own[says]
	b.own[says] = true
	return again
}

// leastRule is how long a line of signs is that only separates.
const leastRule = 20

// endsWithPlace reports whether a line of a stack ends with a file and a line, as
// those of Ruby, PHP and node's own runner do, which are not indented.
func endsWithPlace(line string) bool {
	if strings.Contains(line, ":in `") || strings.Contains(line, ":in '") {
		return true
	}
	line = strings.TrimSuffix(line, ")")
	digits := strings.TrimRight(line, "0123456789")
	return len(digits) < len(line) && strings.HasSuffix(digits, ":") && !strings.Contains(digits, ": ")
}

// printed writes lines of one score, but for those that say that something is
// wrong.
func (b *builder) printed(text string, score int) {
	for line := range solidLines(text) {
		more := 0
		if m := salience.Builtin().Classify([]byte(line)); m.Score >= salience.MustKeep {
			more = 12
		}
		b.form.add(max(score+more, scoreCounted), shape.KeepContext, "  ", line)
	}
}

// solidLines iterates over the lines of a text that are not blank.
func solidLines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, " \t\n"); line != "" && !yield(line) {
				return
			}
		}
	}
}

// isPythonHead reports whether a line comes before the frames of Python, and
// says nothing.
func isPythonHead(line string) bool {
	return strings.HasPrefix(line, "Traceback (most recent call last)")
}

// isTraceText reports whether a text has frames.
func isTraceText(text string) bool {
	for line := range solidLines(text) {
		if frames.Is([]byte(line)) || isPythonHead(line) {
			return true
		}
	}
	return false
}

// oneLine returns a text in one line of bounded length.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > headMost {
		text = strings.ToValidUTF8(text[:headMost], "") + cutMark
	}
	return text
}

// cutMark ends a name that is cut.
const cutMark = "..."

// Text returns the readable form. It ends with a line end.
func (r *Report) Text() []byte { return r.text }

// Len returns the number of lines.
func (r *Report) Len() int { return len(r.lines) }

// Rank gives the lines of the readable form their scores. If the program
// succeeded, what sounds like an error matters less in lines that the report has
// no place for.
func (r *Report) Rank(list []shape.Ranked, succeeded bool) {
	var plain []shape.Ranked
	for i := range list {
		l := r.lines[list[i].Number-1]
		score := int(l.score)
		if score == scoreCounted {
			score = shape.NeverShown
		}
		list[i].Score, list[i].Reason = score, l.reason
		if l.kind != ownRank && !(r.failed && l.kind == spareLine) {
			plain = append(plain, shape.Ranked{Line: list[i].Line, Number: int64(len(plain)) + 1})
		}
	}
	if len(plain) > 0 {
		shape.Rank(plain, shape.Options{Lines: int64(len(plain)), Succeeded: succeeded})
		r.takeRanks(list, plain)
	}
	shape.InOrder(list)
}

// takeRanks gives plain lines the ranks that they have as a text of their own.
func (r *Report) takeRanks(list, plain []shape.Ranked) {
	for i := range list {
		l := r.lines[list[i].Number-1]
		if l.kind == ownRank || r.failed && l.kind == spareLine {
			continue
		}
		as := plain[0]
		plain = plain[1:]
		switch {
		case !r.failed:
			list[i].Score, list[i].Reason = as.Score, as.Reason
		case l.kind == plainLine && (as.Score >= leastPlain || as.Reason >= shape.KeepError):
			list[i].Score, list[i].Reason = min(as.Score, scorePlain), as.Reason
		case as.Reason >= shape.KeepError:
			list[i].Score, list[i].Reason = min(as.Score, scoreQuiet), as.Reason
		}
	}
}
