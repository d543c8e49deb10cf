package shape

import (
	"bytes"
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/toolresult/toolresult/preview/salience"
)

// Lines are chosen one by one, but they are read together. The best findings are
// shown with their block: the lines before that lead to them, and those below up
// to the end of the block. Next to any line that is shown, its neighbors are
// worth more. Whatever is worth little is taken by its place, so that a log in
// which nothing is salient is shown as its beginning and, rather, its end.

// Bounds of blocks.
const (
	mostBlocks    = 4  // findings that are shown with all of their block
	manyNamed     = 4  // more failures with a name come before any block
	blockAbove    = 6  // lines before a finding
	blockBelow    = 40 // lines after it
	leastInBlock  = 60 // least salience of a finding that has a block
	pointsInBlock = -60
	pointsALine   = -10  // for each line below the finding
	pointsLineUp  = -20  // for each line above it
	pointsHollow  = -150 // of a line that says nothing by itself, such as a frame of a library
	mostFurther   = 1    // paragraphs after the first one, below the name of a failure
	scoreInBlock  = 6    // less than the rank of the finding, and two for each line between, up to mostScoreFar
	mostScoreFar  = 15
)

// blocks raises the lines of the blocks of the best findings. It returns the
// indices of these findings, or of the best one where many failures have a name.
func blocks(list []Ranked, marks []salience.Mark) (with []int) {
	findings, named := []int{}, 0
	for i, m := range marks {
		if m.Score < leastInBlock || m.Reason >= salience.Warning || list[i].Score <= 0 {
			continue
		}
		findings = append(findings, i)
		if m.Score >= namedFinding {
			named++
		}
	}
	slices.SortStableFunc(findings, func(a, b int) int { return cmp.Compare(list[b].worth, list[a].worth) })
	taken, looks := make([]bool, len(list)), map[uint64]bool{}
	for _, i := range findings {
		fine := list[i].look().fine
		if taken[i] || looks[fine] {
			continue
		}
		looks[fine] = true
		with = append(with, i)
		if named > manyNamed {
			return with
		}
		from, to := block(list, marks, i)
		raiseBlock(list[from:to+1], marks[from:to+1], i-from)
		for k := from; k <= to; k++ {
			taken[k] = true
		}
		if len(with) == mostBlocks {
			break
		}
	}
	return with
}

// namedFinding is the least salience of a failure that a runner lists by name.
const namedFinding = 94

// raiseBlock raises the lines of a block, which belong to one of them: the farther
// from it the less, but for those that say what went wrong.
func raiseBlock(block []Ranked, marks []salience.Mark, finding int) {
	f := block[finding]
	for k := range block {
		r := &block[k]
		if k == finding || r.Score < 0 {
			continue
		}
		worth, far := f.worth+pointsInBlock, points(k-finding)
		switch {
		case far < 0:
			far = -far
			worth += pointsLineUp * far
		case !isStrong(marks[k]):
			worth += pointsALine * far
		}
		if l := r.look(); l.hollow && !saysNothing(l.behind) {
			worth += pointsHollow
		}
		if worth > r.worth {
			r.worth = worth
			if r.Reason <= KeepContext {
				r.place(f.Score-scoreInBlock-2*int(min(far, mostScoreFar)), KeepContext)
			}
		}
	}
}

// block returns the first and the last line of the block of a finding. It begins
// with the paragraph of the finding, and ends where a paragraph ends that is not
// indented deeper than the finding, at another failure, or at another step.
func block(list []Ranked, marks []salience.Mark, finding int) (from, to int) {
	indent := list[finding].look().indent
	from, to = finding, finding
	for from > 0 && finding-from < blockAbove && follows(list, from) {
		if l := list[from-1].look(); l.blank || boundary(l.behindTime()) {
			break
		}
		from--
	}
	further := 0 // paragraphs that may follow: below the name of a failure are its message, a comparison, what was printed
	if isNamed(marks[finding]) {
		further = mostFurther
	}
	ended := false // by a blank line
	for k := finding + 1; k < len(list) && k-finding <= blockBelow && follows(list, k); k++ {
		l := list[k].look()
		if l.blank {
			ended = true
			continue
		}
		deeper := l.indent > indent
		if ended && !deeper {
			further--
		}
		if boundary(l.behindTime()) || !deeper && (further < 0 || isNamed(marks[k])) {
			break
		}
		to, ended = k, false
	}
	return from, to
}

// neighbors raises the lines beside lines that are worth more.
func neighbors(list []Ranked) {
	own := make([]points, len(list))
	for i := range list {
		own[i] = list[i].worth
	}
	for i := range list {
		if l := list[i].look(); list[i].Score < 0 || l.hollow && !saysNothing(l.behind) {
			continue
		}
		for k := max(0, i-nearLines); k < min(len(list), i+nearLines+1); k++ {
			if d := points(max(list[k].Number-list[i].Number, list[i].Number-list[k].Number)); d <= nearLines {
				list[i].worth = max(list[i].worth, own[k]+pointsNear*d)
			}
		}
	}
}

// Lines that are worth no more than leastWorth are ordered by their place.
const (
	leastWorth    = 0
	pointsPlace   = -10 // for each doubling of the lines to the nearer end
	headDistance  = 4   // how many times as far as from the end a line is from the beginning
	farthest      = 32  // distance from which on lines come last where a finding decides
	belowDistance = 2   // the same of a line below the finding of a block
)

// byPlace orders the lines that are worth little by their place: those near the
// end, near the beginning, and below the findings that have a block. Where it is
// decided what went wrong, those far from all of these come last; where not, the
// beginning may say as much as the end.
func byPlace(list []Ranked, blocks []int, lines int64, decided bool) {
	slices.Sort(blocks)
	fromHead := int64(1)
	if decided {
		fromHead = headDistance
	}
	for i, above := 0, int64(0); i < len(list); i++ {
		r := &list[i]
		if len(blocks) > 0 && i >= blocks[0] {
			above, blocks = r.Number, blocks[1:]
		}
		if r.worth >= leastWorth {
			continue
		}
		distance := lines - r.Number
		if r.Score >= 0 { // or the lines before say the same, and its place is behind a mark
			distance = min(distance, fromHead*r.Number)
		}
		if above > 0 {
			distance = min(distance, belowDistance*(r.Number-above))
		}
		if r.worth = leastWorth + pointsPlace*doublings(distance); decided && distance > farthest {
			r.worth = farWorth
		}
	}
}

// farWorth is the worth of the lines that come last: a finding says what went wrong, and
// they are far from every finding.
const farWorth points = math.MinInt32

// doublings returns the logarithm of a distance to the base of 2, rounded up.
func doublings(distance int64) points { return points(bits.Len64(uint64(distance))) }

// Bounds of the message of a failure: how far behind the line with its name it is, and its score,
// which a message that was there before does not have.
const (
	mostToMessage = 60
	leastMessage  = 80
)

// messagesFirst puts the message of a failure that has a name, if it is a new one, before the names
// of failures that are worth as much: a list of twenty names without one reason helps nobody.
func messagesFirst(list []Ranked) {
	named := -1
	for i := range list {
		r := &list[i]
		switch {
		case r.Reason == KeepFailure && r.Score >= leastNamed:
			named = i
		case named < 0 || list[i].Number-list[named].Number > mostToMessage:
			named = -1
		case r.Reason == KeepError && r.Score >= leastMessage:
			r.worth = max(r.worth, list[named].worth+1)
			named = -1
		}
	}
}

// legends begin the line that says which sign stands for which value of a failed comparison, as
// Jest, Vitest, Node and testify print it.
var legends = []string{"- Expected", "+ Received", "+ actual - expected", "+ Actual", "--- Expected"}

// differences lets the lines in which two values differ come with the legend above them: what is
// equal in both says nothing.
func differences(list []Ranked) {
	legend := -1
	for i := range list {
		text := bytes.TrimSpace(list[i].look().behindTime())
		isLegend := slices.ContainsFunc(legends, func(l string) bool { return bytes.HasPrefix(text, []byte(l)) })
		switch {
		case isLegend:
			legend = i
		case legend >= 0 && list[i].Number-list[legend].Number > mostToMessage:
			legend = -1
		case legend >= 0 && len(text) > 1 && (text[0] == '-' || text[0] == '+') && text[1] == ' ':
			list[i].worth = max(list[i].worth, list[legend].worth)
		}
	}
}
