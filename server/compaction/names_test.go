package compaction_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// introducing are lines of tools that introduce a name, which is the verb, and its form: x
// is a digit of hexadecimal numbers, 0 a decimal digit.
var introducing = []struct{ line, form string }{
	{"created deployment %s", "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx"},
	{"HEAD is now at %s fix the parser", "exxxx7xxxx"},
	{"deployment.apps/web created: pod %s", "web-7xxxxxxxxd-xx9kp"},
	{"Created issue %s", "OPS-0000"},
	{"  ➜  Local:   %s", "http://localhost:3000/exx0/"},
	{"Successfully built %s", "bxxxxxxxx5xx"},
	{"wrote %s (12.4 kB)", "dist/assets/index-Bxx0xx4.js"},
	{"instance %s is running", "i-0xxxxxxxxxxx9"},
	{"job %s queued", "550000"},
	{"listening on %s", "10.0.00.7:8000"},
}

// draw returns a name of a form.
func draw(r *rand.Rand, form string) string {
	return strings.Map(func(c rune) rune {
		switch c {
		case 'x':
			return rune("0123456789abcdef"[r.IntN(16)])
		case '0':
			return rune('1' + r.IntN(9))
		}
		return c
	}, form)
}

// Names that results introduced are in their receipts at every level, whatever their
// lines; in the overview they cost at most 3 % of the history. The history is sent by
// value, without segments.
func TestNamesOutliveTheirText(t *testing.T) {
	h := newHarness(t)
	r := rand.New(rand.NewPCG(41, 7))
	for _, lines := range []int{60, 250, 2000} {
		var names []string
		var history []*pb.CanonicalToolResult
		for n := range 20 {
			var text strings.Builder
			for l := range lines {
				fmt.Fprintf(&text, "step %d: processed chunk %d of the input in %d ms\n", l, r.IntN(1000), r.IntN(500))
				for k := range 3 {
					if l == (k+1)*lines/5 {
						i := introducing[(3*n+k)%len(introducing)]
						names = append(names, draw(r, i.form))
						fmt.Fprintf(&text, i.line+"\n", names[len(names)-1])
					}
				}
			}
			history = append(history, h.Canonical(t, servertest.Command(fmt.Sprintf("./run.sh %d", n), 0, text.String())))
		}
		for _, level := range []pb.CompactionLevel{
			pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, pb.CompactionLevel_COMPACTION_LEVEL_HANDLES, pb.CompactionLevel_COMPACTION_LEVEL_LINE,
		} {
			resp, err := h.Compact(t.Context(), &pb.CompactRequest{Entries: servertest.Entries(history...), Policy: &pb.CompactionPolicy{Level: level}})
			if err != nil {
				t.Fatal(err)
			}
			var receipts strings.Builder
			for _, one := range resp.GetResults() {
				receipts.WriteString(one.GetReceipt().GetText() + "\n")
			}
			var lost []string
			for _, name := range names {
				if !strings.Contains(receipts.String(), name) {
					lost = append(lost, name)
				}
			}
			if len(resp.GetResults()) != len(history) || len(lost)*20 > len(names) {
				t.Errorf("%d lines at %v: %d of %d names are lost: %q", lines, level, len(lost), len(names), lost)
			}
			if index, most := indexTokens(resp.GetOverview().GetText()), int(resp.GetPlan().GetTokensBefore())*3/100; index > most {
				t.Errorf("%d lines at %v: the names in the overview cost %d tokens, at most %d are allowed", lines, level, index, most)
			}
		}
	}
}

// indexTokens returns the cost of the names in an overview.
func indexTokens(overview string) (n int) {
	for line := range strings.Lines(overview) {
		if _, names, ok := strings.Cut(line, "; names: "); ok {
			n += servertest.Exact.Count(names)
		}
	}
	return n
}

// A result has the same names however many compactions led to its level, and each name once.
func TestNamesDoNotDependOnTheWay(t *testing.T) {
	h := newHarness(t)
	text := string(servertest.LogText(1500)) + "\ncreated deployment 6f1c9f0a-52c1-4a7e-9a55-0d8b6a1f2e77\n" + string(servertest.LogText(1500)) + "\n"
	first := h.Canonical(t, servertest.Command("./deploy.sh", 0, text))
	again := h.Canonical(t, servertest.Command("./status.sh", 0, text+"ok\n"))
	compact := func(level pb.CompactionLevel, results ...*pb.CanonicalToolResult) []*pb.CanonicalToolResult {
		resp, err := h.Compact(t.Context(), &pb.CompactRequest{Entries: servertest.Entries(results...), Policy: &pb.CompactionPolicy{Level: level, PreviewTokens: 64}})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range resp.GetResults() {
			results[one.GetIndex()] = one.GetCanonical()
		}
		return results
	}
	want := compact(pb.CompactionLevel_COMPACTION_LEVEL_LINE, first, again)
	got := compact(pb.CompactionLevel_COMPACTION_LEVEL_LINE, compact(pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, first, again)...)
	for i := range want {
		if !proto.Equal(got[i], want[i]) {
			t.Errorf("result %d in two compactions:\n%v\nin one:\n%v", i, got[i], want[i])
		}
	}
	if a, b := stdoutOf(want[0]).Source.GetNames(), stdoutOf(want[1]).Source.GetNames(); len(a) == 0 || a[0] != "6f1c9f0a-52c1-4a7e-9a55-0d8b6a1f2e77" || strings.Contains(strings.Join(b, " "), a[0]) {
		t.Errorf("names are %q and %q", a, b)
	}
}
