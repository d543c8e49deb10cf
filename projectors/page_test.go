package projectors_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/tokens"
)

// shopPage is a page of a shop: navigation, one product, and others beside it.
func shopPage() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=en><head><title>Ergo 500 | Shop</title><script>var a = 1;</script></head><body><nav><ul>")
	for i := range 80 {
		fmt.Fprintf(&b, "<li><a href='/category/%d?utm_source=menu'>Category %d</a></li>", i, i)
	}
	b.WriteString("</ul></nav><main><h1>Ergo 500</h1><p>The chair costs <b>$279.00</b> and is delivered within two days.</p><table><tr><th>Weight<td>19.2 kg</table></main><aside>")
	for i := range 80 {
		fmt.Fprintf(&b, "<div class=card><a href='/p/%d'><img src='/i/%d.webp' alt=''>Chair %d</a> $%d.00</div>", i, i, i, i)
	}
	b.WriteString("</aside></body></html>\n")
	return b.String()
}

// docsPage is what a tool for fetching makes of a page.
func docsPage() string {
	var b strings.Builder
	b.WriteString("Contents of https://docs.example/locks:\n\n# Locks\n\nA lock is held until it is released, or until its lease ends.\n\n")
	for i := range 60 {
		fmt.Fprintf(&b, "## Part %d\n\nPart %d of the lock is described in [the manual](https://docs.example/manual/part?number=%d&from=locks), and in words here.\n\n", i, i, i)
	}
	return b.String()
}

// treePage is the tree of a page, as a browser's tool prints it.
func treePage() string {
	var b strings.Builder
	b.WriteString("### Page\n- Page URL: https://shop.example/\n### Snapshot\n```yaml\n- navigation [ref=e1]:\n")
	for i := range 150 {
		fmt.Fprintf(&b, "  - link \"Category %d\" [ref=e%d] [cursor=pointer]:\n    - /url: /category/%d?utm_source=menu\n", i, i+10, i)
	}
	b.WriteString("- main [ref=e2]:\n  - heading \"Ergo 500\" [level=1] [ref=e3]\n  - button \"Add to cart\" [ref=e4] [cursor=pointer]\n```\n")
	return b.String()
}

// projectSmall projects an output with a budget that no page of this file fits in.
func projectSmall(t *testing.T, p projectors.Projector, out *pb.CompleteToolOutput) (*pb.CanonicalToolResult, caller) {
	t.Helper()
	c := newCaller()
	out.ToolName, out.Status = "fetch", pb.ToolStatus_TOOL_STATUS_SUCCESS
	made, err := p.Project(t.Context(), projectors.Input{
		Output:  out,
		Policy:  projectors.Policy{Budget: envelope.Cost{Tokens: 400}, LineBytes: 2000, HeadPercent: 25, Counter: tokens.Estimate()},
		Measure: func(*pb.CanonicalToolResult) (envelope.Receipt, error) { return envelope.Receipt{}, nil },
	}, c.store)
	if err != nil {
		t.Fatal(err)
	}
	return made.Canonical, c
}

// shownPage is what a receipt shows of a page.
type shownPage struct {
	preview  string
	source   *pb.SourceFacts
	original string
}

// asText shows a page that any tool printed.
func asText(t *testing.T, page string) shownPage {
	got, c := projectSmall(t, projectors.Text(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: inline(page)}}})
	r := got.GetText()
	return shownPage{r.GetContentPreview(), r.GetContentSource(), c.read(t, r.GetArtifacts()[r.GetContentSource().GetOriginalArtifact()].GetPath())}
}

// asBlock shows a page that is a text block of an MCP result.
func asBlock(t *testing.T, page string) shownPage {
	encoded, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	got, c := projectSmall(t, projectors.ExternalMCP(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ExternalMcp{
		ExternalMcp: &pb.ExternalMcpOutput{Server: "s", Result: inline(`{"content":[{"type":"text","text":` + string(encoded) + `}]}`)},
	}})
	r := got.GetExternalMcp()
	return shownPage{r.GetTextPreview(), r.GetTextSource(), c.read(t, r.GetArtifacts()[r.GetTextSource().GetOriginalArtifact()].GetPath())}
}

// asFetched shows a page that was fetched.
func asFetched(t *testing.T, page string) shownPage {
	got, c := projectSmall(t, projectors.WebFetch(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_WebFetch{
		WebFetch: &pb.WebFetchOutput{Url: "https://shop.example/", ContentType: "text/html", Status: 200, Body: inline(page)},
	}})
	r := got.GetWebFetch()
	return shownPage{r.GetTextPreview(), r.GetTextSource(), c.read(t, r.GetArtifacts()[r.GetBodyArtifact()].GetPath())}
}

// A page is known by its text, whichever tool gives it, and is stored as it was given.
func TestPageIsKnownByItsText(t *testing.T) {
	t.Parallel()
	shop, docs, tree := shopPage(), docsPage(), treePage()
	for name, c := range map[string]struct {
		show      func(*testing.T, string) shownPage
		page      string
		want, not []string
	}{
		"HTML as text":     {asText, shop, []string{"# Ergo 500", "costs $279.00 and", "Weight | 19.2 kg"}, []string{"utm_source", "<"}},
		"HTML by MCP":      {asBlock, shop, []string{"# Ergo 500", "costs $279.00 and", "Weight | 19.2 kg"}, []string{"utm_source", "<"}},
		"fetched":          {asFetched, shop, []string{"# Ergo 500", "costs $279.00 and", "Weight | 19.2 kg"}, []string{"utm_source", "<"}},
		"response":         {asText, "HTTP/2 200\r\ncontent-type: text/html\r\n\r\n" + shop, []string{"costs $279.00 and"}, []string{"utm_source"}},
		"Markdown as text": {asText, docs, []string{"# Locks\n", "until its lease ends.\n", "in the manual, and in words here"}, []string{"docs.example/manual"}},
		"Markdown by MCP":  {asBlock, docs, []string{"# Locks\n", "until its lease ends.\n", "in the manual, and in words here"}, []string{"docs.example/manual"}},
		"tree as text":     {asText, tree, []string{"Page URL: https://shop.example/", `button "Add to cart" [ref=e4]`}, []string{"utm_source", "cursor="}},
		"tree by MCP":      {asBlock, tree, []string{"Page URL: https://shop.example/", `button "Add to cart" [ref=e4]`}, []string{"utm_source", "cursor="}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := c.show(t, c.page)
			for _, want := range c.want {
				if !strings.Contains(shown.preview, want) {
					t.Errorf("%q is not shown\n%s", want, shown.preview)
				}
			}
			for _, not := range c.not {
				if strings.Contains(shown.preview, not) {
					t.Errorf("%q is shown\n%s", not, shown.preview)
				}
			}
			if shown.original != c.page || shown.source.GetOriginalBytes() == 0 {
				t.Errorf("%d bytes are stored of %d: %v", len(shown.original), len(c.page), shown.source)
			}
		})
	}
}

// A file that was asked for stays as it is written, and so does a page that fits.
func TestPageStaysAsItIsWritten(t *testing.T) {
	t.Parallel()
	got, _ := projectSmall(t, projectors.FileRead(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_FileRead{
		FileRead: &pb.FileReadOutput{Path: "a.html", Content: inline(shopPage())},
	}})
	if text := got.GetFileRead().GetContentPreview(); !strings.HasPrefix(text, "<!DOCTYPE html>\n<html lang=en>") {
		t.Errorf("a file is shown as\n%s", text)
	}
	const small = "<!doctype html><html><body><nav>Menu</nav><p>Text</body></html>\n"
	got, _ = projectSmall(t, projectors.Text(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: inline(small)}}})
	if text := got.GetText().GetContentPreview(); text != small {
		t.Errorf("a page that fits is shown as %q", text)
	}
}
