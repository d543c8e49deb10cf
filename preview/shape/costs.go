package shape

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/preview/frames"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Reports of costs: profiles (pprof, cProfile, perf, gprof, callgrind, massif, V8), benchmarks and
// their comparison, and plans of queries. A reader wants the totals, the rows that cost most in any
// column, and of them those of the program before those of libraries.

// costKind is the form of a line that says a cost.
type costKind uint8

const (
	noCost     costKind = iota
	costRow             // numbers before a name: "0.18s  4.35%  search.insert"
	costBench           // "BenchmarkFind-2  100  2767712 ns/op  43974 B/op"
	costChange          // "Find-2  6.07µ ± 5%  8.79µ ± 7%  +44.85% (p=0.002 n=6)"
	costPlan            // "->  Sort  (cost=27.35..27.85 rows=10) (actual time=1.07..1.94 rows=20 loops=1)"
	costSize            // "worker.py:12: size=3812 KiB, count=41221, average=95 B"
	costImport          // "import time:       429 |        588 |   codecs"
	costBranch          // a caller or callee of the row above: "|--12.50%--main", "->65.14% (4,096B) main"
)

// mostCosts is the number of columns of a line that are read.
const mostCosts = 8

// cost is a line of a report in parts.
type cost struct {
	kind   costKind
	values [mostCosts]float64
	n      int    // values
	shares uint8  // a bit for each value that is a percentage
	marked bool   // a value has a unit or a fraction
	name   []byte // without the numbers
	indent int    // bytes before its first letter or arrow
}

// form returns a number that lines with the same columns have.
func (c *cost) form() int { return int(c.kind)<<12 | c.n<<8 | int(c.shares) }

// Names of columns of costs. A header has one of the first list, and half of its words are of either.
const (
	costColumns = "flat% cum% ncalls tottime cumtime nonlib ticks ms/call us/call sec/op ns/op B/op B/s allocs/op total(B) useful-heap(B) extra-heap(B) file:function %own ownTime self%"
	mayBeCosts  = "flat cum sum% percall name parent overhead children self symbol command cumulative calls seconds total hits time vs base Ir"
	leastHeader = 2
)

// costNames has the names of columns, and whether each is of costs for certain.
var costNames = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.SplitSeq(mayBeCosts, " ") {
		names[name] = false
	}
	for name := range strings.SplitSeq(costColumns, " ") {
		names[name] = true
	}
	return names
}()

// isCostHeader reports whether a line has the names of columns of costs.
func isCostHeader(text []byte) bool {
	sure, maybe, words := 0, 0, 0
	for word := range bytes.FieldsSeq(text) {
		word = bytes.Trim(word, "#│|(,:")
		if len(word) == 0 {
			continue
		}
		if words++; words > 3*mostCosts || words > 3*leastHeader && sure+maybe == 0 {
			return false
		}
		certain, known := costNames[string(word)]
		if !known {
			certain, known = costNames[string(bytes.ToLower(word))]
		}
		if certain {
			sure++
		} else if known {
			maybe++
		}
	}
	if sure == 0 && (maybe <= leastHeader || text[0] != '#') { // of perf
		return false
	}
	return words <= 2*(sure+maybe) && sure+maybe >= min(leastHeader, words)
}

// leastCosts is how many lines of a sample say a cost, at least.
const leastCosts = 3

// isCosts reports whether a sample is the beginning of a report of costs: a header with rows below, or
// lines that say by their own form that they are of one.
func (s sample) isCosts() bool {
	header, sure, below, all := false, 0, 0, 0
	for _, text := range s.lines {
		if len(text) == 0 || isDrawn(text) {
			continue
		}
		all++
		switch c, ok := parseCost(text); {
		case ok && c.kind != costRow:
			sure++
		case header && ok:
			below++
		case !ok && isCostHeader(text):
			header = true
		}
	}
	return sure >= leastCosts && sure*4 >= all || below >= leastCosts && below*4 >= all || len(s.lines) > 2 && bytes.Contains(s.lines[0], []byte("QUERY PLAN"))
}

// isBranch reports whether a line is of a tree of calls.
func isBranch(text []byte) bool {
	at := bytes.IndexByte(text, '%')
	return at > 2 && (bytes.HasPrefix(text[at+1:], []byte("--")) && bytes.Contains(text[:at], []byte("--")) ||
		bytes.HasPrefix(text[at+1:], []byte(" (")) && bytes.Contains(text[:at], []byte("->")))
}

// isDrawn reports whether a line has no letter or digit.
func isDrawn(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c < 0x80 && textscan.BeginsWord(c) })
}

// beginsTree reports whether a line below a row begins the tree of its calls.
func beginsTree(text []byte) bool {
	text = blankSet.TrimLeft(text)
	return bytes.HasPrefix(text, []byte("|")) || bytes.HasPrefix(text, []byte("---"))
}

// callSigns are the signs before and between the numbers of a line.
var callSigns = textscan.NewByteSet(" \t|-+>\\`():#,[]")

// parseCost reads a line that says a cost; ok is false for other lines.
func parseCost(text []byte) (c cost, ok bool) {
	c.indent = len(text) - len(blankSet.TrimLeft(text))
	switch {
	case c.parsePlan(text), c.parseBench(text), c.parseChange(text), c.parseSize(text):
		return c, true
	}
	rest, imports := bytes.CutPrefix(text, []byte("import time:"))
	switch rest = callSigns.TrimLeft(rest); {
	case imports:
		c.kind = costImport
	case isBranch(text):
		c.kind = costBranch
	default:
		c.kind = costRow
	}
	for c.n < mostCosts {
		value, width, unit := parseAmount(rest)
		if width == 0 {
			break
		}
		if unit == "%" {
			c.shares |= 1 << c.n
		}
		c.marked = c.marked || unit != "" || bytes.IndexByte(rest[:width], '.') > 0
		c.values[c.n] = value
		c.n++
		rest = callSigns.TrimLeft(rest[width:])
	}
	c.name = rest
	return c, c.n > 1 && (len(rest) > 0 || c.n > 2) || c.n == 1 && c.marked && len(rest) > 0
}

// parsePlan reads a node of a plan, with the cost that was estimated unless it was run.
func (c *cost) parsePlan(text []byte) bool {
	at := bytes.Index(text, []byte("(actual time="))
	start := at + len("(actual time=")
	if at < 0 {
		if at = bytes.Index(text, []byte("(cost=")); at < 0 {
			return false
		}
		start = at + len("(cost=")
	}
	_, after, ok := bytes.Cut(text[start:], []byte(".."))
	end, width := leadingNumber(after)
	if !ok || width == 0 {
		return false
	}
	loops := 1.0
	if _, after, ok = bytes.Cut(after, []byte("loops=")); ok {
		loops, _ = leadingNumber(after)
	}
	c.kind, c.n, c.values[0], c.name = costPlan, 1, end*max(1, loops), text[:at]
	return true
}

// parseBench reads what a benchmark of Go prints: the first of its measures, the time.
func (c *cost) parseBench(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("Benchmark")) || !bytes.Contains(text, []byte("/op")) {
		return false
	}
	fields := bytes.Fields(text)
	if len(fields) < 4 {
		return false
	}
	value, err := strconv.ParseFloat(string(fields[2]), 64)
	c.kind, c.n, c.values[0], c.name = costBench, 1, value, fields[0]
	return err == nil
}

// parseChange reads a row of benchstat. Its cost is how many times more or less something is; that of
// a change by chance is 0.
func (c *cost) parseChange(text []byte) bool {
	before, after, ok := bytes.Cut(text, []byte(" (p="))
	if !ok || !bytes.Contains(after, []byte("n=")) {
		return false
	}
	c.kind, c.n = costChange, 1
	c.name, _, _ = bytes.Cut(text, []byte(" "))
	if last := before[bytes.LastIndexByte(before, ' ')+1:]; bytes.HasSuffix(last, []byte("%")) {
		change, err := strconv.ParseFloat(string(last[:len(last)-1]), 64)
		if factor := 1 + change/100; err == nil && factor > 0 {
			c.values[0] = max(factor, 1/factor)
		}
	}
	return true
}

// parseSize reads a line of tracemalloc.
func (c *cost) parseSize(text []byte) bool {
	name, after, ok := bytes.Cut(text, []byte(": size="))
	if !ok || !bytes.Contains(after, []byte("count=")) {
		return false
	}
	value, unit, _ := bytes.Cut(after, []byte(" "))
	n, width := leadingNumber(value)
	if unit = unit[:min(3, len(unit))]; width == 0 {
		return false
	}
	c.kind, c.n, c.values[0], c.name = costSize, 1, n*unitFactor(string(bytes.TrimRight(unit, ", ("))), name
	return true
}

// parseAmount reads a number with its unit up to a blank or the like: "1.43s", "34.54%", "4,096B",
// "12/3". The width is 0 for other text.
func parseAmount(text []byte) (value float64, width int, unit string) {
	value, width = leadingNumber(text)
	if width == 0 {
		return 0, 0, ""
	}
	if rest := text[width:]; len(rest) > 1 && rest[0] == '/' { // calls that are no recursion
		_, more := leadingNumber(rest[1:])
		width += 1 + more
	}
	end := width
	for end < len(text) && end-width <= 4 && bytes.IndexByte([]byte(" \t)-,|"), text[end]) < 0 {
		end++
	}
	unit = string(text[width:end])
	if unit == "" {
		return value, width, ""
	}
	if factor := unitFactor(unit); factor > 0 {
		return value * factor, end, unit
	}
	return 0, 0, ""
}

// leadingNumber reads a decimal number with commas between its digits, and returns its width.
func leadingNumber(text []byte) (value float64, width int) {
	var digits [24]byte
	plain := digits[:0]
	for width < len(text) && len(plain) < cap(plain) {
		c := text[width]
		if c >= '0' && c <= '9' || c == '.' && width > 0 && width+1 < len(text) && text[width+1] >= '0' && text[width+1] <= '9' {
			plain = append(plain, c)
		} else if c != ',' || width == 0 || width+1 == len(text) || text[width+1] < '0' || text[width+1] > '9' {
			break
		}
		width++
	}
	value, err := strconv.ParseFloat(string(plain), 64)
	if err != nil {
		return 0, 0
	}
	return value, width
}

// unitFactor returns the factor of a unit of time or memory, or that of a share; 0 for other words.
func unitFactor(unit string) float64 {
	switch unit {
	case "%", "s", "B", "x":
		return 1
	case "ns":
		return 1e-9
	case "us", "µs":
		return 1e-6
	case "ms":
		return 1e-3
	case "mins", "min":
		return 60
	case "hrs":
		return 3600
	case "k", "K", "kB", "KB", "KiB":
		return 1 << 10
	case "M", "MB", "MiB":
		return 1 << 20
	case "G", "GB", "GiB":
		return 1 << 30
	}
	return 0
}

// isTotal reports whether a line sums a report up.
func isTotal(text []byte) bool {
	text = bytes.TrimLeft(text, "# \t")
	if !bytes.ContainsAny(text, "0123456789") || len(text) > longestCostRow {
		return false
	}
	for _, begin := range [...]string{
		"Duration: ", "Showing nodes accounting ", "Total", "Statistical profiling result", "Planning Time:", "Execution Time:", "Samples: ", "Event count ", "geomean ",
		"Trigger ", "JIT:",
	} {
		if bytes.HasPrefix(text, []byte(begin)) {
			return true
		}
	}
	return bytes.Contains(text, []byte(" function calls ")) || bytes.HasSuffix(text, []byte("PROGRAM TOTALS")) || bytes.HasSuffix(text, []byte("TOTAL"))
}

// isOwnCost reports whether the name of a row is of the program itself, as far as a place or the path of
// a package says so.
func isOwnCost(name []byte) bool {
	for _, sign := range [...]string{
		"/usr/", "/lib/", "site-packages", "dist-packages", "node_modules", "node:", "{built-in", "{method", "<frozen", "<built-in", ".so", "[k", "[unknown]", "@plt", "/go/src/", "/rustc/", "/./", "/../",
	} {
		if bytes.Contains(name, []byte(sign)) {
			return false
		}
	}
	if frames.Foreign(name) {
		return false
	}
	if bytes.HasPrefix(name, []byte("main.")) || bytes.Contains(name, []byte("[.]")) {
		return true
	}
	path, _, _ := bytes.Cut(name, []byte(" "))
	if first, _, ok := bytes.Cut(path, []byte("/")); ok && bytes.IndexByte(first, '.') > 0 { // of a module of Go
		return true
	}
	colon := bytes.LastIndexByte(name, ':')
	return colon > 0 && bytes.IndexByte(name[:colon], '.') > 0 // a place in a file
}

// Scores of the lines of a report.
const (
	mostTotals  = 12 // lines that sum up
	mostIntro   = 12 // lines before the first row that come with the rows
	everyNthRow = 2  // of the rows that cost most, however they are called, to those of the program
)

// report is a report of costs while its lines are read.
type report struct {
	list    []Ranked
	costs   []cost // of each line
	layouts []layout
	byID    map[int]int // indices of layouts
	trees   []tree
	headers map[string]bool // that were seen
	header  []byte          // the last one
	row     int             // the last row; -1: none
	below   bool            // a tree goes on
	totals  int
	intro   int
}

// layout is the rows with the same columns.
type layout struct {
	rows   []int
	header [][]byte // names of columns
}

// Bounds and scores of rows.
const (
	longestCostRow = 320 // bytes
	scoreFailedRow = 85
)

// rankCosts ranks the lines of a report of costs: its totals and the names of its columns, then rows by
// what they cost.
func rankCosts(list []Ranked) {
	r := report{list: list, costs: make([]cost, len(list)), byID: map[int]int{}, headers: map[string]bool{}, row: -1}
	for i := range list {
		r.read(i, anyBlanks.TrimRight(textscan.WithoutEscapes(list[i].Line.Text)))
	}
	exclusive(r.costs)
	for i := range r.layouts {
		r.layouts[i].rank(list, r.costs)
	}
	for i := range r.trees {
		r.trees[i].rank(list)
	}
	titled(list, r.costs)
	if last := len(list) - 1; last >= 0 && r.costs[last].kind == noCost && list[last].Score == scoreBeside {
		list[last].set(scoreNamed, 0, KeepTail)
	}
	InOrder(list)
}

// read reads a line, and ranks it unless it says a cost.
func (r *report) read(i int, text []byte) {
	l := &r.list[i]
	l.set(scoreBeside, 0, KeepContext)
	c, ok := parseCost(text)
	isRow := ok && c.kind != costBranch
	r.below = len(text) > 0 && !isRow && (r.below || isBranch(text) || r.row >= 0 && r.row == i-1 && beginsTree(text))
	switch {
	case r.below:
		r.addBranch(i)
	case len(text) == 0 || isDrawn(text):
		l.set(1, 0, KeepContext)
	case isTotal(text) && r.totals < mostTotals:
		r.totals++
		l.set(scoreNamed, 0, KeepSummary)
	case isRow && !isWorker(&c):
		r.addRow(i, c)
	case isCostHeader(text):
		if r.header = text; !r.headers[string(text)] {
			r.headers[string(text)] = true
			l.set(scoreHeading, 0, KeepStructure)
		}
	case isFailure(text):
		l.set(scoreFailedRow, 0, KeepError)
	case spills(text):
		l.set(scoreFailedRow, 1, KeepStructure)
	case r.row < 0 && r.intro < mostIntro && text[len(text)-1] != ':':
		l.set(scoreContent, r.intro, KeepHead)
		r.intro++
	}
}

// addRow adds a row to those with the same columns.
func (r *report) addRow(i int, c cost) {
	r.costs[i], r.row = c, i
	id := c.form()
	at, ok := r.byID[id]
	if !ok {
		at = len(r.layouts)
		r.byID[id] = at
		r.layouts = append(r.layouts, layout{header: bytes.Fields(r.header)})
	}
	r.layouts[at].rows = append(r.layouts[at].rows, i)
}

// addBranch adds a line to the tree below the last row.
func (r *report) addBranch(i int) {
	if n := len(r.trees); n == 0 || r.trees[n-1].row != r.row {
		r.trees = append(r.trees, tree{row: r.row})
	}
	last := &r.trees[len(r.trees)-1]
	last.branches = append(last.branches, i)
}

// isWorker reports whether a line of a plan is of one of the workers that share a node.
func isWorker(c *cost) bool { return c.kind == costPlan && bytes.Contains(c.name, []byte("Worker ")) }

// tree is the branches below a row.
type tree struct {
	row      int // -1: there is none above
	branches []int
}

// laterTree is how many branches of a tree come before the first one below the next row.
const laterTree = 4

// rank ranks the branches in their order, which has the largest shares first. Those below the row that
// costs most come before others.
func (t *tree) rank(list []Ranked) {
	turn := 0
	if t.row >= 0 {
		turn = laterTree * list[t.row].turn
	}
	for n, i := range t.branches {
		list[i].set(scoreContent, turn+n, KeepStructure)
	}
}

// titled raises the title above the names of columns, such as "[JavaScript]:", to the best of the rows
// below them.
func titled(list []Ranked, costs []cost) {
	title := -1
	for i := range list {
		switch {
		case list[i].Score <= 1:
			title = -1
		case costs[i].kind == noCost && i+2 < len(list) && costs[i+1].kind == noCost && costs[i+2].kind != noCost && list[i].Score < scoreContent:
			title = i
		case title >= 0 && costs[i].kind != noCost && (list[title].Score < scoreContent || list[i].turn < list[title].turn):
			list[title].set(scoreContent, list[i].turn, KeepStructure)
		}
	}
}

// differentFirst moves the rows with a name that no row before has before all others: a tree of calls has
// the same function in many places.
func differentFirst(costs []cost, rows, order []int) []int {
	seen := map[string]bool{}
	var different, others []int
	for _, k := range order {
		if name := string(costs[rows[k]].name); !seen[name] {
			seen[name] = true
			different = append(different, k)
		} else {
			others = append(others, k)
		}
	}
	return append(different, others...)
}

// isFailure reports whether a line says that something is wrong.
func isFailure(text []byte) bool {
	switch salience.Builtin().Classify(text).Reason {
	case salience.Error, salience.Failure, salience.Crash:
		return true
	}
	return false
}

// spills reports whether a line of a plan says that memory was too small.
func spills(text []byte) bool {
	return bytes.Contains(text, []byte("Disk:")) || bytes.Contains(text, []byte("Disk Usage:"))
}

// exclusive takes from the cost of each node of a plan that of the nodes below it.
func exclusive(costs []cost) {
	var above []int
	for i := range costs {
		c := &costs[i]
		if c.kind != costPlan {
			continue
		}
		for len(above) > 0 && costs[above[len(above)-1]].indent >= c.indent {
			above = above[:len(above)-1]
		}
		c.values[1] = c.values[0] // with all below it
		if len(above) > 0 {
			up := &costs[above[len(above)-1]]
			c.values[1] = min(c.values[1], up.values[1]) // several workers share it
			c.values[0] = c.values[1]
			up.values[0] = max(0, up.values[0]-c.values[1])
		}
		above = append(above, i)
	}
}

// rank ranks the rows by their places in the order of each column.
func (l *layout) rank(list []Ranked, costs []cost) {
	rows := l.rows
	place, ownPlace := places(len(rows)), places(len(rows))
	own := 0
	for _, i := range rows {
		if isOwnCost(costs[i].name) {
			own++
		}
	}
	for _, column := range l.columns(costs) {
		order := make([]int, 0, len(rows)) // indices of rows
		for k, i := range rows {
			if costs[i].values[column] > 0 {
				order = append(order, k)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(costs[rows[b]].values[column], costs[rows[a]].values[column])
		})
		if costs[rows[0]].kind == costBench {
			order = medians(costs, rows, order)
		} else {
			order = differentFirst(costs, rows, order)
		}
		nth := 0
		for n, k := range order {
			place[k] = min(place[k], n)
			if isOwnCost(costs[rows[k]].name) {
				ownPlace[k] = min(ownPlace[k], nth)
				nth++
			}
		}
	}
	for k, i := range rows {
		turn := place[k]
		if own > 0 && own < len(rows) {
			turn = min(everyNthRow*turn, ownPlace[k])
		}
		list[i].set(scoreContent, turn, KeepStructure)
	}
	if costs[rows[0]].kind == costPlan { // all of it
		list[rows[0]].set(scoreHeading, 0, KeepStructure)
	}
}

// places returns the places of rows that are in no order.
func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = n
	}
	return list
}

// columns returns the columns of rows that say a cost: no numbers of calls, no averages, no sums of all
// rows before, and no shares if there is what they are shares of.
func (l *layout) columns(costs []cost) (columns []int) {
	rows, header := l.rows, l.header
	first := &costs[rows[0]]
	amounts := false
	for column := range first.n {
		amounts = amounts || first.shares>>column&1 == 0
	}
	for column := range first.n {
		switch {
		case amounts && first.shares>>column&1 != 0:
		case first.kind == costRow && first.n > 1 && column < len(header) && isNoCost(header[column]):
		case first.kind == costRow && first.n > 1 && grows(costs, rows, column):
		default:
			columns = append(columns, column)
		}
	}
	if columns == nil { // all grow, as the memory of a program that leaks
		for column := range first.n {
			columns = append(columns, column)
		}
	}
	return columns
}

// isNoCost reports whether a column has a count, or an average for it.
func isNoCost(name []byte) bool {
	name = bytes.ToLower(name)
	return bytes.Contains(name, []byte("call")) || bytes.Contains(name, []byte("hit")) || bytes.Contains(name, []byte("count"))
}

// grows reports whether each row has at least as much in a column as the one before.
func grows(costs []cost, rows []int, column int) bool {
	if len(rows) < leastCosts {
		return false
	}
	for k := 1; k < len(rows); k++ {
		if costs[rows[k]].values[column] < costs[rows[k-1]].values[column] {
			return false
		}
	}
	return true
}

// medians moves the median of the runs of each benchmark before all other runs, and of these the
// first of each family before the others: "BenchmarkFind" of "BenchmarkFind/query=hex-2". The order has
// the slowest first.
func medians(costs []cost, rows, order []int) []int {
	runs := map[string]int{}
	for _, k := range order {
		runs[string(costs[rows[k]].name)]++
	}
	seen, families := map[string]int{}, map[string]bool{}
	var first, median, others []int
	for _, k := range order {
		name := string(costs[rows[k]].name)
		seen[name]++
		family, _, _ := bytes.Cut(costs[rows[k]].name, []byte("/"))
		family = digitSet.TrimRight(family)
		switch {
		case seen[name] != (runs[name]+1)/2:
			others = append(others, k)
		case !families[string(family)]:
			families[string(family)] = true
			first = append(first, k)
		default:
			median = append(median, k)
		}
	}
	return slices.Concat(first, median, others)
}

// isCosts reports whether lines are a report of costs, by the first of them.
func isCosts(list []Ranked) bool {
	var lines [][]byte
	for i := range list[:min(len(list), sampleLines)] {
		lines = append(lines, anyBlanks.TrimRight(textscan.WithoutEscapes(list[i].Line.Text)))
	}
	return IsCosts(lines)
}

// IsCosts reports whether lines without escape sequences are a report of costs, by the first of them.
func IsCosts(lines [][]byte) bool {
	s := sample{}
	space := sampleBytes
	for _, text := range lines[:min(len(lines), sampleLines)] {
		if space -= len(text) + 1; space < 0 {
			break
		}
		s.lines = append(s.lines, text)
	}
	return s.isCosts()
}
