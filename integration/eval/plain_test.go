package eval_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/tokens"
)

var unseen = flag.String("unseen", "../../../shared/corpus-more", "folder with documents that no rule was written for")

// The document has two tables between these lines, and the README repeats the first one.
const (
	plainBegin = "<!-- plain -->\n"
	plainEnd   = "<!-- /plain -->\n"
)

// plainCut shows a part of a document of at most budget tokens without looking at what it says.
type plainCut func(c tokens.Counter, document string, budget int) string

// TestBesidePlainCuts scores receipts beside plain cuts of the same size, over documents that the rules were not written
// for. It writes the tables; it asserts nothing of the alternatives.
func TestBesidePlainCuts(t *testing.T) {
	if os.Getenv("TOOLRESULT_LEGS") != "all" {
		t.Skip("leg skipped: `make eval` runs it")
	}
	if _, err := os.Stat(*unseen); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("LEG NOT RUN: there is no corpus in %s", *unseen)
	}
	ours := &evaluation{corpus: *unseen, out: filepath.Join(*out, "unseen", "receipts")}
	if err := errors.Join(ours.parse(*budgets), ours.run()); err != nil {
		t.Fatal(err)
	}
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	documents, err := ours.documents()
	if err != nil {
		t.Fatal(err)
	}
	texts, full := map[string]string{}, 0
	for i := range documents {
		text, err := os.ReadFile(filepath.Join(*unseen, documents[i].Path))
		if err != nil {
			t.Fatal(err)
		}
		texts[documents[i].receiptName()] = strings.ToValidUTF8(string(text), "\uFFFD")
		full += counter.Count(texts[documents[i].receiptName()])
	}
	policies := []policy{{"**receipt**", ours}}
	for _, p := range []struct {
		name string
		cut  plainCut
	}{{"head and tail", headAndTail}, {"tail", tail}} {
		e := &evaluation{corpus: *unseen, out: filepath.Join(*out, "unseen", strings.ReplaceAll(p.name, " ", "-")), budgets: ours.budgets}
		if err := e.cutAll(counter, texts, p.cut); err != nil {
			t.Fatal(err)
		}
		policies = append(policies, policy{p.name, e})
	}
	text := plainTables(policies, full/len(documents))
	t.Log("\n" + text)
	if *document != "" {
		if err := replaceBetween(*document, plainBegin, plainEnd, text); err != nil {
			t.Error(err)
		}
	}
}

// cutAll writes and scores the cuts of all documents for every budget.
func (e *evaluation) cutAll(c tokens.Counter, texts map[string]string, cut plainCut) (err error) {
	e.scores = map[int]scores{}
	for _, budget := range e.budgets {
		cuts, costs := map[string]string{}, map[string]uint32{}
		for name, text := range texts {
			cuts[name] = cut(c, text, budget)
			costs[name] = uint32(c.Count(cuts[name]))
		}
		if err := e.keep(budget, cuts, costs); err != nil {
			return err
		}
		if e.scores[budget], err = e.score(budget); err != nil {
			return err
		}
	}
	return nil
}

// tail shows the last whole lines.
func tail(c tokens.Counter, document string, budget int) string {
	lines := strings.SplitAfter(document, "\n")
	n := most(len(lines), func(n int) bool { return c.Count(strings.Join(lines[len(lines)-n:], "")) <= budget })
	return strings.Join(lines[len(lines)-n:], "")
}

// headAndTail shows whole lines of the start and of the end, half of the tokens each, and between them how many are missing.
func headAndTail(c tokens.Counter, document string, budget int) string {
	if c.Count(document) <= budget {
		return document
	}
	lines := strings.SplitAfter(document, "\n")
	half := (budget - 10) / 2 // the mark between takes up to ten
	n := most(len(lines), func(n int) bool { return c.Count(strings.Join(lines[:n], "")) <= half })
	last := tail(c, document, half)
	return fmt.Sprintf("%s[%d lines left out]\n%s", strings.Join(lines[:n], ""), len(lines)-n-strings.Count(last, "\n"), last)
}

// most returns the largest n from 0 to limit that fits. It doubles first, so that nothing far larger than the result is counted.
func most(limit int, fits func(int) bool) int {
	low, high := 0, 1
	for high <= limit && fits(high) {
		low, high = high, 2*high
	}
	high = min(high, limit+1) // does not fit
	for low+1 < high {
		if middle := (low + high) / 2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

type policy struct {
	name string
	*evaluation
}

// plainTables returns the table of all documents and the one by source.
func plainTables(policies []policy, full int) string {
	var b strings.Builder
	ours := policies[0]
	budgets := ours.budgets
	fmt.Fprintf(&b, "| %d outputs that no rule was written for |", ours.scores[budgets[0]][allDocuments].Documents)
	for _, budget := range budgets {
		fmt.Fprintf(&b, " %d tokens |", budget)
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(budgets)+1) + "\n")
	for _, p := range policies {
		fmt.Fprintf(&b, "| %s |", p.name)
		for _, budget := range budgets {
			s := p.scores[budget][allDocuments]
			fmt.Fprintf(&b, " %.1f %% in %.0f |", 100*s.Recall, s.Tokens)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| full output |%s\n", strings.Repeat(fmt.Sprintf(" 100 %% in %d |", full), len(budgets)))
	b.WriteString("\n| source (documents) |")
	for _, budget := range budgets {
		fmt.Fprintf(&b, " %d: receipt, head and tail, tail |", budget)
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(budgets)+1) + "\n")
	for _, source := range ours.sources() {
		name := "mean of sources"
		if source != allSources {
			name = fmt.Sprintf("%s (%d)", source, ours.scores[budgets[0]][source].Documents)
		}
		fmt.Fprintf(&b, "| %s |", name)
		for _, budget := range budgets {
			var cells []string
			for _, p := range policies {
				cells = append(cells, fmt.Sprintf("%.1f", 100*p.scores[budget][source].Recall))
			}
			fmt.Fprintf(&b, " %s |", strings.Join(cells, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}
