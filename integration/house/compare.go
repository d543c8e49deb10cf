package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// minLines is the size from which a package should have tests of its own: a smaller one is a handful of constants.
const minLines = 100

// row is one measure of all modules.
type row struct {
	name   string
	values []float64
	format string
	better int // 1: more is better; -1: less is better; 0: neither
}

// worse reports whether the first module is worse than the best of the others.
func (r row) worse() bool {
	for _, v := range r.values[1:] {
		// Compared as they are printed, so that no difference counts that nobody sees.
		if fmt.Sprintf(r.format, v) != fmt.Sprintf(r.format, r.values[0]) && (v-r.values[0])*float64(r.better) > 0 {
			return true
		}
	}
	return false
}

// measures are the rows of the table in their order.
var measures = []struct {
	name, format string
	better       int
	measure      func(*module) float64
}{
	{"packages", "%.0f", 0, func(m *module) float64 { return float64(len(m.files())) }},
	{"lines of code", "%.0f", 0, func(m *module) float64 { return sum(m.fileLines) }},
	{"files of a package, median", "%.0f", -1, func(m *module) float64 { return median(m.files()) }},
	{"files of a package, most", "%.0f", -1, func(m *module) float64 { return slices.Max(m.files()) }},
	{"lines of a file, median", "%.0f", -1, func(m *module) float64 { return median(floats(m.fileLines)) }},
	{"lines of a file, most", "%.0f", -1, func(m *module) float64 { return slices.Max(floats(m.fileLines)) }},
	{"lines of a function, median", "%.0f", -1, func(m *module) float64 { return median(floats(m.functionLines)) }},
	{"lines of a function, most", "%.0f", -1, func(m *module) float64 { return slices.Max(floats(m.functionLines)) }},
	{"methods of an interface, most", "%.0f", -1, func(m *module) float64 { return slices.Max(floats(m.interfaces)) }},
	{"lines with a comment, %", "%.0f", 1, func(m *module) float64 { return 100 * m.comments() / sum(m.fileLines) }},
	{"exported names with a comment, %", "%.1f", 1, func(m *module) float64 { return 100 * float64(m.documented) / float64(max(1, m.exported)) }},
	{"examples", "%.0f", 1, func(m *module) float64 { return float64(m.examples) }},
	{"lines of tests per line of code, median of packages", "%.2f", 1, func(m *module) float64 { return median(m.tests()) }},
	{"lines of tests per line of code, least of packages", "%.2f", 1, func(m *module) float64 { return slices.Min(m.tests()) }},
}

// compare returns the rows of modules.
func compare(modules []*module) []row {
	var rows []row
	for _, c := range measures {
		r := row{name: c.name, format: c.format, better: c.better}
		for _, m := range modules {
			r.values = append(r.values, c.measure(m))
		}
		rows = append(rows, r)
	}
	return rows
}

// table writes rows as Markdown. A value of the first module that is worse than another is bold.
func table(modules []*module, rows []row) string {
	var b strings.Builder
	b.WriteString("| measure |")
	for _, m := range modules {
		b.WriteString(" " + m.name + " |")
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(modules)) + "\n")
	for _, r := range rows {
		b.WriteString("| " + r.name + " |")
		for i, v := range r.values {
			cell := fmt.Sprintf(r.format, v)
			if i == 0 && r.worse() {
				cell = "**" + cell + "**"
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// files returns the number of files of each package.
func (m *module) files() []float64 {
	return m.perPackage(func(_ string, p *folder) (float64, bool) { return float64(p.files), true })
}

// tests returns the lines of tests per line of code of each package of at least minLines. Packages such as httptest are
// tests themselves.
func (m *module) tests() []float64 {
	return m.perPackage(func(dir string, p *folder) (float64, bool) {
		return float64(p.testLines) / float64(p.lines), p.lines >= minLines && !strings.HasSuffix(dir, "test")
	})
}

// comments returns the number of lines with a comment.
func (m *module) comments() (total float64) {
	for _, p := range m.packages {
		total += float64(p.commentLines)
	}
	return total
}

// packageTable writes the measures of each package as Markdown, to find the packages to work on.
func (m *module) packageTable() string {
	var b strings.Builder
	b.WriteString("| package | files | lines | comments, % | tests per line |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, dir := range slices.Sorted(maps.Keys(m.packages)) {
		if p := m.packages[dir]; p.lines > 0 {
			lines := float64(p.lines)
			fmt.Fprintf(&b, "| %s | %d | %d | %.0f | %.2f |\n", dir, p.files, p.lines, 100*float64(p.commentLines)/lines, float64(p.testLines)/lines)
		}
	}
	return b.String()
}

// perPackage returns a measure of each package for which it is defined; a zero if there is none. A folder with tests alone
// is no package.
func (m *module) perPackage(measure func(dir string, p *folder) (value float64, defined bool)) []float64 {
	var list []float64
	for dir, p := range m.packages {
		if value, defined := measure(dir, p); defined && p.lines > 0 {
			list = append(list, value)
		}
	}
	if len(list) == 0 {
		return []float64{0}
	}
	return list
}

// floats converts measures; an empty list becomes a zero.
func floats(list []int) []float64 {
	out := make([]float64, 0, max(1, len(list)))
	for _, n := range list {
		out = append(out, float64(n))
	}
	if len(out) == 0 {
		return []float64{0}
	}
	return out
}

// sum adds measures.
func sum(list []int) (total float64) {
	for _, n := range list {
		total += float64(n)
	}
	return total
}

// median returns the middle of a list that is not empty: the lower one of two.
func median(list []float64) float64 {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2]
}
