package shape

import (
	"bytes"
	"strings"

	"github.com/toolresult/toolresult/preview/salience"
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

// faultyStates are words of rows that say that something is wrong. In the line
// of a log they would be too weak; in a column of states they are sure.
var faultyStates = [...]string{
	"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "CreateContainerError", "CreateContainerConfigError",
	"RunContainerError", "InvalidImageName", "OOMKilled", "Evicted", "Error", "ERROR", "Failed", "FAILED", "Pending", "Unknown",
	"Terminating", "NotReady", "Init:", "ContainerStatusUnknown", "DeadlineExceeded", "NodeLost", "Lost", "Degraded", "degraded",
	"SchedulingDisabled", "Exited", "Dead", "dead", "Restarting", "(unhealthy)", "unhealthy", "Unhealthy", "<defunct>", "Zombie", "DOWN", "down",
	"Offline", "offline", "MissingEndpoints", "False", "Expired", "expired", "rejected", "Rejected", "Timeout", "timeout", "100%", "failed", "masked", "bad-setting", "SUSPENDED", "BackOff", "Stopped", "STOPPED",
}

// isFaulty reports whether any text of a row says that something is wrong.
func isFaulty(text []byte) bool {
	switch salience.Builtin().Classify(text).Reason {
	case salience.Error, salience.Failure, salience.Crash, salience.Diagnostic:
		return true
	}
	return saysState(text)
}

// stateBreaks are the characters around a word of a state.
const stateBreaks = " \t|,"

// saysState reports whether a text has a word that is a state of something wrong.
func saysState(text []byte) bool {
	for _, state := range faultyStates {
		i := bytes.Index(text, []byte(state))
		if i < 0 || i > 0 && strings.IndexByte(stateBreaks, text[i-1]) < 0 {
			continue
		}
		rest := text[i+len(state):]
		if state == "Exited" && bytes.HasPrefix(rest, []byte(" (0)")) {
			continue
		}
		if len(rest) == 0 || state[len(state)-1] == ':' || strings.IndexByte(stateBreaks, rest[0]) >= 0 {
			return true
		}
	}
	return false
}

// Scores of rows.
const (
	scoreFaulty = 85
	scoreRare   = 70 // in a state that few rows are in
	scoreLoaded = 60 // uses much of a resource
	scoreRow    = 50
	scoreKernel = 30 // of a thread of the kernel
)

// rowWidth is how many bytes of a row are shown before its inner part is cut: more
// rows say more than the end of a command line.
const rowWidth = 160

// rankTable ranks the lines of a table: its header, rows whose states say that
// something is wrong, those in a rare state, those that use most of a resource, then
// rows from the top.
// Names of columns come again under another title, as "kubectl get" prints several
// tables.
func rankTable(list []Ranked) {
	if isCosts(list) {
		rankCosts(list)
		return
	}
	faulty, from := 0, 0 // from is the first row under the header
	var header columns
	for i := range list {
		r := &list[i]
		r.Width = rowWidth
		text := textscan.WithoutEscapes(r.Line.Text)
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			r.set(1, 0, KeepContext)
		case isRule(text):
			r.set(scoreHeading, 0, KeepStructure)
		case i < usualHeaderLines && columnStarts(text) != nil, i > 0 && len(list[i-1].Line.Text) == 0 && columnStarts(text) != nil,
			i+1 < len(list) && i < usualHeaderLines && isRule(list[i+1].Line.Text), i < headerLines && isProcessHeader(text):
			header.raiseRare(list[from:i])
			header, from = parseColumns(text), i+1
			r.set(scoreHeading, 0, KeepStructure)
			if i < headerLines && header.fields {
				summarized(list[:i])
			}
		case text[0] == '(' && i+3 > len(list), // "(12 rows)"
			i+1 == len(list) && from < i-1 && isRule(list[i-1].Line.Text): // the sums below a rule
			r.set(scoreNamed, 0, KeepSummary)
		case header.faulty(text):
			faulty++
			r.set(scoreFaulty, 0, KeepError)
		case header.isKernel(text):
			r.set(scoreKernel, 0, KeepHead)
		default:
			r.set(scoreRow, 0, KeepHead)
			if load := header.load(text); load > 0 {
				r.set(scoreLoaded, mostLoad-min(mostLoad, load), KeepStructure)
			}
		}
	}
	header.raiseRare(list[from:])
	if faulty*2 > len(list) { // what most rows say tells them not apart
		for i := range list {
			if list[i].Score == scoreFaulty {
				list[i].set(scoreRow, 0, KeepHead)
			}
		}
	}
	InOrder(list)
}

// summarized raises the lines before the table of top, which sum it up.
func summarized(before []Ranked) {
	for i := range before {
		if before[i].Score > 1 {
			before[i].set(scoreNamed, 0, KeepSummary)
		}
	}
}

// mostLoad is more than the load of a row, in tenths of a per cent.
const mostLoad = 1 << 20
