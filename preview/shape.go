package preview

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
	ShapeNone Shape = iota
	ShapeBuildLog
	ShapeTestReport
	ShapeDiff
	ShapeSearch
	ShapeListing
	ShapeTable
	ShapeJSON
	ShapeNDJSON
	ShapeStackTrace
	ShapeBinary
	ShapeProse
)

// shapeNames are the names of shapes that may be known beforehand.
var shapeNames = map[string]Shape{
	"build-log": ShapeBuildLog, "test-report": ShapeTestReport, "diff": ShapeDiff, "search": ShapeSearch, "listing": ShapeListing,
	"table": ShapeTable, "json": ShapeJSON, "ndjson": ShapeNDJSON, "stack-trace": ShapeStackTrace, "prose": ShapeProse,
}

// ShapeNamed is the shape of a name; ShapeNone for others.
func ShapeNamed(name string) Shape { return shapeNames[name] }

// ShapeNames are the names of shapes that may be known beforehand, sorted.
func ShapeNames() []string { return slices.Sorted(maps.Keys(shapeNames)) }

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
		{sample.isNDJSON, ShapeNDJSON},
		{sample.isJSON, ShapeJSON},
		{sample.isDiff, ShapeDiff},
		{sample.isTrace, ShapeStackTrace},
		{sample.isTestReport, ShapeTestReport},
		{sample.isBuildLog, ShapeBuildLog},
		{sample.isSearch, ShapeSearch},
		{sample.isTable, ShapeTable},
		{sample.isListing, ShapeListing},
		{sample.isProse, ShapeProse},
	} {
		if shape.is(s) {
			return shape.shape
		}
	}
	return ShapeNone
}

// agrees reports whether a sample may be the start of a payload of a shape, for
// one that somebody said. What can begin with anything is not doubted.
func (s sample) agrees(shape Shape) bool {
	switch shape {
	case ShapeDiff:
		return s.any(isDiffHeader)
	case ShapeSearch:
		return s.any(func(text []byte) bool { return matchOf(text).path != nil || numbered(text) > 0 })
	case ShapeTable:
		return len(s.lines) > 2
	case ShapeJSON:
		return s.isJSON()
	case ShapeNDJSON:
		return s.isNDJSON()
	case ShapeStackTrace:
		return s.any(isFrame)
	case ShapeBinary:
		return false
	case ShapeProse: // what anybody writes, unless it is seen to be something else
		seen := s.detect()
		return seen == ShapeNone || seen == ShapeProse
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

// Shape is the kind of text that the payload is, as far as its first lines show.
// What a caller knows wins, unless they contradict it.
func (e *Excerpt) Shape(f Focus) Shape {
	if e.binary {
		return ShapeBinary
	}
	if !e.seen.known || e.seen.hint != f.Shape {
		lines := e.head
		if e.plain != "" {
			lines = firstLines(e.plain)
		}
		s := sampleOf(lines)
		e.seen = seenShape{known: true, hint: f.Shape, shape: f.Shape}
		if f.Shape == ShapeNone || !s.agrees(f.Shape) {
			e.seen.shape = s.detect()
		}
	}
	return e.seen.shape
}

// seenShape is the shape that was seen last, and with which hint.
type seenShape struct {
	known       bool
	hint, shape Shape
}

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

// The window of a payload whose structure lies in its middle: so much of it is
// kept from its start that small ones have all their lines.
const (
	structureBytes = 1 << 20
	structureLines = 32 << 10
)

// structured reports whether a payload that begins with these lines has structure in
// its middle.
func structured(lines []textscan.Line) bool {
	switch sampleOf(lines).detect() {
	case ShapeDiff, ShapeSearch, ShapeListing, ShapeTable:
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
func rankShape(shape Shape, list []ranked) bool {
	switch shape {
	case ShapeDiff:
		rankDiff(list)
	case ShapeSearch:
		rankSearch(list)
	case ShapeListing:
		rankListing(list)
	case ShapeTable:
		rankTable(list)
	case ShapeStackTrace:
		rankTrace(list)
	case ShapeProse:
		rankProse(list)
	default:
		return false
	}
	return true
}

// as gives a line its score, and its turn among those of the same score: the lower
// comes first.
func (r *ranked) as(score, turn int, reason Reason) {
	r.score, r.turn, r.reason = score, turn, reason
}

// usualLineCost is what a line costs beside its text, in bytes, about.
const usualLineCost = 8

// share is a part of a payload that gets as much room as the others: max-min fair,
// because the lines of all parts come in the order of what their part has had by then.
type share struct {
	weight int // how many times as much its lines count; 0 is 1
	had    int // bytes so far
}

// takes is the turn of the next line of a part.
func (s *share) takes(text []byte) int {
	s.had += (min(len(text), 4*minLineBytes) + usualLineCost) * max(1, s.weight)
	return s.had
}

// noisyWeight is how much less the lines of files matter that no person writes.
const noisyWeight = 8

// noisyParts are directories of them.
var noisyParts = [...]string{
	"node_modules", "vendor", "third_party", ".git", "__pycache__", "dist", "target", ".venv", "venv", "site-packages",
	".tox", ".cache", ".idea", ".gradle", ".terraform", "bower_components", "__snapshots__",
}

// noisyNames are names of files, and ends of names, that tools write.
var noisyNames = [...]string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "go.sum", "poetry.lock", "uv.lock",
	"Pipfile.lock", "composer.lock", "Gemfile.lock", "flake.lock", "gradle.lockfile", "Podfile.lock", "mix.lock", "pubspec.lock",
	".min.js", ".min.css", ".map", ".snap", ".pb.go", "_pb2.py", ".svg", ".lock",
}

// weightOf is the weight of a file or a directory.
func weightOf(path []byte) int {
	p := string(path)
	for _, name := range noisyNames {
		if strings.HasSuffix(p, name) {
			return noisyWeight
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		for _, noisy := range noisyParts {
			if part == noisy {
				return noisyWeight
			}
		}
	}
	return 1
}
