package inspect_test

import (
	"context"
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestTimelineHasEveryCallOnce(t *testing.T) {
	s := newSite(t)
	const n = 230
	for i := range n {
		s.run("long", fmt.Sprintf("call_%d", i), fmt.Sprintf("output %d\n", i), int32(i%2))
	}
	s.run("other", "x", "text\n", 0)
	var seen []string
	older := regexp.MustCompile(`href="(\?page=[^"]+)"`)
	path := "/sessions/long"
	for range n {
		page := s.get(path)
		text, _ := shown(t, page)
		found := regexp.MustCompile(`make call_(\d+)`).FindAllStringSubmatch(text[:strings.Index(text+"What a compaction", "What a compaction")], -1)
		for _, m := range slices.Backward(found) {
			seen = append(seen, m[1])
		}
		next := older.FindStringSubmatch(page)
		if next == nil {
			break
		}
		path = "/sessions/long" + next[1]
	}
	if len(seen) != n {
		t.Fatalf("%d calls are on the timeline, of %d", len(seen), n)
	}
	for i, call := range seen {
		if call != fmt.Sprint(n-1-i) {
			t.Fatalf("call %d is %s", n-1-i, call)
		}
	}
	if text, _ := shown(t, s.get("/")); !strings.Contains(text, "long") || !strings.Contains(text, "other") {
		t.Errorf("the first page has not both sessions: %s", text)
	}
}

// TestEverySessionHasAnAddress follows the links of sessions with any name that the contract allows.
func TestEverySessionHasAnAddress(t *testing.T) {
	s := newSite(t)
	names := []string{"a/../b", "a/./b", "a//b", "a/", "a:b", "_", "0", "a.", "a..b", strings.Repeat("n", 128)}
	for _, name := range names {
		s.run(name, "call", "text\n", 0)
	}
	links := regexp.MustCompile(`href="/[A-Z2-7]+(/sessions/[^"]+)"`).FindAllStringSubmatch(s.get("/"), -1)
	if len(links) != len(names) {
		t.Fatalf("%d links for %d sessions", len(links), len(names))
	}
	for i, link := range links {
		name := names[len(names)-1-i] // the newest first
		if text, _ := shown(t, s.get(html.UnescapeString(link[1]))); !strings.Contains(text, name+"\n1 record;") {
			t.Errorf("%s leads to another page:\n%.300s", link[1], text)
		}
	}
}

// TestPlanIsThatOfCompact compares the plan with that of the service, made of the same results by their calls.
func TestPlanIsThatOfCompact(t *testing.T) {
	s := newSite(t)
	req := &pb.CompactRequest{SessionId: "one", DryRun: true, Policy: &pb.CompactionPolicy{
		TotalTokens: 3000, Cache: &pb.CachePolicy{CachedResults: 3, CacheBreak: pb.CacheBreak_CACHE_BREAK_WHEN_NEEDED},
	}}
	for i := range 6 {
		call := fmt.Sprintf("call_%d", i)
		s.run("one", call, log(1500+i), int32(i%2))
		req.Entries = append(req.Entries, &pb.CompactEntry{CallId: call})
	}
	want, err := s.Compact(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	plan, newest := want.GetPlan(), s.newest().GetSequence()
	text, _ := shown(t, s.get("/sessions/one/compaction?tokens=3000&cached=3&break=yes"))
	text = strings.ReplaceAll(text, ",", "")
	if after := s.newest().GetSequence(); after != newest {
		t.Errorf("the plan was carried out: record %d", after)
	}
	if sentence := fmt.Sprintf("%d → %d tokens", plan.GetTokensBefore(), plan.GetTokensAfter()); !strings.Contains(text, sentence) {
		t.Errorf("the plan has no %q:\n%s", sentence, text)
	}
	for _, r := range plan.GetResults() {
		if row := fmt.Sprintf("%d → %d", r.GetTokensBefore(), r.GetTokensAfter()); r.GetChanged() && !strings.Contains(text, row) {
			t.Errorf("the plan has no row %q:\n%s", row, text)
		}
	}
	if plan.GetCachedTokensInvalidated() == 0 || !strings.Contains(text, "the provider's cache breaks here") {
		t.Errorf("the break of the cache is not shown, with %d tokens:\n%s", plan.GetCachedTokensInvalidated(), text)
	}
}

func TestCompactionOnRecordIsShown(t *testing.T) {
	s := newSite(t)
	var entries []*pb.CompactEntry
	for i := range 3 {
		call := fmt.Sprintf("call_%d", i)
		s.run("one", call, log(1500+i), 0)
		entries = append(entries, &pb.CompactEntry{CallId: call})
	}
	_, err := s.Compact(context.Background(), &pb.CompactRequest{SessionId: "one", Entries: entries, Policy: &pb.CompactionPolicy{TotalTokens: 600}})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := shown(t, s.get("/sessions/one")); !strings.Contains(text, "A compaction changed 3 results, the first of them call_0") {
		t.Errorf("the compaction is not shown:\n%s", text)
	}
}

func TestSecretsAreShownByKind(t *testing.T) {
	s := newSite(t)
	const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	s.run("one", "a", "token: "+secret+"\n", 0)
	for _, path := range []string{"/", "/sessions/one", "/records/1", "/records/1/json"} {
		page := s.get(path)
		if strings.Contains(page, secret) || !strings.Contains(page, "github-pat") && !strings.Contains(page, "redacted") {
			t.Errorf("%s: %s", path, page)
		}
	}
}

func TestReadBackIsOfTheModel(t *testing.T) {
	s := newSite(t)
	for _, call := range []string{"a", "b", "c"} {
		s.run("one", call, log(2500)+call, 1)
	}
	list, err := s.ListArtifacts(context.Background(), &pb.ListArtifactsRequest{SessionId: "one", CallId: "b"})
	if err != nil {
		t.Fatal(err)
	}
	name := path.Base(list.GetArtifacts()[0].GetPath())
	for _, arguments := range []string{`{"result": "` + name + `", "tail": 3}`, `{"result": "0123456789"}`, `{"result": "` + name + `", "match": "["}`} {
		call := &pb.CallToolRequest{Name: "read_result", ArgumentsJson: arguments, Call: &pb.CallReference{SessionId: "one"}}
		if _, err := s.tools.CallTool(context.Background(), call); err != nil {
			t.Fatal(err)
		}
	}
	if text, _ := shown(t, s.get("/")); !strings.Contains(text, "1 of 3 results") {
		t.Errorf("the artifact of b was read, and no other:\n%s", text)
	}
}
