package compactor

import (
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/tokens"
)

// minLine is the smallest part of a line that is worth showing, in bytes.
const minLine = 80

// lineCut is a way to shorten a preview of one line: the text up to head and from tail
// on is kept. Offsets are bytes of the preview.
type lineCut struct{ head, tail, tokens int }

// lineCuts returns the ways to shorten a preview of one line, from which no whole line
// can go: its beginning and its end, half as much each time, down to minLine bytes. It
// returns none for other previews, and for text that differs from the bytes of the
// payload, because no exact cut can be stated there.
func lineCuts(v *envelope.Large, r *ranking) (list []lineCut) {
	if len(r.units) != 1 || r.units[0].first != r.units[0].last || r.source.GetReplacedBytes() > 0 || r.source.GetEscapedBytes() > 0 {
		return nil
	}
	text, at := v.Preview, len(v.Preview)/2
	for _, cut := range v.Cuts {
		switch cut.GetKind() {
		case pb.CutKind_CUT_KIND_LONG_LINE:
			at = int(cut.GetPreviewOffset())
		case pb.CutKind_CUT_KIND_SOURCE_LOSS:
		default:
			return nil
		}
	}
	for n := len(text) / 2; n >= minLine; n /= 2 {
		head, tail := runeFloor(text, min(at, n/2)), runeCeil(text, max(at, len(text)-n/2))
		list = append(list, lineCut{head, tail, tokens.Estimate().Count(text[:head] + text[tail:])})
	}
	return list
}

// lineAt returns the cut that brings a preview of one line to the last limit, which is
// the smallest. It reports false when too little would be left, and for other
// previews. A line that can be cut is never dropped.
func (r *ranking) lineAt(limits []int) (lineCut, bool) {
	if len(limits) == 0 {
		return lineCut{}, false
	}
	for _, cut := range r.line {
		if cut.tokens <= limits[len(limits)-1] {
			return cut, true
		}
	}
	return lineCut{}, false
}

// cutInside returns a preview of one line without the text between head and tail.
func cutInside(v *envelope.Large, r *ranking, head, tail int) envelope.Large {
	line, kept := &r.units[0], uint64(head+len(v.Preview)-tail)
	facts := withSegments(r.source, []*pb.Segment{{
		FirstLine: line.first, LastLine: line.last, ByteStart: line.start, ByteEnd: line.end, PreviewBytes: kept, Reason: line.reason, Score: line.score,
	}})
	facts.VisibleBytes = kept
	cut := &pb.Cut{
		Kind: pb.CutKind_CUT_KIND_LONG_LINE, FirstLine: line.first, LastLine: line.last,
		ByteStart: line.start + uint64(head), ByteEnd: line.end - uint64(len(v.Preview)-tail), PreviewOffset: uint64(head),
	}
	cuts := []*pb.Cut{cut}
	for _, c := range v.Cuts {
		if c.GetKind() == pb.CutKind_CUT_KIND_SOURCE_LOSS {
			c = proto.CloneOf(c)
			c.PreviewOffset = min(c.GetPreviewOffset(), uint64(head))
			cuts = append(cuts, c)
		}
	}
	return envelope.Large{
		Preview: v.Preview[:head] + v.Preview[tail:], Truncated: true, Artifact: v.Artifact, Cuts: cuts, Source: facts,
	}
}

// runeFloor returns the last offset up to at where a character begins.
func runeFloor(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// runeCeil returns the first offset from at on where a character begins.
func runeCeil(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
