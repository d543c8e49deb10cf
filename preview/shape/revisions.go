package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Lists of revisions: git log --oneline, with --graph too, git reflog, and the
// short lists of Mercurial and Jujutsu. The newest are first, and are asked for.

// graphMarks are the characters that draw the graph before a revision.
const graphMarks = "*|/\\_ o"

// isRevision reports whether a line is the name of a revision and its subject.
func isRevision(text []byte) bool {
	text = bytes.TrimLeft(text, graphMarks)
	hex := 0
	for hex < len(text) && (text[hex] >= '0' && text[hex] <= '9' || text[hex] >= 'a' && text[hex] <= 'f') {
		hex++
	}
	return hex >= 7 && hex <= 40 && hex+1 < len(text) && text[hex] == ' '
}

// isGraph reports whether a line only draws the graph.
func isGraph(text []byte) bool { return len(bytes.Trim(text, graphMarks)) == 0 }

// leastRevisions is how many lines a list of revisions has at least.
const leastRevisions = 4

// isRevisions reports whether a sample is a list of revisions, each on one line.
func (s sample) isRevisions() bool {
	revisions, letters := 0, 0
	yes, all := s.count(func(text []byte) bool {
		if isRevision(text) {
			revisions++
			if name, _, _ := bytes.Cut(bytes.TrimLeft(text, graphMarks), []byte(" ")); len(digitSet.Trim(name)) > 0 {
				letters++ // a number alone may be a time
			}
			return true
		}
		return isGraph(text)
	})
	return revisions >= leastRevisions && letters*2 >= revisions && revisions*2 >= all && yes*20 >= all*19
}

// isRevisionList reports whether most lines are revisions.
func isRevisionList(list []Ranked) bool {
	revisions := 0
	for i := range list {
		if isRevision(textscan.WithoutEscapes(list[i].Line.Text)) {
			revisions++
		}
	}
	return revisions >= leastRevisions && revisions*2 >= len(list)
}

// rankRevisions ranks the lines of a list of revisions from the first on, and
// reports whether it is one.
func rankRevisions(list []Ranked) bool {
	if !isRevisionList(list) {
		return false
	}
	for i := range list {
		switch text := textscan.WithoutEscapes(list[i].Line.Text); {
		case isRevision(text):
			list[i].set(scoreContent, i, KeepHead)
		case isGraph(text):
			list[i].set(scoreContent, i, KeepContext)
		default:
			list[i].set(scoreBeside, i, KeepContext)
		}
	}
	return true
}
