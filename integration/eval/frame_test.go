package eval_test

// This file measures what a receipt spends on itself: the outcome, facts, headings, titles and marks.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/tokens"
)

// mostFrame bounds the median frame of a receipt of 500 tokens, in tokens of either vocabulary.
const mostFrame = 62

// TestFrame counts the tokens of receipts that are no text of a tool, of outputs that do not fit.
func TestFrame(t *testing.T) {
	need(t, *kinds)
	counters := []tokens.Counter{vocabulary(t, tokens.O200k), vocabulary(t, tokens.CL100k)}
	documents := readCorpus(t, *kinds, unreadSplit)
	s := serve(t)
	table := newTable("tokens of a receipt", "frame in o200k_base: 25th, median, 75th percentile", "in cl100k_base", "median of the path in it")
	for _, budget := range []int{500, 1000, 2000} {
		frames, places := make([][]int, len(counters)), []int{}
		for _, d := range documents {
			r, err := s.receipt(t.Context(), d, budget)
			if err != nil {
				t.Fatal(err)
			}
			_, place, cut := strings.Cut(r.GetText(), "; all: ")
			if !cut {
				continue
			}
			place, _, _ = strings.Cut(place, "\n")
			places = append(places, counters[0].Count(place))
			shown := strings.Join(receiptLines(t, r.GetText()), "\n")
			for i, c := range counters {
				frames[i] = append(frames[i], c.Count(r.GetText())-c.Count(shown))
			}
		}
		cells := []string{fmt.Sprintf("%d (%d receipts)", budget, len(frames[0]))}
		for _, n := range frames {
			slices.Sort(n)
			if median := n[len(n)/2]; budget == 500 && median > mostFrame {
				t.Errorf("the median frame at %d tokens has %d of them, and may have %d", budget, median, mostFrame)
			}
			cells = append(cells, fmt.Sprintf("%d, %d, %d", n[len(n)/4], n[len(n)/2], n[len(n)*3/4]))
		}
		slices.Sort(places)
		table.row(append(cells, strconv.Itoa(places[len(places)/2]))...)
	}
	publish(t, "frame", table.String())
}

// vocabulary returns an exact counter.
func vocabulary(t *testing.T, load func() (tokens.Counter, error)) tokens.Counter {
	t.Helper()
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
