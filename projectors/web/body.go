package web

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Reading is the text of a fetched body.
type Reading struct {
	Form    pb.WebTextForm
	Text    []byte // the body itself for WEB_TEXT_FORM_AS_RECEIVED, and nil when Opaque
	Charset string // the character set that the text was decoded from; empty for UTF-8
	Title   string // of an HTML page; may be empty
	Opaque  bool   // the body is no text, however much it looks like text
}

// Read returns the text of the body of an output: decoded where a character set is
// declared, and as Markdown where it is HTML. It never guesses a character set.
func Read(from *pb.WebFetchOutput) Reading {
	body, given := from.GetBody().GetInline(), MediaType(from.GetContentType())
	r := Reading{Form: pb.WebTextForm_WEB_TEXT_FORM_AS_RECEIVED, Text: body}
	if len(body) == 0 {
		return r
	}
	html := given == "text/html" || given == "application/xhtml+xml"
	if e, name := declaredCharset(from, html); e != nil {
		if text, err := e.NewDecoder().Bytes(body); err == nil {
			r.Form, r.Charset, r.Text = pb.WebTextForm_WEB_TEXT_FORM_DECODED, name, text
		}
	}
	r.Text = bytes.TrimPrefix(r.Text, []byte("\ufeff"))
	seen := MediaType(http.DetectContentType(r.Text))
	switch {
	case isOpaque(seen):
		return Reading{Form: pb.WebTextForm_WEB_TEXT_FORM_AS_RECEIVED, Opaque: true}
	case given == "" && seen == "text/html", html && strings.HasPrefix(seen, "text/"):
		address := from.GetFinalUrl()
		if address == "" {
			address = from.GetUrl()
		}
		r.Title, r.Text, r.Form = ReadHTML(r.Text, address)
	}
	return r
}

// isOpaque reports whether a detected type is certainly no text. Anything with control
// characters is detected as an octet stream, where the preview looks closer.
func isOpaque(seen string) bool {
	kind, _, _ := strings.Cut(seen, "/")
	switch kind {
	case "image", "audio", "video", "font":
		return true
	case "application": // anything with control characters looks like a stream of octets: the preview looks closer
		return seen != "application/octet-stream" && seen != "application/postscript"
	}
	return false
}

// MediaType returns the media type of a Content-Type header, in lower case.
func MediaType(header string) string {
	if t, _, err := mime.ParseMediaType(header); err == nil {
		return t
	}
	t, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// declaredCharset returns the declared character set of a body; nil for UTF-8 and when
// none is declared.
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

// declaredInside returns the character set that a page declares itself. The "é"
// before its beginning makes the detector fall back to UTF-8, which means none.
func declaredInside(body []byte) (encoding.Encoding, string) {
	const head = 1000
	begin := bytes.ToValidUTF8(body[:min(head, len(body))], nil)
	e, name, _ := charset.DetermineEncoding(append([]byte("é"), begin...), "")
	return e, name
}
