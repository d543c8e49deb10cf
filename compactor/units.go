package compactor

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// unit is the least that can be taken away from a preview: a line or, where the ledger
// does not tell lines apart, a run of them.
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

func cost(text string) int32 { return int32(tokens.Estimate().Count(text)) }

// rank is how much a line matters when few are left: what its words say outlasts the
// ends of a log and what surrounds an error.
func rank(reason pb.KeepReason, score uint32) int32 {
	if reason <= pb.KeepReason_KEEP_REASON_CONTEXT {
		return int32(score) * 3 / 4
	}
	return int32(score)
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
	r := &ranking{source: v.Source, units: unitsOf(v, failed)}
	if r.source == nil {
		r.source = sourceOf(v)
	}
	r.line = lineCuts(v, r)
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

// sourceOf are the facts of a payload that is shown as it is.
func sourceOf(v *envelope.Large) *pb.SourceFacts {
	size, lines := uint64(len(v.Preview)), v.Segments()[0].GetLastLine()
	return &pb.SourceFacts{
		Bytes: size, Lines: lines, ShownLines: lines, VisibleBytes: size, Encoding: pb.TextEncoding_TEXT_ENCODING_UTF8,
	}
}

// scores are those of the lines of a preview that has no segments: those that a
// projection would give them. There are none of what is shown whole, unless it is of a
// failure: no choice was made among its lines.
func scores(v *envelope.Large, failed bool) []preview.Segment {
	if len(v.Source.GetSegments()) > 0 || !failed && !v.Truncated {
		return nil
	}
	shown := preview.Shown{Text: v.Preview, Shape: shape.Shape(v.Source.GetShape())}
	for _, s := range v.Segments() {
		shown.Lines = int64(s.GetLastLine())
		shown.Runs = append(shown.Runs, preview.Segment{FirstLine: int64(s.GetFirstLine()), LastLine: shown.Lines})
	}
	shown.Lines = max(shown.Lines, int64(v.Source.GetLines()))
	return shown.Ranked()
}
