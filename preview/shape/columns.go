package shape

import (
	"bytes"
	"strconv"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Columns of a table under their names. A column of states decides whether a row
// says that something is wrong; what a process was started with does not.

// columns are those of the header of a table that matter.
type columns struct {
	drawn  bool // a bar between columns
	fields bool // by their order: a wide value moves those behind it
	last   int  // columns
	states []column
	loads  []column // shares of a resource: "%CPU"
}

// column is one of them.
type column struct {
	kind       columnKind
	index      int // from the left, by words
	start, end int // of its name
}

// columnKind is what the values of a column say.
type columnKind uint8

const (
	columnOther   columnKind = iota
	columnState              // a word: "Running", "failed"
	columnProcess            // letters of ps and top: "Ssl"
	columnReady              // "1/2"
	columnUsed               // "97%"
	columnLoad               // "12.5"
)

// kindOf returns the kind of a column by its name.
func kindOf(name []byte) columnKind {
	switch string(bytes.ToUpper(name)) {
	case "STATUS", "STATE", "PHASE", "HEALTH", "CONDITION", "RESULT", "CONCLUSION", "ACTIVE", "SUB", "LOAD", "ST", "OUTCOME":
		return columnState
	case "STAT", "S":
		return columnProcess
	case "READY":
		return columnReady
	case "USE%", "IUSE%", "CAPACITY":
		return columnUsed
	case "%CPU", "%MEM", "CPU%", "MEM%":
		return columnLoad
	}
	return columnOther
}

// parseColumns reads the header of a table.
func parseColumns(header []byte) (c columns) {
	c.drawn = bytes.IndexByte(header, '|') >= 0
	isBreak := func(b byte) bool { return b == ' ' || b == '\t' }
	if c.drawn {
		isBreak = func(b byte) bool { return b == '|' }
	}
	for i := 0; i < len(header); {
		for i < len(header) && isBreak(header[i]) {
			i++
		}
		start := i
		for i < len(header) && !isBreak(header[i]) {
			i++
		}
		name := bytes.TrimSpace(header[start:i])
		if len(name) == 0 {
			continue
		}
		c.fields = c.fields || string(name) == "PID"
		switch kind := kindOf(name); kind {
		case columnOther:
		case columnLoad:
			c.loads = append(c.loads, column{kind, c.last, start, i})
		default:
			c.states = append(c.states, column{kind, c.last, start, i})
		}
		c.last++
	}
	return c
}

// cell returns the value of a row in a column; empty where it is not certain.
func (c *columns) cell(row []byte, of column) []byte {
	switch {
	case c.drawn:
		row = cellEnds.Trim(row)
		for range of.index {
			_, row, _ = bytes.Cut(row, []byte("|"))
		}
		value, _, _ := bytes.Cut(row, []byte("|"))
		return bytes.TrimSpace(value)
	case c.fields:
		for range of.index {
			_, row = nextField(row)
		}
		value, _ := nextField(row)
		return value
	case of.start < len(row) && row[of.start] != ' ' && (of.start == 0 || row[of.start-1] == ' '):
		value, _, _ := bytes.Cut(row[of.start:], []byte("  "))
		return bytes.TrimSpace(value)
	case of.end <= len(row) && row[of.end-1] != ' ' && (of.end == len(row) || row[of.end] == ' '):
		return row[bytes.LastIndexByte(row[:of.end], ' ')+1 : of.end]
	}
	return nil
}

// nextField returns the first word of a text, and what is behind it.
func nextField(text []byte) (field, rest []byte) {
	text = blankSet.TrimLeft(text)
	end := bytes.IndexAny(text, " \t")
	if end < 0 {
		return text, nil
	}
	return text[:end], text[end:]
}

// fullUsed is the share of a disk from which on it counts as full, in per cent.
const fullUsed = 90

// saysFault reports whether a value in a column says that something is wrong.
func (k columnKind) saysFault(value []byte) bool {
	if len(value) == 0 {
		return false
	}
	switch k {
	case columnProcess: // dead, stopped, zombie, and waiting for a device
		return len(value) <= 5 && bytes.IndexByte([]byte("DZXTt"), value[0]) >= 0
	case columnReady:
		ready, all, ok := bytes.Cut(value, []byte("/"))
		return ok && string(ready) != string(all) || string(value) == "False"
	case columnUsed:
		n, digits := textscan.Number(value)
		return digits > 0 && n >= fullUsed
	}
	switch salience.Builtin().Classify(value).Reason {
	case salience.Exit, salience.Error, salience.Failure, salience.Crash, salience.Diagnostic:
		return true
	}
	return saysState(value)
}

// faulty reports whether the columns of states of a row say that something is
// wrong. Of a table without such columns all of the row counts. What has ended
// well need not be ready.
func (c *columns) faulty(row []byte) bool {
	if len(c.states) == 0 {
		return isFaulty(row)
	}
	faulty := false
	for _, s := range c.states {
		value := c.cell(row, s)
		if s.kind == columnState && endedWell(value) {
			return false
		}
		faulty = faulty || s.kind.saysFault(value)
	}
	return faulty
}

// endedWell reports whether a state is that of a job that did what it was for.
func endedWell(state []byte) bool {
	return bytes.HasPrefix(state, []byte("Completed")) || bytes.HasPrefix(state, []byte("Succeeded"))
}

// raiseRare raises the rows of a table in a state that few are in: the one order of
// many that is disputed. The first word of a cell is its state; what docker and
// kubectl write behind it is a time.
func (c *columns) raiseRare(rows []Ranked) {
	for _, s := range c.states {
		if s.kind == columnState {
			c.raiseRareIn(rows, s)
		}
	}
}

// raiseRareIn raises the rows with a value that is rare in one column.
func (c *columns) raiseRareIn(rows []Ranked, states column) {
	counts, all := map[string]int{}, 0
	state := func(r *Ranked) []byte {
		if r.Score != scoreRow && r.Score != scoreLoaded && r.Score != scoreFaulty {
			return nil // no row
		}
		word, _ := nextField(c.cell(textscan.WithoutEscapes(r.Line.Text), states))
		return word
	}
	for i := range rows {
		word := state(&rows[i])
		if len(word) == 0 {
			continue
		}
		counts[string(word)]++
		if all++; len(counts) > MostStates {
			return
		}
	}
	for i := range rows {
		r := &rows[i]
		if word := state(r); r.Score < scoreRare && !endedWell(word) && IsRare(counts[string(word)], all) {
			r.set(scoreRare, 0, KeepStructure)
		}
	}
}

// load returns the sum of the shares that a row has of resources, in tenths of a
// per cent.
func (c *columns) load(row []byte) (sum int) {
	for _, l := range c.loads {
		value, _ := bytes.CutSuffix(c.cell(row, l), []byte("%"))
		if share, err := strconv.ParseFloat(string(value), 64); err == nil && share > 0 && share < 1e6 {
			sum += int(10 * share)
		}
	}
	return sum
}

// isKernel reports whether a row of ps is of a thread of the kernel: its command
// is in brackets.
func (c *columns) isKernel(row []byte) bool {
	return c.fields && bytes.HasSuffix(row, []byte("]")) && bytes.LastIndex(row, []byte(" [")) > 0
}
