package projectors

import (
	"bytes"
	"context"
	"fmt"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// maxLine bounds the line numbers of receipts.
const maxLine = 1 << 53

// FileRead projects the text of a file. An agent asked for these lines by name, so
// whatever the policy says they are cut at the end alone. Of source code that does not
// fit, the outline and whole blocks are shown.
func FileRead() Projector { return declare("file_read", adaptFileRead) }

// adaptFileRead takes the excerpt of the start of the text, and states its lines and
// line ends.
func adaptFileRead(_ context.Context, w *work) error {
	out, _ := w.from.Interface().(*pb.FileReadOutput)
	into, _ := w.into.Interface().(*pb.FileReadResult)
	content := out.GetContent().GetInline()
	into.FirstLine = max(1, out.GetFirstLine())
	into.LineEnds = lineEnds(content)
	for _, p := range w.parts {
		if text, ok := p.(*payload); ok {
			excerpt := preview.FromFile(content, w.Policy.Budget.Tokens)
			text.hints = preview.Hints{Range: true}
			text.excerpt, into.RangeLines = excerpt, rangeLines(out, into.GetFirstLine(), uint64(excerpt.Lines()))
		}
	}
	w.Policy.BeforeLine = fmt.Sprintf("%d\t", min(into.GetFirstLine(), maxLine)+uint64(bytes.Count(content, []byte{'\n'})))
	return nil
}

// rangeLines returns the number of lines of a range; nil if it is known to end where
// its file does.
func rangeLines(out *pb.FileReadOutput, first, lines uint64) *uint64 {
	if out.TotalLines != nil && (lines >= out.GetTotalLines() || first-1 >= out.GetTotalLines()-lines) {
		return nil
	}
	return &lines
}

// lineEnds states how the lines of a text end.
func lineEnds(text []byte) pb.LineEnds {
	all, crlf := bytes.Count(text, []byte{'\n'}), bytes.Count(text, []byte("\r\n"))
	switch crlf {
	case 0:
		return pb.LineEnds_LINE_ENDS_UNSPECIFIED
	case all:
		return pb.LineEnds_LINE_ENDS_CRLF
	}
	return pb.LineEnds_LINE_ENDS_MIXED
}
