package inspect

import (
	"bytes"
	"net/http"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Lines of one answer, and their bytes.
const (
	pageLines = 200
	pageBytes = 256 << 10
)

// cutLines are lines of a cut, read from the artifact.
type cutLines struct {
	Sequence uint64
	Text     int
	Lines    []line
	Next     uint64 // first line of the next page; 0: these are all
	Last     uint64 // of the cut
}

// lines answers with lines that were cut, a page at a time. The address names a text of a record and not a path, so that the page
// reads nothing but what the record is of.
func (p *page) lines(r *http.Request) (any, error) {
	record, _, err := p.recordOf(r)
	if err != nil {
		return nil, err
	}
	list := texts(record.GetCanonical())
	index, err := numberOf("The number of a text", r.PathValue("text"), 0, 0, uint64(max(len(list), 1))-1)
	var first, last uint64
	if err == nil {
		first, err = numberOf("The first line", r.URL.Query().Get("first"), 1, 1, 1<<63)
	}
	if err == nil {
		last, err = numberOf("The last line", r.URL.Query().Get("last"), first, first, 1<<63)
	}
	if err == nil && (len(list) == 0 || list[index].Artifact == "") {
		err = badRequest("All of this text is shown already.")
	}
	if err != nil {
		return nil, err
	}
	resp, err := p.Sidecar.ReadArtifact(r.Context(), &pb.ReadArtifactRequest{
		Path: list[index].Artifact, Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: first, Last: min(last, first+pageLines-1)}},
		Budget: &pb.ReadBudget{MaxBytes: pageBytes, MaxLines: pageLines},
	})
	if err != nil {
		return nil, err
	}
	shown := cutLines{Sequence: record.GetSequence(), Text: int(index), Last: last}
	number := first
	for raw := range bytes.Lines(resp.GetData()) {
		text, ended := bytes.CutSuffix(raw, []byte("\n"))
		drawn := line{number, []part{{Text: visible(text)}}}
		if !ended && !resp.GetComplete() { // the line alone is larger than a page
			drawn.Parts = []part{{Text: visible(text[:min(len(text), maxLineBytes)])}, {Gap: "this line has more bytes than the page reads"}}
		}
		shown.Lines = append(shown.Lines, drawn)
		number++
	}
	if number <= last && len(shown.Lines) > 0 {
		shown.Next = number
	}
	return shown, nil
}
