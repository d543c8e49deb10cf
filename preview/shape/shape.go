package shape

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Shape is the kind of text that a payload is. The shapes are explained in
// proto/toolresult/v1/ledger.proto.
type Shape uint8

// The shapes that are told apart.
const (
	None Shape = iota
	BuildLog
	TestReport
	Diff
	Search
	Listing
	Table
	JSON
	NDJSON
	StackTrace
	Binary
	Prose
)

// shapeNames are the names of shapes that may be known beforehand.
var shapeNames = map[string]Shape{
	"build-log": BuildLog, "test-report": TestReport, "diff": Diff, "search": Search, "listing": Listing,
	"table": Table, "json": JSON, "ndjson": NDJSON, "stack-trace": StackTrace, "prose": Prose,
}

// ShapeNamed is the shape of a name; ShapeNone for others.
func Named(name string) Shape { return shapeNames[name] }

// ShapeNames are the names of shapes that may be known beforehand, sorted.
func Names() []string { return slices.Sorted(maps.Keys(shapeNames)) }

// How much of the start of a payload its shape is seen in.
const (
	sampleLines = 64
	sampleBytes = 8 << 10
)

// sample is the start of a payload: its first lines, as a reader sees them.
type sample struct {
	lines [][]byte // without escape sequences and blanks at their ends
	cut   bool     // the last of them goes on
}

// sampleOf takes a sample of the first lines.
func sampleOf(lines []textscan.Line) sample {
	var s sample
	room := sampleBytes
	for i := range lines[:min(len(lines), sampleLines)] {
		text := lines[i].Text
		if s.cut = len(text) > room || lines[i].Skipped > 0; s.cut {
			text = text[:min(room, lines[i].Split)]
		}
		s.lines = append(s.lines, bytes.TrimRight(textscan.WithoutEscapes(text), " \t\r"))
		if room -= len(text) + 1; room <= 0 || s.cut {
			break
		}
	}
	return s
}

// detect says what shape a payload has that begins with a sample. Where it is not
// sure it is ShapeNone.
func (s sample) detect() Shape {
	for _, shape := range [...]struct {
		is    func(sample) bool
		shape Shape
	}{
		{sample.isNDJSON, NDJSON},
		{sample.isJSON, JSON},
		{sample.isDiff, Diff},
		{sample.isTrace, StackTrace},
		{sample.isTestReport, TestReport},
		{sample.isBuildLog, BuildLog},
		{sample.isSearch, Search},
		{sample.isTable, Table},
		{sample.isListing, Listing},
		{sample.isProse, Prose},
	} {
		if shape.is(s) {
			return shape.shape
		}
	}
	return None
}

// agrees reports whether a sample may be the start of a payload of a shape, for
// one that somebody said. What can begin with anything is not doubted.
func (s sample) agrees(shape Shape) bool {
	switch shape {
	case Diff:
		return s.any(isDiffHeader)
	case Search:
		return s.any(func(text []byte) bool { return matchOf(text).path != nil || numbered(text) > 0 })
	case Table:
		return len(s.lines) > 2
	case JSON:
		return s.isJSON()
	case NDJSON:
		return s.isNDJSON()
	case StackTrace:
		return s.any(isFrame)
	case Binary:
		return false
	case Prose: // what anybody writes, unless it is seen to be something else
		seen := s.detect()
		return seen == None || seen == Prose
	}
	return true
}

func (s sample) any(is func([]byte) bool) bool {
	for _, text := range s.lines {
		if is(text) {
			return true
		}
	}
	return false
}

// count returns how many of the lines that are not empty are what is asked for.
func (s sample) count(is func([]byte) bool) (yes, all int) {
	for _, text := range s.lines {
		if len(text) == 0 {
			continue
		}
		all++
		if is(text) {
			yes++
		}
	}
	return yes, all
}

// mostly reports whether that is at least a per cent of them, and at least a number of lines.
func (s sample) mostly(percent, least int, is func([]byte) bool) bool {
	yes, all := s.count(is)
	return yes >= least && yes*100 >= all*percent
}

// Detect returns the shape of a payload that begins with these lines; ShapeNone
// where it is not sure. A hint that is not ShapeNone wins, unless the lines
// contradict it.
func Detect(first []textscan.Line, hint Shape) Shape {
	s := sampleOf(first)
	if hint != None && s.agrees(hint) {
		return hint
	}
	return s.detect()
}

// DetectText is Detect for a text of plain characters in memory.
func DetectText(text string, hint Shape) Shape { return Detect(firstLines(text), hint) }

// firstLines are the lines of a plain payload that a sample may have.
func firstLines(text string) (list []textscan.Line) {
	for room := sampleBytes; len(list) < sampleLines && text != "" && room > 0; {
		one, rest, _ := strings.Cut(text, "\n")
		list = append(list, textscan.Line{Text: []byte(one), Split: len(one)})
		room -= len(one) + 1
		text = rest
	}
	return list
}

// HasMiddle reports whether payloads of a shape have structure in their middle:
// names of files, directories and columns, that lines around it belong to.
func (s Shape) HasMiddle() bool {
	switch s {
	case Diff, Search, Listing, Table:
		return true
	}
	return false
}

// Scores of lines of which a shape is made.
const (
	scoreHeading = 95 // names a part: a file, a directory, a column, a section
	scoreNamed   = 90 // says more of it
	scoreContent = 70 // of a part
	scoreBeside  = 40 // stands beside such content
)

// rankShape ranks the lines of a payload of a shape, and reports whether that
// shape has an order of its own.
func rankShape(shape Shape, list []Ranked) bool {
	switch shape {
	case Diff:
		rankDiff(list)
	case Search:
		rankSearch(list)
	case Listing:
		rankListing(list)
	case Table:
		rankTable(list)
	case StackTrace:
		rankTrace(list)
	case Prose:
		rankProse(list)
	default:
		return false
	}
	return true
}

// as gives a line its score, and its turn among those of the same score: the lower
// comes first.
func (r *Ranked) as(score, turn int, reason Reason) {
	r.Score, r.turn, r.Reason = score, turn, reason
}
