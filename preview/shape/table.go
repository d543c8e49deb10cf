package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Tables: columns under a header, drawn with rules or aligned by blanks, as
// kubectl, docker, ps and SQL shells print them.

// isTable reports whether a sample has columns under a header.
func (s sample) isTable() bool {
	at := s.tableHeader()
	if at < 0 {
		return false
	}
	return at+2 < len(s.lines)
}

// tableHeader returns the index of the line with the names of the columns, one
// of the first three, or -1.
func (s sample) tableHeader() int {
	for i := 0; i < min(3, len(s.lines)-2); i++ {
		switch {
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
		for i < len(text) && text[i] != ' ' {
			if c := text[i]; !inWordStart(c) && bytes.IndexByte([]byte("-_/%()+#."), c) < 0 || c >= '0' && c <= '9' {
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

// faultyStates are words of rows that say that something is wrong. In the line
// of a log they would be too weak; in a column of states they are sure.
var faultyStates = [...]string{
	"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "CreateContainerError", "CreateContainerConfigError",
	"RunContainerError", "InvalidImageName", "OOMKilled", "Evicted", "Error", "ERROR", "Failed", "FAILED", "failed", "Pending", "Unknown",
	"Terminating", "NotReady", "Init:", "ContainerStatusUnknown", "DeadlineExceeded", "NodeLost", "Lost", "Degraded", "degraded",
	"SchedulingDisabled", "Exited", "Dead", "dead", "Restarting", "(unhealthy)", "unhealthy", "Unhealthy", "<defunct>", "Zombie", "DOWN", "down",
	"Offline", "offline", "MissingEndpoints", "False", "Expired", "expired", "rejected", "Rejected", "Timeout", "timeout", "100%",
}

// isFaulty reports whether a row says that something is wrong.
func isFaulty(text []byte) bool {
	switch salience.Builtin().Classify(text).Reason {
	case salience.Error, salience.Failure, salience.Crash, salience.Diagnostic:
		return true
	}
	for _, state := range faultyStates {
		i := bytes.Index(text, []byte(state))
		if i < 0 || i > 0 && text[i-1] != ' ' && text[i-1] != '\t' && text[i-1] != '|' {
			continue
		}
		rest := text[i+len(state):]
		if state == "Exited" && bytes.HasPrefix(rest, []byte(" (0)")) {
			continue
		}
		if len(rest) == 0 || state[len(state)-1] == ':' || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '|' {
			return true
		}
	}
	return false
}

// Scores of rows.
const (
	scoreFaulty = 85
	scoreRow    = 50
)

// rankTable ranks the lines of a table: its header, rows that say that
// something is wrong, then rows from the top. Names of columns come again under
// another title, as "kubectl get" prints several tables.
func rankTable(list []Ranked) {
	faulty := 0
	for i := range list {
		r := &list[i]
		text := textscan.WithoutEscapes(r.Line.Text)
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			r.set(1, 0, KeepContext)
		case isRule(text), i < 3 && columnStarts(text) != nil, i > 0 && len(list[i-1].Line.Text) == 0 && columnStarts(text) != nil:
			r.set(scoreHeading, 0, KeepStructure)
		case i+1 < len(list) && i < 3 && isRule(list[i+1].Line.Text):
			r.set(scoreHeading, 0, KeepStructure)
		case text[0] == '(' && i+3 > len(list): // "(12 rows)"
			r.set(scoreNamed, 0, KeepSummary)
		case isFaulty(text):
			faulty++
			r.set(scoreFaulty, 0, KeepError)
		default:
			r.set(scoreRow, 0, KeepHead)
		}
	}
	if faulty*2 > len(list) { // what most rows say tells them not apart
		for i := range list {
			if list[i].Score == scoreFaulty {
				list[i].set(scoreRow, 0, KeepHead)
			}
		}
	}
	inOrder(list)
}
