package shape

import "strings"

// Folders deal out turns to lines that have paths: entries of a listing, matches
// of a search. The turns are breadth first. The lines that name a folder come
// before any that is deeper; then what is below each folder has an equal share,
// and so on down the tree, so a folder with ten thousand files gets no more than
// one with ten.

// Bounds of the shares of folders.
const (
	mostRate   = 1 << 16 // how many times as much a deep line may count
	ownShare   = 8       // of a folder's own files one in eight counts: they are nearer than what is below other folders
	leafCost   = 4       // how many times as much the first match of a file costs as that of a folder beside it
	batchBytes = 160     // lines of a folder that come in one turn, so that marks between them do not cost more than they
	turnLimit  = 1 << 40
)

// folder is one directory, or the file that matches of a search are in.
type folder struct {
	parent  *folder
	parts   int  // folders directly in it
	depth   int  // folders above it
	weight  int  // how many times as much its lines count
	listed  bool // a line names it
	named   bool // a line below it stands for its name
	heading int  // index of the line that its entries are under, from 1; 0 without one
	begun   bool // its first entry was ranked
	opening int  // what that line and the mark before it cost with the first entry, in bytes

	naming     int  // bytes of the lines that name its folders
	namedSoFar int  // of them
	leaf       bool // a file with matches
	leaves     int  // bytes of the lines that name its files with matches
	leafSoFar  int  // of them
	own        share
	placed     bool
	start      int // turn of the first line in it
	rate       int // how many times as much its lines count for its depth
}

// folders is a tree of folders.
type folders struct {
	root   folder
	byPath map[string]*folder
}

// newFolders returns a tree of the root alone.
func newFolders() *folders {
	return &folders{root: folder{weight: 1, placed: true, rate: 1}, byPath: map[string]*folder{}}
}

// cleanPath returns a path without what is the same in all paths of a list.
func cleanPath(path string) string {
	path = strings.TrimSuffix(path, "/")
	if path == "." {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, "./"), "/")
}

// at returns the folder of a clean path, and makes it and those above it.
func (f *folders) at(path string) *folder {
	if path == "" {
		return &f.root
	}
	if known := f.byPath[path]; known != nil {
		return known
	}
	parent := f.at(parentDirectory(path))
	made := &folder{parent: parent, depth: parent.depth + 1, weight: parent.weight}
	if made.weight == 1 {
		made.weight = pathWeight([]byte(path[strings.LastIndexByte(path, '/')+1:]))
	}
	parent.parts++
	f.byPath[path] = made
	return made
}

// names returns the topmost folder, f or one above it, that no line has named so
// far, and marks all up to it as named; nil if there is none. A line below it
// stands for its name.
func (f *folder) names() (top *folder) {
	for ; f.parent != nil && !f.listed && !f.named; f = f.parent {
		f.named, top = true, f
	}
	return top
}

// lineBytes is the cost of a line.
func lineBytes(text []byte) int { return min(len(text), 4*usualLineBytes) + lineCost }

// place computes when the lines of a folder begin, once the folders of its
// parent are known: behind all names of folders that are beside it.
func (f *folder) place() {
	if f.placed {
		return
	}
	p := f.parent
	p.place()
	f.placed = true
	f.start = min(turnLimit, p.start+p.naming*p.rate)
	if f.leaf {
		f.start = min(turnLimit, f.start+leafCost*p.leaves*p.rate)
	}
	f.rate = min(mostRate, p.rate*(p.parts+1)) * f.weight / p.weight
	if f.listed { // its heading names nothing new
		f.start = min(turnLimit, f.start+f.opening*f.rate)
	}
	if f.weight > p.weight { // others come first
		f.start += noisyWeight * batchBytes * f.rate
	}
}

// nameTurn returns the turn of a line that names f, among those of the folders beside it
// or, for a file with matches, among those of the files.
func (f *folder) nameTurn(text []byte) int {
	p := f.parent
	p.place()
	all, soFar, cost := p.naming, &p.namedSoFar, 1
	if f.leaf {
		all, soFar, cost = p.leaves, &p.leafSoFar, leafCost
	}
	turn := p.start + cost**soFar*p.rate
	if f.weight > p.weight { // behind the others
		turn = max(turn, p.start+cost*all*p.rate-1)
	}
	*soFar += lineBytes(text)
	return min(turn, turnLimit)
}

// countName counts the cost of a line that names f.
func (f *folder) countName(text []byte) {
	if f.leaf {
		f.parent.leaves += lineBytes(text)
	} else {
		f.parent.naming += lineBytes(text)
	}
}

// ownTurn returns the turn of a line in f. Lines that begin in the same batch of bytes
// have the same turn.
func (f *folder) ownTurn(text []byte, batch int) int {
	f.place()
	turn := f.start + (f.naming+f.own.had/batch*batch*max(1, (f.parts+ownShare-1)/ownShare))*f.rate
	f.own.turn(text)
	return min(turn, turnLimit)
}
