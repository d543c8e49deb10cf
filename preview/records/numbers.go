package records

import (
	"slices"
	"strconv"

	"github.com/toolresult/toolresult/preview/shape"
)

// Numbers of a column. A reader who is shown some rows of two thousand wants the one whose number
// is far from all others, and the largest.

// leastNumbers is how many numbers a column has at least for one of them to be far from the others.
const leastNumbers = 8

// farFrom is how many times the range of the middle half a number is outside of it, to be far from
// the others (J. W. Tukey, Exploratory Data Analysis, 1977: "far out").
const farFrom = 3

// Scores of the rows with the largest number of a column: less than one that is far from others.
const scoreLargest = 72

// mostExtremes is the number of columns whose largest and smallest numbers matter.
const mostExtremes = 4

// amount returns the number that a cell says, with its unit: "12", "97%", "1.5G", "$1,200.00", "35ms".
func amount(text []byte) (float64, bool) {
	at, negative := 0, false
	for at < len(text) && (text[at] == '$' || text[at] == '-' || text[at] == '+' || text[at] == '(' || text[at] == ' ' || text[at] == '"') {
		negative = negative || text[at] == '-' || text[at] == '('
		at++
	}
	var digits [24]byte
	plain := digits[:0]
	for ; at < len(text) && len(plain) < cap(plain); at++ {
		if c := text[at]; c >= '0' && c <= '9' || c == '.' {
			plain = append(plain, c)
		} else if c != ',' || at+1 == len(text) || text[at+1] < '0' || text[at+1] > '9' {
			break
		}
	}
	n, err := strconv.ParseFloat(string(plain), 64)
	if err != nil {
		return 0, false
	}
	factor, ok := unit(string(text[at:]))
	if negative {
		n = -n
	}
	return n * factor, ok
}

// unit returns the factor of a unit behind a number.
func unit(name string) (float64, bool) {
	switch name {
	case "", "%", "B", "b", "s", ")", `"`, "°", "€", " €", "x":
		return 1, true
	case "K", "k", "KB", "kB", "KiB", "Ki":
		return 1 << 10, true
	case "M", "MB", "MiB", "Mi":
		return 1 << 20, true
	case "G", "GB", "GiB", "Gi":
		return 1 << 30, true
	case "T", "TB", "TiB", "Ti":
		return 1 << 40, true
	case "ms", " ms", "m":
		return 1e-3, true
	case "us", "µs":
		return 1e-6, true
	case "ns":
		return 1e-9, true
	}
	return 0, false
}

// isAmount reports whether a text is a number with its unit.
func isAmount(text []byte) bool {
	_, ok := amount(text)
	return ok
}

// rankNumbers raises the records whose number in a column is far from those of the others, and, if
// extremes is set, that with the largest.
func (r *Rows) rankNumbers(ranks []Rank, column int, extremes bool) (isNumbers bool) {
	var values []float64
	largest, at := 0.0, -1
	for i := range ranks {
		c := r.At(i, column)
		if c.Kind <= Null {
			continue
		}
		n, ok := amount(r.Text(c))
		if !ok {
			return false
		}
		if values = append(values, n); at < 0 || n > largest {
			largest, at = n, i
		}
	}
	if len(values) < leastNumbers || isID(r.Keys[column]) || r.Keys[column] == "links" || counts(values) {
		return false
	}
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[len(sorted)/4], sorted[len(sorted)*3/4]
	reach := farFrom * (high - low)
	negative := 0
	for _, n := range values {
		if n < 0 {
			negative++
		}
	}
	belowZero := shape.IsRare(negative, len(values)) // no such number has a sign, usually
	isFar := func(n float64) bool { return n < low-reach || n > high+reach || belowZero && n < 0 }
	far := 0
	for _, n := range values {
		if isFar(n) {
			far++
		}
	}
	if shape.IsRare(far, len(values)) {
		for i := range ranks {
			if n, ok := amount(r.Text(r.At(i, column))); ok && r.At(i, column).Kind > Null && isFar(n) {
				ranks[i].raise(Rank{Score: scoreOddRow, Reason: shape.KeepStructure, Column: column})
			}
		}
	}
	if extremes && sorted[0] != sorted[len(sorted)-1] {
		ranks[at].raise(Rank{Score: scoreLargest, Reason: shape.KeepStructure, Column: column})
	}
	return true
}

// isID reports whether the numbers of a key are names.
func isID(key string) bool {
	switch keyMeaning(key) {
	case columnID, columnName, columnTitle:
		return true
	}
	return false
}

// counts reports whether numbers go up or down by the row, as those that number rows do.
func counts(values []float64) bool {
	up, down := 0, 0
	for i := 1; i < len(values); i++ {
		if values[i] > values[i-1] {
			up++
		} else if values[i] < values[i-1] {
			down++
		}
	}
	return up == len(values)-1 || down == len(values)-1
}
