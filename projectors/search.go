package projectors

import (
	"context"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Bounds of a match, in bytes, as search.proto states them.
const (
	maxMatchText    = 240
	textBeforeMatch = 80 // of the text, before the match
	maxMatchPath    = 4096
)

// Search projects the matches of a search, fair over files.
func Search() Projector { return declare("search", adaptSearch) }

// adaptSearch replaces the list of hits by files, and states how to continue where
// anything is missing.
func adaptSearch(_ context.Context, w *work) error {
	out, _ := w.from.Interface().(*pb.SearchOutput)
	into, _ := w.into.Interface().(*pb.SearchResult)
	hits := newFoundFiles(into, out.GetMatches())
	w.parts = []part{hits}

	files, lines := uint64(len(hits.files)), hits.lines
	if lines > 0 || files == 0 {
		into.MatchesTotal = new(lines)
	}
	// Totals of the tool are stated only where they are more than it has returned.
	if into.GetTotalFiles() <= files {
		into.TotalFiles = nil
	}
	if into.GetTotalMatches() <= max(lines, files) {
		into.TotalMatches = nil
	}
	into.Empty = files == 0
	// A reader who sees everything needs no way to more of it.
	next := into.GetNextCall()
	w.finish = func() {
		into.Digest, into.NextCall = hits.stored.Digest, ""
		if hits.truncated() || into.GetLimitReached() || into.TotalFiles != nil || into.TotalMatches != nil {
			into.NextCall = next
		}
	}
	return nil
}

// foundFiles is the files of a search that become its result. Matches are dealt out as
// the lines of grep -rn are: what defines the name that was searched for, then one match
// for each folder and each file, and then as many bytes of each.
type foundFiles struct {
	into   *pb.SearchResult
	field  *envelope.LargeList
	files  []foundFile
	order  []foundAt     // in which matches are dealt out; nil before the first time
	lines  uint64        // matches of all files
	costed bool          // the costs of all lines are known
	spent  envelope.Cost // cost of the lines that are shown
	stored artifactstore.Ref
}

// foundFile is one file of a search.
type foundFile struct {
	complete *pb.SearchFile    // with all matches, as the artifact holds it
	bounded  []*pb.SearchMatch // its matches, as they are shown
	cost     envelope.Cost     // of the line with the path
	costs    []envelope.Cost   // of the bounded matches
	chosen   []bool            // of the bounded matches, those that are shown
	shown    int               // how many are
	visible  bool              // whether the file is shown
}

// foundAt is the place of a match.
type foundAt struct{ file, match int } // match is -1 of a file without one

// newFoundFiles groups hits by file, in the order of the first hit of each.
func newFoundFiles(into *pb.SearchResult, hits []*pb.SearchHit) *foundFiles {
	lists := envelope.LargeLists(into.ProtoReflect().Descriptor())
	f := &foundFiles{into: into, field: &lists[0]}
	index := map[string]int{}
	for _, hit := range hits {
		i, known := index[hit.GetPath()]
		if !known {
			i = len(f.files)
			index[hit.GetPath()] = i
			f.files = append(f.files, foundFile{complete: &pb.SearchFile{Path: hit.GetPath()}})
		}
		if hit.GetLine() > 0 {
			f.files[i].add(hit)
			f.lines++
		}
	}
	return f
}

// add adds a match. Its bounded form is the same message where no text is omitted, by
// which truncated knows the difference.
func (f *foundFile) add(hit *pb.SearchHit) {
	m := &pb.SearchMatch{Line: hit.GetLine(), Column: hit.GetColumn(), Text: strings.TrimRight(hit.GetText(), "\r\n")}
	f.complete.Matches = append(f.complete.Matches, m)
	f.complete.MatchCount++
	f.bounded = append(f.bounded, boundedMatch(m))
}

// boundedMatch returns a match with the part of a long line around it.
func boundedMatch(m *pb.SearchMatch) *pb.SearchMatch {
	text := m.GetText()
	if len(text) <= maxMatchText {
		return m
	}
	from := min(max(0, int(m.GetColumn())-1-textBeforeMatch), len(text)-maxMatchText)
	to := from + maxMatchText
	for from < to && !utf8.RuneStart(text[from]) {
		from++
	}
	for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return &pb.SearchMatch{
		Line: m.GetLine(), Column: m.GetColumn(), Text: strings.Clone(text[from:to]),
		OmittedBefore: uint32(from), OmittedAfter: uint32(len(text) - to),
	}
}

// bytes implements part.
func (f *foundFiles) bytes() int64 {
	return (int64(len(f.files)) + int64(f.lines)) * usualElement
}

// truncated implements part.
func (f *foundFiles) truncated() bool {
	for i := range f.files {
		file := &f.files[i]
		if !file.visible || file.shown < len(file.bounded) || len(file.complete.GetPath()) > maxMatchPath {
			return true
		}
		for j, m := range file.bounded {
			if m != file.complete.GetMatches()[j] {
				return true
			}
		}
	}
	return false
}

// cost implements part.
func (f *foundFiles) cost(Policy) envelope.Cost { return f.spent }

// computeCosts computes the cost of every line, once.
func (f *foundFiles) computeCosts(p Policy) {
	if f.costed {
		return
	}
	f.costed = true
	matches := f.field.Field.Message().Fields().ByName("matches")
	for i := range f.files {
		file := &f.files[i]
		head := &pb.SearchFile{Path: file.path(), MatchCount: file.complete.GetMatchCount()}
		if head.GetMatchCount() > 1 {
			head.MatchesShown = new(head.GetMatchCount()) // the longest words there may be
		}
		file.cost = lineCost(envelope.Lines(f.field.Field, protoreflect.ValueOfMessage(head.ProtoReflect()), textscan.OneLine), "", p)
		file.costs = make([]envelope.Cost, len(file.bounded))
		for j, m := range file.bounded {
			file.costs[j] = lineCost(envelope.Lines(matches, protoreflect.ValueOfMessage(m.ProtoReflect()), textscan.OneLine), "  ", p)
		}
	}
}

// deal chooses the lines that a share covers. It stops at the first line that it does
// not cover, so that a smaller share shows no match that a larger one omits.
func (f *foundFiles) deal(share envelope.Cost) {
	f.spent = envelope.Cost{}
	for i := range f.files {
		file := &f.files[i]
		file.shown, file.visible, file.chosen = 0, false, make([]bool, len(file.bounded))
	}
	for _, at := range f.dealing() {
		file, cost := &f.files[at.file], envelope.Cost{}
		if !file.visible {
			cost = file.cost
		}
		if at.match >= 0 {
			cost = addCost(cost, file.costs[at.match])
		}
		if !covers(share, cost) {
			return
		}
		share, f.spent = subtractCost(share, cost), addCost(f.spent, cost)
		file.visible = true
		if at.match >= 0 {
			file.chosen[at.match] = true
			file.shown++
		}
	}
}

// dealing returns the order in which matches are dealt out, computed once.
func (f *foundFiles) dealing() []foundAt {
	if f.order != nil {
		return f.order
	}
	var places []foundAt
	var matches []shape.Match
	for i := range f.files {
		file := &f.files[i]
		if len(file.bounded) == 0 {
			places, matches = append(places, foundAt{i, -1}), append(matches, shape.Match{Path: file.complete.GetPath()})
		}
		for j, m := range file.bounded {
			places, matches = append(places, foundAt{i, j}), append(matches, shape.Match{Path: file.complete.GetPath(), Text: m.GetText()})
		}
	}
	f.order = make([]foundAt, len(places))
	for k, i := range shape.OrderMatches(matches) {
		f.order[k] = places[i]
	}
	return f.order
}

// show implements part.
func (f *foundFiles) show(ctx context.Context, share envelope.Cost, p Policy, sink artifactstore.Sink) error {
	f.computeCosts(p)
	f.deal(share)
	f.into.Files = nil
	for i := range f.files {
		if file := &f.files[i]; file.visible {
			f.into.Files = append(f.into.Files, file.shownFile())
		}
	}
	if f.stored.Path == "" && len(f.files) > 0 && (p.KeepAll || f.truncated()) {
		ref, err := sink.Put(ctx, artifactstore.BytesBlob(f.text()))
		if err != nil {
			return err
		}
		f.stored = ref
	}
	f.field.Set(f.into.ProtoReflect(), envelope.Listed{Total: len(f.files), Truncated: f.truncated(), Artifact: f.stored.Path})
	return nil
}

// path returns the path as it is shown.
func (f *foundFile) path() string { return cutText(f.complete.GetPath(), maxMatchPath) }

// shownFile returns the file with the matches that are shown.
func (f *foundFile) shownFile() *pb.SearchFile {
	file := &pb.SearchFile{Path: f.path(), MatchCount: f.complete.GetMatchCount()}
	for j, m := range f.bounded {
		if f.chosen[j] {
			file.Matches = append(file.Matches, m)
		}
	}
	if f.shown < len(f.bounded) {
		file.MatchesShown = new(uint64(f.shown))
	}
	return file
}

// text returns all files as an artifact holds them.
func (f *foundFiles) text() []byte {
	all := &pb.SearchResult{Files: make([]*pb.SearchFile, len(f.files))}
	for i := range f.files {
		all.Files[i] = f.files[i].complete
	}
	return envelope.ListText(f.field.Field, all.ProtoReflect().Get(f.field.Field).List())
}
