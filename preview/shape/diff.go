package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Unified diffs as git and diff write them, alone, behind the head of a commit,
// or in a mail. The format has no escapes: a removed line "-- a" looks like the
// header of a file. Only the counts in the header of a hunk tell them apart, so
// the reader keeps them.

// diffLine is the kind of a line of a diff.
type diffLine uint8

const (
	diffOther   diffLine = iota // what is said around: a message of a commit, for one
	diffCommit                  // begins a commit
	diffSubject                 // the first line of its message
	diffFact                    // its author and date
	diffFile                    // begins a file
	diffNote                    // says what became of the file: renamed, binary, another mode
	diffPath                    // the other lines of its header
	diffHunk                    // begins a hunk
	diffChange                  // a line that was added or removed
	diffContext                 // a line that stayed
)

// diffReader reads a diff line by line. It knows how many lines a hunk has from
// its header, so that text in a hunk that looks like a header is none. Behind a
// gap it does not.
type diffReader struct {
	commit       bool // in the head of a commit
	subject      bool // its subject was seen
	header       bool // in the header of a file
	hunk         bool
	counted      bool // how many lines the hunk still has is known
	removed, add int  // of the old file, and of the new one
	columns      int  // signs that a line of the hunk begins with
}

// gap notes that lines are missing before the next one: the counts of the hunk no
// longer hold.
func (d *diffReader) gap() { d.counted = false }

// next returns the kind of a line. The line after it
// distinguishes "--- a/x" of a file from a removed line that begins with dashes.
func (d *diffReader) next(text, after []byte) diffLine {
	if d.hunk && d.counted {
		if d.removed > 0 || d.add > 0 || bytes.HasPrefix(text, []byte(`\`)) {
			return d.inHunk(text)
		}
		d.hunk = false
	}
	switch {
	case isCommitLine(text):
		*d = diffReader{commit: true}
		return diffCommit
	case beginsDiff(text):
		*d = diffReader{header: true}
		return diffFile
	case isHunkHeader(text):
		d.beginHunk(text)
		return diffHunk
	case !d.header && beginsPlainFile(text, after):
		*d = diffReader{header: true}
		return diffFile
	case d.hunk && len(text) > 0 && bytes.IndexByte([]byte(" +-\\"), text[0]) >= 0:
		return d.inHunk(text)
	case d.hunk && len(text) == 0: // an empty line of context that lost its blank
		return diffContext
	case d.header:
		return headerLine(text)
	case d.commit:
		return d.inCommit(text)
	case bytes.HasPrefix(text, []byte("Only in ")), bytes.HasPrefix(text, []byte("Binary files ")):
		return diffFile
	}
	return diffOther
}

// beginHunk takes the counts from the header of a hunk. Merges, with more than
// two signs, have counts for each parent and are read without.
func (d *diffReader) beginHunk(text []byte) {
	signs := 0
	for signs < len(text) && text[signs] == '@' {
		signs++
	}
	*d = diffReader{hunk: true, columns: signs - 1}
	if fields := bytes.Fields(text[signs:min(len(text), 200)]); signs == 2 && len(fields) > 1 {
		d.removed, d.add, d.counted = hunkCount(fields[0]), hunkCount(fields[1]), true
	}
}

// hunkCount reads the number of lines of "-12,3", which is 1 in "-12".
func hunkCount(field []byte) int {
	_, count, given := bytes.Cut(field, []byte(","))
	if !given {
		return 1
	}
	n, _ := textscan.Number(count)
	return n
}

// inHunk returns the kind of a line of a hunk, and counts it.
func (d *diffReader) inHunk(text []byte) diffLine {
	signs := text[:min(len(text), max(1, d.columns))]
	switch {
	case bytes.HasPrefix(text, []byte(`\`)):
		return diffContext
	case bytes.IndexByte(signs, '+') >= 0:
		d.add--
		return diffChange
	case bytes.IndexByte(signs, '-') >= 0:
		d.removed--
		return diffChange
	}
	d.removed--
	d.add--
	return diffContext
}

// inCommit returns the kind of a line of the head of a commit.
func (d *diffReader) inCommit(text []byte) diffLine {
	message := bytes.HasPrefix(text, []byte("    "))
	switch {
	case message && !d.subject:
		d.subject = true
		return diffSubject
	case !d.subject && len(text) > 0:
		return diffFact
	}
	return diffOther
}

// diffNotes begin the lines of a header that say what became of a file.
var diffNotes = [...]string{
	"new file", "deleted file", "old mode", "new mode", "rename ", "copy ", "similarity ", "Binary files ", "GIT binary patch", "Subproject ",
}

// headerLine returns the kind of a line in the header of a file.
func headerLine(text []byte) diffLine {
	for _, note := range diffNotes {
		if bytes.HasPrefix(text, []byte(note)) {
			return diffNote
		}
	}
	for _, path := range [...]string{"index ", "--- ", "+++ ", "====", "mode "} {
		if bytes.HasPrefix(text, []byte(path)) {
			return diffPath
		}
	}
	return diffOther
}

// isCommitLine reports whether a line is "commit" and the name of an object, as
// "git log" and "git show" begin, or "From" and one, as a patch in a mail does.
func isCommitLine(text []byte) bool {
	name, ok := bytes.CutPrefix(text, []byte("commit "))
	if !ok {
		name, ok = bytes.CutPrefix(text, []byte("From "))
	}
	hex := 0
	for hex < len(name) && (name[hex] >= '0' && name[hex] <= '9' || name[hex] >= 'a' && name[hex] <= 'f') {
		hex++
	}
	return ok && hex >= 7 && hex <= 64 && (hex == len(name) || name[hex] == ' ')
}

// beginsDiff reports whether a line is the command that a tool writes before a
// file.
func beginsDiff(text []byte) bool {
	for _, p := range []string{"diff --git ", "diff --cc ", "diff --combined ", "diff -", "Index: "} {
		if bytes.HasPrefix(text, []byte(p)) {
			return true
		}
	}
	return false
}

// beginsPlainFile reports whether a line is the first one of a file without a
// command before it.
func beginsPlainFile(text, after []byte) bool {
	return bytes.HasPrefix(text, []byte("--- ")) && bytes.HasPrefix(after, []byte("+++ "))
}

// isHunkHeader reports whether a line is "@@ -1,2 +3,4 @@", or with more signs
// that of a merge.
func isHunkHeader(text []byte) bool {
	signs := 0
	for signs < len(text) && text[signs] == '@' {
		signs++
	}
	if signs < 2 || !bytes.HasPrefix(text[signs:], []byte(" -")) {
		return false
	}
	return bytes.Contains(text[signs:], text[:signs]) && bytes.Contains(text, []byte(" +"))
}

// isDiffHeader reports whether only a diff has such a line.
func isDiffHeader(text []byte) bool {
	return bytes.HasPrefix(text, []byte("diff --git ")) || bytes.HasPrefix(text, []byte("diff --cc ")) || isHunkHeader(text)
}

// isDiff reports whether a sample begins as a diff: with a file, or with a
// commit that has one.
func (s sample) isDiff() bool {
	if len(s.lines) < 2 {
		return false
	}
	first := s.lines[0]
	switch {
	case bytes.HasPrefix(first, []byte("diff --git ")), bytes.HasPrefix(first, []byte("diff --cc ")):
		return true
	case isCommitLine(first) && (bytes.HasPrefix(s.lines[1], []byte("Author: ")) || bytes.HasPrefix(s.lines[1], []byte("Merge: "))): // git log
		return true
	case beginsPlainFile(first, s.lines[1]), beginsDiff(first), isCommitLine(first):
		return s.any(isDiffHeader)
	}
	return false
}

// rankDiff ranks the lines of a diff: first the subject of every commit, then the
// lines that begin a commit or a file, then changes, as many bytes of each file,
// and then context. Commits come from the first, the newest, on.
func rankDiff(list []Ranked) {
	var d diffReader
	part := &share{} // of the current file, or of the message of a commit
	commits := 0
	for i := range list {
		r := &list[i]
		if i > 0 && list[i-1].Number != r.Number-1 {
			d.gap()
		}
		var after []byte
		if i+1 < len(list) && list[i+1].Number == r.Number+1 {
			after = textscan.WithoutEscapes(list[i+1].Line.Text)
		}
		text := textscan.WithoutEscapes(r.Line.Text)
		switch kind := d.next(text, after); kind {
		case diffCommit, diffFile:
			part = &share{weight: headerWeight(text)}
			r.set(scoreHeading, 0, KeepStructure)
			if kind == diffCommit && commits < mostNamed {
				commits++
				r.set(scoreSubject, 0, KeepStructure)
			}
		case diffSubject:
			r.set(scoreSubject, 0, KeepStructure)
		case diffNote:
			r.set(scoreNamed, 0, KeepStructure)
		case diffHunk:
			r.set(scoreContent, part.turn(text), KeepStructure)
		case diffPath, diffFact: // say little that the lines before do not
			r.set(scoreBeside, 0, KeepStructure)
		case diffChange:
			turn := part.turn(text)
			if len(bytes.TrimSpace(text)) > 1 {
				r.set(scoreContent, turn, KeepContext)
			} else { // an empty line
				r.set(scoreBeside, turn, KeepContext)
			}
		default:
			r.set(scoreBeside, part.had, KeepContext)
		}
	}
	InOrder(list)
}

// scoreSubject is the score of the subject of a commit: it says more than its name,
// which only the first commits have with it. Names of objects cost many tokens.
const (
	scoreSubject = scoreHeading + 1
	mostNamed    = 3
)

// headerWeight returns the weight of the file that the first line of a header
// names.
func headerWeight(text []byte) int {
	if i := bytes.LastIndexByte(text, ' '); i >= 0 {
		return pathWeight(text[i+1:])
	}
	return 1
}

// InOrder lets lines that are ranked alike come in the order of the
// payload.
func InOrder(list []Ranked) {
	for i := range list {
		list[i].turn = list[i].turn<<20 | min(i, 1<<20-1)
	}
}
