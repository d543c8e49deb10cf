package pipeline

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
)

// ParseReceipt reads a receipt back.
func (p *Pipeline) ParseReceipt(_ context.Context, req *pb.ParseReceiptRequest) (*pb.ParseReceiptResponse, error) {
	check := envelope.NewChecker("")
	if req.GetText() == "" {
		check.Fail("text", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	parse, known := p.Registry.Parser(req.GetFamily())
	if !known {
		check.Fail(familyField, pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN, "is no family that this server has")
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	document, err := parse(req.GetText())
	if errors.Is(err, renderers.ErrNotReceipt) {
		return nil, apierror.AtField("text", &apierror.StatusError{
			Code: codes.InvalidArgument, Reason: pb.ErrorReason_ERROR_REASON_RECEIPT_INVALID, Message: "is no receipt of this grammar",
		})
	}
	return parsed(&document), err
}

// parsed is what a receipt says, as a message.
func parsed(d *renderers.Document) *pb.ParseReceiptResponse {
	resp := &pb.ParseReceiptResponse{Outcome: d.Outcome, Brief: d.Brief}
	for _, f := range d.Facts {
		resp.Facts = append(resp.Facts, &pb.ReceiptFact{Label: f.Label, Value: f.Value})
	}
	for i := range d.Sections {
		resp.Sections = append(resp.Sections, parsedSection(&d.Sections[i]))
	}
	return resp
}

func parsedSection(s *renderers.Section) *pb.ReceiptSection {
	section := &pb.ReceiptSection{Label: s.Label}
	if e := s.Extent; e != nil {
		section.Extent = &pb.ReceiptExtent{
			Bytes: uint64(e.Bytes), Entries: uint64(e.Entries), Shown: uint64(e.Shown), Notes: e.Notes, Handle: e.Artifact,
		}
		lines := map[renderers.ReadableForm]*uint64{
			renderers.FormWritten: &section.Extent.Lines, renderers.FormValues: &section.Extent.IndentedLines,
			renderers.FormReport: &section.Extent.ReportLines, renderers.FormTable: &section.Extent.TableLines,
		}
		*lines[e.Form] = uint64(e.Lines)
	}
	gaps := s.Gaps()
	for _, p := range s.Body {
		piece := &pb.ReceiptPiece{FirstLine: uint64(p.First)}
		if p.Mark != nil {
			piece.Piece = &pb.ReceiptPiece_Mark{Mark: parsedMark(p.Mark, gaps[0])}
			gaps = gaps[1:]
		} else {
			piece.Piece = &pb.ReceiptPiece_Text{Text: p.Text}
		}
		section.Body = append(section.Body, piece)
	}
	return section
}

func parsedMark(m *renderers.Mark, g renderers.Gap) *pb.ReceiptMark {
	mark := &pb.ReceiptMark{
		FirstLine: uint64(g.First), LastLine: uint64(g.Last), Inside: m.Bytes > 0, Bytes: uint64(m.Bytes),
		Values: uint64(m.Values), TotalValues: uint64(m.Total),
	}
	if m.Like > 0 {
		mark.LikeLine = uint64(max(0, g.First-m.Like))
	}
	return mark
}
