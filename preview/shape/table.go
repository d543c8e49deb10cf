package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Tables: columns under a header, drawn with rules or aligned by blanks, as
// kubectl, docker, ps and SQL shells print them.

// isTable reports whether a sample has columns under a header.
func (s sample) isTable() bool {
	if s.isCosts() {
		return true
	}
	at := s.tableHeader()
	if at < 0 {
		return false
	}
	return at+2 < len(s.lines)
}

// The first lines in which a table has the names of its columns. top has a summary
// before them.
const (
	usualHeaderLines = 3
	headerLines      = 8
)

// isProcessHeader reports whether a line has the names of columns of processes.
func isProcessHeader(text []byte) bool {
	return bytes.Contains(text, []byte("PID")) && bytes.Contains(text, []byte("CPU")) && len(columnStarts(text)) > usualHeaderLines
}

// tableHeader returns the index of the line with the names of the columns, one
// of the first ones, or -1.
func (s sample) tableHeader() int {
	for i := range min(headerLines, len(s.lines)-2) {
		switch {
		case i >= usualHeaderLines && !isProcessHeader(s.lines[i]):
		case isRule(s.lines[i+1]) && fieldsBy(s.lines[i], s.lines[i+1]) > 1:
			return i
		case s.isHeader(i):
			return i
		}
	}
	return -1
}

// isRule reports whether a line is drawn under the names of columns:
// "----+----", "--- ---", "|---|:--:|", "=== ===".
func isRule(text []byte) bool {
	strokes := 0
	for _, c := range text {
		switch c {
		case '-', '=':
			strokes++
		case '+', '|', ' ', ':':
		default:
			return false
		}
	}
	return strokes >= 4 && bytes.ContainsAny(text, "+| ")
}

// fieldsBy returns how many names are above a rule, each over one of its
// strokes.
func fieldsBy(header, rule []byte) int {
	n := 0
	for i := 0; i < len(rule); i++ {
		if c := rule[i]; (c == '-' || c == '=') && (i == 0 || rule[i-1] != c) {
			end := i
			for end < len(rule) && rule[end] == c {
				end++
			}
			if i < len(header) && len(bytes.TrimSpace(header[i:min(end, len(header))])) > 0 {
				n++
			}
			i = end
		}
	}
	return n
}

// isHeader reports whether a line has the names of columns by its own look and
// by that of the lines under it: three capitalised names, each over a column.
func (s sample) isHeader(i int) bool {
	header := s.lines[i]
	starts := columnStarts(header)
	if len(starts) < 3 {
		return false
	}
	rows, fit := 0, 0
	for _, row := range s.lines[i+1 : min(len(s.lines), i+13)] {
		if len(row) == 0 {
			break
		}
		rows++
		if fits(row, header, starts) {
			fit++
		}
	}
	return rows >= 2 && fit*5 >= rows*4
}

// columnStarts returns the starts of the names in a header; nil if a word in it
// is no name of a column.
func columnStarts(text []byte) (starts []int) {
	apart := 0 // names with more than one blank before
	for i := 0; i < len(text); {
		blanks := 0
		for i < len(text) && text[i] == ' ' {
			i++
			blanks++
		}
		if i == len(text) {
			break
		}
		start := i
		if n := bytes.Index(text[i:min(len(text), i+12)], []byte("-blocks")); n > 0 { // "1K-blocks" of df
			i += n + len("-blocks")
			if starts = append(starts, start); blanks > 1 {
				apart++
			}
			continue
		}
		for i < len(text) && text[i] != ' ' {
			if c := text[i]; !textscan.BeginsWord(c) && bytes.IndexByte([]byte("-_/%()+#."), c) < 0 || c >= '0' && c <= '9' {
				return nil
			}
			i++
		}
		if c := text[start]; !(c >= 'A' && c <= 'Z') && c != '%' && c != '#' && (blanks > 1 || len(starts) == 0) {
			return nil
		}
		if blanks > 1 && len(starts) > 0 {
			apart++
		}
		starts = append(starts, start)
	}
	if apart < 2 && !allCapitals(text) {
		return nil
	}
	return starts
}

// allCapitals reports whether a text has no lower-case letter.
func allCapitals(text []byte) bool { return bytes.Equal(bytes.ToUpper(text), text) }

// fits reports whether a row has a column under most names: its text begins
// under the beginning of the name, or ends under its end, with a blank beside.
func fits(row, header []byte, starts []int) bool {
	if len(bytes.Fields(row)) < 2 {
		return false
	}
	under := 0
	for _, start := range starts {
		end := start
		for end < len(header) && header[end] != ' ' {
			end++
		}
		left := start < len(row) && row[start] != ' ' && (start == 0 || row[start-1] == ' ')
		right := end <= len(row) && row[end-1] != ' ' && (end == len(row) || row[end] == ' ')
		if left || right {
			under++
		}
	}
	return under*2 >= len(starts)
}
