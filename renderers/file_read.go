package renderers

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Lines of a file are numbered as in the file, so that an agent can edit them and read
// on. That makes this family different from all others with text: ranges in the
// outcome, numbers before lines, no stuffing, and notes about every byte that is not
// shown as it is, because the text will be searched for in the file.

// FileRead renders the text of a file, each line with its number in the file. It
// states the lines that are shown now: after a compaction these are fewer than after
// the projection.
func FileRead() Renderer {
	content := streams((*pb.FileReadResult)(nil).ProtoReflect().Descriptor(), [2]string{"content", labelFileText})
	return Describe(func(payload protoreflect.Message) Document {
		r, _ := payload.Interface().(*pb.FileReadResult)
		return newFileText(r, &content[0]).document(r, &content[0])
	})
}

// fileText is the text of a file and its place in the file. Ranges and totals are in
// lines of the file.
type fileText struct {
	large  envelope.Large
	binary bool
	offset int64       // number of a line in the file, less its number in the text
	read   lineRange   // lines that were read; empty when there was nothing to read
	shown  []lineRange // lines that are shown, in order; neighbours are joined
	total  int64       // lines of the file; 0 when not known
}

// lineRange is a range of lines, inclusive. It is empty if first is greater than last.
type lineRange struct{ first, last int64 }

func (r lineRange) empty() bool { return r.first > r.last }

func (r lineRange) String() string {
	if r.first == r.last {
		return fmt.Sprintf("line %d", r.first)
	}
	return fmt.Sprintf("lines %d-%d", r.first, r.last)
}

// maxLine bounds line numbers, as the contract does. A larger number is in no result
// of a projection.
const maxLine = 1 << 53

// bounded returns n, or maxLine if n is larger.
func bounded(n uint64) int64 { return int64(min(n, maxLine)) }

// totalLines returns the number of lines of the file; 0 when it is not known, and for
// a number that no file has.
func totalLines(r *pb.FileReadResult) int64 {
	if r.GetTotalLines() > maxLine {
		return 0
	}
	return int64(r.GetTotalLines())
}

// newFileText reads the text of a result.
func newFileText(r *pb.FileReadResult, content *stream) *fileText {
	f := &fileText{large: content.field.Get(r.ProtoReflect()), offset: max(1, bounded(r.GetFirstLine())) - 1}
	lines := int64(strings.Count(f.large.Preview, "\n"))
	if text := f.large.Preview; text != "" && !strings.HasSuffix(text, "\n") {
		lines++
	}
	if s := f.large.Source; s != nil {
		f.binary = s.GetEncoding() == pb.TextEncoding_TEXT_ENCODING_BINARY
		lines = bounded(s.GetLines())
	}
	for _, g := range f.large.Segments() {
		f.show(lineRange{bounded(g.GetFirstLine()), bounded(g.GetLastLine())})
	}
	f.read = lineRange{f.offset + 1, f.offset + lines}
	if total := totalLines(r); total >= f.read.last {
		f.total = total // a smaller one is of another moment
	}
	return f
}

// show adds a range of the text to the lines that are shown.
func (f *fileText) show(r lineRange) {
	r.first, r.last = r.first+f.offset, r.last+f.offset
	if n := len(f.shown); n > 0 && f.shown[n-1].last+1 == r.first {
		f.shown[n-1].last = r.last
		return
	}
	f.shown = append(f.shown, r)
}

// document describes the text.
func (f *fileText) document(r *pb.FileReadResult, content *stream) Document {
	d := Document{Outcome: outcomeFileRead + " " + f.outcome(r)}
	d.fact(labelContinue, f.next())
	d.fact(labelFileVersion, r.GetVersion())
	d.fact(labelLineEnds, f.lineEnds(r))
	section, ok := content.section(r.ProtoReflect(), "")
	if !ok {
		return d // the outcome says that there is nothing
	}
	f.controls(r, &section)
	f.number(&section)
	d.Sections = append(d.Sections, section)
	return d
}

// outcome states which lines of which file are shown.
func (f *fileText) outcome(r *pb.FileReadResult) string {
	switch path := r.GetPath(); {
	case r.ContentPreview == nil:
		return "text not captured of " + path
	case f.binary:
		return "none of " + path + ", which is not text"
	case f.read.empty() && f.read.first == 1 && f.total == 0:
		return "empty file " + path
	case f.read.empty():
		if end := totalLines(r); 0 < end && end < f.read.first {
			return fmt.Sprintf("no line at %d or after of %s, which has %s", f.read.first, path, count(end, "line"))
		}
		return fmt.Sprintf("no line at %d or after of %s", f.read.first, path)
	case len(f.shown) == 0:
		return fmt.Sprintf("nothing shown of %s%s of %s", f.read, f.totalWords(), path)
	case len(f.shown) == 1 && f.shown[0] == lineRange{1, f.total} && !f.large.Truncated:
		return fmt.Sprintf("all of %s, %s", path, count(f.total, "line"))
	default:
		return fmt.Sprintf("%s%s of %s", f.ranges(), f.totalWords(), path)
	}
}

// totalWords states the number of lines of the file, if it is known.
func (f *fileText) totalWords() string {
	if f.total == 0 {
		return ""
	}
	return fmt.Sprintf(" of %d", f.total)
}

// mostRanges is how many ranges of lines an outcome states; of more it states how many lines
// they have. The numbers of the lines are before them.
const mostRanges = 3

// ranges states the lines that are shown: "lines 1-8", "lines 1-8 and 113-120", "61 lines".
func (f *fileText) ranges() string {
	if len(f.shown) > mostRanges {
		lines := int64(0)
		for _, r := range f.shown {
			lines += r.last - r.first + 1
		}
		return count(lines, "line")
	}
	text := f.shown[0].String()
	for i, r := range f.shown[1:] {
		join := ", "
		if i == len(f.shown)-2 {
			join = " and "
		}
		_, numbers, _ := strings.Cut(r.String(), " ")
		text += join + numbers
	}
	return text
}

// compacted reports whether more lines were shown before a compaction.
func (f *fileText) compacted() bool {
	return slices.ContainsFunc(f.large.Cuts, func(c *pb.Cut) bool { return c.GetKind() == pb.CutKind_CUT_KIND_COMPACTED })
}

// next names the first lines that are not shown, to read next. If not even the first
// line fits, reading it again would not help.
func (f *fileText) next() string {
	if f.binary || f.read.empty() || len(f.shown) == 0 && !f.compacted() {
		return "" // where not even the first line fits, asking for it again would not help
	}
	missing := lineRange{f.read.first, max(f.read.last, f.total)}
	for _, r := range f.shown {
		if r.first > missing.first {
			return fmt.Sprintf("read %s", lineRange{missing.first, r.first - 1})
		}
		missing.first = r.last + 1
	}
	if missing.empty() {
		return ""
	}
	return fmt.Sprintf("read from line %d", missing.first)
}

// lineEnds states what the text does not show about its line ends. Only of a whole
// file is it certain that the last line has none.
func (f *fileText) lineEnds(r *pb.FileReadResult) string {
	if f.binary || len(f.shown) == 0 {
		return ""
	}
	var words []string
	if r.GetLineEnds() != pb.LineEnds_LINE_ENDS_UNSPECIFIED {
		m := r.ProtoReflect()
		words = append(words, envelope.Words(m, m.Descriptor().Fields().ByName("line_ends"), textscan.OneLine))
	}
	size := uint64(len(f.large.Preview))
	if f.large.Source != nil {
		size = f.large.Source.GetBytes()
	}
	if f.shown[len(f.shown)-1].last == f.read.last && f.offset == 0 && r.TotalBytes != nil && r.GetTotalBytes() == size &&
		!strings.HasSuffix(f.large.Preview, "\n") {
		words = append(words, "none after the last line")
	}
	return strings.Join(words, ", ")
}

// controls adds notes about control bytes that are not shown as they are. Of other
// streams they are of no interest; the text of a file is searched for later, so it
// must be exact.
func (f *fileText) controls(r *pb.FileReadResult, s *Section) {
	source := f.large.Source
	if source == nil || f.binary {
		return
	}
	var notes []string
	if n := f.removed(r); n > 0 {
		notes = append(notes, count(n, noteControl)+" "+noteRemoved)
	}
	if n := source.GetEscapedBytes(); n > 0 {
		notes = append(notes, count(bounded(n), noteControl)+" "+noteSymbols)
	}
	switch {
	case len(notes) == 0:
	case s.Extent == nil:
		s.Extent = newExtent(&f.large, notes)
	default:
		s.Extent.Notes = append(s.Extent.Notes, notes...)
	}
}

// removed returns the number of control bytes that were removed, without the CR of
// CRLF where the line ends are stated.
func (f *fileText) removed(r *pb.FileReadResult) int64 {
	bytes := int64(0)
	for _, c := range f.large.Cuts {
		if c.GetKind() == pb.CutKind_CUT_KIND_CONTROL {
			bytes += bounded(c.GetOmittedBytes())
		}
	}
	carriageReturns := int64(strings.Count(f.large.Preview, "\n")) // at the most
	switch r.GetLineEnds() {
	case pb.LineEnds_LINE_ENDS_CRLF: // exactly
		return bytes - carriageReturns
	case pb.LineEnds_LINE_ENDS_MIXED:
		if bytes <= carriageReturns {
			return 0
		}
	}
	return bytes
}

// number gives every line its number in the file.
func (f *fileText) number(s *Section) {
	for i := range s.Body {
		switch p := &s.Body[i]; {
		case p.Mark == nil:
			p.First += f.offset
		case p.Mark.Next > 0:
			p.Mark.Next += f.offset
		}
	}
}
