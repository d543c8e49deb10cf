package projectors_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/tokens"
)

// projection is one projection over a store in memory.
func projection(ctx context.Context, p projectors.Projector, out *pb.CompleteToolOutput) (*pb.CanonicalToolResult, *memory.Store, error) {
	store := memory.New()
	out.ToolName, out.Status = "SomeTool", pb.ToolStatus_TOOL_STATUS_SUCCESS
	made, err := p.Project(ctx, projectors.Input{
		Output:  out,
		Policy:  projectors.Policy{Budget: envelope.Cost{Tokens: 10_000}, LineBytes: 2000, HeadPercent: 25, Counter: tokens.Estimate()},
		Measure: func(*pb.CanonicalToolResult) (envelope.Receipt, error) { return envelope.Receipt{}, nil },
	}, store)
	return made.Canonical, store, err
}

func fetch(t testing.TB, out *pb.WebFetchOutput) (*pb.WebFetchResult, error) {
	t.Helper()
	r, _, err := projection(t.Context(), projectors.WebFetch(), &pb.CompleteToolOutput{
		Result: &pb.CompleteToolOutput_WebFetch{WebFetch: out},
	})
	return r.GetWebFetch(), err
}

// A model reads what a page says, whatever the server calls it.
func TestWebFetchText(t *testing.T) {
	const received, decoded, markdown = pb.WebTextForm_WEB_TEXT_FORM_AS_RECEIVED, pb.WebTextForm_WEB_TEXT_FORM_DECODED, pb.WebTextForm_WEB_TEXT_FORM_MARKDOWN
	for _, c := range []struct {
		name, contentType, charset, body string
		form                             pb.WebTextForm
		text, from                       string
	}{
		{"HTML", "text/html", "", "<h1>x</h1>", markdown, "# x\n", ""},
		{"HTML by another name", "Application/XHTML+XML; charset=UTF-8", "", "<h1>é</h1>", markdown, "# é\n", ""},
		{"HTML without a name", "", "", "<!doctype html><h1>x</h1>", markdown, "# x\n", ""},
		{"HTML that is meant to be read", "text/plain", "", "<h1>x</h1>", received, "<h1>x</h1>", ""},
		{"JSON", "application/json", "", `{"a":[1]}`, received, `{"a":[1]}`, ""},
		{"text", "", "", "a\nb\n", received, "a\nb\n", ""},
		{"nothing", "text/html", "", "", received, "", ""},
		{"character set of the header", "text/html; charset=ISO-8859-1", "", "<p>caf\xe9", markdown, "café\n", "windows-1252"},
		{"character set of the runtime", "text/plain; charset=utf-8", "shift_jis", "\x8a\xbf", decoded, "漢", "shift_jis"},
		{"character set of the page", "text/html", "", "<meta charset=koi8-r><p>\xcd\xc9\xd2", markdown, "мир\n", "koi8-r"},
		{"byte order mark", "text/html", "", "\xff\xfe<\x00p\x00>\x00h\x00", markdown, "h\n", "utf-16le"},
		{"byte order mark of UTF-8", "text/html", "", "\xef\xbb\xbf<p>h", markdown, "h\n", ""},
		{"no character set", "text/html", "", "<p>\xe9", markdown, "\ufffd\n", ""},
		{"UTF-8 after a long beginning", "text/html", "", "<p>" + strings.Repeat("x ", 700) + "é", markdown, strings.Repeat("x ", 700) + "é\n", ""},
		{"unknown character set", "text/plain; charset=klingon", "", "q", received, "q", ""},
		{"character set without a decoder", "text/plain; charset=iso-2022-kr", "", "abc", received, "abc", ""},
		{"an image that is called HTML", "text/html", "", "GIF89a<p>x", received, "", ""},
		{"a document that looks like text", "application/pdf", "", "%PDF-1.4\n1 0 obj\n", received, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := fetch(t, &pb.WebFetchOutput{
				Url: "https://example.org/a", Status: 200, ContentType: c.contentType, Charset: c.charset, Body: inline(c.body),
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.GetTextForm() != c.form || r.GetTextPreview() != c.text || r.GetCharset() != c.from || r.TextPreview == nil {
				t.Errorf("%v from %q: %q", r.GetTextForm(), r.GetCharset(), r.GetTextPreview())
			}
			if derived := c.form != received; derived != (r.BodyArtifact != nil) {
				t.Errorf("the body is kept: %v", !derived)
			}
			if r.GetBytesRead() != uint64(len(c.body)) || !strings.HasPrefix(r.GetDigest(), "blake3:") {
				t.Errorf("%d bytes, %s", r.GetBytesRead(), r.GetDigest())
			}
		})
	}
}

// What the text was made of can be read as it was received, and the artifact of
// the text has the lines that marks count.
func TestWebFetchKeepsBodyAndText(t *testing.T) {
	body := "<title>T</title>" + strings.Repeat("<p>a paragraph of some words\n", 9000)
	r, store, err := projection(t.Context(), projectors.WebFetch(), &pb.CompleteToolOutput{
		Result: &pb.CompleteToolOutput_WebFetch{WebFetch: &pb.WebFetchOutput{
			Url: "https://example.org/", FinalUrl: "https://example.org/", Status: 404, ContentType: "text/html",
			Body: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(body)}, SourceLoss: &pb.SourceLoss{LostBytes: 7, AtByte: 3}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := r.GetWebFetch()
	read := func(index uint32) string {
		path := got.GetArtifacts()[index].GetPath()
		f, err := store.Open(t.Context(), path[strings.LastIndexByte(path, '/')+1:])
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	if read(got.GetBodyArtifact()) != body {
		t.Error("the artifact of the body is not the body")
	}
	text := read(got.GetTextArtifact())
	if !strings.HasPrefix(text, "a paragraph of some words\na ") || uint64(strings.Count(text, "\n")) != got.GetTextSource().GetLines() {
		t.Errorf("%d lines of text, said to be %d", strings.Count(text, "\n"), got.GetTextSource().GetLines())
	}
	if got.GetFinalUrl() != "" || got.GetTitle() != "T" || !got.GetBodyIncomplete() || got.GetBodyLoss().GetLostBytes() != 7 {
		t.Errorf("%q, %q, %v", got.GetFinalUrl(), got.GetTitle(), got.GetBodyLoss())
	}
}

// A server may send any number; none at all is a mistake of the caller.
func TestWebFetchStatus(t *testing.T) {
	if _, err := fetch(t, &pb.WebFetchOutput{Url: "u"}); err == nil {
		t.Error("no status is taken")
	}
	for _, status := range []uint32{1, 99, 600, 999, 1<<32 - 1} {
		if r, err := fetch(t, &pb.WebFetchOutput{Url: "u", Status: status}); err != nil || r.GetStatus() != status {
			t.Errorf("status %d: %v, %v", status, r, err)
		}
	}
	r, err := fetch(t, &pb.WebFetchOutput{Url: "u", Status: 204})
	if err != nil || !proto.Equal(r, &pb.WebFetchResult{Url: "u", Status: 204}) {
		t.Errorf("%v, %v", r, err)
	}
}

// No body, whatever its type is said to be, makes a projection fail.
func FuzzWebFetch(f *testing.F) {
	for _, body := range []string{"", "<title>t</title><p>x", "\xfe\xff\x00<\x00p", "GIF89a", "%PDF-1.4", "{}"} {
		f.Add([]byte(body), "text/html; charset=utf-8")
	}
	f.Add([]byte("<p>\xe9"), "text/html; charset=iso-8859-1")
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		out := &pb.WebFetchOutput{
			Url: "https://example.org/", Status: 200, ContentType: contentType,
			Body: &pb.Payload{Source: &pb.Payload_Inline{Inline: page}},
		}
		if _, err := fetch(t, out); err != nil && len(contentType) <= 256 && utf8.ValidString(contentType) {
			t.Error(err)
		}
	})
}
