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

// unit is the smallest piece that can be removed from a preview: a line or, where the
// ledger does not separate lines, a run of them.
type unit struct {
	first, last uint64 // lines of the payload
	start, end  uint64 // bytes of the payload
	from, to    int    // bytes of the preview
	reason      pb.KeepReason
	score       uint32
	rank        int32 // importance: the score, or less for a line that is shown for its place alone
	tokens      int32 // cost, estimated
	clean       bool  // its text is equal to its part of the payload
}

// cost estimates the tokens of a text.
func cost(text string) int32 { return int32(tokens.Estimate().Count(text)) }

// rank returns the importance of a line. Lines that speak for themselves rank above
// the ends of a log and the surroundings of an error.
func rank(reason pb.KeepReason, score uint32) int32 {
	if reason <= pb.KeepReason_KEEP_REASON_CONTEXT {
		return int32(score) * 3 / 4
	}
	return int32(score)
}

// tailsPerHead is the number of units from the end that are kept for each one from the
// start: logs end with what matters.
const tailsPerHead = 3

// keepOrder returns the indices of units in the order in which they are kept: by rank
// and, within a rank, from the ends inwards. Any subset that is kept has the same
// order, so that two compactions keep the same units as one.
func keepOrder(units []unit) []int {
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
		orderFromEnds(order[from:to])
		from = to
	}
	return order
}

// orderFromEnds reorders a list from its ends inwards, with tailsPerHead elements from
// the end for each one from the start.
func orderFromEnds(list []int) {
	sorted := slices.Clone(list)
	for n := range list {
		if n%(tailsPerHead+1) == tailsPerHead-1 {
			list[n], sorted = sorted[0], sorted[1:]
		} else {
			list[n], sorted = sorted[len(sorted)-1], sorted[:len(sorted)-1]
		}
	}
}

// markTokens is the cost of a cut marker, in tokens, estimated.
const markTokens = 9

// ranking holds the units of a preview in the order in which they are kept, and the
// costs of keeping the first k of them, markers included.
type ranking struct {
	source *pb.SourceFacts
	units  []unit
	order  []int
	costs  []int     // costs[k] is the cost of the first k units
	line   []lineCut // ways to shorten a preview of one line
}

// previewKey identifies a preview: its message before compaction, and the index of its
// large field.
type previewKey struct {
	message proto.Message
	field   int
}

// rankings caches the rankings of a result, which is tried at several levels. A nil
// map caches nothing.
type rankings map[previewKey]*ranking

// lookup returns the ranking of a preview; nil when what would be removed could not be
// read any more.
func (r rankings) lookup(at previewKey, v *envelope.Large, suspect bool) *ranking {
	if known, ok := r[at]; ok {
		return known
	}
	var found *ranking
	if v.Preview != "" && (v.Artifact != "" || isPayload(v)) {
		found = newRanking(v, suspect)
	}
	if r != nil {
		r[at] = found
	}
	return found
}

// newRanking splits a preview into units and orders them.
func newRanking(v *envelope.Large, suspect bool) *ranking {
	r := &ranking{source: v.Source, units: splitUnits(v, suspect)}
	if r.source == nil {
		r.source = wholeSource(v)
	}
	r.line = lineCuts(v, r)
	r.order, r.costs = keepOrder(r.units), make([]int, len(r.units)+1)
	kept := make([]bool, len(r.units))
	runs, spent := 0, 0
	for k, i := range r.order {
		spent += int(r.units[i].tokens)
		kept[i] = true
		runs++
		if i > 0 && kept[i-1] && r.adjacent(i-1) {
			runs--
		}
		if i+1 < len(kept) && kept[i+1] && r.adjacent(i) {
			runs--
		}
		r.costs[k+1] = spent + markTokens*max(0, runs-1)
	}
	return r
}

// adjacent reports whether unit i and the next one follow each other in the payload,
// so that no marker lies between them. A marker of an earlier compaction was paid
// for then.
func (r *ranking) adjacent(i int) bool { return r.units[i].end == r.units[i+1].start }

// keep returns the number of units that are kept when the preview is shortened to one
// limit after the other. A cut always removes more than slack.
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

// wholeSource returns the source facts of a preview that is its payload.
func wholeSource(v *envelope.Large) *pb.SourceFacts {
	size, lines := uint64(len(v.Preview)), v.Segments()[0].GetLastLine()
	return &pb.SourceFacts{
		Bytes: size, Lines: lines, ShownLines: lines, VisibleBytes: size, Encoding: pb.TextEncoding_TEXT_ENCODING_UTF8,
	}
}

// lineScores returns the scores of a preview without segments, as a projection would
// give them. It returns none for a success that is shown whole, because no choice was
// made among its lines.
func lineScores(v *envelope.Large, suspect bool) []preview.Segment {
	if len(v.Source.GetSegments()) > 0 || !suspect && !v.Truncated {
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
