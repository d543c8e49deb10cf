package projectors

import (
	"bytes"
	"context"
	"fmt"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors/web"
	"github.com/toolresult/toolresult/tokens"
)

// Bounds of the facts of a page, in bytes, as web.proto states them.
const (
	maxTitle       = 256
	maxContentType = 256
)

// WebFetch projects a fetched page. A model reads HTML as Markdown, and the page
// itself is stored. Nothing is ever fetched here.
func WebFetch() Projector { return declare("web_fetch", adaptWebFetch) }

// adaptWebFetch reads the text of the body. Text that is not the body itself is
// derived: both are stored, and bytes that were lost have a place in the body alone.
func adaptWebFetch(ctx context.Context, w *work) error {
	from, result := w.from.Interface().(*pb.WebFetchOutput), w.into.Interface().(*pb.WebFetchResult)
	result.MediaType, result.Charset = cutText(web.MediaType(from.GetContentType()), maxContentType), ""
	if result.GetFinalUrl() == from.GetUrl() {
		result.FinalUrl = ""
	}
	if from.GetBody() == nil {
		return nil
	}
	body := from.GetBody().GetInline()
	result.BytesRead, result.Digest = new(uint64(len(body))), contentDigest(body)
	r := web.Read(from)
	result.Charset, result.Title, result.TextForm = r.Charset, oneLine(r.Title, maxTitle), r.Form
	if r.Form == pb.WebTextForm_WEB_TEXT_FORM_AS_RECEIVED {
		if p := w.addText(from.GetBody()); r.Opaque {
			p.excerpt = unreadable(body)
		}
		return nil
	}
	stored, err := w.sink.Put(ctx, artifactstore.BytesBlob(body))
	if err != nil {
		return err
	}
	result.Artifacts, result.BodyArtifact = []*pb.ArtifactReference{{Path: stored.Path}}, new(uint32(0))
	// What was lost has a place in the body, and none in a text that was made of it.
	result.BodyLoss = from.GetBody().GetSourceLoss()
	result.BodyIncomplete = result.GetBodyLoss() != nil
	p := w.addText(&pb.Payload{Source: &pb.Payload_Inline{Inline: r.Text}, Redactions: from.GetBody().GetRedactions()})
	p.derived, p.isPage = true, r.Form != pb.WebTextForm_WEB_TEXT_FORM_DECODED
	p.originalRef, p.written = stored, countWritten(body)
	w.parts[len(w.parts)-1] = derivedText{p}
	return nil
}

// addText adds the text of the page as a part.
func (w *work) addText(in *pb.Payload) *payload {
	w.parts = newFields(w.into.Interface()).add(w.parts, "text", w.into, in, &w.Input, w.hints)
	return w.parts[len(w.parts)-1].(*payload)
}

// derivedText is text that was made of a payload. A policy that keeps all keeps the
// payload, so the text is stored only where it is not shown whole.
type derivedText struct{ *payload }

// show implements part.
func (d derivedText) show(ctx context.Context, share envelope.Cost, p Policy, sink artifactstore.Sink) error {
	p.KeepAll = false
	return d.payload.show(ctx, share, p, sink)
}

// unreadable is a payload without anything for a reader, even if much of it looks
// like text.
type unreadable []byte

// Bytes implements excerpt.
func (u unreadable) Bytes() int64 { return int64(len(u)) }

// Select implements excerpt: everything is cut.
func (u unreadable) Select(preview.Budget, tokens.Counter, preview.Hints) *preview.Preview {
	lines := int64(bytes.Count(u, []byte("\n")))
	if !bytes.HasSuffix(u, []byte("\n")) {
		lines++
	}
	return &preview.Preview{
		Bytes: u.Bytes(), Lines: lines, Encoding: preview.EncodingBinary,
		Cuts: []preview.Cut{{
			Kind: preview.CutBinary, FirstLine: 1, LastLine: lines, ByteEnd: u.Bytes(),
			OmittedBytes: u.Bytes(), OmittedLines: lines, Occurrences: 1,
		}},
	}
}

// contentDigest returns the digest of content, as the contract writes digests.
func contentDigest(content []byte) string { return fmt.Sprintf("blake3:%x", blake3.Sum256(content)) }
