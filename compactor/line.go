package compactor

import (
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/tokens"
)

// leastLine is the smallest part of a line that is worth showing, in bytes.
const leastLine = 80

// shortenLine shows the beginning and the end of a preview that is one line,
// and so has no segment that could go alone. A line is cut, never dropped, as
// long as the limit leaves something worth showing. It reports false where the
// preview is something else, or where its bytes are not those of the payload,
// so that an exact cut cannot be stated.
func shortenLine(v *envelope.Large, source *pb.SourceFacts, limit int) (envelope.Large, bool) {
	segments := source.GetSegments()
	if len(segments) != 1 || segments[0].GetFirstLine() != segments[0].GetLastLine() ||
		source.GetReplacedBytes() > 0 || source.GetEscapedBytes() > 0 {
		return envelope.Large{}, false
	}
	text, at := v.Preview, len(v.Preview)/2
	for _, cut := range v.Cuts {
		switch cut.GetKind() {
		case pb.CutKind_CUT_KIND_LONG_LINE:
			at = int(cut.GetPreviewOffset())
		case pb.CutKind_CUT_KIND_SOURCE_LOSS:
		default:
			return envelope.Large{}, false
		}
	}
	for n := len(text) / 2; n >= leastLine; n /= 2 {
		head, tail := runeFloor(text, min(at, n/2)), runeCeil(text, max(at, len(text)-n/2))
		if tokens.Estimate().Count(text[:head]+text[tail:]) <= limit {
			return cutInside(v, source, head, tail), true
		}
	}
	return envelope.Large{}, false
}

// cutInside leaves out the text between head and tail.
func cutInside(v *envelope.Large, source *pb.SourceFacts, head, tail int) envelope.Large {
	facts := proto.CloneOf(source)
	segment := facts.GetSegments()[0]
	kept := uint64(head + len(v.Preview) - tail)
	segment.PreviewBytes, facts.VisibleBytes = kept, kept
	cut := &pb.Cut{
		Kind: pb.CutKind_CUT_KIND_LONG_LINE, FirstLine: segment.GetFirstLine(), LastLine: segment.GetLastLine(), Occurrences: 1,
		ByteStart: segment.GetByteStart() + uint64(head), ByteEnd: segment.GetByteEnd() - uint64(len(v.Preview)-tail),
		PreviewOffset: uint64(head),
	}
	cut.LeftOutBytes = cut.GetByteEnd() - cut.GetByteStart()
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

func runeFloor(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func runeCeil(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
