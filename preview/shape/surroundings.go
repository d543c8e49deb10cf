package shape

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/toolresult/toolresult/preview/frames"
	"github.com/toolresult/toolresult/preview/salience"
)

// What is around a line says more of it than its words do, and says it of
// programs that nobody has seen: a line below a failure that is indented deeper,
// a rare line between common ones, a line just before the program failed. Each
// such fact adds points to the rank of a line, or takes some away. So does its
// cost, that of two lines which say as much the shorter one is shown.

// points are tenths of a point of rank: whole numbers, so that sums are the same
// on every platform.
type points int32

// Points of facts.
const (
	pointsRank     = 3    // for each point of rank, up to mostRank
	pointsNested   = 200  // every line since the last finding is indented deeper than it
	pointsName     = 60   // the failure of a test or a check that has a name
	pointsCounts   = 80   // the last counters of a runner, which sum up
	pointsFrame    = 70   // a frame of a stack
	pointsForeign  = -60  // a finding in the code of a library
	pointsMild     = 40   // a warning or a counter: their ranks are low
	pointsWeak     = -15  // far weaker than the strongest finding
	pointsDeep     = -40  // far down in a paragraph
	pointsFar      = -30  // the next finding is far
	pointsRare     = 18   // for the mean rarity of the words of the line
	pointsRareNear = 16   // the same of the lines around
	pointsCommon   = -7   // for each doubling of the lines that look the same
	pointsSame     = -80  // for each equal line before it, up to mostSame
	pointsAlike    = -10  // the same but for its numbers, up to mostAlike
	pointsExit     = 60   // just before the first failing exit; none exitLines before it
	pointsAfter    = -60  // after it: cleaning up
	pointsPrice    = -45  // for each doubling, by e, of the tokens
	pointsNear     = -100 // for each line between a line and the one that it is shown for
)

// Bounds of facts.
const (
	mostRank       = 95
	strongCrash    = 90  // least salience of what crashed, and of the user's frames of it
	strongCounts   = 74  // least salience of counters that sum up
	strongFinding  = 70  // least salience of a finding that lines below may belong to
	rarityUnit     = 100 // of the rarity of words
	mostRare       = 48  // points for rare words
	mostRareNear   = 30  // points for rare words around
	nearLines      = 3   // lines before and after that are around
	aheadLines     = 30  // in which a finding is ahead
	farLines       = 19  // from which on the next finding is far
	deepLines      = 10  // from which on a line is far down in a paragraph
	mostDoublings  = 4   // of lines that look the same
	mostSame       = 2   // equal lines before a line
	mostAlike      = 3   // times that a line with other numbers did
	exitLines      = 512 // before the first failing exit
	strongExit     = 70  // least salience of an exit that is the failing one
	tokenBytes     = 3.5 // of a line
	mostPriceBytes = 300 // of a line that cost more: the rest is cut
	lineTokens     = 5   // of a line without text, and of what may be written before it
)

// scale is points for values above limits, which add up.
type scale []struct {
	above  int
	points points
}

// of returns the points of a value.
func (s scale) of(value int) (sum points) {
	for _, step := range s {
		if value > step.above {
			sum += step.points
		}
	}
	return sum
}

var (
	rankSteps   = scale{{42, 110}, {63, 50}, {80, 40}, {90, 30}}
	aheadSteps  = scale{{49, 50}, {89, 20}}            // of the strongest finding ahead
	weakerSteps = scale{{-33, 35}, {-8, 60}, {-1, 20}} // than the strongest finding of all
)

// surroundings are facts about all lines of a log, by index.
type surroundings struct {
	list      []Ranked
	marks     []salience.Mark
	strongest int      // salience of the strongest finding
	exit      int      // index of the first failing exit; -1 without one
	counts    int      // index of the last counters of a runner; -1 without any
	rarity    []points // mean of the words: how often as many lines are without one, as a logarithm
	alike     []int32  // lines that look the same
	before    []int32  // of those, how many were before with other numbers at most
	same      []int32  // lines before that are the same
	nested    []int32  // index of the last finding, where every line since is indented deeper than it; otherwise -1
	depth     []int32  // lines of the paragraph before the line
	ahead     []uint8  // salience of the strongest finding in the lines ahead
	next      []int64  // lines to the next finding
}

// weigh gives each line of a log its worth: its rank, and the facts around it. It
// returns the salience of the strongest finding.
func weigh(list []Ranked, marks []salience.Mark) (strongest int) {
	s := newSurroundings(list, marks)
	for i := range list {
		list[i].worth = s.worth(i)
		if f := s.nested[i]; f >= 0 && marks[i].Score < marks[f].Score { // it comes behind what it belongs to
			list[i].worth = min(list[i].worth, list[f].worth-1)
		}
	}
	return s.strongest
}

func newSurroundings(list []Ranked, marks []salience.Mark) *surroundings {
	n := len(list)
	s := &surroundings{
		list: list, marks: marks, exit: -1, counts: -1, rarity: make([]points, n), alike: make([]int32, n), before: make([]int32, n), same: make([]int32, n),
		nested: make([]int32, n), depth: make([]int32, n), ahead: make([]uint8, n), next: make([]int64, n),
	}
	for i, m := range marks {
		s.strongest = max(s.strongest, int(m.Score))
		if m.Reason == salience.Summary && m.Score >= strongCounts {
			s.counts = i
		}
		if s.exit < 0 && m.Reason == salience.Exit && m.Score >= strongExit {
			s.exit = i
		}
	}
	s.lookUp()
	s.lookAhead()
	m, _ := scratches.Get().(*scratch)
	s.countWords(m)
	s.countLines(m)
	scratches.Put(m)
	return s
}

// isStrong reports whether lines below a line with a mark may belong to it.
func isStrong(m salience.Mark) bool {
	return m.Score >= strongFinding && m.Reason != salience.Warning && m.Reason != salience.Summary
}

// isNamed reports whether a mark is that of a failure with a name.
func isNamed(m salience.Mark) bool { return m.Reason == salience.Failure && m.Score >= leastNamed }

// isNamed reports whether a line names a failure, by itself or in a list.
func (s *surroundings) isNamed(i int) bool {
	r := &s.list[i]
	return isNamed(s.marks[i]) || r.Reason == KeepFailure && r.Score >= strongFinding
}

// follows reports whether line i of a list is the next one of the payload.
func follows(list []Ranked, i int) bool { return i > 0 && list[i].Number == list[i-1].Number+1 }

// saysNothing reports whether a line has nothing to read.
func saysNothing(text []byte) bool {
	if len(text) > 0 && text[0] > ' ' && text[0] < utf8.RuneSelf {
		return false
	}
	return len(bytes.TrimSpace(text)) == 0
}

// lookUp finds what the lines above say of each line.
func (s *surroundings) lookUp() {
	indent, finding := 0, int32(-1)
	for i := range s.list {
		l := s.list[i].look()
		if !follows(s.list, i) || !l.blank && l.indent <= indent {
			finding = -1
		}
		s.nested[i] = finding
		if !l.blank && follows(s.list, i) {
			s.depth[i] = s.depth[i-1] + 1
		}
		if isStrong(s.marks[i]) {
			indent, finding = l.indent, int32(i)
		}
	}
}

// lookAhead finds what the lines below say of each line.
func (s *surroundings) lookAhead() {
	next := -1 // index of the next finding
	for i := len(s.list) - 1; i >= 0; i-- {
		s.next[i] = math.MaxInt64
		if next >= 0 {
			s.next[i] = s.list[next].Number - s.list[i].Number
		}
		if s.next[i] <= aheadLines {
			s.ahead[i] = s.marks[next].Score
			if s.next[next] <= aheadLines-s.next[i] {
				s.ahead[i] = max(s.ahead[i], s.ahead[next])
			}
		}
		if s.marks[i].Score >= strongFinding {
			next = i
		}
	}
}

// scratch is memory of newSurroundings that is used again for other payloads.
type scratch struct {
	words               []uint32 // of all lines: their hashes, and then their numbers
	ends                []int    // of the words of each line
	lines, last         []int32  // by the number of a word: lines with it, and the last of them
	logs                []points // by lines with a word
	numbers             numbering[uint32]
	exact, fine, coarse numbering[uint64]
	counts, counted     []int32 // by the number of an exact or a fine hash; and of a coarse one
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// zeros returns a slice of n zeros that may be in the place of another one.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// countWords finds how rare the words of each line are.
func (s *surroundings) countWords(m *scratch) {
	words, ends := m.words[:0], zeros(m.ends, len(s.list))
	for i := range s.list {
		words = appendWords(words, s.list[i].look().behind)
		ends[i] = len(words)
	}
	lines, last := m.lines[:0], m.last[:0]
	m.numbers.reset()
	from := 0
	for i, end := range ends {
		for k, word := range words[from:end] {
			number := m.numbers.of(word)
			if int(number) == len(lines) {
				lines, last = append(lines, 0), append(last, -1)
			}
			if last[number] != int32(i) {
				last[number] = int32(i)
				lines[number]++
			}
			words[from+k] = number // from here on it is known by its number
		}
		from = end
	}
	logs := zeros(m.logs, len(s.list)+1)
	from = 0
	for i, end := range ends {
		sum := points(0)
		for _, number := range words[from:end] {
			n := lines[number]
			if logs[n] == 0 {
				logs[n] = points(math.Round(rarityUnit * math.Log(float64(len(s.list)+1)/float64(n))))
			}
			sum += logs[n]
		}
		if end > from {
			s.rarity[i] = sum / points(end-from)
		}
		from = end
	}
	m.words, m.ends, m.lines, m.last, m.logs = words, ends, lines, last, logs
}

// countLines finds how often each line comes, as it is and but for its numbers.
func (s *surroundings) countLines(m *scratch) {
	n := len(s.list)
	m.exact.reset()
	m.fine.reset()
	m.coarse.reset()
	m.counts, m.counted = zeros(m.counts, n), zeros(m.counted, n)
	count := func(numbers *numbering[uint64], counts []int32, h uint64, before *int32) uint32 {
		number := numbers.of(h)
		*before = counts[number]
		counts[number]++
		return number
	}
	for i := range s.list {
		count(&m.exact, m.counts, s.list[i].look().exact, &s.same[i])
	}
	clear(m.counts)
	for i := range s.list {
		l := s.list[i].look()
		count(&m.fine, m.counts, l.fine, &s.before[i])
		s.alike[i] = int32(m.coarse.of(l.coarse))
		m.counted[s.alike[i]]++
	}
	for i, number := range s.alike {
		s.alike[i] = m.counted[number]
	}
}

// worth returns the worth of line i.
func (s *surroundings) worth(i int) points {
	r, m := &s.list[i], s.marks[i]
	rank := min(r.Score, mostRank)
	sum := pointsRank*points(rank) + rankSteps.of(rank)
	if r.Reason <= KeepTail { // it is there for its place alone
		sum /= 2
	}
	sum += aheadSteps.of(int(s.ahead[i])) + s.besideStrongest(i) + s.rare(i) + s.repeated(i) + s.toExit(i)
	for _, fact := range [...]struct {
		holds  bool
		points points
	}{
		{s.nested[i] >= 0, pointsNested},
		{(s.isNamed(i) || m.Reason == salience.Crash && m.Score >= strongCrash) && s.same[i] == 0, pointsName},
		{i == s.counts, pointsCounts},
		{r.look().frame, pointsFrame},
		{m.Reason == salience.Warning || m.Reason == salience.Summary, pointsMild},
		{m.Score > 0 && frames.Foreign(r.Line.Text), pointsForeign},
		{s.depth[i] >= deepLines, pointsDeep},
		{s.next[i] >= farLines, pointsFar},
	} {
		if fact.holds {
			sum += fact.points
		}
	}
	return sum + price(len(r.Line.Text))
}

// besideStrongest returns the points of a line by how much weaker it is than the
// strongest finding of all.
func (s *surroundings) besideStrongest(i int) points {
	if own := int(s.marks[i].Score); own > 0 {
		if p := weakerSteps.of(own - s.strongest); p > 0 {
			return p
		}
	}
	return pointsWeak
}

// rare returns the points for rare words in a line and around it.
func (s *surroundings) rare(i int) points {
	sum, n := points(0), points(0)
	for k := max(0, i-nearLines); k < min(len(s.list), i+nearLines+1); k++ {
		if d := s.list[k].Number - s.list[i].Number; d >= -nearLines && d <= nearLines {
			sum, n = sum+s.rarity[k], n+1
		}
	}
	return min(mostRare, s.rarity[i]*pointsRare/rarityUnit) + min(mostRareNear, sum/n*pointsRareNear/rarityUnit)
}

// repeated returns the points of a line for those that are like it. Each failure
// with a name is news, whatever the number in its name is.
func (s *surroundings) repeated(i int) points {
	sum := pointsCommon * points(min(mostDoublings, bits.Len32(uint32(s.alike[i]))))
	switch {
	case s.same[i] > 0:
		sum += pointsSame * points(min(mostSame, s.same[i]))
	case !s.isNamed(i):
		sum += pointsAlike * points(min(mostAlike, s.before[i]))
	}
	return sum
}

// toExit returns the points of a line for its distance from the failing exit.
func (s *surroundings) toExit(i int) points {
	if s.exit < 0 {
		return 0
	}
	d := s.list[s.exit].Number - s.list[i].Number
	if d < 0 {
		return pointsAfter
	}
	return max(-pointsExit, pointsExit-pointsExit*doublings(d)/doublings(exitLines-1))
}

// price returns the points that a line of some bytes costs.
func price(bytes int) points { return prices[min(bytes, mostPriceBytes)] }

// prices are the points by bytes.
var prices = func() (table [mostPriceBytes + 1]points) {
	for n := range table {
		table[n] = points(math.Round(pointsPrice * math.Log(float64(n)/tokenBytes+lineTokens)))
	}
	return table
}()

// mostWords is how many words of a line are looked at.
const mostWords = 32

// appendWords appends hashes of the words of a line without its times: runs of
// letters, in any case.
func appendWords(words []uint32, text []byte) []uint32 {
	for i, n := 0, 0; i < len(text) && n < mostWords; n++ {
		for i < len(text) && letters[text[i]] == 0 {
			i++
		}
		if i == len(text) {
			break
		}
		h := uint32(2166136261)
		for ; i < len(text); i++ {
			letter := letters[text[i]]
			if letter == 0 {
				break
			}
			h = (h ^ letter) * 16777619
		}
		words = append(words, h)
	}
	return words
}

// letters are the letters of words in one case, by their bytes; 0 for all else.
var letters = func() (table [256]uint32) {
	for c := range table {
		if isLetter(byte(c)) {
			table[c] = uint32(c | 0x20)
		}
	}
	return table
}()

// isLetter reports whether c is a letter, or a byte of a character that is not
// ASCII.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 || c == '_' }
