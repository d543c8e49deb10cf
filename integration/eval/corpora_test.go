package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// What was reached, in per cent of recall over all documents: below that something has become worse.
var (
	leastRead   = map[int]float64{1000: 92.5, 2000: 96.5, 4000: 97.5}
	leastUnread = map[int]float64{1000: 79.5, 2000: 83, 4000: 85}

	leastEveryday = map[int]float64{1000: 80, 2000: 88, 4000: 90}
)

// before are the results of commit 57dfef0 by this measure, when nobody had read the second corpus: recall of all
// documents and mean of sources.
var before = map[string]map[int][2]float64{
	"all":    {1000: {83.4, 89.9}, 2000: {88.2, 92.5}, 4000: {91.0, 93.7}},
	"read":   {1000: {89.8, 90.9}, 2000: {96.3, 94.9}, 4000: {98.1, 95.9}},
	"unread": {1000: {78.9, 90.1}, 2000: {82.5, 91.5}, 4000: {86.0, 92.9}},
}

// TestRecall measures the corpus that rules were written for.
func TestRecall(t *testing.T) {
	need(t, *corpus)
	e := evaluate(t, readCorpus(t, *corpus, never), *out)
	e.checkScorer(t, *corpus)
	all := everything("own corpus")
	groups := append(e.bySource(everything("")), all)
	e.checkLeast(t, all, leastRead)
	e.checkNotBehind(t, groups)
	publish(t, "own", e.groupTable("source (documents)", groups), e.costTable(t, "own corpus"))
	if *document != "" {
		if err := e.writePeers(details); err != nil {
			t.Error(err)
		}
	}
}

func wasRead(d *output) bool  { return !d.unread }
func isUnread(d *output) bool { return d.unread }

// TestBesidePlainCuts measures the corpus of other projects: the half that was read while rules were written, and the half
// that nobody has read.
func TestBesidePlainCuts(t *testing.T) {
	need(t, *corpus, *unseen)
	e := evaluate(t, readCorpus(t, *unseen, evenDigit), filepath.Join(*out, "unseen", "receipts"))
	e.checkScorer(t, *unseen)
	all := everything("all of the other projects")
	read, unread := group{"read", wasRead}, group{"never read", isUnread}
	timed := group{"most lines begin with a time", (*output).isTimed}
	e.checkLeast(t, unread, leastUnread)
	groups := slices.Concat(e.bySource(read), []group{read}, e.bySource(unread), []group{unread})
	e.checkNotBehind(t, groups)
	publish(t, "plain", e.policyTable(group{"outputs that nobody read", isUnread}))
	publish(t, "halves", e.halves(all, read, unread))
	publish(t, "others", e.groupTable("half and source (documents)", append(groups, timed, all)), e.costTable(t, "other projects"))
}

// halves is the table of the second corpus beside what it was.
func (e *evaluation) halves(all, read, unread group) string {
	t := newTable(e.perBudget("documents, mean of sources", func(b int) string { return fmt.Sprintf("%d tokens", b) })...)
	for _, h := range []struct {
		name, key string
		group
	}{{"all", "all", all}, {"read while rules were written", "read", read}, {"never read", "unread", unread}} {
		name := fmt.Sprintf("%s (%d)", h.name, e.count(h.group))
		t.row(e.perBudget(name, func(b int) string {
			c := cell{receipts, b}
			return fmt.Sprintf("%.1f %%, %.1f %%", e.recall(c, h.group), e.recallOfSources(c, h.group))
		})...)
		t.row(e.perBudget(name+" at 57dfef0", func(b int) string {
			was := before[h.key][b]
			return fmt.Sprintf("%.1f %%, %.1f %%", was[0], was[1])
		})...)
	}
	return t.String()
}

// TestKinds measures outputs of other kinds than logs of builds and tests, which are a part of this repository.
func TestKinds(t *testing.T) {
	need(t, *kinds)
	e := evaluate(t, readCorpus(t, *kinds, unreadSplit), filepath.Join(*out, "kinds"))
	e.checkSpent(t)
	groups := e.bySource(everything(""))
	e.checkNotBehind(t, groups)
	groups = append(groups, group{"read", wasRead}, group{"never read", isUnread}, everything("all kinds"))
	publish(t, "kinds", e.groupTable("kind (documents)", groups), e.costTable(t, "other kinds"))
}

// TestEveryday measures outputs that agents read every day, which are a part of this repository.
func TestEveryday(t *testing.T) {
	need(t, *everyday)
	e := evaluate(t, readCorpus(t, *everyday, unreadSplit), filepath.Join(*out, "everyday"))
	read, unread := group{"read", wasRead}, group{"never read", isUnread}
	groups := append(e.bySource(unread), unread)
	others := append(e.bySource(read), read, everything("all everyday outputs"))
	e.checkLeast(t, unread, leastEveryday)
	e.checkNotBehind(t, groups)
	publish(t, "everyday", e.groupTable("kind (documents)", groups), e.costTable(t, "everyday outputs"))
	publish(t, "everyday that were read", e.groupTable("kind (documents)", others))
}

// checkScorer compares the recall of receipts with what the corpora's own scorer says.
func (e *evaluation) checkScorer(t *testing.T, folder string) {
	t.Helper()
	for _, budget := range e.budgets {
		shown := filepath.Join(e.out, strconv.Itoa(budget))
		args := []string{
			filepath.Join(*corpus, "score.py"), "--manifest", filepath.Join(folder, "manifest.jsonl"), "--root", folder,
			"--receipts", shown, "--split", "all", "--tokens", shown + ".tokens.json", "--json", shown + ".json",
			"--without-times",
		}
		if *source != "" {
			args = append(args, "--source", *source)
		}
		if out, err := exec.Command("python3", args...).CombinedOutput(); err != nil {
			t.Fatalf("LEG NOT RUN: the scorer of the corpora: %v\n%s", err, out)
		}
		text, err := os.ReadFile(shown + ".json")
		if err != nil {
			t.Fatal(err)
		}
		scores := map[string]struct{ Recall float64 }{}
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&scores); err != nil {
			t.Fatal(err)
		}
		own := 0.0
		for i, r := range e.results[cell{receipts, budget}] {
			own += 100 * keep(r.text).share(e.documents[i].marked) / float64(len(e.documents))
		}
		if theirs := 100 * scores["ALL (documents)"].Recall; math.Abs(own-theirs) > 0.01 {
			t.Errorf("%d tokens: we count %.3f %%, and score.py %.3f %%", budget, own, theirs)
		}
	}
}
