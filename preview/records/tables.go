package records

import (
	"bytes"
	"slices"
	"strings"
)

// Several tables in one text, with blank lines and titles between them, as "kubectl get all",
// "docker system df -v" and top print them. Their outline has the lines of each table.

// Bounds that tell several tables from other text.
const (
	leastTables   = 2
	leastInTables = 70 // per cent of the lines are of tables
)

// ParseTables reads a text of several tables, for a budget of tokens. It returns nil for other text.
func ParseTables(text []byte, tokens int) *Outline {
	parts := paragraphs(splitLines(text))
	if len(parts) < leastTables {
		return nil
	}
	w := outliner{reader: &reader{src: text}, tokens: tokens}
	tables, inside, all := 0, 0, 0
	for _, block := range parts {
		all += len(block)
		rows, list := readBlock(block)
		if rows == nil {
			w.around(texts(block))
			continue
		}
		tables++
		inside += len(block)
		w.rowsOf(rows, list)
	}
	if tables < leastTables || inside*100 < all*leastInTables {
		return nil
	}
	w.text = append(w.text, '\n')
	return &Outline{text: w.text, starts: w.starts, ranks: w.ranks}
}

// paragraphs returns the lines between blank ones.
func paragraphs(lines [][]byte) (list [][][]byte) {
	for len(lines) > 0 {
		end := slices.IndexFunc(lines, func(line []byte) bool { return len(line) == 0 })
		if end < 0 {
			end = len(lines)
		}
		if end > 0 {
			list = append(list, lines[:end])
		}
		lines = lines[min(end+1, len(lines)):]
	}
	return list
}

// readBlock reads the table of a paragraph, which may have one row.
func readBlock(lines [][]byte) (*Rows, List) {
	for _, read := range [...]func([][]byte) (*Rows, List){readDrawn, readAligned} {
		if rows, list := read(lines); rows != nil {
			return rows, list
		}
	}
	if len(lines) < 2 || len(lines) > leastTableRows || !looksLikeNames(lines[0], lines[1]) || !bytes.Contains(lines[0], []byte("  ")) {
		return nil, List{}
	}
	columns := gaps(lines[0], lines[1:])
	if len(columns) < leastFields {
		return nil, List{}
	}
	b := newBuilder(cut(lines[0], columns))
	for _, line := range lines[1:] {
		b.add(cut(line, columns))
	}
	return &b.rows, List{}
}

// around writes lines beside tables, such as titles.
func (w *outliner) around(list []string) {
	w.lines(list)
	w.ranks = aroundRanks(w.ranks, list)
}

// rowsOf writes a table. One of few rows has no line of what is equal in all of them.
func (w *outliner) rowsOf(rows *Rows, list List) {
	if rows.Len() >= leastTableRows {
		if t := fitted(rows, list, w.tokens); t != nil {
			w.writeTable(t, outlineBase+outlineDeep)
			return
		}
	}
	w.line(strings.Join(rows.Keys, "\t"), headRank)
	for i, r := range rows.Ranks() {
		var line []byte
		for k := range rows.Keys {
			if k > 0 {
				line = append(line, '\t')
			}
			line = append(line, rows.Text(rows.At(i, k))...)
		}
		w.line(string(line), r)
	}
}
