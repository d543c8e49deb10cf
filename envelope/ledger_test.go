package envelope_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// drawLedger draws a payload of which runs of lines are shown and others are cut, and
// returns the runs that are shown.
func drawLedger(t *rapid.T) (envelope.Large, []*pb.Segment) {
	v := envelope.Large{Truncated: true, Artifact: "/a", Source: &pb.SourceFacts{}}
	var shown []*pb.Segment
	var text strings.Builder
	cut := rapid.Bool().Draw(t, "begins with a cut")
	kinds := []pb.CutKind{pb.CutKind_CUT_KIND_MIDDLE, pb.CutKind_CUT_KIND_COMPACTED, pb.CutKind_CUT_KIND_FOLDED, pb.CutKind_CUT_KIND_REPEATED}
	for range rapid.IntRange(1, 8).Draw(t, "runs") {
		lines := rapid.Uint64Range(1, 5).Draw(t, "lines")
		first, start := v.Source.GetLines()+1, v.Source.GetBytes()
		v.Source.Lines += lines
		if cut {
			v.Source.Bytes += lines * rapid.Uint64Range(1, 9).Draw(t, "bytes of a line")
			c := &pb.Cut{
				Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), FirstLine: first, LastLine: v.Source.GetLines(),
				ByteStart: start, ByteEnd: v.Source.GetBytes(), PreviewOffset: uint64(text.Len()),
			}
			if c.GetKind() == pb.CutKind_CUT_KIND_REPEATED {
				c.LikeLine = 1
			}
			v.Cuts = append(v.Cuts, c)
		} else {
			from := text.Len()
			for i := range lines {
				fmt.Fprintf(&text, "line %d\n", first+i)
			}
			shows := uint64(text.Len() - from)
			removed := rapid.Uint64Range(0, 3).Draw(t, "control bytes")
			v.Source.Bytes, v.Source.VisibleBytes = start+shows+removed, v.Source.GetVisibleBytes()+shows
			if removed > 0 {
				v.Cuts = append(v.Cuts, &pb.Cut{
					Kind: pb.CutKind_CUT_KIND_CONTROL, FirstLine: first, LastLine: v.Source.GetLines(), ByteStart: start, ByteEnd: v.Source.GetBytes(),
					OmittedBytes: removed, LineBytes: append(make([]uint64, lines-1), removed), Occurrences: 1, PreviewOffset: uint64(from),
				})
			}
			shown = append(shown, &pb.Segment{FirstLine: first, LastLine: v.Source.GetLines(), ByteStart: start, ByteEnd: v.Source.GetBytes(), PreviewBytes: shows})
		}
		cut = !cut
	}
	v.Preview = text.String()
	v.Source.ShownLines = uint64(strings.Count(v.Preview, "\n"))
	return v, shown
}

// What is shown follows from the cuts, and the ledger adds up with segments and without.
func TestSegmentsFollowFromTheCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, want := drawLedger(t)
		if diff := cmp.Diff(want, v.Segments(), protocmp.Transform()); diff != "" {
			t.Fatal(diff)
		}
		var left, lines uint64
		for _, c := range v.Cuts {
			b, l := envelope.Omitted(c)
			left, lines = left+b, lines+l
		}
		if s := v.Source; left+s.GetVisibleBytes() != s.GetBytes() || lines+s.GetShownLines() != s.GetLines() {
			t.Fatalf("%d bytes and %d lines are left out: %v", left, lines, s)
		}
		for _, segments := range [][]*pb.Segment{nil, want} {
			v.Source.Segments = segments
			if err := envelope.ValidateCanonical("", withStdout(&v), nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A ledger that does not add up any more is rejected, whichever number was changed.
func TestEveryNumberOfTheLedgerCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, shown := drawLedger(t)
		if rapid.Bool().Draw(t, "with segments") {
			v.Source.Segments = shown
		}
		numbers := []*uint64{&v.Source.Bytes, &v.Source.Lines, &v.Source.ShownLines, &v.Source.VisibleBytes}
		for _, c := range v.Cuts {
			numbers = append(numbers, &c.ByteStart, &c.ByteEnd)
			if envelope.BetweenLines(c) {
				numbers = append(numbers, &c.FirstLine, &c.LastLine, &c.PreviewOffset)
			}
			numbers = append(numbers, &c.OmittedBytes)
		}
		n := rapid.SampledFrom(numbers).Draw(t, "number")
		*n += uint64(rapid.Int64Range(1, 40).Draw(t, "by"))
		err := envelope.ValidateCanonical("", withStdout(&v), nil)
		free := false // the range of a scattered cut is not what adds up
		for _, c := range v.Cuts {
			free = free || !envelope.BetweenLines(c) && (n == &c.ByteStart || n == &c.ByteEnd)
			// Nothing but segments says how much of the preview a run of lines has: JSON is shown in more lines than it has.
			free = free || n == &c.PreviewOffset && len(v.Source.Segments) == 0 && *n <= uint64(len(v.Preview)) && v.Preview[*n-1] == '\n'
		}
		if err == nil && !free {
			t.Fatalf("%v with %v is accepted", v.Source, v.Cuts)
		}
	})
}

// Of no ledger, whatever is wrong with it, segments lie outside of the preview.
func TestSegmentsAreInsideOfThePreview(t *testing.T) {
	number := rapid.OneOf(rapid.Uint64Range(0, 12), rapid.Uint64())
	rapid.Check(t, func(t *rapid.T) {
		v := envelope.Large{Preview: rapid.String().Draw(t, "preview"), Source: &pb.SourceFacts{Bytes: number.Draw(t, "bytes"), Lines: number.Draw(t, "lines")}}
		for range rapid.IntRange(0, 4).Draw(t, "cuts") {
			v.Cuts = append(v.Cuts, &pb.Cut{
				Kind: pb.CutKind(rapid.IntRange(0, 12).Draw(t, "kind")), FirstLine: number.Draw(t, "first"), LastLine: number.Draw(t, "last"),
				ByteStart: number.Draw(t, "start"), ByteEnd: number.Draw(t, "end"), PreviewOffset: number.Draw(t, "offset"),
			})
		}
		var sum uint64
		for _, s := range v.Segments() {
			sum += s.GetPreviewBytes()
		}
		if sum > uint64(len(v.Preview)) {
			t.Fatalf("%d bytes of %d: %v", sum, len(v.Preview), v.Segments())
		}
	})
}

func withStdout(v *envelope.Large) *pb.CanonicalToolResult {
	r := &pb.CommandResult{}
	fields := envelope.LargeFields(r.ProtoReflect().Descriptor())
	for i := range fields {
		if fields[i].Name == "stdout" {
			fields[i].Set(r.ProtoReflect(), *v)
		}
	}
	return command(r)
}

// A custom family has one Excerpt: read and written, checked and without its segments like
// the fields of the contract, and nested in the RFC's JSON.
func TestExcerptOfACustomFamily(t *testing.T) {
	list, err := envelope.ReadTypes(exampleSet(t))
	if err != nil {
		t.Fatal(err)
	}
	deploy := list[0]
	types := envelope.Types{deploy.Name(): deploy}
	rapid.Check(t, func(t *rapid.T) {
		v, shown := drawLedger(t)
		v.Source.Segments = shown
		m := deploy.NewPayload()
		fields := envelope.LargeFields(m.Descriptor())
		if len(fields) != 1 || fields[0].Name != "log" || fields[0].Has(m) {
			t.Fatalf("%v", fields)
		}
		log := &fields[0]
		log.Set(m, v)
		if diff := cmp.Diff(v, log.Get(m), protocmp.Transform()); diff != "" || !log.Has(m) || log.Text(m) != v.Preview {
			t.Fatal(diff)
		}
		if diff := cmp.Diff([]string{v.Artifact}, envelope.Artifacts(m)); diff != "" {
			t.Fatal(diff)
		}
		r := &pb.CanonicalToolResult{ToolName: "deploy", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s", Result: &pb.CanonicalToolResult_Custom{Custom: deploy.Wrap(m)}}
		check := func(want *envelope.Large) {
			if err := envelope.ValidateCanonical("", r, types); err != nil {
				t.Fatal(err)
			}
			_, back := types.Open(r)
			if diff := cmp.Diff(*want, log.Get(back), protocmp.Transform()); diff != "" {
				t.Fatal(diff)
			}
		}
		check(&v)
		types.WithoutSegments(r)
		v.Source.Segments = nil
		check(&v)
		text, err := envelope.ToJSON(r)
		if err != nil || !strings.Contains(string(text), "    \"log\": {\n") || strings.Contains(string(text), "segments") {
			t.Fatalf("%s, %v", text, err)
		}

		v.Source.VisibleBytes++
		log.Set(m, v)
		r.Result = &pb.CanonicalToolResult_Custom{Custom: deploy.Wrap(m)}
		if err := envelope.ValidateCanonical("", r, types); err == nil || !strings.Contains(err.Error(), "custom.payload_json.log.cuts") {
			t.Fatal(err)
		}
	})
}
