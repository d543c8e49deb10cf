package compaction_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/preview/textscan"
)

// What Compact leaves of a preview says of each run of lines where it is in the payload: at
// exactly these bytes and lines, whatever was removed or replaced in them.
func TestCompactedLinesAreWhereTheyAreSaidToBe(t *testing.T) {
	h := newHarness(t)
	line := rapid.OneOf(
		rapid.StringMatching(`[a-z ]{0,60}`), rapid.StringMatching(`(\x1b\[3[0-7]m[a-z]{1,20}\x1b\[0m){1,4}`),
		rapid.StringMatching(`[0-9]{1,2}%\r[0-9]{1,2}%\rdone [a-z]{5}`), rapid.StringMatching(`[a-z]{1,9}(\x00|\x07|é|\x{200b}|\x{fffd})[a-z]{1,9}`),
		rapid.SampledFrom([]string{"error: no such file", "--- FAIL: TestX (0.01s)", "bad \xff\xfe bytes", "windows\r", strings.Repeat("long ", 800)}),
	)
	var scattered, dirty int
	rapid.Check(t, func(t *rapid.T) {
		payload := strings.Join(rapid.SliceOfN(line, 1, 120).Draw(t, "lines"), "\n")
		resp, err := h.Project(t.Context(), &pb.ProjectRequest{
			Output: servertest.Command("make", rapid.Int32Range(0, 1).Draw(t, "exit"), payload),
			Policy: &pb.ProjectionPolicy{
				Segments: rapid.Bool().Draw(t, "segments"), Redaction: &pb.RedactionPolicy{},
				Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: rapid.SampledFrom([]uint32{300, 1000, 8000}).Draw(t, "budget")}},
			},
		})
		if err != nil {
			t.Skip(err)
		}
		r := resp.GetCanonical()
		for range 3 {
			r = h.Only(t, r, h.CompactOne(t, r, pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, rapid.Uint32Range(16, 500).Draw(t, "n"))).GetCanonical()
			v := stdoutOf(r)
			if v.Source == nil {
				continue
			}
			if v.Source.GetReplacedBytes()+v.Source.GetEscapedBytes() > 0 {
				dirty++
			}
			var text int
			for _, s := range v.Segments() {
				checkRun(t, payload, &v, s, v.Preview[text:text+int(s.GetPreviewBytes())])
				text += int(s.GetPreviewBytes())
			}
			for _, c := range v.Cuts {
				scattered += len(c.GetLineBytes())
			}
		}
	})
	if (scattered == 0 || dirty == 0) && !testing.Short() {
		t.Errorf("%d lines with scattered cuts, %d results with replaced bytes", scattered, dirty)
	}
}

func stdoutOf(r *pb.CanonicalToolResult) envelope.Large {
	m := r.GetCommand().ProtoReflect()
	fields := envelope.LargeFields(m.Descriptor())
	for i := range fields {
		if fields[i].Name == "stdout" {
			return fields[i].Get(m)
		}
	}
	return envelope.Large{}
}

// checkRun checks that lines of a payload read as a part of its preview, but for what is
// cut inside of a line.
func checkRun(t *rapid.T, payload string, v *envelope.Large, s *pb.Segment, shown string) {
	before, run := payload[:s.GetByteStart()], payload[s.GetByteStart():s.GetByteEnd()]
	if before != "" && !strings.HasSuffix(before, "\n") || uint64(strings.Count(before, "\n")) != s.GetFirstLine()-1 {
		t.Fatalf("line %d does not begin at byte %d", s.GetFirstLine(), s.GetByteStart())
	}
	var want, got []string
	for line := range strings.Lines(run) {
		want = append(want, line)
	}
	for line := range strings.Lines(shown) {
		got = append(got, line)
	}
	if len(want) == len(got)+1 {
		got = append(got, "") // of the last line nothing is shown
	}
	if uint64(len(want)) != s.GetLastLine()-s.GetFirstLine()+1 || len(want) != len(got) {
		t.Fatalf("%v has %d lines, and %d are shown", s, len(want), len(got))
	}
	for i, line := range want {
		state := strings.TrimRight(strings.TrimSuffix(line, "\n"), "\r")
		state = textscan.OneLine(state[strings.LastIndexByte(state, '\r')+1:])
		number, text := s.GetFirstLine()+uint64(i), strings.TrimSuffix(got[i], "\n")
		cut := slices.ContainsFunc(v.Cuts, func(c *pb.Cut) bool {
			return (c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE || c.GetKind() == pb.CutKind_CUT_KIND_TIME || c.GetKind() == pb.CutKind_CUT_KIND_REPEATED || c.GetKind() == pb.CutKind_CUT_KIND_ATTRIBUTES) &&
				c.GetFirstLine() <= number && number <= c.GetLastLine()
		})
		if text != state && !cut {
			t.Fatalf("line %d is %q, and %q is shown", number, state, text)
		}
	}
}
