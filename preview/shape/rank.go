package shape

import (
	"cmp"
	"math"
	"slices"

	"github.com/toolresult/toolresult/preview/focus"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Ranked is a line with its rank. The caller sets Line and Number; Rank sets
// the rest.
type Ranked struct {
	Line   *textscan.Line
	Number int64
	Score  int // 0 to 100
	turn   int // of two lines with the same score, that with the lower one comes first
	Reason Reason
	worth  points // of all lines of a log; the greatest first
	loud   bool   // its own words say that something is wrong, though many may say so
	seen   look   // read it with the method look
	Folded bool   // rules call it noise
	Block  int32  // of lines that are shown in their order, one missing line ends it; 0: none
	Width  int    // bytes that are shown before its inner part is cut; 0: as the budget allows
}

// Scores of lines without a word that matters.
const (
	scoreLast      = 90 // of the very last lines, which seldom cost much
	scoreTail      = 62 // of the tail, falling by one a line
	scoreFirst     = 64 // of the first two lines, which introduce the text
	scoreHead      = 44 // of the head, falling by two a line
	scoreSucceeded = 30 // less for what sounds like an error, if the program succeeded
	scoreHollow    = 30 // limit of a line that says nothing by itself
	scoreOdd       = 70 // of a line that ends a long run, or is no JSON, where lines are chosen by their scores
	scoreLike      = -1 // of a line that is like one before it
	NeverShown     = -2 // of one that is the same: it is never shown
)

// Reason is why lines are shown of a payload that is not shown whole. The
// values are those of the contract; proto/toolresult/v1/ledger.proto explains
// them.
type Reason uint8

// The reasons. A segment of a payload that is shown whole has none.
const (
	KeepHead Reason = iota + 1
	KeepTail
	KeepContext
	KeepError
	KeepFailure
	KeepCrash
	KeepDiagnostic
	KeepWarning
	KeepSummary
	KeepExit
	KeepProfile
	KeepStructure
)

// Options is what is known of a payload before its lines are ranked.
type Options struct {
	Shape     Shape
	Lines     int64              // of the payload
	Succeeded bool               // its program ended well: what sounds like an error matters less
	Verdicts  []linerule.Verdict // of rules on each line that is ranked; nil without rules
	Runs      []Run              // runs of equal lines, which may have lines that are not ranked
	Focus     *focus.Terms       // what the reader looks for; nil if unknown
}

// Rank gives the lines of a payload their scores, in the order that its shape
// has, and returns the runs of lines that are like those just before them. The
// list is in the order of the payload and may have gaps, which the numbers of
// lines show.
func Rank(list []Ranked, o Options) []Run {
	if o.Shape == Source {
		rankSource(list, o.Focus)
		return nil
	}
	if o.Shape == StackTrace {
		runs := rankTrace(list)
		markExceptions(list, true)
		return runs
	}
	if rankShape(o.Shape, list) {
		switch {
		case o.Focus != nil && o.Shape.hasFocus():
			rankFocused(list, o.Focus)
		}
		return nil
	}
	marks := rankText(list, o.Succeeded)
	quiet := isQuiet(list)
	if o.Shape == NDJSON {
		rankNDJSON(list)
	}
	rankEnds(list, o.Lines)
	overwritten(list)
	shortenEncoded(list)
	if o.Verdicts != nil {
		applyRules(list, o.Verdicts)
		foldNoise(list, o.Lines)
	}
	odds := oddLines(list, o.Runs)
	if o.Shape == NDJSON { // each line is a value of its own
		odds.place(list)
		return equalLines(list, o.Runs)
	}
	runs := mergeRuns(repeats(list, odds), equalLines(list, o.Runs))
	if quiet {
		rankQuiet(list, o.Lines, o.Focus)
		odds.raise(list, false)
		return runs
	}
	strongest := weigh(list, marks)
	findings := blocks(list, marks)
	neighbors(list)
	byPlace(list, findings, o.Lines, strongest >= strongFinding)
	messagesFirst(list)
	differences(list)
	headings(list, marks)
	odds.raise(list, strongest >= strongFinding)
	markExceptions(list, !o.Succeeded)
	return mergeRuns(runs, rankStacks(list))
}

// rankEnds raises the first lines and the last ones. The first two say what the
// text is, and the last three how it ended; both cost little.
func rankEnds(list []Ranked, lines int64) {
	for i := range list {
		r := &list[i]
		switch first := int(r.Number - 1); {
		case first < 2:
			r.raise(scoreFirst-first, KeepHead)
		case first*2 < scoreHead:
			r.place(scoreHead-2*first, KeepHead)
		}
		switch last := int(lines - r.Number); {
		case last < 3:
			r.place(scoreLast-last, KeepTail)
		case last < 6:
			r.place(scoreTail+10-last, KeepTail)
		case last < scoreTail:
			r.place(scoreTail-last, KeepTail)
		}
	}
}

// overwritten takes their scores from lines that a later one was drawn over.
func overwritten(list []Ranked) {
	for i := range list {
		n := textscan.LinesUp(list[i].Line.Text)
		for k := 1; k <= n && i-k >= 0 && list[i-k].Number == list[i].Number-int64(k); k++ {
			list[i-k].Score, list[i-k].Reason = scoreLike, 0
		}
	}
}

// Order returns the indices of a list, the best line first and, of equal ones,
// the last first: a log says in its last lines how it ended.
func Order(list []Ranked) []int {
	if keys, ok := orderKeys(list); ok {
		slices.Sort(keys)
		order := make([]int, len(keys))
		for k, key := range keys {
			order[k] = len(list) - 1 - int(key&mostOrdered)
		}
		return order
	}
	return orderByCompare(list)
}

// Order sorts whole numbers where it can, from the highest bits on: 2 of the score of a line that is not shown by itself, 32 of
// the worth, 10 of the score, and 20 of the place, counted from the end.
const (
	mostOrdered  = 1<<20 - 1
	orderedScore = 1<<10 - 1
)

// orderKeys returns numbers that are less the better a line is. It reports false for a list that has turns, or values
// that such a number has no bits for.
func orderKeys(list []Ranked) (keys []uint64, ok bool) {
	if len(list) > mostOrdered {
		return nil, false
	}
	keys = make([]uint64, 0, len(list))
	for i := range slices.Backward(list) {
		r := &list[i]
		if r.turn != 0 || r.Score > orderedScore || r.Score < NeverShown {
			return nil, false
		}
		worth := uint64(math.MaxUint32 - uint32(r.worth-math.MinInt32))
		keys = append(keys, uint64(-min(0, r.Score))<<62|worth<<30|uint64(orderedScore-max(0, r.Score))<<20|uint64(len(list)-1-i))
	}
	return keys, true
}

// orderByCompare is Order for any list.
func orderByCompare(list []Ranked) []int {
	order := make([]int, 0, len(list))
	for i := range slices.Backward(list) {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(min(0, list[b].Score), min(0, list[a].Score)), cmp.Compare(list[b].worth, list[a].worth),
			cmp.Compare(list[b].Score, list[a].Score), cmp.Compare(list[a].turn, list[b].turn))
	})
	return order
}

// RuleScores are scores of lines that rules keep, by verdict. They are below
// those of an error in words, so that rules cannot crowd out errors.
var RuleScores = [...]int{linerule.Keep: 58, linerule.Summary: 63}

// applyRules raises the lines that rules keep, and marks those that they fold.
func applyRules(list []Ranked, verdicts []linerule.Verdict) {
	for i, v := range verdicts {
		switch v {
		case linerule.Summary, linerule.Keep:
			list[i].raise(RuleScores[v], KeepProfile)
		case linerule.Fold:
			list[i].Folded = true
		}
	}
}

// shownTail is how many of the last lines are never folded: the last line of a
// test that hangs may be all that names it.
const shownTail = 3

// foldNoise takes their scores from the lines that are noise. It spares a line
// whose words say that something is wrong, though many do or the program
// succeeded; a line that matters by itself; the lines beside it; and the last
// lines.
func foldNoise(list []Ranked, lines int64) {
	matters := func(i int) bool {
		return i >= 0 && i < len(list) && list[i].Score >= salience.MustKeep && list[i].Reason > KeepContext &&
			list[i].Reason != KeepProfile && !list[i].Folded
	}
	for i := range list {
		r := &list[i]
		if r.loud || r.Reason > KeepContext && r.Score >= salience.MustKeep {
			r.Folded = false
		}
	}
	for i := range list {
		r := &list[i]
		if lines-r.Number < shownTail || matters(i-1) || matters(i+1) {
			r.Folded = false
		}
		if r.Folded {
			r.Score, r.Reason = NeverShown, 0
		}
	}
}

// Reasons are those of salience in the words of the ledger.
var Reasons = [...]Reason{
	salience.Error: KeepError, salience.Failure: KeepFailure, salience.Crash: KeepCrash, salience.Diagnostic: KeepDiagnostic,
	salience.Warning: KeepWarning, salience.Summary: KeepSummary, salience.Exit: KeepExit,
}

// raise gives a line a score if its own is lower. The reason is that of the
// highest score, unless the line matters by itself, too.
func (r *Ranked) raise(score int, reason Reason) {
	if higher := score > r.Score; higher && r.Reason <= KeepContext || reason > KeepContext && (higher || r.Reason <= KeepContext) {
		r.Reason = reason
	}
	r.Score = max(r.Score, score)
}

// place raises a line for its place. A line that says nothing by itself is
// raised less, so that it comes with those around it or not at all.
func (r *Ranked) place(score int, reason Reason) {
	if score > r.Score && r.look().hollow {
		score = min(score-scoreHollow, scoreHollow)
	}
	r.raise(score, reason)
}
