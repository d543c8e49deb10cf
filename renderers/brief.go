package renderers

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// A receipt of one line, of a result that was compacted or that repeats an earlier one, is its outcome and what a later call needs, with a tab between
// two. No text of a tool on that line has a tab, so that none can pass for one of them:
//
//	Process exited with code 1	stdout in full: /path	Superseded: by call c9, 3 results later
//	Process exited with code 0	stdout: 70 bytes lost at the source at byte 4096; the rest: /path
const (
	briefSeparator = "\t"
	briefInFull    = " in full" // behind the label of a section, before the place of its text
)

// compacted completes the document of a payload by what compaction did to it.
func (d Document) compacted(payload protoreflect.Message, g *grammar) Document {
	if payload == nil {
		return d
	}
	if s := envelope.SupersededBy(payload); s != nil {
		d.Facts = append([]Fact{{labelSuperseded, onBriefLine(supersededText(s))}}, d.Facts...)
	}
	if !d.Brief && envelope.Level(payload) == pb.CompactionLevel_COMPACTION_LEVEL_LINE && !d.showsBody() {
		return d.brief(func(label string) bool { return g.brief[label] })
	}
	return d
}

// supersededText names the result that answers the same question, or changed what was read:
//
//	by call c9, 3 results later
//	edited by call c9, 3 results later
func supersededText(s *pb.Superseded) string {
	text := count(int64(s.GetResultsLater()), "result") + " later"
	if s.GetCallId() != "" {
		text = fmt.Sprintf("by call %s, %s", s.GetCallId(), text)
	}
	if s.GetCause() == pb.SupersededCause_SUPERSEDED_CAUSE_EDITED {
		text = "edited " + text
	}
	return text
}

// showsBody reports whether a section has text.
func (d *Document) showsBody() bool {
	for i := range d.Sections {
		if len(d.Sections[i].Body) > 0 {
			return true
		}
	}
	return false
}

// keptFacts returns the facts whose labels are kept, whichever item of a batch they are of.
func (d *Document) keptFacts(keep func(label string) bool) []Fact {
	var facts []Fact
	for _, f := range d.Facts {
		label := f.Label
		if _, rest, ok := cutItem(label); ok {
			label = rest
		}
		if keep(label) {
			facts = append(facts, f)
		}
	}
	return facts
}

// brief is the document on one line: the outcome, the facts that are kept, and the handles
// and losses of the sections.
func (d Document) brief(keep func(label string) bool) Document {
	b := Document{Outcome: d.Outcome}
	add := func(label, value string) {
		b.Facts = append(b.Facts, Fact{label, onBriefLine(value)})
	}
	for _, f := range d.keptFacts(keep) {
		add(f.Label, f.Value)
	}
	for _, s := range d.Sections {
		if s.Extent == nil {
			continue
		}
		switch loss := s.Extent.loss(); {
		case loss != "": // no artifact has all of it
			if s.Extent.Artifact != "" {
				loss += extentStop + extentRest + s.Extent.Artifact
			}
			add(s.Label, loss)
		case s.Extent.Artifact != "":
			add(s.Label+briefInFull, s.Extent.Artifact)
		}
	}
	b.Brief = len(b.Facts) > 0
	return b
}

// loss says what was gone before the runtime called, or "".
func (e *Extent) loss() string {
	for _, note := range e.Notes {
		if strings.Contains(note, noteLoss) {
			return note
		}
	}
	return ""
}

// onBriefLine is text that cannot be taken for several parts of a line.
func onBriefLine(text string) string {
	return strings.ReplaceAll(preview.OneLine(text), briefSeparator, " ")
}

// brief writes a receipt of one line.
func (w *writer) brief(d *Document) {
	w.line(onBriefLine(d.Outcome))
	for _, f := range d.Facts {
		w.text.WriteString(briefSeparator + f.Label + ": " + f.Value)
	}
}

// parseBrief reads what brief writes.
func parseBrief(line string) (Document, error) {
	parts := strings.Split(line, briefSeparator)
	d := Document{Outcome: parts[0], Brief: true}
	for _, part := range parts[1:] {
		label, value, ok := strings.Cut(part, ": ")
		if !ok {
			return Document{}, ErrNotReceipt
		}
		d.Facts = append(d.Facts, Fact{label, value})
	}
	return d, nil
}
