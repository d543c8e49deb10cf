package renderers

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// A compacted result, or one that repeats an earlier one, has a receipt of one line:
// its outcome and what a later call needs, separated by tabs. Tool text on that line
// never contains a tab, so it cannot pass for a part of it:
//
//	Process exited with code 1	stdout in full: /path	Superseded: by call c9, 3 results later
//	Process exited with code 0	stdout: 70 bytes lost at the source at byte 4096; the rest: /path
const (
	briefSeparator = "\t"
	briefInFull    = " in full" // behind the label of a section, before the place of its text
)

// compacted completes the document of a payload by what compaction stated in it. A
// payload at the level of lines that shows nothing gets a receipt of one line.
func (d Document) compacted(payload protoreflect.Message, g *grammar) Document {
	if payload == nil {
		return d
	}
	if s := envelope.SupersededBy(payload); s != nil {
		d.Facts = append([]Fact{{labelSuperseded, onBriefLine(supersededText(s))}}, d.Facts...)
	}
	d.addNames(payload)
	if !d.Brief && envelope.Level(payload) == pb.CompactionLevel_COMPACTION_LEVEL_LINE && !d.showsBody() {
		return d.brief(func(label string) bool { return g.brief[label] })
	}
	return d
}

// addNames adds the names that the texts of a compacted payload do not show any more:
//
//	Names left out: 4b825dc6-42cb-4e7a-8d9e-a3ad5b3c1f02, src/server.go, func Serve
func (d *Document) addNames(payload protoreflect.Message) {
	names, limit := envelope.OmittedNames(payload), maxNames
	if envelope.Level(payload) >= pb.CompactionLevel_COMPACTION_LEVEL_HANDLES {
		limit = maxBriefNames
	}
	for len(names) > 0 && tokens.Estimate().Count(joinNames(names)) > limit {
		names = names[:len(names)-1]
	}
	d.fact(labelNames, joinNames(names))
}

// joinNames lists names. Of files of one folder behind each other only the first has its
// path:
//
//	src/lex.c, parse.c, func Serve
func joinNames(names []string) string {
	list, folder := make([]string, len(names)), ""
	for i, name := range names {
		list[i] = name
		at := strings.LastIndexByte(name, '/') + 1
		if at == 0 || strings.Contains(name, "://") || !strings.Contains(name[at:], ".") {
			folder = ""
			continue
		}
		if name[:at] == folder {
			list[i] = name[at:]
		}
		folder = name[:at]
	}
	return strings.Join(list, ", ")
}

// Bounds of the names in a receipt, in tokens, estimated: beside text, and without.
const (
	maxNames      = 144
	maxBriefNames = 96
)

// supersededText names the later result that answers the same question, or that edited
// the file that was read:
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

// keptFacts returns the facts with the labels to keep. A label counts without its item
// of a batch.
func (d *Document) keptFacts(keep func(label string) bool) []Fact {
	var facts []Fact
	for _, f := range d.Facts {
		label := f.Label
		if rest, ok := cutItem(label); ok {
			label = rest
		}
		if keep(label) {
			facts = append(facts, f)
		}
	}
	return facts
}

// brief returns the document on one line: the outcome, the facts to keep, and the
// handles and losses of the sections.
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

// loss returns the note about bytes that were lost at the source, or "".
func (e *Extent) loss() string {
	for _, note := range e.Notes {
		if strings.Contains(note, noteLoss) {
			return note
		}
	}
	return ""
}

// onBriefLine returns text that cannot pass for several parts of a line.
func onBriefLine(text string) string {
	return strings.ReplaceAll(textscan.OneLine(text), briefSeparator, " ")
}

// brief writes a receipt of one line.
func (w *writer) brief(d *Document) {
	w.line(onBriefLine(d.Outcome))
	for _, f := range d.Facts {
		w.text.WriteString(briefSeparator + f.Label + ": " + f.Value)
	}
}

// parseBrief reads a receipt of one line, as writer.brief writes it.
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
