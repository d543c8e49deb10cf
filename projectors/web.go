package projectors

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/zeebo/blake3"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/tokens"
)

// Bounds of what is said of a page, in bytes, as web.proto states them.
const (
	maxTitle       = 256
	maxContentType = 256
)

// WebFetch projects a page that was fetched. A model reads HTML as Markdown, and
// what it is made of stays in the store. Nothing is ever fetched here.
func WebFetch() Projector { return declare("web_fetch", fetched) }

func fetched(ctx context.Context, w *work) error {
	from, result := w.from.Interface().(*pb.WebFetchOutput), w.into.Interface().(*pb.WebFetchResult)
	result.MediaType, result.Charset = cutText(mediaType(from.GetContentType()), maxContentType), ""
	if result.GetFinalUrl() == from.GetUrl() {
		result.FinalUrl = ""
	}
	if from.GetBody() == nil {
		return nil
	}
	body := from.GetBody().GetInline()
	result.BytesRead, result.Digest = new(uint64(len(body))), digestOf(body)
	r := read(from)
	result.Charset, result.Title, result.TextForm = r.charset, oneLine(r.title, maxTitle), r.form
	if r.form == pb.WebTextForm_WEB_TEXT_FORM_AS_RECEIVED {
		if p := w.addText(from.GetBody()); r.opaque {
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
	p := w.addText(&pb.Payload{Source: &pb.Payload_Inline{Inline: r.text}, Redactions: from.GetBody().GetRedactions()})
	p.made = true
	w.parts[len(w.parts)-1] = derived{p}
	return nil
}

// addText adds the text of the page.
func (w *work) addText(in *pb.Payload) *payload {
	w.parts = fieldsOf(w.into.Interface()).add(w.parts, "text", w.into, in, &w.Input, w.focus)
	return w.parts[len(w.parts)-1].(*payload)
}

// derived is a text that was made of a payload. What a policy wants kept is the
// payload, so the text itself is stored only where it is not shown whole.
type derived struct{ *payload }

func (d derived) show(ctx context.Context, share envelope.Cost, p Policy, sink artifactstore.Sink) error {
	p.KeepAll = false
	return d.payload.show(ctx, share, p, sink)
}

// unreadable is a payload of which a reader would learn nothing, although much of
// it may look like text.
type unreadable []byte

func (u unreadable) Bytes() int64 { return int64(len(u)) }

func (u unreadable) Select(preview.Budget, tokens.Counter, preview.Focus) *preview.Preview {
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

// reading is what a body is read as.
type reading struct {
	form    pb.WebTextForm
	text    []byte // unless it is the body
	charset string // that it was decoded from; empty for UTF-8
	title   string
	opaque  bool // it is no text, however it looks
}

// read finds the text of a body.
func read(from *pb.WebFetchOutput) reading {
	body, given := from.GetBody().GetInline(), mediaType(from.GetContentType())
	r := reading{form: pb.WebTextForm_WEB_TEXT_FORM_AS_RECEIVED, text: body}
	if len(body) == 0 {
		return r
	}
	html := given == "text/html" || given == "application/xhtml+xml"
	if e, name := declaredCharset(from, html); e != nil {
		if text, err := e.NewDecoder().Bytes(body); err == nil {
			r.form, r.charset, r.text = pb.WebTextForm_WEB_TEXT_FORM_DECODED, name, text
		}
	}
	r.text = bytes.TrimPrefix(r.text, []byte("\ufeff"))
	seen := mediaType(http.DetectContentType(r.text))
	switch {
	case opaque(seen):
		return reading{form: pb.WebTextForm_WEB_TEXT_FORM_AS_RECEIVED, opaque: true}
	case given == "" && seen == "text/html", html && strings.HasPrefix(seen, "text/"):
		address := from.GetFinalUrl()
		if address == "" {
			address = from.GetUrl()
		}
		r.title, r.text, r.form = readHTML(r.text, address)
	}
	return r
}

// opaque reports whether a type that bytes look like is certainly not text.
func opaque(seen string) bool {
	kind, _, _ := strings.Cut(seen, "/")
	switch kind {
	case "image", "audio", "video", "font":
		return true
	case "application": // anything with control characters looks like a stream of octets: the preview looks closer
		return seen != "application/octet-stream" && seen != "application/postscript"
	}
	return false
}

// mediaType is the media type of a Content-Type header, in lower case.
func mediaType(header string) string {
	if t, _, err := mime.ParseMediaType(header); err == nil {
		return t
	}
	t, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// declaredCharset is the character set that a body is said to be in, unless that
// is UTF-8. It is never guessed.
func declaredCharset(from *pb.WebFetchOutput, html bool) (encoding.Encoding, string) {
	body := from.GetBody().GetInline()
	e, name := charset.Lookup(from.GetCharset())
	if e == nil {
		var certain bool
		if e, name, certain = charset.DetermineEncoding(body, from.GetContentType()); !certain {
			e = nil
		}
	}
	if e == nil && html {
		e, name = declaredInside(body)
	}
	if name == "utf-8" || name == "replacement" { // the latter is one U+FFFD for everything
		return nil, ""
	}
	return e, name
}

// declaredInside is the character set that a page declares itself. What precedes
// its beginning makes the guess UTF-8 where nothing is declared.
func declaredInside(body []byte) (encoding.Encoding, string) {
	const head = 1000
	begin := bytes.ToValidUTF8(body[:min(head, len(body))], nil)
	e, name, _ := charset.DetermineEncoding(append([]byte("é"), begin...), "")
	return e, name
}

func digestOf(content []byte) string { return fmt.Sprintf("blake3:%x", blake3.Sum256(content)) }
