package shape

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Measured lists: a size or a count before each name, as du, wc, sort -n and
// uniq -c print. However such a list is sorted, the largest are asked for.

// measure is a line of a measured list in parts.
type measure struct {
	value float64
	name  []byte
	width int  // bytes up to the end of the number
	unit  bool // "1.5M"
	fine  bool // it has a fraction
}

// units are the endings of sizes, each 1024 times the one before it.
const units = "KMGTPE"

// parseMeasure reads "12 name", "1.5M	name" and their like; ok is false for other
// lines.
func parseMeasure(text []byte) (m measure, ok bool) {
	start := 0
	for start < len(text) && text[start] == ' ' {
		start++
	}
	at := start
	for at < len(text) && at-start < 18 && text[at] >= '0' && text[at] <= '9' {
		m.value = m.value*10 + float64(text[at]-'0')
		at++
	}
	if at == start {
		return m, false
	}
	if at+1 < len(text) && (text[at] == '.' || text[at] == ',') {
		place := 0.1
		for at++; at < len(text) && text[at] >= '0' && text[at] <= '9'; at++ {
			m.value, place, m.fine = m.value+float64(text[at]-'0')*place, place/10, true
		}
	}
	if at < len(text) {
		if i := bytes.IndexByte([]byte(units), text[at]&^0x20); i >= 0 {
			for range i + 1 {
				m.value *= 1024
			}
			m.unit = true
			at++
		}
	}
	for m.unit && at < len(text) && (text[at] == 'i' || text[at] == 'B') {
		at++
	}
	m.width = at
	m.name = blankSet.TrimLeft(text[at:])
	return m, len(m.name) > 0 && len(m.name) < len(text[at:]) && (m.unit || !m.fine)
}

// countWidth is the width that uniq -c gives to a count.
const countWidth = 7

// Bounds of a measured list: the least number of its lines, and how many times
// the least value its largest one is where names are words. Times and numbers of
// lines are closer.
const (
	leastMeasures = 6
	leastSpread   = 2
)

// isMeasured reports whether a sample is a list of sizes or counts, each before
// one name or, as uniq -c has them, before any text.
func (s sample) isMeasured() bool {
	var low, high, last float64
	names, paths, steps, n := 0, 0, 0, 0
	_, all := s.count(func(text []byte) bool {
		m, ok := parseMeasure(text)
		if !ok {
			return false
		}
		counted := m.width == countWidth && text[0] == ' '
		if counted || isName(m.name) {
			names++
		}
		if counted || isPath(m.name) {
			paths++
		}
		if n == 0 || m.value < low {
			low = m.value
		}
		if n > 0 && m.value == last+1 {
			steps++
		}
		n, high, last = n+1, max(high, m.value), m.value
		return true
	})
	return all >= leastMeasures && names*20 >= all*19 && steps*2 < all && (paths*10 >= all*7 || high >= leastSpread*max(1, low))
}

// measures returns the lines of a measured list, that with the largest value first,
// and the values of all lines. It reports false for other lists.
func measures(list []Ranked) (order []int, values []float64, ok bool) {
	order, values = make([]int, 0, len(list)), make([]float64, len(list))
	for i := range list {
		m, ok := parseMeasure(textscan.WithoutEscapes(list[i].Line.Text))
		if ok && (isName(m.name) || m.width == countWidth) {
			order, values[i] = append(order, i), m.value
		}
	}
	if len(order) < leastMeasures || len(order)*10 < len(list)*9 {
		return nil, nil, false
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order, values, true
}

// rankMeasured ranks the lines of a measured list, the largest first, and
// reports whether it is one.
func rankMeasured(list []Ranked) bool {
	order, values, ok := measures(list)
	if !ok {
		return false
	}
	for i := range list {
		list[i].set(scoreBeside, i, KeepContext)
	}
	for turn, i := range order {
		list[i].set(scoreContent, turn, KeepContext)
	}
	if order[0] > order[len(order)-1] { // of equal values those nearer to the largest
		tied(list, order, values)
	}
	return true
}

// tied reverses the turns of lines with the same value.
func tied(list []Ranked, order []int, values []float64) {
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for k := from; k < to; k++ {
			list[order[k]].turn = from + to - 1 - k
		}
		from = to
	}
}
