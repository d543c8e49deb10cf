package shape

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// A readable form of diffs and logs of commits: what they have comes first, one line
// for each commit or file with its size, and then all of the text as it was written.

// Patch is a diff or a log of commits in its readable form.
type Patch struct {
	text   []byte
	names  int // lines before the text, with the empty one behind them
	lines  int
	groups []PatchGroup
	hunks  bool // it has changes, and not commits alone
}

// PatchGroup is lines of the form that are shown together: a hunk, or what is said of
// a commit.
type PatchGroup struct {
	First, Last int // lines, from 0, without the one behind them
	Header      int // line before them that names their file; -1: none
	File        int // first line of the file
	turn        int // the lower one comes first
}

// Bounds of a patch that is read: its lines, and those before its first commit or file,
// which say what was done.
const (
	mostPatchLines    = 1 << 17
	mostPatchPreamble = 48
	mostForeign       = 10 // one line in this many is of something else
)

// patchFile is a file of a diff, or a commit.
type patchFile struct {
	name, note   string
	added, taken int
	files        int // of a commit
	weight       int // over 1: no person writes it
}

// patchReader reads a patch line by line.
type patchReader struct {
	d       diffReader
	line    int
	commits []patchFile
	files   []patchFile
	groups  []PatchGroup
	share   *share // of the current file
	header  int    // line that names the current file; -1: none
	started int    // first line of the current file
	part    diffLine
	stated  bool // the size of the current commit
	foreign int  // lines that no diff and no log of commits has
}

// ParsePatch reads a diff, or a log of commits, or both, with a few lines before it. It
// returns nil for any other text, and for one that has one commit and no file, or so
// many lines that the form would take much memory.
func ParsePatch(text []byte) *Patch {
	if !mayBePatch(text) || bytes.Count(text, []byte{'\n'}) > mostPatchLines {
		return nil
	}
	r := patchReader{header: -1, share: &share{}}
	lines := bytes.SplitAfter(text, []byte{'\n'})
	if last := len(lines) - 1; len(lines[last]) == 0 {
		lines = lines[:last]
	}
	for i, line := range lines {
		var after []byte
		if i+1 < len(lines) {
			after = visibleLine(lines[i+1])
		}
		r.next(visibleLine(line), after)
		if r.line > mostPatchPreamble && len(r.commits)+len(r.files) == 0 {
			return nil
		}
	}
	r.end()
	if len(r.commits) < 2 && len(r.files) == 0 || r.foreign*mostForeign > r.line {
		return nil
	}
	return r.patch(text)
}

// mayBePatch reports whether a text has a line that begins a commit or a file.
func mayBePatch(text []byte) bool {
	for n := 0; n < mostPatchPreamble && len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		line = visibleLine(line)
		if isCommitLine(line) || beginsDiff(line) || beginsPlainFile(line, visibleLine(rest[:min(len(rest), 16)])) {
			return true
		}
		text = rest
	}
	return false
}

// visibleLine returns a line without its end and its colours.
func visibleLine(line []byte) []byte {
	return bytes.TrimRight(textscan.WithoutEscapes(line), "\r\n")
}

// next reads a line; after is the one behind it.
func (r *patchReader) next(text, after []byte) {
	kind := r.d.next(text, after)
	if (kind == diffCommit || kind == diffFile) && len(r.commits)+len(r.files) == 0 && r.line > 0 {
		r.groups = append(r.groups, PatchGroup{Last: r.line, Header: -1})
	}
	switch kind {
	case diffCommit:
		r.end()
		name := text[bytes.IndexByte(text, ' ')+1:]
		hash, decoration, _ := bytes.Cut(name, []byte(" "))
		c := patchFile{name: string(hash[:min(len(hash), shortHash)])}
		if text[0] == 'c' {
			c.note = string(decoration)
		}
		r.commits = append(r.commits, c)
		r.share, r.header, r.stated = &share{}, -1, false
		r.begin(-1)
	case diffSubject:
		r.subject(bytes.TrimSpace(text))
	case diffFact:
		if subject, ok := bytes.CutPrefix(text, []byte("Subject: ")); ok {
			r.subject(subject)
		}
	case diffFile:
		r.end()
		r.file(text, after)
	case diffNote:
		r.note(text)
	case diffPath:
		if bytes.HasPrefix(text, []byte("+++ ")) && !bytes.HasPrefix(text, []byte("+++ /dev/null")) {
			r.header = r.line
		}
	case diffHunk:
		r.end()
		r.begin(r.header)
	case diffChange:
		r.change(text)
	case diffOther:
		if r.part == diffChange || r.part == diffHunk { // behind the last hunk
			r.end()
		}
		r.total(text)
		if len(r.commits)+len(r.files) > 0 && len(text) > 0 && text[0] != ' ' && bytes.IndexByte(text, ' ') >= 0 { // no name of --name-only
			r.foreign++
		}
	}
	if n := len(r.groups); n > 0 && r.groups[n-1].Last < 0 {
		r.groups[n-1].turn = r.share.turn(text)
	}
	r.part = kind
	r.line++
}

// shortHash is how many digits of the name of a commit its line has.
const shortHash = 10

// begin begins a group at the current line.
func (r *patchReader) begin(header int) {
	r.groups = append(r.groups, PatchGroup{First: r.line, Last: -1, Header: header, File: r.started})
}

// end ends the current group, if there is one.
func (r *patchReader) end() {
	if n := len(r.groups); n > 0 && r.groups[n-1].Last < 0 {
		r.groups[n-1].Last = r.line
	}
}

// subject takes the first line of the message of a commit.
func (r *patchReader) subject(text []byte) {
	if n := len(r.commits); n > 0 {
		c := &r.commits[n-1]
		c.note = strings.TrimSpace(c.note + " " + string(text))
	}
}

// file begins a file.
func (r *patchReader) file(text, after []byte) {
	f := patchFile{name: fileOf(text, after)}
	f.weight = pathWeight([]byte(f.name))
	r.files = append(r.files, f)
	r.share, r.header, r.started = &share{weight: f.weight}, r.line, r.line
	if n := len(r.commits); n > 0 && !r.stated {
		r.commits[n-1].files++
	}
}

// fileOf returns the name of the file that a line begins.
func fileOf(text, after []byte) string {
	name := text
	switch {
	case bytes.HasPrefix(text, []byte("diff --git ")):
		if i := bytes.LastIndex(text, []byte(" b/")); i >= 0 {
			return string(text[i+len(" b/"):])
		}
		name = text[bytes.LastIndexByte(text, ' ')+1:]
	case bytes.HasPrefix(text, []byte("--- ")):
		name, _, _ = bytes.Cut(text[len("--- "):], []byte("\t"))
		if other, ok := bytes.CutPrefix(after, []byte("+++ ")); ok && !bytes.HasPrefix(other, []byte("/dev/null")) {
			name, _, _ = bytes.Cut(other, []byte("\t"))
		}
	case bytes.HasPrefix(text, []byte("Index: ")), bytes.HasPrefix(text, []byte("diff ")):
		name = text[bytes.LastIndexByte(text, ' ')+1:]
	}
	return string(bytes.TrimPrefix(bytes.TrimPrefix(name, []byte("b/")), []byte("a/")))
}

// patchNotes are words for lines of the header of a file.
var patchNotes = [...][2]string{
	{"new file", "new"}, {"deleted file", "deleted"}, {"rename from ", "renamed from "}, {"copy from ", "copied from "}, {"Binary files ", "binary"},
	{"GIT binary patch", "binary"}, {"new mode ", "mode "},
}

// note takes what became of a file.
func (r *patchReader) note(text []byte) {
	n := len(r.files)
	if n == 0 || r.files[n-1].note != "" {
		return
	}
	for _, note := range patchNotes {
		if rest, ok := bytes.CutPrefix(text, []byte(note[0])); ok {
			if r.files[n-1].note = note[1]; strings.HasSuffix(note[1], " ") {
				r.files[n-1].note += string(rest)
			}
			return
		}
	}
}

// change counts a changed line of the current file.
func (r *patchReader) change(text []byte) {
	n := len(r.files)
	if n == 0 {
		return
	}
	added := bytes.IndexByte(text[:min(len(text), max(1, r.d.columns))], '+') >= 0
	for _, list := range [][]patchFile{r.files, r.commits} {
		if k := len(list); k > 0 && added {
			list[k-1].added++
		} else if k > 0 {
			list[k-1].taken++
		}
	}
}

// total takes the size of a commit, as --stat states it: " 3 files changed, 12
// insertions(+), 4 deletions(-)".
func (r *patchReader) total(text []byte) {
	n := len(r.commits)
	if n == 0 || !bytes.Contains(text, []byte(" changed, ")) || text[0] != ' ' {
		return
	}
	c := &r.commits[n-1]
	c.files, _ = textscan.Number(text[1:])
	for part := range bytes.SplitSeq(text, []byte(",")) {
		count, _ := textscan.Number(bytes.TrimSpace(part))
		switch {
		case bytes.Contains(part, []byte("insertion")):
			c.added, r.stated = count, true
		case bytes.Contains(part, []byte("deletion")):
			c.taken, r.stated = count, true
		}
	}
}

// patch returns the form of a text that was read.
func (r *patchReader) patch(text []byte) *Patch {
	var b bytes.Buffer
	p := &Patch{hunks: len(r.files) > 0}
	add := func(line string) {
		b.WriteString(line + "\n")
		p.names++
	}
	for i := range r.commits {
		c := &r.commits[i]
		if len(r.commits) == 1 && len(r.files) > 0 {
			c.files = 0 // the table says it
		}
		add(strings.TrimSpace(c.name + " " + c.note + c.size()))
	}
	if len(r.commits) < 2 {
		r.addFiles(add)
	}
	add("")
	b.Write(text)
	if text[len(text)-1] != '\n' {
		b.WriteByte('\n')
	}
	p.text, p.lines, p.groups = b.Bytes(), p.names+r.line, r.groups
	for i := range p.groups {
		g := &p.groups[i]
		g.First, g.Last = g.First+p.names, g.Last+p.names
		if g.Header >= 0 {
			g.Header, g.File = g.Header+p.names, g.File+p.names
		}
	}
	if p.hunks {
		slices.SortStableFunc(p.groups, func(a, b PatchGroup) int { return cmp.Compare(a.turn, b.turn) })
	}
	if len(r.commits) == 1 { // its message comes first
		i := slices.IndexFunc(p.groups, func(g PatchGroup) bool { return g.Header < 0 })
		message := p.groups[i]
		p.groups = slices.Insert(slices.Delete(p.groups, i, i+1), 0, message)
	}
	return p
}

// size states how much a commit changes.
func (f *patchFile) size() string {
	if f.files == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d %s%s)", f.files, plural("file", f.files), f.changes())
}

// plural returns a word for n things.
func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// changes states how many lines are added and deleted.
func (f *patchFile) changes() (text string) {
	if f.added > 0 {
		text += " +" + strconv.Itoa(f.added)
	}
	if f.taken > 0 {
		text += " -" + strconv.Itoa(f.taken)
	}
	return text
}

// addFiles adds the table of the files, that with most changes first and those that no
// person writes last.
func (r *patchReader) addFiles(add func(line string)) {
	if len(r.files) > 1 {
		all := patchFile{}
		for i := range r.files {
			all.added, all.taken = all.added+r.files[i].added, all.taken+r.files[i].taken
		}
		add(fmt.Sprintf("%d files%s", len(r.files), all.changes()))
	}
	files := slices.Clone(r.files)
	slices.SortStableFunc(files, func(a, b patchFile) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(b.added+b.taken, a.added+a.taken))
	})
	for i := range files {
		line := files[i].name + files[i].changes()
		if files[i].note != "" {
			line += " (" + files[i].note + ")"
		}
		add(line)
	}
}

// Text returns the readable form. It ends with a line end.
func (p *Patch) Text() []byte { return p.text }

// Len returns the lines of the form.
func (p *Patch) Len() int { return p.lines }

// Names returns how many lines of the form say what the text has; the last one is empty.
func (p *Patch) Names() int { return p.names }

// HasHunks reports whether the text has changes, and not commits alone.
func (p *Patch) HasHunks() bool { return p.hunks }

// Groups returns the hunks and what is said of commits, in the order in which they are
// shown: as many bytes of each file, and commits from the first on.
func (p *Patch) Groups() []PatchGroup { return p.groups }

// SetRank gives a line a place among those that are shown: the lower turn comes first.
func (r *Ranked) SetRank(score, turn int, reason Reason) { r.set(score, turn, reason) }
