package compactor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestUnitsAreKeptByRankAndFromTheEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ranks []int32
		want  []int
	}{
		{nil, []int{}},
		{[]int32{0}, []int{0}},
		{[]int32{0, 0, 0, 0, 0, 0, 0, 0}, []int{7, 6, 0, 5, 4, 3, 1, 2}},
		{[]int32{5, 9, 5, 0, 9}, []int{4, 1, 2, 0, 3}},
	} {
		units := make([]unit, len(c.ranks))
		for i, r := range c.ranks {
			units[i].rank = r
		}
		if got := keepOrder(units); !slices.Equal(got, c.want) {
			t.Errorf("%v: order %v, want %v", c.ranks, got, c.want)
		}
	}
}

// A line that is shown for its place counts for three quarters of its score.
func TestRankPrefersLinesThatSpeakForThemselves(t *testing.T) {
	t.Parallel()
	for reason, want := range map[pb.KeepReason]int32{
		pb.KeepReason_KEEP_REASON_UNSPECIFIED: 30, pb.KeepReason_KEEP_REASON_CONTEXT: 30, pb.KeepReason_KEEP_REASON_CONTEXT + 1: 40,
	} {
		if got := rank(reason, 40); got != want {
			t.Errorf("%v: rank %d, want %d", reason, got, want)
		}
	}
}

// Both a preview and a list are shortened when they exceed a limit by more than the slack, and then to the limit itself.
func TestLimitsAreInclusive(t *testing.T) {
	t.Parallel()
	r := &ranking{order: []int{0, 1, 2}, costs: []int{0, 10, 20, 30}}
	elements := []int{10, 10, 10}
	for _, c := range []struct {
		limits []int
		slack  int
		want   int
	}{
		{nil, 0, 3}, {[]int{30}, 0, 3}, {[]int{29}, 0, 2}, {[]int{29}, 1, 3}, {[]int{20}, 9, 2}, {[]int{20}, 0, 2}, {[]int{19}, 0, 1},
		{[]int{0}, 0, 0}, {[]int{0}, 30, 3}, {[]int{9}, 0, 0},
		{[]int{25, 10}, 0, 1},              // the second limit has no slack either
		{[]int{10, 3}, shownTokens - 1, 1}, // the first cut reaches its limit, and the rest is within the slack
		{[]int{20, 0}, 20, 0},              // 20 is met within the slack; from 30 to 0 it is one cut
	} {
		if got := r.keep(c.limits, c.slack); got != c.want {
			t.Errorf("limits %v, slack %d: %d units, want %d", c.limits, c.slack, got, c.want)
		}
		if got := keepElements(elements, c.limits, c.slack); got != c.want {
			t.Errorf("limits %v, slack %d: %d elements, want %d", c.limits, c.slack, got, c.want)
		}
	}
}

// A list of any costs keeps a prefix that fits the smallest limit, unless its excess is within the slack.
func TestKeptElementsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOf(rapid.IntRange(1, 300)).Draw(t, "costs")
		slack := rapid.SampledFrom([]int{0, shownTokens, handleTokens}).Draw(t, "slack")
		limits := sizesTo(rapid.IntRange(1, 600).Draw(t, "least"))
		keep := keepElements(costs, limits, slack)
		if spent, last := sum(costs[:keep]), limits[len(limits)-1]; spent > last+slack {
			t.Fatalf("%d tokens are kept at limit %d", spent, last)
		}
		if again := keepElements(costs[:keep], limits, min(slack, shownTokens)); again != keep && slack <= shownTokens {
			t.Fatalf("%d elements are kept, and then %d", keep, again)
		}
	})
}

func TestSizesEndWithTheSmallest(t *testing.T) {
	t.Parallel()
	for least, want := range map[int][]int{
		0: {1024, 512, 256, 128, 64, 32, 16, 0}, 16: sizes, 128: {1024, 512, 256, 128}, 100: {1024, 512, 256, 128, 100}, 5000: {5000},
	} {
		if got := sizesTo(least); !slices.Equal(got, want) {
			t.Errorf("%d: %v", least, got)
		}
	}
}

// The excess that is not worth a cut is the price of the words that state the cut.
func TestSlackIsThePriceOfACut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level  pb.CompactionLevel
		handle bool
		want   int
	}{
		{trimmed, true, shownTokens}, {handles, true, 0}, {line, true, 0},
		{trimmed, false, handleTokens}, {handles, false, handleTokens}, {line, false, lineTokens},
	} {
		if got := (&Target{Level: c.level}).slack(c.handle); got != c.want {
			t.Errorf("%v, handle %v: %d", c.level, c.handle, got)
		}
	}
}

func TestRunesStayWhole(t *testing.T) {
	t.Parallel()
	const text = "aé€" // 1, 2 and 3 bytes
	for at, want := range map[int][2]int{0: {0, 0}, 1: {1, 1}, 2: {1, 3}, 3: {3, 3}, 4: {3, 6}, 5: {3, 6}, 6: {6, 6}} {
		if got := [2]int{runeFloor(text, at), runeCeil(text, at)}; got != want {
			t.Errorf("offset %d is between %v, want %v", at, got, want)
		}
	}
	if at := runeFloor("\x80\x80", 1); at != 0 {
		t.Errorf("without a first byte, the floor is %d", at)
	}
}

// A marker costs only where units of the payload are missing in between.
func TestCostsCountMarkers(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("one line of a log\n", 5)
	r := newRanking(&envelope.Large{Preview: text}, false)
	each := int(r.units[0].tokens)
	if len(r.units) != 5 || r.costs[1] != each || r.costs[2] != 2*each || r.costs[3] != 3*each+markTokens || r.costs[5] != 5*each {
		t.Errorf("%d units of %d tokens cost %v in the order %v", len(r.units), each, r.costs, r.order)
	}
	if r.source.GetLines() != 5 || r.source.GetBytes() != uint64(len(text)) {
		t.Errorf("the source is %v", r.source)
	}
}

// cutLine is a cut inside a line.
func cutLine(line, from, to, offset uint64) *pb.Cut {
	return &pb.Cut{Kind: pb.CutKind_CUT_KIND_LONG_LINE, FirstLine: line, LastLine: line, ByteStart: from, ByteEnd: to, PreviewOffset: offset}
}

// Units are lines where the ledger states their places, and the cuts of a line count for it.
func TestUnitsHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	segment := func(first, last, start, end, bytes uint64) *pb.Segment {
		return &pb.Segment{FirstLine: first, LastLine: last, ByteStart: start, ByteEnd: end, PreviewBytes: bytes}
	}
	for _, c := range []struct {
		name string
		v    envelope.Large
		want string // lines, bytes of the payload, bytes of the preview
	}{
		{"whole", envelope.Large{Preview: "ab\ncd\n"}, "1-1 0-3 0-3, 2-2 3-6 3-6"},
		{"a cut at the beginning of the second segment", envelope.Large{
			Preview: "ab\ncd\nef\n", Truncated: true, Cuts: []*pb.Cut{cutLine(2, 3, 13, 3)},
			Source: &pb.SourceFacts{Bytes: 19, Lines: 3, Segments: []*pb.Segment{segment(1, 1, 0, 3, 3), segment(2, 3, 3, 19, 6)}},
		}, "1-1 0-3 0-3, 2-2 3-16 3-6, 3-3 16-19 6-9"},
		{"replaced bytes hide a place", envelope.Large{
			Preview: "a\ufffd\nb\ufffd\ncd\n", Source: &pb.SourceFacts{Bytes: 9, Lines: 3, ReplacedBytes: 2, Segments: []*pb.Segment{segment(1, 3, 0, 9, 13)}},
		}, "1-2 0-6 0-10, 3-3 6-9 10-13"},
		{"escaped bytes hide a place", envelope.Large{
			Preview: "a\u2400\nb\u2426\ncd\n", Source: &pb.SourceFacts{Bytes: 9, Lines: 3, EscapedBytes: 2, Segments: []*pb.Segment{segment(1, 3, 0, 9, 13)}},
		}, "1-2 0-6 0-10, 3-3 6-9 10-13"},
		{"symbols that replace nothing", envelope.Large{
			Preview: "\u2427\n\u23ff\n", Source: &pb.SourceFacts{Bytes: 8, Lines: 2, EscapedBytes: 1, Segments: []*pb.Segment{segment(1, 2, 0, 8, 8)}},
		}, "1-1 0-4 0-4, 2-2 4-8 4-8"},
		{"lines that do not add up are one unit", envelope.Large{
			Preview: "ab\ncd\n", Source: &pb.SourceFacts{Bytes: 7, Lines: 2, Segments: []*pb.Segment{segment(1, 2, 0, 7, 6)}},
		}, "1-2 0-7 0-6"},
		{"another number of lines is one unit", envelope.Large{
			Preview: "ab\ncd\n", Source: &pb.SourceFacts{Bytes: 6, Lines: 9, Segments: []*pb.Segment{segment(1, 9, 0, 6, 6)}},
		}, "1-9 0-6 0-6"},
		{"scattered bytes are of their lines", envelope.Large{
			Preview: "ab\ncd\nef\n", Truncated: true,
			Cuts:   []*pb.Cut{{Kind: pb.CutKind_CUT_KIND_CONTROL, FirstLine: 2, LastLine: 3, ByteStart: 3, ByteEnd: 14, OmittedBytes: 5, LineBytes: []uint64{4, 1}}},
			Source: &pb.SourceFacts{Bytes: 14, Lines: 3, Segments: []*pb.Segment{segment(1, 3, 0, 14, 9)}},
		}, "1-1 0-3 0-3, 2-2 3-10 3-6, 3-3 10-14 6-9"},
	} {
		var got []string
		for _, u := range splitUnits(&c.v, false) {
			got = append(got, fmt.Sprintf("%d-%d %d-%d %d-%d", u.first, u.last, u.start, u.end, u.from, u.to))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

func TestTextSplitsIntoTheStatedLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		n    uint64
		want []string
	}{
		{"", 0, []string{}}, {"", 1, []string{""}}, {"", 2, nil}, {"a", 1, []string{"a"}}, {"a\n", 1, []string{"a\n"}},
		{"a\n", 2, []string{"a\n", ""}}, {"a\n", 3, nil}, {"a\nb", 2, []string{"a\n", "b"}}, {"a\nb", 3, nil}, {"a\nb", 1, nil},
		{"\n\n", 3, []string{"\n", "\n", ""}},
	} {
		if got := splitLines(c.text, c.n); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%q in %d lines: %q", c.text, c.n, got)
		}
	}
}

// A loss at the source stays where it was, also at the edge of lines that go.
func TestLossesStayInOrder(t *testing.T) {
	t.Parallel()
	loss := func(at uint64) *pb.Cut {
		return &pb.Cut{Kind: pb.CutKind_CUT_KIND_SOURCE_LOSS, ByteStart: at, ByteEnd: at, PreviewOffset: at, OmittedBytes: 7}
	}
	text := "aa\nbb\ncc\n"
	for _, c := range []struct {
		at   uint64
		kept []bool
		want string // kind, offset in the preview
	}{
		{3, []bool{true, false, true}, "COMPACTED@3 SOURCE_LOSS@3"},
		{2, []bool{true, false, true}, "SOURCE_LOSS@2 COMPACTED@3"},
		{4, []bool{true, false, true}, "COMPACTED@3 SOURCE_LOSS@3"},
		{6, []bool{true, false, true}, "COMPACTED@3 SOURCE_LOSS@3"},
		{7, []bool{true, false, true}, "COMPACTED@3 SOURCE_LOSS@4"},
		{9, []bool{true, false, false}, "COMPACTED@3 SOURCE_LOSS@3"},
		{0, []bool{false, true, true}, "COMPACTED@0 SOURCE_LOSS@0"},
	} {
		v := envelope.Large{Preview: text, Cuts: []*pb.Cut{loss(c.at)}}
		r := newRanking(&v, false)
		var got []string
		for _, cut := range keepUnits(&v, r.source, r.units, c.kept).Cuts {
			got = append(got, fmt.Sprintf("%s@%d", strings.TrimPrefix(cut.GetKind().String(), "CUT_KIND_"), cut.GetPreviewOffset()))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("a loss at %d, kept %v: %s, want %s", c.at, c.kept, s, c.want)
		}
	}
}

// A family with options that cannot be read stops the start, and is named.
func TestUnreadableOptionsFail(t *testing.T) {
	t.Parallel()
	options := &descriptorpb.MessageOptions{}
	proto.SetExtension(options, pb.E_Reads, "nothing")
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("acme.proto"), Package: new("acme.v1"), Syntax: new("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: new("BrokenResult"), Options: options}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	types := envelope.Types{"acme.v1.BrokenResult": {Canonical: file.Messages().Get(0)}}
	if _, err := New(types, nil); err == nil || !strings.Contains(err.Error(), "acme.v1.BrokenResult") {
		t.Errorf("the error is %v", err)
	}
}
