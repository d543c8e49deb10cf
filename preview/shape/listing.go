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
	text = blanksAndReturns.TrimRight(text)
	if mayBranch(text) {
		for _, b := range branches {
			if i := bytes.Index(text, []byte(b)); i >= 0 && isTrunk(text[:i]) {
				return entry{path: string(text[i+len(b):]), depth: 1 + i/4}, true
			}
		}
	}
	switch {
	case len(text) == 0:
		return entry{}, false
	case bytes.HasPrefix(text, []byte("total ")):
		_, digits := textscan.Number(text[len("total "):])
		return entry{total: true}, digits > 0
	case isMode(text):
		fields := bytes.Fields(text)
		if len(fields) < 4 {
			return entry{}, false
		}
		name, _, linked := bytes.Cut(text, []byte(" -> "))
		if linked {
			fields = bytes.Fields(name)
		}
		return entry{path: string(fields[len(fields)-1])}, true
	case text[len(text)-1] == ':' && isName(text[:len(text)-1]):
		return entry{heading: true, path: string(text[:len(text)-1])}, true
	case isName(text):
		return entry{path: string(text)}, true
	}
	name := changedPath(text)
	return entry{path: string(name)}, name != nil
}

// mayBranch reports whether a line begins as one of a tree does: with a byte of the trunk, or of a branch.
func mayBranch(text []byte) bool {
	return len(text) > 0 && bytes.IndexByte([]byte(" |`+\xc2\xe2"), text[0]) >= 0
}

// changeLetters are the letters of git for what became of a file.
const changeLetters = "MADRCTUX?! "

// changedPath returns the path of a line of git diff --name-status, --numstat or
// --stat, of git status --short, or of a list of branches; nil for other lines.
func changedPath(text []byte) []byte {
	if tab := bytes.LastIndexByte(text, '\t'); tab > 0 {
		if first := text[:bytes.IndexByte(text, '\t')]; len(first) > 0 && (len(first) <= 4 || len(digitSet.Trim(first)) == 0) {
			if bytes.IndexByte([]byte(changeLetters+"-0123456789"), first[0]) >= 0 && isName(text[tab+1:]) {
				return text[tab+1:]
			}
		}
		return nil
	}
	if bar := bytes.Index(text, []byte(" | ")); bar > 0 && text[0] == ' ' {
		if name := bytes.TrimSpace(text[:bar]); isName(name) {
			return name
		}
		return nil
	}
	if len(text) > 3 && text[2] == ' ' && bytes.IndexByte([]byte(changeLetters), text[0]) >= 0 && bytes.IndexByte([]byte(changeLetters), text[1]) >= 0 {
		if name := text[3:]; isName(name) {
			return name
		}
	}
	if len(text) > 2 && text[1] == ' ' && bytes.IndexByte([]byte(" *+"), text[0]) >= 0 && isName(text[2:]) {
		return text[2:]
	}
	return nil
}

// isCurrent reports whether a line names the branch that is checked out, in the list
// of git branch.
func isCurrent(text []byte) bool { return bytes.HasPrefix(text, []byte("* ")) }

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

// attributesLength returns how many bytes a line of "ls -l" has before the name of the
// file; 0 of other lines, and where the date, which is the last of them, is not certain.
func attributesLength(text []byte) int {
	if !isMode(text) {
		return 0
	}
	rest := text
	for fields := 1; fields < mostAttributes; fields++ {
		var field []byte
		field, rest = nextField(rest)
		clock := bytes.IndexByte(field, ':') == 2 && fields > 4                 // "Nov 25 09:47"
		year := fields > 5 && len(field) == 4 && len(digitSet.Trim(field)) == 0 // "Nov 25  2024"
		if clock || year {
			if zone, name := nextField(rest); len(zone) == 5 && (zone[0] == '+' || zone[0] == '-') { // of --full-time
				rest = name
			}
			return len(text) - len(bytes.TrimLeft(rest, " "))
		}
	}
	return 0
}

// mostAttributes is more fields than are before the name of a file: mode, links, owner,
// group, two numbers of a device, and three of a date.
const mostAttributes = 10

// NamesAlone returns how many bytes of a line of a listing are omitted where not all of it
// fits: of "ls -lR", which is of several folders, the attributes before the names, so that
// far more files are named. It returns nil for other listings.
func NamesAlone(list []Ranked) func(text []byte) int {
	headings, modes := 0, 0
	for i := range list {
		switch text := list[i].Line.Text; {
		case isMode(text):
			modes++
		case len(text) > 1 && text[len(text)-1] == ':' && isName(text[:len(text)-1]):
			headings++
		}
	}
	if headings < 2 || modes*2 < len(list) {
		return nil
	}
	return attributesLength
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
	return len(text) > 0 && len(text) <= longestPath && (textscan.BeginsWord(text[0]) || bytes.IndexByte([]byte("/.$_@+~"), text[0]) >= 0)
}

// leastEntries is how many lines a listing has at least.
const leastEntries = 6

// isListing reports whether a sample is of names of files: lines of "ls -l",
// branches of a tree, or names most of which have a slash or an ending.
func (s sample) isListing() bool {
	return s.isMeasured() || s.isRevisions() || s.listsFiles()
}

// listsFiles reports whether a sample is of names of files.
func (s sample) listsFiles() bool {
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

// listed is a line of a listing with its place in the tree.
type listed struct {
	entry
	is     listedLine
	folder *folder // of the entry, or of the heading
	below  *folder // that the line names; nil for the name of a file
}

// listedLine is the kind of a line of a listing.
type listedLine uint8

const (
	listedOther   listedLine = iota // "3 directories, 4 files", the root of a tree
	listedBlank                     // an empty line, "." and ".."
	listedTotal                     // "total 12"
	listedHeading                   // "./src:"
	listedEntry
)

// mostOthers is how many lines that are no entries come first, at the start and
// at the end of a listing: a program may say of each directory that it is closed.
const mostOthers = 3

// rankListing ranks the lines of a listing, breadth first: the names of folders
// nearest to the root, then as much of what is in each of them, and so on. The
// heading of a folder comes with its first entry.
func rankListing(list []Ranked) {
	if rankMeasured(list) || rankRevisions(list) || rankChanges(list) {
		return
	}
	lines := readListing(list)
	shown := func(i int) []byte { return list[i].Line.Text }
	omitted := NamesAlone(list)
	if omitted != nil {
		shown = func(i int) []byte { return list[i].Line.Text[omitted(list[i].Line.Text):] }
	}
	inMixed := mixed(lines)
	tree := growTree(lines)
	for i := range lines {
		if l := &lines[i]; l.is >= listedHeading && !inMixed {
			l.nameFolder(tree, list[i].Line.Text, shown(i))
		}
	}
	others := 0
	for i := range lines {
		switch l, r := &lines[i], &list[i]; l.is {
		case listedBlank:
			r.set(1, 0, KeepContext)
		case listedOther:
			if others++; others <= mostOthers || i >= len(lines)-mostOthers {
				r.set(scoreNamed, 0, KeepStructure)
			} else {
				r.set(scoreBeside, 0, KeepContext)
			}
		case listedTotal:
			r.set(scoreBeside, 0, KeepStructure)
		case listedHeading:
			switch {
			case l.below != nil: // nothing else names it
				r.set(scoreContent, l.turn(shown(i)), KeepStructure)
			case l.folder.parent == nil:
				r.set(scoreContent, 0, KeepStructure)
			default: // with its first entry, below
				r.set(scoreBeside, 0, KeepStructure)
			}
		case listedEntry:
			if isCurrent(textscan.WithoutEscapes(r.Line.Text)) {
				r.set(scoreNamed, 0, KeepStructure)
				continue
			}
			if inMixed {
				r.set(scoreContent, 0, KeepContext)
				continue
			}
			turn := l.turn(shown(i))
			r.set(scoreContent, turn, KeepContext)
			if f := l.folder; f.heading > 0 && f.heading <= i && !f.begun {
				f.begun = true
				if h := &list[f.heading-1]; h.Score < scoreContent {
					h.set(scoreContent, turn, KeepStructure)
				}
				if omitted != nil {
					joined(list[f.heading:i], turn)
				}
			}
		}
	}
	InOrder(list)
}

// mostJoined is how many lines are between a heading and its first entry, as they are
// shown, where they cost less than a mark: "total 12", "." and "..".
const mostJoined = 3

// joined has the lines between a heading and its first entry come with that entry.
func joined(between []Ranked, turn int) {
	if len(between) > mostJoined {
		return
	}
	for i := range between {
		between[i].set(scoreContent, turn, KeepContext)
	}
}

// readListing reads the lines of a listing.
func readListing(list []Ranked) []listed {
	lines := make([]listed, len(list))
	heading, trunks := "", []string(nil)
	for i := range list {
		l := &lines[i]
		l.is, l.entry = readListed(textscan.WithoutEscapes(list[i].Line.Text), i == 0)
		switch {
		case l.is == listedHeading:
			heading = cleanPath(l.path)
			l.path = heading
		case l.is != listedEntry:
		case l.depth > 0:
			trunks = append(trunks[:min(len(trunks), l.depth-1)], cleanPath(l.path))
			l.path = strings.Join(trunks, "/")
		default:
			l.path = path.Join(heading, cleanPath(l.path))
		}
	}
	return lines
}

// readListed reads one line of a listing. Once a text is known to be one, a path
// may have any characters.
func readListed(text []byte, first bool) (listedLine, entry) {
	e, ok := parseEntry(text)
	switch name := strings.TrimRight(string(text[:min(len(text), longestPath)]), " \r"); {
	case ok && e.total:
		return listedTotal, e
	case ok && e.heading:
		return listedHeading, e
	case ok && (e.path == "." || e.path == "..") && !first, name == "":
		return listedBlank, e
	case ok:
		return listedEntry, e
	case !strings.Contains(name, ": ") && (strings.Contains(name, "/") || textscan.BeginsWord(name[0]) && (name[0] < '0' || name[0] > '9')):
		return listedEntry, entry{path: name} // "ls: cannot access 'x'" and "3 directories" are none
	}
	return listedOther, entry{}
}

// growTree makes the tree of the folders of a listing, and says of each line
// which one it is in.
func growTree(lines []listed) *folders {
	tree := newFolders()
	heading := 0
	for i := range lines {
		switch l := &lines[i]; l.is {
		case listedHeading:
			heading = i + 1
			l.folder = tree.at(l.path)
			l.folder.heading, l.folder.opening = heading, len(l.path)+(1+mostJoined)*lineCost+markBytes
		case listedEntry:
			l.folder = tree.at(parentDirectory(l.path))
		}
	}
	for i := range lines {
		if l := &lines[i]; l.is == listedEntry {
			if l.below = tree.byPath[l.path]; l.below != nil {
				l.below.listed = true
			}
		}
	}
	return tree
}

// nameFolder finds the folder that a line names, itself or as the first line
// below it, and counts the cost of its name as it is shown.
func (l *listed) nameFolder(tree *folders, text, shown []byte) {
	if top := l.folder.names(); top != nil {
		l.below = top
	} else if l.below == nil && l.path != "" && (text[0] == 'd' && isMode(text) || text[len(text)-1] == '/') {
		l.below = tree.at(l.path)
	}
	if l.below != nil && l.below.parent != nil {
		l.below.countName(shown)
	}
}

// turn returns the turn of an entry.
func (l *listed) turn(text []byte) int {
	if l.path == "" { // the root itself
		return 0
	}
	if l.below != nil && l.below.parent != nil {
		return l.below.nameTurn(text)
	}
	return l.folder.ownTurn(text, batchBytes)
}

// mixed reports whether paths come in no order of their directories: again and
// again one follows that was left for another one beside it. Such a list is
// sorted by something else, size or time, so its first lines matter.
func mixed(lines []listed) bool {
	seen, again, last := map[string]struct{}{}, 0, ""
	for i := range lines {
		l := &lines[i]
		if l.is != listedEntry || l.depth > 0 {
			continue
		}
		parent := parentDirectory(l.path)
		if parent == last {
			continue
		}
		if _, before := seen[parent]; before && parent != "" && !strings.HasPrefix(last, parent+"/") {
			again++
		}
		seen[parent], last = struct{}{}, parent
	}
	return 2*again > len(seen)+leastEntries
}

// parentDirectory returns the directory of a path; "" of a name alone.
func parentDirectory(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}

// nextField returns the first word of a text, and what is behind it.
func nextField(text []byte) (field, rest []byte) {
	text = blankSet.TrimLeft(text)
	end := bytes.IndexAny(text, " \t")
	if end < 0 {
		return text, nil
	}
	return text[:end], text[end:]
}
