package compactor

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/tokens"
)

// unit is the least that can be taken away from a preview: a line or, where the ledger
// does not tell the lines of a segment apart, the segment.
type unit struct {
	first, last uint64 // lines
	start, end  uint64 // bytes of the payload
	from, to    int    // of the preview
	reason      pb.KeepReason
	score       uint32
	rank        int32 // how much it matters: the score, less for what is there for its place alone
	tokens      int32 // what it costs, about
	clean       bool  // its text is its part of the payload
}

// unitsOf parts a preview into units.
func unitsOf(v *envelope.Large, source *pb.SourceFacts) []unit {
	units := make([]unit, 0, len(source.GetSegments())+strings.Count(v.Preview, "\n"))
	clean := source.GetReplacedBytes() == 0 && source.GetEscapedBytes() == 0
	cuts, _ := apart(v.Cuts)
	at := 0
	for _, s := range source.GetSegments() {
		end := at + int(s.GetPreviewBytes())
		text := v.Preview[at:end]
		touched := false
		for len(cuts) > 0 && cuts[0].GetByteStart() < s.GetByteEnd() {
			touched = touched || cuts[0].GetByteStart() >= s.GetByteStart()
			cuts = cuts[1:]
		}
		u := unit{
			first: s.GetFirstLine(), last: s.GetLastLine(), start: s.GetByteStart(), end: s.GetByteEnd(), from: at, to: end,
			reason: s.GetReason(), score: s.GetScore(), rank: rank(s.GetReason(), s.GetScore()),
			clean: clean && !touched && s.GetByteEnd()-s.GetByteStart() == s.GetPreviewBytes(),
		}
		if u.clean = u.clean && countLines(text) == int(u.last-u.first+1); u.clean {
			units = appendLines(units, &u, text)
		} else {
			u.tokens = cost(text)
			units = append(units, u)
		}
		at = end
	}
	return units
}

// appendLines appends the lines of a segment whose text is its part of the payload.
func appendLines(units []unit, segment *unit, text string) []unit {
	u := *segment
	for part := range strings.Lines(text) {
		u.last, u.end, u.to = u.first, u.start+uint64(len(part)), u.from+len(part)
		u.tokens = cost(part)
		units = append(units, u)
		u.first, u.start, u.from = u.first+1, u.end, u.to
	}
	return units
}

func cost(text string) int32 { return int32(tokens.Estimate().Count(text)) }

// rank is how much a line matters when few are left: what its words say outlasts the
// ends of a log and what surrounds an error.
func rank(reason pb.KeepReason, score uint32) int32 {
	if reason <= pb.KeepReason_KEEP_REASON_CONTEXT {
		return int32(score) * 3 / 4
	}
	return int32(score)
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// tailsPerHead is how many units from the end are kept for one from the start: logs end
// with what matters.
const tailsPerHead = 3

// inOrder returns the indices of units in the order in which they are kept: by rank,
// and those of one rank from the ends inwards. The order of what is kept of them is
// the same, so that two steps keep no other units than one.
func inOrder(units []unit) []int {
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(units[b].rank, units[a].rank) })
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && units[order[to]].rank == units[order[from]].rank {
			to++
		}
		fromEnds(order[from:to])
		from = to
	}
	return order
}

// fromEnds reorders a list: its last elements and its first ones come first.
func fromEnds(list []int) {
	sorted := slices.Clone(list)
	for n := range list {
		if n%(tailsPerHead+1) == tailsPerHead-1 {
			list[n], sorted = sorted[0], sorted[1:]
		} else {
			list[n], sorted = sorted[len(sorted)-1], sorted[:len(sorted)-1]
		}
	}
}

// markTokens is what the mark of a cut costs, about.
const markTokens = 9

// ranking is the units of a preview in the order in which they are kept, and what the
// first so many of them cost, with the marks between them.
type ranking struct {
	source *pb.SourceFacts
	units  []unit
	order  []int
	costs  []int     // costs[k] of k units
	line   []lineCut // of a preview of one line
}

// previewKey names a preview: a message of a result as it was given, and the number
// of its large field.
type previewKey struct {
	message proto.Message
	field   int
}

// rankings remembers those of a result, so that it can be tried at several levels.
type rankings map[previewKey]*ranking

// of returns the ranking of a preview; nil where what would go could not be read any more.
func (r rankings) of(at previewKey, v *envelope.Large, failed bool) *ranking {
	if known, ok := r[at]; ok {
		return known
	}
	var found *ranking
	if v.Preview != "" && (v.Artifact != "" || isPayload(v)) {
		found = newRanking(v, failed)
	}
	if r != nil {
		r[at] = found
	}
	return found
}

func newRanking(v *envelope.Large, failed bool) *ranking {
	r := &ranking{source: v.Source}
	if r.source == nil {
		r.source = ranked(v.Preview, failed)
	}
	r.units = unitsOf(v, r.source)
	r.line = lineCuts(v, r.source)
	r.order, r.costs = inOrder(r.units), make([]int, len(r.units)+1)
	kept := make([]bool, len(r.units))
	runs, spent := 0, 0
	for k, i := range r.order {
		spent += int(r.units[i].tokens)
		kept[i] = true
		runs++
		if i > 0 && kept[i-1] && r.meet(i-1) {
			runs--
		}
		if i+1 < len(kept) && kept[i+1] && r.meet(i) {
			runs--
		}
		r.costs[k+1] = spent + markTokens*max(0, runs-1)
	}
	return r
}

// meet reports whether nothing is left out between a unit and the next, and so no mark
// stands there. A mark that a compaction before set costs what it cost there.
func (r *ranking) meet(i int) bool { return r.units[i].end == r.units[i+1].start }

// keep is how many units of the order are kept, when the preview is brought to one
// limit after the other: up to the first that does not fit. What goes is always more
// than slack.
func (r *ranking) keep(limits []int, slack int) int {
	k := len(r.order)
	for _, limit := range limits {
		if r.costs[k] <= limit+slack {
			continue
		}
		n := 0
		for n < k && r.costs[n+1] <= limit {
			n++
		}
		k, slack = n, min(slack, shownTokens)
	}
	return k
}

// ranked are the facts of a payload that is shown as it is. The lines of a failure have
// the scores that a projection would have given them.
func ranked(text string, failed bool) *pb.SourceFacts {
	s := &pb.SourceFacts{Bytes: uint64(len(text)), VisibleBytes: uint64(len(text)), Encoding: pb.TextEncoding_TEXT_ENCODING_UTF8}
	s.Lines = uint64(countLines(text))
	s.ShownLines = s.GetLines()
	var list []preview.Segment
	if failed {
		list = preview.Ranked(text)
	}
	if list == nil {
		list = []preview.Segment{{FirstLine: 1, LastLine: int64(s.GetLines()), ByteEnd: int64(len(text)), PreviewBytes: int64(len(text))}}
	}
	s.Segments = make([]*pb.Segment, len(list))
	for i, l := range list {
		s.Segments[i] = &pb.Segment{
			FirstLine: uint64(l.FirstLine), LastLine: uint64(l.LastLine), ByteStart: uint64(l.ByteStart), ByteEnd: uint64(l.ByteEnd),
			PreviewBytes: uint64(l.PreviewBytes), Reason: pb.KeepReason(l.Reason), Score: uint32(l.Score),
		}
	}
	return s
}
