package web_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/web"
)

const (
	received = pb.WebTextForm_WEB_TEXT_FORM_AS_RECEIVED
	decoded  = pb.WebTextForm_WEB_TEXT_FORM_DECODED
	markdown = pb.WebTextForm_WEB_TEXT_FORM_MARKDOWN
)

func fetched(contentType, charset, body string) *pb.WebFetchOutput {
	return &pb.WebFetchOutput{
		Url: "https://example.org/a/b", ContentType: contentType, Charset: charset,
		Body: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(body)}},
	}
}

// A character set is taken from who declares it: the runtime, the header, a byte order mark,
// the page. It is never guessed.
func TestCharsetIsDeclared(t *testing.T) {
	for _, c := range []struct{ name, contentType, charset, body, want, from string }{
		{"runtime before header", "text/plain; charset=iso-8859-1", "koi8-r", "\xcd\xc9\xd2", "мир", "koi8-r"},
		{"header", "text/plain; charset=iso-8859-1", "", "caf\xe9", "café", "windows-1252"},
		{"mark before header", "text/plain; charset=iso-8859-1", "", "\xff\xfeh\x00", "h", "utf-16le"},
		{"other mark", "text/plain", "", "\xfe\xff\x00h", "h", "utf-16be"},
		{"page", "text/html", "", "<meta charset=koi8-r><p>\xcd\xc9\xd2", "мир\n", "koi8-r"},
		{"page of another type", "text/plain", "", "<meta charset=koi8-r>\xcd", "<meta charset=koi8-r>\xcd", ""},
		{"unknown name", "text/plain", "klingon", "caf\xe9", "caf\xe9", ""},
		{"UTF-8", "text/plain; charset=utf-8", "utf8", "é", "é", ""},
		{"none", "text/plain", "", "caf\xe9", "caf\xe9", ""},
		{"none, in HTML", "text/html", "", "<p>caf\xe9", "caf\xe9\n", ""}, // the preview repairs it
	} {
		if r := web.Read(fetched(c.contentType, c.charset, c.body)); string(r.Text) != c.want || r.Charset != c.from || r.Opaque {
			t.Errorf("%s: %q from %q, want %q from %q", c.name, r.Text, r.Charset, c.want, c.from)
		}
	}
}

// A body is HTML when it is said to be and looks like text, or when nothing is said and it
// looks like HTML.
func TestFormFollowsFromTypeAndContent(t *testing.T) {
	for _, c := range []struct {
		contentType, body string
		form              pb.WebTextForm
		opaque            bool
	}{
		{"text/html", "<p>a", markdown, false},
		{"TEXT/HTML; charset=utf-8", "<p>a", markdown, false},
		{"application/xhtml+xml", "<p>a", markdown, false},
		{"", "<!doctype html><p>a", markdown, false},
		{"", "a", received, false},
		{"text/plain", "<!doctype html><p>a", received, false},
		{"application/json", "{}", received, false},
		{"text/html", "", received, false},
		{"text/html", "\x89PNG\r\n\x1a\n", received, true},
		{"text/html", "%PDF-1.4", received, true},
		{"text/html", "OggS\x00", received, true},
		{"text/html", "a\x01b", received, false},      // an octet stream: the preview looks closer
		{"text/html", "%!PS-Adobe-", received, false}, // PostScript is text
		{"text/plain; charset=iso-8859-1", "\xe9", decoded, false},
	} {
		if r := web.Read(fetched(c.contentType, "", c.body)); r.Form != c.form || r.Opaque != c.opaque || r.Opaque && r.Text != nil {
			t.Errorf("%q of %q: %v, opaque %v", c.body, c.contentType, r.Form, r.Opaque)
		}
	}
}

// Links are relative to the address that answered.
func TestLinksAreRelativeToTheAnswer(t *testing.T) {
	out := fetched("text/html", "", "<title>T</title><a href=c>x</a>")
	if r := web.Read(out); string(r.Text) != "[x](https://example.org/a/c)\n" || r.Title != "T" {
		t.Errorf("%q", r.Text)
	}
	out.FinalUrl = "https://other.example/d/"
	if r := web.Read(out); string(r.Text) != "[x](https://other.example/d/c)\n" {
		t.Errorf("%q", r.Text)
	}
}

func TestMediaType(t *testing.T) {
	for header, want := range map[string]string{
		"": "", "Text/HTML": "text/html", "text/html; charset=x": "text/html", " image/PNG ; q": "image/png", "a/b; c=d; c=d": "a/b", "nonsense": "nonsense",
	} {
		if got := web.MediaType(header); got != want {
			t.Errorf("%q is %q, want %q", header, got, want)
		}
	}
}

// Tables that Markdown cannot have become plain blocks, and none of their text is lost.
func TestTablesThatAreNoData(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"rows of different length", "<table><tr><td>a<td>b<tr><td>c</table>", "| a | b |\n|---|---|\n| c |  |"},
		{"caption", "<table><caption>C</caption><tr><td>a</table>", "| a |\n|---|\n\nC"},
		{"one very long row", "<table><tr>" + strings.Repeat("<td>a", 201) + "</table>", strings.TrimSpace(strings.Repeat("a\n\n", 201))},
		{"many spans", "<table>" + strings.Repeat("<tr><td colspan=40 rowspan=40>a", 9) + "</table>", strings.TrimSpace(strings.Repeat("a\n\n", 9))},
		{"text in a row", "<table><tr>x<td>a</table>", "x\n\na"},
		{"divisions in a row", "<table><tr><div>x</div><td>a</table>", "x\n\na"},
		{"link without content", "<p>a<a href=/x><b></b></a>b", "ab"},
		{"link with an image", "<p>a<a href=/x><img src=/i alt=I></a>", "a[![I](https://example.org/i)](https://example.org/x)"},
	} {
		_, text, form := web.ReadHTML([]byte(c.page), "https://example.org/")
		if got := strings.TrimSpace(string(text)); got != c.want || form != markdown {
			t.Errorf("%s:\n%.300s\nwant\n%.300s", c.name, got, c.want)
		}
	}
}

func ExampleReadHTML() {
	title, text, _ := web.ReadHTML([]byte(`<title>Docs</title><nav>menu</nav><h1>Install</h1><p>Run <code>make</code>, see <a href="more">more</a>.`), "https://example.org/docs/")
	fmt.Println(title)
	fmt.Print(string(text))
	// Output:
	// Docs
	// # Install
	//
	// Run `make`, see [more](https://example.org/docs/more).
	//
	// Beside the main text:
	//
	// menu
}
