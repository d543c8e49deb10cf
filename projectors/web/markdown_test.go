package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/web"
)

const address = "https://example.org/docs/page.html?v=2"

func TestHTMLBecomesMarkdown(t *testing.T) {
	for _, c := range []struct{ name, page, title, text string }{
		{"title and heading", "<title> T &amp;\n x </title><h1>Head</h1>text", "T & x", "# Head\n\ntext"},
		{"title of a drawing", "<svg><title>no</title></svg><title>yes</title>x", "yes", "x"},
		{"scripts and styles", "<style>b{}</style>a<script>alert('<p>x')</script><noscript>y</noscript>b", "", "ab"},
		{"navigation", "<nav><a href=/x>menu</a></nav><main>page</main>", "", "page\n\nBeside the main text:\n\nmenu"},
		{"nothing but navigation", "<nav><a href=/x>menu</a></nav>", "", "[menu](https://example.org/x)"},
		{"navigation without an end", "<nav>menu<main>page", "", "menu\n\npage"},
		{"links", "<a href=other.html>a</a> <a href=//h.org/>b</a> <a href='?q=1'>c</a> <a href=mailto:x@y.z>d</a>", "",
			"[a](https://example.org/docs/other.html) [b](https://h.org/) [c](https://example.org/docs/page.html?q=1) [d](mailto:x@y.z)"},
		{"declared base", "<base href=/other/><a href=x>a</a>", "", "[a](https://example.org/other/x)"},
		{"links that lead nowhere", "<a name=x>a</a> <a href=#y>b</a> <a href='JavaScript:z()'>c</a> <a href=/e></a>d", "", "a b c d"},
		{"signs of headings", "<h2>Use<a href=#use>¶</a></h2>", "", "## Use"},
		{"images", `<img src=i.png alt=I> <img src="data:image/png;base64,AAAA" alt="seen">`, "", "![I](https://example.org/docs/i.png) seen"},
		{"characters that Markdown has", "snake_case *x* 1. a &lt;file&gt; &amp;lt; [b]", "", "snake_case *x* 1. a <file> &lt; [b]"},
		{"code", "<pre><code class=language-go>if a &lt; b {\n\tc()\n}</code></pre>", "", "```go\nif a < b {\n\tc()\n}\n```"},
		{"code without an end", "<p><code>x<p>a<ul><li>b</ul>", "", "`x`\n\na\n\n- b"},
		{"code of lines", "<pre><code><div>a</div><div>b</div></code></pre>", "", "```\n\na\nb\n```"},
		{"lists", "<ol start=3><li>a<li>b<ul><li>c</ul></ol>", "", "3. a\n4. b\n   \n   - c"},
		{"table", "<table><tr><th>F<th>M<tr><td rowspan=2>-a<td>all | of<tr><td>x<br>y</table>", "",
			"| F | M |\n|---|---|\n| -a | all \\| of |\n|  | x  <br />y |"},
		{"layout table", "<table><tr><td><table><tr><td>in</table><td>out</table>", "", "| in |\n|---|\n\nout"},
		{"text between cells", "<table>a<tr><td>b</table>", "", "a\n\nb"},
		{"formatting", "<b>b</b> <i>i</i> <s>s</s>", "", "**b** *i* ~~s~~"},
		{"stray ends", "</p></div>a</td></table>b", "", "ab"},
		{"cell without a table", "<td>a<td>b", "", "a\n\nb"},
		{"not HTML", "no tags at all", "", "no tags at all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			title, text, form := web.ReadHTML([]byte(c.page), address)
			if title != c.title || strings.TrimSpace(string(text)) != c.text || form != pb.WebTextForm_WEB_TEXT_FORM_MARKDOWN {
				t.Errorf("%v, title %q, text\n%s\nwant\n%s\n%q", form, title, text, c.text, text)
			}
		})
	}
}

// Pages that are made to take all time or memory are read in little of both, and
// their text is not lost.
func TestHostileHTML(t *testing.T) {
	const size = 1 << 19
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	var formatting strings.Builder
	for i := range 500 {
		fmt.Fprintf(&formatting, "<b x=%d>", i)
	}
	for name, page := range map[string]string{
		"100,000 levels":            strings.Repeat("<div>", 100_000) + "kept" + strings.Repeat("</div>", 100_000),
		"100,000 levels and text":   strings.Repeat("<div>x", 100_000) + "kept",
		"100,000 tables in tables":  strings.Repeat("<table><tr><td>", 100_000) + "kept",
		"formatting without an end": formatting.String() + fill("<p>x") + "kept",
		"quotes around lines":       strings.Repeat("<blockquote>", 90) + fill("a<br>") + "kept",
		"lists around lines":        strings.Repeat("<ol start=999999><li>", 45) + fill("a<br>") + "kept",
		"lists around code":         strings.Repeat("<ul><li>", 45) + "<pre>" + fill("a\n") + "kept",
		"bold in italic":            strings.Repeat("<b><i>", 45) + fill("a ") + "kept",
		"links in links":            strings.Repeat("<a href=x><table><td>", 9000) + fill("a ") + "kept",
		"one row":                   "<table><tr>" + fill("<td>x") + "kept",
		"one wide row of many":      "<table><tr>" + strings.Repeat("<td>x", 1000) + fill("<tr><td>x") + "kept",
		"spans":                     "<table>" + fill("<tr><td colspan=50 rowspan=50>x") + "kept",
		"spans of many":             "<table><tr><td colspan=999999999 rowspan=999999999>kept",
		"one wide cell":             "<table>" + strings.Repeat("<tr><td>x", 1000) + "<tr><td>" + fill("x") + "kept",
		"stray ends":                strings.Repeat("<div>", 99) + fill("</p>") + "kept",
		"stray starts":              "<p><table><tr><td>" + strings.Repeat("<b>", 95) + fill("<hr>") + "kept",
		"empty lists":               fill("<ul></ul><br>") + "kept",
		"code ticks":                "<code>" + fill("`") + "kept",
		"attributes":                "<a " + fill("x ") + ">kept",
		"many small elements":       strings.Repeat("<p>x", 1_000_000) + "kept",
		"a long address":            strings.Repeat("<a href="+strings.Repeat("x", 4000)+">y</a>", 100) + "kept",
		"marks of the converter":    strings.Repeat("<ul><li>", 45) + fill("\uf002\a") + "kept",
	} {
		t.Run(name, func(t *testing.T) {
			from := time.Now()
			_, text, _ := web.ReadHTML([]byte(page), "https://example.org/"+strings.Repeat("d/", 1000))
			took := time.Since(from)
			if !strings.Contains(string(text), "kept") {
				t.Errorf("the end of the page is not in %d bytes of text", len(text))
			}
			if len(text) > 16*len(page) {
				t.Errorf("%d bytes of text of %d of HTML", len(text), len(page))
			}
			if took > time.Minute { // usually a fifth of a second at the most; what is quadratic takes hours
				t.Errorf("took %v", took)
			}
			t.Logf("%v, %d bytes of %d", took, len(text), len(page))
		})
	}
}

// A page that is too much for the converter has a line for every block, also in
// the part that no tree is made of.
func TestPlainText(t *testing.T) {
	page := "<title>T</title>" + strings.Repeat("<div>", 90) + "<p>a <b>b</b>\nc<pre>d\n  e</pre>" + strings.Repeat("word ", 100_000) + "<br>the  <i>end</i><pre>f\n  g</pre>h<p>i"
	title, text, form := web.ReadHTML([]byte(page), address)
	want := "a b c\nd\n  e\n" + strings.TrimSpace(strings.Repeat("word ", 100_000)) + "\nthe end\nf\n  g\nh\ni\n"
	if title != "T" || form != pb.WebTextForm_WEB_TEXT_FORM_PLAIN || string(text) != want {
		t.Errorf("%q, %v, %.40q", title, form, text)
	}
}

// Nothing that a server can send makes the conversion fail, or answer differently
// when asked again.
func FuzzReadHTML(f *testing.F) {
	for _, page := range []string{
		"", "<title>t</title><p>x", "<table><tr><td>a<td>b</table>", "<ul><li>a<li><pre>b\nc</pre></ul>", "<a href=x><b>y</a></b>\xff",
		"<nav>x", "<script><!--<script>", "<svg><title>x", "<table>x<tr><th colspan=3>y", "\xfe\xff\x00<\x00p", "<blockquote><h1>x<hr></blockquote>",
	} {
		f.Add([]byte(page), "https://example.org/x")
	}
	f.Add([]byte("<p>\xe9"), "not a URL \x7f")
	f.Fuzz(func(t *testing.T, page []byte, address string) {
		title, text, form := web.ReadHTML(page, address)
		again, same, _ := web.ReadHTML(page, address)
		if title != again || string(text) != string(same) {
			t.Error("another conversion gives another text")
		}
		if form != pb.WebTextForm_WEB_TEXT_FORM_MARKDOWN && form != pb.WebTextForm_WEB_TEXT_FORM_PLAIN {
			t.Errorf("the form is %v", form)
		}
		if utf8.Valid(page) && !utf8.Valid(text) {
			t.Errorf("text that is not UTF-8 was made of UTF-8: %q", text)
		}
	})
}
