package preview

import (
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// Previews of diffs and logs of commits show the readable form of shape.Patch: first
// what there is, one line for each commit or file, and then whole hunks.

// Patch is a diff or a log of commits in its readable form.
type Patch struct {
	patch   *shape.Patch
	excerpt *Excerpt
	counter string // the name of that of the costs
	costs   []int  // of lines, in tokens, plus one; 0: not known
}

// ParsePatch reads a diff or a log of commits. It returns nil for any other text. The
// readable form is a copy.
func ParsePatch(text []byte) *Patch {
	parsed := shape.ParsePatch(text)
	if parsed == nil {
		return nil
	}
	e := excerptOfForm(parsed.Text(), parsed.Len())
	if e == nil {
		return nil
	}
	e.seen = seenShape{known: true, shape: shape.Diff}
	return &Patch{patch: parsed, excerpt: e}
}

// Text returns the readable form. It ends with a line end.
func (p *Patch) Text() []byte { return p.patch.Text() }

// Bytes returns the size of the readable form.
func (p *Patch) Bytes() int64 { return int64(len(p.patch.Text())) }

// Shares of a budget, in percent.
const (
	namesOfFiles   = 60 // lines that name files, or commits with changes
	namesOfCommits = 85 // lines that name commits
)

// leastOfHunk is what a part of a hunk costs at least, in tokens, where no whole one fits.
const leastOfHunk = 160

// Select makes a preview that costs about b at most. What there is comes first; then
// hunks, whole while they fit and in turns of the files; then the beginnings of others.
// The hints have no meaning here.
func (p *Patch) Select(b Budget, c tokens.Counter, _ Hints) *Preview {
	e := p.excerpt
	if p.counter != c.Name() {
		p.counter, p.costs = c.Name(), make([]int, e.lines)
	}
	e.ranking = p.ranking(b.Tokens, c)
	v := e.Select(b, c, Hints{})
	v.Shape = shape.Diff
	return v
}

// patchChoice is one choice of lines.
type patchChoice struct {
	*Patch
	counter tokens.Counter
	list    []shape.Ranked
	turn    int
	left    int  // tokens
	most    bool // half of the patch fits: its headers are worth as much as its last hunks
}

// Scores of the lines of a form.
const (
	scorePatchShown  = 90
	scorePatchSpared = 50
)

// ranking returns the lines in the order in which a budget pays for them.
func (p *Patch) ranking(budget int, c tokens.Counter) *ranking {
	k := &ranking{list: make([]shape.Ranked, 0, p.excerpt.available())}
	for n, l := range p.excerpt.each() {
		k.list = append(k.list, shape.Ranked{Line: l, Number: n})
	}
	for i := range k.list {
		k.list[i].SetRank(scorePatchSpared, i, shape.KeepContext)
	}
	s := patchChoice{Patch: p, counter: c, list: k.list, left: budget - markerTokens}
	s.names(budget)
	s.most = p.Bytes() <= int64(bytesPerToken*budget*2)
	others := s.hunks()
	s.headers()
	s.beginnings(others)
	s.rest()
	k.order = shape.Order(k.list)
	return k
}

// names chooses the lines that say what there is.
func (s *patchChoice) names(budget int) {
	share := namesOfFiles
	if !s.patch.HasHunks() {
		share = namesOfCommits
	}
	least := budget - budget*share/100
	for i := 0; i < s.patch.Names() && s.left > least; i++ {
		s.show(i, shape.KeepStructure)
	}
}

// show chooses a line.
func (s *patchChoice) show(i int, reason shape.Reason) {
	s.list[i].SetRank(scorePatchShown, s.turn, reason)
	s.turn++
	s.left -= s.cost(i)
}

// chosen reports whether a line is chosen.
func (s *patchChoice) chosen(i int) bool { return s.list[i].Score == scorePatchShown }

// cost returns the tokens of a line.
func (s *patchChoice) cost(i int) int {
	if s.costs[i] == 0 {
		s.costs[i] = 2 + s.counter.Count(asString(s.list[i].Line.Text))
	}
	return s.costs[i] - 1
}

// hunks chooses whole groups while they fit, and returns those that do not.
func (s *patchChoice) hunks() (others []shape.PatchGroup) {
	for _, g := range s.patch.Groups() {
		if len(others) > mostMisses {
			break
		}
		cost := markerTokens
		for i := s.start(g); i >= 0 && i <= g.Header; i++ {
			cost += s.cost(i)
		}
		for i := g.First; i < g.Last && cost <= s.left; i++ {
			cost += s.cost(i)
		}
		if cost > s.left {
			others = append(others, g)
			continue
		}
		s.begin(g, g.Last)
	}
	return others
}

// headers chooses what else is said of the files whose first hunk is shown: it is in the
// place of a mark.
func (s *patchChoice) headers() {
	for _, g := range s.patch.Groups() {
		if g.Header != g.First-1 || !s.chosen(g.Header) || s.chosen(g.File) {
			continue
		}
		cost := -markerTokens
		for i := g.File; i < g.Header; i++ {
			cost += s.cost(i)
		}
		if cost > s.left {
			continue
		}
		s.left += markerTokens
		for i := g.File; i < g.Header; i++ {
			s.show(i, shape.KeepStructure)
		}
	}
}

// rest leaves out the groups of which nothing is chosen, so that no line of theirs is shown
// for being short. The lines behind a beginning are shown up to the first that does not fit.
func (s *patchChoice) rest() {
	for n, g := range s.patch.Groups() {
		begun := s.chosen(g.First)
		for i := g.First; i < g.Last; i++ {
			switch {
			case s.chosen(i):
			case begun:
				s.list[i].Block = int32(n + 1)
			default:
				s.list[i].SetRank(shape.NeverShown, 0, shape.KeepContext)
			}
		}
		if begun || g.Header < 0 {
			continue
		}
		for i := g.File; i <= g.Header; i++ {
			if !s.chosen(i) {
				s.list[i].SetRank(shape.NeverShown, 0, shape.KeepContext)
			}
		}
	}
}

// start returns the first line of the header that is shown with a group; -1 for none, or if it
// is chosen.
func (s *patchChoice) start(g shape.PatchGroup) int {
	switch {
	case g.Header < 0 || s.chosen(g.Header):
		return -1
	case s.most && g.Header == g.First-1:
		return g.File
	}
	return g.Header
}

// begin chooses the lines of a group up to one.
func (s *patchChoice) begin(g shape.PatchGroup, end int) {
	s.left -= markerTokens
	for i := s.start(g); i >= 0 && i <= g.Header; i++ {
		s.show(i, shape.KeepStructure)
	}
	for i := g.First; i < end; i++ {
		s.show(i, shape.KeepContext)
	}
}

// beginnings chooses the first lines of groups that do not fit whole.
func (s *patchChoice) beginnings(groups []shape.PatchGroup) {
	groups = groups[:min(len(groups), max(1, s.left/leastOfHunk))]
	for n, g := range groups {
		each := s.left / (len(groups) - n)
		cost, end := markerTokens, g.First
		for i := s.start(g); i >= 0 && i <= g.Header; i++ {
			cost += s.cost(i)
		}
		for end < g.Last && cost+s.cost(end) <= each {
			cost += s.cost(end)
			end++
		}
		if end > g.First {
			s.begin(g, end)
		}
	}
}
