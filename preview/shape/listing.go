package shape

import (
	"bytes"
	"path"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Listings of files: ls -l, ls -R, find, tree. A directory comes before its
// entries, and all directories get as many entries each.

// entry is a line of a listing in parts.
type entry struct {
	heading bool   // "src/main:", before what is in it
	total   bool   // "total 12"
	path    string // of the file, or of the directory of a heading; its parts are apart by slashes
	depth   int    // how far a branch of a tree is from its root; 0 when the line is none
}

// branches begin the lines of a tree.
var branches = [...]string{"├── ", "└── ", "|-- ", "`-- ", "+-- ", "├─┬ ", "└─┬ ", "├─ ", "└─ "}

// parseEntry reads a line of a listing. It reports false for a line that is no
// entry.
func parseEntry(text []byte) (entry, bool) {
	text = bytes.TrimRight(text, " \r")
	for _, b := range branches {
		if i := bytes.Index(text, []byte(b)); i >= 0 && isTrunk(text[:i]) {
			return entry{path: string(text[i+len(b):]), depth: 1 + i/4}, true
		}
	}
	switch {
	case len(text) == 0:
		return entry{}, false
	case bytes.HasPrefix(text, []byte("total ")):
		_, digits := number(text[len("total "):])
		return entry{total: true}, digits > 0
	case isMode(text):
		fields := bytes.Fields(text)
		if len(fields) < 4 {
			return entry{}, false
		}
		return entry{path: string(fields[len(fields)-1])}, true
	case text[len(text)-1] == ':' && isName(text[:len(text)-1]):
		return entry{heading: true, path: string(text[:len(text)-1])}, true
	case isName(text):
		return entry{path: string(text)}, true
	}
	return entry{}, false
}

// isTrunk reports whether a text is the part of a line before the branch of a
// tree.
func isTrunk(text []byte) bool {
	for _, c := range string(text) {
		if c != ' ' && c != '\u00a0' && c != '│' && c != '|' {
			return false
		}
	}
	return true
}

// isMode reports whether a line begins as one of "ls -l" does.
func isMode(text []byte) bool {
	if len(text) < 11 || bytes.IndexByte([]byte("-dlcbps"), text[0]) < 0 {
		return false
	}
	for _, c := range text[1:10] {
		if bytes.IndexByte([]byte("rwxsStT-"), c) < 0 {
			return false
		}
	}
	return bytes.IndexByte([]byte(" .+@"), text[10]) >= 0
}

// isName reports whether a text may be a name or a path of a file and nothing
// else.
func isName(text []byte) bool {
	for _, c := range text {
		switch {
		case c < ' ' || c == ' ' || c == ':' || c == '"' || c == '(' || c == ')' || c == '<' || c == '>' || c == '|' || c == '=' || c == ';' || c == '{' || c == '}':
			return false
		}
	}
	return len(text) > 0 && len(text) <= longestPath && (inWordStart(text[0]) || bytes.IndexByte([]byte("/.$_@+~"), text[0]) >= 0)
}

// inWordStart reports whether a word can begin with c: a letter, a digit, or a
// byte of a character that is not ASCII.
func inWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// leastEntries is how many lines a listing has at least.
const leastEntries = 6

// isListing reports whether a sample is of names of files: lines of "ls -l",
// branches of a tree, or names most of which have a slash or an ending.
func (s sample) isListing() bool {
	names, modes, tree, parts, headings := 0, 0, 0, 0, 0
	_, all := s.count(func(text []byte) bool {
		e, ok := parseEntry(text)
		switch {
		case !ok:
		case e.depth > 0:
			tree++
		case isMode(text) || e.total:
			modes++
		default:
			names++
			if e.heading {
				headings++
			}
			if e.heading || strings.Contains(e.path, "/") || path.Ext(e.path) != "" && path.Ext(e.path) != "." {
				parts++
			}
		}
		return ok
	})
	switch listed := names + modes + tree; {
	case listed < leastEntries:
		return false
	case tree*5 >= all*3, modes*5 >= all*3:
		return listed*10 >= all*8
	default:
		return listed*20 >= all*19 && (parts*10 >= all*7 || headings > 0 && s.first()[len(s.first())-1] == ':')
	}
}

// directory is one directory of a listing.
type directory struct {
	share
	base int // before which none of its entries comes
}

// rankListing ranks the lines of a listing: the headings of directories, those
// nearest to the root first, and then as many entries of each directory. A
// directory comes before its entries.
func rankListing(list []Ranked) {
	l := listing{directories: map[string]*directory{"": {}, ".": {}, "/": {}}, turns: map[string]int{}, mixed: mixed(list)}
	for i := range list {
		r := &list[i]
		text := textscan.WithoutEscapes(r.Line.Text)
		e, ok := parseEntry(text)
		switch {
		case !ok:
			r.set(1, 0, KeepContext)
			if len(text) > 0 { // "3 directories, 4 files", the root of a tree
				r.set(scoreNamed, 0, KeepStructure)
			}
		case e.total:
			r.set(scoreNamed, strings.Count(l.heading, "/"), KeepStructure)
		case e.heading:
			l.heading = strings.TrimSuffix(e.path, "/")
			r.set(scoreHeading, strings.Count(l.heading, "/")*pathWeight([]byte(l.heading)), KeepStructure)
		case e.depth > 0:
			l.branch(r, e, text)
		default:
			l.name(r, e, text)
		}
	}
	inOrder(list)
}

// listing is the state of ranking, with what earlier lines said.
type listing struct {
	heading     string
	directories map[string]*directory
	turns       map[string]int // of the entries, which may be directories
	trunk       []trunk
	mixed       bool // in no order of directories
}

// trunk is a branch of a tree that may have branches.
type trunk struct {
	depth int
	directory
}

// mixed reports whether paths come in no order of their directories, which they
// leave for another and come back to again and again. Such a list is sorted by
// something else, size or time, so its first lines matter.
func mixed(list []Ranked) bool {
	parents, changes, last := map[string]struct{}{}, 0, ""
	for i := range list {
		if e, ok := parseEntry(textscan.WithoutEscapes(list[i].Line.Text)); ok && !e.total && !e.heading && e.depth == 0 {
			if parent := parentDirectory(e.path); parent != last {
				changes, last = changes+1, parent
				parents[parent] = struct{}{}
			}
		}
	}
	return 2*changes > 3*len(parents)+leastEntries
}

// parentDirectory returns the directory of a path; "" of a name alone.
func parentDirectory(path string) string {
	return path[:max(0, strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/'))]
}

// name ranks a name, under a heading or with a path.
func (l *listing) name(r *Ranked, e entry, text []byte) {
	p := strings.TrimSuffix(e.path, "/")
	if l.heading != "" {
		p = l.heading + "/" + p
	}
	parent := parentDirectory(p)
	if l.mixed {
		parent = ""
	}
	d := l.directories[parent]
	if d == nil {
		d = &directory{share: share{weight: pathWeight([]byte(parent))}, base: strings.Count(parent, "/") * usualLineBytes}
		if at, listed := l.turns[parent]; listed && l.heading == "" { // under a heading it has been named already
			d.base = at
		}
		l.directories[parent] = d
	}
	turn := d.base + d.turn(text)
	l.turns[p] = turn
	r.set(scoreContent, turn, KeepContext)
}

// branch ranks a branch of a tree.
func (l *listing) branch(r *Ranked, e entry, text []byte) {
	for len(l.trunk) > 0 && l.trunk[len(l.trunk)-1].depth >= e.depth {
		l.trunk = l.trunk[:len(l.trunk)-1]
	}
	d := l.directories[""]
	if len(l.trunk) > 0 {
		d = &l.trunk[len(l.trunk)-1].directory
	}
	turn := d.base + d.turn(text)
	weight := max(d.weight, pathWeight([]byte(e.path)))
	l.trunk = append(l.trunk, trunk{depth: e.depth, directory: directory{share: share{weight: weight}, base: turn}})
	r.set(scoreContent, turn, KeepContext)
}
