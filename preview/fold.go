package preview

import (
	"bytes"
	"strings"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Bounds of what is worth folding where all lines would fit.
const (
	leastFolded      = 512 // bytes of lines that are noise
	leastFoldedShare = 4   // and one byte in so many
)

// judgement is what rules say of the lines of an excerpt.
type judgement struct {
	rules    *Rules
	verdicts []Verdict
	folds    bool // much of it is noise, and not all
}

// judge asks rules about every line that was kept, once.
func (e *Excerpt) judge(rules *Rules) *judgement {
	if e.judged != nil && e.judged.rules == rules {
		return e.judged
	}
	e.judged = &judgement{rules: rules, verdicts: make([]Verdict, 0, e.available())}
	noise, all := int64(0), true
	hear := func(text []byte, size int64) {
		v := rules.Of(text)
		e.judged.verdicts = append(e.judged.verdicts, v)
		if v == VerdictFold {
			noise += size
		} else if !salience.Hollow(text) {
			all = false
		}
	}
	for line := range strings.Lines(e.plain) { // it is its own visible form
		hear(bytes.TrimRight(asBytes(line), " \n"), int64(len(line)))
	}
	for _, l := range e.each() {
		hear(visible(l.Text), l.End-l.Start)
	}
	e.judged.folds = !all && noise >= leastFolded && noise*leastFoldedShare >= e.bytes
	return e.judged
}

// folds reports whether rules call so much of a payload noise that it is left
// out although it may fit. What was asked for as a range is never folded, and
// neither is a payload of noise alone: its rules are of another program.
func (e *Excerpt) folds(f Focus) bool {
	return f.Rules != nil && !f.Range && f.HeadPercent != 100 && e.bytes >= leastFolded && e.judge(f.Rules).folds
}

// Scores of lines that rules speak of: below those of an error in words, so that
// rules cannot crowd those out.
const (
	scoreRuleSummary = 63
	scoreRuleKeep    = 58
)

// next returns where the first literal of a line that is kept begins in b at or
// after an offset, or -1.
func (r *Rules) next(b []byte, from int) int {
	if r == nil || r.wanted == nil {
		return -1
	}
	at, _ := r.wanted.Next(b, from)
	return at
}

// score is that of a line that is kept; 0 for others.
func (r *Rules) score(text []byte) uint8 {
	if r.next(text, 0) < 0 {
		return 0
	}
	switch r.Of(visible(text)) {
	case VerdictSummary:
		return scoreRuleSummary
	case VerdictKeep:
		return scoreRuleKeep
	}
	return 0
}

// visible is the form of a line that rules are written for.
func visible(text []byte) []byte {
	if textscan.Clean(text, ' ') {
		return bytes.TrimRight(text, " ")
	}
	return bytes.TrimRight(textscan.Sanitise(nil, text, &textscan.Changes{}), " ")
}

// applyRules raises the lines that rules keep, and marks those that they fold.
func applyRules(list []ranked, verdicts []Verdict) {
	for i, v := range verdicts {
		switch v {
		case VerdictSummary:
			list[i].raise(scoreRuleSummary, KeepProfile)
		case VerdictKeep:
			list[i].raise(scoreRuleKeep, KeepProfile)
		case VerdictFold:
			list[i].folded = true
		}
	}
}

// shownTail is how many of the last lines are never folded: the last line of a
// test that hangs may be all that names it.
const shownTail = 3

// fold takes their scores from the lines that are noise: not from one that says
// that something is wrong, though many do or the program succeeded, nor from one
// that matters by itself, nor from one beside it, nor from the last ones.
func (e *Excerpt) fold(list []ranked) {
	matters := func(i int) bool {
		return i >= 0 && i < len(list) && list[i].score >= salience.MustKeep && list[i].reason > KeepContext &&
			list[i].reason != KeepProfile && !list[i].folded
	}
	for i := range list {
		r := &list[i]
		if r.loud || r.reason > KeepContext && r.score >= salience.MustKeep {
			r.folded = false
		}
	}
	for i := range list {
		r := &list[i]
		if e.lines-r.number < shownTail || matters(i-1) || matters(i+1) {
			r.folded = false
		}
		if r.folded {
			r.score, r.reason = scoreSame, 0
		}
	}
}
