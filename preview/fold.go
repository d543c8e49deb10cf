package preview

import (
	"bytes"
	"strings"

	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/salience"
)

// Bounds of what is worth folding where all lines would fit.
const (
	leastFolded      = 512 // bytes of lines that are noise
	leastFoldedShare = 4   // and one byte in so many
)

// judgement is what rules say of the lines of an excerpt.
type judgement struct {
	rules    *linerule.Rules
	verdicts []linerule.Verdict
	folds    bool // much of it is noise, and not all
}

// judge asks rules about every line that was kept, once.
func (e *Excerpt) judge(rules *linerule.Rules) *judgement {
	if e.judged != nil && e.judged.rules == rules {
		return e.judged
	}
	e.judged = &judgement{rules: rules, verdicts: make([]linerule.Verdict, 0, e.available())}
	noise, all := int64(0), true
	hear := func(text []byte, size int64) {
		v := rules.Classify(text)
		e.judged.verdicts = append(e.judged.verdicts, v)
		if v == linerule.Fold {
			noise += size
		} else if !salience.Hollow(text) {
			all = false
		}
	}
	for line := range strings.Lines(e.plain) { // it is its own visible form
		hear(bytes.TrimRight(asBytes(line), " \n"), int64(len(line)))
	}
	for _, l := range e.each() {
		hear(linerule.Visible(l.Text), l.End-l.Start)
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
