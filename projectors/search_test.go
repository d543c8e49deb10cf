package projectors_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/tokens"
)

func searched(out *pb.SearchOutput, p projectors.Policy) (*pb.SearchResult, error) {
	out.Query = "x"
	r, err := projectAny(projectors.Search(), "search", p, &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Search{Search: out}})
	return r.GetSearch(), err
}

// Matches that do not fit are omitted fairly: behind the first match, no file of a folder
// shows more bytes than another that has more to show, but for its last match, and no file
// is omitted while another shows two.
func TestSearchIsFairOverFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		out := &pb.SearchOutput{}
		var counts []int
		for i := range rapid.IntRange(1, 12).Draw(t, "files") {
			counts = append(counts, rapid.SampledFrom([]int{0, 1, 1, 2, 5, 40}).Draw(t, "matches"))
			path := fmt.Sprintf("file_%d", i)
			if counts[i] == 0 {
				out.Matches = append(out.Matches, &pb.SearchHit{Path: path})
			}
			for j := range counts[i] {
				text := strings.Repeat("word ", rapid.SampledFrom([]int{1, 5, 100}).Draw(t, "words"))
				out.Matches = append(out.Matches, &pb.SearchHit{Path: path, Line: uint64(j + 1), Text: text})
			}
		}
		budget := envelope.Cost{
			Tokens: rapid.IntRange(30, 3000).Draw(t, "tokens"), Lines: rapid.SampledFrom([]int{0, 4, 9, 30}).Draw(t, "lines"),
			Bytes: rapid.SampledFrom([]int{0, 200, 2000}).Draw(t, "bytes"),
		}
		r, err := searched(out, projectors.Policy{Budget: budget, LineBytes: 2000, Counter: tokens.Estimate()})
		var shortfall *envelope.ShortfallError
		if errors.As(err, &shortfall) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		most, beforeLast, leastCut, cut := 0, 0, 1<<30, len(r.GetFiles()) < len(counts)
		for i, f := range r.GetFiles() {
			n := len(f.GetMatches())
			if f.GetPath() != fmt.Sprintf("file_%d", i) || int(f.GetMatchCount()) != counts[i] || counts[i] > 0 && n == 0 {
				t.Fatalf("file %d is %v", i, f)
			}
			if (f.MatchesShown != nil) != (n < counts[i]) || f.MatchesShown != nil && int(f.GetMatchesShown()) != n {
				t.Fatalf("%d of %d are shown, and said is %v", n, counts[i], f)
			}
			had := 0
			for j, m := range f.GetMatches() {
				if int(m.GetLine()) != j+1 {
					t.Fatalf("match %d is %v", j, m)
				}
				beforeLast = max(beforeLast, had)
				if j > 0 {
					had += len(m.GetText()) + 8
				}
			}
			most = max(most, n)
			if n < counts[i] {
				leastCut, cut = min(leastCut, had), true
			}
		}
		if beforeLast > leastCut || len(r.GetFiles()) < len(counts) && most > 1 {
			t.Fatalf("unfair: %v", r.GetFiles())
		}
		if cut && !r.GetFilesTruncated() || int(r.GetFilesTotal()) != len(counts) {
			t.Fatalf("%d of %d files, truncated is %v", len(r.GetFiles()), r.GetFilesTotal(), r.GetFilesTruncated())
		}
	})
}

// A folder with one file has a match before one with many has two, and a definition of
// what was searched for is shown wherever it is.
func TestSearchIsFairOverFolders(t *testing.T) {
	out := &pb.SearchOutput{}
	for i := range 40 {
		for j := range 5 {
			out.Matches = append(out.Matches, &pb.SearchHit{Path: fmt.Sprintf("src/many/file_%d.go", i), Line: uint64(j + 1), Text: "p := Parser{}"})
		}
	}
	out.Matches = append(out.Matches,
		&pb.SearchHit{Path: "src/one/use.go", Line: 3, Text: "var p Parser"},
		&pb.SearchHit{Path: "src/parse/parser.go", Line: 2, Text: "// A Parser reads."},
		&pb.SearchHit{Path: "src/parse/parser.go", Line: 9, Text: "type Parser struct {"},
		&pb.SearchHit{Path: "cmd/main.go", Line: 4, Text: "run(Parser{})"})
	r, err := searched(out, projectors.Policy{Budget: envelope.Cost{Tokens: 150}, LineBytes: 2000, Counter: tokens.Estimate()})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"src/one/use.go", "src/parse/parser.go", "cmd/main.go", "type Parser struct", "src/many/file_0.go"} {
		if !strings.Contains(fmt.Sprint(r.GetFiles()), want) {
			t.Errorf("no %q in %v", want, r.GetFiles())
		}
	}
}

// Of a long line the part around the match is shown, on whole characters, and the
// omitted range is exact.
func TestLongMatchIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "漢", "words of text ", "\U0001f600"}), 0, 300).Draw(t, "text"), "")
		column := rapid.Uint32Range(0, 2000).Draw(t, "column")
		r, err := searched(&pb.SearchOutput{Matches: []*pb.SearchHit{{Path: "p", Line: 7, Column: column, Text: text + "\r\n"}}}, ample())
		if err != nil {
			t.Fatal(err)
		}
		m := r.GetFiles()[0].GetMatches()[0]
		from, to := int(m.GetOmittedBefore()), len(text)-int(m.GetOmittedAfter())
		if m.GetText() != text[from:to] || !utf8.ValidString(m.GetText()) || len(m.GetText()) > 240 {
			t.Fatalf("%v", m)
		}
		if at := int(column) - 1; at >= 0 && at < len(text) && (at < from-3 || at >= to+3) {
			t.Fatalf("the match at %d is not in %d to %d", at, from, to)
		}
		if r.GetFilesTruncated() != (from > 0 || to < len(text)) {
			t.Fatalf("truncated is %v", r.GetFilesTruncated())
		}
	})
}

// What to call next is said when there is more, and only then.
func TestNextCallOfASearch(t *testing.T) {
	hit := []*pb.SearchHit{{Path: "a", Line: 1, Text: "t"}, {Path: "b", Line: 1, Text: "t"}}
	for name, c := range map[string]struct {
		out  *pb.SearchOutput
		said bool
	}{
		"everything":     {&pb.SearchOutput{Matches: hit}, false},
		"limit":          {&pb.SearchOutput{Matches: hit, LimitReached: true}, true},
		"more matches":   {&pb.SearchOutput{Matches: hit, TotalMatches: new(uint64(3))}, true},
		"the same":       {&pb.SearchOutput{Matches: hit, TotalMatches: new(uint64(2)), TotalFiles: new(uint64(2))}, false},
		"more files":     {&pb.SearchOutput{Matches: hit, TotalFiles: new(uint64(9))}, true},
		"left out by us": {&pb.SearchOutput{Matches: append([]*pb.SearchHit{{Path: "a", Line: 2, Text: strings.Repeat("x", 300)}}, hit...)}, true},
	} {
		c.out.NextCall = "Grep with offset 2"
		r, err := searched(c.out, ample())
		if err != nil || (r.GetNextCall() != "") != c.said || r.TotalMatches != nil && r.GetTotalMatches() <= 2 {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}
