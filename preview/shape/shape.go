package shape

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/frames"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Detection looks at a sample: at most 64 lines and 8 KiB from the start.
// Detectors are asked in a fixed order, the most certain first, and each must
// be right rather than complete: a text that no detector knows is ranked as a
// log, which is never wrong.

// Shape is the kind of text of a payload. The values are those of the contract;
// proto/toolresult/v1/ledger.proto explains them.
type Shape uint8

// The shapes.
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
	Records // a table of records of one kind; no text has it by itself
	Source
)

// shapeNames are the names of shapes that may be known beforehand.
var shapeNames = map[string]Shape{
	"build-log": BuildLog, "test-report": TestReport, "diff": Diff, "search": Search, "listing": Listing,
	"table": Table, "json": JSON, "ndjson": NDJSON, "stack-trace": StackTrace, "prose": Prose,
	"source": Source,
}

// Named returns the shape of a name; None for unknown names.
func Named(name string) Shape { return shapeNames[name] }

// Names returns the names of shapes that may be known beforehand, sorted.
func Names() []string { return slices.Sorted(maps.Keys(shapeNames)) }

// The part of a payload that its shape is recognized in.
const (
	sampleLines = 64
	sampleBytes = 8 << 10
)

// sample is the first lines of a payload as a reader sees them.
type sample struct {
	lines [][]byte // without escape sequences and blanks at their ends
	cut   bool     // the last of them goes on
}

// newSample takes a sample of the first lines. A line that does not fit ends
// it.
func newSample(lines []textscan.Line) sample {
	var s sample
	space := sampleBytes
	for i := range lines[:min(len(lines), sampleLines)] {
		text := lines[i].Text
		if s.cut = len(text) > space || lines[i].Skipped > 0; s.cut {
			text = text[:min(space, lines[i].Split)]
		}
		s.lines = append(s.lines, anyBlanks.TrimRight(textscan.WithoutEscapes(text)))
		if space -= len(text) + 1; space <= 0 || s.cut {
			break
		}
	}
	return s
}

// detect returns the shape of a payload that begins with the sample; None where
// it is not sure.
func (s sample) detect() Shape {
	for _, shape := range [...]struct {
		is    func(sample) bool
		shape Shape
	}{
		{sample.isNDJSON, NDJSON},
		{sample.isJSON, JSON},
		{sample.isDiff, Diff},
		{sample.isTrace, StackTrace},
		{sample.isCosts, Table},
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

// agrees reports whether the sample may be the start of a payload of a shape
// that a caller gave. Shapes that can begin with anything always may.
func (s sample) agrees(shape Shape) bool {
	if shape != JSON && shape != NDJSON && (s.isJSON() || s.isNDJSON()) { // "kubectl get -o json"
		return false
	}
	switch shape {
	case BuildLog, TestReport:
		return !s.isCosts() // "go test -bench"
	case Diff:
		return s.any(isDiffHeader)
	case Search:
		return s.any(func(text []byte) bool { return parseMatch(text).path != nil || numbered(text) > 0 })
	case Table:
		return len(s.lines) > 2
	case JSON:
		return s.isJSON()
	case NDJSON:
		return s.isNDJSON()
	case StackTrace:
		return s.any(frames.Is)
	case Binary:
		return false
	case Prose: // what anybody writes, unless it is seen to be something else
		seen := s.detect()
		return seen == None || seen == Prose
	}
	return true
}

// any reports whether a line has a property.
func (s sample) any(is func([]byte) bool) bool {
	for _, text := range s.lines {
		if is(text) {
			return true
		}
	}
	return false
}

// count returns how many of the lines that are not empty have a property.
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

// mostly reports whether at least a percentage and a number of lines have a
// property.
func (s sample) mostly(percent, least int, is func([]byte) bool) bool {
	yes, all := s.count(is)
	return yes >= least && yes*100 >= all*percent
}

// Detect returns the shape of a payload that begins with these lines; None
// where it is not sure. A hint other than None wins, unless the lines rule it
// out.
func Detect(first []textscan.Line, hint Shape) Shape {
	s := newSample(first)
	seen := s.detect()
	switch seen {
	case None, Prose, BuildLog, Listing, Table: // code may look like these, and they never like code
		if code := sourceSample(first); isSource(code) || hint == Source && !isLog(code) {
			seen = Source
		}
	}
	if hint != None && hint != Source && seen != Source && s.agrees(hint) {
		return hint
	}
	return seen
}

// Decides reports whether the shape of a payload depends on these first lines of it alone, whatever lines follow.
func Decides(first []textscan.Line) bool {
	if len(first) >= sourceLines {
		return true
	}
	space := sourceBytes
	for i := range first {
		if space -= len(first[i].Text) + 1; space <= 0 || first[i].Skipped > 0 {
			return true
		}
	}
	return false
}

// DetectText is Detect for a text of plain characters in memory.
func DetectText(text string, hint Shape) Shape { return Detect(firstLines(text), hint) }

// firstLines returns the lines of a plain text that a sample can have.
func firstLines(text string) (list []textscan.Line) {
	for space := sourceBytes; len(list) < sourceLines && text != "" && space > 0; {
		one, rest, _ := strings.Cut(text, "\n")
		list = append(list, textscan.Line{Text: []byte(one), Split: len(one)})
		space -= len(one) + 1
		text = rest
	}
	return list
}

// HasMiddle reports whether payloads of a shape have structure in their middle:
// names of files, directories, columns and threads, that lines around it belong to.
func (s Shape) HasMiddle() bool {
	switch s {
	case Diff, Search, Listing, Table, Source, StackTrace:
		return true
	}
	return false
}

// IsLog reports whether payloads of a shape are ranked as logs.
func (s Shape) IsLog() bool { return s == None || s == BuildLog || s == TestReport }

// Scores of lines in a shape with structure.
const (
	scoreHeading = 95 // names a part: a file, a directory, a column, a section
	scoreNamed   = 90 // says more of it
	scoreContent = 70 // of a part
	scoreBeside  = 40 // beside such content
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
		if !isCosts(list) {
			return false
		}
		rankCosts(list)
	case Prose:
		rankProse(list)
	default:
		return false
	}
	return true
}

// set gives a line its score, its reason, and its turn among lines of the same
// score: the lower turn comes first.
func (r *Ranked) set(score, turn int, reason Reason) {
	r.Score, r.turn, r.Reason = score, turn, reason
}
