package shape

import (
	"cmp"
	"slices"
)

// Part is a folder or a file of a search or a listing, with the number of lines of
// all that is in it.
type Part struct {
	Name  string // its path, with a slash behind that of a folder; empty for all others together
	Lines int
	Parts int // how many parts an empty name stands for; otherwise 1
}

// MostParts is how many parts Parts returns at most, with all others as one.
const MostParts = 8

// Parts counts the matches of a search or the entries of a listing by folder, or by
// file where these are few, the largest part first. It returns nil for other shapes,
// and where there is one part alone or each has one line.
func Parts(shape Shape, list []Ranked) []Part {
	paths := pathsOf(shape, list)
	if len(paths) == 0 {
		return nil
	}
	c := countLines(paths)
	top := c.children[c.trunk()]
	for len(top) > 0 && len(top) < MostParts { // the largest is the one to know more of
		c.sort(top)
		more := slices.Clone(c.children[top[0]])
		c.sort(more)
		if len(more) == 0 || len(more)+len(top)-1 > MostParts || c.lines[more[0]] < 2 {
			break
		}
		top = append(more, top[1:]...)
	}
	c.sort(top)
	if len(top) < 2 || c.lines[top[0]] < 2 {
		return nil
	}
	return c.parts(top)
}

// parts returns the parts of sorted paths. Those that are too many, and those of one
// line, are one part together.
func (c *lineCounts) parts(top []string) (parts []Part) {
	alone := slices.IndexFunc(top, func(path string) bool { return c.lines[path] < 2 })
	if alone < 0 || alone == len(top)-1 {
		alone = len(top)
	}
	if len(top) > MostParts {
		alone = min(alone, MostParts-1)
	}
	for _, path := range top[:alone] {
		name := path
		if len(c.children[path]) > 0 {
			name += "/"
		}
		parts = append(parts, Part{name, c.lines[path], 1})
	}
	if alone < len(top) {
		rest := Part{Parts: len(top) - alone}
		for _, path := range top[alone:] {
			rest.Lines += c.lines[path]
		}
		parts = append(parts, rest)
	}
	return parts
}

// pathsOf returns the paths of the matches or the entries of a payload.
func pathsOf(shape Shape, list []Ranked) (paths []string) {
	switch shape {
	case Search:
		for _, l := range readSearch(list) {
			if l.is == foundMatch {
				paths = append(paths, l.in)
			}
		}
	case Listing:
		if _, _, measured := measures(list); measured || isRevisionList(list) {
			return nil
		}
		for _, l := range readListing(list) {
			if l.is == listedEntry && l.path != "" {
				paths = append(paths, l.path)
			}
		}
	}
	return paths
}

// lineCounts are numbers of lines by path; the root is "".
type lineCounts struct {
	lines    map[string]int      // below it, or of itself
	children map[string][]string // directly below it, in the order of the payload
}

// countLines counts paths. Those of folders that have more below them do not count.
func countLines(paths []string) *lineCounts {
	c := &lineCounts{lines: map[string]int{}, children: map[string][]string{}}
	folders := map[string]bool{}
	for _, p := range paths {
		folders[parentDirectory(p)] = true
	}
	for _, p := range paths {
		if folders[p] {
			continue
		}
		for at := p; ; at = parentDirectory(at) {
			if c.lines[at]++; c.lines[at] == 1 && at != "" {
				above := parentDirectory(at)
				c.children[above] = append(c.children[above], at)
			}
			if at == "" {
				break
			}
		}
	}
	return c
}

// trunk returns the lowest path that all lines are below.
func (c *lineCounts) trunk() (path string) {
	for len(c.children[path]) == 1 && len(c.children[c.children[path][0]]) > 0 {
		path = c.children[path][0]
	}
	return path
}

// sort sorts paths, that with the most lines first.
func (c *lineCounts) sort(paths []string) {
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(c.lines[b], c.lines[a]) })
}
