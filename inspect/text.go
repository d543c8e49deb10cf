package inspect

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Bounds of what is drawn, so that no output makes a page that a browser cannot show.
const (
	maxKeptLines = 4000 // of one text
	maxLineBytes = 4096 // of one line
	mapWidth     = 1000 // of the map of a text, in units of its drawing
)

// text is one large text of a result, such as the standard output of a command: what was kept of it and what was cut, in the order
// of the complete output.
type text struct {
	Name     string // such as "stdout"
	Index    int    // of the texts of a result
	Artifact string // path of the whole text; empty: it is not stored
	Bytes    uint64 // of the whole
	Lines    uint64 // of the whole
	Shown    uint64 // lines that are shown
	Written  string // what the tool wrote, if the text is a readable form of that; else empty
	Blocks   []block
	Notes    []note   // what was taken out of lines that are shown
	Redacted []string // kinds of secrets, with their number
	Undrawn  int      // lines that were kept, and that the page does not draw
}

// block is a run of lines that were kept, or a cut between lines.
type block struct {
	Kept        bool
	First, Last uint64 // lines, from 1; 0: the place has none
	Bytes       uint64
	Label       string // why the lines were kept, or what kind of cut it is
	Why         string // the same as a sentence
	Class       string // for the style
	Score       uint32 // of lines that were kept; 0: no choice was made
	Drawn       []line // of lines that were kept
	Readable    bool   // of a cut: its lines are in the artifact
	X, Width    int    // on the map
}

// Count returns the number of lines.
func (b *block) Count() uint64 {
	if b.First == 0 || b.Last < b.First {
		return 0
	}
	return b.Last - b.First + 1
}

// continues reports whether lines that follow were kept for the same reason.
func (b *block) continues(next *block) bool {
	return b.Kept && next.First == b.Last+1 && next.Label == b.Label && next.Score == b.Score
}

// line is a line as it is drawn.
type line struct {
	Number uint64
	Parts  []part
}

// part is text, or a gap in a line.
type part struct {
	Text string
	Gap  string // what is omitted here; empty: it is text
}

// note is what scattered cuts of one kind took out of lines that are shown.
type note struct {
	Label, Why    string
	Places, Bytes uint64
}

// texts returns the large texts of a result, in the order of the contract.
func texts(r *pb.CanonicalToolResult) (list []text) {
	if r.GetError() != nil {
		list = appendTexts(list, "error", r.GetError().ProtoReflect())
	}
	if _, m := envelope.Payload(r); m != nil {
		list = appendTexts(list, "", m)
	}
	return list
}

// appendTexts appends the large texts of a message and of those inside of it.
func appendTexts(list []text, path string, m protoreflect.Message) []text {
	envelope.Walk(path, m, func(path string, m protoreflect.Message) {
		for _, f := range envelope.LargeFields(m.Descriptor()) {
			if !f.Has(m) {
				continue
			}
			large := f.Get(m)
			t := draw(&large)
			t.Name, t.Index = strings.TrimPrefix(path+"."+f.Name, "."), len(list)
			list = append(list, t)
		}
	})
	return list
}

// draw lays out a large text.
func draw(large *envelope.Large) text {
	segments := large.Segments()
	t := text{Artifact: large.Artifact}
	if s := large.Source; s != nil {
		t.Bytes, t.Lines, t.Shown = s.GetBytes(), s.GetLines(), s.GetShownLines()
		if s.GetOriginalBytes() > 0 {
			t.Written = fmt.Sprintf("%s, %s", english.Plural(int(s.GetOriginalLines()), "line", ""), size(s.GetOriginalBytes()))
		}
		for _, r := range s.GetRedactions() {
			t.Redacted = append(t.Redacted, fmt.Sprintf("%s: %d", r.GetKind(), r.GetCount()))
		}
	} else {
		t.Bytes, t.Lines = uint64(len(large.Preview)), envelope.CountLines(large.Preview)
		t.Shown = t.Lines
	}
	d := drawing{text: &t, preview: large.Preview, whole: large.Source == nil}
	cuts := slices.SortedStableFunc(slices.Values(large.Cuts), func(a, b *pb.Cut) int { return cmp.Compare(a.GetByteStart(), b.GetByteStart()) })
	for _, s := range segments {
		for len(cuts) > 0 && cuts[0].GetByteStart() < s.GetByteEnd() {
			d.cut(cuts[0])
			cuts = cuts[1:]
		}
		d.keep(s)
	}
	for _, c := range cuts {
		d.cut(c)
	}
	d.place()
	return t
}

// drawing is a text that is being laid out.
type drawing struct {
	*text
	preview string
	whole   bool      // the preview is the text
	at      int       // offset in the preview behind the last segment
	drawn   int       // lines
	gaps    []*pb.Cut // inside of lines of the segment that follows
}

// cut adds a cut: between lines it is a block, inside of a line a gap, and a scattered one is a note.
func (d *drawing) cut(c *pb.Cut) {
	kind := cutKinds[c.GetKind()]
	bytes, lines := envelope.Omitted(c)
	switch {
	case envelope.BetweenLines(c):
		b := block{First: c.GetFirstLine(), Last: c.GetLastLine(), Bytes: bytes, Label: kind.label, Why: kind.why, Class: kind.class}
		if c.GetLikeLine() > 0 {
			b.Why = fmt.Sprintf("like lines %d to %d, but for numbers, ids, times and paths", c.GetLikeLine(), c.GetFirstLine()-1)
		}
		b.Readable = d.Artifact != "" && lines > 0 && c.GetKind() != pb.CutKind_CUT_KIND_BINARY
		d.Blocks = append(d.Blocks, b)
	case c.GetKind() == pb.CutKind_CUT_KIND_SOURCE_LOSS:
		why := kind.why
		if c.GetLostBytes() > 0 {
			why = fmt.Sprintf("%d bytes %s", c.GetLostBytes(), kind.why)
		}
		d.Blocks = append(d.Blocks, block{Label: kind.label, Why: why, Class: kind.class})
	case c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE:
		d.gaps = append(d.gaps, c)
	default:
		d.Notes = append(d.Notes, note{kind.label, kind.why, c.GetOccurrences(), bytes})
	}
}

// keep adds a run of lines that the preview has.
func (d *drawing) keep(s *pb.Segment) {
	reason := keepReasons[s.GetReason()]
	b := block{
		Kept: true, First: s.GetFirstLine(), Last: s.GetLastLine(), Bytes: s.GetByteEnd() - min(s.GetByteStart(), s.GetByteEnd()),
		Label: reason.label, Why: reason.why, Class: reason.class, Score: s.GetScore(),
	}
	if d.whole {
		b.Label, b.Why = "whole", "all of it is shown"
	}
	from := d.at
	d.at = min(d.at+int(s.GetPreviewBytes()), len(d.preview))
	number := s.GetFirstLine()
	for from < d.at {
		end := d.at
		if n := strings.IndexByte(d.preview[from:d.at], '\n'); n >= 0 {
			end = from + n
		}
		if d.drawn < maxKeptLines {
			b.Drawn = append(b.Drawn, line{number, d.parts(from, end)})
			d.drawn++
		} else {
			d.Undrawn++
		}
		number++
		from = end + 1
	}
	d.gaps = nil
	if n := len(d.Blocks); n > 0 && d.Blocks[n-1].continues(&b) {
		before := &d.Blocks[n-1]
		before.Last, before.Bytes, before.Drawn = b.Last, before.Bytes+b.Bytes, append(before.Drawn, b.Drawn...)
		return
	}
	d.Blocks = append(d.Blocks, b)
}

// parts returns a line of the preview with its gaps.
func (d *drawing) parts(from, end int) (list []part) {
	for len(d.gaps) > 0 && int(d.gaps[0].GetPreviewOffset()) <= end {
		at := max(from, int(d.gaps[0].GetPreviewOffset()))
		bytes, _ := envelope.Omitted(d.gaps[0])
		list = append(list, part{Text: bounded(d.preview[from:at])}, part{Gap: fmt.Sprintf("%d bytes of this line", bytes)})
		from, d.gaps = at, d.gaps[1:]
	}
	return append(list, part{Text: bounded(d.preview[from:end])})
}

// place lays the blocks out on the map, by their lines or, where there are none, by their bytes.
func (d *drawing) place() {
	weight := func(b *block) uint64 { return b.Count() }
	total := d.Lines
	if total == 0 {
		weight, total = func(b *block) uint64 { return b.Bytes }, d.Bytes
	}
	var before uint64
	for i := range d.Blocks {
		b := &d.Blocks[i]
		b.X = int(float64(before) / float64(max(total, 1)) * mapWidth)
		before += weight(b)
		b.Width = max(int(float64(before)/float64(max(total, 1))*mapWidth)-b.X, 1)
	}
}

// bounded returns text of a line without what a browser could not show.
func bounded(s string) string {
	if len(s) <= maxLineBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxLineBytes], "") + fmt.Sprintf(" … %d further bytes are not drawn", len(s)-maxLineBytes)
}

// visible returns a line that a tool wrote, as it can be shown: without escape sequences and without characters that change how
// others are shown.
func visible(raw []byte) string {
	raw = bytes.TrimSuffix(raw, []byte("\r"))
	more := max(len(raw)-maxLineBytes, 0)
	shown := string(textscan.Sanitise(nil, raw[:len(raw)-more], &textscan.Changes{}))
	if more > 0 {
		shown += fmt.Sprintf(" … %d further bytes are not drawn", more)
	}
	return shown
}
