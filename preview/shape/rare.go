package shape

// Values that few of many rows have, of a column of states.

// MostStates is how many different values a column of states has at most.
const MostStates = 16

// rarePercent is the share of rows that have a rare value at most.
const rarePercent = 5

// IsRare reports whether a value that n of all rows have is rare: the only one of
// several, or one of few among many.
func IsRare(n, all int) bool { return n > 0 && (n == 1 && all > 3 || n*100 <= all*rarePercent) }
