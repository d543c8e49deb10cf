package preview

import (
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// CutKind is the reason why bytes of a payload are not in its preview. The
// values are those of the contract; proto/toolresult/v1/ledger.proto explains
// them.
type CutKind int

// The kinds of cut that a preview can have.
const (
	CutMiddle CutKind = iota + 1
	CutLongLine
	CutRepeated
	CutProgress
	CutControl
	CutInvisible
	CutBinary
	CutTime
	CutFolded
	CutCell
	CutAttributes
)

// Cut is one entry of the ledger. Lines count from 1 and ranges are half open
// in bytes, inclusive in lines.
type Cut struct {
	Kind                CutKind
	FirstLine, LastLine int64
	ByteStart, ByteEnd  int64
	OmittedBytes        int64   // at most ByteEnd-ByteStart; equal to it for a contiguous kind
	OmittedLines        int64   // whole lines; 0 for kinds inside a line
	Occurrences         int64   // separate places; 1 for a contiguous kind
	PreviewOffset       int64   // where the cut belongs in Preview.Text, in bytes
	OmittedValues       int64   // omitted values of a JSON container; 0 for other cuts
	TotalValues         int64   // values that the container has
	LineBytes           []int64 // of a scattered kind: how much of OmittedBytes is of each line that is shown of the range
	LikeLine            int64   // first of the lines before a cut of whole repeated lines that these are like; otherwise 0
}

// Counts is a number of lines by the reason that they would be shown for. Only
// the reasons of lines that matter by themselves are counted: from KeepError to
// KeepProfile.
type Counts [shape.KeepStructure]int64

// Segment is a run of whole lines that the preview shows for one reason.
type Segment struct {
	FirstLine, LastLine int64
	ByteStart, ByteEnd  int64
	PreviewBytes        int64 // length of the segment's text in Preview.Text
	Reason              shape.Reason
	Score               int // 1 to 100, of the line that matters most; 0 when no choice was made
}

// Encoding is how the bytes of a payload were read.
type Encoding int

// The encodings that are told apart. Nothing is guessed: bytes that are not
// UTF-8 are labelled as such.
const (
	EncodingUTF8 Encoding = iota + 1
	EncodingUnknown
	EncodingBinary
)

// Preview is the bounded text of one payload and its ledger.
//
// Segments and the cuts between them tile the payload: sorted by ByteStart they
// cover [0, Bytes) without gap or overlap. Such cuts are of kind CutMiddle and
// CutBinary, and CutRepeated with a LikeLine. A CutLongLine lies inside a
// segment; every other cut is scattered over the lines of segments, and there is one of
// each kind at most. The sign in place of a part of a cell counts as bytes of it. So VisibleBytes() plus the OmittedBytes of all cuts is Bytes.
type Preview struct {
	Text     string
	Segments []Segment
	Cuts     []Cut

	Bytes         int64       // size of the payload
	Lines         int64       // lines of the payload; a last one without "\n" counts
	Shape         shape.Shape // for which lines were chosen; none where no choice was made
	Encoding      Encoding
	ReplacedBytes int64 // shown as U+FFFD
	EscapedBytes  int64 // control characters shown as a visible symbol
	Strings       int64 // control strings removed: titles, hyperlink addresses, clipboard writes
	Invisible     textscan.Invisible
	Omitted       Counts // lines that matter by themselves, were kept when the payload was read, and are not shown
}

// Whole reports whether the text is the payload, byte for byte.
func (p *Preview) Whole() bool {
	return len(p.Cuts) == 0 && p.ReplacedBytes == 0 && p.EscapedBytes == 0
}

// Truncated reports whether content was omitted: more than colours, times, states of
// lines that the tool overwrote, carriage returns and invisible characters.
func (p *Preview) Truncated() bool {
	for i := range p.Cuts {
		if k := p.Cuts[i].Kind; k != CutControl && k != CutInvisible && k != CutTime && k != CutProgress {
			return true
		}
	}
	return false
}

// ShownLines returns the number of lines that the text shows, in whole or in
// part.
func (p *Preview) ShownLines() int64 {
	var n int64
	for i := range p.Segments {
		n += p.Segments[i].LastLine - p.Segments[i].FirstLine + 1
	}
	return n
}

// VisibleBytes returns the number of payload bytes that the text shows.
func (p *Preview) VisibleBytes() int64 {
	n := p.Bytes
	for i := range p.Cuts {
		n -= p.Cuts[i].OmittedBytes
	}
	return n
}
